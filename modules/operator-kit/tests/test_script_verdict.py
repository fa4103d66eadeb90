"""Scripts that decide: done, levels, pass@k, determinism, goals and their readiness."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.errors import RefusedError
from hpp.core.suite import parse_suite

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = subprocess.CompletedProcess[bytes]

DATA = Path(__file__).resolve().parent / "data"
SOURCE = Path(__file__).resolve().parents[1]
SCRIPTS = sorted(path.name for path in (SOURCE / "scripts").glob("*.py"))
YES = shlex.join([sys.executable, "-c", "pass"])
NO = shlex.join([sys.executable, "-c", "raise SystemExit(1)"])


@pytest.fixture
def said(run: Callable[..., Run]) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Return a caller of a script that reads its JSON report."""

    def call(script: str, *words: str, **more: Any) -> tuple[int, dict[str, Any]]:  # noqa: ANN401 -- as `run`
        done = run(f"scripts/{script}.py", *words, "--json", **more)
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)

    return call


@pytest.fixture
def status(run: Callable[..., Run]) -> Callable[..., int]:
    """Return a caller of a script that tells its status; nothing is ever a traceback."""

    def call(script: str, *words: str, **more: Any) -> int:  # noqa: ANN401 -- as `run`
        done = run(f"scripts/{script}.py", *words, **more)
        assert b"Traceback" not in done.stderr, done.stderr
        return done.returncode

    return call


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_passes_its_own_test_and_leaves_nothing(
    script: str, run: Callable[..., Run], project: Path
) -> None:
    done = run(f"scripts/{script}", "--self-test", CLAUDECODE="1", HPP_SESSION_ID="s")

    assert done.returncode == 0, (done.stdout, done.stderr)
    assert b", 0 failed" in done.stdout.splitlines()[-1]
    assert [path.name for path in project.iterdir()] == [".git"]


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_command_line_that_nobody_understands_is_3_and_help_is_0(
    script: str, run: Callable[..., Run]
) -> None:
    assert run(f"scripts/{script}", "--no-such-option").returncode == 3
    assert run(f"scripts/{script}", "--help").returncode == 0


def test_the_gate_keeps_its_table(status: Callable[..., int]) -> None:
    assert status("done_gate", YES) == 0
    assert status("done_gate", NO) == 1
    assert status("done_gate", YES, "--declare-partial", "x") == 1
    assert status("done_gate") == 2
    assert status("done_gate", YES, "--declare-partial", "") == 0
    assert status("done_gate", "./no-such-program") == 1


@pytest.mark.parametrize(
    "text",
    ["true && false", "true || false", "true; false", "true | false", "true $(false)", "true `x`",
     'true "$HOME"', "true > out", "true &", "test ! -e *.tmp", "true ~/x", "true\nfalse",
     "true 'open", "", "   "],
)  # fmt: skip
def test_a_command_that_means_something_else_without_a_shell_is_refused(
    text: str, status: Callable[..., int], project: Path
) -> None:
    assert status("done_gate", text) == 2
    assert not (project / "out").exists()


@pytest.mark.parametrize(
    "text", ["true '&&'", 'true "a;b"', r"true \&", "true '$HOME'", 'true "|"']
)
@pytest.mark.skipif(shutil.which("true") is None, reason="the system has no program `true`")
def test_control_signs_in_quotes_are_arguments(text: str, status: Callable[..., int]) -> None:
    assert status("done_gate", text) == 0


def test_a_shell_that_is_asked_for_runs(said: Callable[..., Any]) -> None:
    request = {"criteria": [{"shell": "exit 0"}, {"shell": "exit 4"}]}

    code, report = said("done_gate", "--stdin", stdin=json.dumps(request).encode())

    assert (code, report["state"]) == (1, "NOT-DONE")
    assert [each["exit"] for each in report["results"]] == [0, 4]


@pytest.mark.parametrize(
    "document",
    ["", "[]", "{", '{"criteria": "x"}', '{"criteria": [1]}', '{"criteria": [[]]}', '{"x": 1}',
     '{"criteria": [{"shell": 1}]}', '{"criteria": ["true"], "partial": {"missing": "x"}}',
     '{"criteria": ["true"], "criteria": []}', "NaN"],
)  # fmt: skip
def test_a_malformed_request_is_refused_in_a_line(document: str, run: Callable[..., Run]) -> None:
    done = run("scripts/done_gate.py", "--stdin", stdin=document.encode())

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
    assert done.stderr.startswith(b"done_gate.py: standard input")


def test_a_criterion_that_hangs_is_ended_and_has_failed(said: Callable[..., Any]) -> None:
    hang = shlex.join([sys.executable, "-c", "import time; time.sleep(60)"])

    code, report = said("done_gate", hang, YES, "--timeout", "0.5")

    assert code == 1
    assert [(each["exit"], each["timed_out"]) for each in report["results"]] == [
        (124, True),
        (0, False),
    ]


def test_a_report_holds_the_end_of_the_output_without_its_secrets(said: Callable[..., Any]) -> None:
    token = "ghp_" + "a1B2" * 9
    code = f"print('x' * 9000); print('key {token} end'); raise SystemExit(1)"

    _, report = said("done_gate", shlex.join([sys.executable, "-c", code]))

    (result,) = report["results"]
    assert result["tail"].endswith(" end")
    assert len(result["tail"]) <= 400
    assert token not in json.dumps(report)


def test_a_record_is_what_was_printed(said: Callable[..., Any], project: Path) -> None:
    _, report = said("done_gate", YES, "--record", "r.json")

    assert json.loads((project / "r.json").read_bytes()) == report
    assert set(report) == {"state", "done", "partial", "declared", "results"}


def test_criteria_of_a_profile(status: Callable[..., int], project: Path) -> None:
    criteria = json.dumps(
        {"code": [[sys.executable, "-c", "pass"], YES], "bad": "x", "sh": ["a|b"]}
    )
    (project / "operator-profile.yaml").write_text(
        f"verification: {{done_criteria: {criteria}}}\n", encoding="utf-8"
    )

    found = {name: status("done_gate", "--profile", name) for name in ("code", "bad", "sh", "none")}

    assert found == {"code": 0, "bad": 2, "sh": 2, "none": 2}
    assert status("done_gate", YES, OPERATOR_PROFILE="gone.yaml") == 0
    assert status("done_gate", "--profile", "code", OPERATOR_PROFILE="gone.yaml") == 2


def test_a_flaky_suite_is_able_and_not_steady(status: Callable[..., int]) -> None:
    suite = str(DATA / "flaky.json")

    gates = {gate: status("passk_eval", "--suite", suite, "--gate", gate)
             for gate in ("capability", "regression", "both")}  # fmt: skip

    assert gates == {"capability": 0, "regression": 1, "both": 1}


@pytest.mark.parametrize(
    "document",
    ["[]", "{}", '{"version": "1", "cases": []}', '{"version": " ", "cases": [{}]}',
     '{"version": "1", "cases": [{"id": "a", "runner": "replay", "outcomes": [1]}]}',
     '{"version": "1", "cases": [{"id": "a", "runner": "replay", "outcomes": [true]}]}',
     '{"version": "1", "cases": [{"id": "a", "runner": "command", "command": "x"}]}',
     '{"version": "1", "cases": [{"id":"a","runner":"command","command":["x"],"timeout":0}]}',
     '{"version": "1", "cases": [{"id": "a", "runner": "x"}, {"id": "a", "runner": "x"}]}'],
)  # fmt: skip
def test_a_suite_is_accepted_where_the_harness_accepts_it(
    document: str, status: Callable[..., int], project: Path
) -> None:
    (project / "suite.json").write_text(document)
    try:
        parse_suite(document.encode(), "suite.json", "suite", {})
        is_accepted = True
    except RefusedError:
        is_accepted = False

    assert (status("passk_eval", "--suite", "suite.json") != 2) is is_accepted


def test_a_case_that_cannot_start_is_no_failure_of_its_subject(
    said: Callable[..., Any], project: Path
) -> None:
    cases = [{"id": "a", "runner": "command", "command": ["./gone"]},
             {"id": "b", "runner": "command", "command": [sys.executable, "-c", "exit(3)"],
              "expect_exit": 3}]  # fmt: skip
    (project / "suite.json").write_text(json.dumps({"version": "1", "cases": cases}))

    words = ("--suite", "suite.json", "--passk-threshold", "0.5", "-k", "2")
    code, report = said("passk_eval", *words)

    assert (code, report["capability_ok"], report["instrument_ok"]) == (1, True, False)
    assert [case["instrument_failures"] for case in report["cases"]] == [2, 0]


LEDGER = """\
| # | Goal | Tier | PRD | Status | Readiness |\r
|---|---|---|---|---|---|\r
| A | `x|y` \\| z | external |  | pending |  |\r
| B |second|repo||blocked||\r
| C | third | repo | | not done | R0 |\r
"""


@pytest.fixture
def ledger(project: Path) -> Path:
    """Return a ledger of three goals, written by hand."""
    path = project / "docs" / "plans" / "_GOAL-LEDGER.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(LEDGER.encode())
    return path


@pytest.mark.usefixtures("ledger")
def test_the_next_goal_is_of_the_repository_and_not_blocked(said: Callable[..., Any]) -> None:
    _, report = said("goal_ledger", "next")

    assert (report["goal"]["id"], report["goal"]["kind"]) == ("C", "pending")


@pytest.mark.parametrize(
    ("goal", "old", "new"),
    [("A", b"| pending |", b"| done (log) |"), ("B", b"|blocked|", b"|done (log)|"),
     ("C", b"| not done |", b"| done (log) |")],
)  # fmt: skip
def test_a_change_leaves_every_other_byte(
    goal: str, old: bytes, new: bytes, status: Callable[..., int], ledger: Path
) -> None:
    before = ledger.read_bytes()

    assert status("goal_ledger", "set", goal, "done", "--evidence", "log") == 0

    assert ledger.read_bytes() == before.replace(old, new)


def test_eight_writers_lose_no_change(
    module_root: Path, environment: dict[str, str], project: Path, ledger: Path
) -> None:
    rows = "".join(f"| G{at} | x | repo |  | pending |  |\n" for at in range(8))
    ledger.write_text(LEDGER.replace("\r", "") + rows)
    script = str(module_root / "scripts" / "goal_ledger.py")
    writers = [
        subprocess.Popen(
            [sys.executable, "-E", "-s", script, "set", f"G{at}", "done"], cwd=project,
            env=environment, stdout=subprocess.DEVNULL,
        )
        for at in range(8)
    ]  # fmt: skip

    assert [writer.wait(timeout=60) for writer in writers] == [0] * 8
    assert ledger.read_text().count("| done |") == 8


@pytest.mark.usefixtures("ledger")
def test_readiness_rests_on_what_is_looked_up(status: Callable[..., int], project: Path) -> None:
    def rise(level: str, evidence: str, **more: str | None) -> int:
        return status("goal_ledger", "readiness", "C", level, "--evidence", evidence, **more)

    (project / "log").write_text("ok\n")
    assert rise("R1", "") == 1
    assert rise("R1", "gone") == 1
    assert rise("R1", "../log") == 2
    assert rise("R1", str(project / "log")) == 2
    assert rise("R2", "log") == 1
    assert rise("R1", "log") == 0
    (project / "own.json").write_text('{"state": "DONE", "done": true}')
    assert rise("R2", "own.json") == 1
    assert status("done_gate", YES, "--record", "gate.json") == 0
    assert rise("R2", "gate.json") == 0
    assert status("goal_review", NO, "--goal", "C") == 1
    (failed,) = (project / "docs" / "reviews").iterdir()
    assert rise("R3", f"docs/reviews/{failed.name}") == 1
    failed.unlink()
    assert status("goal_review", YES, "--goal", "C") == 0
    (passed,) = (project / "docs" / "reviews").iterdir()
    assert rise("R3", f"docs/reviews/{passed.name}") == 0
    approve = ("goal_ledger", "readiness", "C", "R4", "--approved-by", "Ada")
    assert status(*approve, CLAUDECODE="1") == 1
    assert status(*approve, HPP_SESSION_ID="s") == 1
    assert status(*approve) == 0


@pytest.mark.usefixtures("ledger")
def test_a_record_of_the_harness_is_not_believed_without_it(
    status: Callable[..., int], project: Path
) -> None:
    (project / "log").write_text("")
    (project / ".hpp" / "evidence").mkdir(parents=True)
    (project / ".hpp" / "evidence" / "a.json").write_text('{"verdict": "passed"}')
    assert status("goal_ledger", "readiness", "C", "R1", "--evidence", "log") == 0

    words = ("readiness", "C", "R2", "--evidence", ".hpp/evidence/a.json")

    assert status("goal_ledger", *words, PATH=str(project)) == 2
    (project / "hpp").write_text('#!/bin/sh\necho \'{"status": "valid"}\'\n')
    (project / "hpp").chmod(0o755)
    assert status("goal_ledger", *words, PATH=str(project)) == 2


def test_control_a_record_that_contradicts_itself_is_no_record(
    status: Callable[..., int], project: Path, ledger: Path
) -> None:
    before = ledger.read_bytes()
    (project / "log").write_text("")
    status("goal_ledger", "readiness", "C", "R1", "--evidence", "log")
    assert status("done_gate", NO, "--record", "gate.json") == 1
    text = (project / "gate.json").read_text()
    forged = text.replace("NOT-DONE", "DONE").replace('"done": false', '"done": true')
    (project / "gate.json").write_text(forged)

    assert status("goal_ledger", "readiness", "C", "R2", "--evidence", "gate.json") == 1
    assert ledger.read_bytes() != before


def test_a_loop_that_passes_marks_its_goal(
    run: Callable[..., Run], project: Path, ledger: Path
) -> None:
    loop = ("start", "--session", "s", "--charter", "c", "--goal", "C")
    armed = run("hooks/loop_gate.py", *loop, "--criteria", YES)
    (project / "message.txt").write_text("<promise>it holds</promise>")

    done = run("hooks/loop_gate.py", "check", "--session", "s", "--message-file", "message.txt")

    assert (armed.returncode, done.returncode) == (0, 0), (armed.stderr, done.stderr)
    assert b"| done (loop gate passed" in ledger.read_bytes()


@pytest.mark.parametrize("text", ["test ! -e *.tmp", "test -n $X", "true;false", "true|false"])
def test_a_loop_refuses_what_the_gate_refuses(
    text: str, run: Callable[..., Run], project: Path
) -> None:
    loop = ("start", "--session", "s", "--charter", "c", "--criteria", text)
    done = run("hooks/loop_gate.py", *loop)

    assert done.returncode == 2
    assert not (project / ".claude" / "loop-gate").exists()
    assert run("hooks/loop_gate.py", *loop, "--shell").returncode == 0
