"""The answer to one question of the gate, and how all of them are shown."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["BLOCKED", "NO", "YES", "Answer", "status_of", "worst"]

YES = "yes"
NO = "no"
BLOCKED = "blocked"
_ORDER = (YES, NO, BLOCKED)


class Answer:
    """What was found.

    Attributes:
        question: Its name, one word.
        answer: `YES`; `NO` when somebody still has to act; `BLOCKED` when something is not
            what it says it is.
        detail: One line.
        problems: One line each; empty for `YES`.

    """

    __slots__ = ("answer", "detail", "problems", "question")

    def __init__(
        self, question: str, answer: str, detail: str, problems: Iterable[str] = ()
    ) -> None:
        self.question = question
        self.answer = answer
        self.detail = detail
        self.problems = list(problems)

    def line(self) -> str:
        """Return the answer in one line, with its first problem."""
        parts = [self.detail, *self.problems[:1]]
        more = len(self.problems) - 1
        tail = f" (and {more} more, see --json)" if more > 0 else ""
        return f"{self.question}: {self.answer}: {'; '.join(p for p in parts if p)}{tail}\n"

    def document(self) -> dict[str, object]:
        """Return the answer as the JSON document has it."""
        return {name: getattr(self, name) for name in self.__slots__}


def worst(answers: Iterable[str]) -> str:
    """Return the answer to all questions together."""
    return max(answers, key=_ORDER.index)


def status_of(answer: str) -> int:
    """Return the exit status that goes with an answer."""
    return _ORDER.index(answer)
