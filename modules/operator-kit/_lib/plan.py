"""The deliverables of a plan, and whether they are there: by their own paths, nowhere else.

A file of the same name in another folder is another file, so nothing is searched by name.
"""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["Item", "is_there", "items", "looked_up"]

PRESENT, MENTIONED, ABSENT, NOT_CHECKABLE = "present", "mentioned", "absent", "not-checkable"
_GLOB = frozenset("*?[")
# A name without a folder is a file's only with one of these: `os.path` is none.
_SUFFIXES = frozenset({
    "bat", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "gif", "go", "h", "html", "ini",
    "ipynb", "java", "jpg", "js", "json", "jsonl", "jsx", "kt", "lock", "md", "pdf", "php", "png",
    "ps1", "py", "rb", "rs", "rst", "sh", "sql", "svg", "swift", "tf", "toml", "ts", "tsv", "tsx",
    "txt", "xml", "yaml", "yml", "zip",
})  # fmt: skip


class Item:
    """One deliverable.

    Attributes:
        line: Its number, from 1.
        text: As it is written.
        is_ticked: Of a checkbox whether it is ticked; None for what has no box.
        paths: Paths and globs that it names in backticks, or all of it when it is one.

    """

    __slots__ = ("is_ticked", "line", "paths", "text")

    def __init__(self, line: int, text: str, *, is_ticked: bool | None) -> None:
        self.line = line
        self.text = text
        self.is_ticked = is_ticked
        self.paths = [token for token in _ticked(text) if _is_path(token)]
        if not self.paths and _is_path(text.strip()):
            self.paths = [text.strip()]


def items(text: str) -> list[Item]:
    """Return the deliverables of a plan in the order of its lines.

    They are the items of task lists, ``Deliverable:`` lines, and paths in backticks elsewhere.
    """
    from _lib.markdown import checkboxes

    found = {box.line: Item(box.line, box.text, is_ticked=box.is_checked)
             for box in checkboxes(text)}  # fmt: skip
    for number, line in _prose(text):
        if number in found:
            continue
        label, colon, rest = line.strip().lstrip("-*+ ").replace("**", "").partition(":")
        if colon and label.strip().casefold() in ("deliverable", "deliverables"):
            found[number] = Item(number, rest.strip(), is_ticked=None)
        elif any(_is_path(token) for token in _ticked(line)):
            found[number] = Item(number, line.strip(), is_ticked=None)
    return [found[number] for number in sorted(found)]


def looked_up(item: Item, root: str, log: str) -> dict[str, Any]:
    """Return what is known of a deliverable.

    Args:
        item: Of a plan.
        root: The repository's folder.
        log: Messages and paths of its history; empty without git.

    """
    missing = [path for path in item.paths if not is_there(path, root)]
    if not item.paths:
        status = NOT_CHECKABLE
    elif not missing:
        status = PRESENT
    else:
        status = MENTIONED if all(path in log for path in missing) else ABSENT
    return {
        "line": item.line,
        "text": item.text,
        "ticked": item.is_ticked,
        "status": status,
        "missing": missing,
        "contradiction": item.is_ticked is True and status == ABSENT,
    }


def is_there(path: str, root: str) -> bool:
    """Say whether a path, or a file that a glob matches, is below a folder."""
    from hpp.core.portable.fsread import contain

    if _GLOB.isdisjoint(path):
        try:
            return os.path.exists(contain(path, root))
        except RefusedError:
            return False
    from hpp.core.portable.pathglob import matches

    return any(matches(path, name) for name in _files(root))


def _files(root: str) -> Iterator[str]:
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name != ".git")
        for name in sorted(files):
            yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines outside of fenced blocks, with their numbers."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            mark = bare[:3]
            fence = mark if not fence else "" if fence == mark else fence
        elif not fence:
            yield number, line


def _ticked(line: str) -> list[str]:
    return line.split("`")[1::2] if line.count("`") > 1 else []


def _is_path(token: str) -> bool:
    if not token or any(char.isspace() for char in token) or "://" in token:
        return False
    if token[0] in "-$/~{<" or any(char in token for char in "(){}<>|;=,\\\"'"):
        return False
    name = token.rstrip("/").rpartition("/")[2]
    if "/" in token:
        return token.strip("/.") != ""
    stem, _, suffix = name.rpartition(".")
    return bool(stem) and suffix.lower() in _SUFFIXES
