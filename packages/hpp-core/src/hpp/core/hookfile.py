"""``hooks/hooks.json``: the shape that both hosts read.

Codex drops the whole file for one fault, Claude Code the entry or the plugin; neither
says so to the person who relies on the guard. So every fault is told here.
"""

from __future__ import annotations

from hpp.core.arguments import LARGEST_INTEGER
from hpp.core.fault import Faults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hpp.core.fault import Path

__all__ = ["hook_file_faults", "wirings"]

_ROOT_KEYS = ("description", "hooks")
_GROUP_KEYS = ("matcher", "hooks")
_ENTRY_KEYS = ("type", "command", "timeout", "onFailure")


def hook_file_faults(document: dict[str, Any]) -> list[str]:
    """Return every fault as ``path: what``, in the order of the document."""
    found = Faults(document)
    _only(found, document, (), _ROOT_KEYS)
    _optional_text(found, document, ("description",))
    events = found.mapping(document, ("hooks",))
    for event, groups in (events or {}).items():
        path = ("hooks", event)
        for number, group in _list(found, groups, path):
            _group(found, group, (*path, number))
    return found.in_order()


def wirings(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield every ``(event, command)`` of a hooks file of sound shape."""
    for event, groups in document["hooks"].items():
        for group in groups:
            for entry in group["hooks"]:
                yield event, entry["command"]


def _group(found: Faults, group: object, path: Path) -> None:
    if not isinstance(group, dict):
        found.add(path, "expected an object")
        return
    _only(found, group, path, _GROUP_KEYS)
    _optional_text(found, group, (*path, "matcher"))
    if "hooks" not in group:
        found.add((*path, "hooks"), "expected a list, it is missing")
        return
    for number, entry in _list(found, group["hooks"], (*path, "hooks")):
        _entry(found, entry, (*path, "hooks", number))


def _entry(found: Faults, entry: object, path: Path) -> None:
    if not isinstance(entry, dict):
        found.add(path, "expected an object")
        return
    _only(found, entry, path, _ENTRY_KEYS)
    found.exactly(entry, (*path, "type"), "command", 'the text "command"')
    found.text(entry, (*path, "command"))
    timeout = entry.get("timeout", 1)
    if type(timeout) is not int or not 0 < timeout <= LARGEST_INTEGER:
        found.add((*path, "timeout"), "expected a whole number of seconds above 0")
    _optional_text(found, entry, (*path, "onFailure"))


def _only(found: Faults, value: dict[str, Any], path: Path, keys: tuple[str, ...]) -> None:
    for key in value:
        if key not in keys:
            told = "a key that not both hosts read; there are " + ", ".join(keys)
            found.add((*path, key), told)


def _optional_text(found: Faults, parent: dict[str, Any], path: Path) -> None:
    if not isinstance(parent.get(str(path[-1]), ""), str):
        found.add(path, "expected a text")


def _list(found: Faults, value: object, path: Path) -> list[tuple[int, object]]:
    if isinstance(value, list):
        return list(enumerate(value))
    found.add(path, "expected a list")
    return []
