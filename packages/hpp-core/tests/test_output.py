from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.output import pretty_json
from hpp.core.text import printable, shorten

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"))
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)  # fmt: skip


@given(values)
def test_the_bytes_are_those_of_the_standard_library(value: object) -> None:
    wanted = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"

    assert pretty_json(value) == wanted.encode()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_json_cannot_hold_never_leaves(number: float) -> None:
    with pytest.raises(ValueError, match="not a JSON number"):
        pretty_json([number])
    with pytest.raises(TypeError, match="set"):
        pretty_json({"a": {1}})


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 表", "plain é 表"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\x07\x1b[31m\x7f", "\\u0007\\u001b[31m\\u007f"),
        ("\u2028\u202e\ufeff", "\\u2028\\u202e\\ufeff"),
        ("caf\udce9 \ud800", "caf\\xe9 \\ud800"),
    ],
)
def test_a_terminal_sees_no_raw_control_character(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_long_text_is_cut_and_says_so() -> None:
    assert shorten("x" * 81) == "x" * 80 + "..."
    assert shorten("x" * 80) == "x" * 80


WRITE = "from hpp.core.command import run_program\nfrom hpp.core.output import write_json\n"
PROGRAM = WRITE + "import sys; sys.exit(run_program(lambda call: write_json({'é': '表'}) or 0))"


@pytest.mark.parametrize("encoding", ["ascii", "cp932", "utf-16"])
def test_no_locale_changes_the_bytes(encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        env={"PYTHONIOENCODING": encoding, "LC_ALL": "C", "PATH": ""},
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, '{\n  "é": "表"\n}\n'.encode())


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors are closed by a POSIX shell here")
def test_a_closed_output_is_told_and_has_its_status() -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" -c "$1" >&-', sys.executable, PROGRAM], capture_output=True, check=False
    )

    assert (done.returncode, done.stderr) == (3, b"hpp: standard output is closed\n")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs the device of a full disk")
def test_a_full_output_is_told_and_has_its_status() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], stdout=full, stderr=subprocess.PIPE, check=False
        )

    assert done.returncode == 3
    assert done.stderr.startswith(b"hpp: standard output cannot be written: No space")
    assert done.stderr.count(b"\n") == 1
