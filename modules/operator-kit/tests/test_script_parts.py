"""Laws of what the scripts stand on: tables that people edit, and texts of commands."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpp.core.errors import RefusedError

if TYPE_CHECKING:
    from types import ModuleType

LIBRARY = Path(os.environ.get("HPP_MODULE_ROOT") or Path(__file__).resolve().parents[1]) / "_lib"
COLUMNS = {"one": ("one",), "two": ("two",), "three": ("three",)}
CELL = st.text(alphabet="ab |\\`\"'~-#é", max_size=8)
TEXT = st.text(alphabet="ab '\"\\$&|;<>()*?~`{1=\n-", min_size=1, max_size=10).map(str.strip)


def load(name: str) -> ModuleType:
    """Return a module of `_lib` under a name that no other module of ours has."""
    spec = importlib.util.spec_from_file_location(f"operator_kit_{name}", LIBRARY / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLE: Any = load("table")
COMMAND: Any = load("commandtext")


def accepted(text: str) -> str | None:
    try:
        found: str = TABLE.checked_cell(text, "cell")
    except RefusedError:
        return None
    return found


def document(rows: list[list[str]], newline: str) -> str:
    lines = ["text", "", "| One | Two | Three |", "|---|:-:|---|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return newline.join([*lines, "", "more | text", ""])


@settings(deadline=None, max_examples=150)
@given(st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=4), CELL,
       st.sampled_from(["\n", "\r\n"]))  # fmt: skip
def test_a_changed_cell_is_read_back_and_nothing_else_moved(
    rows: list[list[str]], new: str, newline: str
) -> None:
    cells = [[accepted(cell) or "x" for cell in row] for row in rows]
    value = accepted(new)
    text = document(cells, newline)
    found = TABLE.find_table(text, COLUMNS, tuple(COLUMNS))

    assert [list(row.cells.values()) for row in found.rows] == cells
    if value is None:
        return
    changed = found.changed(found.rows[0], "two", value)
    again = TABLE.find_table(changed, COLUMNS, tuple(COLUMNS))
    wanted = [[cells[0][0], value, cells[0][2]], *cells[1:]]
    assert [list(row.cells.values()) for row in again.rows] == wanted
    before, after = text.split(newline), changed.split(newline)
    assert before[:4] + before[5:] == after[:4] + after[5:]


@settings(deadline=None, max_examples=100)
@given(st.lists(CELL, min_size=3, max_size=3), st.sampled_from(["\n", "\r\n"]))
def test_an_added_row_is_the_last_one(cells: list[str], newline: str) -> None:
    values = [accepted(cell) or "x" for cell in cells]
    text = document([["a", "b", "c"]], newline)
    row = dict(zip(COLUMNS, values, strict=True))

    made = TABLE.find_table(text, COLUMNS, tuple(COLUMNS)).added(row)

    again = TABLE.find_table(made, COLUMNS, tuple(COLUMNS))
    assert [list(each.cells.values()) for each in again.rows] == [["a", "b", "c"], values]
    assert made.count("\n") == text.count("\n") + 1
    assert made.count("\r\n") == (made.count("\n") if newline == "\r\n" else 0)


@pytest.mark.parametrize("text", ["a|b", "a\nb", "a\u2028b", "`a", "a\\", "x \\"])
def test_control_a_cell_that_would_break_its_row_is_refused(text: str) -> None:
    is_open = TABLE.spans(f"| {text} | x |") != TABLE.spans(f"| {'y' * len(text)} | x |")

    assert accepted(text) is None or not is_open


@pytest.mark.skipif(shutil.which("sh") is None, reason="the system has no `sh` to compare with")
@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])
@given(TEXT)
def test_an_accepted_text_means_what_it_means_to_a_shell(text: str) -> None:
    try:
        words = COMMAND.split(text, "text")
    except RefusedError:
        return
    done = subprocess.run(
        ["sh", "-c", f"printf '%s\\0' x {text}"], capture_output=True, check=False, timeout=20,
    )  # fmt: skip

    assert done.stdout == b"x\0" + b"".join(word.encode() + b"\0" for word in words)


def test_a_declared_command_is_words_text_or_a_shell() -> None:
    assert COMMAND.declared(["a b", "c"], "x").argv == ["a b", "c"]
    assert COMMAND.declared("a 'b c'", "x").argv == ["a", "b c"]
    assert COMMAND.declared({"shell": "a | b"}, "x").argv[-1] == "a | b"
    for bad in (None, 1, [], [1], [""], {}, {"shell": ""}, {"shell": "a", "b": 1}, ["a\0"]):
        with pytest.raises(RefusedError):
            COMMAND.declared(bad, "x")


def test_the_shell_is_that_of_the_system() -> None:
    windows = COMMAND.which_shell("a | b", "nt", {"COMSPEC": "C:\\Windows\\cmd.exe"})

    assert windows == ["C:\\Windows\\cmd.exe", "/d", "/s", "/c", "a | b"]
    assert COMMAND.which_shell("a | b", "posix", {}) == ["/bin/sh", "-c", "a | b"]


def test_control_a_reader_that_ignored_quotes_would_be_seen() -> None:
    text = shlex.join([sys.executable, "a b"])

    assert COMMAND.split(text, "x") != text.split()
