"""What the real clients do with the hooks; skipped where a client is not installed.

The model is a script on loopback, so no account is needed. `HPP_HOSTS` names a folder in
which npm installed the clients; else they are looked for on the path.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    Turns = list[tuple[str, str | None]]

PROMISE = "<promise>the evidence is there</promise>"
CRASH = "\n\ndef decide(payload):\n    raise ValueError\n\n\nif __name__"
BLOCKED = ["rm -rf src", "git push --force", 'bash -c "rm -rf src"']


def program(name: str) -> str:
    hosts = os.environ.get("HPP_HOSTS")
    folder = str(Path(hosts) / "node_modules" / ".bin") if hosts else None
    found = shutil.which(name, path=folder)
    if found is None:
        pytest.skip(f"{name} is not installed; HPP_HOSTS names where npm installed it")
    return found


@pytest.fixture(scope="session")
def model() -> ModuleType:
    """Return the module of the scripted model."""
    path = Path(__file__).with_name("scriptedmodel.py")
    spec = importlib.util.spec_from_file_location("operator_scriptedmodel", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a project with a source file, as a repository."""
    folder = tmp_path / "a repository"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.txt").write_text("a\n")
    subprocess.run(["git", "init", "-q", "-b", "feature", str(folder)], check=True, timeout=60)
    return folder


@pytest.fixture
def around(tmp_path: Path) -> dict[str, str]:
    """Return the variables around a client: its own home, nothing of the caller but PATH."""
    home = tmp_path / "a home"
    (home / "tmp").mkdir(parents=True)
    return {
        "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"],
        "HOME": str(home), "TMPDIR": str(home / "tmp"), "LANG": "C.UTF-8", "TERM": "dumb",
        "HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9",
        "NO_PROXY": "127.0.0.1", "HPP_POLICY_MODE": "enforce",
    }  # fmt: skip


def run_client(words: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=150, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def claude(
    module_root: Path, model: ModuleType, repository: Path, around: dict[str, str]
) -> Callable[..., list[str]]:
    """Return a runner of a session of Claude Code; it gives what the model was sent."""
    client = program("claude")

    def hold(turns: Turns, *words: str, root: Path = module_root, **more: str) -> list[str]:
        with model.ScriptedModel(turns) as scripted:
            environment = {
                **around, "ANTHROPIC_API_KEY": "dummy-key", "ANTHROPIC_BASE_URL": scripted.url,
                "CLAUDE_CODE_TMPDIR": around["TMPDIR"], "DISABLE_AUTOUPDATER": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1",
                "DISABLE_ERROR_REPORTING": "1", **more,
            }  # fmt: skip
            command = [client, "-p", "go on", "--plugin-dir", str(root), "--allowedTools", "Bash"]
            run_client([*command, *words], repository, environment)
        sent: list[str] = scripted.requests
        return sent

    return hold


@pytest.fixture
def codex(
    module_root: Path, model: ModuleType, repository: Path, around: dict[str, str]
) -> Callable[..., tuple[list[str], str]]:
    """Return a runner of a session of Codex CLI; it gives what the model was sent, and the log."""
    client = program("codex")

    def hold(turns: Turns, *words: str, root: Path = module_root) -> tuple[list[str], str]:
        text = (root / "hooks" / "hooks.json").read_text(encoding="utf-8")
        wired = text.replace("${CLAUDE_PLUGIN_ROOT}", str(root))
        place = Path(around["HOME"]) / ".codex"
        place.mkdir(exist_ok=True)
        (place / "hooks.json").write_text(wired, encoding="utf-8")
        with model.ScriptedModel(turns) as scripted:
            provider = (
                f'{{name="fake", base_url="{scripted.url}/v1", wire_api="responses",'
                ' env_key="FAKE_KEY", request_max_retries=0, stream_max_retries=0}'
            )
            settings = ['model="gpt-5.5"', 'model_provider="fake"', "analytics.enabled=false",
                        f"model_providers.fake={provider}", "check_for_update_on_startup=false",
                        "features.daemon_auto_start=false"]  # fmt: skip
            options = [word for setting in settings for word in ("-c", setting)]
            log = run_client(
                [client, *options, "exec", *words, "--dangerously-bypass-hook-trust",
                 "--dangerously-bypass-approvals-and-sandbox", "go on"],
                repository, {**around, "FAKE_KEY": "dummy-key"},
            )  # fmt: skip
        return scripted.requests, log

    return hold


@pytest.fixture
def crashing(module_root: Path, tmp_path: Path) -> Path:
    """Return a copy of the module whose guard fails at every event."""
    root = tmp_path / "a crashing copy"
    shutil.copytree(module_root, root)
    guard = root / "hooks" / "operation_guard.py"
    text = guard.read_text(encoding="utf-8")
    guard.write_text(text.replace("\n\nif __name__", CRASH), encoding="utf-8")
    return root


@pytest.fixture
def arm(module_root: Path, repository: Path, around: dict[str, str]) -> Callable[[str], None]:
    """Return an arming of a loop whose criterion is a file that has to be there."""

    def start(session: str) -> None:
        test = f"{sys.executable} -c \"open('evidence.txt')\""
        command = [sys.executable, str(module_root / "hooks" / "loop_gate.py"), "start",
                   "--session", session, "--charter", "leave evidence", "--criteria", test,
                   "--project-dir", str(repository)]  # fmt: skip
        subprocess.run(command, env=around, check=True, capture_output=True, timeout=60)

    return start


def test_claude_code_is_held_by_the_guard(
    claude: Callable[..., list[str]], repository: Path
) -> None:
    turns: Turns = [("On it.", text) for text in BLOCKED]

    sent = claude([*turns, ("And this.", "python -m pytest -q --version; touch ran")])

    assert (repository / "src" / "a.txt").exists()
    assert (repository / "ran").exists()
    assert sent[1].count("operation-guard: recursive-delete") == 1
    assert sent[2].count("operation-guard: force-push") == 1
    assert sent[3].count("operation-guard: recursive-delete") == 2
    assert sent[4].count("operation-guard:") == sent[3].count("operation-guard:")


def test_claude_code_asks_a_person_about_a_push(claude: Callable[..., list[str]]) -> None:
    sent = claude([("On it.", "git push origin feature")])

    assert "external-push" in sent[1]
    assert "does not appear to be a git repository" not in sent[1]


def test_claude_code_goes_on_until_there_is_evidence(
    claude: Callable[..., list[str]], arm: Callable[[str], None], repository: Path
) -> None:
    session = str(uuid.uuid4())
    arm(session)
    turns: Turns = [
        ("I am done.", None),
        (PROMISE, None),
        ("Now really.", "echo ok > evidence.txt"),
        (PROMISE, None),
        ("never asked", None),
    ]

    sent = claude(turns, "--session-id", session)

    assert len(sent) == 4
    assert "iteration 1 of 8" in sent[1]
    assert "the promise does not hold" in sent[2]
    assert "FileNotFoundError" in sent[2]
    ledger = repository / ".claude" / "loop-gate" / "ledger.jsonl"
    events = [json.loads(line)["event"] for line in ledger.read_text().splitlines()]
    assert events == ["armed", "iteration", "gate-failed", "gate-passed"]


def test_claude_code_tells_the_session_its_id(
    claude: Callable[..., list[str]], repository: Path
) -> None:
    session = str(uuid.uuid4())

    claude([("On it.", 'echo "$HPP_SESSION_ID" > told')], "--session-id", session)

    assert (repository / "told").read_text().strip() == session


def test_claude_code_lets_nothing_past_a_guard_that_crashes(
    claude: Callable[..., list[str]], crashing: Path, repository: Path
) -> None:
    sent = claude([("On it.", "touch ran")], root=crashing)

    assert not (repository / "ran").exists()
    assert "operation-guard: internal error (ValueError)" in sent[1]


def test_control_in_audit_claude_code_runs_it(
    claude: Callable[..., list[str]], repository: Path
) -> None:
    claude([("On it.", "rm -rf src")], HPP_POLICY_MODE="audit")

    assert not (repository / "src").exists()


def test_codex_is_held_by_the_guard(
    codex: Callable[..., tuple[list[str], str]], repository: Path
) -> None:
    commands = ["rm -r src", "git push --force", 'bash -c "rm -r src"', "git push origin feature"]
    turns: Turns = [("On it.", text) for text in commands]

    sent, log = codex([*turns, ("And this.", "python -m pytest -q --version; touch ran")])

    assert (repository / "src" / "a.txt").exists(), log
    assert (repository / "ran").exists(), log
    assert sent[1].count("operation-guard: protected-delete") == 1
    assert sent[2].count("operation-guard: force-push") == 1
    assert sent[3].count("operation-guard: protected-delete") == 2
    assert "a person has to decide" in sent[4]


def test_codex_lets_nothing_past_a_guard_that_crashes(
    codex: Callable[..., tuple[list[str], str]], crashing: Path, repository: Path
) -> None:
    sent, log = codex([("On it.", "touch ran")], root=crashing)

    assert not (repository / "ran").exists(), log
    assert "operation-guard: internal error (ValueError)" in sent[1]


def test_codex_goes_on_until_there_is_evidence(
    codex: Callable[..., tuple[list[str], str]], arm: Callable[[str], None], repository: Path
) -> None:
    _, log = codex([("Hello.", None)])
    session = next(
        line.partition(":")[2].strip() for line in log.splitlines() if "session id:" in line
    )
    arm(session)
    turns: Turns = [(PROMISE, None), ("Now.", "echo ok > evidence.txt"), (PROMISE, None)]

    sent, log = codex([*turns, ("never asked", None)], "resume", session)

    assert len(sent) == 3, log
    assert "the promise does not hold" in sent[1]
    ledger = repository / ".claude" / "loop-gate" / "ledger.jsonl"
    events = [json.loads(line)["event"] for line in ledger.read_text().splitlines()]
    assert events == ["armed", "gate-failed", "gate-passed"]


def test_the_validator_has_nothing_against_the_plugin(
    module_root: Path, around: dict[str, str], tmp_path: Path
) -> None:
    client = program("claude")

    said: Any = run_client(
        [client, "plugin", "validate", "--strict", str(module_root)],
        tmp_path, {**around, "ANTHROPIC_API_KEY": "dummy-key"},
    )  # fmt: skip

    assert "passed" in said.lower()
