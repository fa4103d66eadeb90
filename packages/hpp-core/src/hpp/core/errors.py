"""Every failure HPP raises on purpose, and the exit status each one ends in.

This module imports nothing, so that a command can name its errors for free.
"""

from __future__ import annotations

__all__ = ["HppError", "InterruptedRunError", "MachineError", "RefusedError", "UsageError"]


class HppError(Exception):
    """An expected failure: one line for a person, a code for a program.

    Attributes:
        code: Stable dotted name, e.g. ``core.refused``; part of the contract.
        exit_code: Status of a process that ends on this error.

    """

    code = "core.error"
    exit_code = 3


class RefusedError(HppError):
    """An input or a request breaks a contract; nothing was written."""

    code = "core.refused"
    exit_code = 2


class UsageError(HppError):
    """The command line cannot be understood.

    Attributes:
        usage: The usage line of the command it was meant for, or an empty text.

    """

    code = "core.usage"
    exit_code = 3

    def __init__(self, message: str, usage: str = "") -> None:
        super().__init__(message)
        self.usage = usage


class MachineError(HppError):
    """The operating system refused a write that the command owed."""

    code = "core.machine"
    exit_code = 3


class InterruptedRunError(HppError):
    """A person or a supervisor stopped the command before it had an answer."""

    code = "core.interrupted"
    exit_code = 3
