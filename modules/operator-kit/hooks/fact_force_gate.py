#!/usr/bin/env python3
"""Name the facts to establish before a file is first changed or something is destroyed.

It never blocks. A file or a command is told of once in half an hour of a session.
"""

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

NAME = "fact-force-gate"
EVENTS = ("PreToolUse",)
CLOSED = False
EXEMPT = "HPP_FACT_FORCE_EXEMPT"
LASTS_S = 1800
_ONCE = "It goes ahead; of calls that run side by side only the first is told."


def decide(payload: Payload) -> Answer | None:
    """Return the answer to one event."""
    verdict = judge(payload)
    if verdict is not None:
        return verdict.answer(NAME, payload)
    from _lib.profile import told_once

    return told_once(NAME, payload)


def judge(payload: Payload) -> Verdict | None:
    """Return a warning for what this session has not been told of."""
    text = payload.command()
    return _edit(payload) if text is None else _command(payload, text)


def _edit(payload: Payload) -> Verdict | None:
    folder = payload.cwd or os.getcwd()
    files: dict[str, str] = {}
    for path, _ in payload.subjects():
        place = os.path.realpath(os.path.join(folder, path))
        if os.path.isfile(place) and not _exempt(path, place, payload):
            files.setdefault(_key(place), path)
    new, fault = _new(payload, list(files))
    if not new:
        return None
    from hpp.core.text import shorten

    shown = ", ".join(shorten(files[key], 200) for key in new[:10])
    told = f"first change of {shown} in this session{fault}"
    advice = (
        f"Before the next change of {shown}, establish: who imports or calls it; which signature"
        f" or shape of output others rely on; how this change is rolled back. {_ONCE}"
    )
    return Verdict(WARN, "first-edit", told, advice)


def _command(payload: Payload, text: str) -> Verdict | None:
    from _lib.glance import may_destroy
    from _lib.profile import read_profile

    own = read_profile(payload).texts("guardrails.destructive_verbs")
    if not (own or may_destroy(text)):
        return None
    from _lib import verbs

    from hpp.core.portable.shellwords import commands

    named = (verbs.destructive_verb(command, own) for command in commands(text))
    verb = next((each for each in named if each is not None), None)
    if verb is None:
        return None
    from hpp.core.portable.digest import text_digest

    new, fault = _new(payload, [f"command:{text_digest(' '.join(text.split()))}"])
    if not new:
        return None
    told = f"{verb} destroys something{fault}"
    advice = (
        f"{verb}: write down the command that undoes this and who allowed it, before what follows."
        f" {_ONCE}"
    )
    return Verdict(WARN, "destructive-verb", told, advice)


def _new(payload: Payload, keys: list[str]) -> tuple[list[str], str]:
    """Return the keys that are new in this session, and what to say when nobody can tell."""
    if not keys:
        return [], ""
    from hpp.core.portable.session_store import Memory

    memory = Memory(f"operator-kit/{NAME}", payload.session_id, payload.environ, lasts_s=LASTS_S)
    new = memory.new(keys)
    return new, f" (it cannot be remembered: {memory.fault})" if memory.fault else ""


def _key(place: str) -> str:
    folded = place.lower() if _ignores_case(place) else place
    return f"file:{folded}"


def _ignores_case(place: str) -> bool:
    """Say whether the file system finds a file under its name in the other case."""
    if sys.platform == "linux":
        return False
    try:
        return os.path.samefile(place, place.swapcase())
    except OSError:
        return False


def _exempt(path: str, place: str, payload: Payload) -> bool:
    globs = payload.environ.get(EXEMPT, "")
    if not globs:
        return False
    from fnmatch import fnmatchcase

    names = (path.replace(os.sep, "/"), place.replace(os.sep, "/"), os.path.basename(place))
    each = [glob for part in globs.split(os.pathsep) for glob in part.split(",") if glob]
    return any(fnmatchcase(name, glob) for name in names for glob in each)


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
        trial.write("a b.py", "x = 1\n")
        check = trial.checks.check
        check("a first change is told", "first change of a b.py" in trial.edit("a b.py").stdout)
        check("once", trial.edit("./a b.py").stdout == "")
        check("a new file is not told", trial.edit("new.py").stdout == "")
        trial.write("t.py", "")
        check("an exempt file is not told", trial.edit("t.py", environ={EXEMPT: "t*"}).stdout == "")
        check("and without the exemption it is", trial.edit("t.py").stdout != "")
        trial.says("a destructive command is told", "rm -r", "rm -r  build")
        trial.silent("once, whatever the blanks", "rm  -r build")
        trial.silent("an ordinary command says nothing", "ls -la")
        trial.malformed("malformed input is told", 0)
        return trial.finish()


if __name__ == "__main__":
    from hpp.core.portable.hookio import leave

    leave(main(sys.argv[1:]))
