from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.canonical import _by_the_package, canonical_bytes, sha256_hex
from hpp.core.strictjson import parse_bytes

names = st.text(st.characters(codec="utf-8"))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | names
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(names, inner),
    max_leaves=20,
)  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 600.0, "a": ["é", 1, None], "A": {}}, '{"A":{},"a":["é",1,null],"b":600.0}'),
        ({"é": 1, "z": 2, "\U0001f600": 3, "\uffff": 4}, '{"z":2,"é":1,"\uffff":4,"\U0001f600":3}'),
        ([0.1, 1e16, -0.0, 1e-7, 5e-324], "[0.1,1e+16,-0.0,1e-07,5e-324]"),
        ('a"\\\n\x7f\u2028/', '"a\\"\\\\\\n\x7f\u2028/"'),
        ([True, False, 2**70], "[true,false,1180591620717411303424]"),
    ],
)
def test_a_value_has_one_form(value: object, text: str) -> None:
    assert canonical_bytes(value) == text.encode()


@given(values)
def test_the_encoder_writes_what_the_package_writes(value: object) -> None:
    assert canonical_bytes(value) == _by_the_package(value)


def test_without_the_encoder_the_package_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hpp.core.canonical._HAS_ENCODER", False)

    assert canonical_bytes({"b": "\u00e9", "a": [1.0]}) == '{"a":[1.0],"b":"\u00e9"}'.encode()


@given(values)
def test_the_form_reads_back_as_the_value(value: object) -> None:
    data = canonical_bytes(value)

    read = parse_bytes(data, "x")
    assert (read, canonical_bytes(read)) == (value, data)


@given(st.dictionaries(names, values, min_size=2, max_size=5))
def test_the_order_in_which_keys_were_put_is_not_in_the_form(value: dict[str, object]) -> None:
    turned = dict(reversed(list(value.items())))

    assert canonical_bytes(turned) == canonical_bytes(value)


def test_a_digest_is_of_the_bytes() -> None:
    assert sha256_hex(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert sha256_hex(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800"])
def test_what_two_programs_would_write_differently_has_no_form(value: object) -> None:
    with pytest.raises(ValueError, match=r"not JSON compliant|surrogates not allowed"):
        canonical_bytes([value])


def test_control_the_plain_writer_keeps_the_order_of_the_keys() -> None:
    assert json.dumps({"b": 1, "a": 2}) != json.dumps({"a": 2, "b": 1})
