"""The report of the verbs that work on what is installed."""

from __future__ import annotations

from dataclasses import dataclass, field

from hpp.installer.formats.problem import Problem, exit_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["SCHEMA", "Outcome"]

SCHEMA = "hpp.kit-report/v1"


@dataclass(slots=True)
class Outcome:
    """What a verb found and did.

    Attributes:
        verb: The verb.
        target: As it was typed.
        host: Which host, or None for all of them.
        module: Which module, or None for all of them.
        apply: Whether it may write.
        actions: One object per file.
        problems: What stops it or should be known.
        done: What the status says when nothing stops it.

    """

    verb: str
    target: str
    host: str | None
    module: str | None
    apply: bool = False
    actions: list[dict[str, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    done: str = "ok"
    extra: dict[str, Any] = field(default_factory=dict)

    def act(self, action: str, path: str, kind: str) -> None:
        """Note what happens to a file."""
        self.actions.append({"action": action, "path": path, "kind": kind})

    def report(self) -> dict[str, Any]:
        """Return the object that is printed."""
        code = exit_code(self.problems)
        return {
            "schema": SCHEMA,
            "verb": self.verb,
            "mode": "apply" if self.apply else "plan",
            "status": "refused" if code == 2 else self.done,  # noqa: PLR2004 -- the status of a block
            "exit_code": code,
            "target": self.target,
            "host": self.host,
            "module": self.module,
            "actions": self.actions,
            "problems": [problem.document() for problem in self.problems],
            "next": list(dict.fromkeys(problem.next for problem in self.problems)),
            **self.extra,
        }
