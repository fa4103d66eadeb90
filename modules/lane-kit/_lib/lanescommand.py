"""The verbs of the registry: who is here, what each one owns, and for how long it was silent."""

from __future__ import annotations

import os
import sys

from _lib.families import family_of
from _lib.folder import make_folder
from _lib.identity import checked_lane
from _lib.refusal import no
from _lib.registry import (
    PRESENT,
    SKEW,
    Lane,
    clean_territory,
    lies_in,
    liveness,
    overlap,
    read_registry,
)
from _lib.registrywrite import change

from hpp.core.errors import RefusedError
from hpp.core.portable.lane import session_key
from hpp.core.portable.scriptcli import write_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    from _lib.registry import Registry
    from _lib.workplace import Workplace

__all__ = ["VERBS", "claimed_by_other", "collisions", "heartbeat"]


def claimed_by_other(
    registry: Registry, lane: Lane, paths: list[str], work: Workplace
) -> tuple[str, str] | None:
    """Return lane and path of the first other present lane that owns one of these paths."""
    for other in registry.lanes.values():
        if other.id == lane.id or liveness(other, work.now, work.config) not in PRESENT:
            continue
        if not (lane.exclusive or other.exclusive):
            continue
        for path in paths:
            for owned in other.territory:
                if overlap(path, owned):
                    return other.id, owned
    return None


def _register(work: Workplace, args: argparse.Namespace) -> int:
    name = checked_lane(args.lane)
    paths = [clean_territory(path, work.place.root) for path in args.territory or ()]
    configured = work.config.territories.get(name, [])
    paths = paths or [clean_territory(path, work.place.root) for path in configured]
    make_folder(work.place)

    def apply(registry: Registry) -> Lane:
        lane = registry.lanes.get(name) or Lane(name)
        fresh = liveness(lane, work.now, work.config) not in PRESENT or not lane.started_at
        lane.exclusive = not args.shared
        found = claimed_by_other(registry, lane, paths, work)
        if found is not None:
            raise no("TERRITORY_TAKEN", f"{found[1]} is owned by lane {found[0]}")
        lane.role, lane.model = args.role, args.model
        lane.family = family_of(args.model, work.config.families)
        lane.territory = paths
        lane.worktree = os.path.realpath(args.worktree or work.place.project)
        lane.branch = args.branch or _branch(work.place.project)
        lane.host = args.host
        if fresh:
            lane.started_at = work.now
            lane.sessions = {}
        lane.beat(session_key(args.session or "") or "", work.now)
        registry.lanes[name] = lane
        return lane

    lane = change(work.place.registry, apply, now=work.now, config=work.config)
    if lane.family is None:
        work.note(f"model {args.model!r} has no known family: it may neither build nor judge")
    _print(lane.document())
    return 0


def heartbeat(work: Workplace, args: argparse.Namespace) -> int:
    """Note that a lane is at work."""
    name = checked_lane(args.lane)
    session = session_key(args.session or os.environ.get("CLAUDE_SESSION_ID", "")) or ""

    def apply(registry: Registry) -> Lane:
        lane = _known(registry, name)
        age = work.now - (lane.heartbeat_at or 0)
        is_young = 0 <= age < work.config.seconds("heartbeat_throttle")
        if args.force or not is_young or lane.status != "active":
            lane.beat(session, work.now)
        return lane

    _print(_change(work, apply).document())
    return 0


def _close(work: Workplace, args: argparse.Namespace) -> int:
    name = checked_lane(args.lane)

    def apply(registry: Registry) -> Lane:
        lane = _known(registry, name)
        lane.status = "closed"
        lane.sessions = {}
        return lane

    _print(_change(work, apply).document())
    return 0


def _evict(work: Workplace, args: argparse.Namespace) -> int:
    from _lib.rescue import capture

    name = checked_lane(args.lane)
    if not args.reason.strip():
        raise no("REASON_MISSING", "an eviction needs --reason")
    lane = _known(read_registry(work.place.registry), name)
    patch = None
    if lane.worktree:
        # Before the lane is marked: what it left must be safe, else it stays.
        patch = capture(work.place, name, lane.worktree)

    def apply(registry: Registry) -> Lane:
        found = _known(registry, name)
        found.status = "dead"
        found.sessions = {}
        return found

    document = _change(work, apply).document()
    _print({**document, "rescue": patch, "reason": args.reason})
    return 0


def _territory(work: Workplace, args: argparse.Namespace) -> int:
    name = checked_lane(args.lane)
    path = clean_territory(args.add or args.remove, work.place.root)

    def apply(registry: Registry) -> Lane:
        lane = _known(registry, name)
        if args.remove:
            if path not in lane.territory:
                raise no("TERRITORY_UNKNOWN", f"lane {name} owns no {path}")
            lane.territory.remove(path)
            return lane
        found = claimed_by_other(registry, lane, [path], work)
        if found is not None:
            raise no("TERRITORY_TAKEN", f"{found[1]} is owned by lane {found[0]}")
        if path not in lane.territory:
            lane.territory.append(path)
        return lane

    _print(_change(work, apply).document())
    return 0


def _who_owns(work: Workplace, args: argparse.Namespace) -> int:
    path = clean_territory(args.path, work.place.root)
    rows = []
    for lane in read_registry(work.place.registry).lanes.values():
        word = liveness(lane, work.now, work.config)
        if word in PRESENT and any(lies_in(path, owned) for owned in lane.territory):
            rows.append({"lane": lane.id, "liveness": word, "exclusive": lane.exclusive})
    write_report({"path": path, "owners": rows})
    return 0


def _status(work: Workplace, args: argparse.Namespace) -> int:
    config = work.lenient_config()
    lanes = read_registry(work.place.registry).lanes.values()
    rows: list[dict[str, Any]] = []
    for lane in lanes:
        word = liveness(lane, work.now, config)
        age = None if lane.heartbeat_at is None else work.now - lane.heartbeat_at
        rows.append({**lane.document(), "liveness": word, "age": age})
        if word == SKEW:
            work.note(
                f"lane {lane.id}: its heartbeat lies in the future; its clock or ours is wrong"
            )
    if args.json:
        write_report({"lanes": rows})
        return 0
    for row in rows:
        owned = ", ".join(row["territory"]) or "no territory"
        since = "never" if row["age"] is None else f"{row['age']} s"
        _say(f"{row['id']}  {row['liveness']} ({since})  {row['role']}  {row['model']}  {owned}")
    return 0


def _export(work: Workplace, args: argparse.Namespace) -> int:
    del args
    config = work.lenient_config()
    rows: list[dict[str, Any]] = []
    left_out = 0
    for lane in read_registry(work.place.registry).lanes.values():
        if not lane.territory:
            left_out += 1
            continue
        word = liveness(lane, work.now, config)
        row: dict[str, Any] = {
            "id": lane.id, "territory": lane.territory, "exclusive": lane.exclusive,
            "status": word if word in ("closed", "dead") else "declared",
        }  # fmt: skip
        if lane.heartbeat_at is not None:
            row["heartbeat_at"] = lane.heartbeat_at
        rows.append(row)
    if left_out:
        work.note(f"{left_out} lanes without territory are left out")
    write_report(rows)
    return 0


def collisions(registry: Registry, work: Workplace) -> list[dict[str, Any]]:
    """Return each pair of present lanes that own the same, when one of them alone should."""
    config = work.lenient_config()
    lanes = [
        lane for lane in registry.lanes.values() if liveness(lane, work.now, config) in PRESENT
    ]
    found: list[dict[str, Any]] = []
    for number, one in enumerate(lanes):
        for other in lanes[number + 1 :]:
            shared = sorted(
                {
                    max(a, b, key=len)
                    for a in one.territory
                    for b in other.territory
                    if overlap(a, b)
                }
            )
            if shared and (one.exclusive or other.exclusive):
                found.append({"lanes": sorted([one.id, other.id]), "territory": shared})
    return found


def _collisions(work: Workplace, args: argparse.Namespace) -> int:
    del args
    found = collisions(read_registry(work.place.registry), work)
    write_report({"collisions": found})
    return 1 if found else 0


def _repair(work: Workplace, args: argparse.Namespace) -> int:
    path = work.place.registry
    try:
        count = len(read_registry(path).lanes)
    except RefusedError:
        raise
    except Exception as error:  # noqa: BLE001 -- what it is about is to be mended
        said = str(error)
    else:
        _say(f"nothing to repair: {count} lanes")
        return 0
    if not args.apply:
        _say(f"{said}; --apply sets the file aside, and lanes register again by themselves")
        return 0
    from _lib.chain import Held, now_text

    with Held(path):
        aside = f"{path}.unreadable-{now_text().replace(':', '')}"
        os.replace(path, aside)
    _say(f"set aside as {os.path.basename(aside)}; lanes register again by themselves")
    return 0


def _known(registry: Registry, name: str) -> Lane:
    lane = registry.lanes.get(name)
    if lane is None:
        raise no("LANE_UNKNOWN", f"lane {name} is not registered")
    return lane


def _change(work: Workplace, apply: Callable[[Registry], Lane]) -> Lane:
    if not os.path.lexists(work.place.registry):
        raise no("LANE_UNKNOWN", "no lane is registered")
    return change(work.place.registry, apply, now=work.now, config=work.config)


def _branch(project: str) -> str:
    from hpp.core.portable.anchor import branch

    try:
        return branch(project) or ""
    except RefusedError:
        return ""


def _print(document: dict[str, Any]) -> None:
    from _lib.chain import encode

    sys.stdout.write(encode(document).decode() + "\n")


def _say(text: str) -> None:
    from hpp.core.text import printable

    sys.stdout.write(printable(text) + "\n")


VERBS: dict[str, Callable[[Workplace, argparse.Namespace], int]] = {
    "register": _register,
    "heartbeat": heartbeat,
    "close": _close,
    "evict": _evict,
    "territory": _territory,
    "who-owns": _who_owns,
    "status": _status,
    "export": _export,
    "collisions": _collisions,
    "repair": _repair,
}
