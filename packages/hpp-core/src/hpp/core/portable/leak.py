"""Where a text that is kept could give a secret away.

Wider than `hpp.core.secret`, whose hits are all among these: a whole key up to its end, a
URL's user, cookies, options of database clients, names with a secret word in the middle,
and words that are random by their looks. Each expression is bounded, or anchored where a
run of its characters begins, so that reading stays linear in any text.
"""

from __future__ import annotations

import re
from itertools import pairwise

from hpp.core import secret
from hpp.core.portable.entropy import random_words
from hpp.core.secretname import counts, is_environment_name, is_placeholder, name_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Hit = tuple[str, int, int]

__all__ = ["leaks"]

_SAME_KIND = {
    "pem": "private-key",
    "query-parameter": "assignment",
}
_KEY = re.compile(r"-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20})-----|PuTTY-User-Key-File-")
_DATABASE = frozenset(
    ["postgres", "postgresql", "mysql", "mariadb", "mongodb", "redis", "rediss", "amqp", "amqps",
     "mssql"]
)  # fmt: skip
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9.-]{0,30})(?:\+[A-Za-z0-9.+-]{1,30})?\Z")
_LONGEST_SCHEME = 64
_AUTHORITY = re.compile(r"[^\s/?#\"'<>`\\]{0,1024}")
_WHOLE = re.compile(r"[^\s\"'<>`]{0,2048}")
_HEADER = re.compile(
    r"(?<![A-Za-z0-9])(?:proxy-)?authorization(?:\\?[\"'])?[ \t]{0,8}[:=][ \t]{0,8}(?:\\?[\"'])?"
    r"(?:(?:bearer|basic|digest|token|apikey|negotiate|aws4-hmac-sha256)[ \t]{1,8})?"
    r"([^\s\"'][^\n\"']{0,8191})",
    re.IGNORECASE,
)
_COOKIE = re.compile(
    r"(?<![A-Za-z0-9])(?:set-)?cookie(?:\\?[\"'])?[ \t]{0,8}:[ \t]{0,8}(?:\\?[\"'])?"
    r"([^\s\"'][^\n\"']{0,8191})",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?<![A-Za-z0-9_-])(?:bearer|basic)[ \t]{1,8}([A-Za-z0-9._~+/=:-]{12,4096})", re.IGNORECASE
)
_MARKED = re.compile(r"[0-9A-Z._+/=-]")
_PROVIDER = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-ant-[A-Za-z0-9_-]{8,512}|[srp]k_(?:live|test)_[A-Za-z0-9]{8,512}"
    r"|gh[pousr]_[A-Za-z0-9]{16,512}"
    r"|github_pat_[A-Za-z0-9_]{16,512}|glpat-[A-Za-z0-9_-]{16,512}|xox[abeoprs]-[A-Za-z0-9-]{8,512}"
    r"|xapp-[A-Za-z0-9-]{8,512}|AIza[A-Za-z0-9_-]{30,512}|ya29\.[A-Za-z0-9_.-]{16,4096}"
    r"|sbp_[A-Za-z0-9]{16,512}|sb_secret_[A-Za-z0-9_-]{8,512}|npm_[A-Za-z0-9]{20,512}"
    r"|pypi-[A-Za-z0-9_-]{16,4096}|hf_[A-Za-z0-9]{16,512}|dop_v1_[A-Za-z0-9]{16,512}"
    r"|SG\.[A-Za-z0-9_.-]{16,512}|hvs\.[A-Za-z0-9_.-]{16,4096}|AGE-SECRET-KEY-1[A-Z0-9]{16,512}"
    r")"
)
_JWT = re.compile(
    r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,8192}\.[A-Za-z0-9_-]{8,16384}"
    r"(?:\.[A-Za-z0-9_-]{1,4096})?"
)
_FLAG = re.compile(r"(?<![\w-])--?([A-Za-z][\w-]{0,80})(?:=|[ \t]{1,8})(\\?[\"'])")
_MYSQL = re.compile(r"\b(?:mysql|mysqldump|mariadb)\b")
_ATTACHED = re.compile(r"(?<![\w-])-p([^\s\"'=-][^\s\"']{0,255}|\"[^\"\n]{1,256}|'[^'\n]{1,256})")
_SSHPASS = re.compile(r"\bsshpass[ \t]{1,8}-p[ \t]{0,8}[\"']?([^\s\"']{1,256})")
_USER = re.compile(
    r"(?<![\w-])(?:-[uU][ \t]{0,8}|--(?:proxy-)?user(?:=|[ \t]{1,8}))[\"']?"
    r"([^\s\"':/]{0,256}):([^\s\"']{1,1024})"
)
_NAMED = re.compile(
    r"(?<![\w.-])([A-Za-z_][\w.-]{0,120})(?:\\?[\"'`])?[ \t]{0,8}(:=|=>|={1,3}|::|:)[ \t]{0,8}"
    r"(\\?[\"'`])?(?=([^\s\"'`,;]{1,128}))"
)
_VALUE = re.compile(r"[^\s\"'`,;]{1,4096}")
_SINGLE = frozenset(
    ["password", "passwd", "passphrase", "pwd", "secret", "secrets", "token", "tokens", "apikey",
     "accesskey", "privatekey", "secretkey", "credential", "credentials"]
)  # fmt: skip
_BEFORE_KEY = frozenset(["api", "access", "private", "secret", "auth", "signing", "encryption"])
# A name that ends so tells where or what kind the secret is, not what it is.
_ABOUT = frozenset(
    ["file", "files", "path", "dir", "folder", "url", "uri", "endpoint", "name", "names", "id",
     "ids", "type", "field", "length", "size", "count", "limit", "ttl", "expiry", "expires",
     "format", "prefix", "suffix", "pattern", "regex", "policy", "hint", "header", "hash", "digest",
     "version", "class", "error", "status", "per", "used", "budget", "max", "min", "total", "s",
     "seconds", "ms", "model", "ref", "kind", "rule", "test", "manager", "store", "provider"]
)  # fmt: skip
_STANDS_OUT = re.compile(r"[0-9]|[^\w\s.,;:!?)\]}]|[a-z][A-Z]")
_CALL = re.compile(r"[A-Za-z_][\w.]*[(\[<]|os\.|process\.env\b|getenv\b|ENV\[")
_NUMBER = re.compile(r"[-+]?[0-9][0-9_]*(?:\.[0-9]+)?%?")
_CLOSING = ".,;:!?)]}\\"
_SHORTEST = 6


def leaks(text: str) -> Iterator[Hit]:
    """Yield ``(kind, start, end)`` of what could be a secret; hits may overlap."""
    low = text.lower()
    for kind, start, length in secret.find(text):
        if kind != "pem":
            yield _SAME_KIND.get(kind, kind), start, start + length
    for marks, detector in _DETECTORS:
        if any(mark in low for mark in marks):
            yield from detector(text)
    for start, end in random_words(text):
        yield "high-entropy", start, end


def _keys(text: str) -> Iterator[Hit]:
    at = 0
    while (found := _KEY.search(text, at)) is not None:
        label = found[1]
        ending = text.find(f"-----END {label}-----", found.end()) if label else -1
        at = ending + len(f"-----END {label}-----") if ending >= 0 else len(text)
        yield "private-key", found.start(), at


def _urls(text: str) -> Iterator[Hit]:
    at = text.find("://")
    while at >= 0:
        start = at + len("://")
        scheme = _SCHEME.search(text, max(0, at - _LONGEST_SCHEME), at)
        is_database = scheme is not None and scheme[1].lower() in _DATABASE
        run = (_WHOLE if is_database else _AUTHORITY).match(text, start)
        end = text.rfind("@", start, run.end() + 1 if run else start)
        if scheme is not None and end > start and not _is_public_user(text[start:end]):
            yield "url-credential", start, end
            start = end
        at = text.find("://", start)


def _is_public_user(user: str) -> bool:
    if user == "git":  # the user of every public repository over SSH
        return True
    parts = [part for part in user.split(":") if part]
    return all(secret.is_stand_in(part) for part in parts)


def _headers(text: str) -> Iterator[Hit]:
    for found in _HEADER.finditer(text):
        yield from _value("auth-header", found, 1)
    for found in _BARE.finditer(text):
        token = found[1].rstrip(_CLOSING)
        if _MARKED.search(token):
            yield "auth-header", found.start(1), found.start(1) + len(token)


def _cookies(text: str) -> Iterator[Hit]:
    for found in _COOKIE.finditer(text):
        yield from _value("cookie", found, 1)


def _value(kind: str, found: re.Match[str], group: int) -> Iterator[Hit]:
    value = found[group].rstrip(" \t\\")
    if value and not secret.is_stand_in(value):
        yield kind, found.start(group), found.start(group) + len(value)


def _providers(text: str) -> Iterator[Hit]:
    for found in _PROVIDER.finditer(text):
        yield "provider-token", found.start(), found.end()


def _jwts(text: str) -> Iterator[Hit]:
    for found in _JWT.finditer(text):
        yield "jwt", found.start(), found.end()


def _flags(text: str) -> Iterator[Hit]:
    for found in _FLAG.finditer(text):
        if not _names_secret(found[1]):
            continue
        # The whole of a quoted value, blanks and all; without a closing quote, its line.
        quote, start = found[2], found.end()
        line = text.find("\n", start, start + _LONGEST_VALUE)
        limit = line if line >= 0 else min(len(text), start + _LONGEST_VALUE)
        end = text.find(quote, start, limit)
        end = limit if end < 0 else end
        if start < end and not secret.is_stand_in(text[start:end]):
            yield "flag-value", start, end


_LONGEST_VALUE = 1024


def _clients(text: str) -> Iterator[Hit]:
    if _MYSQL.search(text):
        for found in _ATTACHED.finditer(text):
            yield from _value("flag-value", found, 1)
    for found in _SSHPASS.finditer(text):
        yield from _value("flag-value", found, 1)


def _users(text: str) -> Iterator[Hit]:
    for found in _USER.finditer(text):
        user, password = found[1], found[2]
        is_ids = user.isdigit() and password.isdigit()
        if not (is_ids or password.startswith("//")):
            yield from _value("basic-credential", found, 2)


def _names(text: str) -> Iterator[Hit]:
    at = 0
    while (found := _NAMED.search(text, at)) is not None:
        at = found.end(2)
        name, quote, value = found[1], found[3], found[4].rstrip(_CLOSING)
        if found[2] not in (":=", "=>", "=", ":") or not value or not _names_secret(name):
            continue
        if is_placeholder(value) or secret.is_stand_in(value):
            continue
        if _NUMBER.fullmatch(value) and (counts(name) or is_environment_name(name)):
            continue
        if quote is None and (_CALL.match(value) or not _stands_out(value)):
            continue
        whole = _VALUE.match(text, found.start(4)) or found
        at = found.start(4) + len(whole[0].rstrip(_CLOSING))
        yield "assignment", found.start(4), at


def _names_secret(name: str) -> bool:
    """Say whether a name holds a secret word, and does not only tell about a secret."""
    words = name_words(name)
    if not words or words[-1] in _ABOUT or name in ("PWD", "OLDPWD"):
        return False
    pairs = pairwise(words)
    return not _SINGLE.isdisjoint(words) or any(
        second == "key" and first in _BEFORE_KEY for first, second in pairs
    )


def _stands_out(value: str) -> bool:
    return len(value) >= _SHORTEST and _STANDS_OUT.search(value) is not None


_DETECTORS = (
    (("private key", "putty-user-key-file-"), _keys),
    (("://",), _urls),
    (("authorization", "bearer", "basic"), _headers),
    (("cookie",), _cookies),
    (
        ("sk-ant-", "k_live_", "k_test_", "gh", "glpat-", "xox", "xapp-", "aiza", "ya29.", "sb",
         "npm_", "pypi-", "hf_", "dop_v1_", "sg.", "hvs.", "age-secret-key-1"),
        _providers,
    ),
    (("eyj",), _jwts),
    (("-",), _flags),
    (("-p",), _clients),
    (("-u", "-user"), _users),
    (("pass", "pwd", "secret", "token", "credential", "key"), _names),
)  # fmt: skip
