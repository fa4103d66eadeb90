"""Check and search the patterns of a policy file; both may take for ever.

They come from a repository. The refusals here do not bound every pattern, and even to
compile one can take seconds, so that all of this runs where it can be stopped (`search`):
in a forked process, or as a program of its own. It imports the standard library alone.
"""

from __future__ import annotations

import re
import sys
import warnings

try:  # the parser of `re`; its name changed in Python 3.11
    from re import _parser as _sre  # type: ignore[attr-defined]  # no stubs for it
except ImportError:
    import sre_parse as _sre

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    # The patterns; which of them are searched, in order; the texts.
    Question = tuple[Sequence[str], Sequence[int], Sequence[str]]

__all__ = ["answer", "compiled", "pattern_fault"]

_REFERENCES = {"GROUPREF", "GROUPREF_EXISTS", "GROUPREF_IGNORE"}
_LONGEST_PIECE = 1000
_REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}


def answer(question: Question, write: Callable[[bytes], object]) -> None:
    r"""Check all patterns, then search with some, and tell each step as a line.

    ``c3`` and ``s3``: pattern 3 is being checked, searched with; ``f3 WHY``: it is refused;
    ``m3 HEX``: it was found, and what it matched, as UTF-8 in hexadecimal digits. A last
    line ``.`` says that there is nothing more to come.
    """
    patterns, order, texts = question
    for number, pattern in enumerate(patterns):
        write(b"c%d\n" % number)
        fault = pattern_fault(pattern)
        if fault is not None:
            write(f"f{number} {fault}\n.\n".encode("utf-8", "backslashreplace"))
            return
    for number in order:
        write(b"s%d\n" % number)
        search = compiled(patterns[number]).search
        found = next((match for match in map(search, texts) if match is not None), None)
        if found is not None:
            piece = found.group()[:_LONGEST_PIECE].encode("utf-8", "surrogatepass").hex()
            write(f"m{number} {piece}\n.\n".encode("ascii"))
            return
    write(b".\n")


def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern as it is searched: letter case does not count.

    Raises:
        re.error, RecursionError, OverflowError: It is no regular expression.

    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return re.compile(pattern, re.IGNORECASE)


def pattern_fault(pattern: str) -> str | None:
    """Return why a pattern is refused, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _sre.parse(pattern, re.IGNORECASE)
        compiled(pattern)
    except re.error as error:
        return f"not a regular expression: {error}"
    except (RecursionError, OverflowError, MemoryError):
        return "not a regular expression: too deep or too large"
    return _fault(tree)


def _fault(tree: Any) -> str | None:  # noqa: ANN401 -- the parser's own type
    """Walk the parse tree without recursion."""
    pending = [(tree, False)]
    while pending:
        node, is_repeated = pending.pop()
        for operation, value in node:
            name = str(operation)
            if name in _REFERENCES:
                return "a back-reference"
            inside = is_repeated
            if name in _REPEATS and value[1] == _sre.MAXREPEAT:
                if is_repeated:
                    return "an unbounded repetition inside an unbounded repetition"
                inside = True
            pending += [(part, inside) for part in _parts(value)]
    return None


def _parts(value: Any) -> list[Any]:  # noqa: ANN401 -- the parser's own type
    """Return the parse trees inside a value."""
    if isinstance(value, _sre.SubPattern):
        return [value]
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in _parts(item)]
    return []


def _main() -> None:
    """Answer a question on standard input, and end when its time is over.

    The watch over the time is a thread of the interpreter that needs no lock of it: while a
    search runs, no other code does, and a signal may come to nothing.
    """
    import faulthandler
    import json
    import os

    question, limit_s = json.loads(sys.stdin.buffer.read())
    with open(os.devnull, "w", encoding="ascii") as nowhere:
        faulthandler.dump_traceback_later(limit_s, exit=True, file=nowhere)
        answer(question, lambda data: os.write(1, data))
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    _main()
