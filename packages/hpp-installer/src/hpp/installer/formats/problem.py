"""A problem of a module, a target or a distribution, and the closed list of its codes."""

from __future__ import annotations

from dataclasses import asdict, dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["BLOCK", "CODES", "WARN", "Problem", "block", "exit_code", "warn"]

BLOCK, WARN = "block", "warn"

# A code outside of this list is not emitted.
CODES = frozenset(
    (
        # Paths and archives.
        "unsafe-path",
        "unsafe-destination",
        "link-in-module",
        "case-collision",
        "archive-limit",
        "archive-member",
        "path-too-long",
        # Integrity.
        "checksum-mismatch",
        "file-missing",
        "unlisted-file",
        "inventory-empty",
        "inventory-malformed",
        "anchor-mismatch",
        "not-anchored",
        "version-mismatch",
        # The forge.
        "build-manifest-invalid",
        "vacuous-include",
        "replace-count",
        "forbidden-name",
        "encoding",
        "component-missing",
        "component-undeclared",
        "hook-undeclared",
        "hook-unwired",
        "hooks-file-invalid",
        "vacuous-question",
        "vendor-drift",
        "source-drift",
        "emission-drift",
        "zip-invalid",
        # The linter.
        "publish-block",
        "publish-warn",
        "allow-expired",
        "allow-unused",
        "unscanned-binary",
        # Installing.
        "target-invalid",
        "settings-unreadable",
        "install-manifest-invalid",
        "python-too-old",
        "command-missing",
        "host-unsupported",
        "no-space",
        "not-writable",
        "conflict",
        "unmanaged-runtime",
        "downgrade",
        "slug-collision",
        "seed-changed",
        "answers-unreadable",
        "answer-invalid",
        "already-wired",
        "smoke-failed",
        "smoke-timeout",
        "smoke-could-not-start",
        "smoke-none-ran",
        # Transactions.
        "lock-held",
        "journal-pending",
        "changed-during-write",
        "rolled-back",
        # Removal.
        "still-wired",
        "modified-since",
        "receipt-edited",
        "receipt-missing",
        # Wiring.
        "wire-conflict",
        "wire-changed",
        "wire-edited",
        "settings-invalid",
        "hooks-path-tracked",
        "wrapper-edited",
        # Catalogues.
        "manifest-out-of-place",
        "marketplace-drift",
        "source-unresolved",
        "plugin-manifest-missing",
        "hooks-listed-twice",
        "codex-omits",
        "codex-unqualified",
        "codex-hooks-not-empty",
        "codex-token",
        "digest-mismatch",
        "stray-version",
        "uncatalogued-module",
        # Scaffolds.
        "prerequisite-missing",
        "scaffold-kept",
        "fill-remaining",
        "agent-clause-missing",
        "agent-tools-missing",
        "scope-mismatch",
        "spec-invalid",
    )
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, as every report tells it.

    Attributes:
        code: One of `CODES`.
        severity: `BLOCK` or `WARN`.
        path: What it is about, relative to what was looked at; may be empty.
        measured: What was found.
        expected: What would have been right.
        next: What a person does about it.

    """

    code: str
    severity: str
    path: str
    measured: str
    expected: str
    next: str

    def document(self) -> dict[str, str]:
        """Return the object of a report."""
        return asdict(self)


def block(code: str, path: str, measured: str, *, expected: str, next_step: str) -> Problem:
    """Return a problem that stops what was asked for."""
    return Problem(code, BLOCK, path, measured, expected, next_step)


def warn(code: str, path: str, measured: str, *, expected: str, next_step: str) -> Problem:
    """Return a problem that a person should know of."""
    return Problem(code, WARN, path, measured, expected, next_step)


def exit_code(problems: Iterable[Problem]) -> int:
    """Return the status that problems ask for: 2 with a block, 1 with a warning, else 0."""
    severities = {problem.severity for problem in problems}
    if BLOCK in severities:
        return 2
    return 1 if severities else 0
