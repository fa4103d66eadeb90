"""Typed decisions, deliberations, findings and routes: advice made elsewhere, checked here.

The names are loaded when they are first asked for: a command of this distribution passes
through here and needs few of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.decide.decider import ask, replay
    from hpp.decide.decision import Decision, read_decision
    from hpp.decide.deliberation import Deliberation, conclude
    from hpp.decide.evaluation import Evaluation
    from hpp.decide.finding import Review, read_review
    from hpp.decide.gate import Demands
    from hpp.decide.metric import Metrics
    from hpp.decide.panel import Panel, read_panel
    from hpp.decide.place import Place
    from hpp.decide.question import Question
    from hpp.decide.route import (
        TIERS,
        Provider,
        Request,
        Route,
        choose_route,
        parse_providers,
        parse_request,
    )
    from hpp.decide.seal import broken_reason, sealed_record
    from hpp.decide.session import Session, read_session
    from hpp.decide.suite import Suite, parse_suite, read_suite

__all__ = [
    "TIERS",
    "Decision",
    "Deliberation",
    "Demands",
    "Evaluation",
    "Metrics",
    "Panel",
    "Place",
    "Provider",
    "Question",
    "Request",
    "Review",
    "Route",
    "Session",
    "Suite",
    "ask",
    "broken_reason",
    "choose_route",
    "conclude",
    "parse_providers",
    "parse_request",
    "parse_suite",
    "read_decision",
    "read_panel",
    "read_review",
    "read_session",
    "read_suite",
    "replay",
    "sealed_record",
]

_HOMES = {
    "decider": ("ask", "replay"),
    "decision": ("Decision", "read_decision"),
    "deliberation": ("Deliberation", "conclude"),
    "evaluation": ("Evaluation",),
    "finding": ("Review", "read_review"),
    "gate": ("Demands",),
    "metric": ("Metrics",),
    "panel": ("Panel", "read_panel"),
    "place": ("Place",),
    "question": ("Question",),
    "route": (
        "TIERS",
        "Provider",
        "Request",
        "Route",
        "choose_route",
        "parse_providers",
        "parse_request",
    ),
    "seal": ("broken_reason", "sealed_record"),
    "session": ("Session", "read_session"),
    "suite": ("Suite", "parse_suite", "read_suite"),
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
