"""The wiring of hooks and a status line in a settings file, and its exact undoing.

Everything is decided on one reading of the file and of the record beside it. What results
is a new text, which `settingsfile` writes when the file still is what was read. The record
lists what was added; undoing removes that and nothing else, so whatever a person changed
meanwhile stays.
"""

from __future__ import annotations

from hpp.core.hookscript import wired_scripts
from hpp.core.portable import jsonedit
from hpp.core.portable.report import WARN, ToolRefusedError, problem
from hpp.core.portable.wiringspec import script_base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.portable.wiringspec import Item

__all__ = ["RECORD_SCHEMA", "Wiring"]

RECORD_SCHEMA = "hpp.wire-record/v1"
_LAUNCHER = "pyrun.sh"


class Wiring:
    """One run over a settings file.

    Args:
        name: The file, as the person typed it.
        text: Its JSON text; `{}` with a final newline for a file that does not exist.
        document: The same, read.
        record: What is wired by us, as the record beside the file says.

    Attributes:
        text: The text as it is to be.
        record: The record as it is to be.
        actions: What is done to each hook.
        problems: What a person has to see.

    """

    def __init__(
        self, name: str, text: str, document: dict[str, Any], record: dict[str, Any]
    ) -> None:
        self.name = name
        self.text = text
        self.document = document
        self.record = record
        self.actions: list[dict[str, Any]] = []
        self.problems: list[dict[str, str]] = []
        self._entries: dict[str, dict[str, Any]] = record["entries"]
        self._check_shape()

    def wire(self, items: list[Item], line: dict[str, Any] | None, *, force: bool) -> None:
        """Add what the specification asks for and what is not there yet.

        Raises:
            ToolRefusedError: An entry that we added was edited since.

        """
        for item in items:
            self._wire_item(item, force=force)
        if line is not None:
            self._wire_line(line, force=force)

    def undo(self, items: list[Item], *, with_line: bool) -> None:
        """Remove what the record lists of these items.

        Raises:
            ToolRefusedError: One of them was edited since; nothing is removed then.

        """
        for item in items:
            recorded = self._entries.get(item.id)
            if recorded is None:
                self._did("not-wired", item)
                continue
            self._unwire(item, recorded)
        if with_line:
            self._undo_line()
        self._drop_empty_containers()

    def _wire_item(self, item: Item, *, force: bool) -> None:
        recorded = self._entries.get(item.id)
        if recorded is not None and self._is_current(item, recorded):
            self._did("keep", item)
            return
        if recorded is not None:
            self._unwire(item, recorded)
        elif (other := self._same_script(item)) is not None:
            if self._at(other) == item.entry and self._matcher(other) == item.matcher:
                self._did("already-there", item)
                return
            if not force:
                self._conflict(item, other)
                return
        self._add_group(item)
        self._entries[item.id] = {
            "event": item.event, "matcher": item.matcher, "entry": item.entry,
        }  # fmt: skip
        self._did("add" if recorded is None else "update", item)

    def _is_current(self, item: Item, recorded: dict[str, Any]) -> bool:
        same = recorded == {"event": item.event, "matcher": item.matcher, "entry": item.entry}
        return same and self._place(recorded) is not None

    def _unwire(self, item: Item, recorded: dict[str, Any]) -> None:
        if not _is_ours(recorded, item):
            raise self._edited(item, "the record names another script than the specification")
        path = self._place(recorded)
        if path is None:
            if (other := self._same_script(item)) is not None:
                raise self._edited(item, f"{_shown(other)}: {self._at(other)}")
            self._did("gone", item)
        else:
            self._cut(path)
            self._did("remove", item)
        del self._entries[item.id]

    def _place(self, recorded: dict[str, Any]) -> list[str | int] | None:
        """Return the path of an entry that is exactly as we wrote it, the last one of them."""
        groups = self.document.get("hooks", {}).get(recorded["event"], [])
        for number in range(len(groups) - 1, -1, -1):
            group = groups[number]
            if group.get("matcher") == recorded["matcher"]:
                for place in range(len(group["hooks"]) - 1, -1, -1):
                    if group["hooks"][place] == recorded["entry"]:
                        return ["hooks", recorded["event"], number, "hooks", place]
        return None

    def _same_script(self, item: Item) -> list[str | int] | None:
        """Return the path of an entry of the event that runs a script of the same name."""
        wanted = script_base(item.script)
        for number, group in enumerate(self.document.get("hooks", {}).get(item.event, [])):
            for place, entry in enumerate(group["hooks"]):
                command = entry.get("command")
                if isinstance(command, str) and wanted in _script_names(command):
                    return ["hooks", item.event, number, "hooks", place]
        return None

    def _add_group(self, item: Item) -> None:
        created: list[list[str]] = self.record["created"]
        if "hooks" not in self.document:
            self._put([], "hooks", {})
            created.append(["hooks"])
        if item.event not in self.document["hooks"]:
            self._put(["hooks"], item.event, [])
            created.append(["hooks", item.event])
        self._put(["hooks", item.event], None, item.group)

    def _cut(self, path: list[str | int]) -> None:
        """Remove an entry, and its group when nothing else is in it."""
        group = self._at(path[:-2])
        alone = len(group["hooks"]) == 1 and set(group) <= {"matcher", "hooks"}
        self._remove(path[:-2] if alone else path)

    def _drop_empty_containers(self) -> None:
        created: list[list[str]] = self.record["created"]
        for path in sorted(created, key=len, reverse=True):
            if any(each["event"] in path[1:] for each in self._entries.values()):
                continue
            found = self._look(path)
            if found in ({}, []):
                self._remove(list(path))
            if not found:
                created.remove(path)

    def _wire_line(self, line: dict[str, Any], *, force: bool) -> None:
        ours = self.record.get("status_line")
        present = self.document.get("statusLine")
        if present == line:
            self._did_line("keep" if ours else "already-there")
            return
        is_ours = ours is not None and present == ours["value"]
        if present is not None and not is_ours and not force:
            self.problems.append(
                problem(
                    "wire-conflict", severity=WARN, path=f"{self.name}: statusLine",
                    measured="a status line of another owner", expected="none, or ours",
                    following="leave it, or run again with --force, which keeps a copy of the file",
                )
            )  # fmt: skip
            self._did_line("conflict")
            return
        former = ours["former"] if ours is not None and is_ours else present
        if present is None:
            self._put([], "statusLine", line)
        else:
            self._replace(["statusLine"], line)
        self.record["status_line"] = {"value": line, "former": former}
        self._did_line("add" if present is None else "replace")

    def _undo_line(self) -> None:
        ours = self.record.get("status_line")
        present = self.document.get("statusLine")
        if ours is None:
            self._did_line("not-wired")
            return
        if present is not None and present != ours["value"]:
            raise ToolRefusedError(self._edit(f"{self.name}: statusLine", str(present)))
        if present is None:
            self._did_line("gone")
        elif ours["former"] is None:
            self._remove(["statusLine"])
            self._did_line("remove")
        else:
            self._replace(["statusLine"], ours["former"])
            self._did_line("restore")
        self.record["status_line"] = None

    def _conflict(self, item: Item, other: list[str | int]) -> None:
        self.problems.append(
            problem(
                "wire-conflict", severity=WARN, path=f"{self.name}: {_shown(other)}",
                measured=f"another entry runs {script_base(item.script)}",
                expected="none, or the one that the specification asks for",
                following="leave it, or run again with --force to add ours beside it",
            )
        )  # fmt: skip
        self._did("conflict", item)

    def _edited(self, item: Item, what: str) -> ToolRefusedError:
        return ToolRefusedError(self._edit(f"{self.name}: {item.id}", what))

    def _edit(self, path: str, what: str) -> dict[str, str]:
        return problem(
            "wire-edited", path=path, measured=f"edited since it was wired: {what}",
            expected="the entry that the record beside the file holds",
            following="take the entry out by hand, or put back what the record holds",
        )  # fmt: skip

    def _did(self, what: str, item: Item) -> None:
        self.actions.append(
            {"action": what, "id": item.id, "event": item.event, "matcher": item.matcher,
             "entry": item.entry}
        )  # fmt: skip

    def _did_line(self, what: str) -> None:
        self.actions.append({"action": what, "id": "statusLine"})

    def _put(self, path: list[str | int], key: str | None, value: Any) -> None:  # noqa: ANN401 -- a JSON value
        self.text = jsonedit.insert(self.text, path, key, value)
        container = self._at(path)
        if key is None:
            container.append(value)
        else:
            container[key] = value

    def _remove(self, path: list[str | int]) -> None:
        self.text = jsonedit.remove(self.text, path)
        del self._at(path[:-1])[path[-1]]

    def _replace(self, path: list[str | int], value: Any) -> None:  # noqa: ANN401 -- a JSON value
        self.text = jsonedit.replace(self.text, path, value)
        self._at(path[:-1])[path[-1]] = value

    def _at(self, path: list[str | int]) -> Any:  # noqa: ANN401 -- a JSON value
        value: Any = self.document
        for step in path:
            value = value[step]
        return value

    def _look(self, path: list[str]) -> Any:  # noqa: ANN401 -- a JSON value
        value: Any = self.document
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def _matcher(self, path: list[str | int]) -> str | None:
        matcher: str | None = self._at(path[:-2]).get("matcher")
        return matcher

    def _check_shape(self) -> None:
        hooks = self.document.get("hooks", {})
        where = _wrong_shape(hooks)
        if where is not None:
            raise ToolRefusedError(
                problem(
                    "settings-invalid", path=f"{self.name}: {where}",
                    measured="not the shape that the host reads",
                    expected="hooks.<Event>: a list of objects, each with a list hooks",
                    following="mend the file; the host ignores or drops such an entry",
                )
            )  # fmt: skip


def _is_ours(recorded: dict[str, Any], item: Item) -> bool:
    """Say whether a recorded entry runs the item's script, so that no record removes others."""
    names = _script_names(recorded["entry"]["command"])
    return names == [script_base(item.script)] and recorded["event"] == item.event


def _script_names(command: str) -> list[str]:
    """Return the names of the scripts that a command runs, without the launcher of ours."""
    names = [script_base(each) for each in wired_scripts(command)]
    return [name for name in names if name != _LAUNCHER]


def _wrong_shape(hooks: object) -> str | None:
    if not isinstance(hooks, dict):
        return "hooks"
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            return f"hooks.{event}"
        for number, group in enumerate(groups):
            entries = group.get("hooks") if isinstance(group, dict) else None
            if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
                return f"hooks.{event}[{number}]"
    return None


def _shown(path: list[str | int]) -> str:
    from hpp.core.jsonfault import shown_path

    return shown_path(path)
