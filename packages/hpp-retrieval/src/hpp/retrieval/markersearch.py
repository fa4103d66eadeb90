"""Find the markers of a regular expression; also a program of its own, run under a limit.

An expression that a person wrote may take for ever, and Python cannot be made to stop one.
So it runs in a process that can be ended: regions come as JSON on standard input and the
places leave as JSON. This file uses the standard library alone and is run by its path.
"""

from __future__ import annotations

import json
import re
import sys

__all__ = ["main", "search"]


def search(
    pattern: re.Pattern[str], text: str, code: list[tuple[int, int]]
) -> list[tuple[int, int, int, int]]:
    """Return ``(start, end, start of the id, end of the id)`` of each match that is not empty.

    Args:
        pattern: With one capture group, the id.
        text: A region.
        code: Spans in which no marker begins, in order.

    """
    found: list[tuple[int, int, int, int]] = []
    at = span = 0
    while at <= len(text) and (match := pattern.search(text, at)) is not None:
        start, end = match.span()
        while span < len(code) and code[span][1] <= start:
            span += 1
        if span < len(code) and code[span][0] <= start:
            at = code[span][1]
        elif start == end:
            at = end + 1
        else:
            inner = match.span(1) if match[1] is not None else (end, end)
            found.append((start, end, *inner))
            at = end
    return found


def main() -> None:
    """Answer the request on standard input."""
    request = json.loads(sys.stdin.buffer.read())
    pattern = re.compile(request["pattern"])
    places = [search(pattern, text, code) for text, code in request["regions"]]
    sys.stdout.write(json.dumps(places))


if __name__ == "__main__":
    main()
