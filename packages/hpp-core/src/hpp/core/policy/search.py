"""Search texts with patterns that may never come to an end, and stop when time is over.

The search runs in a process of its own, since only a process can be stopped wherever it
is: a thread waits for the interpreter's lock, and a signal is not looked at in the inner
loops of `re`. With `fork` that costs a few milliseconds; elsewhere an interpreter is started.
"""

from __future__ import annotations

import os
import sys
import time

from hpp.core.errors import RefusedError
from hpp.core.policy.rule import BLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.policy.pattern import Question
    from hpp.core.policy.project import OwnRule

__all__ = ["LIMIT_S", "first_match"]

LIMIT_S = 0.5
_START_S = 4.0  # what an interpreter may take to start is not the patterns' time
_MOST_LINES = 16 * 1024 * 1024


def first_match(  # noqa: PLR0913 -- keywords, all with a default
    rules: Sequence[OwnRule],
    texts: Sequence[str],
    wanted: Sequence[str],
    *,
    may_wait: bool = True,
    limit_s: float = LIMIT_S,
    fork: bool | None = None,
) -> tuple[OwnRule, str] | None:
    """Return the first rule whose pattern is found in one of the texts, and what it matched.

    Every pattern is checked first. Rules that block are searched before those that ask,
    each in the order of the file.

    Args:
        rules: All rules of the file.
        texts: What is searched.
        wanted: Actions of the rules that are searched.
        may_wait: Whether time that runs out is a refusal; where the answer stands already,
            it is not.
        limit_s: Seconds for all of it.
        fork: Whether to fork; None decides by the system.

    Raises:
        RefusedError: A pattern is refused, or time was over; the rule is named.

    """
    order = [n for n, rule in enumerate(rules) if rule.action == BLOCK and BLOCK in wanted]
    order += [n for n, rule in enumerate(rules) if rule.action != BLOCK and rule.action in wanted]
    question = ([rule.pattern for rule in rules], order if texts else [], list(texts))
    use_fork = _may_fork() if fork is None else fork
    told = (_forked if use_fork else _spawned)(question, limit_s)
    lines = told.decode("utf-8", "replace").split("\n")
    if lines[-2:] == [".", ""]:
        return _answer(rules, lines[-3] if len(lines) > 2 else "")  # noqa: PLR2004 -- the last
    if not may_wait:
        return None
    steps = [line for line in lines[:-1] if line[:1] in ("c", "s")]
    running = rules[int(steps[-1][1:])] if steps else rules[0]
    raise RefusedError(
        f"{running.place}: the pattern of {running.id} was not done after {limit_s:g} s;"
        " a check that cannot be finished allows nothing"
    )


def _answer(rules: Sequence[OwnRule], line: str) -> tuple[OwnRule, str] | None:
    """Return what the last step came to."""
    number, _, told = line[1:].partition(" ")
    if line[:1] == "m":
        piece = bytes.fromhex(told).decode("utf-8", "surrogatepass")
        return rules[int(number)], piece
    if line[:1] == "f":
        raise RefusedError(f"{rules[int(number)].place}.pattern: {told}")
    return None


def _may_fork() -> bool:
    """Forking a process with other threads can leave their locks taken for ever."""
    return hasattr(os, "fork") and len(sys._current_frames()) == 1  # noqa: SLF001 -- documented


def _forked(question: Question, limit_s: float) -> bytes:
    """Ask a copy of this process, and kill it when time is over."""
    import select
    import signal

    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        _answer_and_exit(question, reader, writer)
    os.close(writer)
    deadline = time.monotonic() + limit_s
    told = b""
    try:
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([reader], [], [], left)[0]:
                break
            block = os.read(reader, 65536)
            if not block:
                break
            told += block
    finally:
        os.close(reader)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return told


def _answer_and_exit(question: Question, reader: int, writer: int) -> None:
    """Answer in the copy; nothing of it may reach the code around the fork."""
    try:
        from hpp.core.policy.pattern import answer

        os.close(reader)
        answer(question, lambda data: os.write(writer, data))
    finally:
        os._exit(0)


def _spawned(question: Question, limit_s: float) -> bytes:
    """Ask an interpreter that is started for it; it stops itself, and is stopped at last."""
    import json

    from hpp.core.runner import run

    worker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pattern.py")
    if not sys.executable or not os.path.isfile(worker):
        raise RefusedError("patterns of a policy cannot be searched here: there is no interpreter")
    outcome = run(
        [sys.executable, "-I", "-S", worker],
        timeout_s=limit_s + _START_S,
        input_bytes=json.dumps([question, limit_s]).encode("ascii"),
        keep_stdout=_MOST_LINES,
    )
    return outcome.stdout.kept
