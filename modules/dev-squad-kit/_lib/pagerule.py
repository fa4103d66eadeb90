"""What a page of a squad keeps to, rule by rule.

The host loads an agent whose tools are misspelled or whose keys are unknown and says nothing,
so the words are closed lists here.
"""

from __future__ import annotations

import re

from _lib.page import AGENT, headings_of
from _lib.reference import missing_references
from _lib.untrusted import missing_points

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from _lib.page import Page

__all__ = ["EDITING", "TOOLS", "Finding", "lint_page", "tools_of"]

FAIL, WARN = "block", "warn"
EDITING = ("Write", "Edit", "MultiEdit", "NotebookEdit")
TOOLS = (*EDITING, "Read", "Grep", "Glob", "Bash", "WebFetch", "WebSearch", "Skill", "TodoWrite")
_CALLS = ("Agent", "Read", "Grep", "Glob", "Bash")
_KEYS = {
    AGENT: ("name", "description", "tools", "disallowedTools", "model"),
    "command": (
        "description", "argument-hint", "allowed-tools", "disable-model-invocation", "model",
    ),
}  # fmt: skip
_LINES = {AGENT: (25, 90), "command": (15, 60)}
_CHECKS = re.compile(
    r"\b(?:review(?:s|ed|ing)?|check(?:s|ed|ing)?|audit(?:s|ed|ing)?|verif(?:y|ies|ied|ying))\b",
    re.IGNORECASE,
)
_STOPS = (
    ("missing input", r"\bmissing\b|\babsent\b"),
    ("contradiction", r"\bcontradict"),
    ("third failed attempt", r"\bthird\b"),
    ("out of scope", r"\bscope\b"),
)
_SPLIT = re.compile(r",(?![^()]*\))")
_ARGUMENTS = re.compile(r"\$\{?(?:ARGUMENTS|[1-9])\b")
_CODE = re.compile(r"`([^`\n]*)`")
_LONGEST_DESCRIPTION = 1024
_FEWEST_HEADINGS = 2


class Finding:
    """One thing that a rule found on a line of a page."""

    __slots__ = ("line", "message", "rule", "severity")

    def __init__(self, rule: str, message: str, line: int = 1, severity: str = FAIL) -> None:
        self.rule = rule
        self.message = message
        self.line = line
        self.severity = severity


def lint_page(page: Page, root: str, prefix: str) -> list[Finding]:
    """Return what every rule found, by line.

    Args:
        page: The page.
        root: Folder that its paths, commands and roles are looked for in.
        prefix: What a role's name has in front of its file's.

    """
    found = [*_front(page), *_size(page), *_shell_lines(page), *missing(page, root)]
    found += [*_role(page, prefix)] if page.kind == AGENT else [*_command(page)]
    return sorted(found, key=lambda each: (each.line, each.rule))


def missing(page: Page, root: str) -> Iterator[Finding]:
    """Yield what a page names and the module does not have."""
    for line, name in missing_references(page, root):
        yield Finding("reference", f"{name}: no such thing in the module", line)


def tools_of(page: Page, key: str = "tools") -> list[str]:
    """Return the tools of a key of the front matter, without what narrows them."""
    value = page.front.get(key)
    words = value if isinstance(value, list) else _SPLIT.split(value or "")
    return [str(word).partition("(")[0].strip() for word in words if str(word).strip()]


def _front(page: Page) -> Iterator[Finding]:
    for key in page.front:
        if key not in _KEYS[page.kind]:
            yield Finding("front-key", f"{key}: there are {', '.join(_KEYS[page.kind])}")
    description = page.front.get("description")
    if not isinstance(description, str) or not description.strip():
        yield Finding("description", "what it does and when to call it is wanted")
    elif len(description) > _LONGEST_DESCRIPTION:
        yield Finding("description", "more than 1,024 characters")
    for key in ("tools", "disallowedTools", "allowed-tools"):
        for tool in tools_of(page, key):
            known = TOOLS if page.kind == AGENT else (*TOOLS, *_CALLS)
            if tool not in known:
                yield Finding("tool", f"{key}: {tool} is no tool; there are {', '.join(known)}")


def _size(page: Page) -> Iterator[Finding]:
    fewest, most = _LINES[page.kind]
    count = len(page.lines if page.kind == AGENT else page.body)
    if count > most:
        yield Finding("size", f"{count} lines, at most {most}", most)
    elif count < fewest:
        yield Finding("size", f"{count} lines, usually {fewest} or more", severity=WARN)


def _shell_lines(page: Page) -> Iterator[Finding]:
    """Find a person's words where a shell would read them."""
    is_code = False
    for number, line in enumerate(page.body, page.first):
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
            continue
        spans = [line] if is_code else [each for each in _CODE.findall(line) if " " in each]
        if any(_ARGUMENTS.search(span) for span in spans):
            yield Finding("shell-argument", "what a person typed stands in a shell line", number)


def _role(page: Page, prefix: str) -> Iterator[Finding]:
    wanted = prefix + page.stem
    if page.front.get("name") != wanted:
        yield Finding("name", f"name: {page.front.get('name')}, want {wanted}")
    tools = tools_of(page)
    if not tools:
        yield Finding("tool", "tools: name them; without the key a host grants all")
    for tool in tools_of(page, "disallowedTools"):
        if tool in tools:
            yield Finding("disallowed", f"{tool}: granted and denied at once")
    editing = [tool for tool in tools if tool in EDITING]
    if editing:
        yield from _maker(page, editing)
    else:
        denied = tools_of(page, "disallowedTools")
        absent = [tool for tool in EDITING if tool not in denied]
        if absent:
            yield Finding("disallowed", f"disallowedTools: {', '.join(absent)} is missing")
    if not page.items("Not yours"):
        yield Finding("not-yours", "## Not yours with what the role leaves to others is wanted")
    yield from _sections(page, is_reader=not editing)


def _maker(page: Page, editing: list[str]) -> Iterator[Finding]:
    """Find a page that can edit and says that it judges work."""
    spared = set(page.sections.get("Not yours", []))
    lines = [(1, str(page.front.get("description", "")))]
    lines += [each for each in enumerate(page.body, page.first) if each[1] not in spared]
    for number, line in lines:
        word = _CHECKS.search(line)
        if word is not None:
            said = f'it says "{word[0]}" and has {", ".join(editing)}: a judge has no such tool'
            yield Finding("judge-edits", said, number)


def _sections(page: Page, *, is_reader: bool) -> Iterator[Finding]:
    headings = headings_of(page)
    if len(headings) < _FEWEST_HEADINGS:
        yield Finding("return", "## Return with the headings of the report, in bold, is wanted")
    if is_reader and "Tree state" not in headings:
        yield Finding("return", "Return: a reader tells the Tree state before and after")
    stops = page.text("Stop").lower()
    for name, pattern in _STOPS:
        if not page.items("Stop") or not re.search(pattern, stops):
            yield Finding("stop", f"## Stop does not speak of: {name}")
    for name in missing_points(page.text("Untrusted input"), is_reader=is_reader):
        yield Finding("untrusted", f"## Untrusted input does not make the point: {name}")


def _command(page: Page) -> Iterator[Finding]:
    tools = tools_of(page, "allowed-tools")
    if "Agent" not in tools:
        yield Finding("tool", "allowed-tools: Agent is missing; a command delegates")
    for tool in tools:
        if tool in EDITING:
            yield Finding("judge-edits", f"allowed-tools: {tool}; a command delegates and judges")
    if not headings_of(page):
        yield Finding("return", "a line that begins Headings: is wanted")
