"""What a retriever printed, or a suite recorded, judged: a ranking or a reason why not."""

from __future__ import annotations

from itertools import pairwise

from hpp.core.strictjson import JsonRefusedError, kind_of, parse_bytes
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Ranking", "UnfitAnswerError", "parse_answer", "read_ranking"]


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
    if set(map(type, value)) <= {str}:
        ids: list[str] = value
        ranking = Ranking(ids)
    else:
        ids, scores = _read_items(value)
        ranking = Ranking(ids, _order(scores))
    if "" in ids:
        raise UnfitAnswerError(f"results[{ids.index('')}]: an id is empty")
    if len(set(ids)) != len(ids):
        raise UnfitAnswerError(_repeated(ids))
    return ranking


def _read_items(value: list[object]) -> tuple[list[str], list[float]]:
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
        if score is None:
            continue
        if isinstance(score, bool) or not isinstance(score, (int, float)):
            told = f"expected a number, got {kind_of(score)}"
            raise UnfitAnswerError(f"results[{number}].score: {told}")
        scores.append(score)  # strict JSON has no other than finite numbers
    return ids, scores


def _order(scores: list[float]) -> str | None:
    if len(scores) < 2:  # noqa: PLR2004 -- one score runs nowhere
        return None
    pairs = list(pairwise(scores))
    falls = any(first > second for first, second in pairs)
    rises = any(first < second for first, second in pairs)
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
