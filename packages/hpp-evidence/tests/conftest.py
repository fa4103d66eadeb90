"""Fixtures of the tests of hpp-evidence."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hpp.evidence.command import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., tuple[int, Any, str]]


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder that git takes for no part of a repository."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Keys:
    """Two keys of their own folder, and files of allowed signers.

    Attributes:
        key: The private key of ``me``.
        other: A private key that nobody lists for ``me``.
        allowed: Lists the first key for ``me``.
        others: Lists the first key for ``you``.
        wrong: Lists the second key for ``me``.

    """

    def __init__(self, folder: Path) -> None:
        self.key, self.other = str(folder / "key"), str(folder / "other")
        public = [_made_key(path) for path in (self.key, self.other)]
        self.allowed = _listing(folder / "allowed", f"me {public[0]}")
        self.others = _listing(folder / "others", f"you {public[0]}")
        self.wrong = _listing(folder / "wrong", f"me {public[1]}")


def _made_key(path: str, passphrase: str = "") -> str:
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "t", "-f", path]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    with open(f"{path}.pub", encoding="ascii") as stream:
        return stream.read().strip()


def _listing(path: Path, line: str) -> str:
    path.write_text(f"{line}\n", encoding="ascii", newline="\n")
    return str(path)


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    """Return keys made for this run; without OpenSSH there is nothing to test."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    return Keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture
def evidence(capfdbinary: pytest.CaptureFixture[bytes]) -> Call:
    """Return a caller of the program: exit status, parsed output or None, messages."""

    def call(*words: str) -> tuple[int, Any, str]:
        code = main(list(words))
        captured = capfdbinary.readouterr()
        answer = json.loads(captured.out) if captured.out else None
        return code, answer, captured.err.decode()

    return call


@pytest.fixture
def criterion(evidence: Call) -> Call:
    """Return a caller of `run` with Python code as the criterion."""

    def call(code: str, *options: str) -> tuple[int, Any, str]:
        return evidence("run", "--id", "crit", *options, "--", sys.executable, "-c", code)

    return call
