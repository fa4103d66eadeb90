from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.criterion import is_criterion_id, is_key, slug, unit_key


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The artifact exists!", "the-artifact-exists"),
        ("  a  --  b  ", "a-b"),
        ("snake_case stays apart", "snake-case-stays-apart"),
        ("Étape n°2 prête", "étape-n-2-prête"),
        ("E\u0301tape", "étape"),
        ("STRASSE straße", "strasse-strasse"),
        ("日本語 テスト", "日本語-テスト"),
        ("!!!", ""),
        ("", ""),
        ("x" * 60, "x" * 48),
        ("a" * 47 + " b", "a" * 47),
    ],
)
def test_a_slug_keeps_letters_and_digits(text: str, expected: str) -> None:
    assert slug(text) == expected


@pytest.mark.parametrize("text", ["a", "_", "1.2-x", "étape", "日本"])
def test_a_key_can_stand_beside_the_slash(text: str) -> None:
    assert is_key(text)
    assert unit_key(text) == text
    assert is_criterion_id(f"{text}/{text}")


@pytest.mark.parametrize("text", ["", "-a", ".a", "a b", "a/b", "a\n", "é\u0301x y"])
def test_control_other_texts_are_no_key(text: str) -> None:
    assert not is_key(text)
    assert unit_key(text) == slug(text)


@pytest.mark.parametrize("text", ["a", "a/", "/a", "a/b/c", "a b/c", "a/b\n", "<unit>/x"])
def test_a_criterion_id_has_two_keys(text: str) -> None:
    assert not is_criterion_id(text)


@given(st.text(max_size=80))
def test_a_slug_is_short_and_made_of_letters_digits_and_hyphens(text: str) -> None:
    made = slug(text)

    assert len(made) <= 48
    assert not made.startswith("-")
    assert not made.endswith("-")
    assert "--" not in made
    assert all(char == "-" or char.isalnum() for char in made)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_the_unicode_form_of_a_text_does_not_change_its_slug(text: str) -> None:
    assert slug(unicodedata.normalize("NFD", text)) == slug(unicodedata.normalize("NFC", text))
