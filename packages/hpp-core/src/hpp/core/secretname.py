"""Whether a name is one that holds a secret, and whether a value is only a stand-in."""

from __future__ import annotations

import re

from hpp.core.secretmark import NAME_END

__all__ = [
    "ENDINGS",
    "counts",
    "is_environment_name",
    "is_placeholder",
    "is_reference",
    "is_secret_name",
]

_SINGLE = frozenset(
    [
        "password",
        "passwd",
        "passphrase",
        "pwd",
        "secret",
        "secrets",
        "token",
        "tokens",
        "credential",
        "credentials",
        "apikey",
        "accesskey",
        "privatekey",
        "secretkey",
    ]
)
# In lower case, a name that holds a secret ends with one of these; what may follow is what
# `name_words` makes no word of. An expression, to be searched in front of what ends a name.
ENDINGS = f"(?:{'|'.join(sorted({*_SINGLE, 'key'}))}){NAME_END}"
_BEFORE_KEY = frozenset(["api", "access", "private", "secret", "auth", "signing", "encryption"])
_GLUED = tuple(word.upper() for word in _SINGLE)
# The shell's names of the working folder; `pwd` as a word means a password elsewhere.
_FOLDERS = frozenset({"PWD", "OLDPWD"})
_COUNTING = frozenset(
    [
        "max",
        "min",
        "num",
        "number",
        "count",
        "counts",
        "total",
        "limit",
        "size",
        "length",
        "used",
        "remaining",
        "budget",
        "per",
        "prompt",
        "completion",
        "input",
        "output",
        "cached",
        "context",
        "reasoning",
    ]
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SPLIT = re.compile(r"[_\-.]+")
_SWITCH = frozenset(["true", "false", "yes", "no", "on", "off", "none", "null", "nil", "undefined"])
_STAND_IN = re.compile(
    r"\$\w+|\$\{[^}]*\}?|\$\([^)]*\)?|%\w+%|%\(\w+\)s|\{\{.*|<.*|\*{3,}.*|\.{3,}|…"
    r"|\[redacted\]|redacted|masked|changeme|change[-_]me|[xX]{3,}",
    re.IGNORECASE | re.DOTALL,
)
_REFERENCE = re.compile(r"\$.*", re.DOTALL)


def name_words(name: str) -> list[str]:
    """Return the words of a name in lower case, split at ``_ - .`` and camel-case borders."""
    return [word.lower() for part in _SPLIT.split(name) for word in _WORD.findall(part)]


def is_secret_name(name: str) -> bool:
    """Say whether what a name holds is a secret: ``client_secret``, not ``SECRET_KEY_FILE``."""
    if name in _FOLDERS:
        return False
    words = name_words(name)
    if not words:
        return False
    if words[-1] in _SINGLE:
        return True
    if words[-1] == "key" and len(words) > 1 and words[-2] in _BEFORE_KEY:
        return True
    return name.isupper() and _SPLIT.split(name)[-1].endswith(_GLUED)


def is_environment_name(name: str) -> bool:
    """Say whether a name is written as environment variables are."""
    return name.isupper()


def counts(name: str) -> bool:
    """Say whether a name is a number of something, as ``max_tokens`` is."""
    words = name_words(name)
    return bool(_COUNTING.intersection(words)) or words[-1:] == ["tokens"]


def is_placeholder(value: str) -> bool:
    """Say whether a value stands in for another one, or switches something on or off."""
    return value.lower() in _SWITCH or _STAND_IN.fullmatch(value) is not None


def is_reference(value: str) -> bool:
    """Say whether a value is taken from elsewhere when the command runs."""
    return _REFERENCE.fullmatch(value) is not None
