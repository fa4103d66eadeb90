"""A stage of a run and the problems it met, as every report lists them."""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["FAIL", "OK", "SKIPPED", "STAGES", "WARN", "Problem", "Stage", "counted"]

OK, WARN, FAIL, SKIPPED = "ok", "warn", "fail", "skipped"
STAGES = ("detect", "prereqs", "profile", "configure", "wire-suggest", "smoke")


def counted(number: int, thing: str) -> str:
    """Return a number of things, with the plural where there is not one."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


@dataclass(frozen=True)
class Problem:
    """What was found, what was wanted, and what a person does next."""

    label: str
    measured: str
    expected: str
    next_step: str

    def document(self) -> dict[str, str]:
        """Return the problem as reports list it."""
        return {
            "label": self.label,
            "measured": self.measured,
            "expected": self.expected,
            "next_step": self.next_step,
        }


@dataclass(frozen=True)
class Stage:
    """How a stage ended.

    Attributes:
        name: One of `STAGES`.
        status: ``ok``, ``warn``, ``fail`` or ``skipped``.
        summary: One line for a person.
        detail: What the stage measured; empty for one that was skipped.
        exit_hint: 2 for a failure that halts the run, 1 for another one or a warning, else 0.

    """

    name: str
    status: str
    summary: str
    detail: dict[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    exit_hint: int = 0

    @property
    def halts(self) -> bool:
        """Say whether nothing may follow."""
        return self.status == FAIL and self.exit_hint == 2  # noqa: PLR2004 -- the status of a block

    def document(self) -> dict[str, Any]:
        """Return the stage as reports list it."""
        return {
            "stage": self.name,
            "status": self.status,
            "summary": self.summary,
            "detail": self.detail,
            "problems": [problem.document() for problem in self.problems],
            "exit_hint": self.exit_hint,
        }

    @classmethod
    def skipped(cls, name: str, because: str) -> Stage:
        """Return a stage that was not run."""
        return cls(name, SKIPPED, f"not run: {because} failed")
