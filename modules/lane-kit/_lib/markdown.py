"""The board as Markdown, in which no text of the board can pass for a heading or a row."""

from __future__ import annotations

from _lib.pagefile import MARKDOWN_MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _lib.board import Board, Item
    from _lib.workplace import Workplace

__all__ = ["escaped", "markdown_text"]

_SPECIAL = frozenset("\\`*_[]|~!$")


def escaped(text: str) -> str:
    """Return a text for one place in one line of Markdown."""
    from hpp.core.text import printable

    flat = " ".join(text.split())
    out = []
    for char in printable(flat):
        if char == "<":
            out.append("&lt;")
        elif char == "&":
            out.append("&amp;")
        else:
            out.append(f"\\{char}" if char in _SPECIAL else char)
    return "".join(out)


def markdown_text(work: Workplace, board: Board) -> str:
    """Return the whole board: items with their history, competitions, what is undelivered."""
    from _lib.delivery import pending

    lines = [MARKDOWN_MARK, "", "# Lane board", ""]
    lines += ["| item | state | owner | tag |", "|---|---|---|---|"]
    items = [item for _, item in sorted(board.items.items())]
    lines += [
        f"| {escaped(item.id)} | {item.state} | {escaped(item.owner)} | "
        f"{'red' if item.is_red else 'green'} |"
        for item in items
    ]
    for item in items:
        lines += ["", f"## {escaped(item.id)}", "", *_history(item)]
    lines += ["", "## COMPETITIONS", ""]
    for _, task in sorted(board.competitions.items()):
        winner = f"won by {escaped(task.winner)}" if task.winner else "undecided"
        listed = ", ".join(escaped(each) for each in task.candidates)
        lines.append(f"- {escaped(task.id)}: {winner}; candidates {listed}")
    lines += ["" if board.competitions else "None.", "## UNDELIVERED", ""]
    waiting = pending(work.place, board)
    lines += [
        f"- {escaped(each.about['item_id'])} {each.about['decision']} to "
        f"{escaped(each.about['target'])}"
        for each in waiting
    ] or ["None."]
    return "\n".join(lines) + "\n"


def _history(item: Item) -> list[str]:
    return [f"- {_told(event)}" for event in item.events]


def _told(event: dict[str, Any]) -> str:
    by = event["by"]
    said = [event[key] for key in ("reason", "evidence") if event.get(key)]
    words = f": {escaped(' / '.join(said))}" if said else ""
    who = escaped(by["lane"]) + (f" ({escaped(by['model'])})" if by["model"] else "")
    return f"{event['seq']} {escaped(str(event['ts']))} **{event['state']}** {who}{words}"
