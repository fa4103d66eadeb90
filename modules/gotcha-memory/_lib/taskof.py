"""The command that an event is about, and the task it stands for."""

from __future__ import annotations

from hpp.core.portable.payload import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.taskkey import Task

    from hpp.core.portable.payload import Payload

__all__ = ["command_of", "task_of"]


def command_of(payload: Payload) -> str | None:
    """Return what the shell is given; None for another tool and for nothing to run.

    Raises:
        Malformed: A field has a wrong type.

    """
    if payload.tool != "Bash":
        return None
    _text(payload, "description")
    return _text(payload, "command") or None


def task_of(payload: Payload, command: str) -> Task:
    """Return the task of a command, with the agent's own words for it where it gave some."""
    from _lib.taskkey import Task

    return Task(command, _text(payload, "description"))


def _text(payload: Payload, name: str) -> str:
    value = payload.tool_input.get(name)
    if value is not None and not isinstance(value, str):
        raise Malformed(f"tool_input.{name}: expected a text")
    return value if value and value.strip() else ""
