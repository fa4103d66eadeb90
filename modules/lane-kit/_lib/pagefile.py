"""Write the board for a person: Markdown, or one page that needs nothing else."""

from __future__ import annotations

import os
import sys
import time

from _lib.boardread import load_board
from _lib.refusal import Refusal

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.workplace import Workplace

__all__ = ["HTML_MARK", "MARKDOWN_MARK", "put_page", "render_board", "source_ages"]

MARKDOWN_MARK = "<!-- hpp.lane-board/v1: rendered from the board; edits are lost -->"
HTML_MARK = "<!-- hpp.lane-page/v1: rendered from the lanes; edits are lost -->"
_FOLDER = ("docs", "plans", "execution")


def render_board(work: Workplace, *, html: bool, out: str | None) -> int:
    """Render the board as it is now, and say where it lies."""
    name = "LANE-BOARD.html" if html else "LANE-BOARD.md"
    path = out or os.path.join(work.place.project, *_FOLDER, name)
    if html:
        text, is_sound = html_text(work)
    else:
        from _lib.markdown import markdown_text

        text, is_sound = markdown_text(work, load_board(work)), True
    if path == "-":
        sys.stdout.write(text)
        return 0 if is_sound else 1
    if out is None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    put_page(path, text, HTML_MARK if html else MARKDOWN_MARK)
    sys.stdout.write(f"{out or '/'.join((*_FOLDER, name))}\n")
    return 0 if is_sound else 1


def html_text(work: Workplace) -> tuple[str, bool]:
    """Return the page, and whether every source could be read."""
    from _lib.page import Sources, page

    sources = Sources(work)
    faults: list[str] = []
    try:
        sources.board = load_board(work)
    except Refusal as error:
        faults.append(str(error))
    try:
        sources.scene = work.scene(lenient=True)
    except Refusal as error:
        faults.append(str(error))
    try:
        from _lib.delivery import pending

        sources.pending = pending(work.place, sources.board)
    except Refusal as error:
        faults.append(str(error))
    from _lib.mailbox import folder_of, messages
    from _lib.rescue import patches

    try:
        sources.mail = messages(folder_of(work.place, work.lenient_config()))
    except RefusedError as error:
        faults.append(str(error))
    sources.rescues = patches(work.place)
    sources.ages = source_ages(work)
    sources.faults = faults
    return page(sources), not faults


def source_ages(work: Workplace) -> list[tuple[str, str]]:
    """Return each source with how old its last change is, in words."""
    found = []
    for path in (work.place.board, work.place.registry, work.place.effects):
        try:
            age = max(0, int(work.now - os.stat(path).st_mtime))
        except OSError:
            found.append((os.path.basename(path), "absent"))
            continue
        found.append((os.path.basename(path), f"{told_age(age)} ago"))
    return found


def told_age(seconds: int) -> str:
    """Return a time span in its largest unit."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def put_page(path: str, text: str, mark: str) -> None:
    """Write a page, unless a file lies there that we did not write.

    Raises:
        RefusedError: It does, or the folder is not there.

    """
    from hpp.core.portable.fswrite import atomic_write

    if os.path.lexists(path):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                head = file.read(4096)
        except OSError as error:
            raise RefusedError(f"{path}: {error.strerror}") from None
        if mark not in head:
            raise RefusedError(f"{path}: it was not written by this tool, and stays")
    if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        raise RefusedError(f"{path}: its folder is not there")
    atomic_write(path, text.encode("utf-8", "backslashreplace"))
    os.chmod(path, 0o644)


def made_at(now: int) -> str:
    """Return a time for a person, in UTC."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(now))
