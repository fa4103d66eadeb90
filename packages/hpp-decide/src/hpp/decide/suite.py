"""A labelled suite ``hpp.decision-suite/v1``: one question, and states with what is right."""

from __future__ import annotations

import os

from hpp.core.canonical import sha256_hex
from hpp.core.document import read_input, shown_name
from hpp.core.strictjson import LARGE_LIMIT, parse_bytes
from hpp.core.text import shorten, utf8_path
from hpp.decide.place import ABSENT, Place
from hpp.decide.question import ABSTAIN, read_question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.decide.question import Question

__all__ = ["SCHEMA", "Case", "Suite", "parse_suite", "read_suite"]

SCHEMA = "hpp.decision-suite/v1"
DEFAULT_FLOOR = 0.6


class Case:
    """One labelled state.

    Attributes:
        id: Unique in its suite.
        state: The text to judge.
        expected: The right option, or ``abstain``.
        record: Where a recorded answer stands in the document, sound or not; may be absent.

    """

    __slots__ = ("expected", "id", "record", "state")

    def __init__(self, case_id: str, state: str, expected: str, record: Place) -> None:
        self.id = case_id
        self.state = state
        self.expected = expected
        self.record = record


class Suite:
    """A suite that keeps every rule.

    Attributes:
        name, version: How it calls itself; `version` may be None.
        sha256: Of its file's bytes.
        question: What is asked about every state.
        confidence_floor: From here on a wrong answer counts as confident; None: never.
        cases: At least one, in the order of the file.

    """

    __slots__ = ("cases", "confidence_floor", "name", "question", "sha256", "version")

    def __init__(  # noqa: PLR0913 -- one value a key of the document
        self,
        *,
        name: str,
        version: str | None,
        sha256: str,
        question: Question,
        confidence_floor: float | None,
        cases: list[Case],
    ) -> None:
        self.name = name
        self.version = version
        self.sha256 = sha256
        self.question = question
        self.confidence_floor = confidence_floor
        self.cases = cases


def read_suite(path: str) -> Suite:
    """Return the suite of a file, ``-`` for standard input.

    Raises:
        RefusedError: It cannot be read, breaks a rule, or a state looks like it holds a
            secret; the case is named, the text never.

    """
    data = read_input(path, limit=LARGE_LIMIT)
    stem = "stdin" if path == "-" else os.path.splitext(os.path.basename(path))[0]
    return parse_suite(data, shown_name(path), utf8_path(stem))


def parse_suite(data: bytes, name: str, stem: str) -> Suite:
    """Return the suite of a document.

    Args:
        data: Its bytes.
        name: Names it in messages.
        stem: Name of the suite when it gives itself none.

    Raises:
        RefusedError: As `read_suite`.

    """
    root = Place(parse_bytes(data, name, root=dict), name)
    root.at("schema").exactly(SCHEMA)
    question = read_question(root.at("question"))
    suite_name, version = root.at("name"), root.at("version")
    cases = _cases(root.at("cases"), question)
    suite = Suite(
        name=stem if suite_name.is_absent else suite_name.string(),
        version=None if version.is_none else version.string(),
        sha256=sha256_hex(data),
        question=question,
        confidence_floor=_floor(root.at("confidence_floor")),
        cases=cases,
    )
    _check_secrets(root.at("cases"), cases)
    return suite


def _floor(place: Place) -> float | None:
    if place.is_absent:
        return DEFAULT_FLOOR
    return None if place.value is None else place.share()


def _cases(place: Place, question: Question) -> list[Case]:
    answers = (*question.options, ABSTAIN)
    seen: dict[str, int] = {}
    cases = []
    for number, raw in enumerate(place.items(1, of="cases")):
        identity = raw.at("id")
        case_id = identity.text()
        first = seen.setdefault(case_id, number)
        if first != number:
            identity.refuse(f'"{shorten(case_id, 40)}" is the id of case {first} already')
        state = raw.at("state").string()
        expected = raw.at("expected").choice(answers)
        cases.append(Case(case_id, state, expected, raw.at("record")))
    return cases


def _check_secrets(place: Place, cases: list[Case]) -> None:
    from hpp.core.secret import first_kind

    for number, case in enumerate(cases):
        kind = first_kind(case.state)
        if kind is not None:
            where = Place(ABSENT, place.name, (*place.steps, number, "state"))
            where.refuse(f'secret-like text ({kind}) in case "{shorten(case.id, 40)}"')
