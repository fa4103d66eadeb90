"""A labelled suite, ``hpp.retrieval-suite/v1``: checked as a whole before the first case."""

from __future__ import annotations

import os

from hpp.core.arguments import LARGEST_INTEGER
from hpp.core.canonical import sha256_hex
from hpp.core.document import read_input, shown_name
from hpp.core.errors import RefusedError
from hpp.core.secretmark import may_hold_secret
from hpp.core.strictjson import LARGE_LIMIT, kind_of, parse_bytes
from hpp.core.text import shorten, utf8_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

__all__ = ["SCHEMA", "Case", "Suite", "parse_suite", "read_suite"]

SCHEMA = "hpp.retrieval-suite/v1"
DEFAULT_K = 5
_ABSENT = object()


class Case:
    """One query with its labels.

    Attributes:
        id: Unique in its suite.
        query: What the retriever is asked.
        relevant: The ids that answer it, at least one.
        results: The recorded answer as it stands in the suite, unjudged.
        is_recorded: Whether there is one.

    """

    __slots__ = ("id", "is_recorded", "query", "relevant", "results")

    def __init__(self, raw: dict[str, Any]) -> None:
        self.id: str = raw["id"]
        self.query: str = raw["query"]
        self.relevant: list[str] = raw["relevant"]
        self.results: object = raw.get("results")
        self.is_recorded = "results" in raw


class Suite:
    """A suite that keeps every rule; `sha256` is that of its file's bytes."""

    __slots__ = ("cases", "k", "name", "sha256", "version")

    def __init__(self, raw: dict[str, Any], name: str, sha256: str) -> None:
        self.name: str = raw.get("name", name)
        self.version: str = raw["version"]
        self.k: int = raw.get("k", DEFAULT_K)
        self.sha256 = sha256
        self.cases = [Case(case) for case in raw["cases"]]

    def identity(self) -> dict[str, Any]:
        """Return what a report says of the suite."""
        return {"name": self.name, "version": self.version, "sha256": self.sha256, "k": self.k}


def read_suite(path: str) -> Suite:
    """Return the suite of a file, or of standard input for ``-``.

    Raises:
        RefusedError: The file cannot be read, or it is no suite; the place is named.

    """
    data = read_input(path, limit=LARGE_LIMIT)
    name = "standard input" if path == "-" else os.path.splitext(os.path.basename(path))[0]
    return parse_suite(data, shown_name(path), default_name=utf8_path(name))


def parse_suite(data: bytes, where: str, *, default_name: str) -> Suite:
    """Return the suite that the bytes of a document are; see `read_suite`."""
    raw = parse_bytes(data, where, root=dict)
    _Check(where).suite(raw)
    return Suite(raw, default_name, sha256_hex(data))


class _Check:
    """The rules of a suite, in the order of its keys."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._places: dict[str, int] = {}

    def suite(self, raw: dict[str, Any]) -> None:
        if raw.get("schema") != SCHEMA:
            self._wrong("schema", SCHEMA, raw.get("schema", _ABSENT))
        for key in ("version", "name"):
            value = raw.get(key, "x" if key == "name" else _ABSENT)
            if not isinstance(value, str) or not value:
                self._wrong(key, "a non-empty text", value)
        k = raw.get("k", DEFAULT_K)
        if type(k) is not int or not 1 <= k <= LARGEST_INTEGER:
            self._wrong("k", f"an integer from 1 to {LARGEST_INTEGER}", k)
        cases = raw.get("cases", _ABSENT)
        if not isinstance(cases, list) or not cases:
            self._wrong("cases", "a non-empty list", cases)
        for number, case in enumerate(cases):
            self._case(f"cases[{number}]", case, number)

    def _case(self, place: str, case: object, number: int) -> None:
        if not isinstance(case, dict):
            self._wrong(place, "an object", case)
        case_id, query, relevant = (case.get(key, _ABSENT) for key in ("id", "query", "relevant"))
        if not isinstance(case_id, str) or not case_id:
            self._wrong(f"{place}.id", "a non-empty text", case_id)
        first = self._places.setdefault(case_id, number)
        if first != number:
            self._refuse(f"{place}.id", f'"{shorten(case_id)}" is the id of cases[{first}] too')
        if not isinstance(query, str) or not query.strip():
            self._wrong(f"{place}.query", "a text with a visible character", query)
        if may_hold_secret(query):
            self._look_for_secret(place, case_id, query)
        if (
            not isinstance(relevant, list)
            or not relevant
            or not set(map(type, relevant)) <= {str}
            or "" in relevant
            or len(set(relevant)) != len(relevant)
        ):
            self._relevant(f"{place}.relevant", relevant)

    def _look_for_secret(self, place: str, case_id: str, query: str) -> None:
        from hpp.core.secret import first_kind

        kind = first_kind(query)
        if kind is not None:
            told = f'secret-like text ({kind}) in case "{shorten(case_id)}"'
            self._refuse(f"{place}.query", told)

    def _relevant(self, place: str, relevant: object) -> None:
        """Say what is wrong with labels that break a rule."""
        if not isinstance(relevant, list) or not relevant:
            self._wrong(place, "a non-empty list of ids", relevant)
        seen: set[str] = set()
        for number, each in enumerate(relevant):
            if not isinstance(each, str) or not each:
                told = "a non-empty id (relevance has no grades)"
                self._wrong(f"{place}[{number}]", told, each)
            if each in seen:
                self._refuse(f"{place}[{number}]", f'"{shorten(each)}" is repeated')
            seen.add(each)

    def _wrong(self, place: str, wanted: str, value: object) -> NoReturn:
        if value is _ABSENT:
            told = "it is missing"
        elif isinstance(value, (str, list, dict)) and not value:
            told = f"got an empty {'text' if value == '' else 'list' if value == [] else 'object'}"
        elif isinstance(value, str):
            told = f'got "{shorten(value, 40)}"'
        else:
            told = f"got {kind_of(value)}"
        self._refuse(place, f"expected {wanted}, {told}")

    def _refuse(self, place: str, what: str) -> NoReturn:
        raise RefusedError(f"{self._where}: {place}: {what}")
