from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.schema import faults, find_schema
from hpp.decide.command import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., tuple[int, Any, str]]
    Make = Callable[..., dict[str, Any]]
    Put = Callable[[str, object], str]


@pytest.fixture
def five(suite: Make, case: Make, put: Put) -> str:
    """Return a suite of five recorded answers, one of them missing."""
    return put(
        "five.json",
        suite(
            case("a", "low", "low", confidence=0.9),
            case("b", "high", "low", confidence=0.5),
            case("c", "abstain", "abstain"),
            case("d", "low", "abstain"),
            case("e", "low", None),
            name="five",
            version="1",
        ),
    )


def test_a_replay_is_reported_and_keeps_its_schema(program: Call, five: str) -> None:
    code, report, _ = program("decide", "eval", five)

    assert code == 1
    assert faults(find_schema("decision-eval").document(), report) == []
    assert report["schema"] == "hpp.decision-eval/v1"
    assert report["suite"]["name"] == "five"
    assert report["decider"] == {"mode": "replay", "command": None}
    assert [(c["id"], c["status"], c["value"], c["correct"]) for c in report["cases"]] == [
        ("a", "recommendation", "low", True),
        ("b", "recommendation", "low", False),
        ("c", "abstention", None, True),
        ("d", "abstention", None, False),
        ("e", "instrument-failure", None, None),
    ]
    assert report["cases"][4]["error"] == "there is no record to replay"
    assert "error" not in report["cases"][0]
    assert report["gate"] == {
        "passed": False,
        "reason": "1 instrument failure, at most 0 allowed",
        "min_selective_accuracy": 0.9,
        "min_coverage": 0.5,
        "max_confident_errors": 0,
        "max_failures": 0,
    }


def test_the_word_of_the_program_may_be_left_out(program: Call, five: str) -> None:
    assert program("eval", five) == program("decide", "eval", five)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--max-failures", "1"], 1),
        (["--max-failures", "1", "--min-selective-accuracy", "0.5"], 0),
        (["--max-failures", "1", "--min-selective-accuracy", "0.5000000000000000000001"], 1),
        (["--max-failures=1", "--min-selective-accuracy=5e-1", "--min-coverage", "0.6"], 1),
    ],
)
def test_the_demands_decide_the_status(
    program: Call, five: str, options: list[str], code: int
) -> None:
    assert program("decide", "eval", five, *options)[0] == code


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (["--timeout", "0"], 2, "--timeout 0"),
        (["--timeout", "-1"], 2, "--timeout -1"),
        (["--timeout", "nan"], 2, "--timeout"),
        (["--timeout", "inf"], 2, "--timeout"),
        (["--timeout", "86401"], 2, "--timeout 86401"),
        (["--timeout", "soon"], 3, "--timeout"),
        (["--min-selective-accuracy", "nan"], 2, "--min-selective-accuracy"),
        (["--min-selective-accuracy", "1.1"], 2, "--min-selective-accuracy"),
        (["--min-coverage", "-0.1"], 2, "--min-coverage"),
        (["--min-coverage", "half"], 3, "--min-coverage"),
        (["--min-coverage", ""], 3, "--min-coverage"),
        (["--max-failures", "-1"], 2, "--max-failures"),
        (["--max-failures", "1.0"], 3, "--max-failures"),
        (["--max-confident-errors", "-1"], 2, "--max-confident-errors"),
        (["--decider-command", ""], 2, "--decider-command"),
        (["--decider-command", "[]"], 2, "--decider-command"),
        (["--decider-command", "{}"], 2, "--decider-command"),
        (["--decider-command", "python d.py"], 2, "--decider-command"),
        (["--decider-command", '["python", ""]'], 2, "--decider-command: [1]"),
        (["--decider-command", '["python", 7]'], 2, "--decider-command: [1]"),
        (["--decider-command", '["a\\u0000b"]'], 2, "NUL"),
        (["--decider-command", '["a", "--api-key", "abc123"]'], 2, "secret-like"),
        (["--protocol", "jsonl"], 2, "--decider-command"),
        (["--protocol", "xml"], 3, "--protocol"),
        (["--decider", "[]"], 3, "unknown option --decider"),
        (["--timeout", "1", "--timeout", "2"], 3, "--timeout is given twice"),
    ],
)
def test_an_option_that_cannot_be_is_named(
    program: Call, five: str, options: list[str], code: int, told: str
) -> None:
    found, printed, message = program("decide", "eval", five, *options)

    assert (found, printed) == (code, None)
    assert told in message
    assert "abc123" not in message


def test_nothing_runs_for_a_suite_that_is_refused(
    program: Call,
    suite: Make,
    case: Make,
    put: Put,
    workspace: Path,
) -> None:
    secret = {**case("b", "low", None), "state": "password: hunter2"}
    made = put("s.json", suite(case("a", "low", None), secret))
    touch = json.dumps([sys.executable, "-c", "open('ran', 'w').close()"])

    code, _, message = program("decide", "eval", made, "--decider-command", touch)

    assert code == 2
    assert 'case "b"' in message
    assert "hunter2" not in message
    assert not (workspace / "ran").exists()


@pytest.mark.parametrize("protocol", ["process", "jsonl"])
def test_a_declared_decider_is_asked(  # noqa: PLR0913, PLR0917 -- fixtures
    program: Call, suite: Make, case: Make, put: Put, decider: list[str], protocol: str
) -> None:
    cases = [{**case(state, "low", None), "state": state} for state in ("low 0.8", "abstain")]
    made = put("s.json", suite(*cases))
    command = json.dumps(decider)

    code, report, _ = program(
        "decide", "eval", made, "--decider-command", command, "--protocol", protocol
    )

    assert code == 0
    assert faults(find_schema("decision-eval").document(), report) == []
    assert report["decider"] == {
        "mode": "jsonl" if protocol == "jsonl" else "command",
        "command": decider,
    }
    assert [c["confidence"] for c in report["cases"]] == [0.8, None]
    assert report["metrics"]["calibration"]["error"] == 0.2


def test_when_every_case_fails_nothing_is_zero_percent(
    program: Call, suite: Make, case: Make, put: Put
) -> None:
    made = put("s.json", suite(case("a", "low", None), case("b", "high", None)))
    html = json.dumps([sys.executable, "-c", "print('<html>')"])

    code, report, _ = program("decide", "eval", made, "--decider-command", html)

    assert code == 1
    assert report["metrics"]["selective_accuracy"] is None
    assert report["gate"]["reason"] == "nothing was decided: 0 abstentions, 2 instrument failures"


@pytest.mark.parametrize("file", ["nope.json", "bad.json", "list.json", "."])
def test_a_file_that_cannot_be_read_is_named(
    program: Call,
    workspace: Path,
    file: str,
) -> None:
    (workspace / "bad.json").write_text("{", encoding="utf-8")
    (workspace / "list.json").write_text("[]", encoding="utf-8")

    for words in (["validate"], ["eval"], ["compare", file]):
        code, _, message = program("decide", *words, file)
        assert code == 2
        assert message.startswith(f"hpp: {file}")


def test_control_the_whole_program_says_what_it_can(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capfd.readouterr().out
    for word in ("validate", "eval", "compare", "deliberate verify", "findings check", "route"):
        assert word in shown
