from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.territory import WHOLE, Claims, territory_path

if TYPE_CHECKING:
    from random import Random

PART = st.sampled_from(["a", "b", "ab", "a!", "a\0", "a\1", "\0", "é"])
PATH = st.lists(PART, max_size=4).map(lambda parts: "/".join(parts) or WHOLE)
CLAIMS = st.lists(st.tuples(st.sampled_from("xyz"), PATH), max_size=14, unique=True)


def overlaps_by_pairs(claims: list[tuple[str, str]]) -> dict[tuple[str, str], set[str]]:
    """Compare every claim with every other, component by component."""
    found: dict[tuple[str, str], set[str]] = {}
    parts = [(owner, path, [] if path == "." else path.split("/")) for owner, path in claims]
    for one, path, mine in parts:
        for other, their_path, theirs in parts:
            shared = min(len(mine), len(theirs))
            if one < other and mine[:shared] == theirs[:shared]:
                found.setdefault((one, other), set()).update((path, their_path))
    return found


def overlaps(claims: list[tuple[str, str]]) -> dict[tuple[str, str], set[str]]:
    held = Claims()
    for owner, path in claims:
        held.add(owner, path)
    return held.overlaps()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("src", "src"),
        ("/src/api/", "src/api"),
        ("src//api", "src/api"),
        ("./src/./api/.", "src/api"),
        ("src\\api", "src/api"),
        ("\\src\\", "src"),
        ("src/x/../api", "src/api"),
        ("src/..", "."),
        ("a/b/../..", "."),
        (".", "."),
        ("./", "."),
        ("..src/...", "..src/..."),
        ("C:\\src", "C:/src"),
        ("c:/src", "c:/src"),
        (" src", " src"),
        ("[ab]{c}", "[ab]{c}"),
    ],
)
def test_a_text_becomes_a_path(text: str, path: str) -> None:
    assert territory_path(text) == path


def test_one_name_has_one_spelling_and_case_counts() -> None:
    assert territory_path("cafe\u0301/x") == "caf\u00e9/x"
    assert territory_path("SRC") == "SRC"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("/", "slashes"),
        ("\\\\", "slashes"),
        ("..", "climbs out"),
        ("/..", "climbs out"),
        ("a/../..", "climbs out"),
        ("..\\a", "climbs out"),
        ("./../a", "climbs out"),
        ("src/*", "not a pattern"),
        ("**", "not a pattern"),
        ("src/?.py", "not a pattern"),
        ("a*/../b", "not a pattern"),
    ],
)
def test_a_text_that_names_no_territory_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        territory_path(text)


@given(st.text(st.sampled_from("aé\u0301./\\*"), min_size=1, max_size=10))
def test_a_path_is_in_its_last_form(text: str) -> None:
    try:
        path = territory_path(text)
    except ValueError:
        return

    assert territory_path(path) == path
    assert unicodedata.is_normalized("NFC", path)
    assert path == "." or not {"", ".", ".."} & set(path.split("/"))


@given(CLAIMS)
def test_overlaps_are_those_of_every_pair(claims: list[tuple[str, str]]) -> None:
    assert overlaps(claims) == overlaps_by_pairs(claims)


@given(CLAIMS, st.randoms())
def test_the_order_of_claims_does_not_matter(claims: list[tuple[str, str]], chance: Random) -> None:
    turned = list(claims)
    chance.shuffle(turned)

    assert overlaps(turned) == overlaps(claims)


def test_a_name_that_sorts_between_a_folder_and_its_files_hides_nothing() -> None:
    # "!" and "-" sort before "/": by text, these stand between src and src/api
    claims = [("x", "src"), ("y", "src!"), ("y", "src-old/a"), ("z", "src/api")]

    assert overlaps(claims) == {("x", "z"): {"src", "src/api"}}


def test_a_name_that_begins_alike_does_not_overlap() -> None:
    assert overlaps([("x", "src"), ("y", "srcx"), ("z", "SRC")]) == {}


def test_the_whole_repository_overlaps_every_path() -> None:
    assert overlaps([("x", "."), ("y", "a/b"), ("y", ".x")]) == {("x", "y"): {".", "a/b", ".x"}}


def test_an_owner_does_not_overlap_with_itself() -> None:
    assert overlaps([("x", "."), ("x", "a"), ("x", "a/b")]) == {}


def test_a_very_deep_path_is_one_path() -> None:
    deep = "/".join("d" for _ in range(50_000))

    assert overlaps([("x", deep), ("y", "d/d"), ("z", "e")]) == {("x", "y"): {deep, "d/d"}}
