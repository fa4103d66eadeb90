"""Uncommitted work of a lane as a patch: captured without touching its index, put back whole.

Not captured: ignored files and what lies inside of submodules; under ``core.autocrlf`` line
ends of text may be those of the repository. The patch's companion says which applies.
"""

from __future__ import annotations

import os
import tempfile
import time

from _lib.paths import same_path
from _lib.refusal import no

from hpp.core.canonical import sha256_hex
from hpp.core.errors import RefusedError
from hpp.core.git import git_environment
from hpp.core.portable.anchor import common_dir
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _lib.paths import Place

__all__ = ["capture", "patches", "read_patch", "reapply"]

SCHEMA = "hpp.lane-rescue/v1"
LIMIT_S = 30.0
LARGEST = 200 * 1024 * 1024
_KEEP = 4 * 1024 * 1024
_ONLY_OWNER = 0o600
# Written by these tools and not by the lane; everything else of the tree is captured.
_NOT_OURS = ":(top,exclude).claude/lanes/.gitignore"


class _Git:
    """Calls of git in one worktree that share a deadline and a private index."""

    def __init__(self, worktree: str, deadline: float, index: str = "") -> None:
        self.worktree = worktree
        self.deadline = deadline
        self.environment = git_environment()
        if index:
            self.environment["GIT_INDEX_FILE"] = index

    def ask(self, *words: str) -> tuple[int, bytes, str]:
        """Return status, output and the last words of an error."""
        from hpp.core.runner import EXITED, run, stderr_tail

        settings = ("core.fsmonitor=false", f"core.hooksPath={os.devnull}", "gc.auto=0",
                    "core.safecrlf=false", "core.quotePath=false")  # fmt: skip
        options = [part for setting in settings for part in ("-c", setting)]
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise no("RESCUE_FAILED", "it took longer than it may")
        outcome = run(
            ["git", "-C", self.worktree, *options, *words], timeout_s=left,
            environment=self.environment, keep_stdout=_KEEP,
        )  # fmt: skip
        if outcome.ending != EXITED or outcome.exit_code is None:
            why = outcome.reason or "it took longer than it may"
            raise no("RESCUE_FAILED", f"git {words[0]}: {why}")
        return outcome.exit_code, outcome.stdout.kept, stderr_tail(outcome)

    def need(self, *words: str) -> bytes:
        """Return the output of a call that has to succeed."""
        status, out, said = self.ask(*words)
        if status:
            raise no("RESCUE_FAILED", f"git {words[0]}: {said or 'failed'}")
        return out

    def text(self, *words: str) -> str:
        """Return one line of a call that may fail, which is an empty text."""
        status, out, _ = self.ask(*words)
        return "" if status else out.decode("utf-8", "replace").strip()


def capture(
    place: Place, lane: str, worktree: str, *, out: str = "", limit_s: float = LIMIT_S
) -> str | None:
    """Write what a lane left uncommitted, and return the patch's path; None when it is clean.

    Args:
        place: The files.
        lane: Whose work it is.
        worktree: A worktree of this repository.
        out: Another folder than the lanes' own.
        limit_s: Most seconds, 30 at most.

    Raises:
        Refusal: ``RESCUE_FAILED``; nothing was written.

    """
    _check_worktree(place, worktree)
    folder = out or place.path("rescue")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as error:
        raise no("RESCUE_FAILED", f"{folder}: {error.strerror}") from None
    deadline = time.monotonic() + min(limit_s, LIMIT_S)
    with tempfile.TemporaryDirectory(prefix="hpp-rescue-", dir=folder) as scratch:
        git = _Git(worktree, deadline, os.path.join(scratch, "index"))
        made = os.path.join(scratch, "patch")
        meta = _measure(git, made)
        if meta is None:
            return None
        if meta["bytes"] > LARGEST:
            raise no("RESCUE_FAILED", f"the patch takes {meta['bytes']} bytes; at most {LARGEST}")
        meta.update(schema=SCHEMA, lane=lane, worktree=os.path.realpath(worktree))
        return _publish(folder, lane, made, meta)


def _check_worktree(place: Place, worktree: str) -> None:
    """Refuse a folder that is no worktree of this repository, whose settings could run programs."""
    if not os.path.isdir(worktree):
        raise no("RESCUE_FAILED", f"{worktree}: no such folder")
    try:
        theirs, ours = common_dir(worktree), common_dir(place.root)
    except RefusedError as error:
        raise no("RESCUE_FAILED", str(error)) from None
    if theirs is None or ours is None or not same_path(theirs, ours):
        raise no("RESCUE_FAILED", f"{worktree}: it is no worktree of this repository")


def _measure(git: _Git, made: str) -> dict[str, Any] | None:
    """Write the patch of a worktree to a file; None when there is nothing to write."""
    base = git.text("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    against = base or git.need("hash-object", "-t", "tree", "-w", "--stdin").decode().strip()
    git.need("read-tree", against)
    status, _, said = git.ask("add", "--all", "--ignore-errors", "--", ":/", _NOT_OURS)
    diff = ("diff", "--cached", "--no-ext-diff", "--no-textconv", "--no-renames")
    names = git.need(*diff, "--name-only", "-z", against)
    if not names:
        if status:
            raise no("RESCUE_FAILED", f"git add: {said}")
        return None
    git.need(*diff, "--binary", "--full-index", f"--output={made}", against)
    with open(made, "rb") as file:
        data = file.read(LARGEST + 1)
    ignored = git.ask(
        "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"
    )
    return {
        "base_commit": base or None,
        "branch": git.text("symbolic-ref", "--quiet", "--short", "HEAD") or None,
        "sha256": sha256_hex(data),
        "bytes": len(data),
        "files": [each.decode("utf-8", "backslashreplace") for each in names.split(b"\0") if each],
        "autocrlf": git.text("config", "core.autocrlf") or "false",
        "ignored_count": ignored[1].count(b"\0"),
        "partial": said if status else None,
        "limits": "ignored files and the content of submodules are not in it; under core.autocrlf "
        "line ends may be those of the repository",
    }


def _publish(folder: str, lane: str, made: str, meta: dict[str, Any]) -> str:
    from hpp.core.output import pretty_json
    from hpp.core.portable.fswrite import atomic_write

    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    number = 1
    while True:
        name = f"lane-{lane}-{stamp}-{number}"
        path = os.path.join(folder, f"{name}.patch")
        try:
            # The companion's name is taken first, so that two captures never share one.
            handle = os.open(
                os.path.join(folder, f"{name}.meta.json"),
                os.O_WRONLY | os.O_CREAT | os.O_EXCL,
                _ONLY_OWNER,
            )
            break
        except FileExistsError:
            number += 1
    os.close(handle)
    os.chmod(made, _ONLY_OWNER)
    os.replace(made, path)
    meta["patch"] = f"{name}.patch"
    meta["reapply"] = ["python3", "lane_rescue.py", "reapply", f"{name}.patch"]
    atomic_write(os.path.join(folder, f"{name}.meta.json"), pretty_json(meta))
    return path


def patches(place: Place) -> list[dict[str, Any]]:
    """Return the companions of all patches, by name; one that cannot be read says so."""
    folder = place.path("rescue")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    found: list[dict[str, Any]] = []
    for name in names:
        if name.endswith(".patch"):
            try:
                found.append(read_patch(place, name)[1])
            except RefusedError as error:
                found.append({"patch": name, "fault": str(error)})
    return found


def read_patch(place: Place, patch: str) -> tuple[str, dict[str, Any]]:
    """Return a patch's path and its companion.

    Raises:
        RefusedError: It is not there, or has no companion.

    """
    path = patch if os.path.dirname(patch) else os.path.join(place.path("rescue"), patch)
    path = path if path.endswith(".patch") else f"{path}.patch"
    beside = path[: -len(".patch")] + ".meta.json"
    try:
        with open(beside, "rb") as file:
            data = file.read(_KEEP)
    except OSError as error:
        raise RefusedError(f"{os.path.basename(beside)}: {error.strerror}") from None
    meta: dict[str, Any] = parse_bytes(data, os.path.basename(beside), root=dict)
    if meta.get("schema") != SCHEMA or not isinstance(meta.get("sha256"), str):
        raise RefusedError(f"{os.path.basename(beside)}: it is no {SCHEMA}")
    return path, meta


def reapply(
    place: Place, patch: str, worktree: str, *, force_base: bool, partial_ok: bool
) -> dict[str, Any]:
    """Put a patch back, all of it or nothing, and return its companion.

    Raises:
        RefusedError: It is not the patch that was captured.
        Refusal: The worktree is another, has moved on, or holds edits in the way.

    """
    path, meta = read_patch(place, patch)
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise RefusedError(f"{os.path.basename(path)}: {error.strerror}") from None
    if sha256_hex(data) != meta["sha256"]:
        raise RefusedError(f"{os.path.basename(path)}: its bytes are not those that were captured")
    _check_worktree(place, worktree)
    if meta.get("partial") and not partial_ok:
        raise no("PARTIAL", f"some files could not be captured ({meta['partial']}); --partial-ok")
    git = _Git(worktree, time.monotonic() + LIMIT_S)
    head = git.text("rev-parse", "--verify", "--quiet", "HEAD^{commit}") or None
    if head != meta.get("base_commit") and not force_base:
        raise no(
            "BASE_MOVED", f"captured at {meta.get('base_commit')}, here is {head}; --force-base"
        )
    apply = ("apply", "--binary", "--whitespace=nowarn")
    status, _, said = git.ask(*apply, "--check", os.path.abspath(path))
    if status:
        raise no("CONFLICT", f"it does not fit what lies here: {said}; nothing was changed")
    git.need(*apply, os.path.abspath(path))
    return meta
