from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.context import Block, compile_blocks, parse_blocks
from hpp.core.errors import RefusedError

if TYPE_CHECKING:
    import random

SOUND = {"source": "a.md", "priority": 1, "content": "text"}
BLOCKS = st.lists(
    st.builds(Block, st.text("abc", min_size=1), st.integers(-2, 2), st.text("xyé🦀", max_size=6)),
    max_size=8,
    unique_by=lambda block: block.source,
)


def taken(blocks: list[Block], budget: int) -> dict[str, Any]:
    return compile_blocks(blocks, budget).document()


def test_the_highest_priority_comes_first_then_the_source() -> None:
    blocks = [Block("b", 1, "b"), Block("a", 1, "a"), Block("c", 9, "c"), Block("d", -1, "d")]

    assert taken(blocks, 100)["text"] == "c\n\na\n\nb\n\nd"


def test_a_block_that_does_not_fit_is_left_out_whole_and_smaller_ones_still_fit() -> None:
    blocks = [Block("big", 9, "x" * 20), Block("mid", 5, "yy"), Block("low", 1, "zz")]

    result = taken(blocks, 6)

    assert (result["text"], result["used"], result["remaining"]) == ("yy\n\nzz", 6, 0)
    assert [record["source"] for record in result["omitted"]] == ["big"]


def test_the_separator_is_charged_from_the_second_block_on() -> None:
    blocks = [Block("a", 2, "12345"), Block("b", 1, "67890")]

    assert taken(blocks, 12)["used"] == 12
    assert taken(blocks, 11)["used"] == 5


def test_an_empty_block_counts_as_one_that_is_included() -> None:
    blocks = [Block("a", 2, ""), Block("b", 1, "x")]

    assert taken(blocks, 3)["text"] == "\n\nx"
    assert taken(blocks, 2)["omitted"][0]["source"] == "b"


def test_characters_are_code_points_and_hashes_are_of_utf_8() -> None:
    (record,) = taken([Block("a", 1, "é🦀")], 2)["included"]

    assert record["chars"] == 2
    assert record["sha256"] == hashlib.sha256("é🦀".encode()).hexdigest()


def test_a_million_characters_are_a_block_like_any_other() -> None:
    document = [{**SOUND, "content": "word " * 200_000}]

    assert taken(parse_blocks(document, "c"), 1_000_000)["remaining"] == 0


@given(BLOCKS, st.integers(0, 30))
def test_nothing_is_lost_cut_or_over_budget(blocks: list[Block], budget: int) -> None:
    compiled = compile_blocks(blocks, budget)

    assert sorted(block.source for block in compiled.included + compiled.omitted) == sorted(
        block.source for block in blocks
    )
    assert len(compiled.text) <= budget
    assert compiled.text == "\n\n".join(block.content for block in compiled.included)


@given(BLOCKS, st.integers(0, 30), st.randoms())
def test_the_order_of_the_input_changes_nothing(
    blocks: list[Block], budget: int, chance: random.Random
) -> None:
    shuffled = chance.sample(blocks, len(blocks))

    assert taken(shuffled, budget) == taken(blocks, budget)


@pytest.mark.parametrize(
    ("document", "what"),
    [
        ([1], r"\[0\]: expected an object"),
        ([{**SOUND, "source": " "}], r"\[0\]\.source: expected a non-blank"),
        ([{**SOUND, "source": None}], r"\[0\]\.source: expected a non-blank"),
        ([SOUND, SOUND], r'\[1\]\.source: duplicate source "a\.md"'),
        ([{**SOUND, "priority": 1.0}], r"\[0\]\.priority: expected an integer"),
        ([{**SOUND, "priority": True}], r"\[0\]\.priority: expected an integer"),
        ([{**SOUND, "priority": 2**53}], r"\[0\]\.priority: expected an integer"),
        ([{"source": "a", "content": ""}], r"\[0\]\.priority: expected an integer"),
        ([{"source": "a", "priority": 1}], r"\[0\]\.content: expected a text"),
        ([{**SOUND, "content": ["x"]}], r"\[0\]\.content: expected a text"),
    ],
)
def test_what_breaks_a_rule_is_refused_with_its_place(document: list[Any], what: str) -> None:
    with pytest.raises(RefusedError, match=f"^c\\.json: {what}"):
        parse_blocks(document, "c.json")


@pytest.mark.parametrize(
    "secret",
    [
        "api_key=secret-value",
        "api_key: sk-ABCDEFGH12345678",
        "-----BEGIN PRIVATE KEY-----\nMIIB",
        "postgres://app:Zx81kQpLm2@db.example/app",
    ],
)
def test_a_secret_refuses_the_input_and_is_never_shown(secret: str) -> None:
    """Also in a block that would be omitted: it must not wait for a larger budget."""
    document = [SOUND, {"source": "leak.env", "priority": -9, "content": f"x\n{secret}\n"}]

    with pytest.raises(RefusedError, match=r'\[1\]\.content: .* from "leak\.env"') as refused:
        parse_blocks(document, "c.json")

    assert secret not in str(refused.value)
    assert not any(part in str(refused.value) for part in ("secret-value", "12345678", "Zx81"))


def test_a_secret_in_a_source_is_not_shown_either() -> None:
    with pytest.raises(RefusedError, match=r"\[0\]\.source: secret-like") as refused:
        parse_blocks([{**SOUND, "source": "api_key=abcdefgh12345678"}], "c.json")

    assert "abcdefgh" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "Our secret sauce; no password involved.",
        "password",
        "task-abcdefghij",
        "API_KEY=<your-key>",
    ],
)
def test_control_words_about_secrets_are_no_secret(text: str) -> None:
    assert taken(parse_blocks([{**SOUND, "content": text}], "c"), 100)["text"] == text
