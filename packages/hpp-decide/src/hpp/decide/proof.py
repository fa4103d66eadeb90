"""The control of this distribution: a case that must pass, and ones that must not."""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.decide import route

__all__ = ["routing_risk_floor"]


def routing_risk_floor() -> bool:
    """Serve low risk by economy; refuse high risk when nobody is capable of it."""
    cheap = route.Provider("cheap", ["economy"], ["build"], 1_000)
    low = route.Request("build", "low", "low", 10)
    served = route.choose_route(low, [cheap], "economy")
    if (served.provider, served.tier) != ("cheap", "economy"):
        return False
    for risk, complexity in (("high", "low"), ("low", "high"), ("medium", "low")):
        try:
            route.choose_route(route.Request("build", risk, complexity, 10), [cheap], "economy")
        except RefusedError:
            continue
        return False
    return True
