from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.arguments import LARGEST_INTEGER
from hpp.core.errors import RefusedError
from hpp.decide.place import ABSENT, Place, folded, is_visible

DOCUMENT = {"work": [{"id": "a", "n": 3, "empty": [], "nothing": None, "on": True}]}


def at(*steps: str | int) -> Place:
    place = Place(DOCUMENT, "f.json")
    for step in steps:
        place = place.items()[step] if isinstance(step, int) else place.at(step)
    return place


def test_a_refusal_names_the_file_and_the_path() -> None:
    with pytest.raises(RefusedError) as caught:
        at("work", 0, "n").text()

    assert str(caught.value) == "f.json: work[0].n: expected a non-empty text, got 3"


def test_the_root_has_no_path() -> None:
    with pytest.raises(RefusedError, match=r"^f.json: expected an object, got a text$"):
        Place("x" * 3, "f.json").refuse("expected an object, got a text")


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (at("work", 0, "absent"), "it is missing"),
        (at("work", 0, "empty"), "got an empty list"),
        (at("work", 0, "nothing"), "got null"),
        (at("work", 0, "on"), "got true"),
        (at("work", 0), "got an object"),
        (at("work"), "got an array"),
        (Place({}, "f.json"), "got an empty object"),
        (Place(1.5, "f.json"), "got a number"),
    ],
)
def test_what_stands_there_is_told(place: Place, told: str) -> None:
    with pytest.raises(RefusedError, match=f"{told}$"):
        place.text()


@pytest.mark.parametrize("value", [True, False, 1.0, "1", None, -1, LARGEST_INTEGER + 1, ABSENT])
def test_no_other_value_is_an_integer(value: object) -> None:
    with pytest.raises(RefusedError, match="expected an integer of 0 or more"):
        Place(value, "f.json").integer(0)


@pytest.mark.parametrize("value", [True, 1.01, -0.01, "0.5", None, ABSENT])
def test_no_other_value_is_a_share(value: object) -> None:
    with pytest.raises(RefusedError, match="expected a number from 0 to 1"):
        Place(value, "f.json").share()


@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, 0.5])
def test_both_ends_are_shares(value: float) -> None:
    assert Place(value, "f.json").share() == value


@pytest.mark.parametrize(
    "value", ["a" * 63, "a" * 65, "A" * 64, "g" * 64, "a" * 64 + "\n", "\u0661" * 64, 7, None]
)
def test_no_other_text_is_a_hash(value: object) -> None:
    with pytest.raises(RefusedError, match="64 lower-case hexadecimal digits"):
        Place(value, "f.json").digest()


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(RefusedError, match=r"work\[0\].id: unknown key; known are n, on"):
        at("work", 0).mapping(only=("n", "on"))


def test_a_list_may_be_too_short_or_too_long() -> None:
    with pytest.raises(RefusedError, match="expected a list of 2 or more things, got an array"):
        at("work").items(2, of="things")
    with pytest.raises(RefusedError, match="expected at most 0 things, got 1"):
        at("work").items(0, 0, of="things")


@pytest.mark.parametrize(
    "text", ["", " ", "\t\n", "\u200b", "\u2060", "\ufeff", "\u3164", "\u2800", "\u0301", "\u00ad"]
)
def test_nothing_can_be_seen_in_these(text: str) -> None:
    assert not is_visible(text)
    with pytest.raises(RefusedError, match="something can be seen"):
        Place(text, "f.json").visible()


@pytest.mark.parametrize("text", ["a", " 1 ", "-", "\u00e7", "\u8868", "\U0001f600", "\u200bx"])
def test_something_can_be_seen_in_these(text: str) -> None:
    assert Place(text, "f.json").visible() == text


@pytest.mark.parametrize(
    ("first", "second"),
    [("Acme", "acme "), ("one", "\tone"), ("\uff21cme", "acme"), ("STRASSE", "stra\u00dfe")],
)
def test_these_are_one_name(first: str, second: str) -> None:
    assert folded(first) == folded(second)


@given(st.text())
def test_folding_twice_changes_nothing_more(name: str) -> None:
    assert folded(folded(name)) == folded(name)


def test_control_two_names_stay_two() -> None:
    assert folded("acme") != folded("acme2")
