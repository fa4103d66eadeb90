"""``hpp retrieval compare``: what moved between two measurements, and whether it is chance."""

from __future__ import annotations

from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values

__all__ = ["COMPARE"]

_MOST_SAMPLES = 1_000_000


def _arguments(declared: Arguments) -> None:
    declared.positional("A", help="report of `retrieval eval` to compare with")
    declared.positional("B", help="report of `retrieval eval` that is judged")
    declared.option("-k", "N", help="cut to compare at (default: the gate's)", kind="integer")
    declared.option(
        "--alpha", "P", help="how likely chance may be for a loss (default 0.05)", default="0.05"
    )
    declared.option(
        "--samples", "N", help="random signs of the test", kind="integer", default=10_000
    )
    declared.option("--seed", "N", help="seed of the test", kind="integer", default=0)


def _run(values: Values) -> int:
    from hpp.core.errors import RefusedError
    from hpp.core.output import write_json
    from hpp.core.threshold import parse_share
    from hpp.retrieval.comparison import Comparison, Test
    from hpp.retrieval.measurement import read_measurement

    alpha = parse_share("--alpha", values.alpha)
    if not 1 <= values.samples <= _MOST_SAMPLES:
        raise RefusedError(f"--samples: expected 1 to {_MOST_SAMPLES}, got {values.samples}")
    if values.k is not None and values.k < 1:
        raise RefusedError(f"-k: expected 1 or more, got {values.k}")
    comparison = Comparison(
        read_measurement(values.a, values.k),
        read_measurement(values.b, values.k),
        Test(alpha, values.samples, values.seed),
    )
    write_json(comparison.report())
    return 1 if comparison.is_worse or not comparison.paired else 0


COMPARE = Command("compare", "tell what moved between two reports", arguments=_arguments, run=_run)
