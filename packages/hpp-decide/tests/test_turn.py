from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.errors import RefusedError
from hpp.decide.panel import read_panel
from hpp.decide.place import Place
from hpp.decide.turn import Turn, read_turn

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[..., tuple[int, Any, str]]
    Make = Callable[..., Any]
    Put = Callable[[str, object], str]


@pytest.fixture
def read(panel: Make, turn: Make) -> Callable[..., Turn]:
    """Return a reader of a turn of seat a with some changes."""
    made = panel()

    def call(number: int = 1, **changes: object) -> Turn:
        document = turn(made, "a", number, "high", "r1", **changes)
        return read_turn(Place(document, "t.json"), read_panel(Place(made, "p.json")))

    return call


def test_the_hash_covers_the_normalised_turn(
    read: Callable[..., Turn], panel: Make, turn: Make, digest: Callable[[object], str]
) -> None:
    plain = turn(panel(), "a", 1, "high")

    found = read(note="dropped", claims__0__note="dropped")

    assert found.sha256 == digest(plain)
    assert found.document() == {**plain, "sha256": digest(plain)}
    assert read(sha256=digest(plain)).sha256 == digest(plain)


def test_an_absent_confidence_is_null(read: Callable[..., Turn], dropped: object) -> None:
    assert read(confidence=dropped).sha256 == read().sha256


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"schema": "x"}, "schema: expected"),
        ({"panel_sha256": "0" * 64}, "panel_sha256: it is a turn of another panel"),
        ({"panel_sha256": None}, "panel_sha256: expected 64"),
        ({"seat": "j"}, "seat: the judge takes no turn"),
        ({"seat": "x"}, 'seat: the panel has no seat "x"'),
        ({"seat": 1}, "seat: expected a non-blank text"),
        ({"round": 0}, "round: expected an integer from 1 to 2"),
        ({"round": 3}, "round: expected an integer from 1 to 2"),
        ({"round": True}, "round: expected an integer"),
        ({"position": "none"}, "position: expected one of low"),
        ({"position": ["low"]}, "position: expected one of low"),
        ({"confidence": 1.5}, "confidence: expected a number from 0 to 1"),
        ({"confidence": "sure"}, "confidence: expected a number from 0 to 1"),
        ({"claims": {}}, "claims: expected a list of claims"),
        ({"claims__0": "r1"}, r"claims\[0\]: expected an object"),
        ({"claims__0__kind": "rumour"}, r"claims\[0\].kind: expected one of fact"),
        ({"claims__0__refs": "r1"}, r"claims\[0\].refs: expected a list"),
        ({"claims__0__refs": [""]}, r"claims\[0\].refs\[0\]: expected a non-empty text"),
        ({"claims__0__refs": ["r1", "r1"]}, r'claims\[0\].refs\[1\]: the reference "r1" is rep'),
        ({"text_sha256": "x"}, "text_sha256: expected 64"),
        ({"chars": -1}, "chars: expected an integer of 0 or more"),
        ({"chars": 1.0}, "chars: expected an integer"),
        ({"seen_turns": None}, "seen_turns: expected a list"),
        ({"seen_turns": ["0" * 64]}, "seen_turns: the first round is blind"),
        ({"round": 2, "seen_turns": ["x"]}, r"seen_turns\[0\]: expected 64"),
        ({"round": 2, "seen_turns": ["0" * 64] * 2}, r"seen_turns\[1\]: the turn is named twice"),
        ({"sha256": "0" * 64}, "sha256: it is not the hash of this turn"),
    ],
)
def test_a_broken_rule_is_named(
    read: Callable[..., Turn], changes: dict[str, Any], told: str
) -> None:
    with pytest.raises(RefusedError, match=f"^t.json: {told}"):
        read(**changes)


def test_what_a_turn_cites_is_listed_once(read: Callable[..., Turn]) -> None:
    claims = [
        {"kind": "opinion", "refs": ["b", "a"]},
        {"kind": "fact", "refs": ["c", "a"]},
        {"kind": "fact", "refs": []},
    ]
    found = read(claims=claims)

    assert found.references() == ["b", "a", "c"]
    assert found.references(facts_only=True) == ["c", "a"]


def test_a_turn_is_checked_with_its_panel(program: Call, put: Put, panel: Make, turn: Make) -> None:
    made = put("t.json", turn(panel(), "a", 1, "high"))
    own, other = put("p.json", panel()), put("other.json", panel(id="p2"))

    code, printed, _ = program("deliberate", "validate", made, "--panel", own)
    assert (code, printed["status"], printed["turn"]["seat"]) == (0, "valid", "a")
    assert program("deliberate", "validate", made, "--panel", other)[0] == 2
    code, _, told = program("deliberate", "validate", made)
    assert (code, "--panel" in told) == (2, True)
