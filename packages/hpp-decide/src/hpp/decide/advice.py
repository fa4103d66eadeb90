"""A sealed deliberation as advice on the risk of a request, which it can raise only."""

from __future__ import annotations

from hpp.core.document import shown_name
from hpp.core.errors import RefusedError
from hpp.decide.decision import RECOMMENDATION
from hpp.decide.place import folded
from hpp.decide.route import LEVELS, Request
from hpp.decide.seal import sealed_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Advice", "read_advice"]


class Advice:
    """What a deliberation says of a risk.

    Attributes:
        record_sha256: Its seal.
        status, value: Its verdict; the value is a level, or None.
        judge_family: Who judged.

    """

    __slots__ = ("judge_family", "record_sha256", "status", "value")

    def __init__(
        self, record_sha256: str, status: str, value: str | None, judge_family: str
    ) -> None:
        self.record_sha256 = record_sha256
        self.status = status
        self.value = value
        self.judge_family = judge_family

    def raised(self, request: Request) -> Request:
        """Return the request at the higher of its declared and the advised risk.

        Without a recommendation the declared risk stays.
        """
        declared = LEVELS.index(request.risk)
        advised = LEVELS.index(self.value) if self.value is not None else 0
        risk = LEVELS[max(declared, advised)]
        return Request(request.stage, risk, request.complexity, request.context)

    def document(self, declared: Request) -> dict[str, Any]:
        """Return what is told of it beside a route."""
        return {
            "record_sha256": self.record_sha256,
            "status": self.status,
            "value": self.value,
            "judge_family": self.judge_family,
            "declared_risk": declared.risk,
            "action": "raised" if self.raised(declared).risk != declared.risk else "kept",
        }


def read_advice(path: str, maker_family: str | None = None) -> Advice:
    """Return the advice of a record that is intact.

    Args:
        path: The record.
        maker_family: Who made the work, when the judge has to be of another family.

    Raises:
        RefusedError: It is broken, asks for something else than a risk, or its judge is of
            the maker's family.

    """
    record = sealed_record(path)
    name, panel, verdict = shown_name(path), record["panel"], record["verdict"]
    options = panel["question"]["options"]
    known = [level for level in LEVELS if level in options]
    if known != options or not panel["question"]["ladder"]:
        raise RefusedError(
            f"{name}: panel.question.options: expected a ladder out of {', '.join(LEVELS)}"
        )
    judge = next(seat for seat in panel["seats"] if seat["id"] == panel["judge"])
    if maker_family is not None:
        if not maker_family.strip():
            raise RefusedError("--maker-family: expected a non-blank name")
        if folded(maker_family) == folded(judge["family"]):
            raise RefusedError(f"{name}: its judge is of the maker's family")
    value = verdict["value"] if verdict["status"] == RECOMMENDATION else None
    return Advice(record["record_sha256"], verdict["status"], value, judge["family"])
