"""What the publication linter looks for without being told: secrets, machines, people."""

from __future__ import annotations

import re

from hpp.core.secret import find as find_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["Match", "built_in_matches"]

# Names that documents use for anybody's folder.
_ANYBODY = "me|you|user|username|name|someone|person|example|runner|alice|bob"
_END = r"(?![\w.-])"
_SYSTEMS = r"Windows|Program Files(?: \(x86\))?|ProgramData"
_MACHINE = (
    re.compile(rf"(?<![\w./-])/(?:home|Users)/(?!(?:{_ANYBODY}){_END})[A-Za-z0-9_][\w.-]*"),
    re.compile(r"(?<![\w./-])/root/[\w.-]+"),
    # A drive and two folders, with single or escaped separators; one folder is an example.
    re.compile(
        rf"(?<![\w\\])[A-Z]:(?:\\{{1,2}}|/)(?!{_SYSTEMS}|Users(?:\\{{1,2}}|/)(?:{_ANYBODY}){_END})"
        r"[A-Za-z][\w .-]*(?:\\{1,2}|/)[A-Za-z][\w.-]*"
    ),
    # A share: two backslashes and one, or both doubled. Two and two is an escaped local path.
    re.compile(
        r"(?<![\\\w:])(?:\\\\(?!(?:server|host|localhost)\\)[A-Za-z][\w.-]{2,}\\(?!\\)"
        r"|\\\\\\\\(?!(?:server|host|localhost)\\)[A-Za-z][\w.-]{2,}\\\\(?!\\))[A-Za-z][\w.-]{2,}\$?"
    ),
)
# What in a program is a value and no expression, pattern or name of a prefix.
_LITERAL = re.compile(r"(?=[^0-9]*[0-9])[A-Za-z0-9+/=_.~-]{8,}")
_PUTTY = "PuTTY-User-Key-File-"
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(?![\w-])")
# Names that are nobody's (RFC 2606, RFC 6761), and the word that git hosts log in with.
_NOBODYS = ("example", "example.com", "example.net", "example.org", "invalid", "test", "localhost")
_ADAPTED = re.compile(
    r"(?i)\b(?:adapted|copied|derived|ported|taken) from\b[^\n]{0,40}?(https?://[^\s)>\"']+)"
)


class Match:
    """One occurrence in a text.

    Attributes:
        rule: Id of the rule.
        category: Its category.
        severity: Its severity.
        start: Where it begins.
        end: Where it ends.

    """

    __slots__ = ("category", "end", "rule", "severity", "start")

    def __init__(self, rule: str, category: str, severity: str, start: int, end: int) -> None:
        self.rule = rule
        self.category = category
        self.severity = severity
        self.start = start
        self.end = end


def built_in_matches(
    text: str, emails: Collection[str], notices: str, *, program: bool = False
) -> Iterator[Match]:
    """Yield every occurrence of what no release holds.

    Args:
        text: A file's text.
        emails: Addresses and ``@domain`` that may appear, in lower case.
        notices: The document of third-party notices, or an empty text.
        program: It is source code, where most of what follows ``secret =`` is an expression.

    """
    for kind, start, length in find_secrets(text):
        if program and not _is_value(kind, text, start, start + length):
            continue
        yield Match(f"secret-{kind}", "secret", "block", start, start + length)
    for expression in _MACHINE:
        for found in expression.finditer(text):
            yield Match("machine-path", "machine-path", "block", *found.span())
    for found in _EMAIL.finditer(text):
        if not _is_allowed(found[0].lower(), emails):
            yield Match("email-address", "personal-data", "block", *found.span())
    for found in _ADAPTED.finditer(text):
        if found[1].rstrip(".,;") not in notices:
            yield Match("missing-attribution", "foreign-code", "block", *found.span())


def _is_value(kind: str, text: str, start: int, end: int) -> bool:
    """Say whether a hit in source code is a value, and not what looks for values."""
    if kind == "assignment":
        return _LITERAL.fullmatch(text, start, end) is not None
    return text[start:end] != _PUTTY or text[end : end + 1].isdigit()


def _is_allowed(address: str, emails: Collection[str]) -> bool:
    name, _, domain = address.partition("@")
    if name == "git" or address in emails or f"@{domain}" in emails:
        return True
    return any(domain == end or domain.endswith(f".{end}") for end in _NOBODYS)
