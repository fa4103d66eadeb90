#!/usr/bin/env python3
"""Keep a prompt that corrects the agent, word for word, in the project's memory.

Nothing is interpreted. Where no hook is wired: ``rule_capture.py add --text-file F``.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True  # the launcher gives compiled code a place of its own
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.marker import DEFAULTS, markers_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from _lib.profile import Profile

    from hpp.core.portable.answer import Answer
    from hpp.core.portable.payload import Payload

__all__ = ["CLOSED", "EVENTS", "NAME", "decide", "main"]

NAME = "rule-capture"
EVENTS = ("UserPromptSubmit",)
CLOSED = False
_LARGEST = 1024 * 1024


def decide(payload: Payload) -> Answer | None:
    """Keep the prompt of one event when it holds a marker; say something only when that fails."""
    from _lib.profile import read_profile

    from hpp.core.portable.answer import message

    prompt = payload.text("prompt")
    profile = read_profile(payload)
    found = _found(prompt, profile)
    fault = ""
    if found:
        from hpp.core.errors import HppError
        from hpp.core.portable.fswrite import HOOK_WAIT_S

        try:
            _keep(prompt, found, profile, HOOK_WAIT_S)
        except HppError as error:
            fault = f"this prompt was not kept: {error}"
        except OSError as error:
            fault = f"this prompt was not kept: {error.strerror}"
    told = "; ".join([*([fault] if fault else []), *_news(profile.faults, payload)])
    return message(NAME, told) if told else None


def _news(faults: list[str], payload: Payload) -> list[str]:
    """Return the faults of the profile that this session has not been told of."""
    if not faults:
        return []
    from hpp.core.portable.session_store import first_time

    return first_time(f"operator-kit/{NAME}", payload, faults)


def _found(prompt: str, profile: Profile) -> list[str]:
    if profile.raw("memory.rule_capture", "on") in ("off", False):
        return []
    markers = profile.texts("memory.emphasis_markers", DEFAULTS)
    return markers_in(prompt, markers)


def _keep(prompt: str, found: list[str], profile: Profile, wait_s: float) -> bool:
    import time

    from _lib.capture_store import capture

    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    folder = profile.text("paths.memory_dir", ".claude/memory")
    return capture(profile.root, folder, prompt=prompt, markers=found, moment=moment, wait_s=wait_s)


def _parser() -> argparse.ArgumentParser:
    from hpp.core.portable.scriptcli import make_parser

    parser = make_parser("rule_capture.py", "Keep a correction of the operator, as it was typed.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    add = verbs.add_parser("add", help="keep one text")
    add.add_argument("--text-file", metavar="FILE", required=True, help="the text, in UTF-8")
    add.add_argument("--project-dir", metavar="DIR", help="the project; else the working folder's")
    return parser


def _add(values: argparse.Namespace) -> int:
    from _lib.profile import read_profile

    from hpp.core.errors import RefusedError
    from hpp.core.portable.fswrite import COMMAND_WAIT_S
    from hpp.core.portable.payload import Payload

    folder = os.path.abspath(values.project_dir or os.getcwd())
    environ = dict(os.environ)
    if values.project_dir:
        environ["CLAUDE_PROJECT_DIR"] = folder
    profile = read_profile(Payload({"cwd": folder}, environ))
    if profile.faults:
        raise RefusedError(profile.faults[0])
    with open(values.text_file, "rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise RefusedError(f"{values.text_file}: larger than 1 MiB")
    try:
        prompt = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RefusedError(f"{values.text_file}: not UTF-8") from None
    found = _found(prompt, profile)
    is_new = bool(found) and _keep(prompt, found, profile, COMMAND_WAIT_S)
    told = "kept" if is_new else ("known already" if found else "no emphasis marker in it")
    if values.json:
        from hpp.core.portable.scriptcli import write_report

        write_report({"kept": is_new, "markers": found})
    else:
        sys.stdout.write(f"{told}\n")
    return 0


def main(words: list[str]) -> int:
    """Answer the host's event, ``add ...``, or ``--self-test``."""
    if words and words[0] != "--self-test":
        from hpp.core.portable.scriptcli import run_script

        return run_script(_parser(), _add, words)
    from hpp.core.portable.hookio import run_hook

    return run_hook(NAME, decide, events=EVENTS, closed=CLOSED, argv=words, self_test=_self_test)


def _self_test() -> int:
    from _lib.hooktrial import Trial

    event = {"hook_event_name": "UserPromptSubmit"}
    with Trial(NAME, decide) as trial:
        path = os.path.join(trial.root, ".claude", "memory", "_captured-rules.md")

        def text() -> str:
            if not os.path.exists(path):
                return ""
            with open(path, encoding="utf-8") as file:
                return file.read()

        trial.event({**event, "prompt": "please fix nevermore"})
        trial.checks.equal("a part of a word is no marker", text(), "")
        trial.event({**event, "prompt": "NEVER  push\non a Friday"})
        trial.checks.check(
            "a marker is kept word for word", "> NEVER  push\n> on a Friday" in text()
        )
        trial.event({**event, "prompt": "NEVER push on a Friday"})
        trial.checks.equal("the same words are kept once", text().count("\n## "), 1)
        trial.event({**event, "prompt": "never use ghp_" + "a1B2" * 9})
        trial.checks.check("a secret is withheld", "a1B2" not in text() and "withheld" in text())
        trial.write("operator-profile.yaml", "memory:\n  rule_capture: off\n")
        trial.event({**event, "prompt": "always test"})
        trial.checks.equal("it can be off", text().count("\n## "), 2)
        trial.malformed("malformed input is told", 0)
        return trial.finish()


if __name__ == "__main__":
    from hpp.core.portable.hookio import leave

    leave(main(sys.argv[1:]))
