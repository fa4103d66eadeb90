"""The GitHub Action and the pre-commit hook: what they run is run here, as it stands there.

Both files are read line by line: they hold block scalars and plain values only.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
NAMES = (
    "repo", "attestation", "allowed-signers", "signed-evidence", "manifest", "head", "work",
)  # fmt: skip
INJECTION = '"; touch ran; $(touch ran) `touch ran` #'

needs_bash = pytest.mark.skipif(
    os.name == "nt" or shutil.which("bash") is None, reason="the script is run by bash"
)
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def step(name: str) -> str:
    return ACTION.partition(f"- name: {name}\n")[2].partition("    - name:")[0]


def script(name: str) -> str:
    return textwrap.dedent(step(name).partition("run: |\n")[2])


def variables(name: str) -> dict[str, str]:
    """Return which expression fills each variable of a step."""
    found = re.findall(r"^ {8}(\w+): \$\{\{ ([\w.-]+) \}\}$", step(name), re.MULTILINE)
    return dict(found)


class Runner:
    """A runner with an hpp of its own, and a checkout without any work."""

    def __init__(self, checkout: Path, temp: Path, environment: dict[str, str]) -> None:
        self.checkout = checkout
        self.temp = temp
        self._environment = environment
        programs = temp / "hpp-gate" / "bin"
        programs.mkdir(parents=True)
        shown = 'printf "%s\\n" "$@" > "$RUNNER_TEMP/words"\n'
        wrapper = f'#!/bin/sh\n{shown}exec {shlex.quote(sys.executable)} "$@"\n'
        (programs / "python").write_text(wrapper, encoding="utf-8")
        (programs / "python").chmod(0o755)
        subprocess.run(["git", "init", "-q", "--template=", str(checkout)], check=True)

    def gate(self, **inputs: str) -> subprocess.CompletedProcess[str]:
        given = {"repo": str(self.checkout), "signed-evidence": "false", **inputs}
        values = {
            name: given.get(expression.removeprefix("inputs."), "")
            for name, expression in variables("May this advance?").items()
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script("May this advance?")],
            cwd=self.temp,
            env={**self._environment, "RUNNER_TEMP": str(self.temp), **values},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    @property
    def words(self) -> list[str]:
        return (self.temp / "words").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def runner(workspace: Path, environment: dict[str, str], tmp_path: Path) -> Runner:
    return Runner(workspace, tmp_path / "temp", environment)


def test_every_input_reaches_the_script_through_a_variable_alone() -> None:
    block = ACTION.partition("\ninputs:\n")[2].partition("\nruns:\n")[0]
    declared = re.findall(r"^ {2}([\w-]+):$", block, re.MULTILINE)

    assert sorted(declared) == sorted(NAMES)
    used = variables("May this advance?").values()
    assert sorted(used) == sorted(f"inputs.{name}" for name in NAMES)
    for name in ("Install hpp outside the judged tree", "May this advance?"):
        assert script(name).strip()
        assert "${{" not in script(name)


@needs_bash
@needs_git
def test_the_action_answers_as_the_gate_does(runner: Runner) -> None:
    done = runner.gate()

    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines()[0].startswith("log: no:")
    assert runner.words == ["-I", "-m", "hpp", "gate", f"--repo={runner.checkout}"]


@needs_bash
@needs_git
def test_inputs_become_options_one_for_each_line(runner: Runner) -> None:
    signers = runner.temp / "allowed"
    signers.write_bytes(b"")
    done = runner.gate(
        **{
            "work": "first\r\nsecond piece\n\n",
            "allowed-signers": str(signers),
            "signed-evidence": "true",
            "head": "0" * 64,
        }
    )

    assert done.returncode == 2
    assert "it was rewritten" in done.stdout
    assert runner.words[5:] == [
        f"--allowed-signers={signers}",
        f"--head={'0' * 64}",
        "--work=first",
        "--work=second piece",
        "--signed-evidence",
    ]


@needs_bash
@needs_git
@pytest.mark.parametrize("name", NAMES)
def test_no_input_is_run(runner: Runner, name: str) -> None:
    done = runner.gate(**{name: INJECTION})

    assert done.returncode != 0
    assert not (runner.temp / "ran").exists()
    assert not (runner.checkout / "ran").exists()


@needs_bash
@needs_git
def test_a_package_in_the_checkout_does_not_answer_for_us(runner: Runner) -> None:
    (runner.checkout / "hpp").mkdir()
    (runner.checkout / "hpp" / "__init__.py").write_text("raise SystemExit(0)", encoding="utf-8")

    assert runner.gate().returncode == 1


def test_the_action_installs_from_paths_alone() -> None:
    """A name of ours asked of a public index would be somebody else's package."""
    words = script("Install hpp outside the judged tree").partition("pip install")[2].split()
    named = [word.strip('"') for word in words if not word.startswith("-") and word != "\\"]

    assert named
    for path in named:
        assert path.startswith("$HPP_SOURCE/packages/")
        assert (ROOT / path.removeprefix("$HPP_SOURCE/") / "pyproject.toml").is_file()


def hook(key: str) -> str:
    found = re.search(rf"^[- ] {key}: (.+)$", HOOKS, re.MULTILINE)
    assert found is not None
    return found[1]


@needs_git
def test_the_hook_runs_the_installed_program(workspace: Path, environment: dict[str, str]) -> None:
    subprocess.run(["git", "init", "-q", "--template=", str(workspace)], check=True)
    words = shlex.split(hook("entry"))
    program = shutil.which(words[0], path=sysconfig.get_path("scripts"))
    assert program is not None

    done = subprocess.run(
        [program, *words[1:]],
        cwd=workspace,
        env={**environment, "GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index"},
        capture_output=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stdout.startswith(b"log: no:")


def test_the_hook_builds_nothing_and_takes_no_file_names() -> None:
    assert hook("id") == "hpp-gate"
    assert hook("language") == "system"
    assert hook("pass_filenames") == "false"
    assert hook("always_run") == "true"
