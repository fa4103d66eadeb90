"""Tell a Python source whose tree would be too deep, before a parser is asked.

Up to Python 3.10 the compiler follows a chain of operators by recursion in C and ends the
whole process when the stack is used up; later versions raise `RecursionError`. See the
warning in the documentation of `ast.parse`.
"""

from __future__ import annotations

import io
import tokenize

__all__ = ["DEEPEST", "is_too_deep"]

DEEPEST = 1_000
_SMALL = DEEPEST  # bytes; every step takes at least one
_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")
_CHAINED = frozenset({"not", "await", "and", "or", "in", "is", "if", "for"})
_NESTING = frozenset({"lambda", "else"})  # a comma may stand between two of them


def is_too_deep(data: bytes) -> bool:
    """Say whether an expression or a chain of ``elif`` has more than `DEEPEST` steps.

    A source that cannot be read as tokens is not too deep: the parser says what is wrong.
    """
    if len(data) < _SMALL:
        return False
    try:
        return _has_chain(data)
    except (tokenize.TokenError, SyntaxError, ValueError):
        return False


def _has_chain(data: bytes) -> bool:
    chains, nested, branches = [0], 0, 0
    for kind, text, _, _, _ in tokenize.tokenize(io.BytesIO(data).readline):
        if kind == tokenize.NEWLINE:
            chains, nested = [0], 0
        elif kind == tokenize.OP:
            _follow(chains, text)
        elif kind == tokenize.NAME:
            chains[-1] += text in _CHAINED
            nested += text in _NESTING
            branches += text == "elif"
        if max(chains[-1], nested, branches) > DEEPEST:
            return True
    return False


def _follow(chains: list[int], operator: str) -> None:
    """Count an operator in the chain of its bracket; what is called is part of the chain."""
    if operator in _OPENING:
        chains[-1] += 1
        chains.append(0)
    elif operator in _CLOSING:
        if len(chains) > 1:
            chains.pop()
    elif operator == ",":
        chains[-1] = 0
    else:
        chains[-1] += 1
