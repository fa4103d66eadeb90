#!/usr/bin/env python3
"""Ask whether a change in another repository is meant; never block."""

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

NAME = "project-root-confirm"
EVENTS = ("PreToolUse",)
CLOSED = False
EXPECTED = "EXPECTED_ROOT"
ALLOWED = "ALLOW_CROSS_ROOT"


def decide(payload: Payload) -> Answer | None:
    """Return the answer to one event."""
    verdict = judge(payload)
    if verdict is not None:
        return verdict.answer(NAME, payload)
    from _lib.profile import told_once

    return told_once(NAME, payload)


def judge(payload: Payload) -> Verdict | None:
    """Return a warning for a repository that is not the expected one."""
    if payload.environ.get(ALLOWED) == "1":
        return None
    targets = _targets(payload)
    if not targets:
        return None
    expected = _expected(payload)
    if expected is None:
        return None
    foreign = _foreign(targets, expected)
    if not foreign:
        return None
    from hpp.core.portable.session_store import Memory

    memory = Memory(f"operator-kit/{NAME}", payload.session_id, payload.environ)
    new = memory.new(foreign)
    if not new:
        return None
    from hpp.core.text import shorten

    shown = ", ".join(shorten(top, 200) for top in new[:5])
    told = f"this works in {shown}, not in {shorten(expected, 200)}"
    if memory.fault and payload.session_id:
        told += f" (this warning cannot be remembered: {memory.fault})"
    advice = (
        f"{told}. Ask the person whether that repository is meant; if it is not, go back to"
        f" {shorten(expected, 200)} first."
    )
    return Verdict(WARN, "foreign-root", told, advice)


def _expected(payload: Payload) -> str | None:
    """Return where work is expected: the environment, the profile, else the repository."""
    from _lib.profile import read_profile
    from _lib.repository import top_of

    profile = read_profile(payload)
    named = payload.environ.get(EXPECTED) or profile.text("paths.expected_root", "")
    if named:
        return os.path.realpath(os.path.join(profile.root, os.path.expanduser(named)))
    return top_of(payload.cwd or os.getcwd())


def _foreign(targets: list[str], expected: str) -> list[str]:
    """Return the tops of repositories that a change goes to and that are not expected."""
    from _lib.repository import shared_folder, top_of

    found: list[str] = []
    for target in dict.fromkeys(targets):
        top = top_of(target)
        if top is None or top in found or _is_inside(top, expected):
            continue
        shared = shared_folder(top)
        if shared is None or shared != shared_folder(expected):
            found.append(top)
    return found


def _is_inside(top: str, expected: str) -> bool:
    from _lib.repository import is_same_place

    folder = top
    while not is_same_place(folder, expected):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


def _targets(payload: Payload) -> list[str]:
    """Return the folders that a call changes something in."""
    folder = payload.cwd or os.getcwd()
    text = payload.command()
    if text is None:
        return [os.path.dirname(os.path.join(folder, path)) for path, _ in payload.subjects()]
    if "git" not in text and ">" not in text:
        return []
    from _lib.place import walk
    from _lib.redirect import written_files

    from hpp.core.portable.shellwords import commands, git_call

    found: list[str] = []
    for command, places in walk(commands(text), text, folder, payload.environ):
        call = git_call(command)
        if call is not None:
            found += places.inside(call.directory).folders if call.directory else places.folders
        if ">" in command.piece:
            for name in written_files(command.piece):
                found += [os.path.dirname(path) for path in places.paths(name)]
    return found


def main(words: list[str]) -> int:
    """Answer the host's event, a ``check``, or ``--self-test``."""
    if words[:1] == ["check"]:
        from hpp.core.portable.hookcheck import COMMAND, PATH, check

        return check(NAME, judge, words[1:], (COMMAND, PATH))
    from hpp.core.portable.hookio import run_hook

    return run_hook(NAME, decide, events=EVENTS, closed=CLOSED, argv=words, self_test=_self_test)


def _self_test() -> int:
    from _lib.hooktrial import Trial

    with Trial(NAME, decide) as trial:
        other = os.path.join(os.path.dirname(trial.root), "other one")
        os.makedirs(os.path.join(other, ".git"))
        trial.says("another repository is told", "other one", f"cd '{other}' && git add a")
        trial.silent("once a session", f"git -C '{other}' status")
        trial.silent("the own repository is not", "git status > log.txt")
        own = trial.command(f"echo x > '{other}/a'", {ALLOWED: "1"})
        trial.checks.equal("the person said so", own.stdout, "")
        answer = trial.edit(os.path.join(other, "a.py"), environ={EXPECTED: other})
        trial.checks.equal("what is expected is not told", answer.stdout, "")
        answer = trial.edit("a.py", environ={EXPECTED: other})
        trial.checks.check("and the own one is then", "not in" in answer.stdout)
        trial.malformed("malformed input is told", 0)
        return trial.finish()


if __name__ == "__main__":
    from hpp.core.portable.hookio import leave

    leave(main(sys.argv[1:]))
