from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.schema import faults, find_schema
from hpp.decide import proof, route
from hpp.decide.command import main
from hpp.decide.route import TIERS, Provider, Request, choose_route, requested_tier

if TYPE_CHECKING:
    from pathlib import Path

LEVELS = ["low", "medium", "high"]
REQUESTS = st.builds(
    Request,
    st.sampled_from(["build", "review"]),
    st.sampled_from(LEVELS),
    st.sampled_from(LEVELS),
    st.sampled_from([0, 8_000, 8_001, 16_000, 16_001, 90_000]),
)
PROVIDERS = st.lists(
    st.builds(
        Provider,
        st.text("abcdef", min_size=1, max_size=3),
        st.lists(st.sampled_from(TIERS), min_size=1),
        st.lists(st.sampled_from(["build", "review"]), min_size=1),
        st.sampled_from([0, 8_000, 20_000, 100_000]),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda provider: provider.id,
)


def chosen(request: Request, providers: list[Provider], policy: str) -> dict[str, Any] | None:
    try:
        return choose_route(request, providers, policy).document()
    except RefusedError:
        return None


@given(REQUESTS, PROVIDERS, st.sampled_from(TIERS))
def test_it_is_the_lowest_tier_that_anyone_able_offers(
    request: Request, providers: list[Provider], policy: str
) -> None:
    floor = TIERS.index(requested_tier(request, policy))
    able = [
        one
        for one in providers
        if request.stage in one.stages and one.max_context >= request.context
    ]

    found = chosen(request, providers, policy)

    for rank in range(floor, len(TIERS)):
        ids = sorted(one.id for one in able if TIERS[rank] in one.tiers)
        if ids:
            assert found is not None
            assert found["selection"] == {"provider": ids[0], "tier": TIERS[rank]}
            assert (found["fallback"] is None) == (rank == floor)
            return
    assert found is None


@given(REQUESTS, PROVIDERS, st.sampled_from(TIERS))
def test_the_order_of_providers_makes_no_difference(
    request: Request, providers: list[Provider], policy: str
) -> None:
    assert chosen(request, providers, policy) == chosen(request, providers[::-1], policy)


@given(REQUESTS, st.sampled_from(TIERS))
def test_more_risk_never_lowers_the_tier(request: Request, policy: str) -> None:
    tiers = [
        TIERS.index(
            requested_tier(
                Request(request.stage, risk, request.complexity, request.context), policy
            )
        )
        for risk in LEVELS
    ]

    assert tiers == sorted(tiers)


@pytest.mark.parametrize(
    ("context", "policy", "tier"),
    [
        (8_000, "economy", "economy"),
        (8_001, "economy", "balanced"),
        (8_001, "frontier", "frontier"),
        (16_000, "balanced", "balanced"),
        (16_001, "economy", "frontier"),
    ],
)
def test_the_borders_of_the_context(context: int, policy: str, tier: str) -> None:
    assert requested_tier(Request("build", "low", "low", context), policy) == tier


REQUEST: dict[str, Any] = {"stage": "build", "risk": "low", "complexity": "low", "context": 1}
PROVIDER: dict[str, Any] = {"id": "a", "tiers": ["economy"], "stages": ["build"], "max_context": 9}


def run(tmp_path: Path, request: object, providers: object, *more: str) -> int:
    (tmp_path / "q.json").write_text(json.dumps(request), encoding="utf-8")
    (tmp_path / "p.json").write_text(json.dumps(providers), encoding="utf-8")
    files = ["--request", str(tmp_path / "q.json"), "--providers", str(tmp_path / "p.json")]
    return main(["route", *files, *more])


def test_the_program_prints_what_its_schema_says(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run(tmp_path, REQUEST, [PROVIDER], "--policy", "economy") == 0

    printed = json.loads(capfdbinary.readouterr().out)
    assert printed["selection"] == {"provider": "a", "tier": "economy"}
    assert not list(faults(find_schema("route").document(), printed))
    printed["fallback"] = {"reason": "cheaper"}
    assert list(faults(find_schema("route").document(), printed))


@pytest.mark.parametrize(
    ("request_change", "provider_change", "place"),
    [
        ({"stage": " "}, {}, "q.json: stage:"),
        ({"risk": "none"}, {}, "q.json: risk:"),
        ({"risk": ["low"]}, {}, "q.json: risk:"),
        ({"complexity": None}, {}, "q.json: complexity:"),
        ({"context": True}, {}, "q.json: context:"),
        ({"context": -1}, {}, "q.json: context:"),
        ({"context": 1.0}, {}, "q.json: context:"),
        ({}, {"id": ""}, "p.json: [1].id:"),
        ({}, {"id": "a"}, "p.json: [1].id:"),
        ({}, {"tiers": []}, "p.json: [1].tiers:"),
        ({}, {"tiers": ["economy", "best"]}, "p.json: [1].tiers[1]:"),
        ({}, {"stages": "build"}, "p.json: [1].stages:"),
        ({}, {"stages": ["\t"]}, "p.json: [1].stages[0]:"),
        ({}, {"max_context": 1e3}, "p.json: [1].max_context:"),
    ],
)
def test_a_value_that_is_wrong_is_named(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    request_change: dict[str, Any],
    provider_change: dict[str, Any],
    place: str,
) -> None:
    second = {**PROVIDER, "id": "b", **provider_change}

    assert run(tmp_path, {**REQUEST, **request_change}, [PROVIDER, second]) == 2

    out, err = capfd.readouterr()
    assert not out
    assert place in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("providers", [[], [7], {}, "a"])
def test_providers_are_a_list_of_objects(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], providers: object
) -> None:
    assert run(tmp_path, REQUEST, providers) == 2
    assert "p.json" in capfd.readouterr().err


def test_nobody_serves_below_the_tier(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, {**REQUEST, "risk": "high"}, [PROVIDER]) == 2
    assert "frontier" in capfd.readouterr().err


def test_a_policy_that_is_no_tier_cannot_be_understood(tmp_path: Path) -> None:
    assert run(tmp_path, REQUEST, [PROVIDER], "--policy", "best") == 3


def test_the_control_holds_and_sees_a_floor_that_gave_way(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proof.routing_risk_floor() is True

    monkeypatch.setattr(route, "requested_tier", lambda *_: "economy")

    assert proof.routing_risk_floor() is False
