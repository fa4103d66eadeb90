"""From the message of a failure to its family, and from there to what to do next.

A pure function of its arguments. A signal that begins or ends with a letter or digit
counts only where no other letter or digit touches it there. The bare word ``fatal`` is no
signal, since git puts it before ordinary errors. A new signal is a reviewed change of this
file, with the incident that asks for it; nothing else relabels a failure.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    sys.dont_write_bytecode = True
    ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

import re
import unicodedata

from _lib.family import FAMILIES, STRATEGY, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["VECTORS", "classify", "decide", "fold", "plan"]

_EDGE = 4096
_ESCALATE = "escalate"

# Plain fragments, in lower case and without accents.
_PLAIN: dict[str, tuple[str, ...]] = {
    "instrument": (
        "broken pipe", "sigpipe", "unexpected end of file", "not in sorted order",
        "binary file matches", "tar (child): cannot connect to",
    ),
    "lock": (
        "index.lock", "another git process", "cannot lock ref", "resource busy",
        "database is locked", "is being used by another process", "could not get lock",
        "lock wait timeout", "waiting for file lock", "text file busy",
    ),
    "ratelimit": (
        "rate limit", "rate limited", "rate-limit", "rate-limited", "ratelimit",
        "too many requests", "quota exceeded",
        "retry-after", "overloaded", "throttled",
    ),
    "transient": (
        "timed out", "timeout", "etimedout", "econnrefused", "connection refused", "econnreset",
        "connection reset", "could not resolve host", "enotfound", "eai_again", "bad gateway",
        "service unavailable", "gateway timeout", "cannot connect to",
        "temporary failure in name resolution", "network is unreachable",
    ),
    "state": (
        "merge conflict", "conflict (", "checksum mismatch", "corrupt", "corrupted", "out of sync",
        "not a git repository", "non-fast-forward", "would be overwritten",
        "no space left on device", "already exists",
    ),
    "config": (
        "permission denied", "unauthorized", "forbidden", "authentication failed",
        "could not read username", "unknown option", "unrecognized option",
        "unrecognized arguments", "invalid option", "missing required", "keyerror",
    ),
    "dependency": (
        "no module named", "cannot find module", "command not found", "no such file or directory",
        "enoent", "no matching distribution", "cannot open shared object file",
    ),
    "fatal": (
        "out of memory", "oomkilled", "segmentation fault", "core dumped", "stack overflow",
        "panic:",
    ),
}  # fmt: skip

_HTTP = (
    r"(?:http(?:/[0-9.]{{1,3}})?|status|code|error)[ \t:=\"'(]{{1,4}}(?:code[ :=]{{1,2}})?(?:{0})"
)
# What plain fragments cannot say; every quantifier has an end.
_SHAPES: dict[str, str] = {
    "instrument": (
        r"cannot connect to [a-z]: resolve failed"
        r"|\b(?:grep|rg|sed|g?awk|mawk): [^\n]{1,200}: "
        r"(?:no such file or directory|is a directory)"
        r"|\b(?:sed: can't read [^\n]{1,200}: no such file|"
        r"sed: couldn't edit [^\n]{1,200}: not a regular file)"
        r"|\bg?awk: [^\n]{0,80}cannot open (?:file )?[^\n]{1,200}"
    ),
    "ratelimit": _HTTP.format("429"),
    "transient": _HTTP.format("502|503|504"),
    "config": _HTTP.format("401|403") + r"|\b[a-z][a-z0-9_]{1,63} (?:is not set|not set in)\b",
    "fatal": r"^[ \t]{0,8}killed[ \t]{0,8}$|\bexit code (?:134|137|139)",
}
_CODES = {
    141: "instrument", 124: "transient", 143: "transient", 126: "config", 127: "dependency",
    134: "fatal", 137: "fatal", 139: "fatal",
}  # fmt: skip

VECTORS: tuple[tuple[str, str], ...] = (
    ("ETIMEDOUT", "transient"),
    ("Anthropic: overloaded", "ratelimit"),
    ("HTTP 429 Too Many Requests", "ratelimit"),
    ("Cannot find module 'foo'", "dependency"),
    ("ModuleNotFoundError: No module named yaml", "dependency"),
    ("getaddrinfo ENOTFOUND h", "transient"),
    ("preloaded assets", UNKNOWN),
    ("processed 4296 bytes in 429 ms", UNKNOWN),
    ("done in 42900ms", UNKNOWN),
    ("CONFLICT (content): Merge conflict in x", "state"),
    ("API_KEY is not set", "config"),
    ("HTTP 403 Forbidden", "config"),
    ("FATAL: out of memory", "fatal"),
    ("Killed", "fatal"),
    ("the process killed the mood", UNKNOWN),
    ("fatal: Unable to create '.git/index.lock': File exists.", "lock"),
    ("fatal: not a git repository", "state"),
    ("fatal: could not read Username for 'https://h'", "config"),
    ("tar (child): Cannot connect to P: resolve failed", "instrument"),
    ("Cannot connect to the Docker daemon", "transient"),
    ("gzip: stdin: unexpected end of file", "instrument"),
    ("OSError: [Errno 28] No space left on device", "state"),
    ("pytest: error: unrecognized arguments: --x", "config"),
    ("", UNKNOWN),
)


def classify(message: str, exit_code: int | None = None) -> str:
    """Return the family of a failure: by its text, else by its exit code, else ``unknown``."""
    text = fold(message)
    for family in FAMILIES:
        if _PATTERNS[family].search(text):
            return family
    return UNKNOWN if exit_code is None else _CODES.get(exit_code, UNKNOWN)


def decide(
    message: str,
    exit_code: int | None = None,
    attempt: int = 1,
    max_retries: int = 3,
    *,
    is_critical: bool = True,
) -> dict[str, Any]:
    """Return what to do about a failure.

    Args:
        message: What the command said.
        exit_code: Its status, where it is known.
        attempt: How often this has failed by now, this time included.
        max_retries: From this attempt on a person decides; an instrument is never retried.
        is_critical: The work cannot go on without it.

    Returns:
        ``family``, ``strategy``, ``rationale`` (a sentence) and ``terminal`` (do not go on).

    """
    family = classify(message, exit_code)
    return plan(family, attempt, max_retries, is_critical=is_critical)


def plan(
    family: str, attempt: int = 1, max_retries: int = 3, *, is_critical: bool = True
) -> dict[str, Any]:
    """Return what to do about a failure whose family is known; see `decide`."""
    strategy = STRATEGY[family]
    rationale = _REASON[strategy]
    if family == "config" and not is_critical:
        strategy, rationale = "skip", _REASON["skip"]
    if family != "instrument" and attempt >= max_retries:
        strategy = _ESCALATE
        rationale = f"failed {attempt} times, and {max_retries} is the most; a person decides"
    return {
        "family": family,
        "strategy": strategy,
        "rationale": rationale,
        "terminal": strategy in (_ESCALATE, "skip"),
    }


def fold(message: str) -> str:
    """Return a message without case and accents, its middle left out when it is long."""
    if len(message) > 2 * _EDGE:
        message = f"{message[:_EDGE]}\n{message[-_EDGE:]}"
    if not message.isascii():
        parts = unicodedata.normalize("NFKD", message)
        message = "".join(char for char in parts if not unicodedata.combining(char))
    return message.casefold()


_REASON = {
    "remeasure": "the instrument failed, so there is no measurement; prove it on a known case",
    "retry": "the cause may pass by itself; try again after a pause",
    "rollback_and_retry": "the state is not as assumed; put it back, then try again",
    "recovery_workflow": "something is missing; provide it before the next attempt",
    "escalate": "nothing that is tried again would change it; a person decides",
    "skip": "it is not needed; go on without it and say so",
}


def _signal(fragment: str) -> str:
    before = r"(?<![^\W_])" if fragment[0].isalnum() else ""
    after = r"(?![^\W_])" if fragment[-1].isalnum() else ""
    return before + re.escape(fragment) + after


def _pattern(family: str) -> re.Pattern[str]:
    parts = [_signal(fragment) for fragment in _PLAIN[family]]
    if family in _SHAPES:
        parts.append(rf"(?<![^\W_])(?:{_SHAPES[family]})(?![^\W_])")
    return re.compile("|".join(parts), re.MULTILINE)


_PATTERNS = {family: _pattern(family) for family in FAMILIES}


def self_test() -> int:
    """Check the vectors, the rules about attempts, and that a known error is seen."""
    from hpp.core.portable.selftest import Checks

    checks = Checks(closing=True)
    for message, family in VECTORS:
        checks.equal(f"family of {message!r}", classify(message), family)
    checks.equal("exit 127 alone", classify("", 127), "dependency")
    checks.equal("exit 1 alone", classify("", 1), UNKNOWN)
    checks.equal("text before exit code", classify("Killed", 127), "fatal")
    third = decide("ETIMEDOUT", attempt=3)
    checks.equal("the third attempt", (third["strategy"], third["terminal"]), (_ESCALATE, True))
    again = decide("Broken pipe", attempt=9)
    checks.equal("an instrument", (again["strategy"], again["terminal"]), ("remeasure", False))
    skipped = decide("Permission denied", is_critical=False)
    checks.equal("not critical", skipped["strategy"], "skip")
    checks.check("a wrong family is seen", classify("ETIMEDOUT") != "lock")
    return checks.finish()


if __name__ == "__main__":
    raise SystemExit(self_test())
