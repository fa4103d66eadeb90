"""A suite spread over several machines, and its parts put together again.

Shard i of n runs the cases whose place in the suite leaves the remainder i - 1 when divided
by n. It judges nothing: only all shards together have metrics and a gate.
"""

from __future__ import annotations

import re

from hpp.core.document import read_document, shown_name
from hpp.core.errors import RefusedError
from hpp.core.evaluation import GATES, CaseResult, Evaluation, Run
from hpp.core.strictjson import LARGE_LIMIT
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.core.suite import Case

__all__ = ["SCHEMA", "Shard", "check_shard", "merge_shards", "read_shard"]

SCHEMA = "hpp.eval-shard/v1"
MOST_SHARDS = 10_000

_SHA256 = re.compile(r"[0-9a-f]{64}")
_REASON = re.compile(r"passed|exit:[0-9]+|signal:[0-9]+|timeout|could-not-start|replayed|control")


class Shard:
    """Which part of a suite one machine runs; `index` is from 1 to `count`."""

    __slots__ = ("count", "index")

    def __init__(self, index: int, count: int) -> None:
        self.index = index
        self.count = count

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Return the shard that a text such as ``2/5`` names.

        Raises:
            RefusedError: It is no such text, or out of range.

        """
        first, slash, second = text.partition("/")
        plain = first.isascii() and first.isdigit() and second.isascii() and second.isdigit()
        if not slash or not plain or max(len(first), len(second)) > len(str(MOST_SHARDS)):
            raise RefusedError(f"--shard: expected I/N, such as 2/5, got {shorten(text)!r}")
        index, count = int(first), int(second)
        if not 1 <= index <= count <= MOST_SHARDS:
            raise RefusedError(f"--shard: {index}/{count}: expected 1 <= I <= N <= {MOST_SHARDS}")
        return cls(index, count)

    def places(self, total: int) -> range:
        """Return the places, from 0, of its cases in a suite of `total`."""
        return range(self.index - 1, total, self.count)

    def pick(self, cases: Sequence[Case]) -> list[Case]:
        """Return its cases in the order of the suite."""
        return [cases[place] for place in self.places(len(cases))]

    def document(self, run: Run, results: Sequence[CaseResult], total: int) -> dict[str, Any]:
        """Return the result ``hpp.eval-shard/v1`` of a suite of `total` cases."""
        return {
            "schema": SCHEMA,
            "suite": run.suite,
            "platform": run.platform,
            "k": run.k,
            "gate": run.gate,
            "shard": {"index": self.index, "count": self.count, "total_cases": total},
            "cases": [case.document() for case in results],
        }


def read_shard(path: str) -> dict[str, Any]:
    """Return the document of a shard, checked.

    Raises:
        RefusedError: It cannot be read or is no result of ``hpp eval run --shard``.

    """
    document: dict[str, Any] = read_document(path, root=dict, limit=LARGE_LIMIT)
    check_shard(document, shown_name(path))
    return document


def check_shard(document: dict[str, Any], name: str) -> None:
    """Check a parsed document; `name` stands for its file in messages.

    Raises:
        RefusedError: It is no result of ``hpp eval run --shard``.

    """
    _Checker(name).shard(document)


def merge_shards(paths: Sequence[str]) -> Evaluation:
    """Return the evaluation that one machine would have made of all shards.

    Where shards ran on different platforms, each value lists them, sorted.

    Raises:
        RefusedError: A shard cannot be read, is missing or given twice, or belongs to
            another run.

    """
    documents = [read_shard(path) for path in paths]
    first = documents[0]
    count, total = first["shard"]["count"], first["shard"]["total_cases"]
    found: dict[int, str] = {}
    results: dict[int, CaseResult] = {}
    for path, document in zip(paths, documents, strict=True):
        name = shown_name(path)
        _check_same_run(first, document, name, shown_name(paths[0]))
        index = document["shard"]["index"]
        if index in found:
            raise RefusedError(f"{name}: shard.index: {index} is in {found[index]} already")
        found[index] = name
        places = Shard(index, count).places(total)
        results.update(zip(places, map(_result, document["cases"]), strict=True))
    _check_complete(found, count)
    cases = [results[place] for place in sorted(results)]
    _check_ids(cases)
    platforms = [document["platform"] for document in documents]
    platform = {key: ", ".join(sorted({one[key] for one in platforms})) for key in platforms[0]}
    return Evaluation(Run(first["suite"], platform, first["k"], first["gate"]), cases)


def _check_same_run(
    first: dict[str, Any], document: dict[str, Any], name: str, first_name: str
) -> None:
    for key in ("suite", "k", "gate"):
        if document[key] != first[key]:
            raise RefusedError(f"{name}: {key}: it differs from that of {first_name}")
    for key in ("count", "total_cases"):
        if document["shard"][key] != first["shard"][key]:
            raise RefusedError(f"{name}: shard.{key}: it differs from that of {first_name}")


def _check_complete(found: dict[int, str], count: int) -> None:
    missing = [index for index in range(1, count + 1) if index not in found]
    if missing:
        shown = ", ".join(map(str, missing[:20])) + (", ..." if len(missing) > 20 else "")  # noqa: PLR2004 -- enough to see
        raise RefusedError(f"{len(missing)} of {count} shards are missing: {shown}")


def _check_ids(cases: Sequence[CaseResult]) -> None:
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise RefusedError(f'the case "{shorten(case.id)}" is in two shards')
        seen.add(case.id)


def _result(case: dict[str, Any]) -> CaseResult:
    return CaseResult(case["id"], case["outcomes"], case["reasons"])


class _Checker:
    """Refuses a document at the first thing that no shard of ours has."""

    def __init__(self, name: str) -> None:
        self.name = name

    def shard(self, document: dict[str, Any]) -> None:
        wanted = f"expected {SCHEMA}, the result of `hpp eval run --shard`"
        self.need(document.get("schema") == SCHEMA, "schema", wanted)
        self.texts(document, "suite", ("name", "version", "sha256"))
        sha256 = document["suite"]["sha256"]
        self.need(bool(_SHA256.fullmatch(sha256)), "suite.sha256", "expected 64 hex digits")
        self.texts(document, "platform", ("python", "system"))
        self.integer(document, "k", "k")
        self.need(document.get("gate") in GATES, "gate", f"expected one of {', '.join(GATES)}")
        shard = document.get("shard")
        self.need(isinstance(shard, dict), "shard", "expected an object")
        for key in ("index", "count", "total_cases"):
            self.integer(document["shard"], key, f"shard.{key}")
        self.cases(document)

    def cases(self, document: dict[str, Any]) -> None:
        index, count, total = (document["shard"][key] for key in ("index", "count", "total_cases"))
        fits = index <= count <= MOST_SHARDS
        self.need(fits, "shard", f"expected index <= count <= {MOST_SHARDS}")
        cases, size = document.get("cases"), len(Shard(index, count).places(total))
        is_list = isinstance(cases, list) and len(cases) == size
        self.need(is_list, "cases", f"expected a list of {size}")
        for number, case in enumerate(document["cases"]):
            where = f"cases[{number}]"
            self.need(isinstance(case, dict), where, "expected an object")
            self.case(case, where, document["k"])

    def case(self, case: dict[str, Any], where: str, k: int) -> None:
        case_id = case.get("id")
        named = isinstance(case_id, str) and bool(case_id.strip())
        self.need(named, f"{where}.id", "expected a non-blank text")
        for key in ("outcomes", "reasons"):
            value = case.get(key)
            is_list = isinstance(value, list) and len(value) == k
            self.need(is_list, f"{where}.{key}", f"expected a list of {k}")
        for place, outcome in enumerate(case["outcomes"]):
            at = f"{where}.outcomes[{place}]"
            self.need(isinstance(outcome, bool), at, "expected true or false")
        for place, reason in enumerate(case["reasons"]):
            known = isinstance(reason, str) and bool(_REASON.fullmatch(reason))
            self.need(known, f"{where}.reasons[{place}]", "expected a reason of `hpp eval run`")
        for key, told in (("pass_at_k", any), ("pass_caret_k", all)):
            agrees = case.get(key) is told(case["outcomes"])
            self.need(agrees, f"{where}.{key}", "it contradicts the outcomes")

    def texts(self, document: dict[str, Any], key: str, inner: tuple[str, ...]) -> None:
        value = document.get(key)
        fits = isinstance(value, dict) and set(value) == set(inner)
        self.need(fits, key, f"expected an object with {', '.join(inner)} alone")
        for name in inner:
            self.need(isinstance(document[key][name], str), f"{key}.{name}", "expected a text")

    def integer(self, parent: dict[str, Any], key: str, where: str) -> None:
        value = parent.get(key)
        self.need(type(value) is int and value >= 1, where, "expected an integer of 1 or more")

    def need(self, holds: bool, where: str, what: str) -> None:  # noqa: FBT001 -- what is checked
        if not holds:
            raise RefusedError(f"{self.name}: {where}: {what}")
