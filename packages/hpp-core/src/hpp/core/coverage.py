"""Which criteria of a spec do tests cite, and which did a test run.

A citation is a claim of a test's author; with a JUnit report the claim is held against what
ran. Nothing here says that a test tests what it cites.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.core.junit import Case, Report
    from hpp.core.testsource import Citation, Source
    from hpp.core.workspec import WorkSpec

    Cited = dict[str, list[Citation]]

__all__ = ["Matcher", "citation_coverage", "execution_coverage"]

_FAILED = ("failed", "error")


def citation_coverage(spec: WorkSpec, sources: Sequence[Source]) -> dict[str, Any]:
    """Return the result ``hpp.spec-coverage/v1``."""
    declared, cited = _declared(spec), _cited(sources)
    orphans, unknown = _orphans(declared, cited), _unknown(declared, cited)
    return {
        "schema": "hpp.spec-coverage/v1",
        "criteria": len(declared),
        "covered": [_with_sources(name, cited[name]) for name in declared if name in cited],
        "orphans": orphans,
        "unknown": unknown,
        "sources": len(sources),
        "complete": not orphans and not unknown,
    }


def execution_coverage(
    spec: WorkSpec, sources: Sequence[Source], reports: Sequence[Report]
) -> dict[str, Any]:
    """Return the result ``hpp.spec-execution/v1``."""
    declared, cited = _declared(spec), _cited(sources)
    cases = [case for report in reports for case in report.cases]
    matcher = Matcher(cases, [citation for source in sources for citation in source.citations])
    by_verdict: dict[str, list[dict[str, Any]]] = {
        "executed": [],
        "failed": [],
        "cited_not_run": [],
    }
    for name in declared:
        if name in cited:
            tests = _tests(cited[name], matcher)
            by_verdict[_verdict(tests)].append({"id": name, "tests": tests})
    oldest = min(report.mtime_ns for report in reports)
    stale = [source.name for source in sources if source.citations and source.mtime_ns > oldest]
    unknown = _unknown(declared, cited)
    complete = len(by_verdict["executed"]) == len(declared) and not unknown and not stale
    return {
        "schema": "hpp.spec-execution/v1",
        "criteria": len(declared),
        "junit_testcases": len(cases),
        "matched_testcases": matcher.matched,
        **by_verdict,
        "orphans": _orphans(declared, cited),
        "unknown": unknown,
        "junit": [report.path for report in reports],
        "reports": [
            {
                "file": report.path,
                "sha256": report.sha256,
                "mtime": report.mtime_ns // 1_000_000_000,
            }
            for report in reports
        ],
        "stale_sources": stale,
        "sources": len(sources),
        "complete": complete,
    }


class Matcher:
    """Pairs the cases of reports with the tests that cite, in near-linear time.

    A case names its module by a dotted path that may begin above or below the folder that
    the sources were given from, so either path may be a tail of the other.

    Attributes:
        matched: How many cases run a test that cites.

    """

    def __init__(self, cases: Sequence[Case], citations: Sequence[Citation]) -> None:
        self._exact: dict[tuple[str, str], list[Case]] = {}
        self._tails: dict[tuple[str, str], list[str]] = {}
        for case in cases:
            key = (case.name.partition("[")[0], case.classname)
            self._exact.setdefault(key, []).append(case)
        depths: dict[str, set[int]] = {}
        tests = [citation for citation in citations if _can_run(citation)]
        for citation in tests:
            depth = _full_name(citation).count(".") + 1
            depths.setdefault(citation.names[-1], set()).add(depth)
        for name, classname in self._exact:
            self._add_tails(name, classname, depths.get(name, set()))
        self.matched = self._count(tests)

    def outcome(self, citation: Citation) -> str:
        """Return how a definition that cites came out of the run."""
        if citation.is_shadowed:
            return "shadowed"
        if not citation.is_function:
            return "not-a-test"
        keys = [] if citation.is_nested else self._keys(citation)
        if len(keys) > 1:
            return "ambiguous"
        outcomes = {case.outcome for key in keys for case in self._exact[key]}
        if outcomes.intersection(_FAILED):
            return "failed"
        if "passed" in outcomes:
            return "passed"
        return "skipped" if outcomes else "not-in-junit"

    def _add_tails(self, name: str, classname: str, depths: set[int]) -> None:
        parts = classname.split(".")
        for depth in depths:
            if depth < len(parts):
                tail = ".".join(parts[-depth:])
                self._tails.setdefault((name, tail), []).append(classname)

    def _keys(self, citation: Citation) -> list[tuple[str, str]]:
        """Return the (name, class name) of every module whose cases may run a test."""
        name, full = citation.names[-1], _full_name(citation)
        parts = full.split(".")
        shortest = len(citation.names)  # the classes around it, and one part of the module
        tails = [".".join(parts[start:]) for start in range(len(parts) - shortest + 1)]
        found = [(name, tail) for tail in tails if (name, tail) in self._exact]
        return found + [(name, longer) for longer in self._tails.get((name, full), ())]

    def _count(self, tests: Sequence[Citation]) -> int:
        keys = {key for citation in tests for key in self._keys(citation)}
        return sum(len(self._exact[key]) for key in keys)


def _can_run(citation: Citation) -> bool:
    return citation.is_function and not citation.is_nested and not citation.is_shadowed


def _full_name(citation: Citation) -> str:
    """Return the class name that a case of a test has when nothing is above its folder."""
    return ".".join((citation.source.module, *citation.names[:-1]))


def _declared(spec: WorkSpec) -> list[str]:
    return sorted(criterion.id for unit in spec.units for criterion in unit.criteria)


def _cited(sources: Sequence[Source]) -> Cited:
    cited: Cited = {}
    for source in sources:
        for citation in source.citations:
            for name in citation.criteria:
                cited.setdefault(name, []).append(citation)
    return cited


def _orphans(declared: list[str], cited: Cited) -> list[str]:
    return [name for name in declared if name not in cited]


def _unknown(declared: list[str], cited: Cited) -> list[dict[str, Any]]:
    return [_with_sources(name, cited[name]) for name in sorted(cited.keys() - set(declared))]


def _with_sources(name: str, citations: list[Citation]) -> dict[str, Any]:
    return {"id": name, "sources": sorted({citation.source.name for citation in citations})}


def _tests(citations: list[Citation], matcher: Matcher) -> list[dict[str, str]]:
    pairs = sorted((citation.key, matcher.outcome(citation)) for citation in citations)
    return [{"test": key, "outcome": outcome} for key, outcome in pairs]


def _verdict(tests: list[dict[str, str]]) -> str:
    outcomes = {test["outcome"] for test in tests}
    if "failed" in outcomes:
        return "failed"
    return "executed" if "passed" in outcomes else "cited_not_run"
