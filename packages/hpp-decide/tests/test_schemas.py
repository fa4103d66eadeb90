"""Each published schema and the reader of its document come to one verdict.

A schema cannot say everything: that two ids differ after folding, or that a value is one of
the question's options. Those rules are named here, one by one; only they may part the two.
"""

from __future__ import annotations

import copy
import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.schema import checker, find_schema
from hpp.decide.comparison import read_report
from hpp.decide.decider import replay
from hpp.decide.decision import read_decision
from hpp.decide.evaluation import Evaluation
from hpp.decide.finding import read_review
from hpp.decide.gate import Demands
from hpp.decide.panel import read_panel
from hpp.decide.place import Place
from hpp.decide.rationale import read_rationale
from hpp.decide.route import parse_providers, parse_request
from hpp.decide.seal import broken_reason
from hpp.decide.suite import parse_suite
from hpp.decide.turn import read_turn

if TYPE_CHECKING:
    from collections.abc import Callable

    Make = Callable[..., Any]
    Read = Callable[[Any], object]

Data = Any  # hypothesis keeps the class to itself
# What only the reader can see, by document.
SEEN = "something can be seen"
QUESTION = (
    "it is not the hash of this question|the criterion of no option|the option .* is repeated"
)
ONLY_THE_READER = {
    "decision": (
        f"{SEEN}|{QUESTION}|the probability of no option|add up to|names whatever is current"
        r"|(declared|outcome.value): expected one of|outcome.probabilities.*: it is missing"
        r"|outcome.probabilities\.\w+: expected a number"
    ),
    "decision-suite": rf"{QUESTION}|is the id of case|secret-like|expected: expected one of",
    "panel": (
        f"{QUESTION}|fewer than two families|is the id of seat|is the lane of seat|another seat"
        "|names whatever is current|of the type design|not the hash of this panel|is repeated"
        "|of the type"
    ),
    "turn": (
        "turn of another panel|the judge takes no turn|the panel has no seat|not the hash of this"
        "|position: expected one of|round: expected an integer from 1 to 2"
    ),
    "rationale": "answers another panel|author: expected|nobody dissents|is not answered|twice",
    "findings": f"{SEEN}|has the same code, file and line",
    "route-request": "(?!)",
    "route-providers": "is the id of",
}
JUNK = st.sampled_from(
    [None, True, False, 0, 1, -1, 3, 1.0, 0.5, 2**60, "", " ", "\u200b", "x", "a" * 64,
     "a" * 64 + "\n", "latest", [], ["x"], [""], [1], {}, {"x": 1}]
)  # fmt: skip


def places(value: Any, steps: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:  # noqa: ANN401 -- JSON
    found = [steps]
    if isinstance(value, (dict, list)):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            found += places(inner, (*steps, key))
    return found


@st.composite
def mutations(draw: Any, document: Any) -> Any:  # noqa: ANN401 -- JSON
    """Draw a document with one value replaced, removed, repeated or added."""
    made = copy.deepcopy(document)
    steps = draw(st.sampled_from(places(made)[1:]))
    holder = made
    for step in steps[:-1]:
        holder = holder[step]
    kind = draw(st.sampled_from(["replace", "remove", "add", "repeat"]))
    if kind == "remove":
        del holder[steps[-1]]
    elif kind == "repeat" and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[steps[-1]]))
    elif kind == "add" and isinstance(holder, dict):
        holder["another"] = draw(JUNK)
    else:
        holder[steps[-1]] = draw(JUNK)
    return made


@pytest.fixture(scope="session")
def documents(  # noqa: PLR0913, PLR0917 -- fixtures
    decision: Make, suite: Make, case: Make, panel: Make, turn: Make, rationale: Make
) -> dict[str, tuple[Any, Read]]:
    """Return of each input document a sound one and its reader."""
    question = {
        "id": "risk",
        "kind": "choice",
        "options": ["low", "medium", "high"],
        "ladder": True,
        "instructions": "i",
        "criteria": {"low": "c"},
    }
    full = decision(
        question=question,
        method="external-model",
        declared="low",
        outcome__confidence=0.5,
        outcome__probabilities={"low": 0.2, "medium": 0.3, "high": 0.5},
        outcome__error=None,
        provider={"id": "p", "model_served": "m-1"},
        raw_response_sha256="a" * 64,
        usage={"tokens": 1},
    )
    labelled = suite(case("x", "low", None), case("y", "abstain", None), confidence_floor=0.5)
    evidence = {"ids": ["r1"], "sources": [{"kind": "context", "sha256": "a" * 64, "id": "r1"}]}
    made = panel(evidence=evidence)
    owner = read_panel(Place(made, "p"))
    claims = [{"kind": "fact", "refs": ["r1"]}, {"kind": "opinion", "refs": []}]
    review = {
        "schema": "hpp.findings/v1",
        "lens": "deletion",
        "subject_sha256": "a" * 64,
        "inspected": ["src/"],
        "findings": [
            {
                "code": "DEAD_CALL",
                "severity": "low",
                "file": "x.py",
                "line": 3,
                "claim": "c",
                "evidence": ["e"],
                "fix": "f",
            }
        ],
    }
    provider = {"id": "a", "tiers": ["economy"], "stages": ["build"], "max_context": 9}
    return {
        "decision": (full, lambda d: read_decision(Place(d, "d"))),
        "decision-suite": (
            {**labelled, "name": "n", "version": None},
            lambda d: parse_suite(json.dumps(d).encode(), "d", "stem"),
        ),
        "panel": (made, lambda d: read_panel(Place(d, "d"))),
        "turn": (
            turn(made, "a", 2, "high", "r1", claims=claims, seen_turns=["b" * 64]),
            lambda d: read_turn(Place(d, "d"), owner),
        ),
        "rationale": (
            rationale(made, "low"),
            lambda d: read_rationale(Place(d, "d"), owner, ["low"]),
        ),
        "findings": (review, lambda d: read_review(Place(d, "d"))),
        "route-request": (
            {"stage": "build", "risk": "low", "complexity": "low", "context": 1},
            lambda d: parse_request(d, "d"),
        ),
        "route-providers": ([provider, {**provider, "id": "b"}], lambda d: parse_providers(d, "d")),
    }


NAMES = sorted(ONLY_THE_READER)
CHECKERS = {
    name: checker(find_schema(name).document())
    for name in (*NAMES, "decision-eval", "deliberation")
}


@pytest.mark.parametrize("name", NAMES)
def test_a_sound_document_is_sound_to_both(
    documents: dict[str, tuple[Any, Read]], name: str
) -> None:
    document, read = documents[name]

    read(document)
    assert CHECKERS[name].faults(document) == []


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_schema_and_reader_agree(
    documents: dict[str, tuple[Any, Read]],
    name: str,
    data: Data,
) -> None:
    document, read = documents[name]
    mutated = data.draw(mutations(document))
    told = None
    try:
        read(mutated)
    except RefusedError as error:
        told = str(error)

    found = CHECKERS[name].faults(mutated)

    if told is None:
        assert found == []
    elif not found:
        assert re.search(ONLY_THE_READER[name], told), told


def test_every_schema_is_published_and_named_for_its_file() -> None:
    folder = files("hpp.decide").joinpath("schemas")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".json"))

    assert len(names) == 18
    for name in names:
        document = find_schema(name.removesuffix(".json")).document()
        assert document["$id"] == f"urn:hpp:{name.removesuffix('.json')}:v1"
        assert document["title"]
        assert document["description"].endswith(".")


OUTCOMES = st.sampled_from(["low", "medium", "high", "abstain", None])
CONFIDENCES = st.none() | st.sampled_from([0, 0.25, 0.5, 0.6, 1.0])


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(OUTCOMES, OUTCOMES.filter(bool), CONFIDENCES), min_size=1, max_size=5),
    st.none() | st.sampled_from([0.0, 0.6, 1]),
)
def test_every_report_keeps_its_schema_and_can_be_compared(
    suite: Make, case: Make, rows: list[tuple[str | None, str, float | None]], floor: float | None
) -> None:
    cases = [
        case(f"c{n}", expected, answer, confidence=confidence)
        for n, (answer, expected, confidence) in enumerate(rows)
    ]
    made = suite(*cases, confidence_floor=floor)
    parsed = parse_suite(json.dumps(made).encode(), "s", "s")

    report = json.loads(json.dumps(Evaluation(parsed, replay(parsed), Demands()).document()))

    assert CHECKERS["decision-eval"].faults(report) == []
    read_report(Place(report, "r"))


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_record_that_is_intact_keeps_its_schema(
    data: Data,
    panel: Make,
    turns: Make,
    judge: Make,
) -> None:
    from hpp.decide.deliberation import conclude
    from hpp.decide.place import ABSENT
    from hpp.decide.session import read_session

    made = panel(budget__max_rounds=1)
    word = st.sampled_from(["high", "low/", "abstain", "-"])
    words = data.draw(st.tuples(word, word, word).map(" ".join).filter(lambda w: w != "- - -"))
    session = read_session(Place(turns(made, words), "t").items(), read_panel(Place(made, "p")))
    asked = ABSENT if session.stop.reason == "not-judged" else judge("high")
    record = conclude(session, Place(asked, "j"), Place(ABSENT, "r")).document()

    assert broken_reason(record) is None
    assert CHECKERS["deliberation"].faults(record) == []


def test_control_the_schemas_refuse_what_breaks_them(
    documents: dict[str, tuple[Any, Read]],
) -> None:
    for name, (document, _) in documents.items():
        assert CHECKERS[name].faults([] if isinstance(document, dict) else {}) != []
