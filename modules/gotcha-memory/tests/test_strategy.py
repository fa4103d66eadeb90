"""From message to family to strategy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

CLASSIFY = """
from _lib.error_strategy import classify
print(json.dumps([classify(message, code) for message, code in given]))
"""
DECIDE = """
from _lib.error_strategy import decide
print(json.dumps([decide(*each[:4], is_critical=each[4]) for each in given]))
"""
HOSTILE = """
from _lib.error_strategy import classify
from _lib.taskkey import Task
print(json.dumps([(classify(text), Task(text, text)) and 1 for text in given]))
"""
VECTORS = {
    "ETIMEDOUT": "transient",
    "Anthropic: overloaded": "ratelimit",
    "HTTP 429 Too Many Requests": "ratelimit",
    "request failed with status code 429": "ratelimit",
    "you are being rate limited": "ratelimit",
    "Cannot find module 'foo'": "dependency",
    "ModuleNotFoundError: No module named yaml": "dependency",
    "bash: foo: command not found": "dependency",
    "getaddrinfo ENOTFOUND h": "transient",
    "upstream answered HTTP/1.1 503": "transient",
    "preloaded assets": "unknown",
    "processed 4296 bytes in 429 ms": "unknown",
    "took 42900ms": "unknown",
    "CONFLICT (content): Merge conflict in x": "state",
    "API_KEY is not set": "config",
    "HTTP 403 Forbidden": "config",
    "Permissão: PERMISSION DENIED": "config",
    "FATAL: out of memory": "fatal",
    "Killed": "fatal",
    "line\n  Killed\nmore": "fatal",
    "the process killed the mood": "unknown",
    "fatal: Unable to create '.git/index.lock': File exists.": "lock",
    "fatal: not a git repository": "state",
    "fatal: could not read Username for 'https://h'": "config",
    "fatal: something nobody knows": "unknown",
    "tar (child): Cannot connect to P: resolve failed": "instrument",
    "cannot connect to x: resolve failed": "instrument",
    "Cannot connect to the Docker daemon": "transient",
    "gzip: stdin: unexpected end of file": "instrument",
    "grep: src: Is a directory": "instrument",
    "rg: nowhere: No such file or directory (os error 2)": "instrument",
    "sort: write failed: Broken pipe": "instrument",
    "OSError: [Errno 28] No space left on device": "state",
    "pytest: error: unrecognized arguments: --x": "config",
    "": "unknown",
}


def test_each_message_has_its_family(ask: Callable[..., Any]) -> None:
    answers = ask(CLASSIFY, [[message, None] for message in VECTORS])

    assert dict(zip(VECTORS, answers, strict=True)) == VECTORS


def test_the_exit_code_speaks_when_no_text_does(ask: Callable[..., Any]) -> None:
    codes = {127: "dependency", 126: "config", 124: "transient", 141: "instrument",
             137: "fatal", 1: "unknown"}  # fmt: skip

    answers = ask(CLASSIFY, [["", code] for code in codes])

    assert answers == list(codes.values())
    assert ask(CLASSIFY, [["ETIMEDOUT", 137]]) == ["transient"]


def test_a_person_decides_after_the_last_attempt_but_not_for_an_instrument(
    ask: Callable[..., Any],
) -> None:
    given = [
        ["ETIMEDOUT", None, 1, 3, True], ["ETIMEDOUT", None, 3, 3, True],
        ["Broken pipe", None, 9, 3, True], ["Permission denied", None, 1, 3, False],
        ["Permission denied", None, 1, 3, True], ["Killed", None, 1, 3, True],
    ]  # fmt: skip

    decided = [(each["strategy"], each["terminal"]) for each in ask(DECIDE, given)]

    assert decided == [
        ("retry", False), ("escalate", True), ("remeasure", False), ("skip", True),
        ("escalate", True), ("escalate", True),
    ]  # fmt: skip


def test_a_hostile_text_comes_to_an_end(ask: Callable[..., Any]) -> None:
    """The process is ended when it takes too long; each text alone takes milliseconds."""
    parts = ["a", " ", "token:", "x=y ", "-----BEGIN ", "eyJaaaaaaa.", "://", "postgres://",
             "--a-", "authorization: ", "'", "a_", "lock ", "fetch", "grep: x: ", "("]  # fmt: skip
    texts = [(part * 102400)[:102400] for part in parts] + ["env" + " " * 102400]

    answers = ask(HOSTILE, texts, timeout=30)

    assert answers == [1] * len(texts)


def test_control_a_wrong_family_would_be_seen(ask: Callable[..., Any]) -> None:
    assert ask(CLASSIFY, [["ETIMEDOUT", None]]) != ["lock"]
