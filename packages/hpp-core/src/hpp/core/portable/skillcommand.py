"""``skill_lint.py``: hold skills to their contract, and run what they say proves them."""

from __future__ import annotations

import datetime as dt
import os
import tempfile

from hpp.core.errors import UsageError
from hpp.core.portable.report import ToolRefusedError, problem, report
from hpp.core.portable.skillproof import SLOW_S, command_argv, expanded, run_command
from hpp.core.portable.skillrule import NOTE, Finding, lint, proof_command
from hpp.core.portable.skilltext import read_skill
from hpp.core.portable.toolscript import Tool
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.portable.selftest import Checks
    from hpp.core.portable.skilltext import Skill

__all__ = ["TOOL", "lint_skill", "main"]

SCHEMA = "hpp.skill-report/v1"
LARGEST = 1024 * 1024
_FILE = "SKILL.md"


def main(words: list[str], module: str = "") -> int:
    """Answer one command line.

    Args:
        words: Behind the program's name.
        module: Root of the tool's own module: what ``--all`` names is looked for there when
            the working folder has no such folder, so that a module can prove its skills
            from anywhere.

    """
    words = list(words)
    place = words.index("--all") + 1 if "--all" in words else len(words)
    if place < len(words) and module and not os.path.exists(words[place]):
        own = os.path.join(module, words[place])
        words[place] = own if os.path.isdir(own) else words[place]
    return TOOL.main(words)


def _declare(arguments: Arguments) -> None:
    arguments.positional("SKILL", required=False, help="a skill's folder, or its SKILL.md")
    arguments.option("--all", "DIR", help="every skill of a folder of skills")
    arguments.flag("--run-proofs", help="run each skill's proof; a failing one is a failure")
    arguments.flag("--replay", help="run the examples that are marked replay again")
    arguments.option("--today", "DATE", help="what the age of examples is measured from")


def _run(values: Values) -> dict[str, Any]:
    if (values.skill is None) == (values.all is None):
        raise UsageError("name one skill, or a folder of skills with --all")
    today = _day(values.today)
    problems: list[dict[str, str]] = []
    names: list[str] = []
    slow: list[str] = []
    for folder in _folders(values):
        names.append(os.path.basename(os.path.abspath(folder)))
        found = lint_skill(folder, today, proofs=values.run_proofs, replay=values.replay)
        problems += [_problem(folder, each) for each in found if each.severity != NOTE]
        slow += [names[-1] for each in found if each.severity == NOTE]
    return report(SCHEMA, problems, skills=names, proofs_run=values.run_proofs, slow=slow)


def lint_skill(
    folder: str, today: dt.date, *, proofs: bool = False, replay: bool = False
) -> list[Finding]:
    """Return everything that is wrong with the skill of a folder, by line.

    Args:
        folder: Holds `SKILL.md`; below `skills/` it belongs to the module above.
        today: What the age of examples is measured from.
        proofs: Run the proof.
        replay: Run the examples that are marked for it.

    Raises:
        ToolRefusedError: The file cannot be read.

    """
    folder = os.path.abspath(folder)
    parent = os.path.dirname(folder)
    root = os.path.dirname(parent) if os.path.basename(parent) == "skills" else folder
    skill = read_skill(_text(os.path.join(folder, _FILE)))
    found = lint(skill, folder, root, today)
    is_sound = not any(each.rule.startswith("L4") for each in found)
    if proofs and is_sound:
        found += _prove(skill, folder, root)
    if replay:
        found += _replay(skill, folder, root)
    return sorted(found, key=lambda each: (each.line, each.rule))


def _prove(skill: Skill, folder: str, root: str) -> Iterator[Finding]:
    section = skill.sections["Proof"]
    words = command_argv(proof_command(section)) or []
    with tempfile.TemporaryDirectory(prefix="hpp-proof-") as scratch:
        outcome = run_command(expanded(words, root, folder), scratch)
    if outcome.exit_code != 0:
        told = f"exit {outcome.exit_code}" if outcome.exit_code is not None else outcome.ending
        yield Finding("L4-proof-failed", section.line, f"the proof ended with {told}")
    elif outcome.duration_s > SLOW_S:
        yield Finding("L4-proof-slow", section.line, "the proof took more than 5 s", NOTE)


def _replay(skill: Skill, folder: str, root: str) -> Iterator[Finding]:
    for example in skill.examples()[0]:
        if not example.replay:
            continue
        words = command_argv(example.command)
        if not words:
            yield Finding("L3-replay", example.line, "it needs a shell and cannot be run again")
            continue
        with tempfile.TemporaryDirectory(prefix="hpp-replay-") as scratch:
            outcome = run_command(expanded(words, root, folder), scratch)
        if outcome.exit_code != example.exit:
            told = f"exit {outcome.exit_code}, the example says {example.exit}"
            yield Finding("L3-replay", example.line, told)


def _folders(values: Values) -> list[str]:
    if values.skill is not None:
        is_file = os.path.basename(values.skill) == _FILE
        return [os.path.dirname(values.skill) or "." if is_file else values.skill]
    try:
        names = sorted(os.listdir(values.all))
    except OSError as error:
        raise _unreadable(values.all, f"cannot be read: {error.strerror}") from None
    folders = [os.path.join(values.all, name) for name in names]
    found = [folder for folder in folders if os.path.isdir(folder)]
    if not found:
        raise _unreadable(values.all, "no skill is in it")
    return found


def _text(path: str) -> str:
    try:
        with open(path, "rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise _unreadable(path, f"cannot be read: {error.strerror}") from None
    if len(data) > LARGEST:
        raise _unreadable(path, "larger than 1 MiB")
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise _unreadable(path, "not UTF-8") from None


def _unreadable(path: str, measured: str) -> ToolRefusedError:
    return ToolRefusedError(
        problem(
            "L1-unreadable", path=path, measured=measured,
            expected="a folder with SKILL.md in UTF-8", following="name the skill's folder",
        )
    )  # fmt: skip


def _problem(folder: str, found: Finding) -> dict[str, str]:
    return problem(
        found.rule, severity=found.severity, path=f"{folder}/{_FILE}:{found.line}",
        measured=shorten(found.message, 200), expected="what SKILL-CONTRACT.md asks for",
        following="mend the skill, then lint it again",
    )  # fmt: skip


def _day(text: str | None) -> dt.date:
    if text is None:
        return dt.datetime.now(dt.timezone.utc).date()
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--today: {shorten(text)}: want YYYY-MM-DD") from None


_TODAY = dt.date(2030, 6, 15)
_SCRIPT = b'import sys\nimport json\nsys.exit(0 if json.loads("1") == len(sys.argv) else 5)\n'
_GOOD = """\
---
name: a-skill
description: Says what is there. Use it before something is said.
---
# A skill

> **Auto-Trigger:** before something is said
> **Keywords:** one, two, three, four
> **Priority:** LOW
> **Tools:** Bash

## When NOT to Activate
- When nothing is there.
- When another skill fits.

## Contract
INPUT: nothing. OUTPUT: a line.

EXIT CODES

| code | meaning |
|---|---|
| 0 | done |

STATE IT TOUCHES

| file | reads or writes | why |
|---|---|---|
| none | - | - |

## Process
1. Look: `python3 "${CLAUDE_PLUGIN_ROOT}/scripts/look.py"`.

## Executed examples
```console
$ python3 "${CLAUDE_PLUGIN_ROOT}/scripts/look.py"
```
<!-- executed: 2030-06-01 · exit=0 · replay -->
```console
$ python3 "${CLAUDE_PLUGIN_ROOT}/scripts/look.py" more
```
<!-- executed: 2030-06-01 · exit=5 · replay -->
```console
$ python3 "${CLAUDE_PLUGIN_ROOT}/scripts/look.py" more and more
```
<!-- executed: 2030-06-01 · exit=5 -->

## Proof
```bash
python3 "${CLAUDE_PLUGIN_ROOT}/scripts/look.py"
```
"""
_PROOF = '## Proof\n```bash\npython3 "${CLAUDE_PLUGIN_ROOT}/scripts/look.py"'
_OPEN = "TO" + "DO"
_FAULTS = [
    ("L1-frontmatter", "description: Says", "version: 1\ndescription: Says"),
    ("L1-name", "name: a-skill", "name: b-skill"),
    ("L1-description", "description: Says what is there. Use it before something is said.",
     'description: ""'),
    ("L1-header", "> **Tools:** Bash\n", ""),
    ("L1-keywords", ", three, four", ""),
    ("L1-priority", "LOW", "SOON"),
    ("L1-when-not", "- When another skill fits.\n", ""),
    ("L2-contract", "OUTPUT: a line.", ""),
    ("L2-table", "| code | meaning |\n|---|---|\n| 0 | done |\n", "0 done\n"),
    ("L3-count", "<!-- executed: 2030-06-01 · exit=5 -->\n", ""),
    ("L3-stamp", "exit=5 -->", "exit=five -->"),
    ("L3-no-failure", "exit=5", "exit=0"),
    ("L3-old", "2030-06-01 · exit=5 -->", "2029-06-01 · exit=5 -->"),
    ("L3-replay", "exit=5 · replay", "exit=4 · replay"),
    ("L4-proof", "## Proof", "## Other"),
    ("L4-one-command", "## Proof\n```bash\n", "## Proof\n```bash\nbash x.sh\n"),
    ("L4-vacuous-proof", '## Proof\n```bash\npython3 "', '## Proof\n```bash\necho "'),
    ("L4-proof-failed", _PROOF, _PROOF + " more"),
    ("L5-launcher", "## Process\n", "## Process\n```bash\npy -3 x.py\n```\n"),
    ("L5-anchor", "## Process\n", "## Process\n```bash\npython3 scripts/look.py\n```\n"),
    ("L6-process", "1. Look", "Look"),
    ("L6-step", "1. Look", "1. Think.\n2. Think again.\n3. Look"),
    ("L6-unfinished", "1. Look", f"1. {_OPEN} Look"),
    ("L6-link", "1. Look", "1. [There](../none/SKILL.md) Look"),
]  # fmt: skip


def _self_test(checks: Checks, folder: str) -> None:
    skill = os.path.join(folder, "skills", "a-skill")
    os.makedirs(skill)
    os.mkdir(os.path.join(folder, "scripts"))
    _put(os.path.join(folder, "scripts", "look.py"), _SCRIPT)
    checks.check("a complete skill passes", _rules(skill, _GOOD) == set())
    for rule, old, new in _FAULTS:
        checks.check(f"{rule} is found", rule in _rules(skill, _GOOD.replace(old, new)))
    _put(os.path.join(folder, "scripts", "look.py"), b'print("self-test OK")\n')
    checks.check("a script that prints a constant proves nothing",
                "L4-vacuous-proof" in _rules(skill, _GOOD))  # fmt: skip


def _rules(skill: str, text: str) -> set[str]:
    _put(os.path.join(skill, _FILE), text.encode())
    return {each.rule for each in lint_skill(skill, _TODAY, proofs=True, replay=True)}


def _put(path: str, data: bytes) -> None:
    with open(path, "wb") as stream:
        stream.write(data)


TOOL = Tool(
    "skill_lint.py",
    "Hold skills to their contract; with --run-proofs, run what they say proves them.",
    schema=SCHEMA,
    declare=_declare,
    run=_run,
    self_test=_self_test,
)
