from __future__ import annotations

import json
from typing import Any

import pytest

from hpp.core.control import Control
from hpp.core.errors import RefusedError
from hpp.core.suite import Suite, parse_suite

REPLAY = {"id": "a", "runner": "replay", "outcomes": [True]}
COMMAND = {"id": "a", "runner": "command", "command": ["true"]}
BAD_TIMEOUTS: list[object] = [0, -1, 86401, "x", [], None, True]
CONTROLS = {"known": Control(lambda: lambda: True)}


def parsed(document: object) -> Suite:
    return parse_suite(json.dumps(document).encode(), "s.json", "s", CONTROLS)


def suite(*cases: object, **rest: object) -> dict[str, Any]:
    return {"version": "1", "cases": list(cases), **rest}


def test_a_suite_is_named_by_its_file_unless_it_says_otherwise() -> None:
    assert parsed(suite(REPLAY)).name == "s"
    assert parsed(suite(REPLAY, name="mine")).name == "mine"


def test_the_hash_is_that_of_the_bytes() -> None:
    assert parsed(suite(REPLAY)).sha256 != parsed(suite(REPLAY, extra=1)).sha256


def test_a_command_has_twenty_seconds_unless_it_says_otherwise() -> None:
    assert parsed(suite(COMMAND)).cases[0].timeout_s == 20
    assert parsed(suite({**COMMAND, "timeout": 0.5})).cases[0].timeout_s == 0.5


@pytest.mark.parametrize(
    ("document", "what"),
    [
        ([], "expected an object"),
        ({"cases": [REPLAY]}, "version: expected a non-blank text"),
        (suite(REPLAY, version=" "), "version: expected a non-blank text"),
        (suite(REPLAY, version=1), "version: expected a non-blank text"),
        (suite(REPLAY, name=1), "name: expected a text"),
        ({"version": "1"}, "cases: expected a non-empty list"),
        (suite(), "cases: expected a non-empty list"),
        (suite(1), r"cases\[0\]: expected an object"),
        (suite({**REPLAY, "id": ""}), r"cases\[0\]\.id: expected a non-blank"),
        (suite(REPLAY, REPLAY), r'cases\[1\]\.id: duplicate id "a"'),
        (suite({"id": "a"}), r"cases\[0\]\.runner: expected replay, command or hpp-control"),
        (suite({**REPLAY, "runner": "shell"}), r"cases\[0\]\.runner"),
        (suite({**REPLAY, "runner": ["replay"]}), r"cases\[0\]\.runner"),
        (suite({**REPLAY, "outcomes": []}), r"cases\[0\]\.outcomes: expected a non-empty"),
        (suite({**REPLAY, "outcomes": True}), r"cases\[0\]\.outcomes: expected a non-empty"),
        (suite({**REPLAY, "outcomes": [True, 1]}), r"cases\[0\]\.outcomes\[1\]: expected true"),
        (suite({**COMMAND, "command": "true"}), r"cases\[0\]\.command: expected a non-empty"),
        (suite({**COMMAND, "command": []}), r"cases\[0\]\.command: expected a non-empty"),
        (suite({**COMMAND, "command": [""]}), r"cases\[0\]\.command\[0\]: expected the name"),
        (suite({**COMMAND, "command": ["a", 1]}), r"cases\[0\]\.command\[1\]: expected a text"),
        (suite({**COMMAND, "command": ["a", "\0"]}), r"cases\[0\]\.command\[1\]: expected a text"),
        *[
            (suite({**COMMAND, "timeout": value}), r"cases\[0\]\.timeout: expected seconds")
            for value in BAD_TIMEOUTS
        ],
        (suite({"id": "zz", "runner": "hpp-control"}), r'cases\[0\]\.id: no control is named "zz"'),
        (
            suite({"id": "routing-risk-floor", "runner": "hpp-control"}),
            r"cases\[0\]\.id: .* comes with hpp-decide, not installed here",
        ),
    ],
)
def test_what_breaks_a_rule_is_refused_before_anything_runs(document: object, what: str) -> None:
    with pytest.raises(RefusedError, match=rf"^s\.json: {what}"):
        parsed(document)


def test_an_infinite_timeout_is_no_json() -> None:
    text = (
        b'{"version":"1","cases":[{"id":"a","runner":"command","command":["x"],"timeout":1e999}]}'
    )

    with pytest.raises(RefusedError, match="out of range"):
        parse_suite(text, "s.json", "s", {})


def test_control_a_sound_suite_of_every_runner_is_read() -> None:
    cases = parsed(suite(REPLAY, {**COMMAND, "id": "b"}, {"id": "known", "runner": "hpp-control"}))

    assert [case.runner for case in cases.cases] == ["replay", "command", "hpp-control"]
