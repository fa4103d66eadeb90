"""Judgements and rankings of other formats, made into a suite, with a count of what is left out."""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.output import pretty_json
from hpp.core.text import shorten
from hpp.retrieval.suite import SCHEMA as SUITE
from hpp.retrieval.suite import parse_suite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hpp.retrieval.trec import Judgements, Run

__all__ = ["SCHEMA", "Conversion"]

SCHEMA = "hpp.retrieval-import/v1"


class Conversion:
    """Graded judgements made binary.

    Args:
        judged: Grades of documents by query.
        min_grade: From which grade on a document is relevant, at least 1.
        queries: Text of each query; None lets each id stand as its query.
        run: Recorded rankings; None leaves the suite without any.

    Raises:
        RefusedError: No query has a relevant document, or one has no text.

    """

    def __init__(
        self,
        judged: Judgements,
        *,
        min_grade: int,
        queries: Mapping[str, str] | None,
        run: Run | None,
    ) -> None:
        if min_grade < 1:
            raise RefusedError(f"--min-grade {min_grade}: expected 1 or more; 0 is not relevant")
        self._judged = judged
        self._min_grade = min_grade
        self._queries = queries
        self._run = run
        self.cases = [
            self._case(query, relevant)
            for query, grades in judged.items()
            if (relevant := [each for each, grade in grades.items() if grade >= min_grade])
        ]
        if not self.cases:
            raise RefusedError(f"no query has a document of grade {min_grade} or more")

    def suite_bytes(self, name: str, version: str, k: int) -> bytes:
        """Return the suite, held to the rules that its reader has.

        Raises:
            RefusedError: It breaks one, for example by a query that looks like a secret.

        """
        document: dict[str, Any] = {
            "schema": SUITE,
            "name": name,
            "version": version,
            "k": k,
            "cases": self.cases,
        }
        data = pretty_json(document)
        parse_suite(data, "the suite", default_name=name)
        return data

    def report(self, sha256: str) -> dict[str, Any]:
        """Return what went in and what was left out, ``hpp.retrieval-import/v1``."""
        total = sum(map(len, self._judged.values()))
        relevant = sum(len(case["relevant"]) for case in self.cases)
        return {
            "schema": SCHEMA,
            "suite_sha256": sha256,
            "cases": len(self.cases),
            "min_grade": self._min_grade,
            "judgements": {
                "total": total,
                "relevant": relevant,
                "left_out": total - relevant,
                "left_out_above_zero": self._positive() - relevant,
            },
            "queries_without_relevant": len(self._judged) - len(self.cases),
            "query_texts": "ids" if self._queries is None else "given",
            "run": None if self._run is None else self._run_report(self._run),
        }

    def _positive(self) -> int:
        return sum(grade > 0 for grades in self._judged.values() for grade in grades.values())

    def _run_report(self, run: Run) -> dict[str, int]:
        ids = {case["id"] for case in self.cases}
        return {
            "queries": len(run.rankings),
            "cases_without_results": len(ids - run.rankings.keys()),
            "queries_without_case": len(run.rankings.keys() - ids),
            "ties": run.ties,
        }

    def _case(self, query: str, relevant: list[str]) -> dict[str, Any]:
        text = query if self._queries is None else self._queries.get(query)
        if text is None:
            raise RefusedError(f'query "{shorten(query)}" is judged and has no text')
        case: dict[str, Any] = {"id": query, "query": text, "relevant": relevant}
        if self._run is not None:
            # A run cannot say that nothing was found but by leaving the query out.
            case["results"] = self._run.rankings.get(query, [])
        return case
