from __future__ import annotations

import json
import os
import pathlib
import shlex
import shutil
import sys
from typing import TYPE_CHECKING, Any

from hpp.decide import Provider, Request, choose_route
from hpp.decide.example import example_path

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    Call = Callable[..., tuple[int, Any, str]]

README = pathlib.Path(__file__).parent.parent / "README.md"
FILES = {
    "record.json": ("typed-decisions", "record.json"),
    "suite.json": ("typed-decisions", "gotcha-family-suite.json"),
    "recorded.json": ("typed-decisions", "recorded-suite.json"),
    "decider.py": ("typed-decisions", "baseline_decider.py"),
    "panel.json": ("deliberation", "panel.json"),
    "turns.json": ("deliberation", "turns.json"),
    "judge.json": ("deliberation", "judge.json"),
    "rationale.json": ("deliberation", "rationale.json"),
    "review.json": ("findings", "deletion.json"),
    "change.diff": ("findings", "change.diff"),
    "request.json": ("routing", "request.json"),
    "providers.json": ("routing", "providers.json"),
}
# Of each command of the page.
STATUSES = {"validate": [0], "eval": [0, 0, 1], "compare": [0], "findings": [1], "route": [0]}
STATUSES["deliberate"] = [0, 0, 0, 0]


def test_the_commands_of_the_readme_run_as_printed(
    program: Call, workspace: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    monkeypatch.setenv("PATH", path)
    for name, place in FILES.items():
        shutil.copyfile(example_path(*place), workspace / name)
    report = program("eval", "suite.json")[1]
    for name in ("before.json", "after.json"):
        (workspace / name).write_text(json.dumps(report), encoding="utf-8")
    text = README.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.removeprefix("$ ") for line in text.splitlines()]
    found: dict[str, list[int]] = {}

    for line in lines:
        if line.startswith("hpp-decide "):
            words = shlex.split(line, comments=True)[1:]
            found.setdefault(words[0], []).append(program(*words)[0])

    assert found == STATUSES


def test_the_answer_of_the_readme_is_the_real_one(program: Call) -> None:
    printed = program("validate", example_path("typed-decisions", "record.json"))[1]

    assert printed["effective"] == {"action": "raised", "declared": "low", "value": "high"}


def test_the_library_of_the_readme_is_there() -> None:
    small = Provider("small", ["economy"], ["build"], 16_000)

    assert choose_route(Request("build", "low", "low", 100), [small], "economy").provider == "small"


def test_control_the_page_has_commands_of_every_kind() -> None:
    text = README.read_text(encoding="utf-8")

    assert all(f"hpp-decide {word} " in text for word in STATUSES)
