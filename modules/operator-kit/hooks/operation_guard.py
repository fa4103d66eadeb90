#!/usr/bin/env python3
"""Judge a shell command before it runs: block, ask or warn, by the policy and the profile.

It writes nothing. In ``audit`` everything is a warning; in ``enforce`` a block is a block, and
input that cannot be judged is blocked as well.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True  # the launcher gives compiled code a place of its own
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from hpp.core.portable.payload import Malformed, Payload
from hpp.core.portable.verdict import ALLOW, ASK, BLOCK, WARN, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.profile import Profile

    from hpp.core.policy.project import ProjectPolicy
    from hpp.core.portable.answer import Answer

__all__ = ["CLOSED", "EVENTS", "NAME", "decide", "judge", "main"]

NAME = "operation-guard"
EVENTS = ("PreToolUse",)
MODE = "HPP_POLICY_MODE"
_MODES = ("audit", "enforce")
_LARGEST = 1024 * 1024
_WEIGHT = {ALLOW: 0, WARN: 1, ASK: 2, BLOCK: 3}


def CLOSED(payload: Payload | None) -> bool:  # noqa: N802 -- the name that `run.py` reads
    """Say whether what cannot be judged is blocked: only `enforce` does that."""
    event = payload if payload is not None else Payload({})
    from _lib.profile import read_profile

    try:
        return _mode(event, read_profile(event), []) != "audit"
    except Malformed:
        return _mode(Payload({}), read_profile(Payload({})), []) != "audit"


def decide(payload: Payload) -> Answer | None:
    """Return the answer to one event."""
    verdict = judge(payload)
    return None if verdict is None else verdict.answer(NAME, payload)


def judge(payload: Payload) -> Verdict | None:
    """Return the judgement of a shell command; None for another tool and for what may run."""
    text = payload.command()
    if text is None:
        return None
    if len(text.encode("utf-8", "surrogatepass")) > _LARGEST:
        raise Malformed("tool_input.command: longer than 1 MiB")
    from _lib.profile import read_profile

    profile = read_profile(payload)
    notes: list[str] = []
    mode = _mode(payload, profile, notes)
    found = _strictest(text, payload, profile, notes)
    notes += profile.faults
    if found is None:
        return Verdict(ALLOW, "", "; ".join(notes)) if notes else None
    told = "; ".join([f"{found.rule}: {found.reason}", *notes])
    if found.verdict == WARN:
        return Verdict(WARN, found.rule, told, _advice(told))
    if mode == "audit":
        would = "blocked" if found.verdict == BLOCK else "put to a person"
        told = f"{told} (audit: it goes ahead; in enforce it would be {would})"
        return Verdict(WARN, found.rule, told, _advice(told))
    return Verdict(found.verdict, found.rule, told)


def _advice(told: str) -> str:
    return f"{told}. Tell the person what it changes, and prefer a command that can be undone."


def _strictest(text: str, payload: Payload, profile: Profile, notes: list[str]) -> Verdict | None:
    """Return what weighs most; of what weighs the same, what comes first in the rules."""
    folder = payload.cwd or profile.root
    found = [verdict for verdict in [_policy(text, folder, notes)] if verdict is not None]
    if not found or found[0].verdict != BLOCK:
        from _lib.glance import may_match

        if profile.values or may_match(text):
            from _lib import guard

            guarded = guard.Guarded(profile)
            more = guard.findings(text, folder, guarded, payload.environ)
            found += [Verdict(each.verdict, each.rule, each.reason) for each in more]
    return max(found, key=lambda verdict: _WEIGHT[verdict.verdict], default=None)


def _policy(text: str, folder: str, notes: list[str]) -> Verdict | None:
    """Return the verdict of the command policy, hardened by the project's own file."""
    from hpp.core.errors import HppError
    from hpp.core.policy import verdict as policy

    try:
        found = policy.judge(text, _project_policy(folder))
    except HppError as error:
        notes.append(f"{error}; the built-in rules stand")
        found = policy.judge(text)
    if found.action == policy.ALLOW:
        return None
    from hpp.core.policy.piece import masked

    shown = f" ({masked(found.piece)})" if found.piece else ""
    kind = BLOCK if found.action == policy.BLOCK else ASK
    return Verdict(kind, found.rule, f"{found.reason}{shown}")


def _project_policy(folder: str) -> ProjectPolicy | None:
    from hpp.core.policy.project import find_policy, load_policy

    path = find_policy(folder)
    return None if path is None else load_policy(path)


def _mode(payload: Payload, profile: Profile, notes: list[str]) -> str:
    """Return `audit` or `enforce`: the host's environment, else the profile, else `audit`."""
    where, given = MODE, payload.environ.get(MODE)
    if not given:
        where = "guardrails.operation_guard_mode"
        given = profile.raw(where, "audit")
    if given in _MODES:
        return str(given)
    notes.append(f"{where}: neither audit nor enforce, so enforce")
    return "enforce"


def main(words: list[str]) -> int:
    """Answer the host's event, a ``check``, or ``--self-test``."""
    if words[:1] == ["check"]:
        from hpp.core.portable.hookcheck import COMMAND, check

        return check(NAME, judge, words[1:], (COMMAND,))
    from hpp.core.portable.hookio import run_hook

    return run_hook(NAME, decide, events=EVENTS, closed=CLOSED, argv=words, self_test=_self_test)


def _self_test() -> int:
    from _lib.hooktrial import Trial

    with Trial(NAME, decide, CLOSED) as trial:
        enforce = {MODE: "enforce"}
        for command in ("rm -rf src", "cd src && rm -r .", "git push -f", "find src -delete"):
            trial.exits(f"{command} is blocked", 2, command, enforce)
        for command in ("python -m pytest -q", "echo 'rm -rf src'", "rm -f src/my-render.js"):
            trial.silent(f"{command} says nothing", command, enforce)
        trial.says("a push is put to a person", '"ask"', "git push origin feature", enforce)
        trial.says("audit warns", "systemMessage", "rm -rf src", {MODE: "audit"})
        trial.write("operator-profile.yaml", "guardrails:\n  operation_guard_mode: 'off'\n")
        trial.exits("a profile cannot switch it off", 2, "rm -rf src", {})
        trial.malformed("malformed input is blocked in enforce", 2, enforce)
        trial.malformed("malformed input is told in audit", 0, {MODE: "audit"})
        return trial.finish()


if __name__ == "__main__":
    from hpp.core.portable.hookio import leave

    leave(main(sys.argv[1:]))
