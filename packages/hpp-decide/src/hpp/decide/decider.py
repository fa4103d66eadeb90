"""Ask for the decision of every case: a declared program, or the records of the suite.

A decision counts only as a whole record about this very question and state. Anything else
is a failure of the instrument: an error never becomes the first option, and a text that
says "I do not know" is no abstention.
"""

from __future__ import annotations

import hashlib
import json

from hpp.core.errors import RefusedError
from hpp.core.secret import redact
from hpp.core.strictjson import JsonRefusedError, parse_bytes
from hpp.core.text import shorten
from hpp.decide.decision import read_decision
from hpp.decide.place import Place
from hpp.decide.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hpp.core.interview import Interview
    from hpp.core.reply import Reply
    from hpp.decide.question import Question
    from hpp.decide.suite import Case, Suite

__all__ = ["ask", "replay", "request_line"]

_ANSWER = "the answer"
_MOST_CHARS = 300


def ask(
    suite: Suite, interview: Interview, tell: Callable[[int, int], None] | None = None
) -> list[Verdict]:
    """Return the verdict of every case, asking a program.

    Args:
        suite: What is asked.
        interview: How the program is asked.
        tell: Called with the number of answers so far and of all cases.

    Raises:
        RefusedError: The program cannot be run safely (a batch file on Windows).
        InterruptedRunError: A signal came; nothing is left running.

    """
    if tell is not None:
        interview.tell = tell
    questions = [request_line(suite.question, case.state) for case in suite.cases]
    return interview.answers(questions, lambda number, reply: _judged(suite, number, reply))


def replay(suite: Suite) -> list[Verdict]:
    """Return the verdict of every case, out of the record that the suite holds of it."""
    return [
        Verdict.failed(case, "there is no record to replay")
        if case.record.is_absent
        else _read(suite.question, case, Place(case.record.value, "record"))
        for case in suite.cases
    ]


def request_line(question: Question, state: str) -> bytes:
    """Return what a program is sent: question and state on one line, without its end.

    Neither the id of the case nor the right answer is in it. ASCII alone, so that no
    encoding of the program's standard input can spoil it.
    """
    request = {"question": question.document(), "state": state}
    return json.dumps(request, sort_keys=True, allow_nan=False).encode("ascii")


def _judged(suite: Suite, number: int, reply: Reply) -> Verdict:
    case = suite.cases[number]
    fault = reply.fault()
    if fault is not None:
        return Verdict.failed(case, fault)
    try:
        place = Place(parse_bytes(reply.text, _ANSWER, root=dict), _ANSWER)
    except JsonRefusedError as error:
        return Verdict.failed(case, f"it is no JSON object: {_shown(error.reason)}")
    return _read(suite.question, case, place)


def _read(question: Question, case: Case, place: Place) -> Verdict:
    try:
        decision = read_decision(place)
        if decision.question.sha256 != question.sha256:
            place.at("question").refuse("it is another question than the suite's")
        if decision.state_sha256 != hashlib.sha256(case.state.encode()).hexdigest():
            place.at("state_sha256").refuse("it is about another state")
    except RefusedError as error:
        return Verdict.failed(case, _shown(str(error)))
    return Verdict.of(case, decision)


def _shown(text: str) -> str:
    return shorten(redact(text), _MOST_CHARS)
