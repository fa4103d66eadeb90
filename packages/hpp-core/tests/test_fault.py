from __future__ import annotations

import ntpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.fault import Faults, document_order, is_relative, normal_path


@pytest.mark.parametrize(
    "text",
    ["a", "a/b", "a\\b", "./a", ".", "a/./b", "a//b", "...", "a..b", "ab:c", "..a/b..", " "],
)
def test_a_path_that_stays_below_its_folder_is_relative(text: str) -> None:
    assert is_relative(text)


@pytest.mark.parametrize(
    "text",
    ["", "/a", "\\a", "//host/a", "\\\\host\\a", "..", "../a", "a/..", "a\\..\\b", "C:", "c:a",
     "C:/a", "C:\\a", "a\0b", "./../a", "a:b", "1:b", "./c:/a", "a/c:"],
)  # fmt: skip
def test_a_path_that_may_leave_its_folder_is_not(text: str) -> None:
    assert not is_relative(text)


@given(st.text(alphabet="ab./\\:", max_size=12))
def test_a_normal_path_is_its_own_normal_path(text: str) -> None:
    normal = normal_path(text)

    assert normal_path(normal) == normal
    assert is_relative(normal) or not is_relative(text) or normal == ""
    if is_relative(text):
        assert ntpath.join("C:\\top", *normal.split("/")).startswith("C:\\top")
    assert normal_path(f"./{text}//.") == normal


def test_faults_are_told_in_the_order_of_the_document() -> None:
    document = {"z": {"late": 1, "early": 2}, "a": [0, {"k": 1}]}
    found = Faults(document)
    for path in ("a", 1, "k"), ("missing",), ("a", 0), ("z", "absent"), ("z", "early"), ("z",):
        found.add(path, "wrong")

    assert found.in_order() == [
        f"{place}: wrong" for place in ("z", "z.early", "z.absent", "a[0]", "a[1].k", "missing")
    ]


def test_faults_at_one_place_keep_their_order() -> None:
    faults: list[tuple[tuple[str | int, ...], str]] = [(("a",), "first"), (("a",), "second")]

    assert document_order({"a": 1}, faults) == faults
    assert document_order([1], [((7, "x"), "beyond"), ((0,), "there")])[0] == ((0,), "there")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({}, "a: expected a non-blank text, it is missing"),
        ({"a": None}, "a: expected a non-blank text, got null"),
        ({"a": True}, "a: expected a non-blank text, got true"),
        ({"a": 7}, "a: expected a non-blank text, got 7"),
        ({"a": 10**90}, "a: expected a non-blank text, got an integer"),
        ({"a": []}, "a: expected a non-blank text, got an empty list"),
        ({"a": {}}, "a: expected a non-blank text, got an empty object"),
        ({"a": {"b": 1}}, "a: expected a non-blank text, got an object"),
        ({"a": " \t"}, 'a: expected a non-blank text, got " \\t"'),
        ({"a": "\u2028"}, 'a: expected a non-blank text, got "\\u2028"'),
    ],
)
def test_a_fault_says_what_stands_in_the_place(value: dict[str, object], told: str) -> None:
    found = Faults(value)

    assert found.text(value, ("a",)) is None
    assert found.in_order() == [told]


def test_control_a_sound_value_adds_no_fault() -> None:
    value = {"a": "x", "b": ["y", "z"], "c": 1}
    found = Faults(value)

    assert found.text(value, ("a",)) == "x"
    assert found.texts(value, ("b",)) == {"y": 0, "z": 1}
    found.positive(value, ("c",))
    assert found.in_order() == []
