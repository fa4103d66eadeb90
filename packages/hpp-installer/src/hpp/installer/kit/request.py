"""What a person asked for, as the command line said it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

__all__ = ["Request"]


@dataclass(frozen=True, slots=True)
class Request:
    """An installation that was asked for.

    Attributes:
        kit: Folder or zip of the module, as typed.
        target: Folder it goes into, as typed.
        host: ``claude-code`` or ``codex``.
        channel: ``auto``, ``plugin`` or ``copy``.
        answers: File of answers, as typed, or None.
        apply: Whether anything may be written.
        no_smoke: Whether the module's proofs are left out.
        smoke_timeout: Seconds for each of them, or None.
        edits: ``refuse``, ``keep`` or ``replace`` what a person edited.
        allow_downgrade: Whether an older version may take the place of a newer one.
        anchor: A ``distribution.json``, as typed, or None.
        expect: A digest, or None.

    """

    kit: str
    target: str = "."
    host: str = "claude-code"
    channel: str = "auto"
    answers: str | None = None
    apply: bool = False
    no_smoke: bool = False
    smoke_timeout: int | None = None
    edits: str = "refuse"
    allow_downgrade: bool = False
    anchor: str | None = None
    expect: str | None = None

    def apply_command(self, program: str, system: str) -> str:
        """Return the command that applies what was planned, every option that was given in it."""
        words = ["install", "--kit", self.kit, "--target", self.target, "--host", self.host]
        words += ["--channel", self.channel] if self.channel != "auto" else []
        for name, value in (
            ("--answers", self.answers),
            ("--smoke-timeout", self.smoke_timeout),
            ("--anchor", self.anchor),
            ("--expect", self.expect),
        ):
            words += [name, str(value)] if value is not None else []
        words += ["--no-smoke"] if self.no_smoke else []
        words += [f"--{self.edits}-modified"] if self.edits != "refuse" else []
        words += ["--allow-downgrade"] if self.allow_downgrade else []
        quoted = [_windows(word) if system == "nt" else shlex.quote(word) for word in words]
        return " ".join([program, *quoted, "--apply"])


def _windows(word: str) -> str:
    return f'"{word}"' if not word or set(word) & set(" &()[]{}^=;!'+,`~") else word
