"""What a skill must have, clause by clause; each rule yields what it found.

A rule's name begins with its clause: L1 header, L2 contract, L3 executed examples, L4
proof, L5 portability, L6 body.
"""

from __future__ import annotations

import datetime as dt
import os
import re

from hpp.core.portable.skillproof import command_argv, module_file, vacuous_reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hpp.core.portable.skilltext import Section, Skill

__all__ = ["Finding", "lint"]

FAIL, WARN = "block", "warn"
NOTE = "note"  # told, and no part of the verdict: it depends on the machine
OLDEST_DAYS = 90
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME = 64
_LONGEST_DESCRIPTION = 1024
_FEWEST = {"keywords": 4, "bullets": 2, "examples": 3}
_HEADERS = ("Auto-Trigger", "Keywords", "Priority", "Tools")
_PRIORITIES = ("HIGH", "MEDIUM", "LOW")
_CONTRACT = ("INPUT", "OUTPUT", "EXIT CODES", "STATE IT TOUCHES")
_TABLE = re.compile(r"^\|.*\|[ \t]*\n\|[ :|-]+\|", re.MULTILINE)
_ALWAYS = re.compile(r"^\|[ \t`]*0[ \t`]*\|.*\balways\b", re.MULTILINE)
_WINDOWS = re.compile(
    r"(?:^|[\s;&|(])(py(?:\.exe)?(?=\s)|cmd(?:\.exe)? /c|powershell(?:\.exe)?|pwsh)\b"
)
_DRIVE = re.compile(r"(?:^|[\s\"'=])[A-Za-z]:\\")
_UNFINISHED = re.compile(r"\b(?:TODO|TBD|FIXME|XXX)\b")
_HOSTS = ("claude", "codex")
_SHELL = ("", "bash", "sh", "shell", "console", "zsh")
_LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


class Finding:
    """One thing that a rule found."""

    __slots__ = ("line", "message", "rule", "severity")

    def __init__(self, rule: str, line: int, message: str, severity: str = FAIL) -> None:
        self.rule = rule
        self.line = line
        self.message = message
        self.severity = severity


def lint(skill: Skill, folder: str, root: str, today: dt.date) -> list[Finding]:
    """Return what every rule found, by line.

    Args:
        skill: The skill's text.
        folder: The skill's folder, whose name is the skill's.
        root: The module's root.
        today: What the age of an example is measured from.

    """
    found = [
        *_header(skill, os.path.basename(os.path.abspath(folder))),
        *_contract(skill),
        *_examples(skill, today),
        *_proof(skill, folder, root),
        *_portability(skill, root),
        *_body(skill, folder, root),
    ]
    return sorted(found, key=lambda each: (each.line, each.rule))


def _header(skill: Skill, folder: str) -> Iterator[Finding]:
    if skill.front is None:
        yield Finding("L1-frontmatter", 1, skill.fault)
    else:
        yield from _front(skill.front, folder)
    for name in _HEADERS:
        if not skill.headers.get(name, "").strip():
            yield Finding("L1-header", 1, f"no header line > **{name}:**")
    keywords = [each for each in skill.headers.get("Keywords", "").split(",") if each.strip()]
    if "Keywords" in skill.headers and len(keywords) < _FEWEST["keywords"]:
        yield Finding("L1-keywords", 1, f"{len(keywords)} keywords, want 4, separated by commas")
    priority = skill.headers.get("Priority", "")
    if priority and priority.strip() not in _PRIORITIES:
        yield Finding("L1-priority", 1, "Priority is none of HIGH, MEDIUM, LOW")
    section = skill.sections.get("When NOT to Activate")
    if section is None or section.bullets() < _FEWEST["bullets"]:
        line = section.line if section else 1
        yield Finding("L1-when-not", line, "## When NOT to Activate with two bullets is wanted")


def _front(front: dict[str, object], folder: str) -> Iterator[Finding]:
    name, description = front.get("name"), front.get("description")
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        yield Finding("L1-name", 1, "name: lower case and hyphens, at most 64 characters")
    elif name != folder:
        yield Finding("L1-name", 1, f"name: {name}, the folder is {folder}")
    if not isinstance(description, str) or not description.strip():
        yield Finding("L1-description", 1, "description: what it does and when is wanted")
    elif len(description) > _LONGEST_DESCRIPTION:
        yield Finding("L1-description", 1, "description: more than 1,024 characters")
    for key in front:
        if key not in ("name", "description"):
            yield Finding("L1-frontmatter", 1, f"{key}: there are name and description alone")


def _contract(skill: Skill) -> Iterator[Finding]:
    section = skill.sections.get("Contract")
    if section is None:
        yield Finding("L2-contract", 1, "no section ## Contract")
        return
    for part in _CONTRACT:
        if not re.search(rf"\b{part}\b", section.text):
            yield Finding("L2-contract", section.line, f"{part} is missing")
    for part, following in (("EXIT CODES", "STATE IT TOUCHES"), ("STATE IT TOUCHES", "EXIT CODES")):
        own = section.text.partition(part)[2].partition(following)[0]
        if part in section.text and not _TABLE.search(own):
            yield Finding("L2-table", section.line, f"{part}: a table is wanted")


def _examples(skill: Skill, today: dt.date) -> Iterator[Finding]:
    examples, unread = skill.examples()
    section = skill.sections.get("Executed examples")
    line = section.line if section else 1
    for number in unread:
        yield Finding("L3-stamp", number, "want <!-- executed: YYYY-MM-DD · exit=N -->")
    if len(examples) < _FEWEST["examples"]:
        yield Finding("L3-count", line, f"{len(examples)} executed examples, want 3")
    contract = skill.sections.get("Contract")
    always = contract is not None and _ALWAYS.search(contract.text) is not None
    if examples and not always and not any(each.exit for each in examples):
        yield Finding("L3-no-failure", line, "no example ends in another status than 0")
    for each in examples:
        if not each.command:
            yield Finding("L3-command", each.line, "no block with a command stands before it")
        yield from _age(each.date, each.line, today)


def _age(date: str, line: int, today: dt.date) -> Iterator[Finding]:
    try:
        days = (today - dt.date.fromisoformat(date)).days
    except ValueError:
        yield Finding("L3-stamp", line, f"{date} is no date")
        return
    if days > OLDEST_DAYS:
        yield Finding("L3-old", line, f"it was run {days} days ago, run it again", WARN)


def _proof(skill: Skill, folder: str, root: str) -> Iterator[Finding]:
    section = skill.sections.get("Proof")
    command = proof_command(section)
    if section is None or not command:
        line = section.line if section else 1
        yield Finding("L4-proof", line, "## Proof with one command is wanted")
        return
    if len(_commands(section)) > 1:
        yield Finding("L4-one-command", section.line, "one command is wanted")
    reason = vacuous_reason(command, root, folder)
    if reason:
        yield Finding("L4-vacuous-proof", section.line, reason)


def proof_command(section: Section | None) -> str:
    """Return the command of a section Proof, or an empty text."""
    commands = _commands(section) if section else []
    return commands[0] if commands else ""


def _commands(section: Section) -> list[str]:
    found = []
    for block in section.blocks():
        found += [line.strip().removeprefix("$ ") for line in block.lines if line.strip()]
    return found or re.findall(r"(?<!`)`([^`\n]+)`(?!`)", section.text)


def _portability(skill: Skill, root: str) -> Iterator[Finding]:
    for block in skill.body.blocks():
        if block.language not in _SHELL:
            continue
        for number, line in enumerate(block.lines, block.line + 1):
            if block.language == "console" and not line.lstrip().startswith("$ "):
                continue  # what a program said
            yield from _command_line(line.strip().removeprefix("$ "), number, root)


def _command_line(line: str, number: int, root: str) -> Iterator[Finding]:
    if _WINDOWS.search(line) or _DRIVE.search(line):
        yield Finding("L5-launcher", number, "a launcher or a path of one system alone")
    for word in command_argv(line) or ():
        plain = word.removeprefix("./")
        if "/" in plain and not word.startswith("/") and module_file(f"{root}/{plain}", root):
            yield Finding("L5-anchor", number, f"{plain}: write ${{CLAUDE_PLUGIN_ROOT}}/{plain}")


def _body(skill: Skill, folder: str, root: str) -> Iterator[Finding]:
    section = skill.sections.get("Process")
    steps = section.steps() if section else []
    if not steps:
        yield Finding(
            "L6-process", section.line if section else 1, "## Process with numbered steps"
        )
    bare = [first for first, text, found in steps if not found and "person" not in text.lower()]
    if len(bare) * 2 > len(steps):  # some steps are a judgement; most are something to run
        yield Finding("L6-step", bare[0], "most steps have no literal command")
    for number, line in enumerate(skill.body.lines, skill.body.line + 1):
        if _UNFINISHED.search(line):
            yield Finding("L6-unfinished", number, "a place that was left open")
        for target in _LINK.findall(line):
            if "://" not in target and not _resolves(target, folder, root):
                yield Finding("L6-link", number, f"{target}: no such file in the module")


def _resolves(target: str, folder: str, root: str) -> bool:
    path = target.replace("${CLAUDE_PLUGIN_ROOT}", root).replace("${CLAUDE_SKILL_DIR}", folder)
    full = os.path.normpath(os.path.join(folder, path))
    return os.path.exists(full) and not os.path.relpath(full, root).startswith("..")
