"""How a piece of work is shown, the same in every command that shows one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.journal import History
    from hpp.core.loop import Loop, Work

__all__ = ["manifest_argument", "read_history", "work_view"]


def work_view(work: Work, loop: Loop) -> dict[str, Any]:
    """Return the JSON object that describes a piece of work."""
    return {
        "work": work.name,
        "state": work.state,
        "event_count": len(work.history),
        "evidence_count": work.evidence_count,
        "history": work.history,
        "next_step": loop.next_step(work.state),
    }


def manifest_argument(declared: Arguments) -> None:
    """Declare the option of every command that reads the manifest."""
    declared.option("--manifest", "FILE", help="manifest whose loop is followed")


def read_history(values: Values, root: str) -> tuple[History, Loop]:
    """Return the log of a workspace replayed over the loop of the manifest in force.

    Raises:
        RefusedError: The manifest or the log is refused.

    """
    from hpp.core.journal import Journal
    from hpp.core.loop import Loop
    from hpp.core.manifest import find_manifest, load_manifest

    loop = Loop.of(load_manifest(find_manifest(values.manifest)))
    return Journal(root).history(loop), loop
