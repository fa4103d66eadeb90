"""Questions to a person at a terminal: one at a time, numbered, with a default."""

from __future__ import annotations

import sys

from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hpp.installer.terminal import Terminal

__all__ = ["Prompt", "may_ask"]

_TRIES = 3
_TITLES = {
    "host": "Which host runs the agent?",
    "bundle": "Which bundle of modules?",
    "policy_mode": "What does the command policy do?",
    "decision_advisor": "Is a decision advisor declared? (optional)",
}


def may_ask(environment: Mapping[str, str], *, declined: bool) -> bool:
    """Say whether a person is there to be asked.

    Args:
        environment: Only ``CI`` is read.
        declined: An option asked for no questions.

    """
    if declined or environment.get("CI"):
        return False
    try:
        return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
    except ValueError:  # one is closed
        return False


class Prompt:
    """Asks on a terminal.

    Args:
        terminal: Where questions are written.
        read: Returns the next line, with its end; an empty text at the end of input.

    """

    def __init__(self, terminal: Terminal, read: Callable[[], str]) -> None:
        self._terminal = terminal
        self._read = read
        self._ended = False

    def ask(self, name: str, options: Sequence[str], default: str) -> tuple[str, str]:
        """Return the answer and its source: ``human``, ``default-accepted`` or ``default``.

        After the end of input nothing more is asked.
        """
        if self._ended:
            return default, "default"
        paint = self._terminal.paint
        lines = ["", paint.strong(_TITLES[name])]
        for number, option in enumerate(options, 1):
            mark = f" {paint.dim('(default)')}" if option == default else ""
            lines.append(f"  {paint.accent(str(number))}  {printable(option)}{mark}")
        self._terminal.write("\n".join(lines) + "\n")
        for _ in range(_TRIES):
            self._terminal.write(f"{self._terminal.glyph('▸')} ")
            try:
                line = self._read()
            except UnicodeDecodeError:  # keys that are no text are a wrong answer
                line = "\ufffd\n"
            if not line:
                self._terminal.write("\n")
                self._ended = True
                break
            said = line.strip()
            if not said:
                return default, "default-accepted"
            if said in options:
                return said, "human"
            numbered = {str(number): option for number, option in enumerate(options, 1)}
            if said in numbered:
                return numbered[said], "human"
            self._terminal.write(f"  one of 1 to {len(options)}, or a name\n")
        return default, "default"
