"""Evidence: run a criterion, record what was measured, verify the record.

The names are loaded when they are first asked for: a command of this distribution
passes through here and needs one of them at most.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.evidence.criterion import Result, run_criterion
    from hpp.evidence.request import Request
    from hpp.evidence.verification import Report, verify_record

__all__ = ["Report", "Request", "Result", "run_criterion", "verify_record"]

_HOMES = {
    "Report": "verification",
    "Request": "request",
    "Result": "criterion",
    "run_criterion": "criterion",
    "verify_record": "verification",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
