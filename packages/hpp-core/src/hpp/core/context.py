"""The context compiler: whole blocks under a budget of characters, with their provenance.

Nothing is cut, changed or redacted. A block either stands in the text as it was given, or
is listed as omitted; one that looks like it holds a secret refuses the whole input.
"""

from __future__ import annotations

import hashlib
from operator import attrgetter

from hpp.core.arguments import LARGEST_INTEGER
from hpp.core.errors import RefusedError
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["SEPARATOR", "Block", "Compiled", "compile_blocks", "parse_blocks", "read_blocks"]

SEPARATOR = "\n\n"


class Block:
    """A block as it was given; `source` is unique among its neighbours."""

    __slots__ = ("content", "priority", "source")

    def __init__(self, source: str, priority: int, content: str) -> None:
        self.source = source
        self.priority = priority
        self.content = content

    def record(self) -> dict[str, Any]:
        """Return what is told of a block: where it is from, its size and its hash."""
        return {
            "source": self.source,
            "priority": self.priority,
            "chars": len(self.content),
            "sha256": hashlib.sha256(self.content.encode()).hexdigest(),
        }


class Compiled:
    """The outcome of one compilation.

    Attributes:
        budget: Characters that were allowed.
        included: Blocks that stand in the text, in its order.
        omitted: Blocks that did not fit when their turn came, in that order.
        text: The included contents, with a blank line between two.

    """

    __slots__ = ("budget", "included", "omitted", "text")

    def __init__(self, budget: int, included: list[Block], omitted: list[Block]) -> None:
        self.budget = budget
        self.included = included
        self.omitted = omitted
        self.text = SEPARATOR.join([block.content for block in included])

    def document(self) -> dict[str, Any]:
        """Return the result ``hpp.context/v1``."""
        return {
            "schema": "hpp.context/v1",
            "budget": self.budget,
            "used": len(self.text),
            "remaining": self.budget - len(self.text),
            "included": [block.record() for block in self.included],
            "omitted": [block.record() for block in self.omitted],
            "text": self.text,
        }


def compile_blocks(blocks: Sequence[Block], budget: int) -> Compiled:
    """Return what fits: highest priority first, then by source; smaller ones still after.

    Args:
        blocks: In any order.
        budget: Characters (code points), separators included; not negative.

    """
    included: list[Block] = []
    omitted: list[Block] = []
    used = separator = 0
    # Both sorts are stable: by source, then the highest priority first.
    in_turn = sorted(blocks, key=attrgetter("source"))
    in_turn.sort(key=attrgetter("priority"), reverse=True)
    for block in in_turn:
        cost = len(block.content) + separator
        if used + cost <= budget:
            included.append(block)
            used += cost
            separator = len(SEPARATOR)
        else:
            omitted.append(block)
    return Compiled(budget, included, omitted)


def read_blocks(path: str) -> list[Block]:
    """Return the blocks of a file, ``-`` for standard input.

    Raises:
        RefusedError: It cannot be read, breaks a rule, or looks like it holds a secret.

    """
    from hpp.core.document import read_document, shown_name

    return parse_blocks(read_document(path, root=list), shown_name(path))


def parse_blocks(document: list[Any], name: str) -> list[Block]:
    """Return the blocks of a parsed document; `name` stands for its file in messages.

    Raises:
        RefusedError: A block breaks a rule or looks like it holds a secret; the message
            names source and kind, never the text.

    """
    seen: set[str] = set()
    blocks = [_block(raw, number, name, seen) for number, raw in enumerate(document)]
    _check_secrets(blocks, name)
    return blocks


def _block(raw: object, number: int, name: str, seen: set[str]) -> Block:
    if type(raw) is not dict:
        raise RefusedError(f"{name}: [{number}]: expected an object")
    source, priority, content = raw.get("source"), raw.get("priority"), raw.get("content")
    if type(source) is not str or not source.strip():
        raise RefusedError(f"{name}: [{number}].source: expected a non-blank text")
    if type(priority) is not int or abs(priority) > LARGEST_INTEGER:
        raise RefusedError(f"{name}: [{number}].priority: expected an integer")
    if type(content) is not str:
        raise RefusedError(f"{name}: [{number}].content: expected a text")
    if source in seen:
        raise RefusedError(f'{name}: [{number}].source: duplicate source "{shorten(source)}"')
    seen.add(source)
    return Block(source, priority, content)


def _check_secrets(blocks: list[Block], name: str) -> None:
    from hpp.core.secretscan import suspects

    texts = [text for block in blocks for text in (block.source, block.content)]
    for number in sorted({place // 2 for place in suspects(texts)}):
        _check_block(blocks[number], number, name)


def _check_block(block: Block, number: int, name: str) -> None:
    from hpp.core.secret import first_kind

    kind = first_kind(block.source)
    if kind is not None:
        raise RefusedError(f"{name}: [{number}].source: secret-like text ({kind})")
    kind = first_kind(block.content)
    if kind is not None:
        raise RefusedError(
            f'{name}: [{number}].content: secret-like text ({kind}) from "{shorten(block.source)}"'
        )
