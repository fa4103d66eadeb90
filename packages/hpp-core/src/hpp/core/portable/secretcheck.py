"""The same look at a file before it is written, as a command: ``check --path FILE``.

On a host where nobody wired the hook, this is how its question is asked.
"""

from __future__ import annotations

import os

from hpp.core.command import Command, run_program
from hpp.core.errors import RefusedError
from hpp.core.output import write_json, write_text
from hpp.core.portable.secretwrite import HOOK, scan_text, warning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values

__all__ = ["check"]

WARNED = 1


def check(words: list[str]) -> int:
    """Answer ``check ...``: 0 nothing found, 1 a warning, 3 usage."""
    command = Command("check", "Look for secret-like text in a file.", arguments=_declare, run=_run)
    return run_program(lambda call: command.invoke(words, f"{HOOK} check", call))


def _declare(arguments: Arguments) -> None:
    arguments.option("--path", "FILE", required=True, help="the file that is to be written")
    arguments.option("--content-file", "FILE", help="where its new text lies; else in itself")
    arguments.option(
        "--mode", "MODE", choices=("audit", "enforce"), default="audit",
        help="this check warns in both",
    )  # fmt: skip
    arguments.option("--project-dir", "DIR", help="what the paths are relative to")
    arguments.flag("--json", help="print the verdict as JSON")


def _run(values: Values) -> int:
    path = os.path.join(values.project_dir or "", values.content_file or values.path)
    try:
        with open(path, "rb") as stream:
            text = stream.read().decode("utf-8", "replace")
    except OSError as error:
        raise RefusedError(f"{path}: cannot be read: {error.strerror}") from None
    lines = warning(values.path, scan_text(text)[0], is_whole=True)
    reason = "; ".join(lines)
    verdict = {
        "hook": HOOK,
        "verdict": "warn" if lines else "allow",
        "rule": "secret-like-text" if lines else None,
        "reason": reason or None,
    }
    if values.json:
        write_json(verdict)
    elif lines:
        write_text(reason + "\n")
    return WARNED if lines else 0
