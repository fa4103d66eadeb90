"""Patterns that a policy file may hold: valid, without back-references or nested repetition.

These refusals do not bound every pattern; `search` does.
"""

from __future__ import annotations

import re
import warnings

try:  # the parser of `re`; its name changed in Python 3.11
    from re import _parser as _sre  # type: ignore[attr-defined]  # no stubs for it
except ImportError:
    import sre_parse as _sre

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["compiled", "pattern_fault"]

_REFERENCES = {"GROUPREF", "GROUPREF_EXISTS", "GROUPREF_IGNORE"}
_REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}


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
        compiled(pattern)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _sre.parse(pattern)
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
