"""The hooks as a host calls them: what they answer, and what they never answer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.portable.answer import Answer, shape_fault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = subprocess.CompletedProcess[bytes]
    Hook = Callable[..., dict[str, Any]]

STATE = ".claude/handoff"
CURRENT = f"{STATE}/HANDOFF-CURRENT-solo.json"
DEGRADED = f"{STATE}/HANDOFF-DEGRADED-solo.json"
MALFORMED = [
    b"", b"x", b"[]", b"null", b'"a"', b"\xff\xfe", b'{"a": 1, "a": 2}', b"{}",
    b'{"hook_event_name": 3}', b'{"hook_event_name": "Stop", "session_id": 7}',
    b'{"hook_event_name": "Stop", "stop_hook_active": "yes"}',
    b'{"hook_event_name": "Stop", "cwd": ["/"]}',
    b'{"hook_event_name": "PreCompact", "trigger": 1}',
    b'{"hook_event_name": "SessionStart", "source": {}}',
]  # fmt: skip


@pytest.mark.parametrize("data", MALFORMED)
@pytest.mark.parametrize("name", ["handoff_guard", "handoff_inject"])
def test_malformed_input_is_said_and_writes_nothing(
    run: Callable[..., Run], project: Path, name: str, data: bytes
) -> None:
    done = run(f"hooks/{name}.py", stdin=data)

    assert done.returncode == 0
    answer = json.loads(done.stdout or b"{}")
    assert set(answer) <= {"systemMessage"}
    is_for_it = name == "handoff_inject" if b"SessionStart" in data else name == "handoff_guard"
    if b"Stop" not in data and b"PreCompact" not in data and b"SessionStart" not in data:
        is_for_it = True
    assert bool(answer) == is_for_it
    assert list(project.iterdir()) == []


@pytest.mark.parametrize("name", ["handoff_guard", "handoff_inject"])
def test_another_event_gets_no_answer(run: Callable[..., Run], name: str) -> None:
    done = run(f"hooks/{name}.py", stdin=b'{"hook_event_name": "Notification"}')

    assert (done.returncode, done.stdout) == (0, b"")


def test_a_stop_without_a_handoff_is_held_once_and_never_twice(hook: Hook, project: Path) -> None:
    first = hook("handoff_guard", "Stop")
    assert (sorted(first), first["decision"]) == (["decision", "reason"], "block")
    assert "pre-clear" in first["reason"]
    assert not (project / CURRENT).exists()

    released = hook("handoff_guard", "Stop", stop_hook_active=True)
    assert list(released) == ["systemMessage"]
    assert json.loads((project / CURRENT).read_bytes())["quality"] == "degraded-auto"
    assert hook("handoff_guard", "Stop") == {}
    assert hook("handoff_guard", "Stop", stop_hook_active=True) == {}


def test_two_hooks_of_one_stop_hold_it_once(
    module_root: Path, environment: dict[str, str], project: Path
) -> None:
    event = json.dumps({"hook_event_name": "Stop", "session_id": "s", "cwd": str(project)})
    running = [
        subprocess.Popen(
            [sys.executable, module_root / "hooks/handoff_guard.py"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=environment, cwd=project,
        )
        for _ in range(4)
    ]  # fmt: skip

    said = [one.communicate(event.encode(), timeout=60)[0] for one in running]

    assert sum(b'"block"' in one for one in said) == 1


def test_a_session_with_a_fresh_handoff_is_not_held(
    hook: Hook, write: Callable[..., Run], told: Callable[..., str]
) -> None:
    told("s-1")
    write()

    assert hook("handoff_guard", "Stop") == {}


def test_a_handoff_from_before_the_session_is_not_fresh(
    hook: Hook, write: Callable[..., Run], project: Path
) -> None:
    write()
    line = {
        "ts": "2199-01-01T00:00:00Z", "event": "booted", "handoff_id": "", "lane_id": "solo",
        "by_session": "s-1", "details": {"head": "unknown", "source": "startup"},
    }  # fmt: skip
    with (project / STATE / "HANDOFF-LEDGER.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    (project / "work.txt").write_text("x", encoding="utf-8")

    assert hook("handoff_guard", "Stop")["decision"] == "block"


def test_a_session_that_changed_nothing_is_not_held(
    hook: Hook, told: Callable[..., str], repository: Path
) -> None:
    told("s-1")
    assert "decision" not in hook("handoff_guard", "Stop")

    (repository / "a.txt").write_text("two\n", encoding="utf-8")
    (repository / CURRENT).unlink()

    assert hook("handoff_guard", "Stop")["decision"] == "block"


def test_remind_never_holds(hook: Hook, project: Path) -> None:
    (project / "operator-profile.yaml").write_text(
        "continuity:\n  enforcement: remind\n", encoding="utf-8"
    )

    assert list(hook("handoff_guard", "Stop")) == ["systemMessage"]


def test_a_bad_profile_is_said_at_the_start_and_leaves_the_defaults(
    hook: Hook, project: Path
) -> None:
    (project / "operator-profile.yaml").write_text(
        "continuity:\n  fresh_seconds: 5\n", encoding="utf-8"
    )

    began = hook("handoff_inject", "SessionStart", source="startup")

    assert "continuity.fresh_seconds: expected a whole number from 60" in began["systemMessage"]
    assert hook("handoff_guard", "Stop")["decision"] == "block"


def test_a_compaction_is_measured_and_its_successor_is_told(
    hook: Hook, told: Callable[..., str], repository: Path
) -> None:
    told("s-1")
    (repository / "a.txt").write_text("two\n", encoding="utf-8")

    before = hook("handoff_guard", "PreCompact", trigger="auto")
    after = told("s-1", source="compact")

    assert list(before) == ["systemMessage"]
    assert "refs/hpp/checkpoints/" in before["systemMessage"]
    assert "degraded-auto" in after
    assert "Do not take this record for complete" in after
    kept = json.loads((repository / CURRENT).read_bytes())
    assert kept["git"]["porcelain"] == " M a.txt"
    assert kept["evidence"][0]["value"] == "first"


def test_a_full_handoff_survives_ten_degraded_stops(
    hook: Hook, write: Callable[..., Run], told: Callable[..., str], project: Path
) -> None:
    write()
    before = (project / CURRENT).read_bytes()
    for number in range(10):
        hook("handoff_guard", "PreCompact", f"s-{number}", trigger="auto")
    # Fresh: nothing was measured. From now on the document is an hour old.
    old = json.loads(before)
    (project / CURRENT).write_bytes(
        before.replace(old["created_at"].encode(), b"2026-01-01T00:00:00Z")
    )
    aged = (project / CURRENT).read_bytes()
    for number in range(10):
        hook("handoff_guard", "PreCompact", f"t-{number}", trigger="auto")
        hook("handoff_guard", "Stop", f"t-{number}", stop_hook_active=True)

    assert (project / CURRENT).read_bytes() == aged
    assert json.loads((project / DEGRADED).read_bytes())["quality"] == "degraded-auto"
    text = told()
    assert "newer, measured by a hook and not complete: .claude/handoff/HANDOFF-DEGRADED" in text
    assert text.endswith(CURRENT)


def test_a_file_name_like_a_secret_is_not_written_down(hook: Hook, repository: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    (repository / f"{token}.txt").write_text("x", encoding="utf-8")

    hook("handoff_guard", "PreCompact", trigger="auto")

    assert token not in (repository / CURRENT).read_text(encoding="utf-8")
    assert "REDACTED" in (repository / CURRENT).read_text(encoding="utf-8")


def test_a_resumed_session_gets_the_name_and_the_place_alone(
    told: Callable[..., str], write: Callable[..., Run]
) -> None:
    write()

    assert len(told(source="resume").splitlines()) == 3


def test_the_excerpt_of_the_state_document_is_off_unless_wanted(
    told: Callable[..., str], project: Path
) -> None:
    state = project / "docs/plans/execution/00-STATE.md"
    state.parent.mkdir(parents=True)
    state.write_text("## Now\nthe focus\n\n## Log\nold\n", encoding="utf-8")

    assert "the focus" not in told()
    (project / "operator-profile.yaml").write_text(
        "continuity:\n  boot_state: true\n", encoding="utf-8"
    )
    text = told()
    assert "Excerpt of the project file" in text
    assert "the focus" in text
    assert "\nold" not in text


def test_a_hostile_session_id_stays_one_short_line(hook: Hook, project: Path) -> None:
    session = "../../x\n{}\u202e" + "y" * 100_000

    hook("handoff_inject", "SessionStart", session, source="startup")
    hook("handoff_guard", "Stop", session)
    answer = hook("handoff_guard", "Stop", session, stop_hook_active=True)

    assert list(answer) == ["systemMessage"]
    lines = (project / STATE / "HANDOFF-LEDGER.jsonl").read_bytes().splitlines()
    assert max(map(len, lines)) < 1000
    assert all(json.loads(line) for line in lines)


@pytest.mark.parametrize("event", ["SessionStart", "Stop", "PreCompact"])
def test_every_answer_has_a_shape_that_both_hosts_honour(
    run: Callable[..., Run], write: Callable[..., Run], project: Path, event: str
) -> None:
    write()
    script = "handoff_inject" if event == "SessionStart" else "handoff_guard"
    for more in ({}, {"stop_hook_active": True}, {"source": "compact"}, {"turn_id": "t"}):
        payload = {"hook_event_name": event, "session_id": "q", "cwd": str(project), **more}
        done = run(f"hooks/{script}.py", stdin=json.dumps(payload))
        assert shape_fault(event, Answer(done.returncode, done.stdout.decode("ascii"))) is None
        assert len(done.stdout) < 12_000


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("bash"), reason="needs bash")
def test_the_wired_commands_work_and_a_missing_script_lets_through(
    module_root: Path, environment: dict[str, str], project: Path
) -> None:
    wired = json.loads((module_root / "hooks/hooks.json").read_bytes())["hooks"]
    for event, groups in wired.items():
        command = groups[0]["hooks"][0]["command"]
        for broken in (False, True):
            line = command.replace(".py", ".missing") if broken else command
            more = {"CLAUDE_PLUGIN_ROOT": str(module_root), "CLAUDE_PROJECT_DIR": str(project)}
            done = subprocess.run(
                ["bash", "-c", line], capture_output=True, timeout=60,
                input=json.dumps({"hook_event_name": event, "session_id": "s"}).encode(),
                env={**environment, **more}, cwd=project, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            assert b"Traceback" not in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no such mode on Windows")
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_project_that_cannot_be_written_lets_everything_through(
    hook: Hook, project: Path
) -> None:
    project.chmod(0o555)
    try:
        assert "ledger cannot be written" in str(
            hook("handoff_inject", "SessionStart", source="startup")
        )
        assert "decision" not in hook("handoff_guard", "Stop")
    finally:
        project.chmod(0o755)


def test_controle_a_hook_that_asks_every_time_would_be_seen(hook: Hook, project: Path) -> None:
    assert hook("handoff_guard", "Stop")["decision"] == "block"
    for path in (project / STATE).glob("HANDOFF-LEDGER*"):
        path.unlink()  # a guard that forgets what it asked

    assert hook("handoff_guard", "Stop")["decision"] == "block"
