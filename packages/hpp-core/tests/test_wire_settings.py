"""The shared tools as scripts: their statuses, their reports, and that a plan writes nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import hpp.core

if TYPE_CHECKING:
    from collections.abc import Callable

PORTABLE = Path(hpp.core.__file__).parent / "portable"
TOOLS = ("wire_settings.py", "install_git_hook.py", "skill_lint.py", "secret_scan_on_write.py")
REPORT = {"schema", "status", "exit_code", "problems"}
PROBLEM = {"code", "severity", "path", "measured", "expected", "next"}
SPEC = {
    "schema": "hpp.wiring-spec/v1",
    "hooks": {
        "Stop": [
            {
                "id": "k/a",
                "script": "k/hooks/a.py",
                "clamp": "observe",
                "timeout": 5,
                "words": ["x"],
            }
        ]
    },
}


def run(tool: str, *words: object, **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, PORTABLE / tool, *map(str, words)], capture_output=True, timeout=60,
        stdin=subprocess.DEVNULL, env={**os.environ, **more}, check=False,
    )  # fmt: skip


@pytest.fixture
def wire(tmp_path: Path) -> Callable[..., tuple[int, dict[str, Any]]]:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps(SPEC))

    def call(*words: object) -> tuple[int, dict[str, Any]]:
        done = run(
            "wire_settings.py", "--target", tmp_path / "settings.json", "--spec", spec, *words
        )
        return done.returncode, json.loads(done.stdout)

    return call


@pytest.mark.parametrize("tool", TOOLS)
def test_each_tool_checks_itself(tool: str) -> None:
    done = run(tool, "--self-test")

    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1].startswith(b"self-test: ")


@pytest.mark.parametrize("tool", TOOLS[:3])
def test_a_command_line_that_cannot_be_understood_is_3(tool: str) -> None:
    done = run(tool, "--no-such-option")

    assert done.returncode == 3
    assert done.stdout == b""
    assert b"--no-such-option" in done.stderr


def test_a_plan_says_what_an_apply_then_does(
    wire: Callable[..., tuple[int, dict[str, Any]]], tmp_path: Path
) -> None:
    settings = tmp_path / "settings.json"

    code, plan = wire()
    assert (code, plan["mode"], plan["changes"]) == (0, "plan", True)
    assert not settings.exists()
    code, done = wire("--apply")

    assert code == 0
    assert done["actions"] == plan["actions"]
    entry = json.loads(settings.read_bytes())["hooks"]["Stop"][0]["hooks"][0]
    assert entry["command"] == (
        'bash "${CLAUDE_PROJECT_DIR}/k/hooks/pyrun.sh" observe '
        '"${CLAUDE_PROJECT_DIR}/k/hooks/a.py" x'
    )
    assert wire("--undo", "--apply")[0] == 0
    assert sorted(each.name for each in tmp_path.iterdir() if "bak" not in each.name) == [
        "spec.json"
    ]


def line_spec(folder: Path) -> Path:
    """Write a specification of a status line into a module's folder and return its path."""
    (folder / "install").mkdir(parents=True)
    spec = folder / "install" / "line.json"
    command = 'bash "${CLAUDE_PLUGIN_ROOT}/hooks/pyrun.sh" observe "x.py"'
    document = {"schema": "hpp.wiring-spec/v1", "statusLine": {"command": command}}
    spec.write_text(json.dumps(document))
    return spec


def test_a_status_line_names_the_folder_of_its_module_in_full(tmp_path: Path) -> None:
    spec = line_spec(tmp_path / "a module")
    settings = tmp_path / "settings.json"

    done = run("wire_settings.py", "--target", settings, "--spec", spec, "--apply")

    assert done.returncode == 0, done.stdout
    root = (tmp_path / "a module").as_posix()
    assert json.loads(settings.read_bytes())["statusLine"] == {
        "type": "command",
        "command": f'bash "{root}/hooks/pyrun.sh" observe "x.py"',
    }


@pytest.mark.skipif(os.name == "nt", reason="no such names on Windows")
@pytest.mark.parametrize("name", ["$(touch ran)", "`touch ran`", '"; touch ran; "', "a\nb"])
def test_a_folder_whose_name_a_shell_would_run_is_refused(tmp_path: Path, name: str) -> None:
    spec = line_spec(tmp_path / name)
    settings = tmp_path / "settings.json"

    done = run("wire_settings.py", "--target", settings, "--spec", spec, "--apply")

    assert done.returncode == 2
    assert not settings.exists()


def test_a_report_is_kept_in_a_file_as_well_and_says_what_is_wrong(
    wire: Callable[..., tuple[int, dict[str, Any]]], tmp_path: Path
) -> None:
    (tmp_path / "settings.json").write_text("{")

    code, told = wire("--json", tmp_path / "report.json")

    assert code == told["exit_code"] == 2
    assert json.loads((tmp_path / "report.json").read_bytes()) == told
    assert set(told) >= REPORT
    assert [set(each) for each in told["problems"]] == [PROBLEM]
    assert told["problems"][0]["code"] == "settings-invalid"


@pytest.mark.parametrize("name", ["absent.json", "folder"])
def test_a_specification_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()

    done = run("wire_settings.py", "--target", tmp_path / "s.json", "--spec", tmp_path / name)

    assert done.returncode == 2
    assert json.loads(done.stdout)["status"] == "block"


def test_a_folder_that_is_missing_is_never_made(tmp_path: Path) -> None:
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps(SPEC))

    done = run("wire_settings.py", "--target", tmp_path / "no/s.json", "--spec", spec, "--apply")

    assert done.returncode == 2
    assert not (tmp_path / "no").exists()


def test_control_a_tool_that_fails_is_seen(tmp_path: Path) -> None:
    assert run("skill_lint.py", tmp_path).returncode == 2
