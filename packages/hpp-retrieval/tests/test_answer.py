from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.retrieval.answer import UnfitAnswerError, parse_answer, read_ranking


@pytest.mark.parametrize(
    "text",
    [
        '["a", "b"]',
        '{"results": ["a", "b"], "took_ms": 3}',
        '[{"id": "a", "score": 2, "title": "x"}, {"id": "b", "score": null}]',
        '["a", {"id": "b"}]',
        '\ufeff["a", "b"]\n\n',
    ],
)
def test_a_ranking_may_be_written_in_several_ways(text: str) -> None:
    assert list(parse_answer(text.encode()).ids) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"<html><body>502 Bad Gateway</body></html>", "not an answer"),
        (b'["a"', "not an answer"),
        (b'["a"] ["b"]', "not an answer"),
        (b'["caf\xe9"]', "not UTF-8"),
        (b'\xff\xfe[\x00"\x00a\x00"\x00]\x00', "UTF-16"),
        (b'["\\ud800"]', "not an answer"),
        (b'[{"id": "a", "score": NaN}]', "not an answer"),
        (b'[{"id": "a", "score": 1e999}]', "not an answer"),
        (b'[{"id": "a", "id": "b"}]', "not an answer"),
        (b"[" * 100_000, "not an answer"),
        (b'{"ids": ["a"]}', "without results"),
        (b'{"results": {"a": 1}}', "expected a list, got an object"),
        (b'"a"', "expected a list, got a text"),
        (b"null", "expected a list, got null"),
        (b'["a", ""]', r"results\[1\]: an id is empty"),
        (b'["a", 7]', r"results\[1\]: expected an id, got an integer"),
        (b'[{"id": ""}]', r"results\[0\]: an id is empty"),
        (b'[{"score": 1}]', r"results\[0\].id: expected a text, got null"),
        (b'[{"id": 7}]', r"results\[0\].id: expected a text, got an integer"),
        (b'[{"id": "a", "score": true}]', r"results\[0\].score: expected a number, got true"),
        (b'["b", {"id": "a", "score": "1"}]', r"results\[1\].score: expected a number"),
        (b'["a", "x", "y", "z", "a"]', r'results\[4\]: "a" stands twice'),
        (b'[{"id": "a"}, {"id": "a", "score": 1}]', r'results\[1\]: "a" stands twice'),
    ],
)
def test_anything_else_is_named(text: bytes, fault: str) -> None:
    with pytest.raises(UnfitAnswerError, match=fault):
        parse_answer(text)


@pytest.mark.parametrize(
    ("scores", "order"),
    [
        ([3, 2, 1], "descending"),
        ([3, 3, 1.5], "descending"),
        ([1, 2], "ascending"),
        ([1, 1], "equal"),
        ([1, 2, 1], "mixed"),
        ([1], None),
        ([None, None], None),
        ([2, None, 1], "descending"),
        ([], None),
    ],
)
def test_the_order_of_scores_is_told_and_never_sorts(
    scores: list[float | None], order: str | None
) -> None:
    value = [{"id": f"d{at}", "score": score} for at, score in enumerate(scores)]
    ranking = read_ranking(value)

    assert ranking.score_order == order
    assert list(ranking.ids) == [f"d{at}" for at in range(len(scores))]


ITEMS: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(["a", "b", "c", ""]),
    st.integers(),
    st.none(),
    st.fixed_dictionaries(
        {},
        optional={
            "id": st.sampled_from(["a", "b", "", 1, None]),
            "score": st.sampled_from([1, 0.5, None, True, "1", []]),
        },
    ),
)


@given(st.lists(ITEMS, max_size=4))
def test_the_quick_way_and_the_slow_way_agree(value: list[object]) -> None:
    """A list of another shape at its end takes the slow way for all items."""

    def told(items: list[object]) -> object:
        try:
            return list(read_ranking(items).ids)
        except UnfitAnswerError as error:
            return str(error)

    alone, beside = told(value), told([*value, {"id": "last"}])
    text = told([*value, "last"])

    if isinstance(alone, list):
        assert beside == text == [*alone, "last"]
    else:
        assert beside == text == alone
    json.dumps(value)


def test_control_a_repeated_id_is_not_overlooked_far_down() -> None:
    ids = [f"d{number}" for number in range(5000)]
    read_ranking(ids)

    with pytest.raises(UnfitAnswerError, match="stands twice"):
        read_ranking([*ids, "d0"])
