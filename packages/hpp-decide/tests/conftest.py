"""Fixtures of the tests of hpp-decide."""

from __future__ import annotations

import copy
import hashlib
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hpp.decide.command import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., tuple[int, Any, str]]
    Make = Callable[..., Any]

QUESTION: dict[str, Any] = {
    "id": "risk",
    "kind": "choice",
    "options": ["low", "medium", "high"],
    "ladder": True,
}
STATE_SHA256 = hashlib.sha256(b"state").hexdigest()
RAW = hashlib.sha256(b"raw").hexdigest()
SEATS = [
    ("a", "examiner", "fa"),
    ("b", "examiner", "fb"),
    ("c", "dissent", "fa"),
    ("j", "judge", "fj"),
]
DECIDER = """
import hashlib, json, sys
for line in sys.stdin:
    request = json.loads(line)
    words = request["state"].split()
    outcome = {"status": "recommendation", "value": words[0]}
    if len(words) > 1:
        outcome["confidence"] = float(words[1])
    if words[0] == "abstain":
        outcome = {"status": "abstention"}
    if words[0] == "crash":
        sys.exit("bad day")
    print(json.dumps({
        "schema": "hpp.decision/v1", "question": request["question"],
        "state_sha256": hashlib.sha256(request["state"].encode()).hexdigest(),
        "method": "replay", "authority": "advisory", "direction": "informational",
        "outcome": outcome,
    }), flush=True)
"""


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def program(capfdbinary: pytest.CaptureFixture[bytes]) -> Call:
    """Return a caller of the program: exit status, parsed output or None, messages."""

    def call(*words: str) -> tuple[int, Any, str]:
        code = main(list(words))
        captured = capfdbinary.readouterr()
        answer = json.loads(captured.out) if captured.out else None
        if answer is None:
            assert code in (2, 3)
        return code, answer, captured.err.decode()

    return call


@pytest.fixture
def put(workspace: Path) -> Callable[[str, object], str]:
    """Return a writer of JSON files."""

    def write(name: str, value: object) -> str:
        (workspace / name).write_text(json.dumps(value), encoding="utf-8")
        return name

    return write


@pytest.fixture(scope="session")
def digest() -> Callable[[object], str]:
    """Return a hash of canonical JSON that shares no code with the one under test."""

    def hashed(value: object) -> str:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    return hashed


@pytest.fixture(scope="session")
def decision() -> Make:
    """Return a maker of decision records; a key with a dot changes a value further in."""

    def make(**changes: object) -> dict[str, Any]:
        record: dict[str, Any] = {
            "schema": "hpp.decision/v1",
            "question": copy.deepcopy(QUESTION),
            "state_sha256": STATE_SHA256,
            "method": "replay",
            "authority": "advisory",
            "direction": "raise-only",
            "outcome": {"status": "recommendation", "value": "high"},
        }
        return _changed(record, changes)

    return make


@pytest.fixture(scope="session")
def case(decision: Make) -> Make:
    """Return a maker of cases of a suite, each with the record of an answer."""

    def make(name: str, expected: str, answer: str | None, **outcome: object) -> dict[str, Any]:
        told = {"status": "recommendation", "value": answer, **outcome}
        if answer == "abstain":
            told = {"status": "abstention"}
        made: dict[str, Any] = {"id": name, "state": name, "expected": expected}
        if answer is not None:
            hashed = hashlib.sha256(name.encode()).hexdigest()
            made["record"] = decision(state_sha256=hashed, outcome=told)
        return made

    return make


@pytest.fixture(scope="session")
def suite() -> Make:
    """Return a maker of suites."""

    def make(*cases: dict[str, Any], **changes: object) -> dict[str, Any]:
        made = {"schema": "hpp.decision-suite/v1", "question": QUESTION, "cases": list(cases)}
        return _changed(made, changes)

    return make


@pytest.fixture(scope="session")
def decider() -> list[str]:
    """Return a program that answers with the first word of a state, in both protocols."""
    return [sys.executable, "-c", DECIDER]


@pytest.fixture(scope="session")
def panel() -> Make:
    """Return a maker of panels."""

    def make(**changes: object) -> dict[str, Any]:
        made: dict[str, Any] = {
            "schema": "hpp.panel/v1",
            "id": "p1",
            "session_type": "review",
            "question": copy.deepcopy(QUESTION),
            "state_sha256": STATE_SHA256,
            "seats": [
                {
                    "id": name,
                    "role": role,
                    "provider": f"p{name}",
                    "model_served": f"m-{name}",
                    "family": family,
                    "lane": f"l{name}",
                }
                for name, role, family in SEATS
            ],
            "budget": {"max_rounds": 2, "max_chars": 1000},
        }
        return _changed(made, changes)

    return make


@pytest.fixture(scope="session")
def panel_sha256(digest: Callable[[object], str]) -> Callable[[dict[str, Any]], str]:
    """Return the hash of a panel, written out independently."""

    def hashed(made: dict[str, Any]) -> str:
        question = {"instructions": None, "criteria": None, "ladder": False, **made["question"]}
        return digest({**made, "question": {**question, "sha256": digest(question)}})

    return hashed


@pytest.fixture(scope="session")
def turn(panel_sha256: Callable[[dict[str, Any]], str]) -> Make:
    """Return a maker of turns: of a panel, a seat, a round, a position and what it cites."""

    def make(
        made: dict[str, Any],
        seat: str,
        number: int,
        position: str,
        refs: str = "r1",
        /,
        **changes: object,
    ) -> dict[str, Any]:
        claims = [{"kind": "fact", "refs": refs.split()}] if refs else []
        spoken: dict[str, Any] = {
            "schema": "hpp.turn/v1",
            "panel_sha256": panel_sha256(made),
            "seat": seat,
            "round": number,
            "position": position,
            "confidence": None,
            "claims": claims,
            "text_sha256": hashlib.sha256(f"{seat}{number}".encode()).hexdigest(),
            "chars": 10,
            "seen_turns": [],
        }
        return _changed(spoken, changes)

    return make


@pytest.fixture(scope="session")
def turns(turn: Make) -> Make:
    """Return a maker of sessions out of words such as ``high low/r9 -``, one for each seat.

    A word is a position and what its fact cites, ``r1`` when nothing is said; ``low/`` cites
    nothing, and ``-`` is a seat that says nothing. One text is one round.
    """

    def make(made: dict[str, Any], *rounds: str) -> list[dict[str, Any]]:
        seats = [seat["id"] for seat in made["seats"] if seat["role"] != "judge"]
        spoken = []
        for number, words in enumerate(rounds, 1):
            for seat, word in zip(seats, words.split(), strict=True):
                position, slash, refs = word.partition("/")
                if word != "-":
                    cited = refs.replace("+", " ") if slash else "r1"
                    spoken.append(turn(made, seat, number, position, cited))
        return spoken

    return make


@pytest.fixture(scope="session")
def judge(decision: Make) -> Make:
    """Return a maker of the record of the judge of `panel`."""

    def make(value: str | None = "high", **changes: object) -> dict[str, Any]:
        outcome: dict[str, Any] = {"status": "recommendation", "value": value, "confidence": 0.9}
        if value is None:
            outcome = {"status": "abstention"}
        record: dict[str, Any] = decision(
            method="external-model",
            direction="informational",
            outcome=outcome,
            provider={"id": "pj", "model_served": "m-j"},
            raw_response_sha256=RAW,
        )
        return _changed(record, changes)

    return make


@pytest.fixture(scope="session")
def rationale(panel_sha256: Callable[[dict[str, Any]], str]) -> Make:
    """Return a maker of rationales that answer some positions."""

    def make(made: dict[str, Any], *positions: str, **changes: object) -> dict[str, Any]:
        text = {"text_sha256": RAW, "chars": 3}
        written: dict[str, Any] = {
            "schema": "hpp.rationale/v1",
            "panel_sha256": panel_sha256(made),
            "author": "j",
            "steelman": [{"position": position, **text} for position in positions],
            "would_change_if": [text],
        }
        return _changed(written, changes)

    return make


@pytest.fixture(scope="session")
def changed() -> Make:
    """Return a function that copies a document with some values changed or dropped."""
    return _changed


class _Dropped:
    """Stands for a key that goes away."""


@pytest.fixture(scope="session")
def dropped() -> object:
    """Return what drops a key when it is given as its change."""
    return _Dropped


def _changed(document: dict[str, Any], changes: dict[str, object]) -> dict[str, Any]:
    made = copy.deepcopy(document)
    for path, value in changes.items():
        *steps, last = path.split("__")
        holder: Any = made
        for step in steps:
            holder = holder[int(step)] if isinstance(holder, list) else holder[step]
        key = int(last) if isinstance(holder, list) else last
        if value is _Dropped:
            del holder[key]
        elif isinstance(holder, list) and key == len(holder):
            holder.append(value)
        else:
            holder[key] = value
    return made
