"""Fixtures of the tests of hpp-retrieval."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.schema import checker, find_schema
from hpp.retrieval.citation import Check, check_texts
from hpp.retrieval.citecontext import Context
from hpp.retrieval.citedtext import Text
from hpp.retrieval.command import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., tuple[int, Any, str]]
    Suite = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def program(capfdbinary: pytest.CaptureFixture[bytes]) -> Call:
    """Return a caller of the program: exit status, parsed output or None, messages."""

    def call(*words: str) -> tuple[int, Any, str]:
        code = main(list(words))
        captured = capfdbinary.readouterr()
        answer = json.loads(captured.out) if captured.out else None
        return code, answer, captured.err.decode()

    return call


@pytest.fixture
def put(workspace: Path) -> Callable[[str, object], str]:
    """Return a writer of a file: bytes, text, or any JSON value."""

    def write(name: str, value: object) -> str:
        if isinstance(value, bytes):
            data = value
        else:
            data = (value if isinstance(value, str) else json.dumps(value)).encode()
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return name

    return write


@pytest.fixture
def suite_of() -> Suite:
    """Return a maker of suites from ``(relevant, results)`` pairs."""

    def make(*cases: tuple[list[str], Any], k: int = 3, **rest: object) -> dict[str, Any]:
        return {
            "schema": "hpp.retrieval-suite/v1",
            "version": "1",
            "k": k,
            "cases": [
                {"id": f"c{number}", "query": "q", "relevant": relevant, "results": results}
                for number, (relevant, results) in enumerate(cases)
            ],
            **rest,
        }

    return make


@pytest.fixture
def python_argv() -> Callable[[str], str]:
    """Return a maker of a command in Python, as JSON."""
    return lambda code: json.dumps([sys.executable, "-c", code])


@pytest.fixture
def check() -> Callable[..., Check]:
    """Return a checker of one text against ids."""

    def run(text: str, ids: list[str], **options: Any) -> Check:  # noqa: ANN401 -- of check_texts
        return check_texts([Text(text, "t.md")], Context(ids, "0" * 64), **options)[0]

    return run


@pytest.fixture(scope="session")
def schema_faults() -> Callable[[str, object], list[str]]:
    """Return a function that names what a document breaks of a published schema."""
    checkers: dict[str, Any] = {}

    def faults(name: str, document: object) -> list[str]:
        if name not in checkers:
            checkers[name] = checker(find_schema(name).document())
        found: list[str] = checkers[name].faults(document)
        return found

    return faults
