"""What the self-test of a hook is made of: events put to it in a project that goes away."""

from __future__ import annotations

import os

from hpp.core.portable.hookio import evaluate, not_understood
from hpp.core.portable.payload import Malformed, Payload, parse
from hpp.core.portable.selftest import Checks, Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from typing_extensions import Self

    from hpp.core.portable.answer import Answer
    from hpp.core.portable.hookio import Closed, Decide

__all__ = ["Trial"]


class Trial:
    """Puts events to a hook's own judgement, and counts what holds.

    Attributes:
        root: The project's folder.
        checks: Where further checks go.

    """

    def __init__(self, name: str, decide: Decide, closed: Closed = False) -> None:  # noqa: FBT002 -- as `run_hook`
        self.name = name
        self.decide = decide
        self.closed = closed
        self.checks = Checks()
        self._project = Project()
        self.root = ""

    def __enter__(self) -> Self:
        self.root = self._project.__enter__().root
        os.mkdir(os.path.join(self.root, ".git"))
        return self

    def __exit__(self, *error: object) -> None:
        self._project.__exit__(*error)

    def write(self, path: str, text: str) -> str:
        """Write a file of the project and return its path."""
        from _lib import profile

        profile.forget()
        return self._project.write(path, text)

    def event(self, given: dict[str, Any], environ: Mapping[str, str] | None = None) -> Answer:
        """Return the answer to an event; what every event has is filled in."""
        whole = {
            "hook_event_name": "PreToolUse",
            "session_id": "s",
            "cwd": self.root,
            "tool_name": "Bash",
            **given,
        }
        return evaluate(self.name, self.decide, self._payload(whole, environ), closed=self.closed)

    def command(self, text: str, environ: Mapping[str, str] | None = None) -> Answer:
        """Return the answer before a shell command."""
        return self.event({"tool_input": {"command": text}}, environ)

    def edit(self, path: str, text: str = "", environ: Mapping[str, str] | None = None) -> Answer:
        """Return the answer before a file is written."""
        given = {"file_path": path, "content": text}
        return self.event({"tool_name": "Write", "tool_input": given}, environ)

    def exits(self, what: str, status: int, text: str, environ: Mapping[str, str]) -> None:
        """Check the status before a command."""
        self.checks.equal(what, self.command(text, environ).exit, status)

    def silent(self, what: str, text: str, environ: Mapping[str, str] | None = None) -> None:
        """Check that nothing is said before a command."""
        answer = self.command(text, environ)
        self.checks.equal(what, (answer.exit, answer.stdout, answer.stderr), (0, "", ""))

    def says(
        self, what: str, part: str, text: str, environ: Mapping[str, str] | None = None
    ) -> None:
        """Check that a command is let through with an answer that holds a part."""
        answer = self.command(text, environ)
        self.checks.check(what, answer.exit == 0 and part in answer.stdout)

    def malformed(self, what: str, status: int, environ: Mapping[str, str] | None = None) -> None:
        """Check the status for input that is no JSON; whatever it is, it is not silent."""
        try:
            parse(b"{")
        except Malformed as error:
            before = dict(os.environ)
            os.environ.update(environ or {})
            try:
                answer = not_understood(self.name, error.why, self.closed, None)
            finally:
                os.environ.clear()
                os.environ.update(before)
            told = bool(answer.stdout or answer.stderr)
            self.checks.equal(what, (answer.exit, told), (status, True))

    def finish(self) -> int:
        """Print the closing line and return the status."""
        return self.checks.finish()

    def _payload(self, data: dict[str, Any], environ: Mapping[str, str] | None) -> Payload:
        return Payload(data, {**os.environ, **(environ or {})})
