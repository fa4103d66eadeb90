"""Where rankings come from: a program that is asked, or the answers that a suite records."""

from __future__ import annotations

import json

from hpp.core.interview import JSONL, Interview
from hpp.retrieval.answer import Ranking, UnfitAnswerError, parse_answer, read_ranking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.reply import Reply
    from hpp.retrieval.suite import Case, Suite

__all__ = ["CommandRetriever", "Failure", "Replay", "question"]


class Failure:
    """The instrument failed, so there is nothing to measure; `error` says how."""

    __slots__ = ("error",)

    def __init__(self, error: str) -> None:
        self.error = error


class Replay:
    """Answers with what the suite records."""

    def rankings(self, suite: Suite, k: int) -> list[Ranking | Failure]:  # noqa: ARG002 -- recorded whole
        """Return the recorded ranking of each case."""
        return [_recorded(case) for case in suite.cases]

    def document(self) -> dict[str, Any]:
        """Return the retriever as a report names it."""
        return {"mode": "replay", "command": []}


class CommandRetriever:
    """Asks a declared program."""

    def __init__(self, interview: Interview) -> None:
        self._interview = interview

    def rankings(self, suite: Suite, k: int) -> list[Ranking | Failure]:
        """Return the first k ids of each answer.

        Raises:
            InterruptedRunError: A signal came; no process is left.

        """

        def judge(_number: int, reply: Reply) -> Ranking | Failure:
            fault = reply.fault()
            if fault is not None:
                return Failure(fault)
            try:
                ranking = parse_answer(reply.text)
            except UnfitAnswerError as error:
                return Failure(str(error))
            # The whole answer was judged; of one with a million ids, no more is of use.
            return Ranking(ranking.ids[:k], ranking.score_order)

        return self._interview.answers([question(case, k) for case in suite.cases], judge)

    def document(self) -> dict[str, Any]:
        """Return the retriever as a report names it."""
        named: dict[str, Any] = {"mode": "command", "command": self._interview.argv}
        if self._interview.protocol == JSONL:
            named["protocol"] = JSONL
        return named


def question(case: Case, k: int) -> bytes:
    """Return the line that a retriever reads; nothing in it tells the case or its labels."""
    return json.dumps({"query": case.query, "k": k}).encode("ascii")


def _recorded(case: Case) -> Ranking | Failure:
    if not case.is_recorded:
        return Failure("the suite records no results for it")
    try:
        return read_ranking(case.results)
    except UnfitAnswerError as error:
        return Failure(str(error))
