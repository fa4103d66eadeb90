"""A report of ``retrieval eval``, read again."""

from __future__ import annotations

from hpp.core.document import read_document, shown_name
from hpp.core.errors import RefusedError
from hpp.core.strictjson import LARGE_LIMIT
from hpp.core.text import shorten
from hpp.retrieval.evaluation import SCHEMA
from hpp.retrieval.metric import METRICS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Measurement", "read_measurement"]


class Measurement:
    """What a comparison needs of a report.

    Attributes:
        where: Name of the file, for messages.
        suite: ``{"name", "version", "sha256", "k"}``.
        retriever: As the report names it.
        k: The cut of the figures.
        cases: The figures of each case by its id, None for an instrument failure, in suite
            order.

    """

    __slots__ = ("cases", "k", "retriever", "suite", "where")

    def __init__(self, where: str, raw: dict[str, Any], k: int) -> None:
        self.where = where
        self.suite: dict[str, Any] = raw["suite"]
        self.retriever: dict[str, Any] = raw["retriever"]
        self.k = k
        self.cases: dict[str, dict[str, float] | None] = {}


def read_measurement(path: str, k: int | None) -> Measurement:
    """Return a measurement at one of its cuts; None is the gate's.

    Raises:
        RefusedError: The file cannot be read, is no report, or did not measure at that cut.

    """
    where = shown_name(path)
    raw = read_document(path, root=dict, limit=LARGE_LIMIT)
    if raw.get("schema") != SCHEMA:
        raise RefusedError(f"{where}: schema: expected {SCHEMA}")
    for key, kind, told in (
        ("suite", dict, "an object"),
        ("retriever", dict, "an object"),
        ("cases", list, "a list"),
    ):
        if not isinstance(raw.get(key), kind):
            raise RefusedError(f"{where}: {key}: expected {told}")
    if not isinstance(raw["suite"].get("sha256"), str):
        raise RefusedError(f"{where}: suite.sha256: expected a text")
    own = raw.get("k")
    if type(own) is not int:
        raise RefusedError(f"{where}: k: expected an integer")
    measurement = Measurement(where, raw, own if k is None else k)
    for number, case in enumerate(raw["cases"]):
        _add(measurement, case, f"{where}: cases[{number}]", own)
    return measurement


def _add(measurement: Measurement, case: object, place: str, own: int) -> None:
    if not isinstance(case, dict) or not isinstance(case.get("id"), str):
        raise RefusedError(f"{place}: expected an object with an id")
    if case["id"] in measurement.cases:
        raise RefusedError(f'{place}.id: "{shorten(case["id"])}" is repeated')
    measured = case.get("metrics")
    if measured is not None and measurement.k != own:
        cuts = case.get("by_k")
        measured = cuts.get(str(measurement.k)) if isinstance(cuts, dict) else None
        if measured is None:
            raise RefusedError(f"{place}: it was not measured at k = {measurement.k}")
    measurement.cases[case["id"]] = None if measured is None else _figures(measured, place)


def _figures(measured: object, place: str) -> dict[str, float]:
    if not isinstance(measured, dict):
        raise RefusedError(f"{place}.metrics: expected an object")
    found: dict[str, float] = {}
    for name in METRICS:
        value = measured.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
            raise RefusedError(f"{place}.metrics.{name}: expected a number from 0 to 1")
        found[name] = value
    return found
