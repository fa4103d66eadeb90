"""What the board and its neighbours say no to: a code for a program, a sentence for a person."""

from __future__ import annotations

from hpp.core.errors import HppError

__all__ = ["Refusal", "no"]

# A malformed or contradictory input, corrupt state, a busy lock, a missing prerequisite.
_INPUT = frozenset(
    {
        "BUSY",
        "COMMIT_FORM",
        "CONFIG",
        "CORE_MISSING",
        "CORRUPT",
        "ID_INVALID",
        "PATH_REFUSED",
        "TEXT_REFUSED",
    }
)


class Refusal(HppError):  # noqa: N818 -- the word of the contract
    """A request that is refused; nothing was written.

    Attributes:
        word: The code, in capitals.
        exit_code: 2 for an input, 1 where a rule or the state machine says no.

    """

    code = "lanes.refused"

    def __init__(self, word: str, sentence: str) -> None:
        super().__init__(f"refused [{word}] {sentence}")
        self.word = word
        self.exit_code = 2 if word in _INPUT else 1


def no(word: str, sentence: str) -> Refusal:
    """Return a refusal, to be raised."""
    return Refusal(word, sentence)
