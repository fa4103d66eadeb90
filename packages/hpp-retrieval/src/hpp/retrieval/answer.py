"""What a retriever printed, or a suite recorded, judged: a ranking or a reason why not."""

from __future__ import annotations

from operator import gt, lt

from hpp.core.strictjson import JsonRefusedError, kind_of, parse_bytes
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["Ranking", "UnfitAnswerError", "parse_answer", "read_ranking"]


_SCORES = {int, float, type(None)}  # not bool


class UnfitAnswerError(Exception):
    """An answer that cannot be measured; the text says why."""


class Ranking:
    """Ids, best first, each once.

    Attributes:
        ids: In the order in which they were printed.
        score_order: Which way the scores run: ``descending``, ``ascending``, ``equal``,
            ``mixed``, or None with fewer than two.

    """

    __slots__ = ("ids", "score_order")

    def __init__(self, ids: Sequence[str], score_order: str | None = None) -> None:
        self.ids = ids
        self.score_order = score_order


def parse_answer(data: bytes) -> Ranking:
    """Return the ranking that a program printed.

    Raises:
        UnfitAnswerError: It is no strict JSON, or no ranking.

    """
    try:
        value = parse_bytes(data, "its answer")
    except JsonRefusedError as error:
        raise UnfitAnswerError(f"not an answer: {error.reason}") from None
    if isinstance(value, dict):
        if "results" not in value:
            raise UnfitAnswerError("not an answer: an object without results")
        value = value["results"]
    return read_ranking(value)


def read_ranking(value: object) -> Ranking:
    """Return the ranking that a JSON value is.

    Raises:
        UnfitAnswerError: It is no list, an item has no id or no finite score, or an id
            stands twice, be it after every cut.

    """
    if not isinstance(value, list):
        raise UnfitAnswerError(f"results: expected a list, got {kind_of(value)}")
    kinds = set(map(type, value))
    if kinds <= {str}:
        ids: list[str] = value
        order = None
    else:
        ids, scores = _read_items(value, are_objects=kinds == {dict})
        order = _order(scores)
    if "" in ids:
        raise UnfitAnswerError(f"results[{ids.index('')}]: an id is empty")
    if len(set(ids)) != len(ids):
        raise UnfitAnswerError(_repeated(ids))
    return Ranking(ids, order)


def _read_items(value: list[Any], *, are_objects: bool) -> tuple[list[str], list[float]]:
    if are_objects:  # nearly always, and then there may be many
        ids = [item.get("id") for item in value]
        scores = [item.get("score") for item in value]
        if set(map(type, ids)) == {str} and set(map(type, scores)) <= _SCORES:
            return ids, [score for score in scores if score is not None]
    return _read_each(value)


def _read_each(value: list[object]) -> tuple[list[str], list[float]]:
    ids: list[str] = []
    scores: list[float] = []
    for number, item in enumerate(value):
        if isinstance(item, str):
            ids.append(item)
            continue
        if not isinstance(item, dict):
            raise UnfitAnswerError(f"results[{number}]: expected an id, got {kind_of(item)}")
        each, score = item.get("id"), item.get("score")
        if not isinstance(each, str):
            raise UnfitAnswerError(f"results[{number}].id: expected a text, got {kind_of(each)}")
        ids.append(each)
        if type(score) not in _SCORES:
            told = f"expected a number, got {kind_of(score)}"
            raise UnfitAnswerError(f"results[{number}].score: {told}")
        if score is not None:
            scores.append(score)  # strict JSON has no other than finite numbers
    return ids, scores


def _order(scores: list[float]) -> str | None:
    if len(scores) < 2:  # noqa: PLR2004 -- one score runs nowhere
        return None
    falls = any(map(gt, scores, scores[1:]))
    rises = any(map(lt, scores, scores[1:]))
    if falls and rises:
        return "mixed"
    return "descending" if falls else "ascending" if rises else "equal"


def _repeated(ids: Sequence[str]) -> str:
    seen: set[str] = set()
    for number, each in enumerate(ids):
        if each in seen:
            return f'results[{number}]: "{shorten(each)}" stands twice'
        seen.add(each)
    raise AssertionError("no id is repeated")
