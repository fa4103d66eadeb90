"""Options of other programs, as far as it takes to find what stands behind them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["skip_options", "takes_next"]


def skip_options(  # noqa: PLR0913 -- a grammar in one call
    words: Sequence[str],
    at: int,
    end: int,
    short: str = "",
    long: Collection[str] = (),
    *,
    abbreviates: bool = True,
) -> int:
    """Return where the operands of a program begin.

    Args:
        words: Words of the command.
        at: First word after the program.
        end: Where the command ends.
        short: Letters of short options that take a value.
        long: Names of long options that take a value as a word of its own.
        abbreviates: Names may be cut short, as `getopt_long` allows.

    """
    while at < end:
        word = words[at]
        if word == "--":
            return at + 1
        if word[:2] == "--":
            at += 2 if _long_takes_next(word[2:], long, abbreviates=abbreviates) else 1
        elif word[:1] == "-" and len(word) > 1:
            at += 2 if takes_next(word, short) else 1
        else:
            return at
    return end


def _long_takes_next(name: str, long: Collection[str], *, abbreviates: bool) -> bool:
    if "=" in name:
        return False
    if name in long:
        return True
    return abbreviates and any(each.startswith(name) for each in long)


def takes_next(word: str, short: str) -> bool:
    """Say whether a cluster of short options ends in one whose value is the next word."""
    for place in range(1, len(word)):
        if word[place] in short:
            return place == len(word) - 1
    return False
