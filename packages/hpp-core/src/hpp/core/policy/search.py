"""Search texts with patterns that may never come to an end, and stop when time is over.

The search runs in a process of its own, since only a process can be stopped wherever it
is. With `fork` that costs about a millisecond; elsewhere an interpreter is started.
"""

from __future__ import annotations

import os
import time

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.policy.project import OwnRule

__all__ = ["Budget", "first_match"]

LIMIT_S = 0.5
_NOTHING = b"-"
_CHILD = (
    "import sys, json; sys.path[:0] = json.loads(sys.argv[1]); "
    "from hpp.core.policy.search import child; child()"
)


class Budget:
    """The time that all searching of one check has together."""

    __slots__ = ("left_s",)

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self.left_s = limit_s


def first_match(
    rules: Sequence[OwnRule], texts: Sequence[str], budget: Budget, *, fork: bool | None = None
) -> OwnRule | None:
    """Return the first rule, in order, whose pattern is found in one of the texts.

    Args:
        rules: In the order of the file.
        texts: What is searched.
        budget: Shared by every call of one check.
        fork: Whether to fork; None decides by the system.

    Raises:
        RefusedError: Time was over; the rule that was running is named.

    """
    if not rules or not texts:
        return None
    started = time.monotonic()
    use_fork = _may_fork() if fork is None else fork
    run = _forked if use_fork else _spawned
    answer = run([rule.pattern for rule in rules], list(texts), budget.left_s)
    budget.left_s -= time.monotonic() - started
    lines = answer.split(b"\n")
    done, last = lines[:-1], lines[-1]
    if last == b"." and done and done[-1] == _NOTHING:
        return None
    if last == b"." and done:
        return rules[int(done[-1])]
    running = rules[min(len(done), len(rules) - 1)]
    raise RefusedError(
        f"rule {running.id}: its pattern was not done after {LIMIT_S:g} s of searching;"
        " a check that cannot be finished allows nothing"
    )


def search(patterns: Sequence[str], texts: Sequence[str], write: object) -> None:
    """Search in order, telling each pattern that is done; the last line is the answer."""
    from hpp.core.policy.pattern import compiled

    say = write if callable(write) else print
    for number, pattern in enumerate(patterns):
        expression = compiled(pattern)
        if any(expression.search(text) for text in texts):
            say(f"{number}\n.".encode())
            return
        if number < len(patterns) - 1:
            say(b"\n")
    say(_NOTHING + b"\n.")


def child() -> None:
    """Answer a question on standard input; the other end of `_spawned`."""
    import json
    import sys

    question = json.loads(sys.stdin.buffer.read())

    def write(data: bytes) -> None:
        os.write(1, data)

    search(question["patterns"], question["texts"], write)


def _may_fork() -> bool:
    """Forking a process with other threads can leave their locks taken for ever."""
    import sys

    threading = sys.modules.get("threading")
    return hasattr(os, "fork") and (threading is None or threading.active_count() == 1)


def _forked(patterns: list[str], texts: list[str], limit_s: float) -> bytes:
    import select
    import signal

    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(reader)
            search(patterns, texts, lambda data: os.write(writer, data))
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    deadline = time.monotonic() + limit_s
    answer = b""
    try:
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([reader], [], [], left)[0]:
                break
            block = os.read(reader, 65536)
            if not block:
                break
            answer += block
    finally:
        os.close(reader)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return answer


def _spawned(patterns: list[str], texts: list[str], limit_s: float) -> bytes:
    import json
    import subprocess
    import sys

    # What an interpreter needs to start is not the patterns' time.
    command = [sys.executable, "-I", "-c", _CHILD, json.dumps(sys.path)]
    question = json.dumps({"patterns": patterns, "texts": texts}).encode()
    try:
        done = subprocess.run(
            command, input=question, capture_output=True, timeout=limit_s + 1.0, check=False
        )
    except subprocess.TimeoutExpired as error:
        return error.stdout or b""
    return done.stdout
