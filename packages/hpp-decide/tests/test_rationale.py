from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.errors import RefusedError
from hpp.decide.panel import read_panel
from hpp.decide.place import Place
from hpp.decide.rationale import read_rationale

if TYPE_CHECKING:
    from collections.abc import Callable

    Make = Callable[..., Any]


@pytest.fixture
def read(panel: Make, rationale: Make) -> Callable[..., dict[str, Any]]:
    """Return a reader of a rationale for some dissenting positions."""

    def call(answered: str, dissent: str, **changes: object) -> dict[str, Any]:
        document = rationale(panel(), *answered.split(), **changes)
        owner = read_panel(Place(panel(), "p.json"))
        return read_rationale(Place(document, "r.json"), owner, dissent.split())

    return call


@pytest.mark.parametrize("dissent", ["low", "low medium", "medium low low"])
def test_every_dissenting_position_is_answered_once(
    read: Callable[..., dict[str, Any]], dissent: str
) -> None:
    found = read(" ".join(sorted(set(dissent.split()))), dissent)

    assert {text["position"] for text in found["steelman"]} == set(dissent.split())


@pytest.mark.parametrize(
    ("answered", "dissent", "changes", "told"),
    [
        ("low", "low medium", {}, 'steelman: the dissenting position "medium" is not answered'),
        ("", "low", {}, 'steelman: the dissenting position "low" is not answered'),
        ("low high", "low", {}, r"steelman\[1\].position: nobody dissents with it"),
        ("low low", "low", {}, r"steelman\[1\].position: the position is answered twice"),
        ("low", "low", {"schema": "x"}, "schema: expected"),
        ("low", "low", {"panel_sha256": "0" * 64}, "panel_sha256: it answers another panel"),
        ("low", "low", {"author": "a"}, 'author: expected "j"'),
        ("low", "low", {"x": 1}, "x: unknown key"),
        ("low", "low", {"steelman": {}}, "steelman: expected a list"),
        ("low", "low", {"steelman__0__chars": 0}, r"steelman\[0\].chars: expected an integer of 1"),
        ("low", "low", {"steelman__0__text": "x"}, r"steelman\[0\].text: unknown key"),
        ("low", "low", {"steelman__0__text_sha256": "x"}, r"steelman\[0\].text_sha256: expected"),
        ("low", "low", {"would_change_if": []}, "would_change_if: expected a list of 1 or more"),
        ("low", "low", {"would_change_if": [{}]}, r"would_change_if\[0\].text_sha256: expected"),
        ("low", "low", {"would_change_if": ["x"]}, r"would_change_if\[0\]: expected an object"),
        (
            "low",
            "low",
            {"would_change_if__0__position": "low"},
            r"would_change_if\[0\].position: unknown key",
        ),
    ],
)
def test_a_broken_rule_is_named(
    read: Callable[..., dict[str, Any]],
    answered: str,
    dissent: str,
    changes: dict[str, Any],
    told: str,
) -> None:
    with pytest.raises(RefusedError, match=f"^r.json: {told}"):
        read(answered, dissent, **changes)
