"""A seat that only speaks has a turn; one that touches anything has none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = subprocess.CompletedProcess[str]
    Call = Callable[..., Run]

SEATS = [
    {"id": "ada", "role": "examiner", "provider": "red", "model_served": "red-model-1.0",
     "family": "red", "lane": "lane-ada"},
    {"id": "bob", "role": "dissent", "provider": "blue", "model_served": "blue-model-1.0",
     "family": "blue", "lane": "lane-bob"},
    {"id": "cyd", "role": "examiner", "provider": "lime", "model_served": "lime-model-1.0",
     "family": "lime", "lane": "lane-cyd"},
    {"id": "jo", "role": "judge", "provider": "green", "model_served": "green-model-1.0",
     "family": "green", "lane": "lane-jo"},
]  # fmt: skip
PANEL = {
    "schema": "hpp.panel/v1", "id": "p", "session_type": "review", "state_sha256": "0" * 64,
    "question": {"id": "risk", "kind": "choice", "options": ["low", "high"], "ladder": True,
                 "instructions": "How risky?", "criteria": None},
    "seats": SEATS, "budget": {"max_rounds": 2, "max_chars": 6000},
}  # fmt: skip
ANSWER = {"position": "low", "claims": [{"kind": "opinion", "refs": []}], "text": "It is small."}


@pytest.fixture
def speak(run: Call, repository: Path, tmp_path: Path) -> Call:
    """Return a runner of a seat that runs Python text."""
    (repository / ".gitignore").write_text("*.log\n")
    (tmp_path / "panel.json").write_text(json.dumps(PANEL))
    (tmp_path / "out").mkdir()

    def seat(code: str, *words: object, name: str = "ada", number: int = 1) -> Run:
        return run(
            "scripts/house_session.py", "seat", "--panel", tmp_path / "panel.json", "--seat", name,
            "--round", number, "--out", tmp_path / "out", *words, "--", "python3", "-c", code,
        )  # fmt: skip

    return seat


def says(answer: object) -> str:
    return f"import sys; sys.stdin.read(); print({json.dumps(answer)!r})"


def test_a_seat_that_speaks_has_a_turn(speak: Call, tmp_path: Path) -> None:
    done = speak(says(ANSWER))

    assert done.returncode == 0, done.stderr
    turn = json.loads((tmp_path / "out" / "ada-r1.turn.json").read_bytes())
    assert (turn["seat"], turn["position"], turn["chars"]) == ("ada", "low", 12)
    assert (tmp_path / "out" / "ada-r1.txt").read_text() == "It is small."
    assert speak(says(ANSWER)).returncode == 2


@pytest.mark.parametrize(
    "deed",
    ["open('new.txt', 'w')", "open('a.log', 'w')", "open('src/a.py', 'a').write('x')",
     "__import__('subprocess').run(['git', 'branch', 'b'])",
     "__import__('subprocess').run(['git', 'config', 'a.b', 'c'])"],
    ids=["a file", "an ignored file", "an edit", "a branch", "a setting"],
)  # fmt: skip
def test_a_seat_that_touches_anything_has_none(speak: Call, tmp_path: Path, deed: str) -> None:
    done = speak(f"{deed}; {says(ANSWER)}")

    assert done.returncode == 2
    assert "it has no turn" in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    "code", ["raise SystemExit(3)", "import time; time.sleep(60)"], ids=["fails", "hangs"]
)
def test_a_seat_that_fails_has_not_judged(speak: Call, tmp_path: Path, code: str) -> None:
    done = speak(code, "--timeout", 1)

    assert (done.returncode, "not judged" in done.stderr) == (1, True)
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    "answer",
    [{**ANSWER, "text": " "}, {**ANSWER, "note": 1}, {"position": "low"}, [ANSWER],
     {**ANSWER, "position": "medium"}, {**ANSWER, "text": '{"schema": "hpp.findings/v1"}'}],
    ids=["empty", "a key too many", "a key too few", "a list", "no option", "bad findings"],
)  # fmt: skip
def test_an_answer_of_another_shape_is_refused(speak: Call, tmp_path: Path, answer: object) -> None:
    assert speak(says(answer)).returncode == 2
    assert list((tmp_path / "out").iterdir()) == []


def test_what_can_be_refused_is_refused_before_anything_runs(
    speak: Call, repository: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "ran"
    code = f"open({str(mark)!r}, 'w')"
    refused = [
        speak(code, name="jo"), speak(code, name="nobody"), speak(code, number=3),
        speak(code, "--seen", "0" * 64), speak(code, "--subject", "none"),
        speak(code, "--out", repository), speak(code, "--worktree-of-maker", repository),
        speak(code, "--panel", "none.json"),
    ]  # fmt: skip

    assert [done.returncode for done in refused] == [2] * 8
    assert not mark.exists()


def test_the_self_test_holds(run: Call) -> None:
    done = run("scripts/house_session.py", "--self-test")

    assert done.returncode == 0, done.stdout


def test_control_a_turn_would_be_seen(tmp_path: Path, speak: Call) -> None:
    assert speak(says(ANSWER)).returncode == 0

    with pytest.raises(AssertionError):
        assert list((tmp_path / "out").iterdir()) == []
