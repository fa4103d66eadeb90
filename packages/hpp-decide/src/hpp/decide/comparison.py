"""Two evaluations of one suite, case by case: what moved, and whether that is luck.

The exact test of McNemar (1947) looks at the cases alone that only one of the two has
right. Its figures are counted from the cases of the reports and not taken from their
summaries, which somebody may have edited.
"""

from __future__ import annotations

from fractions import Fraction

from hpp.core.text import shorten
from hpp.decide.decision import RECOMMENDATION, STATUSES
from hpp.decide.evaluation import SCHEMA as REPORT
from hpp.decide.metric import Metrics
from hpp.decide.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.decide.place import Place

__all__ = ["SCHEMA", "Comparison", "Report", "read_report"]

SCHEMA = "hpp.decision-compare/v1"
_FIGURES = (
    "decided",
    "abstained",
    "failed",
    "coverage",
    "answerable_coverage",
    "selective_accuracy",
    "confident_errors",
)


class Report:
    """What a comparison needs of a report."""

    __slots__ = ("metrics", "place", "question_sha256", "suite", "verdicts")

    def __init__(self, place: Place) -> None:
        place.mapping()
        place.at("schema").exactly(REPORT)
        self.place = place
        suite = place.at("suite")
        version = suite.at("version")
        self.suite = {
            "name": suite.at("name").string(),
            "version": None if version.is_none else version.string(),
            "sha256": suite.at("sha256").digest(),
        }
        self.question_sha256 = place.at("question").at("sha256").digest()
        floor = place.at("confidence_floor")
        self.verdicts = _verdicts(place.at("cases"))
        self.metrics = Metrics(
            list(self.verdicts.values()), None if floor.value is None else floor.share()
        )


class Comparison:
    """A second report beside a first one of the same cases.

    Attributes:
        fixed, broken: Ids that only the second, or only the first, has right.
        moved: Ids whose status or value differs.

    """

    def __init__(self, first: Report, second: Report) -> None:
        _check_same(first, second)
        self.first = first
        self.second = second
        pairs = [(one, second.verdicts[one.id]) for one in first.verdicts.values()]
        self.fixed = [one.id for one, two in pairs if two.correct is True and not one.correct]
        self.broken = [one.id for one, two in pairs if one.correct is True and not two.correct]
        self.moved = [
            one.id for one, two in pairs if (one.status, one.value) != (two.status, two.value)
        ]
        self._right = sum(one.correct is True and two.correct is True for one, two in pairs)
        self._total = len(pairs)

    @property
    def p_value(self) -> float:
        """Return how likely a split at least as uneven is when neither is better, two-sided."""
        fixed, broken = len(self.fixed), len(self.broken)
        total = fixed + broken
        ways = tail = 1
        for number in range(min(fixed, broken)):
            # From one binomial coefficient to the next; each anew would take minutes.
            ways = ways * (total - number) // (number + 1)
            tail += ways
        return float(min(Fraction(1), Fraction(2 * tail, 2**total)))

    def document(self) -> dict[str, Any]:
        """Return the result ``hpp.decision-compare/v1``."""
        neither = self._total - self._right - len(self.fixed) - len(self.broken)
        return {
            "schema": SCHEMA,
            "suites": [self.first.suite, self.second.suite],
            "same_suite": self.first.suite["sha256"] == self.second.suite["sha256"],
            "question_sha256": self.first.question_sha256,
            "metrics": [_figures(report) for report in (self.first, self.second)],
            "right": {
                "both": self._right,
                "first_only": len(self.broken),
                "second_only": len(self.fixed),
                "neither": neither,
            },
            "test": {"name": "mcnemar-exact", "p_value": self.p_value},
            "fixed": self.fixed,
            "broken": self.broken,
            "moved": [
                {
                    "id": name,
                    "expected": self.first.verdicts[name].expected,
                    "first": _stand(self.first.verdicts[name]),
                    "second": _stand(self.second.verdicts[name]),
                }
                for name in self.moved
            ],
        }


def read_report(place: Place) -> Report:
    """Return the report that stands at a place.

    Raises:
        RefusedError: It is none, or a case of it contradicts itself.

    """
    return Report(place)


def _verdicts(place: Place) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    for raw in place.items(1, of="cases"):
        identity = raw.at("id")
        status = raw.at("status").choice(STATUSES)
        value, confidence = raw.at("value"), raw.at("confidence")
        if status != RECOMMENDATION and not value.is_none:
            value.refuse(f"a case of the status {status} has no value")
        if identity.text() in found:
            identity.refuse("the id is repeated")
        verdict = Verdict(
            identity.value,
            raw.at("expected").text(),
            status,
            value=value.text() if status == RECOMMENDATION else None,
            confidence=None if confidence.is_none else confidence.share(),
        )
        correct = raw.at("correct")
        if correct.value is not verdict.correct:
            correct.expected({True: "true", False: "false", None: "null"}[verdict.correct])
        found[verdict.id] = verdict
    return found


def _check_same(first: Report, second: Report) -> None:
    """Refuse two reports that did not answer the same cases of the same question."""
    if first.question_sha256 != second.question_sha256:
        second.place.at("question").refuse("it is another question than the first report's")
    cases = second.place.at("cases")
    for name, verdict in first.verdicts.items():
        if name not in second.verdicts:
            cases.refuse(f'the case "{shorten(name, 40)}" of the first report is missing')
        if second.verdicts[name].expected != verdict.expected:
            cases.refuse(
                f'another answer is expected for "{shorten(name, 40)}" in the first report'
            )
    for name in second.verdicts:
        if name not in first.verdicts:
            cases.refuse(f'the case "{shorten(name, 40)}" is not in the first report')


def _figures(report: Report) -> dict[str, Any]:
    figures = report.metrics.document()
    return {name: figures[name] for name in _FIGURES}


def _stand(verdict: Verdict) -> dict[str, Any]:
    return {"status": verdict.status, "value": verdict.value, "correct": verdict.correct}
