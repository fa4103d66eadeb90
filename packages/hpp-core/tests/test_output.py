from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.output import pretty_json, write_text

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


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.sampled_from(['"', "\\", "\n", "\t", "\x00", "\x7f", "é", "\u2028", "a"]), max_size=5
    )
)
def test_a_long_text_is_written_as_a_short_one(pieces: list[str]) -> None:
    text = "".join(pieces) + "b" * 100_000

    assert json.loads(pretty_json([text])) == [text]
    assert pretty_json([text]) == pretty_json([1, text]).replace(b"1,\n  ", b"")
    assert (
        pretty_json({"k": text}).decode()
        == json.dumps({"k": text}, indent=2, ensure_ascii=False) + "\n"
    )


def test_records_of_more_shapes_than_are_kept_are_written_alike() -> None:
    records: list[dict[str, object]] = [
        {f"b{number % 70}": number, "a": None, "z": {}} for number in range(140)
    ]

    assert pretty_json(records).decode() == json.dumps(records, indent=2, sort_keys=True) + "\n"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_json_cannot_hold_never_leaves(number: float) -> None:
    with pytest.raises(ValueError, match="not a JSON number"):
        pretty_json([number])
    with pytest.raises(TypeError, match="set"):
        pretty_json({"a": {1}})


WRITE = "from hpp.core.command import run_program\nfrom hpp.core.output import write_json\n"
PROGRAM = WRITE + "import sys; sys.exit(run_program(lambda call: write_json({'é': '表'}) or 0))"


@pytest.mark.parametrize("encoding", ["ascii", "cp932", "utf-16"])
def test_no_locale_changes_the_bytes(encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding, "LC_ALL": "C"},
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, '{\n  "é": "表"\n}\n'.encode())


SHARED = {"words": ["b", "a"], "none": [], "empty": {}, "mixed": ["x", 1, {"k": [None]}]}


def test_a_document_is_indented_and_sorted_by_code_point() -> None:
    value = {"é": 1, "Z": (1, 2), "a": SHARED, "\U0001f600": -0.0}

    assert pretty_json(value).decode() == (
        '{\n  "Z": [\n    1,\n    2\n  ],\n  "a": {\n    "empty": {},\n    "mixed": [\n'
        '      "x",\n      1,\n      {\n        "k": [\n          null\n        ]\n      }\n'
        '    ],\n    "none": [],\n    "words": [\n      "b",\n      "a"\n    ]\n  },\n'
        '  "é": 1,\n  "\U0001f600": -0.0\n}\n'
    )


def test_a_half_character_never_leaves() -> None:
    with pytest.raises(UnicodeEncodeError):
        pretty_json(["\ud800"])


def test_a_byte_of_a_name_that_was_no_utf_8_leaves_as_it_came(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    write_text("caf\udce9 é\n")

    assert capfdbinary.readouterr().out == b"caf\xe9 \xc3\xa9\n"


def test_a_reader_that_goes_away_is_told_and_has_its_status() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)

    assert done.returncode == 3
    assert done.stderr.startswith(b"hpp: standard output cannot be written: ")
    assert done.stderr.count(b"\n") == 1


def test_control_the_standard_writer_fails_without_a_line_of_ours() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.stdout.buffer.write('é'.encode('ascii'))"],
        capture_output=True,
        check=False,
    )

    assert (done.returncode, b"Traceback" in done.stderr) == (1, True)


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
