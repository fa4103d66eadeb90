"""Contracts shared by every HPP distribution.

Only the errors are re-exported: everything else is imported from its own module,
so that a command that runs before every tool call pays for what it uses.
"""

from hpp.core.errors import (
    HppError,
    InterruptedRunError,
    MachineError,
    RefusedError,
    UsageError,
)

__all__ = ["HppError", "InterruptedRunError", "MachineError", "RefusedError", "UsageError"]
