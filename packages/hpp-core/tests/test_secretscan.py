from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from hpp.core import secretscan
from hpp.core.secret import find
from hpp.core.secretmark import ALL, may_hold_secret
from hpp.core.secretscan import suspects

if TYPE_CHECKING:
    import pytest

PIECE = st.one_of(
    st.sampled_from(ALL),
    st.sampled_from(ALL).map(str.upper),
    st.sampled_from(ALL).map(lambda mark: mark[:-1]),
    st.sampled_from(
        ["api_key=abcdefgh12345678", "password: hunter2-x", "\u0130", "\n", " ", "tok"]
    ),
    st.text(max_size=6),
)
TEXTS = st.lists(st.lists(PIECE, max_size=4).map("".join), max_size=8)


@given(TEXTS)
def test_many_texts_are_told_as_each_alone(texts: list[str]) -> None:
    assert suspects(texts) == [n for n, text in enumerate(texts) if may_hold_secret(text)]


@given(TEXTS)
def test_no_secret_is_left_out(texts: list[str]) -> None:
    assert set(suspects(texts)) >= {n for n, text in enumerate(texts) if find(text)}


@given(TEXTS)
def test_the_size_of_a_chunk_changes_nothing(texts: list[str]) -> None:
    whole, size = suspects(texts), secretscan._CHUNK
    try:
        secretscan._CHUNK = 3
        assert suspects(texts) == whole
    finally:
        secretscan._CHUNK = size


def test_every_mark_is_seen_alone_and_inside_a_text() -> None:
    texts = [text for mark in ALL for text in (mark, f"x{mark}y", mark.upper())]

    assert suspects(texts) == list(range(len(texts)))


def test_a_mark_that_two_texts_share_is_in_neither() -> None:
    assert suspects(["pass"[:2], "pass"[2:], "to", "ken"]) == []


def test_control_a_scan_without_expressions_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secretscan, "_EXPRESSIONS", [])

    assert suspects(["password=hunter2-secret"]) == []
