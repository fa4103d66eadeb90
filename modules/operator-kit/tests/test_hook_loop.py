"""The loop gate: armed for one session, it lets a stop through when criteria exit 0."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.portable.lane import session_key

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = subprocess.CompletedProcess[bytes]

GATE = "hooks/loop_gate.py"
PROMISE = "all done <promise>it holds</promise>"
PYTHON = f'"{sys.executable}"' if os.name == "nt" else sys.executable
TRUE, FALSE = f"{PYTHON} -c pass", f"{PYTHON} -c 1/0"
TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def arm(run: Callable[..., Run]) -> Callable[..., Run]:
    """Return an arming of loops for session ``s``."""

    def start(*words: str, session: str = "s", charter: str = "finish it", **more: Any) -> Run:  # noqa: ANN401 -- as `run`
        return run(GATE, "start", "--session", session, "--charter", charter, *words, **more)

    return start


@pytest.fixture
def stop(hook: Callable[..., Run], event: Callable[..., dict[str, Any]]) -> Callable[..., Any]:
    """Return a sender of stops; it returns the answer's document, empty when it says nothing."""

    def send(message: str | None = PROMISE, **more: Any) -> dict[str, Any]:  # noqa: ANN401 -- any field
        fields = {} if message is None else {"last_assistant_message": message}
        done = hook("loop_gate", event("Stop", stop_hook_active=False, **{**fields, **more}))
        assert (done.returncode, done.stderr) == (0, b"")
        said: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
        return said

    return send


def state_path(project: Path, session: str = "s") -> Path:
    return project / ".claude" / "loop-gate" / f"{session_key(session)}.json"


def events(project: Path) -> list[dict[str, Any]]:
    text = (project / ".claude" / "loop-gate" / "ledger.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def names(project: Path) -> list[str]:
    return [record["event"] for record in events(project)]


def test_without_a_loop_a_stop_is_a_stop(stop: Callable[..., Any], project: Path) -> None:
    assert stop() == {}
    assert not (project / ".claude").exists()


def test_a_stop_without_a_promise_is_held(
    arm: Callable[..., Run], stop: Callable[..., Any], project: Path
) -> None:
    arm("--criteria", TRUE)

    for message in ("done", "<promise> </promise>", "<promise>open", None):
        said = stop(message)
        assert sorted(said) == ["decision", "reason"]
        assert said["decision"] == "block"
        assert "finish it" in said["reason"]
    assert "iteration 4 of 8" in said["reason"]
    assert names(project) == ["armed"] + ["iteration"] * 4


def test_criteria_that_exit_0_release_the_stop(
    arm: Callable[..., Run], stop: Callable[..., Any], project: Path
) -> None:
    arm("--criteria", TRUE, TRUE)

    said = stop()

    assert list(said) == ["systemMessage"]
    assert "2 of 2 criteria exit 0" in said["systemMessage"]
    assert not state_path(project).exists()
    assert names(project) == ["armed", "gate-passed"]
    assert stop() == {}


def test_a_promise_that_does_not_hold_is_held_with_what_failed(
    arm: Callable[..., Run], stop: Callable[..., Any], project: Path
) -> None:
    code = f"print('x' * 400 + 'the end'); print('{TOKEN}'); raise SystemExit(5)"
    (project / "check.py").write_text(code)
    arm("--criteria", TRUE, f"{PYTHON} check.py", FALSE)

    reason = stop()["reason"]

    assert "check.py: exit 5" in reason
    assert "ZeroDivisionError" in reason
    assert TOKEN not in reason
    failed = events(project)[-1]["failed"]
    assert [(each["id"], each["exit"]) for each in failed] == [(1, 5), (2, 1)]
    assert "ZeroDivision" not in json.dumps(events(project))


def test_a_false_promise_spends_the_budget(
    arm: Callable[..., Run], stop: Callable[..., Any], project: Path
) -> None:
    arm("--criteria", FALSE, "--max-iterations", "2")

    first, second, third = stop(), stop(), stop()

    assert first["decision"] == second["decision"] == "block"
    assert "iterations are spent" in third["systemMessage"]
    assert names(project) == ["armed", "gate-failed", "gate-failed", "paused-budget"]
    assert not state_path(project).exists()


def test_the_same_failure_three_times_ends_the_loop(
    arm: Callable[..., Run], stop: Callable[..., Any], project: Path
) -> None:
    code = "import time; print(f'failed in {time.time() % 60:.2f}s'); raise SystemExit(1)"
    (project / "check.py").write_text(code)
    arm("--criteria", f"{PYTHON} check.py")

    said = [stop() for _ in range(3)]

    assert [each.get("decision") for each in said] == ["block", "block", None]
    assert "stalled" in said[2]["systemMessage"]
    assert names(project)[-1] == "stalled"


def test_another_failure_starts_the_count_again(
    arm: Callable[..., Run], stop: Callable[..., Any], project: Path
) -> None:
    arm("--criteria", f"{PYTHON} check.py")
    for number in range(4):
        (project / "check.py").write_text(f"print({number}); raise SystemExit(1)")
        assert stop()["decision"] == "block"


def test_a_deadline_that_is_over_pauses(
    arm: Callable[..., Run], stop: Callable[..., Any], project: Path
) -> None:
    arm("--criteria", TRUE, "--deadline", "0.001")

    assert "time of the loop is over" in stop()["systemMessage"]
    assert names(project)[-1] == "paused-budget"


def test_a_criterion_that_takes_too_long_or_cannot_start_has_failed(
    arm: Callable[..., Run], stop: Callable[..., Any]
) -> None:
    arm("--criteria", f"{PYTHON} -c 'import time; time.sleep(60)'", "no-such-program-here",
        "--criterion-timeout", "0.5")  # fmt: skip

    reason = stop()["reason"]

    assert "exit 124" in reason
    assert "no-such-program-here: exit 127" in reason


def test_criteria_run_in_the_project_without_the_sessions_id(
    run: Callable[..., Run], arm: Callable[..., Run], project: Path, tmp_path: Path
) -> None:
    code = (
        "import os, sys\n"
        "told = [os.getcwd(), 'HPP_SESSION_ID' in os.environ, sys.stdin.read()]\n"
        "open('seen', 'w').write('|'.join(map(str, told)))\n"
    )
    (project / "check.py").write_text(code)
    arm("--criteria", f"{PYTHON} check.py")
    (tmp_path / "message").write_text(PROMISE)

    done = run(GATE, "check", "--session", "s", "--message-file", str(tmp_path / "message"),
               HPP_SESSION_ID="s")  # fmt: skip

    assert done.returncode == 0
    assert (project / "seen").read_text() == f"{os.path.realpath(project)}|False|"


@pytest.mark.parametrize("given", ["another", ""])
def test_a_state_that_a_repository_brings_is_never_acted_on(
    arm: Callable[..., Run], stop: Callable[..., Any], project: Path, given: str
) -> None:
    arm("--criteria", f"{PYTHON} -c \"open('pwned', 'w')\"")
    document = json.loads(state_path(project).read_text())
    document["session_id"] = given
    for name in (state_path(project), state_path(project, given or "x")):
        name.write_text(json.dumps(document))

    assert stop() == {}
    assert stop(session_id="") == {}
    assert not (project / "pwned").exists()


def test_what_was_changed_after_arming_is_not_run(
    arm: Callable[..., Run], stop: Callable[..., Any], project: Path
) -> None:
    arm("--criteria", FALSE)
    document = json.loads(state_path(project).read_text())
    document["criteria"] = [{"argv": [sys.executable, "-c", "open('pwned', 'w')"]}]
    state_path(project).write_text(json.dumps(document))

    said = stop()

    assert "changed after arming; nothing was verified" in said["systemMessage"]
    assert not (project / "pwned").exists()
    assert names(project)[-1] == "tampered"
    assert not state_path(project).exists()


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"session_id": "s"}', b"\xff"])
def test_a_state_that_cannot_be_read_is_told_and_kept(
    run: Callable[..., Run],
    arm: Callable[..., Run],
    stop: Callable[..., Any],
    project: Path,
    data: bytes,
) -> None:
    arm("--criteria", TRUE)
    state_path(project).write_bytes(data)

    assert "repair" in stop()["systemMessage"]
    assert state_path(project).read_bytes() == data
    assert arm("--criteria", TRUE).returncode == 2
    assert b"1 put aside" in run(GATE, "repair").stdout
    assert arm("--criteria", TRUE).returncode == 0


def test_a_folder_that_is_a_link_is_not_followed(
    arm: Callable[..., Run],
    stop: Callable[..., Any],
    link: Callable[[Path, Path], None],
    project: Path,
    tmp_path: Path,
) -> None:
    arm("--criteria", f"{PYTHON} -c \"open('pwned', 'w')\"")
    shutil.move(project / ".claude" / "loop-gate", tmp_path / "elsewhere")
    link(project / ".claude" / "loop-gate", tmp_path / "elsewhere")

    assert "link" in stop()["systemMessage"]
    assert not (project / "pwned").exists()


@pytest.mark.parametrize("is_active", [True, False])
def test_a_stop_that_cannot_be_counted_is_let_through(
    hook: Callable[..., Run],
    event: Callable[..., dict[str, Any]],
    arm: Callable[..., Run],
    project: Path,
    is_active: bool,
) -> None:
    arm("--criteria", FALSE)
    lock = state_path(project).with_name(state_path(project).name + ".lock")
    lock.unlink()
    lock.mkdir()
    given = event("Stop", stop_hook_active=is_active, last_assistant_message=PROMISE)

    for _ in range(2):
        done = hook("loop_gate", given)
        assert done.returncode == 0
        assert "could not be counted" in json.loads(done.stdout)["systemMessage"]


FAULT = "\nimport _lib.lastmessage\n_lib.lastmessage.last_message = lambda payload: 1 // 0\n\n"


@pytest.mark.parametrize("is_active", [False, True])
def test_a_fault_of_ours_holds_an_armed_stop_once_and_spends_it(  # noqa: PLR0913, PLR0917 -- fixtures
    hook: Callable[..., Run],
    event: Callable[..., dict[str, Any]],
    arm: Callable[..., Run],
    module_root: Path,
    project: Path,
    tmp_path: Path,
    is_active: bool,
) -> None:
    root = tmp_path / "a copy"
    shutil.copytree(module_root, root)
    path = root / GATE
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("\nif __name__", f"{FAULT}\nif __name__"), encoding="utf-8")
    arm("--criteria", TRUE)

    done = hook("loop_gate", event("Stop", stop_hook_active=is_active), root=root)

    said = json.loads(done.stdout)
    assert done.returncode == 0
    assert "internal error (ZeroDivisionError)" in str(said)
    assert (said.get("decision") == "block") == (not is_active)
    assert json.loads(state_path(project).read_text())["iteration"] == 1
    unarmed = hook("loop_gate", event("Stop", session_id="other"), root=root)
    assert unarmed.stdout == b""


@pytest.mark.parametrize(
    "line",
    [
        {"type": "assistant", "message": {"role": "assistant", "content": [
            {"type": "text", "text": PROMISE}]}},
        {"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [
            {"type": "output_text", "text": PROMISE}]}},
    ],
    ids=["claude-code", "codex"],
)  # fmt: skip
def test_the_last_message_may_come_from_the_transcript(
    arm: Callable[..., Run], stop: Callable[..., Any], tmp_path: Path, line: dict[str, Any]
) -> None:
    user = {"message": {"role": "user", "content": [{"type": "text", "text": "go on"}]}}
    old = {"message": {"role": "assistant", "content": "x" * (5 * 1024 * 1024)}}
    path = tmp_path / "a transcript.jsonl"
    text = "\n".join(["not json", *map(json.dumps, [old, line, user])])
    path.write_text(text, encoding="utf-8")
    arm("--criteria", TRUE)

    assert "passed" in stop(None, transcript_path=str(path))["systemMessage"]


def test_a_transcript_that_is_not_there_makes_no_promise(
    arm: Callable[..., Run], stop: Callable[..., Any], tmp_path: Path
) -> None:
    arm("--criteria", TRUE)

    assert stop(None, transcript_path=str(tmp_path / "absent"))["decision"] == "block"


def test_the_session_learns_its_id(
    hook: Callable[..., Run], event: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "an env file"

    first = hook("loop_gate", event("SessionStart", source="startup"), CLAUDE_ENV_FILE=str(path))
    hook("loop_gate", event("SessionStart", session_id="a'b"), CLAUDE_ENV_FILE=str(path))
    none = hook("loop_gate", event("SessionStart"))

    assert (first.stdout, none.stdout) == (b"", b"")
    assert path.read_text() == "export HPP_SESSION_ID='s'\nexport HPP_SESSION_ID='a'\\''b'\n"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["start", "--charter", "c", "--criteria", "true"], 3),
        (["start", "--session", "", "--charter", "c", "--criteria", "true"], 2),
        (["start", "--session", " ", "--charter", "c", "--criteria", "true"], 2),
        (["start", "--session", "s", "--charter", "c"], 2),
        (["start", "--session", "s", "--charter", " ", "--criteria", "true"], 2),
        (["start", "--session", "s", "--charter", "c", "--criteria", "true && false"], 2),
        (["start", "--session", "s", "--charter", "c", "--criteria", "echo 'open"], 2),
        (["start", "--session", "s", "--charter", "c", "--criteria", " "], 2),
        (["start", "--session", "s", "--charter", "c", "--criteria", "true",
          "--max-iterations", "0"], 2),
        (["start", "--session", "s", "--charter", "c", "--criteria", "true",
          "--max-iterations", "501"], 2),
        (["start", "--session", "s", "--charter", "c", "--criteria", "true",
          "--max-iterations", "many"], 3),
        (["start", "--session", "s", "--charter", "c", "--criteria", "true",
          "--criterion-timeout", "nan"], 2),
        (["start", "--session", "s", "--charter", "c", "--criteria", "true",
          "--criterion-timeout", "110"], 2),
        (["start", "--session", "s", "--charter", "c", "--criteria", *["true"] * 6], 2),
        (["start", "--session", "s", "--spec", "absent.json"], 2),
        (["status", "--session", "s"], 1),
        (["cancel", "--session", "s"], 1),
        (["list"], 0),
        (["repair"], 0),
        (["status"], 0),
        (["nothing"], 3),
        (["--help"], 0),
    ],
)  # fmt: skip
def test_the_command_line_says_no_by_its_status(
    run: Callable[..., Run], project: Path, words: list[str], status: int
) -> None:
    done = run(GATE, *words)

    assert done.returncode == status
    assert b"Traceback" not in done.stderr
    assert not (project / ".claude").exists()


def test_arming_twice_needs_a_word(arm: Callable[..., Run], project: Path) -> None:
    assert arm("--criteria", TRUE).returncode == 0
    assert arm("--criteria", FALSE).returncode == 1
    assert arm("--criteria", FALSE, "--replace").returncode == 0
    assert names(project) == ["armed", "armed"]
    assert "loop-gate/" in (project / ".claude" / ".gitignore").read_text()


def test_above_eight_the_hosts_limit_is_told(arm: Callable[..., Run]) -> None:
    assert b"eighth" not in arm("--criteria", TRUE).stdout
    assert b"eighth" in arm("--criteria", TRUE, "--max-iterations", "9", session="t").stdout


def test_a_shell_reads_a_criterion_only_when_asked_to(
    run: Callable[..., Run], arm: Callable[..., Run], stop: Callable[..., Any], tmp_path: Path
) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"charter": "c", "criteria": [{"shell": "exit 3"}]}))
    words = [GATE, "start", "--session", "t", "--spec", str(spec)]

    assert run(*words).returncode == 2
    assert run(*words, "--shell").returncode == 0
    assert "exit 3" in stop(session_id="t")["reason"]
    assert arm("--criteria", "true && exit 0", "--shell").returncode == 0


def test_a_spec_is_checked_like_words(run: Callable[..., Run], tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    good = {"charter": "c", "criteria": [{"argv": ["true"]}, "true"], "deadline": 5, "goal": "G1"}
    spec.write_text(json.dumps(good))
    words = [GATE, "start", "--session", "s", "--spec", str(spec)]
    assert run(*words).returncode == 0
    changes: list[dict[str, Any]] = [
        {"x": 1},
        {"criteria": []},
        {"criteria": [{}]},
        {"criteria": [{"argv": []}]},
        {"criteria": [{"argv": "true"}]},
        {"max_iterations": True},
        {"charter": 1},
        {"criterion_timeout": "x"},
        {"goal": 1},
    ]
    for change in changes:
        spec.write_text(json.dumps({**good, **change}))
        done = run(*words, "--replace")
        assert done.returncode == 2, change
        assert b"spec.json" in done.stderr


def test_a_cancelled_loop_leaves_a_trace(
    run: Callable[..., Run], arm: Callable[..., Run], stop: Callable[..., Any], project: Path
) -> None:
    arm("--criteria", FALSE)
    stop()

    assert run(GATE, "cancel", "--session", "s").returncode == 0
    assert names(project) == ["armed", "gate-failed", "cancelled"]
    assert stop() == {}


def test_what_is_armed_can_be_looked_at(run: Callable[..., Run], arm: Callable[..., Run]) -> None:
    arm("--criteria", TRUE)

    told = json.loads(run(GATE, "status", "--session", "s", "--json").stdout)

    assert told["armed"] is True
    assert told["state"]["schema"] == "hpp.loop-gate/v1"
    assert told["state"]["armed_by"] == "solo"
    assert b"finish it" in run(GATE, "list").stdout


def test_check_decides_like_the_hook(
    run: Callable[..., Run], arm: Callable[..., Run], tmp_path: Path
) -> None:
    path = tmp_path / "a message"
    words = [GATE, "check", "--session", "s", "--message-file", str(path)]
    path.write_text("not yet", encoding="utf-8")
    assert run(*words).returncode == 0
    arm("--criteria", TRUE)

    held = run(*words)
    path.write_text(PROMISE, encoding="utf-8")
    released = run(*words)

    assert (held.returncode, released.returncode) == (2, 0)
    assert b"finish it" in held.stderr
    assert b"passed" in released.stdout


def test_a_goal_is_marked_when_its_loop_passes(
    arm: Callable[..., Run], stop: Callable[..., Any], project: Path
) -> None:
    ledger = project / "docs" / "plans" / "_GOAL-LEDGER.md"
    ledger.parent.mkdir(parents=True)
    ledger.write_text(
        "| # | goal | tier | PRD | status | criterion | review | readiness |\n"
        "|---|---|---|---|---|---|---|---|\n"
        "| G1 | x | repo | p.md | pending | true | - | R0 |\n"
    )
    arm("--criteria", TRUE, "--goal", "G1")

    said = stop()["systemMessage"]

    assert "not marked" not in said
    assert "| done (" in ledger.read_text()


def test_a_goal_that_cannot_be_marked_is_told(
    arm: Callable[..., Run], stop: Callable[..., Any]
) -> None:
    arm("--criteria", TRUE, "--goal", "no such goal")

    said = stop()["systemMessage"]

    assert "passed" in said
    assert "the goal no such goal was not marked" in said


def test_a_ledger_that_cannot_be_written_arms_nothing(
    arm: Callable[..., Run], project: Path
) -> None:
    (project / ".claude" / "loop-gate" / "ledger.jsonl").mkdir(parents=True)

    done = arm("--criteria", TRUE)

    assert done.returncode == 2
    assert b"nothing was armed" in done.stderr
    assert not state_path(project).exists()
