"""What git says of a project, in few calls and little time."""

from __future__ import annotations

import time

from hpp.core.portable import anchor
from hpp.core.portable.gitproc import GitError, decode, git
from hpp.core.text import shorten

__all__ = ["HEAD", "Facts", "is_tracked", "read_facts"]

LIMIT_S = 5.0
_MOST = 5
_SUBJECT = 200
HEAD, _COMMIT = "- head: ", "- commit: "


class Facts:
    """Branch, changed files and last commits.

    Attributes:
        branch: The branch that is checked out, or None.
        changed: How many files differ from the last commit, or None when nobody could tell.
        head: The commit that is checked out, or None.
        subjects: Of the last commits, newest first.
        fault: Why something is missing, or an empty text.

    """

    __slots__ = ("branch", "changed", "fault", "head", "subjects")

    def __init__(self) -> None:
        self.branch: str | None = None
        self.changed: int | None = None
        self.head: str | None = None
        self.subjects: list[str] = []
        self.fault = ""

    def lines(self) -> list[str]:
        """Return the facts as lines of Markdown; what is not known is named."""
        changed = "not measured" if self.changed is None else str(self.changed)
        lines = [f"- branch: {shorten(self.branch or 'none checked out')}"]
        lines.append(f"- changed files: {changed}")
        if self.head:
            lines.append(f"{HEAD}{self.head}")
        if self.fault:
            lines.append(f"- missing: {shorten(self.fault, 200)}")
        return lines + [f"{_COMMIT}{shorten(subject, _SUBJECT)}" for subject in self.subjects]


def _known_subjects(page: str, head: str | None) -> list[str]:
    """Return the subjects that a page lists for exactly this commit."""
    lines = page.splitlines()
    if head is None or f"{HEAD}{head}" not in lines:
        return []
    return [line[len(_COMMIT) :] for line in lines if line.startswith(_COMMIT)]


def read_facts(root: str, known: str = "") -> Facts:
    """Return what git says; it never raises for what git cannot tell.

    Args:
        root: The project's folder.
        known: A page of before: what it says of the same commit is not asked again.

    """
    facts = Facts()
    if anchor.git_dir(root) is None:
        facts.fault = "no git repository"
        return facts
    facts.branch = anchor.branch(root)
    deadline = time.monotonic() + LIMIT_S
    try:
        facts.head = anchor.head(root)
        facts.subjects = _known_subjects(known, facts.head)
        if facts.head is not None and not facts.subjects:
            told = git(root, ["log", f"-{_MOST}", "--format=%s", "-z"], deadline)
            facts.subjects = [decode(each).strip() for each in told.split(b"\0") if each.strip()]
        told = git(root, ["status", "--porcelain=v1", "-z", "--no-renames"], deadline)
        facts.changed = sum(1 for each in told.split(b"\0") if each)
    except GitError as error:
        facts.fault = str(error)
    return facts


def is_tracked(root: str, path: str) -> bool:
    """Say whether git keeps a file, so that writing it would change the tree.

    Raises:
        GitError: Git cannot be asked.

    """
    if anchor.git_dir(root) is None:
        return False
    told = git(root, ["ls-files", "-z", "--", path], time.monotonic() + LIMIT_S)
    return bool(told)
