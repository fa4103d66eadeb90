"""The hook that warns of secret-like text before it is written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = subprocess.CompletedProcess[bytes]
    Event = Callable[[str, str], dict[str, Any]]

HOOK = "hooks/secret_scan_on_write.py"


def fire(run: Callable[..., Run], event: dict[str, Any], **more: str) -> dict[str, Any]:
    done = run(HOOK, stdin=json.dumps(event).encode(), **more)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout or b"{}")
    return answer


@pytest.mark.parametrize("path", ["app/settings.py", "secrets.py", "my tokens/api_key"])
def test_a_hit_is_told_to_model_and_person_with_place_and_length_alone(
    run: Callable[..., Run], write_event: Event, token: str, path: str
) -> None:
    answer = fire(run, write_event(path, f"a = 1\n\nkey = '{token}'\n"))

    told = answer["hookSpecificOutput"]["additionalContext"]
    assert answer["hookSpecificOutput"]["hookEventName"] == "PreToolUse"
    for text in (told, answer["systemMessage"]):
        assert f"in {path} (provider-token in line 3, 40 characters)" in text
        assert token[:6] not in text
        assert token[-6:] not in text
    assert set(answer) == {"systemMessage", "hookSpecificOutput"}


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Edit", {"file_path": "a", "old_string": "", "new_string": "TEXT"}),
        ("MultiEdit", {"file_path": "a", "edits": [{"old_string": "", "new_string": "TEXT"}]}),
        ("NotebookEdit", {"notebook_path": "a.ipynb", "new_source": "TEXT"}),
        ("apply_patch", {"command": "*** Begin Patch\n*** Add File: a\n+TEXT\n*** End Patch\n"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_way_to_write_is_looked_at(
    run: Callable[..., Run], write_event: Event, token: str, tool: str, given: dict[str, Any]
) -> None:
    text = json.dumps(given).replace("TEXT", f"key = {token}")
    event = {**write_event("", ""), "tool_name": tool, "tool_input": json.loads(text)}

    assert "systemMessage" in fire(run, event)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.py", "print('hello')\n"),
        ("a.md", "API_KEY=<your-key>\npassword: ${PASSWORD}\nAKIAIOSFODNN7EXAMPLE\n"),
        (".env", "KEY={token}\n"),
        ("x/.env.local", "KEY={token}\n"),
    ],
    ids=["clean", "placeholders", "env", "env-local"],
)
def test_what_holds_no_secret_or_is_its_place_says_nothing(
    run: Callable[..., Run], write_event: Event, token: str, path: str, content: str
) -> None:
    assert fire(run, write_event(path, content.replace("{token}", token))) == {}


@pytest.mark.parametrize("path", [".env.example", "docs/a.md", "anything.bin"])
def test_every_other_file_is_looked_at(
    run: Callable[..., Run], write_event: Event, token: str, path: str
) -> None:
    assert fire(run, write_event(path, f"KEY={token} # example, redacted"))


def test_the_persons_globs_exempt_fixtures_and_nothing_beside_them(
    run: Callable[..., Run], write_event: Event, token: str, project: Path
) -> None:
    text = f"KEY={token}"
    globs = os.pathsep.join(["tests/data/**", "**/*.fixture"])

    more = {"HPP_SECRET_SCAN_EXEMPT": globs, "CLAUDE_PROJECT_DIR": str(project)}
    inside = fire(run, write_event(str(project / "tests/data/b/a"), text), **more)
    beside = fire(run, write_event("tests/a", text), HPP_SECRET_SCAN_EXEMPT=globs)

    assert inside == {}
    assert beside


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"a": 1, "a": 2}',
     b'{"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": 7}'],
    ids=["empty", "malformed", "list", "not-utf-8", "twice", "wrong-type"],
)  # fmt: skip
def test_input_that_cannot_be_read_is_told_and_let_through(
    run: Callable[..., Run], data: bytes
) -> None:
    done = run(HOOK, stdin=data)

    assert done.returncode == 0
    assert set(json.loads(done.stdout)) == {"systemMessage"}
    assert b"Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "line", ["plain words\n", "token: ", "x=y "], ids=["plain", "names", "short"]
)
def test_five_megabytes_are_let_through(
    run: Callable[..., Run], write_event: Event, line: str
) -> None:
    event = write_event("big.txt", line * (5 * 1024 * 1024 // len(line)))

    done = run(HOOK, stdin=json.dumps(event).encode())

    assert done.returncode == 0


def test_another_event_or_tool_is_none_of_its_business(
    run: Callable[..., Run], write_event: Event, token: str
) -> None:
    event = write_event("a", f"KEY={token}")

    assert fire(run, {**event, "hook_event_name": "PostToolUse"}) == {}


def test_the_question_can_be_asked_by_hand(
    run: Callable[..., Run], project: Path, token: str
) -> None:
    (project / "a.py").write_text(f"key = '{token}'\n")
    (project / "b.py").write_text("key = 1\n")

    found = run(HOOK, "check", "--path", "a.py", "--json")
    clean = run(HOOK, "check", "--path", "b.py")
    absent = run(HOOK, "check", "--path", "c.py")
    wrong = run(HOOK, "check")

    assert [each.returncode for each in (found, clean, absent, wrong)] == [1, 0, 2, 3]
    assert json.loads(found.stdout)["verdict"] == "warn"
    assert token[:8].encode() not in found.stdout + found.stderr


def test_it_answers_as_the_host_starts_it(
    module_root: Path, environment: dict[str, str], project: Path, write_event: Event, token: str
) -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    wired = json.loads((module_root / "hooks/hooks.json").read_bytes())
    command = wired["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    more = {"CLAUDE_PLUGIN_ROOT": str(module_root), "CLAUDE_PROJECT_DIR": str(project)}

    done = subprocess.run(
        ["bash", "-c", command], input=json.dumps(write_event("a", f"KEY={token}")).encode(),
        env={**environment, **more}, cwd=project, capture_output=True, timeout=60, check=False,
    )  # fmt: skip

    assert done.returncode == 0
    assert b"provider-token" in done.stdout
    assert list(project.iterdir()) == []


def test_control_a_hook_that_shows_the_value_would_be_seen(token: str, tmp_path: Path) -> None:
    leaky = tmp_path / "leaky.py"
    leaky.write_text(f"print('found {token}')\n")

    done = subprocess.run([sys.executable, leaky], capture_output=True, timeout=30, check=False)

    assert token[:6].encode() in done.stdout
