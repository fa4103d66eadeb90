"""Mutants made from the tokens of a Python file: comparisons, ``and``/``or``, truth values."""

from __future__ import annotations

import io
import tokenize

from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.evidence.mutant import Mutant, Source, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["token_mutants"]

_PAIRS = (("==", "!="), ("<", "<="), (">", ">="), ("and", "or"), ("True", "False"))
_PARTNERS = {**dict(_PAIRS), **{second: first for first, second in _PAIRS}}
_MARK = "\ufeff"


def token_mutants(path: str, root: str) -> list[Mutant]:
    """Return one mutant for each token of a file that has a partner, in order.

    Args:
        path: Of the file, from the workspace.
        root: The workspace.

    Raises:
        RefusedError: It is no Python file that tokenises, or begins with a byte-order mark.

    """
    shown = f"--generate {shorten(path)}"
    if not path.endswith(".py"):
        raise RefusedError(f"{shown}: expected a .py file")
    source = Source(root, path.replace("\\", "/"), "--generate")
    if source.text.startswith(_MARK):
        raise RefusedError(f"{shown}: it begins with a byte-order mark")
    mutants = []
    for token in _code_tokens(source, shown):
        partner = _PARTNERS[token.string]
        line, column = token.start
        index = place_of(source, token.string, line, column)
        if index is None:
            raise RefusedError(f"{shown}: line {line}: it does not tokenise")
        identity = f"{source.name}:{line}:{column}:{token.string}->{partner}"
        mutants.append(Mutant(identity, source, token.string, partner, index))
    return mutants


def _code_tokens(source: Source, shown: str) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens that have a partner and stand in no string.

    Since 3.12 the parts of a formatted string are tokens of their own; before, it is one.
    """
    depth = 0
    lines = io.StringIO(source.text, newline="")
    try:
        for token in tokenize.generate_tokens(lines.readline):
            name = tokenize.tok_name[token.type]
            if name == "ERRORTOKEN" and token.string.strip():
                raise RefusedError(f"{shown}: line {token.start[0]}: it does not tokenise")
            depth += name in ("FSTRING_START", "TSTRING_START")
            depth -= name in ("FSTRING_END", "TSTRING_END")
            if not depth and name in ("OP", "NAME") and token.string in _PARTNERS:
                yield token
    except (tokenize.TokenError, SyntaxError) as error:
        line = getattr(error, "lineno", None) or error.args[1][0]
        raise RefusedError(f"{shown}: line {line}: it does not tokenise") from None
