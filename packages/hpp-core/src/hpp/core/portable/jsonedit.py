"""Edits of a JSON text that leave every byte alone but those that they name.

A settings file belongs to a person: its indentation, its order, how it writes a number.
So nothing is written out again; members and elements are put into the text and cut out.
Texts are sound JSON, which the caller has made sure of with `strictjson`.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Step = str | int

__all__ = ["insert", "remove", "replace"]

_WHITE = " \t\r\n"
_ATOM = re.compile(r"[^\s,\]}]+")
_INDENT = re.compile(r"\n([ \t]+)[\"\]}{\[]")


class _Node:
    """A value and where it stands; a container's parts are ``(key, start of the part, value)``."""

    __slots__ = ("end", "is_object", "parts", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.parts: list[tuple[Step, int, _Node]] = []
        self.is_object = False

    def child(self, step: Step) -> _Node:
        return next(node for key, _, node in self.parts if key == step)


def insert(text: str, path: Sequence[Step], key: str | None, value: Any) -> str:  # noqa: ANN401 -- a JSON value
    """Return the text with a value added at the end of the container at `path`.

    Args:
        text: A JSON document.
        path: Keys and numbers from the root to the container.
        key: The new member's name in an object, None in a list.
        value: What to add.

    """
    container = _find(text, path)
    unit, line = _indent(text), _newline(text)
    outer = line + unit * len(path)
    inner = outer + unit
    shown = _shown(value, unit, inner)
    if key is not None:
        shown = f"{json.dumps(key, ensure_ascii=False)}: {shown}"
    if container.parts:
        at = container.parts[-1][2].end
        return f"{text[:at]},{inner}{shown}{text[at:]}"
    opened, closed = container.start + 1, container.end - 1
    return f"{text[:opened]}{inner}{shown}{outer}{text[closed:]}"


def remove(text: str, path: Sequence[Step]) -> str:
    """Return the text without the member or element at `path`, and without its comma."""
    container = _find(text, path[:-1])
    place = [key for key, _, _ in container.parts].index(path[-1])
    if len(container.parts) == 1:
        return text[: container.start + 1] + text[container.end - 1 :]
    if place == 0:
        start, end = container.parts[0][1], container.parts[1][1]
    else:
        start, end = container.parts[place - 1][2].end, container.parts[place][2].end
    return text[:start] + text[end:]


def replace(text: str, path: Sequence[Step], value: Any) -> str:  # noqa: ANN401 -- a JSON value
    """Return the text with the value at `path` exchanged."""
    node = _find(text, path)
    unit = _indent(text)
    shown = _shown(value, unit, _newline(text) + unit * len(path))
    return text[: node.start] + shown + text[node.end :]


def _shown(value: Any, unit: str, margin: str) -> str:  # noqa: ANN401 -- a JSON value
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", margin)


def _indent(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _find(text: str, path: Sequence[Step]) -> _Node:
    node = _value(text, _skip(text, 0))
    for step in path:
        node = node.child(step)
    return node


def _skip(text: str, at: int) -> int:
    while text[at] in _WHITE:
        at += 1
    return at


def _value(text: str, at: int) -> _Node:
    node = _Node(at)
    if text[at] in "{[":
        node.is_object = text[at] == "{"
        _parts(text, node)
    elif text[at] == '"':
        node.end = _string_end(text, at)
    else:
        found = _ATOM.match(text, at)
        node.end = found.end() if found else at + 1
    return node


def _parts(text: str, node: _Node) -> None:
    at = _skip(text, node.start + 1)
    while text[at] not in "}]":
        start, key = at, len(node.parts)
        step: Step = key
        if node.is_object:
            end = _string_end(text, at)
            step = json.loads(text[at:end])
            at = _skip(text, _skip(text, end) + 1)
        value = _value(text, at)
        node.parts.append((step, start, value))
        at = _skip(text, value.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    node.end = at + 1


def _string_end(text: str, at: int) -> int:
    at += 1
    while text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1
