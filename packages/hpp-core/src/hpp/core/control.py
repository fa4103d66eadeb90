"""The registry of controls: known-good and known-bad cases that prove a mechanism.

A distribution registers what it proves under the entry-point group ``hpp.controls``: the
name is the control's id, the object a function without arguments that returns True or
False. A control of ours is taken from the distribution that owns it and from no other.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.metadata import EntryPoint

__all__ = ["GROUP", "OWNERS", "Control", "installed_controls"]

GROUP = "hpp.controls"

# Who proves what; the distribution of the mechanism that is tested.
OWNERS = {
    "context-provenance": "hpp-core",
    "event-evidence-gate": "hpp-core",
    "evidence-attestation": "hpp-evidence",
    "graph-determinism": "hpp-cli",
    "lane-collision": "hpp-cli",
    "manifest-contract": "hpp-core",
    "monitor-freshness": "hpp-cli",
    "policy-enforcement": "hpp-cli",
    "routing-risk-floor": "hpp-decide",
    "workgraph-waves": "hpp-core",
}


class Control:
    """One installed control; its code is loaded when it runs.

    Args:
        load: Returns the function. It may carry `needs`, names of programs that it runs.

    """

    __slots__ = ("_load",)

    def __init__(self, load: Callable[[], Callable[[], bool]]) -> None:
        self._load = load

    def run(self) -> tuple[bool, str]:
        """Return whether the mechanism held, and ``control`` or ``could-not-start``.

        Whatever a control raises is a failure of what it tests.
        """
        import shutil

        try:
            proof = self._load()
            if any(shutil.which(program) is None for program in getattr(proof, "needs", ())):
                return False, "could-not-start"
            return proof() is True, "control"
        except Exception:  # noqa: BLE001 -- a mechanism that breaks has not held
            return False, "control"


def installed_controls() -> Mapping[str, Control]:
    """Return the controls of every installed distribution by their ids."""
    from importlib.metadata import entry_points

    found: dict[str, Control] = {}
    for point in sorted(entry_points(group=GROUP), key=_place):
        owner = OWNERS.get(point.name)
        if owner is None or owner == _distribution(point):
            found.setdefault(point.name, Control(point.load))
    return found


def _place(point: EntryPoint) -> tuple[str, str]:
    return point.name, _distribution(point)


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else ""
