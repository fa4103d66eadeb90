"""``hpp retrieval``: measure a retriever, compare measurements, exchange suites."""

from __future__ import annotations

from hpp.core.command import Command
from hpp.core.family import run_family
from hpp.retrieval.compare_command import COMPARE
from hpp.retrieval.eval_command import EVAL
from hpp.retrieval.exchange_command import EXPORT, IMPORT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["RETRIEVAL", "main"]

RETRIEVAL = Command(
    "retrieval",
    "measure a retriever against labels, apart from any generation",
    subcommands=[EVAL, COMPARE, IMPORT, EXPORT],
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program ``hpp-retrieval`` and return its exit status."""
    from hpp.retrieval.cite_command import CITE

    return run_family("hpp-retrieval", [RETRIEVAL, CITE], argv)
