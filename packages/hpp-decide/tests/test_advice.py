from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.schema import faults, find_schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., tuple[int, Any, str]]
    Make = Callable[..., Any]
    Put = Callable[[str, object], str]

PROVIDERS = [
    {"id": name[0], "tiers": [name], "stages": ["build"], "max_context": 9}
    for name in ("economy", "balanced", "frontier")
]


@pytest.fixture
def sealed(program: Call, put: Put, panel: Make, turns: Make, judge: Make) -> Make:
    """Return a maker of a sealed session with a verdict; None is one that abstained."""

    def make(value: str | None, options: tuple[str, ...] = ("low", "medium", "high")) -> str:
        question = {"id": "risk", "kind": "choice", "options": list(options), "ladder": True}
        made = panel(question=question)
        words = f"{value} {value} {value}" if value else " ".join(["abstain"] * 3)
        rounds = [words] if value else [words, words]
        files = ["--panel", put("p.json", made), "--turns", put("t.json", turns(made, *rounds))]
        files += ["--judge", put("j.json", judge(value, question=question))]
        assert program("deliberate", "record", *files, "--out", "r.json")[0] == 0
        return "r.json"

    return make


@pytest.fixture
def route(program: Call, put: Put) -> Call:
    """Return a caller of `route` for a declared risk."""

    def call(risk: str, *options: str) -> tuple[int, Any, str]:
        request = {"stage": "build", "risk": risk, "complexity": "low", "context": 1}
        files = ["--request", put("q.json", request), "--providers", put("all.json", PROVIDERS)]
        return program("route", *files, "--policy", "economy", *options)

    return call


@pytest.mark.parametrize(
    ("declared", "advised", "risk", "tier", "action"),
    [
        ("low", "high", "high", "frontier", "raised"),
        ("low", "medium", "medium", "balanced", "raised"),
        ("low", "low", "low", "economy", "kept"),
        ("high", "low", "high", "frontier", "kept"),
        ("medium", "medium", "medium", "balanced", "kept"),
        ("medium", None, "medium", "balanced", "kept"),
    ],
)
def test_a_session_raises_the_risk_and_never_lowers_it(  # noqa: PLR0913, PLR0917 -- the columns
    sealed: Make,
    route: Call,
    declared: str,
    advised: str | None,
    risk: str,
    tier: str,
    action: str,
) -> None:
    code, printed, _ = route(declared, "--deliberation", sealed(advised))

    assert code == 0
    assert (printed["rationale"]["risk"], printed["selection"]["tier"]) == (risk, tier)
    told = printed["deliberation"]
    assert (told["declared_risk"], told["action"]) == (declared, action)
    assert (told["value"], told["judge_family"]) == (advised, "fj")
    assert faults(find_schema("route").document(), printed) == []


def test_without_a_session_nothing_is_told_of_one(route: Call) -> None:
    assert "deliberation" not in route("low")[1]


@pytest.mark.parametrize("family", ["fj", "FJ ", "\uff46\uff4a"])
def test_a_judge_of_the_maker_s_family_is_no_other_opinion(
    sealed: Make, route: Call, family: str
) -> None:
    record = sealed("high")

    code, _, told = route("low", "--deliberation", record, "--maker-family", family)

    assert (code, "r.json: its judge is of the maker's family" in told) == (2, True)
    assert route("low", "--deliberation", record, "--maker-family", "fa")[0] == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--maker-family", "fa"], "--maker-family is held against the judge"),
        (["--deliberation", "r.json", "--maker-family", " "], "--maker-family: expected"),
        (["--deliberation", "nope.json"], "nope.json: there is no such file"),
        (["--deliberation", "p.json"], "p.json: schema: expected one of"),
        (["--deliberation", "broken.json"], "broken.json: the record is broken"),
    ],
)
def test_what_cannot_be_asked_is_refused(  # noqa: PLR0913, PLR0917 -- fixtures and columns
    sealed: Make,
    route: Call,
    put: Put,
    workspace: Path,
    options: list[str],
    told: str,
) -> None:
    sealed("high")
    record = json.loads((workspace / "r.json").read_text(encoding="utf-8"))
    put("broken.json", {**record, "verdict": {**record["verdict"], "value": "low"}})

    code, printed, message = route("low", *options)

    assert (code, printed, told in message) == (2, None, True), message


@pytest.mark.parametrize("options", [("high", "low"), ("go", "stop"), ("low", "high", "extreme")])
def test_a_session_about_something_else_is_no_advice(
    sealed: Make, route: Call, options: tuple[str, ...]
) -> None:
    code, _, told = route("low", "--deliberation", sealed(options[0], options))

    assert (code, "panel.question.options: expected a ladder out of low" in told) == (2, True)


def test_a_ladder_of_some_levels_will_do(sealed: Make, route: Call) -> None:
    printed = route("low", "--deliberation", sealed("high", ("low", "high")))[1]

    assert printed["rationale"]["risk"] == "high"
