#!/usr/bin/env python3
"""Propose rules from what the operator had to say again and again."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.corrections import key_of, newest_logs, proposals, sentences
from _lib.document import change, create, read_text
from _lib.marker import DEFAULTS
from _lib.script import add_verb, answer, project_parser, root_of, run, said_by, utc
from _lib.setting import Setting, read_setting

from hpp.core.errors import RefusedError
from hpp.core.portable import profile_loader
from hpp.core.portable.fsread import contain
from hpp.core.portable.redact import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from hpp.core.portable.selftest import Checks, Project

_LEDGER = ".claude/memory/_distill-rejected.md"
_HEADER = "# Corrections that were looked at and are no rules\n\n"
_KEY_LENGTH = 12

PARSER = project_parser("distill_corrections.py", __doc__)
_VERBS = PARSER.add_subparsers(dest="verb", metavar="VERB")
_REJECT = add_verb(_VERBS, "reject", "write down that a proposal is no rule")
_REJECT.add_argument("key", metavar="KEY")
_REJECT.add_argument("--reason", metavar="TEXT", required=True)


def main(options: argparse.Namespace) -> int:
    """Print the proposals, or write a rejection down; nothing is applied."""
    setting = read_setting(root_of(options))
    values = setting.values
    name = profile_loader.text(values, "distill.rejected_ledger", _LEDGER)
    path = contain(name, setting.root)
    if options.verb == "reject":
        return _reject(options, setting, path, name)
    window = profile_loader.integer(values, "distill.session_window", 50, 1)
    threshold = profile_loader.integer(values, "distill.recurrence_threshold", 3, 1)
    markers = profile_loader.texts(values, "memory.emphasis_markers", DEFAULTS)
    target = profile_loader.text(
        values, "distill.target_rule", ".claude/rules/learned-corrections.md"
    )
    logs = newest_logs(setting.path("logs_dir", ".claude/sessions"), window)
    found = proposals(logs, markers, threshold, _rejected(path, name))
    lines = [f"{each['key']}  {each['sessions']} sessions  {each['text']}" for each in found]
    closing = f"{len(found)} proposals from {len(logs)} logs; a person adds one to {target}"
    answer(options, {"logs": len(logs), "target": target, "proposals": found}, [*lines, closing])
    return 0


def _rejected(path: str, name: str) -> set[str]:
    if not os.path.lexists(path):
        return set()
    lines = read_text(path, name).splitlines()
    return {line.split("`")[1] for line in lines if line.startswith("- `") and line.count("`") > 1}


def _reject(options: argparse.Namespace, setting: Setting, path: str, name: str) -> int:
    key, reason = options.key, " ".join(shown(options.reason).split())
    if len(key) != _KEY_LENGTH or not set(key) <= set("0123456789abcdef"):
        raise RefusedError(f"KEY: {key!r}: expected {_KEY_LENGTH} hex digits, as proposals show")
    if not reason:
        raise RefusedError("--reason: expected a text")
    if not os.path.lexists(path):
        create(path, name, _HEADER)
    line = f"- `{key}` {utc('%Y-%m-%d')} {reason}\n"
    change(setting.root, path, name, lambda text: text + ("" if text[-1:] == "\n" else "\n") + line)
    answer(options, {"rejected": key}, [f"{key} rejected"])
    return 0


def self_test(checks: Checks, project: Project) -> None:
    """Check what becomes a proposal and what does not."""
    said = '{"role": "user", "content": "Thanks. Never push on Friday."}\n'
    other = '{"role": "assistant", "content": "I always push."}\n'

    def propose() -> str:
        return said_by(PARSER, main)[1].splitlines()[0]

    for name, text in (("1.jsonl", said + other), ("2.jsonl", other), ("3.md", "x: never\n")):
        project.write(f".claude/sessions/{name}", text)
    checks.equal("once is no pattern", propose()[:11], "0 proposals")
    project.write(".claude/sessions/2.jsonl", said * 3 + other)
    checks.equal("neither is twice", propose()[:11], "0 proposals")
    project.write(".claude/sessions/3.md", "**User:** On Friday, NEVER push!\n")
    key = key_of("never push on friday")
    checks.equal("three sessions are", propose().split("  ")[:2], [key, "3 sessions"])
    checks.equal("words decide, not their order", key_of("On Friday: never push."), key)
    status = said_by(PARSER, main, "reject", key, "--reason", "only once a year")[0]
    checks.equal("a rejection", status, 0)
    checks.equal("is not proposed again", propose()[:11], "0 proposals")
    checks.equal("no such key", said_by(PARSER, main, "reject", "x", "--reason", "r")[0], 2)
    checks.equal("sentences", list(sentences("A b.  C\nd!")), ["A b.", "C", "d!"])


if __name__ == "__main__":
    raise SystemExit(run(PARSER, main, self_test))
