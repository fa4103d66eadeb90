"""The program ``hpp-decide``: ``hpp-decide eval`` is ``hpp decide eval``."""

from __future__ import annotations

from hpp.core.family import run_family
from hpp.decide.decide_command import DECIDE
from hpp.decide.deliberate_command import DELIBERATE
from hpp.decide.findings_command import FINDINGS
from hpp.decide.route_command import ROUTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program ``hpp-decide`` and return its exit status."""
    return run_family("hpp-decide", [DECIDE, DELIBERATE, FINDINGS, ROUTE], argv)
