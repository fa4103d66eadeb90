"""The warning about secret-like text in what is about to be written.

It never blocks and never shows a character of a value: rule, line and length are enough
to find the place, and a log or a transcript keeps what a message says.
"""

from __future__ import annotations

import os

from hpp.core.secretmark import may_hold_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hpp.core.portable.hookio import Answer, Payload
    from hpp.core.portable.verdict import Verdict

__all__ = [
    "EXEMPT",
    "HOOK",
    "Hit",
    "decide",
    "exempt_globs",
    "is_exempt",
    "judge",
    "scan_text",
    "warning",
]

HOOK = "secret-scan-on-write"
RULE = "secret-like-text"
EXEMPT = "HPP_SECRET_SCAN_EXEMPT"
BUDGET_S = 0.6
MOST_SHOWN = 10
_CHUNK = 64 * 1024
_STAND_INS = ("example", "dummy", "redacted")


class Hit:
    """A place that looks like a secret: its rule, its line and how long the value is."""

    __slots__ = ("length", "line", "rule")

    def __init__(self, rule: str, line: int, length: int) -> None:
        self.rule = rule
        self.line = line
        self.length = length


def decide(payload: Payload) -> Answer | None:
    """Return the warning about a write, or None."""
    verdict = judge(payload)
    return None if verdict is None else verdict.answer(HOOK, payload)


def judge(payload: Payload) -> Verdict | None:
    """Return what is to be said about a write, or None."""
    from hpp.core.portable import hookio

    root, globs = hookio.project_root(payload), exempt_globs(payload.environ)
    lines = []
    for path, text in payload.subjects():
        if may_hold_secret(text) and not _is_skipped(path, root, globs):
            hits, is_whole = scan_text(text, BUDGET_S)
            lines += warning(path, hits, is_whole=is_whole)
    if not lines:
        return None
    from hpp.core.portable.verdict import WARN, Verdict

    told = "; ".join(lines)
    advice = "Write the name of a variable in its place, or tell the person why it may stand."
    return Verdict(WARN, RULE, told, f"{told}. {advice}")


def warning(path: str, hits: list[Hit], *, is_whole: bool) -> list[str]:
    """Return what is said of one file; nothing when there is nothing to say."""
    from hpp.core.text import shorten

    shown = [f"{hit.rule} in line {hit.line}, {hit.length} characters" for hit in hits[:MOST_SHOWN]]
    if len(hits) > MOST_SHOWN:
        shown.append(f"and {len(hits) - MOST_SHOWN} more")
    if not is_whole:
        shown.append("the rest of the text was not looked at")
    name = shorten(path, 200) or "the text"
    # No colon after a name: what follows would look like its value, and be masked.
    return [f"found what looks like a secret in {name} ({', '.join(shown)})"] if shown else []


def scan_text(text: str, budget_s: float | None = None) -> tuple[list[Hit], bool]:
    """Return what looks like a secret, and whether the whole text was looked at.

    Args:
        text: Any text.
        budget_s: Seconds after which no further part is begun; None looks at everything.

    """
    import time

    from hpp.core.secret import find

    started = time.monotonic()
    found: list[Hit] = []
    line = 1
    for part in _parts(text) if budget_s is not None else [text]:
        if budget_s is not None and time.monotonic() - started > budget_s:
            return found, False
        counted = 0
        for rule, start, length in find(part) if may_hold_secret(part) else ():
            value = part[start : start + length]
            line += part.count("\n", counted, start)
            counted = start
            if not _is_stand_in(value):
                found.append(Hit(rule, line, length))
        line += part.count("\n", counted)
    return found, True


def exempt_globs(environ: Mapping[str, str]) -> list[str]:
    """Return the globs of the person's environment."""
    given = environ.get(EXEMPT, "")
    return [glob for part in given.split(os.pathsep) for glob in part.split(",") if glob]


def is_exempt(path: str, root: str, globs: Iterable[str]) -> bool:
    """Say whether a glob names a file, by its path below the root or by its full path."""
    globs = list(globs)
    if not globs:
        return False
    from hpp.core.portable.pathglob import matches

    full = os.path.normpath(os.path.join(root, path))
    below = os.path.relpath(full, root) if full.startswith(root + os.sep) else full
    names = [name.replace(os.sep, "/") for name in {full, below}]
    return any(matches(glob, name) for name in names for glob in globs)


def _is_skipped(path: str, root: str, globs: list[str]) -> bool:
    """Say whether a target is one where a secret belongs, or a fixture of the person's."""
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    is_env = name == ".env" or (name.startswith(".env.") and name != ".env.example")
    return is_env or is_exempt(path, root, globs)


def _is_stand_in(value: str) -> bool:
    low = value.lower()
    return len(set(low)) == 1 or any(word in low for word in _STAND_INS)


def _parts(text: str) -> list[str]:
    """Cut a text at ends of lines into parts of about 64 KiB."""
    parts, at = [], 0
    while len(text) - at > _CHUNK:
        end = text.rfind("\n", at, at + _CHUNK) + 1
        end = end if end > at else at + _CHUNK
        parts.append(text[at:end])
        at = end
    parts.append(text[at:])
    return parts
