"""The verdict of a sealed panel beside a checker's: it can make that one stricter only."""

from __future__ import annotations

from hpp.core.document import shown_name
from hpp.core.errors import RefusedError
from hpp.core.service import find_service
from hpp.core.text import shorten
from hpp.evidence.actor import are_two

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["PanelVerdict", "read_panel_verdict"]

_LADDER = ("approved", "revise", "blocked")
_RELEASE_GATE = "release-gate"
_RECOMMENDATION = "recommendation"


class PanelVerdict:
    """What a session said.

    Attributes:
        record_sha256: Its seal.
        status: How it ended, e.g. ``recommendation``.
        value: What it recommends, or None.
        judge_family: Family of the model that judged.

    """

    __slots__ = ("judge_family", "record_sha256", "status", "value")

    def __init__(
        self, record_sha256: str, status: str, value: str | None, judge_family: str
    ) -> None:
        self.record_sha256 = record_sha256
        self.status = status
        self.value = value
        self.judge_family = judge_family

    def stricter(self, declared: str) -> str:
        """Return the stricter of a declared verdict and this one.

        A panel that recommends nothing did not agree, so it counts as ``revise``.
        """
        advised = self.value if self.status == _RECOMMENDATION else "revise"
        return max(declared, advised or "revise", key=_LADDER.index)

    def document(self) -> dict[str, Any]:
        """Return what an attestation keeps of it."""
        return {
            "record_sha256": self.record_sha256,
            "status": self.status,
            "value": self.value,
            "judge_family": self.judge_family,
        }


def read_panel_verdict(path: str, maker_family: str | None) -> PanelVerdict:
    """Return the verdict of the record at `path`, which is intact.

    Args:
        path: A sealed session of a release gate.
        maker_family: Family of who made the work; the judge is of another one.

    Raises:
        RefusedError: A rule is broken; the message names the record and the place in it.
        UsageError: The family that reads such records is not installed.

    """
    if maker_family is None:
        raise RefusedError("--deliberation needs --maker-family, which its judge must not be of")
    record = find_service("deliberation", "--deliberation")(path)
    name, panel, verdict = shown_name(path), record["panel"], record["verdict"]
    if panel["session_type"] != _RELEASE_GATE:
        raise RefusedError(f"{name}: panel.session_type: expected {_RELEASE_GATE}")
    if not set(panel["question"]["options"]) <= set(_LADDER):
        raise RefusedError(f"{name}: panel.question.options: expected some of {', '.join(_LADDER)}")
    _check_evidence(record, name)
    judge = next(seat for seat in panel["seats"] if seat["id"] == panel["judge"])
    if not are_two(maker_family, judge["family"]):
        raise RefusedError(
            f"{name}: its judge is of family {shorten(judge['family'])}, and --maker-family has to"
            " name another one"
        )
    value = verdict["value"] if verdict["status"] == _RECOMMENDATION else None
    return PanelVerdict(record["record_sha256"], verdict["status"], value, judge["family"])


def _check_evidence(record: dict[str, Any], name: str) -> None:
    """Refuse a session that did not stand on evidence records alone."""
    if record.get("evidence_gate") != "resolved":
        raise RefusedError(f"{name}: evidence_gate: expected resolved")
    for number, source in enumerate(record["panel"]["evidence"]["sources"]):
        if source["kind"] != "evidence-record":
            raise RefusedError(
                f"{name}: panel.evidence.sources[{number}].kind: expected evidence-record"
            )
