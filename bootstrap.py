"""Set up a fresh machine and run HPP, or its tests: ``python3 bootstrap.py tour``.

Needs Python 3.10 or newer and git. Everything else goes into ``.tools`` and ``.venv`` in
this folder; removing the two undoes it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
TOOLS = ROOT / ".tools"
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
UV = "uv>=0.9"
KNOWN = ("3.10", "3.11", "3.12", "3.13")
USAGE = "usage: python3 bootstrap.py tour | test | nox ARGS... | hpp ARGS..."


def main(words: list[str]) -> int:
    """Set up what is missing and run what was asked for; return its exit status."""
    if not words or words[0] not in ("tour", "test", "nox", "hpp"):
        print(USAGE, file=sys.stderr)
        return 3
    if sys.version_info < (3, 10):  # noqa: UP036 -- a person may start it with any Python
        print("bootstrap.py: Python 3.10 or newer is needed", file=sys.stderr)
        return 2
    if shutil.which("git") is None:
        print("bootstrap.py: git is needed and not on PATH", file=sys.stderr)
        return 2
    environment = prepared_environment()
    run([tool("uv"), "sync", "--quiet", "--python", sys.executable], environment)
    program = ROOT / ".venv" / SCRIPTS
    if words[0] in ("test", "nox"):
        command = [str(program / "nox"), "--reuse-existing-virtualenvs", *words[1:]]
    else:
        arguments = ["tour"] if words[0] == "tour" else []
        command = [str(program / "hpp"), *arguments, *words[1:]]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def prepared_environment() -> dict[str, str]:
    """Return the environment of every step, with uv in it, made when it is not there."""
    environment = dict(os.environ)
    # No step may fetch an interpreter: what is tested is what this machine has.
    environment["UV_PYTHON_DOWNLOADS"] = "never"
    environment.pop("VIRTUAL_ENV", None)
    every = pyenv_versions()
    if every:
        environment["PYENV_VERSION"] = ":".join(every)
    if not tool("uv").exists():
        venv.create(TOOLS, with_pip=True, clear=True)
        run([tool("python"), "-m", "pip", "install", "--quiet", UV], environment)
    environment["PATH"] = str(TOOLS / SCRIPTS) + os.pathsep + environment.get("PATH", "")
    return environment


def pyenv_versions() -> list[str]:
    """Return the newest version of each Python that pyenv keeps, or none without pyenv.

    Its shims answer for a version only when that version is named.
    """
    pyenv = shutil.which("pyenv")
    if pyenv is None:
        return []
    listing = subprocess.run(
        [pyenv, "versions", "--bare"], capture_output=True, text=True, check=False
    )
    installed = [line.strip() for line in listing.stdout.splitlines()]
    newest: dict[str, str] = {}
    for version in sorted(installed, key=number):
        short = ".".join(version.split(".")[:2])
        if short in KNOWN and version.replace(".", "").isdigit():
            newest[short] = version
    return [newest[short] for short in KNOWN if short in newest]


def number(version: str) -> list[int]:
    """Return the parts of a version as numbers, for ordering."""
    return [int(part) if part.isdigit() else -1 for part in version.split(".")]


def tool(name: str) -> Path:
    """Return the path of a program of the tools' environment."""
    return TOOLS / SCRIPTS / (name + (".exe" if os.name == "nt" else ""))


def run(command: list[str | Path], environment: dict[str, str]) -> None:
    """Run one step of the set-up; a failure ends everything with its message."""
    done = subprocess.run([str(word) for word in command], cwd=ROOT, env=environment, check=False)
    if done.returncode:
        sys.exit(f"bootstrap.py: {command[0]} ended with {done.returncode}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
