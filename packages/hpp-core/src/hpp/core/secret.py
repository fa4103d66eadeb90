"""Secret-like text: one table that serves refusal and redaction.

A hit is a place and a kind, never the value. Each expression is anchored where a run of
its characters begins, or is bounded in length, so that reading stays linear. Known misses:
a secret with no name and no known prefix, one split over two lines, and a password of
letters alone after ``name:``.
"""

from __future__ import annotations

import re

from hpp.core import secretmark as mark
from hpp.core.secretname import (
    ENDINGS,
    counts,
    is_environment_name,
    is_placeholder,
    is_reference,
    is_secret_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Hit = tuple[str, int, int]

__all__ = ["MASK", "find", "find_in_argv", "first_kind", "redact"]

MASK = "[redacted]"

_PEM = re.compile(r"-----BEGIN [A-Z0-9][A-Z0-9 ]{0,60}-----|PuTTY-User-Key-File-")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{1,60}-----")
_PEM_BODY = re.compile(r"(?:[A-Za-z0-9+/=]|\\[nr]|\s)*")
_URL = re.compile(r"://[^\s/?#@:\"'<>]{0,256}:([^\s/?#\"'<>]{1,1024})@")
_HEADER = re.compile(
    r"authorization(?:\\?[\"'])?[ \t]{0,8}[:=][ \t]{0,8}(?:\\?[\"'])?"
    r"[A-Za-z][A-Za-z0-9_-]{0,40}[ \t]{1,8}([^\s\"'\\,]{8,})",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?<![\w-])(Bearer|Basic|bearer)[ \t]{1,8}([A-Za-z0-9._~+/=:-]{12,})")
_MARKED = re.compile(r"[0-9A-Z._+/=-]")
_PROVIDER = re.compile(
    r"(?<!\w)(?:"
    r"sk-[\w-]{8,}|[srp]k_live_\w{10,}|[sr]k_test_\w{10,}"
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}"
    r"|xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])|AIza[\w-]{35}|ya29\.[\w.-]{20,}"
    r"|npm_[A-Za-z0-9]{36,}|pypi-[\w-]{20,}|hf_[A-Za-z0-9]{30,}|dop_v1_[A-Za-z0-9]{40,}"
    r"|SG\.[\w.-]{20,}|hvs\.[\w.-]{20,})"
)
_JWT = re.compile(r"(?<![\w-])eyJ[\w-]{5,}\.[\w-]{8,}\.[\w-]{8,}")
_NAMED = re.compile(
    r"(?<![\w.-])([A-Za-z_][\w.-]*)((?:\\?[\"'`])?[ \t]{0,8})(:=|=>|={1,3}|::|:)([ \t]{0,8})"
)
_QUOTED = re.compile(r"(\\?)([\"'`])")
_PLAIN = re.compile(r"[^\s\"'`]+")
_HEAD = re.compile(r"[^\s\"'`]{1,256}")
_QUERY = re.compile(r"[?&]([A-Za-z][\w.-]{0,80})=([^\s&#\"'<>]{8,})")
# A dot belongs to the name of an option within it, as in `--db.password`, and ends a sentence.
_FLAG = re.compile(r"(?<![\w-])--?([A-Za-z][\w-]*(?:\.\w[\w-]*)*)(=|[ \t]{1,8})([\"']?)([^\s\"']+)")
_USER = re.compile(
    r"(?<![\w-])(?:-u[ \t]{0,8}|--(?:proxy-)?user(?:=|[ \t]{1,8}))[\"']?"
    r"([^\s\"':/]{1,256}):([^\s\"']{1,1024})"
)
_ANY_VALUE = frozenset(
    [
        "password",
        "passwd",
        "token",
        "api-key",
        "apikey",
        "secret",
        "access-token",
        "client-secret",
        "private-key",
    ]
)
_CALL = re.compile(r"[A-Za-z_][\w.]*\(|os\.environ|process\.env\b|getenv\b|ENV\[")
# A type of a language, whole or up to a quote or a blank: `Optional[str]`, `dict[str,`.
_GENERIC = re.compile(r"[A-Za-z_.]+[\[<](?:[A-Za-z_.\[\]<>,|]*[\]>,]\W*)?")
_NUMBER = re.compile(r"[-+]?[0-9][0-9_]*(?:\.[0-9]+)?%?")
_CLOSING = ".,;:!?)]}"
_NEEDS_QUOTES_BELOW = 6
_NEEDS_BELOW_IN_PROSE = 12
_PROSE_NAMES = frozenset({"token", "tokens", "credential", "credentials"})
# What may follow an option that a text only talks about.
_TALK = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "can",
        "for",
        "from",
        "has",
        "if",
        "in",
        "into",
        "is",
        "it",
        "may",
        "must",
        "not",
        "of",
        "on",
        "option",
        "or",
        "over",
        "should",
        "so",
        "than",
        "that",
        "the",
        "then",
        "they",
        "this",
        "to",
        "was",
        "when",
        "where",
        "which",
        "will",
        "with",
        "without",
    ]
)


def find(text: str) -> list[Hit]:
    """Return what looks like a secret as ``(kind, start, length)`` of each value.

    Sorted by place; no two overlap.
    """
    hits: list[Hit] = []
    for kind, start, end in sorted(_all(text), key=lambda hit: (hit[1], -hit[2])):
        if hits and start < hits[-1][1] + hits[-1][2]:
            previous, begun, length = hits[-1]
            hits[-1] = (previous, begun, max(length, end - begun))
        else:
            hits.append((kind, start, end - start))
    return hits


def first_kind(text: str) -> str | None:
    """Return the kind of the first hit, or None."""
    hits = find(text)
    return hits[0][0] if hits else None


def redact(text: str, mask: str = MASK) -> str:
    """Return the text with every value that `find` sees replaced; names stay.

    Replacing can bring a name and another value together, so it is repeated until nothing
    is found.
    """
    for _ in range(_MOST_PASSES):
        hits = find(text)
        if not hits:
            return text
        parts, at = [], 0
        for _, start, length in hits:
            parts += [text[at:start], mask]
            at = start + length
        text = "".join(parts) + text[at:]
    return mask


def find_in_argv(argv: Sequence[str]) -> tuple[int, str] | None:
    """Return the number of the first argument with a secret, and its kind.

    Each argument is looked at alone, then all of them joined by single blanks, since the
    name and the value of an option are two arguments.
    """
    for number, argument in enumerate(argv):
        kind = first_kind(argument)
        if kind is not None:
            return number, kind
        name = argument.lstrip("-")
        if argument.startswith("-") and number + 1 < len(argv) and is_secret_name(name):
            value = argv[number + 1]
            if not value.startswith("-") and _is_flag_value(name, value):
                return number + 1, "flag-value"
    hits = find(" ".join(argv))
    if not hits:
        return None
    start, end = hits[0][1], 0
    for number, argument in enumerate(argv):
        end += len(argument) + 1
        if start < end:
            return number, hits[0][0]
    return len(argv) - 1, hits[0][0]


def is_stand_in(value: str) -> bool:
    """Say whether a value, with or without the punctuation after it, is a placeholder."""
    return is_placeholder(value) or is_placeholder(value.rstrip(_CLOSING))


_MOST_PASSES = 8


def _all(text: str) -> Iterator[Hit]:
    """Yield ``(kind, start, end)`` of every detector that the text gives a reason to run."""
    low = text.lower()
    # Two letters become ASCII in lower case, so that a name seems to go on behind its end.
    is_odd = "\u0130" in text or "\u212a" in text
    for marks, reasons, detector in _DETECTORS:
        if any(each in low for each in marks) and (
            is_odd or all(reason.search(low) for reason in reasons)
        ):
            yield from detector(text)


def _pem(text: str) -> Iterator[Hit]:
    at, has_end = 0, True
    while (found := _PEM.search(text, at)) is not None:
        ending = _PEM_END.search(text, found.end()) if has_end else None
        has_end = ending is not None
        body = _PEM_BODY.match(text, found.end())
        at = ending.end() if ending else (body.end() if body else found.end())
        yield "pem", found.start(), max(at, found.end())


def _urls(text: str) -> Iterator[Hit]:
    for found in _URL.finditer(text):
        if not is_stand_in(found[1]):
            yield "url-credential", found.start(1), found.end(1)


def _headers(text: str) -> Iterator[Hit]:
    for found in _HEADER.finditer(text):
        if not is_stand_in(found[1]):
            yield "auth-header", found.start(1), found.end(1)
    for found in _BARE.finditer(text):
        # In lower case it is an English word as well, so only a digit tells.
        marks = _MARKED if found[1] != "bearer" else _DIGIT
        if marks.search(found[2].rstrip(_CLOSING)):
            yield "auth-header", found.start(2), found.end(2)


_DIGIT = re.compile(r"[0-9]")


def _providers(text: str) -> Iterator[Hit]:
    for found in _PROVIDER.finditer(text):
        yield "provider-token", found.start(), found.end()


def _jwts(text: str) -> Iterator[Hit]:
    for found in _JWT.finditer(text):
        yield "jwt", found.start(), found.end()


def _queries(text: str) -> Iterator[Hit]:
    for found in _QUERY.finditer(text):
        if is_secret_name(found[1]) and not is_stand_in(found[2]):
            yield "query-parameter", found.start(2), found.end(2)


def _named(text: str) -> Iterator[Hit]:
    yield from _queries(text)
    yield from _assignments(text)


def _assignments(text: str) -> Iterator[Hit]:
    at = 0
    while (found := _NAMED.search(text, at)) is not None:
        at = found.end()
        name, operator = found[1], found[3]
        if operator not in (":=", "=>", "=", ":") or not is_secret_name(name):
            continue
        is_empty = found[4] and operator == "=" and found[2] == "" and is_environment_name(name)
        if is_empty:
            continue  # `NAME= next`: a shell ends the assignment at the blank
        span = _quoted_value(text, found.end()) or _plain_value(text, found, name)
        if span is not None:
            yield "assignment", span[0], span[1]
            at = max(at, span[1])


def _quoted_value(text: str, at: int) -> tuple[int, int] | None:
    opening = _QUOTED.match(text, at)
    if opening is None:
        return None
    quote = opening[0]
    start = opening.end()
    end = text.find(quote, start)
    line_end = text.find("\n", start)
    if line_end >= 0 and (end < 0 or line_end < end):
        end = line_end
    if end < 0:
        end = len(text)
    value = text[start:end].strip()
    return None if not value or is_placeholder(value) else (start, end)


def _plain_value(text: str, found: re.Match[str], name: str) -> tuple[int, int] | None:
    # Decided on the head of a long run, so that a text of names alone is read once.
    head = _HEAD.match(text, found.end())
    if head is None:
        return None
    value = head[0].rstrip(_CLOSING)
    if not value or is_stand_in(head[0]):
        return None
    if _NUMBER.fullmatch(value) and (is_environment_name(name) or counts(name)):
        return None
    if _CALL.match(value):
        return None
    if found[3] == ":" and (_GENERIC.fullmatch(head[0]) or not _stands_out(name, value)):
        return None
    taken = _PLAIN.match(text, found.end()) or head
    return taken.start(), taken.start() + len(taken[0].rstrip(".,;:!?"))


def _stands_out(name: str, value: str) -> bool:
    """Say whether a word after ``name:`` is no ordinary word."""
    if name in _PROSE_NAMES:
        return len(value) >= _NEEDS_BELOW_IN_PROSE and _DIGIT.search(value) is not None
    if len(value) < _NEEDS_QUOTES_BELOW:
        return False
    return not value.isalpha() or any(char.isupper() for char in value[1:] if not value.isupper())


def _flags(text: str) -> Iterator[Hit]:
    at = 0
    while (found := _FLAG.search(text, at)) is not None:
        at = found.end(1)
        name, value = found[1], found[4]
        if not is_secret_name(name):
            # -D and -e of many programs: one letter, with what it sets written to it.
            name = name[1:]
            if found[2] != "=" or text[found.start(1) - 2 : found.start(1)] == "--":
                continue
            if not is_secret_name(name):
                continue
        if found[2] != "=":
            is_talk = value.lower().rstrip(_CLOSING) in _TALK and not found[3]
            if is_talk or value.startswith("-"):
                continue
        if _is_flag_value(name, value):
            yield "flag-value", found.start(4), found.end(4)


def _is_flag_value(name: str, value: str) -> bool:
    if value.rstrip(".,;:!?)}") == MASK or is_reference(value) or value.startswith("<"):
        return False
    if name.lower() in _ANY_VALUE:
        return True
    return not (is_stand_in(value) or _NUMBER.fullmatch(value))


def _users(text: str) -> Iterator[Hit]:
    for found in _USER.finditer(text):
        user, password = found[1], found[2]
        is_ids = user.isdigit() and password.isdigit()
        if not (is_ids or password.startswith("//") or is_stand_in(password) or "$" in user):
            yield "basic-credential", found.start(2), found.end(2)


# In most texts that hold the name of a secret nothing is given that name; these tell, in lower
# case and a fraction of the time, whether a closer look is worth it.
_NAME_THEN_VALUE = re.compile(ENDINGS + mark.SIGN)
_FLAG_THEN_VALUE = re.compile(ENDINGS + r"[= \t]")
_DASH = re.compile(mark.OPTION)
_DETECTORS: tuple[
    tuple[tuple[str, ...], tuple[re.Pattern[str], ...], Callable[[str], Iterator[Hit]]], ...
] = (
    (mark.PEM, (), _pem),
    (mark.URL, (), _urls),
    (mark.HEADER, (), _headers),
    (mark.PROVIDER, (), _providers),
    (mark.JWT, (), _jwts),
    (mark.NAME, (_NAME_THEN_VALUE,), _named),
    (mark.NAME, (_DASH, _FLAG_THEN_VALUE), _flags),
    (mark.USER, (_DASH,), _users),
)
