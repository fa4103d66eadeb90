"""``verify``: whether a module's files are those of its inventory, and that the published one."""

from __future__ import annotations

from hpp.installer.formats.problem import exit_code
from hpp.installer.kit.anchor import MISMATCH, find_anchor
from hpp.installer.kit.source import open_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.installer.kit.source import Source

__all__ = ["SCHEMA", "verify"]

SCHEMA = "hpp.verify-report/v1"
_STATUSES = ("ok", "warn", "corrupt")


def verify(path: str, *, expect: str | None = None, anchor: str | None = None) -> dict[str, Any]:
    """Return the report of a module.

    Raises:
        RefusedError: The anchor that was given is none.

    """
    source = open_source(path)
    found = find_anchor(source, expect=expect, anchor=anchor)
    problems = [*source.problems]
    if found.status == MISMATCH and found.problem is not None:
        problems.append(found.problem)
    code = exit_code(problems)
    return {
        "schema": SCHEMA,
        "status": "error" if code and _is_no_module(source) else _STATUSES[code],
        "exit_code": code,
        "module": source.id,
        "version": source.version,
        "kind": source.kind,
        "checksums_sha256": source.checksums_sha256,
        "total_tracked": len(source.listed),
        "mismatches": source.mismatches,
        "missing": source.missing,
        "extras": source.extras,
        "unsafe_paths": source.unsafe,
        "malformed_lines": source.inventory.malformed if source.inventory else [],
        "anchor": {"status": found.status, "source": found.source},
        "errors": [f"{p.path}: {p.measured}" for p in problems],
        "problems": [problem.document() for problem in problems],
    }


def _is_no_module(source: Source) -> bool:
    """Say whether there was nothing that could be compared."""
    return not source.listed or source.manifest is None
