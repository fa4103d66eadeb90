"""What every hook owes: input it cannot judge, faults of its own, wiring, declarations."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.hookfile import hook_file_faults, wirings
from hpp.core.hookscript import wired_scripts
from hpp.core.portable.answer import Answer, shape_fault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = subprocess.CompletedProcess[bytes]

BASH = {"tool_name": "Bash"}
EDIT = {"tool_name": "Write"}
PROMPT = {"prompt": 7}
# Script, event, and fields of which one that it needs has the wrong type.
HOOKS: list[tuple[str, str, dict[str, Any]]] = [
    ("operation_guard", "PreToolUse", {**BASH, "tool_input": {"command": 7}}),
    ("snapshot_rollback_gate", "PreToolUse", {**BASH, "tool_input": {"command": ["rm"]}}),
    ("external_send_draft_gate", "PreToolUse", {**BASH, "tool_input": {}}),
    ("fact_force_gate", "PreToolUse", {**EDIT, "tool_input": {"file_path": 7, "content": ""}}),
    ("secret_scan_on_write", "PreToolUse", {**EDIT, "tool_input": {"file_path": "a"}}),
    ("project_root_confirm", "PreToolUse", {**EDIT, "tool_input": "x"}),
    ("rule_capture", "UserPromptSubmit", PROMPT),
    ("loop_gate", "Stop", {"session_id": 7}),
    ("autoprompt_resume", "Stop", {"stop_hook_active": "yes"}),
]
NAMES = [name for name, _, _ in HOOKS]
MALFORMED = {
    "empty": b"",
    "truncated": b'{"hook_event_name": "PreToolUse", "tool_na',
    "9 MiB": b'{"a": "' + b"x" * (9 * 1024 * 1024) + b'"}',
    "no object": b"[1]",
    "not UTF-8": b'{"a": "\xff"}',
    "a key twice": b'{"a": 1, "a": 2}',
    "NaN": b'{"a": NaN}',
}
CRASH = (
    "\nimport _lib\n\n\ndef decide(payload):\n    raise ValueError('planted ghp_' + 'a1B2' * 9)\n"
)
MAIN = 'if __name__ == "__main__":'


def told(done: Run) -> str:
    assert b"Traceback" not in done.stderr
    message: str = json.loads(done.stdout)["systemMessage"]
    return message


@pytest.mark.parametrize("script", NAMES)
@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_malformed_input_is_told_and_let_through(
    run: Callable[..., Run], script: str, data: bytes
) -> None:
    done = run(f"hooks/{script}.py", stdin=data)

    assert done.returncode == 0
    said = told(done)
    assert said.startswith(f"{script.replace('_', '-')}: input not understood (")
    assert said.endswith("; not evaluated")


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_malformed_input_is_blocked_by_the_guard_in_enforce(
    run: Callable[..., Run], data: bytes
) -> None:
    done = run("hooks/operation_guard.py", stdin=data, HPP_POLICY_MODE="enforce")

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"operation-guard: input not understood (")


def test_a_profile_in_enforce_closes_the_guard_for_malformed_input(
    run: Callable[..., Run], project: Path
) -> None:
    text = "guardrails:\n  operation_guard_mode: enforce\n"
    (project / "operator-profile.yaml").write_text(text)

    assert run("hooks/operation_guard.py", stdin=b"{").returncode == 2
    assert run("hooks/operation_guard.py", stdin=b"{", CLAUDE_PROJECT_DIR=None).returncode == 2


@pytest.mark.parametrize(("script", "name", "fields"), HOOKS, ids=NAMES)
def test_a_field_of_the_wrong_type_is_malformed(
    hook: Callable[..., Run],
    event: Callable[..., dict[str, Any]],
    script: str,
    name: str,
    fields: dict[str, Any],
) -> None:
    done = hook(script, event(name, **fields))

    assert done.returncode == 0
    assert "input not understood" in told(done)
    if script == "operation_guard":
        assert hook(script, event(name, **fields), HPP_POLICY_MODE="enforce").returncode == 2


@pytest.mark.parametrize("script", NAMES)
@pytest.mark.parametrize("name", ["Notification", "PostToolUse", "PermissionRequest"])
def test_an_event_that_is_not_its_own_has_no_answer(
    hook: Callable[..., Run], event: Callable[..., dict[str, Any]], script: str, name: str
) -> None:
    given = event(name, tool_name="Bash", tool_input={"command": "rm -rf src"})

    done = hook(script, given, HPP_POLICY_MODE="enforce")

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.fixture
def crashing(module_root: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Return a maker of copies of the module in which one hook fails at every event."""

    def make(script: str) -> Path:
        root = tmp_path / "a copy" / script
        shutil.copytree(module_root, root)
        path = root / "hooks" / f"{script}.py"
        text = path.read_text(encoding="utf-8")
        assert text.count(MAIN) == 1
        path.write_text(text.replace(MAIN, CRASH + "\n\n" + MAIN), encoding="utf-8")
        return root

    return make


@pytest.mark.parametrize(("script", "name"), [hook[:2] for hook in HOOKS], ids=NAMES)
def test_a_crash_is_told_and_let_through(
    hook: Callable[..., Run],
    event: Callable[..., dict[str, Any]],
    crashing: Callable[[str], Path],
    script: str,
    name: str,
) -> None:
    done = hook(script, event(name, tool_name="Bash"), root=crashing(script))

    assert done.returncode == 0
    assert told(done) == f"{script.replace('_', '-')}: internal error (ValueError); not evaluated"


def test_a_crash_of_the_guard_blocks_in_enforce(
    hook: Callable[..., Run], crashing: Callable[[str], Path]
) -> None:
    root = crashing("operation_guard")

    done = hook("operation_guard", "ls", root=root, HPP_POLICY_MODE="enforce")

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"internal error (ValueError)" in done.stderr


@pytest.fixture
def wired(module_root: Path, environment: dict[str, str], project: Path) -> Callable[..., Run]:
    """Return a runner of what hooks.json wires for an event and a matcher."""

    def start(name: str, matcher: str | None, data: bytes, **more: Any) -> Run:  # noqa: ANN401 -- variables
        root = more.pop("root", module_root)
        document = json.loads((root / "hooks" / "hooks.json").read_bytes())
        group = next(each for each in document["hooks"][name] if each.get("matcher") == matcher)
        first = os.path.dirname(sys.executable)
        path = first + os.pathsep + environment.get("PATH", "")
        return subprocess.run(
            ["bash", "-c", group["hooks"][0]["command"]],
            cwd=project,
            input=data,
            env={**environment, "PATH": path, "CLAUDE_PLUGIN_ROOT": str(root), **more},
            capture_output=True,
            timeout=60,
            check=False,
        )

    return start


needs_bash = pytest.mark.skipif(
    os.name == "nt" or shutil.which("bash") is None, reason="bash and a path of its own form"
)


@needs_bash
def test_the_wired_guard_blocks_and_lets_through(
    wired: Callable[..., Run], event: Callable[..., dict[str, Any]]
) -> None:
    def put(text: str) -> Run:
        given = event(tool_name="Bash", tool_input={"command": text})
        data = json.dumps(given).encode()
        return wired("PreToolUse", "Bash", data, HPP_POLICY_MODE="enforce")

    blocked = put("rm -rf src")

    assert (blocked.returncode, blocked.stdout) == (2, b"")
    assert b"operation-guard: recursive-delete" in blocked.stderr
    assert b"snapshot-rollback-gate" in blocked.stderr
    allowed = put("python -m pytest -q")
    assert (allowed.returncode, allowed.stdout, allowed.stderr) == (0, b"", b"")


@needs_bash
def test_a_hook_that_fails_beside_the_guard_does_not_silence_it(
    wired: Callable[..., Run],
    event: Callable[..., dict[str, Any]],
    crashing: Callable[[str], Path],
) -> None:
    given = event(tool_name="Bash", tool_input={"command": "rm -rf src"})

    done = wired(
        "PreToolUse",
        "Bash",
        json.dumps(given).encode(),
        root=crashing("fact_force_gate"),
        HPP_POLICY_MODE="enforce",
    )

    assert done.returncode == 2
    assert b"recursive-delete" in done.stderr
    assert b"fact-force-gate: internal error" in done.stderr


@needs_bash
@pytest.mark.parametrize("broken", ["syntax", "missing"])
def test_a_guard_that_cannot_be_loaded_lets_nothing_through(
    wired: Callable[..., Run],
    event: Callable[..., dict[str, Any]],
    module_root: Path,
    tmp_path: Path,
    broken: str,
) -> None:
    root = tmp_path / "a broken copy"
    shutil.copytree(module_root, root)
    guard = root / "hooks" / "operation_guard.py"
    if broken == "syntax":
        guard.write_text(guard.read_text(encoding="utf-8") + "\n(", encoding="utf-8")
    else:
        guard.unlink()
    given = event(tool_name="Bash", tool_input={"command": "ls"})

    done = wired("PreToolUse", "Bash", json.dumps(given).encode(), root=root)

    assert done.returncode == 2
    assert done.stderr


@needs_bash
def test_without_an_interpreter_the_guard_blocks_and_the_others_do_not(
    wired: Callable[..., Run], tmp_path: Path
) -> None:
    for name in ("uname", "readlink", "mkdir", "dirname", "bash"):
        found = shutil.which(name)
        if found:
            (tmp_path / name).symlink_to(found)

    guard = wired("PreToolUse", "Bash", b"{}", PATH=str(tmp_path))
    other = wired("UserPromptSubmit", None, b"{}", PATH=str(tmp_path))

    assert guard.returncode == 2
    assert b"no Python" in guard.stderr
    assert other.returncode == 0


@needs_bash
def test_an_environment_that_the_project_carries_is_never_used(
    wired: Callable[..., Run], event: Callable[..., dict[str, Any]], project: Path
) -> None:
    folder = project / ".venv" / "bin"
    folder.mkdir(parents=True)
    for name in ("python", "python3"):
        (folder / name).write_text("#!/bin/sh\ntouch pwned\nexit 0\n")
        (folder / name).chmod(0o755)
    first = os.path.dirname(sys.executable)
    path = os.pathsep.join([str(folder), first, os.environ["PATH"]])
    given = event(tool_name="Bash", tool_input={"command": "rm -rf src"})

    done = wired(
        "PreToolUse", "Bash", json.dumps(given).encode(), PATH=path, HPP_POLICY_MODE="enforce"
    )

    assert done.returncode == 2
    assert not (project / "pwned").exists()


def test_what_is_wired_is_what_is_declared(
    module_root: Path, declared: dict[str, dict[str, Any]]
) -> None:
    document = json.loads((module_root / "hooks" / "hooks.json").read_bytes())

    assert hook_file_faults(document) == []
    found = {
        (script, name) for name, command in wirings(document) for script in wired_scripts(command)
    }
    assert found == {(key, name) for key, hook in declared.items() for name in hook["events"]}
    assert {f"hooks/{name}.py" for name in NAMES} == set(declared)
    files = {path.name for path in (module_root / "hooks").glob("*.py")} - {"run.py"}
    assert {f"hooks/{name}" for name in files} == set(declared)


def test_only_the_group_of_the_guard_fails_closed(module_root: Path) -> None:
    document = json.loads((module_root / "hooks" / "hooks.json").read_bytes())
    for groups in document["hooks"].values():
        for entry in (entry for group in groups for entry in group["hooks"]):
            is_guard = "operation_guard.py" in entry["command"]
            assert (entry.get("onFailure") == "block") == is_guard
            assert ('pyrun.sh" closed ' in entry["command"]) == is_guard


CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("operation_guard", "PreToolUse", {**BASH, "tool_input": {"command": "rm -rf src"}}),
    ("snapshot_rollback_gate", "PreToolUse", {**BASH, "tool_input": {"command": "rm -r x"}}),
    ("external_send_draft_gate", "PreToolUse", {**BASH, "tool_input": {"command": "scp a b.c:"}}),
    ("fact_force_gate", "PreToolUse", {**BASH, "tool_input": {"command": "rm -r x"}}),
    ("autoprompt_resume", "Stop", {}),
    ("loop_gate", "Stop", {"last_assistant_message": "done"}),
    ("rule_capture", "UserPromptSubmit", {"prompt": "always do"}),
]


@pytest.mark.parametrize(("script", "name", "fields"), CASES, ids=[case[0] for case in CASES])
def test_an_answer_has_a_shape_that_both_hosts_honour(
    hook: Callable[..., Run],
    event: Callable[..., dict[str, Any]],
    script: str,
    name: str,
    fields: dict[str, Any],
) -> None:
    done = hook(script, event(name, **fields))

    answer = Answer(done.returncode, done.stdout.decode("ascii"), done.stderr.decode())
    assert shape_fault(name, answer) is None
    assert len(done.stdout) + len(done.stderr) < 5000


TRACE = """
import json, os, runpy, sys
seen = {"spawn": False, "write": []}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
def watch(name, given):
    if name in ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.fork"):
        seen["spawn"] = True
    elif name == "open" and isinstance(given[0], str) and given[2] & WRITES:
        seen["write"].append(os.path.abspath(given[0]))
sys.addaudithook(watch)
os._exit = sys.exit
sys.argv = sys.argv[2:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit:
    pass
print(json.dumps(seen), file=sys.__stderr__)
"""
SPAWN, SOURCE, RECORD = (
    "mcp-network-and-process-activity",
    "automatic-source-writes",
    "session-observation-and-cost-records",
)


@pytest.mark.parametrize(("script", "name", "fields"), CASES, ids=[case[0] for case in CASES])
def test_what_a_hook_does_is_what_it_declares(  # noqa: PLR0913, PLR0917 -- fixtures
    module_root: Path,
    declared: dict[str, dict[str, Any]],
    environment: dict[str, str],
    event: Callable[..., dict[str, Any]],
    run: Callable[..., Run],
    project: Path,
    tmp_path: Path,
    script: str,
    name: str,
    fields: dict[str, Any],
) -> None:
    if script in ("loop_gate", "autoprompt_resume"):
        shutil.rmtree(project / ".git")
        subprocess.run(["git", "init", "-q", "."], cwd=project, check=True, env=environment)
    if script == "loop_gate":
        command = f'"{sys.executable}" -c pass'
        armed = run(
            "hooks/loop_gate.py", "start", "--session", "s", "--charter", "c", "--criteria", command
        )
        assert armed.returncode == 0
        fields = {"last_assistant_message": "<promise>x</promise>"}
    trace = tmp_path / "trace.py"
    trace.write_text(TRACE)
    path = module_root / "hooks" / f"{script}.py"
    done = subprocess.run(
        [sys.executable, str(trace), "--", str(path)],
        input=json.dumps(event(name, **fields)).encode(),
        cwd=project,
        env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        timeout=60,
        check=False,
    )

    seen = json.loads(done.stderr.splitlines()[-1])
    groups = declared[f"hooks/{script}.py"]["capabilities"]
    inside = [path for path in seen["write"] if path.startswith(str(project))]
    records = [path for path in seen["write"] if path.startswith(environment["HPP_STATE_DIR"])]
    assert seen["spawn"] == (SPAWN in groups)
    assert bool(inside) == (SOURCE in groups)
    if script not in ("rule_capture", "loop_gate"):  # their records are what they write inside
        assert bool(records) == (RECORD in groups)


def test_no_hook_loads_what_the_common_path_does_not_need(
    environment: dict[str, str],
    event: Callable[..., dict[str, Any]],
    module_root: Path,
    project: Path,
) -> None:
    given = event(tool_name="Bash", tool_input={"command": "python -m pytest -q"})
    scripts = [name for name, wired_for, _ in HOOKS if wired_for == "PreToolUse"]
    code = (
        "import os, runpy, sys\nos._exit = sys.exit\nfiles = sys.argv[1:]\nsys.argv = files\n"
        "try:\n    runpy.run_path(files[0], run_name='__main__')\nexcept SystemExit:\n    pass\n"
        "print(sorted(sys.modules), file=sys.__stderr__)"
    )
    words = [str(module_root / "hooks" / f"{name}.py") for name in ["run", *scripts]]
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, *words],
        input=json.dumps(given).encode(),
        cwd=project,
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )

    loaded = set(re.findall(r"'([\w.]+)'", done.stderr.decode().splitlines()[-1]))
    assert "hpp.core.policy.verdict" in loaded
    slow = {"argparse", "subprocess", "hashlib", "json", "re", "typing", "dataclasses", "pathlib"}
    # runpy brings some of its own; what it does not bring, nothing else may bring.
    assert not (slow - {"typing", "re", "pathlib"}) & loaded
