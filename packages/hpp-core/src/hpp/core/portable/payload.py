"""What a host tells a hook: one JSON object, its fields checked when they are used.

Only what Claude Code and Codex CLI were both seen to send is relied on; a field that one
of them lacks has a default. A field of the wrong type is malformed input, which is found
when a hook asks for it, so that a hook never fails for a field that it does not use.
"""

from __future__ import annotations

import os
import sys

from hpp.core.strictjson import JsonRefusedError, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    class Source(Protocol):
        """Anything that bytes are read from."""

        def read(self, size: int, /) -> bytes:
            """Return at most `size` bytes."""


__all__ = ["CLAUDE_CODE", "LARGEST", "OTHER", "Malformed", "Payload", "parse", "read_payload"]

CLAUDE_CODE, OTHER = "claude-code", "other"
LARGEST = 8 * 1024 * 1024
_WHERE = "input"
_EDITS = {"Write": "content", "Edit": "new_string"}


class Malformed(Exception):  # noqa: N818 -- the word that the hosts' contract uses
    """Input that a hook cannot judge.

    Attributes:
        why: What is wrong with it, in a few words.

    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Payload:
    """One event as the host sent it.

    Attributes:
        data: The whole object.
        environ: The variables that stood around it.

    """

    __slots__ = ("data", "environ")

    def __init__(self, data: dict[str, Any], environ: Mapping[str, str] | None = None) -> None:
        self.data = data
        self.environ: Mapping[str, str] = os.environ if environ is None else environ

    @property
    def event(self) -> str:
        """Return the name of the event; it must be there."""
        name = self.text("hook_event_name")
        if not name:
            raise Malformed("hook_event_name: expected a text")
        return name

    @property
    def session_id(self) -> str:
        """Return the session, or an empty text."""
        return self.text("session_id")

    @property
    def cwd(self) -> str:
        """Return the agent's working folder, or an empty text."""
        folder = self.text("cwd")
        if "\0" in folder:
            raise Malformed("cwd: expected the name of a folder")
        return folder

    @property
    def tool(self) -> str:
        """Return the name of the tool, or an empty text."""
        return self.text("tool_name")

    @property
    def tool_input(self) -> dict[str, Any]:
        """Return what the tool is given; empty when the event has none."""
        given = self.data.get("tool_input")
        if given is None:
            return {}
        if type(given) is not dict:
            raise Malformed("tool_input: expected an object")
        return given

    @property
    def host(self) -> str:
        """Return ``claude-code`` where that is certain, else ``other``."""
        is_claude = "turn_id" not in self.data and bool(self.environ.get("CLAUDE_PROJECT_DIR"))
        return CLAUDE_CODE if is_claude else OTHER

    def text(self, name: str) -> str:
        """Return a text of the event, empty when it is absent."""
        return _text(self.data, name, name, default="")

    def flag(self, name: str) -> bool:
        """Return a yes or no of the event, no when it is absent."""
        value = self.data.get(name)
        if value is None:
            return False
        if type(value) is not bool:
            raise Malformed(f"{name}: expected true or false")
        return value

    def command(self) -> str | None:
        """Return what a shell is about to run; None for every other tool."""
        if self.tool != "Bash":
            return None
        return _text(self.tool_input, "command", "tool_input.command")

    def subjects(self) -> list[tuple[str, str]]:
        """Return the files that an edit writes, each with the text it adds.

        Empty for a tool that edits nothing. A patch gives one pair a file, in its order; a
        file that it deletes or moves away adds nothing.
        """
        tool, given = self.tool, self.tool_input
        if tool in _EDITS:
            key = _EDITS[tool]
            return [(_path(given, "file_path"), _text(given, key, f"tool_input.{key}"))]
        if tool == "MultiEdit":
            return [(_path(given, "file_path"), "\n".join(_edits(given)))]
        if tool == "NotebookEdit":
            added = _text(given, "new_source", "tool_input.new_source", default="")
            return [(_path(given, "notebook_path"), added)]
        if tool == "apply_patch":
            from hpp.core.portable.patchtext import read_patch

            patch = _text(given, "command", "tool_input.command")
            found = read_patch(patch)
            if not found:
                raise Malformed("tool_input.command: expected a patch")
            return found
        return []


def read_payload(stream: Source | None = None, environ: Mapping[str, str] | None = None) -> Payload:
    """Return the event that a host wrote to a stream; None stands for standard input.

    Raises:
        Malformed: It is empty, too large, not UTF-8, not strict JSON or not an object.

    """
    source: Source = sys.stdin.buffer if stream is None else stream
    try:
        data = source.read(LARGEST + 1)
    except OSError as error:
        raise Malformed(f"it cannot be read: {error.strerror}") from None
    return parse(data, environ)


def parse(data: bytes, environ: Mapping[str, str] | None = None) -> Payload:
    """Return the event in bytes; see `read_payload`."""
    if len(data) > LARGEST:
        raise Malformed("larger than 8 MiB")
    if not data.strip():
        raise Malformed("empty")
    try:
        return Payload(parse_bytes(data, _WHERE, root=dict), environ)
    except JsonRefusedError as error:
        raise Malformed(error.reason) from None


def _text(holder: dict[str, Any], key: str, shown: str, default: str | None = None) -> str:
    value = holder.get(key)
    if value is None and default is not None:
        return default
    if type(value) is not str:
        raise Malformed(f"{shown}: expected a text")
    return value


def _path(given: dict[str, Any], key: str) -> str:
    path = _text(given, key, f"tool_input.{key}")
    if not path or "\0" in path:
        raise Malformed(f"tool_input.{key}: expected the name of a file")
    return path


def _edits(given: dict[str, Any]) -> list[str]:
    edits = given.get("edits")
    if type(edits) is not list:
        raise Malformed("tool_input.edits: expected a list")
    added = []
    for number, edit in enumerate(edits):
        if type(edit) is not dict:
            raise Malformed(f"tool_input.edits[{number}]: expected an object")
        added.append(_text(edit, "new_string", f"tool_input.edits[{number}].new_string"))
    return added
