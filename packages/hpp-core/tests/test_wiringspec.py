"""The schema of a wiring specification says what its reader says."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from hpp.core.portable.wiringspec import read_spec
from hpp.core.schema import find_schema

SPEC: dict[str, Any] = {
    "schema": "hpp.wiring-spec/v1",
    "statusLine": {"command": "bash line.sh"},
    "hooks": {
        "PreToolUse": [
            {"id": "kit/a", "matcher": "Edit|Write", "script": "kit/hooks/a.py", "timeout": 30,
             "clamp": "observe", "words": ["--x", "a=b"]},
            {"id": "kit/b", "script": ".claude/hpp/a kit/scripts/b.py", "timeout": 1,
             "clamp": "closed"},
        ],
        "Stop": [{"id": "kit/c", "script": "kit/hooks/a.py", "timeout": 120, "clamp": "block"}],
    },
}  # fmt: skip
JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, 1, 120, 121, 1.5, "", " ", "a", "A b", "kit/d", "kit/hooks/a.py",
     "../hooks/a.py", "a/../hooks/a.py", "a..b/hooks/a.py", "hooks/a.py", "kit/hooks/a.py\n",
     "kit/hooks/$x.py", "kit/other/a.py", "observe", "allow", "a|b", [], {}, ["a"], ["a b"],
     ["$x"], [1], [{}]]
)  # fmt: skip
# What a schema cannot say: it holds between places, or is a grammar of its own.
BEYOND = re.compile(r"stands twice|is wired twice|expected a regular expression")


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return [path, *(found for key, inner in items for found in places(inner, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    document = copy.deepcopy(SPEC)
    for _ in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from([place for place in places(document) if place]))
        parent: Any = document
        for step in path[:-1]:
            parent = parent[step]
        action = draw(st.sampled_from(["change", "remove", "add"]))
        if action == "remove":
            del parent[path[-1]]
        elif action == "add" and isinstance(parent, dict):
            parent[draw(st.sampled_from(["extra", "Stop", "stop", "words"]))] = draw(JUNK)
        else:
            parent[path[-1]] = draw(JUNK)
        if len(places(document)) == 1:
            break
    return document


@given(mutated())
def test_schema_and_reader_give_one_verdict(document: dict[str, Any]) -> None:
    accepted = Draft202012Validator(find_schema("wiring-spec").document()).is_valid(document)

    faults = read_spec(document, scope="project")[2]

    assert accepted == (not faults) or all(BEYOND.search(fault) for fault in faults), faults


def test_the_specification_that_is_changed_is_sound() -> None:
    assert read_spec(copy.deepcopy(SPEC), scope="project")[2] == []
    assert Draft202012Validator(find_schema("wiring-spec").document()).is_valid(SPEC)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"id": "kit/b"}, "stands twice"),
        ({"script": "other/scripts/b.py"}, "is wired twice"),
        ({"matcher": "("}, "expected a regular expression"),
    ],
)
def test_what_a_schema_cannot_say_the_reader_does(change: dict[str, str], fault: str) -> None:
    document = json.loads(json.dumps(SPEC))
    document["hooks"]["PreToolUse"][0].update(change)

    faults = read_spec(document, scope="project")[2]

    assert [fault in each for each in faults] == [True]
