"""Task lists in Markdown, as spec-driven tools write them, read into a work spec.

A task is a checkbox line with an id: ``- [ ] T012 [P] [US1] Create the model in src/a.py
(depends on T004, T005)``. What stands in code fences and comments is an example and not
read. The order of the list is part of what it says:

* a task that names what it depends on waits for that and nothing else;
* a task without ``[P]`` waits for everything before it under its heading;
* a task with ``[P]`` waits for the last task without ``[P]`` before it under its heading;
* the first tasks under a heading wait for what ends the heading before.
"""

from __future__ import annotations

import re

from hpp.core.document import read_input, shown_name
from hpp.core.errors import RefusedError
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["SCHEMA", "Task", "TaskList", "parse_tasks", "read_tasks"]

SCHEMA = "hpp.work-import/v1"
LARGEST = 16 * 1024 * 1024
MOST_EDGES = 1_000_000

_ID = r"(?:[A-Za-z]{1,12}-?\d{1,9}[a-z]?|\d{1,9}(?:\.\d{1,9}){0,5})"
_CHECKBOX = re.compile(r"(\s*)(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\](?:\s+(.*))?")
_HEAD = re.compile(rf"[*_`]{{0,3}}({_ID})[*_`]{{0,3}}[.:)]?[*_`]{{0,3}}(?=\s|$)\s*(.*)")
_MARK = re.compile(r"\[([A-Za-z][A-Za-z0-9-]{0,30})\]\s*(.*)")
_HEADING = re.compile(r"#{1,6}\s")
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_PHRASE = re.compile(r"\bdepends?\s+(?:up)?on\b[\s:*_`]*", re.IGNORECASE)
_ITEM = re.compile(rf"[*_`]{{0,3}}({_ID})\b[*_`]{{0,3}}")
_RANGE = re.compile(r"\s*(?:-|\u2013|\u2014|\.\.|to|through)\s*(?=\S)")
_JOINT = re.compile(r"\s*(?:,|;|&|\+|/|and\b|,\s*and\b)+\s*", re.IGNORECASE)
_NONE = re.compile(r"(?:none|nothing|no other|no task|n/a)\b", re.IGNORECASE)
_SUBJECT = re.compile(rf"\s*(?:[-*+]\s+)?[*_`]{{0,3}}({_ID})[*_`]{{0,3}}\s*:?\s*$")
_NUMBERED = re.compile(r"(.*?)(\d+)")


class Task:
    """One checkbox task.

    Attributes:
        id: As written.
        line: Its number, from 1.
        text: What is to be done, without id and marks.
        is_checked: Its box is ticked.
        is_parallel: It carries ``[P]``.
        marks: Its other marks, such as ``US1``.
        depends_on: Ids it waits for, each once.
        says_so: It names its dependencies itself.

    """

    __slots__ = (
        "depends_on",
        "id",
        "is_checked",
        "is_parallel",
        "line",
        "marks",
        "says_so",
        "text",
    )

    def __init__(self, task_id: str, line: int, *, is_checked: bool) -> None:
        self.id = task_id
        self.line = line
        self.is_checked = is_checked
        self.is_parallel = False
        self.marks: list[str] = []
        self.text = ""
        self.depends_on: dict[str, None] = {}
        self.says_so = False

    def unit(self, tier: str) -> dict[str, Any]:
        """Return the task as a unit of a work spec; keys it does not know are kept for people."""
        return {
            "id": self.id,
            "depends_on": list(self.depends_on),
            "acceptance": [{"id": "done", "text": self.text}],
            "tier": tier,
            "line": self.line,
            "checked": self.is_checked,
            "marks": self.marks,
        }


class TaskList:
    """The tasks of a file, and what of it could not be read.

    Attributes:
        tasks: In the order of the file.
        unread: ``{"line", "text", "reason"}`` of each line that a person has to look at.

    """

    __slots__ = ("tasks", "unread")

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.unread: list[dict[str, Any]] = []

    def document(self, tier: str) -> dict[str, Any]:
        """Return the result ``hpp.work-import/v1``, which is a work spec as it stands."""
        return {
            "schema": SCHEMA,
            "work": [task.unit(tier) for task in self.tasks],
            "unread": sorted(self.unread, key=lambda entry: entry["line"]),
        }


def read_tasks(path: str) -> TaskList:
    """Return the tasks of a file, ``-`` for standard input.

    Raises:
        RefusedError: It cannot be read, is not UTF-8, or holds no task.

    """
    data = read_input(path, limit=LARGEST)
    name = shown_name(path)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise RefusedError(f"{name}: it is UTF-16 text; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RefusedError(f"{name}: line {line}: not UTF-8") from None
    try:
        tasks = parse_tasks(text)
    except RefusedError as error:
        raise RefusedError(f"{name}: {error}") from None
    if not tasks.tasks:
        raise RefusedError(f"{name}: no task: expected lines such as `- [ ] T001 Do this`")
    return tasks


def parse_tasks(text: str) -> TaskList:
    """Return the tasks of a Markdown text; none is an empty list.

    Raises:
        RefusedError: Its order cannot be written as dependencies within reason.

    """
    reader = _Reader()
    for number, line in enumerate(_without_comments(text).split("\n"), 1):
        reader.line(number, line.rstrip("\r"))
    return reader.finish()


class _Reader:
    def __init__(self) -> None:
        self.list = TaskList()
        self.by_id: dict[str, Task] = {}
        self.fence = ""
        self.current: Task | None = None  # the task that indented lines belong to
        self.phases: list[list[Task]] = [[]]
        # Dependencies are resolved when every id is known: line, its text, the task, the words.
        self.phrases: list[tuple[int, str, Task | None, str]] = []

    def line(self, number: int, line: str) -> None:
        fence = _FENCE.match(line)
        if fence or self.fence:
            self._fence(fence)
            return
        box = _CHECKBOX.fullmatch(line)
        if box:
            self._task(number, line, box)
        elif _HEADING.match(line):
            self.current = None
            if self.phases[-1]:
                self.phases.append([])
        elif line.strip():
            self._prose(number, line)

    def finish(self) -> TaskList:
        for number, line, task, words in self.phrases:
            self._resolve(number, line, task, words)
        self._order()
        return self.list

    def _fence(self, found: re.Match[str] | None) -> None:
        if not self.fence and found:
            self.fence = found[1]
        elif found and found[1].startswith(self.fence):
            self.fence = ""

    def _task(self, number: int, line: str, box: re.Match[str]) -> None:
        self.current = None
        head = _HEAD.fullmatch(box[3] or "")
        if head is None:
            self._unread(number, line, "a checkbox without a task id")
            return
        if head[1] in self.by_id:
            first = self.by_id[head[1]].line
            self._unread(number, line, f"the id {head[1]} is that of line {first}")
            return
        task = Task(head[1], number, is_checked=box[2] != " ")
        rest = head[2]
        while (mark := _MARK.fullmatch(rest)) is not None:
            rest = mark[2]
            if mark[1].upper() == "P":
                task.is_parallel = True
            else:
                task.marks.append(mark[1])
        task.text = rest.strip() or task.id
        self.by_id[task.id] = self.current = task
        self.list.tasks.append(task)
        self.phases[-1].append(task)
        self._phrase(number, line, task, rest)

    def _prose(self, number: int, line: str) -> None:
        """Read a line that is no task: it may say what a task depends on."""
        if not line.startswith((" ", "\t")):
            self.current = None
        found = _PHRASE.search(line)
        if found is None:
            return
        subject = _SUBJECT.match(line[: found.start()])
        if subject:
            self.phrases.append((number, line, None, line))
        else:
            self._phrase(number, line, self.current, line)

    def _phrase(self, number: int, line: str, task: Task | None, words: str) -> None:
        if _PHRASE.search(words):
            self.phrases.append((number, line, task, words))

    def _resolve(self, number: int, line: str, task: Task | None, words: str) -> None:
        found = _PHRASE.search(words)
        assert found is not None  # noqa: S101 -- only such words are kept
        if task is None:
            subject = _SUBJECT.match(words[: found.start()])
            task = self.by_id.get(subject[1]) if subject else None
        if task is None:
            self._unread(number, line, "a dependency of something that is no task here")
            return
        if _NONE.match(words, found.end()):
            task.says_so = True
            return
        named = self._named(words, found.end())
        if not named:
            self._unread(number, line, "a dependency that names no task")
            return
        task.says_so = True
        for name in named:
            if name in self.by_id:
                task.depends_on[name] = None
            else:
                self._unread(number, line, f"{name} is no task here")

    def _named(self, words: str, at: int) -> list[str]:
        """Return the ids of a list such as ``T001, T003-T005 and T009``."""
        named: list[str] = []
        while (item := _ITEM.match(words, at)) is not None:
            at = item.end()
            between = _RANGE.match(words, at)
            last = _ITEM.match(words, between.end()) if between else None
            if last is not None:
                named += self._between(item[1], last[1])
                at = last.end()
            else:
                named.append(item[1])
            joint = _JOINT.match(words, at)
            if joint is None:
                break
            at = joint.end()
        return named

    def _between(self, first: str, last: str) -> list[str]:
        """Return the tasks of a range, its ends included whether they exist or not."""
        low, high = _NUMBERED.fullmatch(first), _NUMBERED.fullmatch(last)
        if low is None or high is None or low[1] != high[1]:
            return [first, last]
        inside = [
            name
            for name in self.by_id
            if (found := _NUMBERED.fullmatch(name)) is not None
            and found[1] == low[1]
            and int(low[2]) < int(found[2]) < int(high[2])
        ]
        return [first, *inside, last]

    def _order(self) -> None:
        """Add what the order of the list says, where a task says nothing itself."""
        edges = 0
        open_ends: dict[str, None] = {}  # what a task that waits for everything has to name
        for phase in self.phases:
            barrier = list(open_ends)  # what a parallel task waits for
            for task in phase:
                if not task.says_so:
                    waits_for = barrier if task.is_parallel else list(open_ends)
                    edges += len(waits_for)
                    if edges > MOST_EDGES:
                        what = f"the order of the tasks means more than {MOST_EDGES} dependencies"
                        raise RefusedError(f"line {task.line}: {what}")
                    task.depends_on.update(dict.fromkeys(waits_for))
                    for name in waits_for:
                        open_ends.pop(name, None)
                open_ends[task.id] = None
                if not task.is_parallel:
                    barrier = [task.id]

    def _unread(self, number: int, line: str, reason: str) -> None:
        entry = {"line": number, "text": shorten(line.strip(), 200), "reason": reason}
        self.list.unread.append(entry)


def _without_comments(text: str) -> str:
    """Return the text with HTML comments blanked, line breaks kept."""
    return re.sub(r"<!--.*?(?:-->|\Z)", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL)
