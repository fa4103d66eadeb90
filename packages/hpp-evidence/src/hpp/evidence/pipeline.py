"""A shell script whose exit status is only that of a pipe's last stage."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["warnings"]

_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh"})
_VALUE_OPTIONS = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"})
_ARITHMETIC = re.compile(r"\$?\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)")
_DATA = "_"  # stands for what was quoted, which is part of a word
_HEREDOC = re.compile(r"<<(-?)[ \t]*(?:'([^'\n]*)'|\"([^\"\n]*)\"|\\?([\w.-]+))")
_PIPEFAIL = re.compile(r"(?:^|[\s;&|(])set\s+(?:[-+]\S+\s+)*-\w*o\s+pipefail\b|-o\s+pipefail\b")


def warnings(argv: Sequence[str]) -> list[dict[str, str]]:
    """Return the warning of a criterion that pipes without ``pipefail``, if it is one."""
    script = _script(argv)
    if script is None:
        return []
    plain = _without_data(script)
    if "|" not in plain or _PIPEFAIL.search(plain) or not _has_pipe(plain):
        return []
    message = "the script has a pipe and no pipefail, so its exit code is the last stage's alone"
    return [{"code": "PIPELINE_WITHOUT_PIPEFAIL", "message": message}]


def _has_pipe(plain: str) -> bool:
    """Say whether a bar in a script is a pipe, and not of a list, a pattern or a sum."""
    from hpp.core.shell.lexer import read_text
    from hpp.core.shell.model import PIPE

    reading = read_text(_ARITHMETIC.sub("_", plain))
    return any(kind == PIPE for kind, _ in reading.events)


def _script(argv: Sequence[str]) -> str | None:
    """Return the text after ``-c`` of a shell, unless the shell is told ``-o pipefail``."""
    name = os.path.basename(argv[0].replace("\\", "/")).lower().removesuffix(".exe")
    if name not in _SHELLS:
        return None
    words = iter(argv[1:])
    takes_text = False
    for word in words:
        if word in _VALUE_OPTIONS:
            if next(words, "") == "pipefail" and word == "-o":
                return None
        elif word.startswith("-") and len(word) > 1 and not word.startswith("--"):
            takes_text = takes_text or "c" in word
            if word.endswith("o") and next(words, "") == "pipefail":
                return None
        elif word.startswith("--"):
            continue
        else:
            return word if takes_text else None
    return None


def _without_data(script: str) -> str:
    """Return a script without quoted text, comments and here-documents."""
    kept: list[str] = []
    pending: list[tuple[str, bool]] = []
    at, is_word_start = 0, True
    while at < len(script):
        char = script[at]
        if char == "\\":
            kept.append(_DATA)
            at += 2
            is_word_start = False
            continue
        if char in "'\"":
            kept.append(_DATA)
            at = _closing(script, at) + 1
            is_word_start = False
            continue
        if char == "#" and is_word_start:
            end = script.find("\n", at)
            at = len(script) if end < 0 else end
            continue
        opening = _HEREDOC.match(script, at) if script.startswith("<<", at) else None
        if opening and not script.startswith("<<<", at):
            word = next(part for part in opening.groups()[1:] if part is not None)
            pending.append((word, bool(opening[1])))
            at = opening.end()
            continue
        if char == "\n" and pending:
            at = _after_documents(script, at + 1, pending)
            pending = []
            kept.append("\n")
            is_word_start = True
            continue
        kept.append(char)
        is_word_start = char in " \t\n;&|()"
        at += 1
    return "".join(kept)


def _closing(script: str, at: int) -> int:
    quote = script[at]
    at += 1
    while at < len(script) and script[at] != quote:
        at += 2 if script[at] == "\\" and quote == '"' else 1
    return at


def _after_documents(script: str, at: int, pending: list[tuple[str, bool]]) -> int:
    for word, strips_tabs in pending:
        while at < len(script):
            end = script.find("\n", at)
            end = len(script) if end < 0 else end
            line = script[at:end]
            at = min(end + 1, len(script))
            if (line.lstrip("\t") if strips_tabs else line) == word:
                break
    return at
