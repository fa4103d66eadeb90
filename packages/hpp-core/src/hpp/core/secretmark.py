"""The fragments without which no secret can stand in a text; they cost no import.

A text in lower case that holds none of them needs no look at all, which is what most
texts come to.
"""

from __future__ import annotations

__all__ = [
    "ALL",
    "HEADER",
    "JWT",
    "NAME",
    "NAME_END",
    "OPTION",
    "PEM",
    "PROVIDER",
    "SIGN",
    "URL",
    "USER",
    "may_hold_secret",
]

PEM = ("-----begin ", "putty-user-key-file-")
URL = ("://",)
HEADER = ("authorization", "bearer", "basic")
PROVIDER = (
    "sk-", "k_live_", "k_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-",
    "xox", "xapp-", "akia", "asia", "aiza", "ya29.", "npm_", "pypi-", "hf_", "dop_v1_", "sg.",
    "hvs.",
)  # fmt: skip
JWT = ("eyj",)
NAME = ("pass", "pwd", "secret", "token", "credential", "key")
USER = ("-u", "-user")
# Expressions, in lower case: what may stand between the last word of a name and its end, the
# sign that gives it a value, and the beginning of an option.
NAME_END = "[_.\\-\x80-\U0010ffff]*"
SIGN = r"(?:\\?[\"'`])?[ \t]{0,8}[:=]"
OPTION = r"-[a-z]"
ALL = PEM + URL + HEADER + PROVIDER + JWT + NAME + USER


def may_hold_secret(text: str) -> bool:
    """Say whether a closer look is needed; False is certain."""
    low = text.lower()
    return any(mark in low for mark in ALL)
