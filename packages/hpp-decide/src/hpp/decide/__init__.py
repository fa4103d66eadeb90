"""Decisions that are derived from declared facts, never asked of a model."""

from __future__ import annotations

from hpp.decide.route import (
    TIERS,
    Provider,
    Request,
    Route,
    choose_route,
    parse_providers,
    parse_request,
)

__all__ = [
    "TIERS",
    "Provider",
    "Request",
    "Route",
    "choose_route",
    "parse_providers",
    "parse_request",
]
