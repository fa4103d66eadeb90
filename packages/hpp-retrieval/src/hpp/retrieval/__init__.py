"""Measure a retriever apart from generation, and check that citations resolve.

The names are loaded when they are first asked for: a command of this distribution
passes through here and needs a few of them at most.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.retrieval.citation import Check, check_texts
    from hpp.retrieval.citecontext import Context, read_context
    from hpp.retrieval.citedtext import Text, read_text
    from hpp.retrieval.evaluation import Evaluation, evaluate
    from hpp.retrieval.gate import Gate
    from hpp.retrieval.retriever import CommandRetriever, Replay
    from hpp.retrieval.suite import Suite, read_suite

__all__ = [
    "Check",
    "CommandRetriever",
    "Context",
    "Evaluation",
    "Gate",
    "Replay",
    "Suite",
    "Text",
    "check_texts",
    "evaluate",
    "read_context",
    "read_suite",
    "read_text",
]

_HOMES = {
    "Check": "citation",
    "CommandRetriever": "retriever",
    "Context": "citecontext",
    "Evaluation": "evaluation",
    "Gate": "gate",
    "Replay": "retriever",
    "Suite": "suite",
    "Text": "citedtext",
    "check_texts": "citation",
    "evaluate": "evaluation",
    "read_context": "citecontext",
    "read_suite": "suite",
    "read_text": "citedtext",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
