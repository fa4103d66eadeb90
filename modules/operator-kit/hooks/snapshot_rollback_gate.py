#!/usr/bin/env python3
"""Ask three questions before something is destroyed that nobody kept a copy of; never block."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True  # the launcher gives compiled code a place of its own
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from hpp.core.portable.verdict import WARN, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.portable.answer import Answer
    from hpp.core.portable.payload import Payload

__all__ = ["CLOSED", "EVENTS", "NAME", "decide", "judge", "main"]

NAME = "snapshot-rollback-gate"
EVENTS = ("PreToolUse",)
CLOSED = False
CONFIRMED = "SNAPSHOT_CONFIRMED"


def decide(payload: Payload) -> Answer | None:
    """Return the answer to one event."""
    verdict = judge(payload)
    if verdict is not None:
        return verdict.answer(NAME, payload)
    from _lib.profile import told_once

    return told_once(NAME, payload)


def judge(payload: Payload) -> Verdict | None:
    """Return a warning for the verbs that nobody was warned of in this session."""
    text = payload.command()
    if text is None or payload.environ.get(CONFIRMED) == "1":
        return None
    from _lib.glance import may_destroy
    from _lib.profile import read_profile

    own = read_profile(payload).texts("guardrails.destructive_verbs")
    if not (own or may_destroy(text)):
        return None
    from _lib import verbs

    from hpp.core.portable.shellwords import commands

    found: list[str] = []
    for command in commands(text):
        if not found and verbs.is_snapshot(command):
            return None
        verb = verbs.destructive_verb(command, own)
        if verb is not None and verb not in found:
            found.append(verb)
    if not found:
        return None
    from hpp.core.portable.session_store import Memory

    memory = Memory(f"operator-kit/{NAME}", payload.session_id, payload.environ)
    new = memory.new(found)
    if not new:
        return None
    shown = ", ".join(new)
    told = f"{shown}: no copy was made in this call"
    if memory.fault and payload.session_id:
        told += f" (this warning cannot be remembered: {memory.fault})"
    advice = (
        f"{shown} goes ahead. Answer before the next step: (1) which copy holds what it destroys,"
        " (2) which exact command brings that back, (3) which command shows that it came back."
    )
    return Verdict(WARN, new[0], told, advice)


def main(words: list[str]) -> int:
    """Answer the host's event, a ``check``, or ``--self-test``."""
    if words[:1] == ["check"]:
        from hpp.core.portable.hookcheck import COMMAND, check

        return check(NAME, judge, words[1:], (COMMAND,))
    from hpp.core.portable.hookio import run_hook

    return run_hook(NAME, decide, events=EVENTS, closed=CLOSED, argv=words, self_test=_self_test)


def _self_test() -> int:
    from _lib.hooktrial import Trial

    with Trial(NAME, decide) as trial:
        trial.says("a reset is asked about", "git reset --hard", "git reset --hard HEAD~1")
        trial.silent("once a session", "git reset --hard")
        trial.says("another verb is another question", "rm -r", "rm -r build")
        trial.silent("an ordinary command says nothing", "git status && rm a.txt")
        trial.silent("a copy before it answers", "git stash push && git clean -fd")
        trial.says("a copy after it does not", "git clean -f", "git clean -fd && git stash push")
        trial.silent("the person said so", "git branch -D a", {CONFIRMED: "1"})
        trial.silent("a mention is not a command", "echo 'terraform destroy'")
        trial.malformed("malformed input is told", 0)
        return trial.finish()


if __name__ == "__main__":
    from hpp.core.portable.hookio import leave

    leave(main(sys.argv[1:]))
