from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.jsonfault import find_fault
from hpp.core.strictjson import JsonRefusedError, parse_bytes, parse_text

REFUSED = [
    ("", "it is empty"),
    ("  \n", "it is empty"),
    ('{"a":1,"a":2}', r'the key "a" is repeated \(line 1, column 8\)'),
    ('{"o":{"a":1,\n"a":2}}', r'o: the key "a" is repeated \(line 2, column 1\)'),
    ('{"a":[1,{"b":NaN}]}', r"a\[1\]\.b: NaN is not JSON"),
    ("[Infinity]", "Infinity is not JSON"),
    ("[-Infinity]", "-Infinity is not JSON"),
    ("[1e999]", "1e999 is out of range"),
    ("[-1e999]", "-1e999 is out of range"),
    ("1" * 101, "more than 100 characters"),
    ("0." + "1" * 99, "more than 100 characters"),
    ('"\\ud800"', "a lone surrogate"),
    ('"\\udc00\\ud800"', "a lone surrogate"),
    ('"\\\\\\ud83d"', "a lone surrogate"),
    ('{"\\ud800":1}', "a lone surrogate"),
    ("[1,]", r"\[1\]: not a JSON value"),
    ("[1 2]", r"\[0\]: expected , or \]"),
    ("{'a':1}", "a key in double quotes"),
    ('{"a" 1}', "expected : after the key"),
    ('{"a":1', "it ends too early"),
    ("[", "it ends too early"),
    ('"abc', "a text that is not closed"),
    ('"a\nb"', "control character"),
    ('"\\x"', "bad escape"),
    ("01", "text after the value"),
    ("1.", "text after the value"),
    ("tru", "not a JSON value"),
    ("+1", "not a JSON value"),
    ('{"a":1} {}', "text after the value"),
    ("[" * 201 + "]" * 201, "nested deeper than 200"),
    ("[" * 100_000, "nested deeper than 200"),
    ('{"a":' * 201 + "1" + "}" * 201, "nested deeper than 200"),
    ("[{}," * 150 + "[" * 60 + "]" * 60 + "]" * 150, "nested deeper than 200"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_not_strict_json_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(JsonRefusedError, match="name.json: .*" + message):
        parse_text(text, "name.json")


@pytest.mark.parametrize(
    "text",
    [
        "1", '"\\ud83d\\ude00"', '"\\\\ud800"', "[" * 200 + "]" * 200, "1" * 100, "1e308", " [ ] ",
        '{"a":1,"b":{"a":1}}', '"\u2028\u0085"', "-0", "[{}" + ",{}" * 500 + "]", '"[[[[[[[["',
    ],
)  # fmt: skip
def test_what_is_strict_json_reads_as_python_reads_it(text: str) -> None:
    assert parse_text(text, "x") == json.loads(text)


def test_a_byte_order_mark_is_skipped_once() -> None:
    assert parse_bytes(b"\xef\xbb\xbf[1]", "x") == [1]
    with pytest.raises(JsonRefusedError):
        parse_bytes(b"\xef\xbb\xbf\xef\xbb\xbf[1]", "x")


@pytest.mark.parametrize(
    ("codec", "name"),
    [("utf-16", "UTF-16"), ("utf-32", "UTF-32"), ("utf-16-be", "UTF-16"), ("utf-16-le", "UTF-16")],
)
def test_wide_text_is_refused_by_its_name(codec: str, name: str) -> None:
    with pytest.raises(JsonRefusedError, match=name):
        parse_bytes('{"a": "é"}'.encode(codec), "x")


def test_bytes_that_are_no_utf_8_are_refused_with_the_line() -> None:
    with pytest.raises(JsonRefusedError, match=r"line 2: not UTF-8 \(byte 0xe9 at 8\)"):
        parse_bytes(b'{"a":1,\n\xe9}', "x")


def test_an_argument_that_is_no_utf_8_is_refused() -> None:
    with pytest.raises(JsonRefusedError, match="not valid UTF-8"):
        parse_text('"\udce9"', "--data")


@pytest.mark.parametrize(
    ("text", "kind"), [("[]", "an array"), ("1", "an integer"), ("null", "null"), ('"x"', "a text")]
)
def test_another_root_is_named(text: str, kind: str) -> None:
    with pytest.raises(JsonRefusedError, match=f"expected an object, got {kind}"):
        parse_text(text, "x", root=dict)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(st.characters(codec="utf-8"))
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)  # fmt: skip


@given(values, st.booleans())
def test_every_value_survives_the_round_trip(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)

    assert parse_text(text, "x") == value
    assert find_fault(text) is None


@given(values, st.integers(0, 10_000), st.sampled_from(list('{}[]",:\\0e.-NtI \n\x00')))
def test_both_readers_have_one_verdict_on_damaged_text(value: object, at: int, char: str) -> None:
    text = json.dumps(value, ensure_ascii=True)
    at %= len(text) + 1
    damaged = text[:at] + char + text[at + 1 :]

    assert verdict(damaged) == find_fault(damaged)


TOKENS = (
    "{", "}", "[", "]", ",", ":", '"', '"a"', '"a":', '"b":', "\\", "\\u", "\\ud83d", "\\ude00",
    "d800", "0", "-", "1", ".", "e", "E+", "1e999", "9" * 101, "NaN", "-Infinity", "true",
    "fals", "null", " ", "\n", "\t", "\x0b", "\x00",
    "\u2028", "\xa0", "\ufeff", "é", "\\n", '\\"', "\\\\", "/",
)  # fmt: skip
tokens = st.lists(st.sampled_from(TOKENS), max_size=12).map("".join)


@given(tokens, st.booleans())
def test_the_verdict_is_that_of_the_plain_reader_with_every_rule_added(
    text: str, enclosed: bool
) -> None:
    text = f"[{text}]" if enclosed else text
    wanted = plainly_read(text)

    fault = verdict(text)
    assert (fault is None) == (wanted is not None)
    assert find_fault(text) == fault
    if wanted is not None:
        assert parse_text(text, "x") == wanted[0]


def plainly_read(text: str) -> tuple[object] | None:
    """Return what `json` makes of a text in a tuple, or None where a rule of ours refuses it."""

    def pairs(found: list[tuple[str, object]]) -> dict[str, object]:
        if len({key for key, _ in found}) != len(found):
            raise ValueError("repeated key")
        return dict(found)

    def number(literal: str, kind: type) -> object:
        value = kind(literal)
        if len(literal) > 100 or (kind is float and not math.isfinite(value)):
            raise ValueError("number")
        return value

    def constant(literal: str) -> object:
        raise ValueError(literal)

    try:
        value: object = json.loads(
            text,
            object_pairs_hook=pairs,
            parse_int=lambda literal: number(literal, int),
            parse_float=lambda literal: number(literal, float),
            parse_constant=constant,
        )
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except ValueError:
        return None
    return (value,)


def verdict(text: str) -> str | None:
    try:
        parse_text(text, "x")
    except JsonRefusedError as error:
        return error.reason
    return None


def test_control_the_plain_reader_would_let_these_pass() -> None:
    assert json.loads('{"a":1,"a":2}') == {"a": 2}
    assert json.loads("[NaN]")
