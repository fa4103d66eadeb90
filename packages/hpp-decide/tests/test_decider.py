"""Deciders that misbehave are counted and named, and hold nothing up."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.interview import Interview
from hpp.decide.decider import ask, replay, request_line
from hpp.decide.suite import parse_suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hpp.decide.suite import Suite
    from hpp.decide.verdict import Verdict

    Make = Callable[..., dict[str, Any]]

BOTH = pytest.mark.parametrize("protocol", ["process", "jsonl"])
WAIT_S = 0.5


@pytest.fixture
def ready(suite: Make) -> Callable[..., Suite]:
    """Return a maker of suites of states, each expecting ``low``."""

    def make(*states: str) -> Suite:
        cases = [{"id": f"c{n}", "state": s, "expected": "low"} for n, s in enumerate(states)]
        return parse_suite(json.dumps(suite(*cases)).encode(), "s.json", "s")

    return make


def asked(suite: Suite, code: str, protocol: str, timeout_s: float = 20) -> list[Verdict]:
    argv = [sys.executable, "-c", code]
    return ask(suite, Interview(argv, timeout_s=timeout_s, protocol=protocol))


# What a program prints in place of a record, and how the failure is told.
PRINTED = [
    ("print('<html><body>502 Bad Gateway</body></html>')", "no JSON object"),
    ("print('I do not know')", "no JSON object"),
    ("print('nao sei')", "no JSON object"),
    ("print('abstain')", "no JSON object"),
    ("print('null')", "no JSON object"),
    ("print('[]')", "no JSON object"),
    ("print('0')", "no JSON object"),
    ("print('{}')", "schema: expected"),
    ('print(\'{"status": "abstention"}\')', "schema: expected"),
    ('print(\'{"schema": "hpp.decision/v1", "schema": 1}\')', "is repeated"),
    ("print('{\"schema\": NaN}')", "NaN"),
    ('print(\'{"schema": "\\\\ud800"}\')', "lone surrogate"),
    ("print('[' * 100000)", "nested deeper"),
    ("sys.stdout.buffer.write(b'\\xff\\xfe{}\\n')", "UTF-16"),
    ('sys.stdout.buffer.write(b\'{"a": "\\xe9"}\\n\')', "not UTF-8"),
    ("print()", "printed nothing"),
    ("print('   ')", "printed nothing"),
]


@BOTH
@pytest.mark.parametrize(("code", "told"), PRINTED)
def test_what_is_no_record_is_a_failure_and_never_an_option(
    ready: Callable[..., Suite], protocol: str, code: str, told: str
) -> None:
    (verdict,) = asked(ready("x"), f"import sys\nsys.stdin.readline()\n{code}", protocol)

    assert (verdict.status, verdict.value) == ("instrument-failure", None)
    assert told in (verdict.error or "")


@BOTH
@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("", "before it answered|printed nothing"),
        ("import sys; sys.exit(3)", "exit code 3 before it answered: no stderr"),
        ("import sys; sys.exit('bad day')", "exit code 1 before it answered: bad day"),
        (
            "import sys; sys.exit('api_key=abcd1234efgh5678')",
            "stderr withheld: secret-like text",
        ),
        ("import sys; sys.stdout.write('{'); sys.exit(4)", "exit code 4"),
    ],
)
def test_a_program_that_ends_is_told_with_its_last_words(
    ready: Callable[..., Suite], protocol: str, code: str, told: str
) -> None:
    (verdict,) = asked(ready("x"), code, protocol)

    assert verdict.status == "instrument-failure"
    assert any(each in (verdict.error or "") for each in told.split("|"))
    assert "abcd1234" not in (verdict.error or "")


@BOTH
@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(60)",
        "import sys, time; sys.stdin.readline(); print('{', end='', flush=True); time.sleep(60)",
    ],
)
def test_one_that_never_answers_is_stopped_at_the_limit(
    ready: Callable[..., Suite], protocol: str, code: str
) -> None:
    first, second = asked(ready("x", "y"), code, protocol, WAIT_S)

    for verdict in (first, second):
        assert (verdict.status, verdict.error) == ("instrument-failure", "no answer within 0.5 s")


@BOTH
def test_megabytes_are_cut_off(ready: Callable[..., Suite], protocol: str) -> None:
    code = (
        "import sys\nsys.stdin.readline()\n"
        "for _ in range(20): sys.stdout.write('x' * 1024 * 1024)\nprint()"
    )

    (verdict,) = asked(ready("x"), code, protocol)

    assert (verdict.status, verdict.error) == (
        "instrument-failure",
        "it printed more than 8 MiB",
    )


@BOTH
def test_one_that_cannot_start_fails_every_case(ready: Callable[..., Suite], protocol: str) -> None:
    verdicts = ask(ready("x", "y"), Interview(["./nope"], timeout_s=5, protocol=protocol))

    assert [v.status for v in verdicts] == ["instrument-failure"] * 2
    assert all("could not start" in (v.error or "") for v in verdicts)


@BOTH
def test_a_crash_costs_one_case_and_the_others_are_answered(
    ready: Callable[..., Suite], decider: list[str], protocol: str
) -> None:
    suite = ready("low", "crash", "high 0.7", "abstain", "crash", "low")

    verdicts = ask(suite, Interview(decider, timeout_s=20, protocol=protocol))

    shown = [(v.status, v.value, v.confidence, v.correct) for v in verdicts]
    crashed = ("instrument-failure", None, None, None)
    assert shown == [
        ("recommendation", "low", None, True),
        crashed,
        ("recommendation", "high", 0.7, False),
        ("abstention", None, None, False),
        crashed,
        ("recommendation", "low", None, True),
    ]


def test_lines_that_nobody_asked_for_spoil_every_answer_of_that_process(
    ready: Callable[..., Suite], decider: list[str]
) -> None:
    code = decider[2].replace("import hashlib", "print('hello', flush=True)\nimport hashlib")

    verdicts = asked(ready("low", "low"), code, "jsonl")

    assert all(v.status == "instrument-failure" for v in verdicts)


@BOTH
def test_what_is_sent_is_one_ascii_line_without_the_answer(
    ready: Callable[..., Suite],
    workspace: Path,
    protocol: str,
) -> None:
    code = (
        "import sys\nline = sys.stdin.buffer.readline()\n"
        "open('seen', 'wb').write(line)\nprint('{}')"
    )

    asked(ready("a\u00e7\u00e3o\n\u8868"), code, protocol)

    seen = (workspace / "seen").read_bytes()
    request = json.loads(seen.decode("ascii"))
    assert (seen.count(b"\n"), sorted(request)) == (1, ["question", "state"])
    assert request["state"] == "a\u00e7\u00e3o\n\u8868"
    assert request["question"]["sha256"].startswith("8ae9ee2f")
    assert "expected" not in request["question"]
    assert b"c0" not in seen


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"question__id": "other"}, "question: it is another question than the suite's"),
        ({"question__ladder": False, "direction": "informational"}, "question: it is another"),
        ({"state_sha256": "0" * 64}, "state_sha256: it is about another state"),
        ({"authority": "binding"}, "authority: expected"),
        ({"outcome__value": "LOW"}, "outcome.value: expected one of low"),
    ],
)
def test_a_record_about_something_else_is_a_failure(
    suite: Make, case: Make, changed: Make, change: dict[str, Any], told: str
) -> None:
    entry = case("x", "low", "low")
    entry["record"] = changed(entry["record"], change)
    made = parse_suite(json.dumps(suite(entry)).encode(), "s.json", "s")

    (verdict,) = replay(made)

    assert verdict.status == "instrument-failure"
    assert told in (verdict.error or "")


def test_a_case_without_a_record_or_with_none_is_a_failure(suite: Make, case: Make) -> None:
    entries = [case("x", "low", None), {**case("y", "low", None), "record": 7}]
    made = parse_suite(json.dumps(suite(*entries)).encode(), "s.json", "s")

    assert [v.error for v in replay(made)] == [
        "there is no record to replay",
        "record: expected an object, got 7",
    ]


def test_a_failure_that_a_record_tells_of_is_one_and_shows_no_secret(
    suite: Make, case: Make
) -> None:
    error = "timeout; password: hunter2"
    entry = case("x", "low", "low", status="instrument-failure", value=None, error=error)
    made = parse_suite(json.dumps(suite(entry)).encode(), "s.json", "s")

    (verdict,) = replay(made)

    assert verdict.status == "instrument-failure"
    assert (verdict.error or "").startswith("the record says: timeout; password: ")
    assert "hunter2" not in (verdict.error or "")


def test_the_request_is_the_same_bytes_every_time(ready: Callable[..., Suite]) -> None:
    suite = ready("x")

    assert request_line(suite.question, "x") == request_line(suite.question, "x")


def test_control_a_sound_record_is_an_answer(suite: Make, case: Make) -> None:
    made = parse_suite(json.dumps(suite(case("x", "low", "low"))).encode(), "s.json", "s")

    assert [v.correct for v in replay(made)] == [True]
