"""What a module asks to have wired into a person's settings: ``hpp.wiring-spec/v1``.

A specification names scripts, never commands: the command is made here, with every path
inside double quotes, so that no word of a specification is read by a shell as anything else.
"""

from __future__ import annotations

import re

from hpp.core.fault import Faults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["SCHEMA", "Item", "read_spec", "script_base"]

SCHEMA = "hpp.wiring-spec/v1"
CLAMPS = ("observe", "warn", "block", "closed")
LONGEST_TIMEOUT_S = 120

_ID = re.compile(r"[a-z0-9][a-z0-9/_-]{0,79}")
_EVENT = re.compile(r"[A-Z][A-Za-z]{1,39}")
_SCRIPT = re.compile(r"(?:(?:[A-Za-z]:)?[\w@+ ./-]*/)?(?:hooks|scripts)/[\w.-]+\.py", re.ASCII)
_WORD = re.compile(r"[\w@%+=:,./-]+", re.ASCII)
_ITEM_KEYS = ("id", "matcher", "script", "clamp", "words", "timeout")


class Item:
    """One hook of a specification.

    Attributes:
        id: Its name in the record.
        event: The host's event.
        matcher: Which tools, or None.
        script: Path of the script, as the specification gives it.
        entry: What the settings file is to hold.

    """

    __slots__ = ("entry", "event", "id", "matcher", "script")

    def __init__(self, event: str, given: dict[str, Any]) -> None:
        self.id: str = given["id"]
        self.event = event
        self.matcher: str | None = given.get("matcher")
        self.script: str = given["script"]
        self.entry = {
            "type": "command",
            "command": _command(given),
            "timeout": given["timeout"],
        }
        if given["clamp"] == "closed":
            self.entry["onFailure"] = "block"

    @property
    def group(self) -> dict[str, Any]:
        """Return the element that is added to the event's list."""
        matcher = {} if self.matcher is None else {"matcher": self.matcher}
        return {**matcher, "hooks": [self.entry]}


def script_base(path: str) -> str:
    """Return the last part of a script's path."""
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def read_spec(
    document: dict[str, Any], *, scope: str
) -> tuple[list[Item], dict[str, Any] | None, list[str]]:
    """Return the hooks, the status line or None, and every fault as ``path: what``.

    Args:
        document: The specification.
        scope: `project`, where a relative path begins at the project, or `user`, where every
            script is named in full: in the settings of all projects a relative path would run
            what any repository puts there.

    """
    found = Faults(document)
    found.exactly(document, ("schema",), SCHEMA, f'the text "{SCHEMA}"')
    for key in document:
        if key not in ("schema", "statusLine", "hooks"):
            found.add((key,), "an unknown key; there are schema, statusLine, hooks")
    given = [
        (event, item)
        for event, items in _mapping(found, document).items()
        for item in _items(found, event, items, scope)
    ]
    _each_once(found, given)
    line = _status_line(found, document)
    faults = found.in_order()
    return (
        ([] if faults else [Item(event, item) for event, item in given]),
        (None if faults else line),
        faults,
    )


def _mapping(found: Faults, document: dict[str, Any]) -> dict[str, Any]:
    if "hooks" not in document:
        return {}
    return found.mapping(document, ("hooks",)) or {}


def _status_line(found: Faults, document: dict[str, Any]) -> dict[str, Any] | None:
    if "statusLine" not in document:
        return None
    given = found.mapping(document, ("statusLine",))
    if given is None:
        return None
    command = found.text(given, ("statusLine", "command"))
    if command is None:
        return None
    if set(given) != {"command"}:
        found.add(("statusLine",), "expected the key command alone")
    return {"type": "command", "command": command}


def _items(found: Faults, event: str, items: object, scope: str) -> list[dict[str, Any]]:
    if not _EVENT.fullmatch(event):
        found.add(("hooks", event), "expected the name of an event, as PreToolUse")
    if not isinstance(items, list) or not items:
        found.add(("hooks", event), "expected a non-empty list")
        return []
    sound = []
    for number, item in enumerate(items):
        path = ("hooks", event, number)
        if not isinstance(item, dict):
            found.add(path, "expected an object")
        elif _item(found, item, path, scope):
            sound.append(item)
    return sound


def _item(found: Faults, item: dict[str, Any], path: tuple[Any, ...], scope: str) -> bool:
    faults = {
        "id": None if _matches(_ID, item.get("id")) else "expected a name such as kit/the-hook",
        "script": _script_fault(item.get("script"), scope),
        "clamp": None if item.get("clamp") in CLAMPS else "expected one of " + ", ".join(CLAMPS),
        "matcher": _matcher_fault(item.get("matcher", "")),
        "words": _words_fault(item.get("words", [])),
        "timeout": _timeout_fault(item.get("timeout")),
    }
    faults.update({key: "an unknown key" for key in item if key not in _ITEM_KEYS})
    told = [(key, what) for key, what in faults.items() if what]
    for key, what in told:
        found.add((*path, key), what)
    return not told


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and bool(pattern.fullmatch(value))


def _script_fault(value: object, scope: str) -> str | None:
    if not isinstance(value, str) or not _SCRIPT.fullmatch(value) or ".." in value.split("/"):
        return "expected a path such as .claude/hpp/kit/hooks/the_hook.py, without .. and quotes"
    if scope == "user" and not _is_full(value):
        return "expected a full path for the settings of all projects"
    return None


def _is_full(path: str) -> bool:
    return path.startswith("/") or path[1:2] == ":"


def _matcher_fault(value: object) -> str | None:
    if not isinstance(value, str):
        return "expected a text"
    try:
        re.compile(value)
    except re.error as error:
        return f"expected a regular expression: {error}"
    return None


def _words_fault(value: object) -> str | None:
    if isinstance(value, list) and all(_matches(_WORD, word) for word in value):
        return None
    return "expected a list of plain words, without blanks and quotes"


def _timeout_fault(value: object) -> str | None:
    if type(value) is int and 1 <= value <= LONGEST_TIMEOUT_S:
        return None
    return f"expected a whole number of seconds from 1 to {LONGEST_TIMEOUT_S}"


def _each_once(found: Faults, given: list[tuple[str, dict[str, Any]]]) -> None:
    ids: set[str] = set()
    scripts: set[tuple[str, str]] = set()
    for event, item in given:
        if item["id"] in ids:
            found.add(("hooks", event), f"the id {item['id']} stands twice")
        script = (event, script_base(item["script"]))
        if script in scripts:
            found.add(("hooks", event), f"{script[1]} is wired twice")
        ids.add(item["id"])
        scripts.add(script)


def _command(given: dict[str, Any]) -> str:
    script: str = given["script"]
    root = "" if _is_full(script) else "${CLAUDE_PROJECT_DIR}/"
    module = "".join(script.rpartition("/")[0].rpartition("/")[:2])
    launcher = f"{module}hooks/pyrun.sh"
    words = [
        f'bash "{root}{launcher}"',
        given["clamp"],
        f'"{root}{script}"',
        *given.get("words", []),
    ]
    return " ".join(words)
