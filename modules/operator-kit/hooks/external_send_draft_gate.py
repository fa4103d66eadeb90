#!/usr/bin/env python3
"""Remind that what leaves the machine is released by a person; never block."""

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
    from _lib.profile import Profile

    from hpp.core.portable.answer import Answer
    from hpp.core.portable.payload import Payload

__all__ = ["CLOSED", "EVENTS", "NAME", "decide", "judge", "main"]

NAME = "external-send-draft-gate"
EVENTS = ("PreToolUse",)
CLOSED = False


def decide(payload: Payload) -> Answer | None:
    """Return the answer to one event."""
    verdict = judge(payload)
    if verdict is not None:
        return verdict.answer(NAME, payload)
    from _lib.profile import told_once

    return told_once(NAME, payload)


def judge(payload: Payload) -> Verdict | None:
    """Return a warning for destinations that nobody was warned of in this session."""
    text = payload.command()
    if text is None and not payload.tool:
        return None
    if text is not None:
        from _lib.glance import may_send

        if not may_send(text):
            return None
    from _lib.profile import read_profile

    profile = read_profile(payload)
    found = _by_tool(payload.tool, profile) if text is None else _by_command(text, profile)
    if not found:
        return None
    from hpp.core.portable.session_store import Memory

    memory = Memory(f"operator-kit/{NAME}", payload.session_id, payload.environ)
    new = memory.new(found)
    if not new:
        return None
    from hpp.core.text import shorten

    shown = ", ".join(shorten(each, 120) for each in new[:10])
    drafts = shorten(profile.text("paths.draft_dir", "drafts"), 120)
    told = f"this sends to {shown}"
    if memory.fault and payload.session_id:
        told += f" (this warning cannot be remembered: {memory.fault})"
    advice = (
        f"This sends something to {shown}. Unless the person released exactly this, put it into"
        f" {drafts}/ as a draft and ask them."
    )
    return Verdict(WARN, "external-send", told, advice)


def _by_tool(tool: str, profile: Profile) -> list[str]:
    globs = profile.texts("guardrails.external_send_tools")
    if not globs:
        return []
    from fnmatch import fnmatchcase

    return [f"the tool {tool}"] if any(fnmatchcase(tool, glob) for glob in globs) else []


def _by_command(text: str, profile: Profile) -> list[str]:
    from _lib.send import destinations, fed_to_ssh, is_internal

    from hpp.core.portable.shellwords import commands

    own = profile.texts("guardrails.internal_hosts")
    hosts = [host for command in commands(text) for host in destinations(command)]
    hosts += fed_to_ssh(text)
    return [host for host in dict.fromkeys(hosts) if not is_internal(host, own)]


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
        trial.says(
            "a POST is told", "a.example", "cd x && curl -X POST https://u:" + "p@a.example:8/b"
        )
        trial.silent("once a destination", "curl -d x=1 https://a.example/c")
        trial.says("another destination is told", "b.example", "scp f me@b.example:/tmp/")
        trial.silent("a GET sends nothing", "curl -s https://c.example/x")
        trial.silent("this machine is no other", "curl -d @f http://127.0.0.1:80 http://[::1]/")
        trial.silent("a mention sends nothing", "echo 'curl -d x https://d.example'")
        trial.write(
            "operator-profile.yaml", "guardrails:\n  external_send_tools: ['mcp__*__send']\n"
        )
        answer = trial.event({"tool_name": "mcp__mail__send", "tool_input": {}})
        trial.checks.check("a tool of the profile is told", "mcp__mail__send" in answer.stdout)
        answer = trial.event({"tool_name": "mcp__mail__read", "tool_input": {}})
        trial.checks.equal("another tool is not", answer.stdout, "")
        trial.malformed("malformed input is told", 0)
        return trial.finish()


if __name__ == "__main__":
    from hpp.core.portable.hookio import leave

    leave(main(sys.argv[1:]))
