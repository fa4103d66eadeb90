"""Routing: the tier that a request needs at least, and who of the declared serves it.

Nothing is known of models, vendors or prices. A tier is never lowered: when nobody offers
the one that is asked for, somebody above it serves, or nobody.
"""

from __future__ import annotations

from hpp.core.arguments import LARGEST_INTEGER
from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.core.tier import TIERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = [
    "LEVELS",
    "TIERS",
    "Provider",
    "Request",
    "Route",
    "choose_route",
    "parse_providers",
    "parse_request",
]

LEVELS = ("low", "medium", "high")
_LARGE_CONTEXT = 16_000
_MEDIUM_CONTEXT = 8_000


class Request:
    """What is to be served.

    Attributes:
        stage: Step of the work, e.g. ``build``.
        risk, complexity: ``low``, ``medium`` or ``high``.
        context: Size of what is sent along, in the unit of every `Provider.max_context`.

    """

    __slots__ = ("complexity", "context", "risk", "stage")

    def __init__(self, stage: str, risk: str, complexity: str, context: int) -> None:
        self.stage = stage
        self.risk = risk
        self.complexity = complexity
        self.context = context


class Provider:
    """Who can serve; `tiers` and `stages` hold what it offers, in any order."""

    __slots__ = ("id", "max_context", "stages", "tiers")

    def __init__(
        self,
        id: str,  # noqa: A002 -- the key of the document
        tiers: Sequence[str],
        stages: Sequence[str],
        max_context: int,
    ) -> None:
        self.id = id
        self.tiers = frozenset(tiers)
        self.stages = frozenset(stages)
        self.max_context = max_context


class Route:
    """Who serves a request, and why.

    Attributes:
        requested_tier: The lowest tier that the request and the policy allow.
        provider, tier: Who serves it, at which tier; never below the requested one.
        eligible: Ids of everyone who serves the stage and the context, sorted.

    """

    __slots__ = ("eligible", "policy", "provider", "request", "requested_tier", "tier")

    def __init__(  # noqa: PLR0913 -- a record, always made with keywords
        self,
        *,
        request: Request,
        policy: str,
        requested_tier: str,
        provider: str,
        tier: str,
        eligible: Sequence[str],
    ) -> None:
        self.request = request
        self.policy = policy
        self.requested_tier = requested_tier
        self.provider = provider
        self.tier = tier
        self.eligible = list(eligible)

    def document(self) -> dict[str, Any]:
        """Return the result ``hpp.route/v1``."""
        fallback = None
        if self.tier != self.requested_tier:
            fallback = {
                "reason": "upgraded-above-requested-tier",
                "requested_tier": self.requested_tier,
            }
        request = self.request
        return {
            "schema": "hpp.route/v1",
            "policy": self.policy,
            "requested_tier": self.requested_tier,
            "selection": {"provider": self.provider, "tier": self.tier},
            "fallback": fallback,
            "eligible_providers": self.eligible,
            "rationale": {
                "risk": request.risk,
                "complexity": request.complexity,
                "context": request.context,
                "stage": request.stage,
            },
        }


def requested_tier(request: Request, policy: str) -> str:
    """Return the lowest tier that may serve a request under a policy."""
    grades = (request.risk, request.complexity)
    if "high" in grades or request.context > _LARGE_CONTEXT:
        return "frontier"
    if "medium" in grades or request.context > _MEDIUM_CONTEXT:
        return "frontier" if policy == "frontier" else "balanced"
    return policy


def choose_route(
    request: Request, providers: Sequence[Provider], policy: str = "balanced"
) -> Route:
    """Return who serves a request; the order of the providers makes no difference.

    Raises:
        RefusedError: Nobody serves the stage and the context at the tier or above it.

    """
    floor = TIERS.index(requested_tier(request, policy))
    eligible = [
        provider
        for provider in providers
        if request.stage in provider.stages and provider.max_context >= request.context
    ]
    if not eligible:
        raise RefusedError(
            f'no provider serves stage "{shorten(request.stage)}" with a context of '
            f"{request.context}"
        )
    offers = [
        (TIERS.index(tier), provider.id)
        for provider in eligible
        for tier in provider.tiers
        if TIERS.index(tier) >= floor
    ]
    if not offers:
        names = ", ".join(shorten(provider.id) for provider in eligible[:5])
        raise RefusedError(f"no eligible provider offers tier {TIERS[floor]} or above: {names}")
    rank, chosen = min(offers)
    return Route(
        request=request,
        policy=policy,
        requested_tier=TIERS[floor],
        provider=chosen,
        tier=TIERS[rank],
        eligible=sorted(provider.id for provider in eligible),
    )


def parse_request(document: dict[str, Any], name: str) -> Request:
    """Return a request; `name` stands for its file in messages.

    Raises:
        RefusedError: A value is missing or not of its kind.

    """
    stage = _text(document, "stage", name)
    risk, complexity = (_level(document, key, name) for key in ("risk", "complexity"))
    return Request(stage, risk, complexity, _size(document, "context", name))


def parse_providers(document: list[Any], name: str) -> list[Provider]:
    """Return every provider of a list; all of them are checked before any is of use.

    Raises:
        RefusedError: The list is empty, an id is repeated, or a value is not of its kind.

    """
    if not document:
        raise RefusedError(f"{name}: expected a non-empty list of providers")
    seen: dict[str, int] = {}
    providers = []
    for number, raw in enumerate(document):
        where = f"{name}: [{number}]"
        if type(raw) is not dict:
            raise RefusedError(f"{where}: expected an object")
        provider = Provider(
            _text(raw, "id", where),
            _texts(raw, "tiers", where, TIERS),
            _texts(raw, "stages", where),
            _size(raw, "max_context", where),
        )
        first = seen.setdefault(provider.id, number)
        if first != number:
            raise RefusedError(
                f'{where}.id: "{shorten(provider.id)}" is the id of [{first}] already'
            )
        providers.append(provider)
    return providers


def _place(where: str, key: str) -> str:
    return f"{where}.{key}" if where.endswith("]") else f"{where}: {key}"


def _text(raw: dict[str, Any], key: str, where: str) -> str:
    value = raw.get(key)
    if type(value) is not str or not value.strip():
        raise RefusedError(f"{_place(where, key)}: expected a non-blank text")
    return value


def _level(raw: dict[str, Any], key: str, where: str) -> str:
    value = raw.get(key)
    if type(value) is not str or value not in LEVELS:
        raise RefusedError(f"{_place(where, key)}: expected one of {', '.join(LEVELS)}")
    return value


def _size(raw: dict[str, Any], key: str, where: str) -> int:
    value = raw.get(key)
    if type(value) is not int or not 0 <= value <= LARGEST_INTEGER:
        raise RefusedError(f"{_place(where, key)}: expected an integer of 0 or more")
    return value


def _texts(
    raw: dict[str, Any], key: str, where: str, allowed: Sequence[str] | None = None
) -> list[str]:
    values = raw.get(key)
    if type(values) is not list or not values:
        raise RefusedError(f"{_place(where, key)}: expected a non-empty list of texts")
    for number, value in enumerate(values):
        if type(value) is not str or not value.strip():
            raise RefusedError(f"{_place(where, key)}[{number}]: expected a non-blank text")
        if allowed is not None and value not in allowed:
            raise RefusedError(
                f"{_place(where, key)}[{number}]: expected one of {', '.join(allowed)}"
            )
    return values
