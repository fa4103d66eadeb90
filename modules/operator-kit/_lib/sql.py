"""A `DELETE` that names no rows, in what a client of a database is given."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.portable.shellwords import Command

__all__ = ["CLIENTS", "deletes_everything", "statements"]

CLIENTS = frozenset({"psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "bq", "duckdb"})
_PRINTERS = frozenset({"echo", "printf"})
_MOST = 64 * 1024


def statements(command: Command, commands: Sequence[Command]) -> list[str]:
    """Return the statements that a client is given as arguments, or by `echo` through a pipe."""
    if command.program.lower() not in CLIENTS:
        return []
    texts = list(command.words[1:])
    if command.piped_from is not None and commands[command.piped_from].program in _PRINTERS:
        texts.append(" ".join(commands[command.piped_from].words[1:]))
    return [part for text in texts for part in _plain(text[:_MOST]).split(";")]


def deletes_everything(statement: str) -> str | None:
    """Return the table whose rows a statement deletes without saying which, or None."""
    words = statement.upper().split()
    written = statement.split()
    for at in range(len(words) - 2):
        if words[at] == "DELETE" and words[at + 1] == "FROM" and "WHERE" not in words[at:]:
            return written[at + 2].strip("\"'`")
    return None


def _plain(text: str) -> str:
    """Return statements with comments and quoted values taken out, each a blank."""
    made: list[str] = []
    at, size = 0, len(text)
    while at < size:
        char = text[at]
        if text.startswith("--", at):
            end = text.find("\n", at)
        elif text.startswith("/*", at):
            end = text.find("*/", at)
            end = end + 2 if end >= 0 else end
        elif char == "'":
            end = text.find("'", at + 1)
            end = end + 1 if end >= 0 else end
        else:
            # A bracket ends a word, so that ``(delete from t)`` is seen.
            made.append(" " if char in "()" else char)
            at += 1
            continue
        made.append(" ")
        at = size if end < 0 else end
    return "".join(made)
