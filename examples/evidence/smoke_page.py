"""An example of a criterion: build a page, check it, and write what was seen.

Writes ``out/report.html``, the page, and ``out/smoke.log``, a line for each check, below
the working folder. With ``--break`` a check fails: both are written all the same, and it
exits with 1.

    hpp evidence run --id smoke-page --artifact out/report.html --artifact out/smoke.log -- \
        python examples/evidence/smoke_page.py
"""

from __future__ import annotations

import sys
from html import escape
from html.parser import HTMLParser
from pathlib import Path

TITLE = "Orders & returns"
ROWS = [("open", 3), ("sent <today>", 5)]


class Reader(HTMLParser):
    """What a browser would show of a page: its title, and the cells of its table."""

    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self.cells: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        """Note which element the text that follows is in."""
        self._inside = tag

    def handle_endtag(self, _tag: str) -> None:
        """Note that the text that follows is in none."""
        self._inside = ""

    def handle_data(self, data: str) -> None:
        """Keep the text of a title or a cell."""
        if self._inside == "title":
            self.title += data
        elif self._inside == "td":
            self.cells.append(data)


def page(title: str, rows: list[tuple[str, int]]) -> str:
    """Return the page: the work that this criterion judges."""
    cells = "".join(f"<tr><td>{escape(name)}</td><td>{count}</td></tr>\n" for name, count in rows)
    head = f'<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
    return f"<!doctype html>\n{head}<table>\n{cells}</table>\n"


def main(words: list[str]) -> int:
    """Build, check, write both artifacts, and return the exit status."""
    text = page(TITLE, ROWS[:-1] if "--break" in words else ROWS)
    seen = Reader()
    seen.feed(text)
    seen.close()
    checks = {
        "the title is shown as it is written": seen.title == TITLE,
        "every row is shown": seen.cells == [str(cell) for row in ROWS for cell in row],
    }
    log = "".join(f"{'ok' if holds else 'FAILED'}: {name}\n" for name, holds in checks.items())
    out = Path("out")
    out.mkdir(exist_ok=True)
    (out / "report.html").write_bytes(text.encode())
    (out / "smoke.log").write_bytes(log.encode())
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
