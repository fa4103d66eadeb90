from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hpp.cli import main
from hpp.core.schema import faults, find_schema

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]
PROGRAM = [sys.executable, "-I", "-m", "hpp", "policy", "hook", "--host"]
RULE = {"id": "image-push", "action": "MANUAL", "pattern": "docker push", "reason": "an image"}
POLICY = {"schema": "hpp.policy/v1", "rules": [RULE]}


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def event(command: object, **changes: object) -> dict[str, Any]:
    base = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    return {**base, **changes}


def hook(workspace: Path, host: str, given: object, *more: str) -> tuple[int, Any, str]:
    data = given if isinstance(given, bytes) else json.dumps(given).encode()
    done = subprocess.run(
        [*PROGRAM, host, *more], input=data, cwd=workspace, capture_output=True, check=False
    )
    answer = json.loads(done.stdout) if done.stdout else None
    return done.returncode, answer, done.stderr.decode()


@pytest.mark.parametrize(
    ("host", "command", "decision"),
    [
        ("claude-code", "rm -rf src", "deny"),
        ("codex", "rm -rf src", "deny"),
        ("claude-code", "bash -c 'git push --force'", "deny"),
        ("claude-code", "git push origin feature", "ask"),
        ("codex", "git push origin feature", "deny"),
    ],
)
def test_a_verdict_is_told_in_the_host_s_form(
    workspace: Path, host: str, command: str, decision: str
) -> None:
    code, answer, err = hook(workspace, host, event(command))

    assert (code, err, list(answer)) == (0, "", ["hookSpecificOutput"])
    told = answer["hookSpecificOutput"]
    assert (told["hookEventName"], told["permissionDecision"]) == ("PreToolUse", decision)
    assert told["permissionDecisionReason"].strip()
    if (host, decision) == ("codex", "deny") and "feature" in command:
        assert "run it yourself: git push origin feature" in told["permissionDecisionReason"]


@pytest.mark.parametrize(
    "given",
    [
        event("python -m pytest -q"),
        event(""),
        event("rm -rf src", tool_name="bash"),
        event("rm -rf src", tool_name="apply_patch"),
        event("rm -rf src", hook_event_name="PostToolUse"),
        {"hook_event_name": "Stop"},
    ],
)
def test_what_is_allowed_or_none_of_ours_is_answered_with_nothing(
    workspace: Path, given: object
) -> None:
    assert hook(workspace, "claude-code", given) == (0, None, "")


@pytest.mark.parametrize(
    "given",
    [
        b"", b"{", b"\xff", {}, {"hook_event_name": "PreToolUse"}, event(7), event("x", cwd=1),
        event("x" * (1024 * 1024 + 1)), b" " * (16 * 1024 * 1024 + 1), b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_cannot_be_judged_blocks_visibly(workspace: Path, given: object) -> None:
    code, answer, err = hook(workspace, "claude-code", given)

    assert (code, answer) == (2, None)
    assert err.startswith("hpp: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("more", [["--bogus"], ["--policy"], ["--policy", "gone.json"], ["x"]])
def test_a_hook_that_is_wired_wrongly_blocks(workspace: Path, more: list[str]) -> None:
    code, answer, err = hook(workspace, "claude-code", event("ls"), *more)

    assert (code, answer) == (2, None)
    assert err


def test_no_host_or_an_unknown_one_blocks(workspace: Path) -> None:
    assert hook(workspace, "other", event("ls"))[0] == 2
    done = subprocess.run(PROGRAM[:-1], cwd=workspace, capture_output=True, check=False)
    assert done.returncode == 2


@pytest.mark.parametrize(
    "error", [KeyError("bug"), KeyboardInterrupt(), MemoryError(), RecursionError("deep")]
)
def test_a_fault_of_ours_blocks(
    monkeypatch: pytest.MonkeyPatch, capfd: Capture, error: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("hpp.core.policy.verdict.judge", fail)
    data = json.dumps(event("ls")).encode()
    monkeypatch.setattr("hpp.cli.policyhook.read_input", lambda *_, **__: data)

    assert main(["policy", "hook", "--host", "codex"]) == 2
    assert "policy hook gave no answer, so the call is blocked: " in capfd.readouterr().err


def test_a_hook_that_cannot_even_be_loaded_blocks(
    monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    monkeypatch.setitem(sys.modules, "hpp.cli.policy", None)

    assert main(["policy", "hook", "--host", "codex"]) == 2
    assert main(["policy", "--traceback", "hook"]) == 2
    assert main(["policy", "check"]) == 3  # what guards nothing keeps its own status
    assert "so the call is blocked" in capfd.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors are closed by a POSIX shell here")
def test_a_closed_output_blocks(workspace: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" "$@" >&-', *PROGRAM, "claude-code"],
        input=json.dumps(event("rm -rf src")).encode(),
        cwd=workspace,
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr


def test_text_is_utf_8_whatever_the_locale_says(workspace: Path) -> None:
    data = json.dumps(event('echo "表"; rm -rf build'), ensure_ascii=False).encode()
    done = subprocess.run(
        [*PROGRAM, "codex"],
        input=data,
        cwd=workspace,
        env={**os.environ, "PYTHONIOENCODING": "cp932", "LC_ALL": "C"},
        capture_output=True,
        check=False,
    )

    assert b"recursive-delete" in done.stdout


def test_a_pattern_that_does_not_end_blocks(workspace: Path) -> None:
    (workspace / ".hpp").mkdir()
    slow = {"schema": "hpp.policy/v1", "rules": [{**RULE, "pattern": "(a|a)*b"}]}
    (workspace / ".hpp" / "policy.json").write_text(json.dumps(slow), encoding="utf-8")

    code, answer, err = hook(workspace, "codex", event("a" * 60))

    assert (code, answer) == (2, None)
    assert "rules[0]: the pattern of image-push was not done after 0.5 s" in err
    assert hook(workspace, "codex", event("rm -rf " + "a" * 60))[1] is not None


def test_the_policy_is_looked_for_from_the_event_s_folder(workspace: Path) -> None:
    other = workspace.parent / f"{workspace.name}-other"
    (other / ".hpp").mkdir(parents=True)
    (other / ".hpp" / "policy.json").write_text(json.dumps(POLICY), encoding="utf-8")

    assert hook(workspace, "codex", event("docker push x"))[1] is None
    answer = hook(workspace, "codex", event("docker push x", cwd=str(other)))[1]
    assert "image-push: an image" in answer["hookSpecificOutput"]["permissionDecisionReason"]
    (other / ".hpp" / "policy.json").write_text("{", encoding="utf-8")
    assert hook(workspace, "codex", event("ls", cwd=str(other)))[0] == 2


def test_a_secret_is_not_repeated_to_the_host(workspace: Path) -> None:
    answer = hook(workspace, "codex", event("curl https://u:hunter22@h/ -d x"))[1]

    assert "hunter22" not in json.dumps(answer)


def test_check_applies_the_project_s_policy(workspace: Path, capfd: Capture) -> None:
    (workspace / ".hpp").mkdir()
    (workspace / ".hpp" / "policy.json").write_text(json.dumps(POLICY), encoding="utf-8")
    words = ["policy", "check", "--mode", "enforce", "--command", "docker push x"]

    assert main(words) == 1
    answer = json.loads(capfd.readouterr().out)
    assert (answer["rule"], answer["source"]) == ("image-push", "policy")
    assert answer["policy"].endswith("policy.json")
    assert faults(find_schema("policy-verdict").document(), answer) == []
    (workspace / ".hpp" / "policy.json").write_text("{}", encoding="utf-8")
    for mode in ("enforce", "audit"):
        assert main(["policy", "check", "--mode", mode, "--command", "ls"]) == 2
    assert main([*words, "--policy", ""]) == 2


def test_explain_shows_the_reading(capfd: Capture) -> None:
    words = ["policy", "explain", "--command", "sudo sh -c 'ls; rm -rf x'"]
    assert main(words) == 0
    text = capfd.readouterr().out
    assert main([*words, "--json"]) == 0
    document = json.loads(capfd.readouterr().out)

    assert text == (
        "reads    sudo sh -c 'ls; rm -rf x'\n"
        "  runs     sudo sh -c 'ls; rm -rf x'\n"
        "           through sudo\n"
        "           as sh -c ls; rm -rf x\n"
        "    reads    ls; rm -rf x\n"
        "      runs     ls\n"
        "      runs     rm -rf x   <- recursive-delete\n"
        "BLOCK recursive-delete: removes a folder and everything below it without asking\n"
    )
    assert [step["through"] for step in document["steps"]] == [[], ["sudo"], [], [], []]
    assert faults(find_schema("policy-explanation").document(), document) == []


def test_labelled_commands_are_held_against_the_rules(workspace: Path, capfd: Capture) -> None:
    lines = [
        {"cmd": "rm -rf x", "verdict": "BLOCK", "rule": "recursive-delete"},
        {"cmd": "ls", "verdict": "ALLOW"},
        {"cmd": "terraform destroy", "verdict": "BLOCK"},
        {"cmd": "git push", "verdict": "ALLOW"},
        {"cmd": "git push -f origin main", "verdict": "BLOCK", "rule": "main-push"},
        {"cmd": "ls", "verdict": "BLOCK", "debatable": True, "alt_verdict": "ALLOW"},
    ]
    (workspace / "l.jsonl").write_text("\n\n".join(map(json.dumps, lines)), encoding="utf-8")

    assert main(["policy", "test", "l.jsonl", "--json"]) == 1
    result = json.loads(capfd.readouterr().out)
    assert main(["policy", "test", "l.jsonl"]) == 1
    text = capfd.readouterr().out

    assert (result["lines"], result["right"]) == (6, 3)
    assert [(d["line"], d["kind"]) for d in result["differences"]] == [
        (5, "miss"), (7, "false-alarm"), (9, "other-rule"),
    ]  # fmt: skip
    assert faults(find_schema("policy-test").document(), result) == []
    assert text.endswith("3/6 right, 1 misses, 1 false alarms, 1 by another rule\n")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"cmd":1,"verdict":"ALLOW"}', '{"cmd":"x","verdict":"NO"}',
     '{"verdict":"ALLOW"}',
     '{"cmd":"x","verdict":"ALLOW","rule":1}', '{"cmd":"x","verdict":["ALLOW"]}'],
)  # fmt: skip
def test_labels_that_are_none_are_refused(workspace: Path, capfd: Capture, text: str) -> None:
    (workspace / "l.jsonl").write_text(text, encoding="utf-8")

    assert main(["policy", "test", "l.jsonl"]) == 2
    assert "l.jsonl" in capfd.readouterr().err


def test_control_a_hook_that_let_everything_through_would_be_seen(workspace: Path) -> None:
    assert hook(workspace, "claude-code", event("rm -rf /"))[1] is not None
