"""The tour, and the programs of single distributions."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from hpp.core.schema import faults, find_schema

Hpp = Callable[..., subprocess.CompletedProcess[bytes]]
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@needs_git
def test_the_tour_ends_verified_and_leaves_nothing(
    workspace: Path, hpp: Hpp, tmp_path: Path
) -> None:
    before = names(tmp_path)
    done = hpp("tour", "--json", timeout=180)

    transcript = json.loads(done.stdout)
    assert (done.returncode, transcript["passed"], transcript["state"]) == (0, True, "verified")
    assert faults(find_schema("tour").document(), transcript) == []
    exits = [step["exit"] for step in transcript["steps"]]
    assert exits == [step["expected_exit"] for step in transcript["steps"]]
    assert {0, 1, 2} <= set(exits)
    text = done.stdout.decode()
    assert str(workspace) not in text
    assert str(Path(sys.executable).parent) not in text
    assert "<tour>" in text
    assert names(workspace) == []
    assert names(tmp_path) == before


@needs_git
@pytest.mark.parametrize("isolation", [["-I"], []])
def test_the_tour_attests_refuses_and_asks_the_gate(
    workspace: Path, environment: dict[str, str], isolation: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, *isolation, "-m", "hpp", "tour", "--json"],
        cwd=workspace,
        env=environment,
        capture_output=True,
        check=False,
        timeout=180,
    )

    transcript = json.loads(done.stdout)
    assert (done.returncode, transcript["passed"]) == (0, True)
    steps = [
        (tuple(step["argv"][1:3]), step["exit"], step["stdout"] + step["stderr"])
        for step in transcript["steps"][-5:]
    ]
    assert [(words, status) for words, status, _ in steps[:4]] == [
        (("attest", "create"), 2),
        (("attest", "create"), 0),
        (("attest", "verify"), 0),
        (("attest", "verify"), 2),
    ]
    assert "maker and checker must be different" in steps[0][2]
    assert json.loads(steps[3][2])["status"] == "blocked"
    assert json.loads(steps[3][2])["changed"] == ["check.py"]
    assert (steps[4][0][0], steps[4][1]) == ("gate", 0)
    assert "gate: yes" in steps[4][2]
    assert b"hpp-tour-" not in done.stdout


@needs_git
def test_the_tour_is_read_as_text(hpp: Hpp) -> None:
    done = hpp("tour", timeout=180)

    text = done.stdout.decode()
    assert done.returncode == 0
    assert "$ hpp event append --type verified" in text
    assert "The work ended verified" in text


def test_without_git_the_tour_says_so(workspace: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-m", "hpp", "tour"],
        cwd=workspace,
        env={**environment, "PATH": str(workspace)},
        capture_output=True,
        check=False,
    )

    assert done.returncode == 2
    assert b"git" in done.stderr


@pytest.mark.parametrize("name", ["hpp", "hpp-cli"])
def test_both_programs_answer_alike(
    workspace: Path, environment: dict[str, str], name: str
) -> None:
    program = shutil.which(name, path=sysconfig.get_path("scripts"))
    assert program is not None

    done = subprocess.run(
        [program, "doctor"], cwd=workspace, env=environment, capture_output=True, check=False
    )

    assert (done.returncode, done.stdout[:10]) == (0, b"doctor ok:")


def test_a_folder_named_like_us_is_not_run(workspace: Path, hpp: Hpp) -> None:
    (workspace / "hpp" / "cli").mkdir(parents=True)
    (workspace / "hpp" / "cli" / "__init__.py").write_text("raise SystemExit(77)", encoding="utf-8")

    assert hpp("doctor").returncode == 0


def test_control_an_edited_record_would_not_verify(workspace: Path, hpp: Hpp) -> None:
    done = hpp("evidence", "run", "--id", "x", "--", sys.executable, "-c", "pass")
    path = workspace / json.loads(done.stdout)["record_path"]
    path.write_bytes(path.read_bytes().replace(b'"exit_code": 0', b'"exit_code": 1'))

    assert hpp("evidence", "verify", str(path)).returncode == 2
