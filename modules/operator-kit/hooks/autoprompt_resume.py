#!/usr/bin/env python3
"""Write the page that the next session begins with, at every stop, when it has changed.

``--print`` prints it and writes nothing.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True  # the launcher gives compiled code a place of its own
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from _lib.profile import Profile

    from hpp.core.portable.answer import Answer
    from hpp.core.portable.payload import Payload

__all__ = ["CLOSED", "EVENTS", "NAME", "decide", "main"]

NAME = "autoprompt-resume"
EVENTS = ("Stop",)
CLOSED = False
POINTER = ".claude/RESUME-NEXT.md"
STATE = "docs/plans/execution/00-STATE.md"
BOOT = "docs/plans/execution/00-READ-FIRST.md"


def decide(payload: Payload) -> Answer | None:
    """Write the page of one stop; say something only when that is not possible."""
    from _lib.profile import read_profile

    from hpp.core.errors import HppError
    from hpp.core.portable.answer import message

    payload.flag("stop_hook_active")
    profile = read_profile(payload)
    told = list(profile.faults)
    try:
        fault = _write(profile)
    except HppError as error:
        fault = str(error)
    except OSError as error:
        fault = error.strerror or str(error)
    if fault:
        told.append(f"the page for the next session was not written: {fault}")
    if not told:
        return None
    from hpp.core.portable.session_store import first_time

    new = first_time(f"operator-kit/{NAME}", payload, told)
    return message(NAME, "; ".join(new)) if new else None


def _write(profile: Profile) -> str:
    """Write the page when it has changed, and return why it may not be, or an empty text."""
    from _lib.gitfacts import is_tracked

    from hpp.core.portable.fsread import contain

    pointer = profile.text("paths.resume_pointer", POINTER)
    path = contain(pointer, profile.root)
    known = _read(path) if os.path.exists(path) else ""
    text = _page(profile, known)
    if _body(known) == _body(text):
        return ""
    if is_tracked(profile.root, pointer):
        return f"{pointer}: git tracks it, and every stop would change the tree"
    from hpp.core.portable.fswrite import HOOK_WAIT_S, atomic_write, locked

    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    if pointer.startswith(".claude/"):
        from _lib.ignore_store import ignore

        name = pointer[len(".claude/") :]
        ignore(profile.root, [f"/{name}", f"/{name}.lock"])
    with locked(path, HOOK_WAIT_S):
        atomic_write(path, text.encode("utf-8", "replace"))
    return ""


def _page(profile: Profile, known: str = "") -> str:
    import time

    from _lib.gitfacts import read_facts
    from _lib.resume import page

    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    state = profile.text("paths.state_doc", STATE)
    boot = profile.text("paths.boot_doc", BOOT)
    return page(profile.root, state, boot, read_facts(profile.root, known), moment)


def _read(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(1024 * 1024).decode("utf-8", "replace")


def _body(text: str) -> list[str]:
    """Return the lines of a page but the one with its time."""
    from _lib.resume import GENERATED

    return [line for line in text.splitlines() if not line.startswith(GENERATED)]


def _parser() -> argparse.ArgumentParser:
    from hpp.core.portable.scriptcli import make_parser

    parser = make_parser("autoprompt_resume.py", "The page for the next session.", json=False)
    parser.add_argument("--print", action="store_true", required=True, help="print it")
    parser.add_argument("--project-dir", metavar="DIR", help="the project")
    return parser


def _print(values: argparse.Namespace) -> int:
    from _lib.profile import read_profile

    from hpp.core.errors import RefusedError
    from hpp.core.portable.payload import Payload

    folder = os.path.abspath(values.project_dir or os.getcwd())
    environ = dict(os.environ)
    if values.project_dir:
        environ["CLAUDE_PROJECT_DIR"] = folder
    profile = read_profile(Payload({"cwd": folder}, environ))
    if profile.faults:
        raise RefusedError(profile.faults[0])
    sys.stdout.write(_page(profile))
    return 0


def main(words: list[str]) -> int:
    """Answer the host's event, ``--print``, or ``--self-test``."""
    if words and words[0] != "--self-test":
        from hpp.core.portable.scriptcli import run_script

        return run_script(_parser(), _print, words)
    from hpp.core.portable.hookio import run_hook

    return run_hook(NAME, decide, events=EVENTS, closed=CLOSED, argv=words, self_test=_self_test)


def _self_test() -> int:
    from _lib.hooktrial import Trial

    with Trial(NAME, decide) as trial:
        os.rmdir(os.path.join(trial.root, ".git"))
        path = os.path.join(trial.root, *POINTER.split("/"))
        check, stop = trial.checks.check, {"hook_event_name": "Stop"}
        trial.write(STATE, "- [x] done\n- [ ] open one\n```\n- [ ] no item\n```\n")
        trial.event(stop)
        text = _read(path) if os.path.exists(path) else ""
        check("open items stand there with their line", "- [ ] open one (line 2)" in text)
        check(
            "what is done or in code does not", "- [ ] done" not in text and "no item" not in text
        )
        check("what is missing is named", "missing: docs/plans" in text)
        written = os.stat(path).st_mtime_ns if text else 0
        trial.event(stop)
        check("the same page is not written again", os.stat(path).st_mtime_ns == written)
        trial.write("operator-profile.yaml", "paths:\n  resume_pointer: ../out.md\n")
        check("a place outside is refused", "not written" in trial.event(stop).stdout)
        check("and nothing is there", not os.path.exists(os.path.join(trial.root, "..", "out.md")))
        trial.malformed("malformed input is told", 0)
        return trial.finish()


if __name__ == "__main__":
    from hpp.core.portable.hookio import leave

    leave(main(sys.argv[1:]))
