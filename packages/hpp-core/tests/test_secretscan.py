from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core import secretscan
from hpp.core.secret import find
from hpp.core.secretmark import ALL, NAME, may_hold_secret
from hpp.core.secretscan import suspects

PIECE = st.one_of(
    st.sampled_from(ALL),
    st.sampled_from(ALL).map(str.upper),
    st.sampled_from(ALL).map(lambda mark: mark[:-1]),
    st.sampled_from(
        [
            "api_key=abcdefgh12345678",
            "password: hunter2-x",
            "\u0130",
            "\n",
            " ",
            "tok",
            "=",
            ": ",
            "--",
            "-",
            "'",
            '\\\\"',
            "hunter2-X9",
            "&",
            "?",
        ]
    ),
    st.text(max_size=6),
)
TEXTS = st.lists(st.lists(PIECE, max_size=4).map("".join), max_size=8)


@given(TEXTS)
def test_many_texts_are_told_as_each_alone(texts: list[str]) -> None:
    assert suspects(texts) == [n for n, text in enumerate(texts) if suspects([text])]


@given(TEXTS)
def test_a_text_without_a_mark_is_no_suspect(texts: list[str]) -> None:
    assert set(suspects(texts)) <= {n for n, text in enumerate(texts) if may_hold_secret(text)}


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
    marks = [mark for mark in ALL if mark not in NAME]
    texts = [text for mark in marks for text in (mark, f"x{mark}y", mark.upper())]

    assert suspects(texts) == list(range(len(texts)))


@pytest.mark.parametrize("name", [*NAME, "password", "passwd", "passphrase", "tokens", "api_key_"])
def test_a_name_is_seen_where_a_value_can_follow(name: str) -> None:
    given = [f"{name}=v", f'"{name}" : v', f"\\'{name}\\'=>v", f"db-{name}:=v", f"--{name} v"]
    talk = [name, f"the {name} of it", f"{name}. More", f"{name}\n=v", f"high level {name} x"]

    assert suspects(given) == list(range(len(given)))
    assert suspects(talk) == []


def test_a_mark_that_two_texts_share_is_in_neither() -> None:
    assert suspects(["pass"[:2], "pass"[2:], "to", "ken"]) == []


def test_control_a_scan_without_expressions_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secretscan, "_NAMES", [])

    assert suspects(["password=hunter2-secret"]) == []
