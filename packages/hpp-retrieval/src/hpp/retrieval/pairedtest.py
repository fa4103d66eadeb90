"""Whether two measurements of the same cases differ by more than chance would make them.

Fisher's paired randomization test, two-sided: were both alike, the sign of every difference
could as well be the other one (Smucker, Allan and Carterette, CIKM 2007). All signs are
tried with few differences, else a stated number of random ones.
"""

from __future__ import annotations

from hpp.retrieval.randomness import draw_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["EXACT", "SAMPLED", "p_value"]

EXACT, SAMPLED = "exact", "sampled"
_MOST_EXACT = 16
_TICKS = 10**12  # differences are compared as integers, finer than any figure is wrong


def p_value(differences: Iterable[float], *, samples: int, seed: int) -> tuple[float, str]:
    """Return the probability of a mean difference at least this large, and how it was found.

    Args:
        differences: One a case; those that are 0 change nothing.
        samples: How many random signs are tried where not all of them can be.
        seed: Of the random signs.

    Returns:
        The probability, and `EXACT` with at most 16 differences, else `SAMPLED`, which
        counts what was seen among its samples and so is never 0.

    """
    moved = [ticks for ticks in (round(each * _TICKS) for each in differences) if ticks]
    seen = abs(sum(moved))
    if len(moved) <= _MOST_EXACT:
        sums = _all_sums(moved)
        return sum(abs(each) >= seen for each in sums) / len(sums), EXACT
    tables = [_all_sums(moved[at : at + 8]) for at in range(0, len(moved), 8)]
    # Surplus bits of the last byte fall off.
    tables[-1] *= 256 // len(tables[-1])
    hits = 0
    for draw in range(samples):
        signs = draw_bytes(seed, "signs", draw, len(tables))
        hits += abs(sum(map(list.__getitem__, tables, signs))) >= seen
    return (hits + 1) / (samples + 1), SAMPLED


def _all_sums(values: Sequence[int]) -> list[int]:
    """Return the sum under each choice of signs."""
    sums = [0]
    for value in values:
        sums = [each + value for each in sums] + [each - value for each in sums]
    return sums
