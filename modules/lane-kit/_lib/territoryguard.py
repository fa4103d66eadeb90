"""The judgement of the territory guard: whose file it is, and whether a mistake would spread."""

from __future__ import annotations

import os
import sys
import time

from _lib.globmatch import glob_matches
from _lib.judgement import WARN, Judgement
from _lib.paths import find_place, same_path, shared_root, worktree_top
from _lib.refusal import Refusal
from _lib.registry import PRESENT, Registry, lies_in, liveness, read_registry

from hpp.core.portable import hookio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.config import Config
    from _lib.paths import Place

    from hpp.core.portable.payload import Payload

__all__ = ["HOOK", "judge", "judge_path", "located"]

HOOK = "lane-territory-guard"


def judge(payload: Payload, now: int | None = None) -> list[Judgement]:
    """Return what is said of each file that a call writes."""
    subjects = payload.subjects()
    if not subjects:
        return []
    root = hookio.project_root(payload)
    place = find_place(root, payload.environ)
    config, faults = _settings(place)
    registry, said = _lanes(place)
    time_ = int(time.time()) if now is None else now
    found = [Judgement(WARN, "config", why, why) for why in faults + said]
    lane = hookio.lane_of(payload)
    base = os.path.abspath(payload.cwd or root)
    for path, _ in subjects:
        shown, is_inside = located(os.path.join(base, path), place)
        found += judge_path(shown, registry, config, lane, time_, is_inside=is_inside)
    return found


def judge_path(  # noqa: PLR0913 -- what a file is judged by
    path: str,
    registry: Registry,
    config: Config,
    lane: str,
    now: int,
    *,
    is_inside: bool,
    fold: bool | None = None,
) -> list[Judgement]:
    """Return what is said of one file.

    Args:
        path: Relative to its worktree with ``/``; absolute when it lies in none.
        registry: The lanes.
        config: The settings.
        lane: Who writes.
        now: Unix seconds.
        is_inside: It lies in a worktree of this repository.
        fold: Letter case does not count; None asks the system.

    """
    folds = sys.platform in ("win32", "darwin") if fold is None else fold
    found = []
    red = next((glob for glob in config.red_zones if _is_red(path, glob, is_inside, folds)), None)
    if red is not None:
        reason = f"{path} is a red zone ({red}): a mistake in it reaches every lane; ask first"
        found.append(Judgement(WARN, "red-zone", reason, path))
    if not is_inside:
        return found
    plain = path.casefold() if folds else path
    owners = []
    for other in registry.lanes.values():
        word = liveness(other, now, config)
        owned = [each.casefold() if folds else each for each in other.territory]
        is_theirs = other.id != lane and other.exclusive and word in PRESENT
        if is_theirs and any(lies_in(plain, each) for each in owned):
            age = max(0, now - (other.heartbeat_at or 0))
            owners.append(f"lane {other.id} ({word}, heard of {age} s ago)")
    if owners:
        reason = (
            f"{path} is owned by {', '.join(owners)}; leave it to them, or send a message first"
        )
        found.append(Judgement(WARN, "territory", reason, path))
        return found
    own = registry.lanes.get(lane)
    if own is not None and own.territory and red is None:
        mine = [each.casefold() if folds else each for each in own.territory]
        if not any(lies_in(plain, each) for each in mine):
            folder = path.rpartition("/")[0] or "."
            reason = f"{folder} lies outside of what lane {lane} owns: {', '.join(own.territory)}"
            found.append(Judgement(WARN, "outside", reason, folder))
    return found


def located(path: str, place: Place) -> tuple[str, bool]:
    """Return a path relative to the worktree that holds it, and whether one of ours does.

    Links are followed as far as the path exists.
    """
    real = os.path.realpath(path)
    top = worktree_top(os.path.dirname(real))
    if same_path(shared_root(top), place.root):
        return os.path.relpath(real, top).replace(os.sep, "/"), True
    if not os.path.lexists(os.path.join(top, ".git")):
        from hpp.core.portable.fsread import inside

        # Without git the project's folder is all there is.
        shown = inside(real, place.root)
        if shown is not None:
            return shown, True
    return real.replace(os.sep, "/"), False


def _is_red(path: str, glob: str, is_inside: bool, folds: bool) -> bool:  # noqa: FBT001 -- private
    if is_inside:
        return glob_matches(path, glob, fold=folds)
    wide = glob if glob.startswith(("/", "**/")) else f"**/{glob}"
    return glob_matches(path, wide, fold=folds)


def _settings(place: Place) -> tuple[Config, list[str]]:
    from _lib.config import Config, read_config

    try:
        return read_config(place.config), []
    except Refusal as error:
        return Config(), [f"{error}; the defaults are used"]


def _lanes(place: Place) -> tuple[Registry, list[str]]:
    try:
        return read_registry(place.registry), []
    except Refusal as error:
        return Registry(), [f"{error}; nobody can tell who owns what"]
