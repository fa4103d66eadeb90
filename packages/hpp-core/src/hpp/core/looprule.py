"""The rules of the manifest's loop."""

from __future__ import annotations

from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.fault import Faults

    Move = tuple[int, str, str, str]

__all__ = ["loop_faults"]

_KEYS = ("from", "event", "to", "gate")


def loop_faults(found: Faults, loop: dict[str, Any]) -> None:
    """Add the faults of the loop: its texts, one way per event, every state in reach."""
    initial = found.text(loop, ("loop", "initial"))
    moves: list[Move] = []
    for number, move in found.objects(loop, ("loop", "transitions")):
        place = ("loop", "transitions", number)
        state, event, target, gate = (found.text(move, (*place, key)) for key in _KEYS)
        if state and event and target and gate:
            moves.append((number, state, event, target))
    _repeated(found, moves)
    if initial is not None and moves and len(moves) == len(loop["transitions"]):
        _reachable(found, initial, moves)


def _repeated(found: Faults, moves: list[Move]) -> None:
    seen: dict[tuple[str, str], int] = {}
    for number, state, event, _ in moves:
        first = seen.setdefault((state, event), number)
        if first != number:
            told = f"the same from and event as loop.transitions[{first}]"
            found.add(("loop", "transitions", number), told)


def _reachable(found: Faults, initial: str, moves: list[Move]) -> None:
    targets: dict[str, list[str]] = {}
    for _, state, _, target in moves:
        targets.setdefault(state, []).append(target)
    if initial not in targets:
        found.add(("loop", "initial"), f"no transition leaves {shorten(initial)}")
        return
    reached, pending = {initial}, [initial]
    while pending:
        for target in targets.get(pending.pop(), ()):
            if target not in reached:
                reached.add(target)
                pending.append(target)
    for number, state, _, _ in moves:
        if state not in reached:
            told = f"{shorten(state)} cannot be reached from {shorten(initial)}"
            found.add(("loop", "transitions", number, "from"), told)
