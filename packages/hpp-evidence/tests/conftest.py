"""Fixtures of the tests of hpp-evidence."""

from __future__ import annotations

import json
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
