from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.errors import RefusedError
from hpp.core.workspec import parse_spec, read_spec

if TYPE_CHECKING:
    from pathlib import Path

SOUND = {"id": "a", "acceptance": ["a is done"], "tier": "economy"}


def spec(*units: dict[str, Any], **rest: Any) -> dict[str, Any]:  # noqa: ANN401 -- any JSON
    return {"work": list(units), **rest}


def test_what_is_left_out_has_a_default() -> None:
    (unit,) = parse_spec(spec({**SOUND, "title": "ignored"}), "s").units

    assert list(unit.depends_on) == []
    assert list(unit.gate) == []
    assert [(one.id, one.text) for one in unit.criteria] == [("a/a-is-done", "a is done")]


def test_a_unit_takes_the_gate_of_the_spec_unless_it_declares_one() -> None:
    other = {**SOUND, "id": "b", "gate": ["clean_worktree"]}

    units = parse_spec(spec(SOUND, other, done_gate=["review_ready"]), "s").units

    assert [list(unit.gate) for unit in units] == [["review_ready"], ["clean_worktree"]]


def test_texts_and_ids_of_criteria_are_trimmed() -> None:
    entries = ["  The page opens.\n", {"id": " x.1 ", "text": " y ", "why": "ignored"}]

    (unit,) = parse_spec(spec({**SOUND, "acceptance": entries}), "s").units

    assert [(one.id, one.text) for one in unit.criteria] == [
        ("a/the-page-opens", "The page opens."),
        ("a/x.1", "y"),
    ]


def test_an_id_that_is_no_key_is_slugged_in_its_criteria_alone() -> None:
    (unit,) = parse_spec(spec({**SOUND, "id": 'Say "hi" (now)'}), "s").units

    assert unit.id == 'Say "hi" (now)'
    assert unit.criteria[0].id == "say-hi-now/a-is-done"


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in SOUND.items() if name != key}


@pytest.mark.parametrize(
    ("document", "place", "what"),
    [
        ({}, "work", "non-empty list"),
        (spec(), "work", "non-empty list"),
        ({"work": {"id": "a"}}, "work", "non-empty list"),
        (spec(SOUND, done_gate=[]), "done_gate", "non-empty list"),
        (spec(SOUND, done_gate="review_ready"), "done_gate", "non-empty list"),
        (spec(SOUND, done_gate=["blessing"]), "done_gate[0]", 'unknown gate "blessing"'),
        (spec(SOUND, done_gate=[["x"]]), "done_gate[0]", "unknown gate"),
        (spec(SOUND, done_gate=["review_ready"] * 2), "done_gate[1]", "twice"),
        ({"work": [SOUND, 1]}, "work[1]", "expected an object"),
        (spec({**SOUND, "id": " "}), "work[0].id", "non-blank"),
        (spec({**SOUND, "id": 1}), "work[0].id", "non-blank"),
        (spec(without("id")), "work[0].id", "non-blank"),
        (spec(SOUND, {**SOUND, "tier": 0}), "work[1].id", 'duplicate id "a"'),
        (spec({**SOUND, "id": "!?"}), "work[0].id", "no letter or digit"),
        (spec({**SOUND, "depends_on": None}), "work[0].depends_on", "expected a list"),
        (spec({**SOUND, "depends_on": "b"}), "work[0].depends_on", "expected a list"),
        (spec({**SOUND, "depends_on": ["b", 2]}), "work[0].depends_on[1]", "id of a unit"),
        (spec({**SOUND, "depends_on": ["b", "c", "b"]}), "work[0].depends_on[2]", '"b" is named'),
        (spec(without("acceptance")), "work[0].acceptance", "needs non-empty acceptance criteria"),
        (spec({**SOUND, "acceptance": []}), "work[0].acceptance", "needs non-empty acceptance"),
        (spec({**SOUND, "acceptance": "x"}), "work[0].acceptance", "needs non-empty acceptance"),
        (spec({**SOUND, "acceptance": ["x", " "]}), "work[0].acceptance[1]", "a text is blank"),
        (spec({**SOUND, "acceptance": [3]}), "work[0].acceptance[0]", "a text or an object"),
        (spec({**SOUND, "acceptance": [{}]}), "work[0].acceptance[0].text", "non-blank"),
        (spec({**SOUND, "acceptance": ["?!"]}), "work[0].acceptance[0]", "give it an id"),
        (
            spec({**SOUND, "acceptance": [{"text": "x", "id": "a b"}]}),
            "work[0].acceptance[0].id",
            "letter",
        ),
        (
            spec({**SOUND, "acceptance": [{"text": "x", "id": None}]}),
            "work[0].acceptance[0].id",
            "letter",
        ),
        (spec({**SOUND, "acceptance": ["X", "x!"]}), "work[0].acceptance[1]", "a/x exists"),
        (spec(without("tier")), "work[0].tier", "economy, balanced, frontier"),
        (spec({**SOUND, "tier": "Economy"}), "work[0].tier", "economy, balanced, frontier"),
        (spec({**SOUND, "gate": None}), "work[0].gate", "non-empty list"),
        (spec({**SOUND, "gate": ["x"]}), "work[0].gate[0]", "unknown gate"),
    ],
)
def test_what_breaks_a_rule_is_refused_with_its_place(
    document: dict[str, Any], place: str, what: str
) -> None:
    with pytest.raises(RefusedError, match=rf"^s\.json: {re.escape(place)}: .*{re.escape(what)}"):
        parse_spec(document, "s.json")


def test_criterion_ids_are_unique_in_the_whole_spec() -> None:
    units = [{**SOUND, "id": "a b"}, {**SOUND, "id": "a-b"}]

    with pytest.raises(RefusedError, match="a-b/a-is-done exists already"):
        parse_spec(spec(*units), "s")


def test_a_hostile_id_is_shown_without_control_characters() -> None:
    unit = {**SOUND, "id": "a\n\x1b[2J", "depends_on": ["b", "b"], "acceptance": []}

    with pytest.raises(RefusedError) as refused:
        parse_spec(spec({**unit, "depends_on": []}), "s")

    assert "a\\n\\u001b[2J" in str(refused.value)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte-order mark"])
def test_a_file_is_read_with_and_without_a_byte_order_mark(tmp_path: Path, mark: bytes) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(mark + json.dumps(spec({**SOUND, "id": "“é”1"})).encode())

    assert read_spec(str(path)).units[0].id == "“é”1"


def test_a_utf_16_file_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(json.dumps(spec(SOUND)).encode("utf-16"))

    with pytest.raises(RefusedError, match="UTF-16"):
        read_spec(str(path))


def test_control_a_sound_spec_is_not_refused() -> None:
    assert len(parse_spec(spec(SOUND, {**SOUND, "id": "b"}), "s").units) == 2
