"""Evidence of other families, made citable for a panel; each is asked through its service."""

from __future__ import annotations

import os

from hpp.core.service import find_service
from hpp.decide.evidence import CONTEXT, RECORD, Evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hpp.decide.panel import Panel

__all__ = ["with_context", "with_record"]


def with_context(panel: Panel, path: str) -> Panel:
    """Return the panel with the ids of a citation context.

    Raises:
        RefusedError: It is no citation context.
        UsageError: hpp-retrieval, which reads it, is not installed.

    """
    context = find_service("citation-context", "--context")(path)
    return _extended(panel, context.ids, {"kind": CONTEXT, "sha256": context.sha256})


def with_record(panel: Panel, path: str) -> Panel:
    """Return the panel with an evidence record that is valid now, in the current folder.

    Raises:
        RefusedError: It does not verify as valid.
        UsageError: hpp-evidence, which verifies it, is not installed.

    """
    record = find_service("evidence-record", "--evidence")(path, os.getcwd())
    source = {"kind": RECORD, "sha256": record["record_sha256"], "id": record["id"]}
    return _extended(panel, [record["id"]], source)


def _extended(panel: Panel, ids: Iterable[str], source: dict[str, str]) -> Panel:
    evidence = panel.evidence or Evidence(())
    return panel.with_evidence(evidence.extended(ids, source))
