"""The status line is wired by a person, exactly, and taken out exactly."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = subprocess.CompletedProcess[bytes]


@pytest.fixture
def wire(run: Callable[..., Run], module_root: Path) -> Callable[..., Run]:
    """Return a caller of the patcher, on the project's settings."""
    spec = module_root / "install/statusline.spec.json"

    def call(*words: str) -> Run:
        return run("scripts/wire_settings.py", "--target", "settings.json", "--spec", spec, *words)

    return call


def read(project: Path) -> dict[str, Any]:
    return dict(json.loads((project / "settings.json").read_bytes()))


def test_the_command_is_whole_and_runs(
    wire: Callable[..., Run], project: Path, module_root: Path, environment: dict[str, str]
) -> None:
    plan = wire()
    assert plan.returncode == 0
    assert not (project / "settings.json").exists()
    assert wire("--apply").returncode == 0

    command = read(project)["statusLine"]["command"]
    words = shlex.split(command)
    root = module_root.as_posix()
    assert words == [
        "bash", f"{root}/hooks/pyrun.sh", "observe", f"{root}/statusline/statusline.py",
        "--statusline",
    ]  # fmt: skip
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    done = subprocess.run(
        ["bash", "-c", command], input=json.dumps({"cwd": str(project)}).encode(), cwd="/",
        env=environment, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"main\n")


def test_a_line_of_another_program_stays(wire: Callable[..., Run], project: Path) -> None:
    foreign = b'{"statusLine": {"type": "command", "command": "mine"}}'
    (project / "settings.json").write_bytes(foreign)

    assert wire("--apply").returncode == 1
    assert (project / "settings.json").read_bytes() == foreign


def test_undo_keeps_what_a_person_did_since(wire: Callable[..., Run], project: Path) -> None:
    (project / "settings.json").write_text('{"model": "a"}')
    assert wire("--apply").returncode == 0
    settings = read(project)
    settings["model"] = "b"
    (project / "settings.json").write_text(json.dumps(settings, indent=2))

    assert wire("--undo", "--apply").returncode == 0

    assert read(project) == {"model": "b"}


def test_undo_refuses_a_line_that_was_edited(wire: Callable[..., Run], project: Path) -> None:
    wire("--apply")
    settings = read(project)
    settings["statusLine"]["command"] += " --panel"
    (project / "settings.json").write_text(json.dumps(settings, indent=2))

    assert wire("--undo", "--apply").returncode == 2
    assert read(project) == settings


@pytest.mark.skipif(os.name == "nt", reason="no such names on Windows")
@pytest.mark.parametrize("name", ["a $(touch ran)", 'a "b"', "a `b`"])
def test_control_a_folder_that_a_shell_would_run_is_refused(
    run: Callable[..., Run], module_root: Path, project: Path, tmp_path: Path, name: str
) -> None:
    copy = tmp_path / name
    (copy / "install").mkdir(parents=True)
    shutil.copy(module_root / "install/statusline.spec.json", copy / "install")
    spec = copy / "install/statusline.spec.json"

    done = run("scripts/wire_settings.py", "--target", "settings.json", "--spec", spec, "--apply")

    assert done.returncode == 2
    assert not (project / "settings.json").exists()
