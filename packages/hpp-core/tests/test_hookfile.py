from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.hookfile import hook_file_faults, wirings
from hpp.core.schema import checker, find_schema

SCHEMA = checker(find_schema("hooks-file").document())
ENTRY = {"type": "command", "command": "python x.py", "timeout": 30, "onFailure": "block"}
SOUND: dict[str, Any] = {
    "description": "what runs",
    "hooks": {"PreToolUse": [{"matcher": "Bash|Edit", "hooks": [ENTRY]}], "Stop": []},
}


def changed(place: str, value: object) -> dict[str, Any]:
    document = copy.deepcopy(SOUND)
    holder: Any = document
    *steps, last = place.split("/")
    for step in steps:
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]
    if value is ...:
        del holder[last]
    else:
        holder[int(last) if isinstance(holder, list) else last] = value
    return document


UNKNOWN = "a key that not both hosts read; there are"
ODD: list[Any] = [None, True, 0, 5, 1.5, "", "x", [], ["x"], {}, {"x": 1}]
IN = "hooks/PreToolUse/0"
CASES: list[tuple[str, object]] = [
    *[("hooks", value) for value in [..., *ODD[:9], {"Stop": {}}, {"Stop": None}]],
    *[("description", value) for value in ODD if not isinstance(value, str)],
    ("$schema", "x"),
    ("version", 1),
    *[("hooks/Stop", value) for value in ODD if value != []],
    *[(IN, value) for value in ODD],
    *[(f"{IN}/matcher", value) for value in ODD if not isinstance(value, str)],
    *[(f"{IN}/hooks", value) for value in [..., *ODD] if value != []],
    (f"{IN}/type", "command"),  # an entry put straight under the event is lost
    (f"{IN}/if", "Bash(rm *)"),
    *[(f"{IN}/hooks/0", value) for value in ODD],
    *[(f"{IN}/hooks/0/type", v) for v in [..., "prompt", "agent", "http", "Command", *ODD]],
    *[(f"{IN}/hooks/0/command", value) for value in [..., " ", *ODD] if value != "x"],
    *[(f"{IN}/hooks/0/timeout", v) for v in [*ODD, -1, 30.0, False, "30", 2**53] if v != 5],
    *[(f"{IN}/hooks/0/onFailure", value) for value in ODD if not isinstance(value, str)],
    *[(f"{IN}/hooks/0/{key}", [])
      for key in ("args", "async", "shell", "url", "once", "statusMessage")],
]  # fmt: skip


@pytest.mark.parametrize(("place", "value"), CASES)
def test_what_one_of_the_hosts_would_lose_is_told(place: str, value: object) -> None:
    document = changed(place, value)

    assert hook_file_faults(document)
    assert SCHEMA.faults(document)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("description", ...),
        ("hooks", {}),
        (f"{IN}/matcher", ...),
        (f"{IN}/matcher", ""),
        (f"{IN}/hooks", []),
        (f"{IN}/hooks/0/timeout", ...),
        (f"{IN}/hooks/0/timeout", 1),
        (f"{IN}/hooks/0/onFailure", ...),
    ],
)
def test_what_both_hosts_read_is_sound(place: str, value: object) -> None:
    document = changed(place, value)

    assert hook_file_faults(document) == []
    assert SCHEMA.faults(document) == []


def test_every_fault_is_told_in_document_order() -> None:
    document = changed(f"{IN}/hooks/0", {"type": "http", "url": "x", "timeout": True})
    document["more"] = 1

    assert hook_file_faults(document) == [
        'hooks.PreToolUse[0].hooks[0].type: expected the text "command", got "http"',
        f"hooks.PreToolUse[0].hooks[0].url: {UNKNOWN} type, command, timeout, onFailure",
        "hooks.PreToolUse[0].hooks[0].timeout: expected a whole number of seconds above 0",
        "hooks.PreToolUse[0].hooks[0].command: expected a non-blank text, it is missing",
        f"more: {UNKNOWN} description, hooks",
    ]


VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1, 1.0, "", "x", "command"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(
        st.sampled_from(["hooks", "type", "command", "timeout", "matcher", "x"]), inner, max_size=3
    ),
    max_leaves=8,
)  # fmt: skip


@settings(deadline=None)
@given(st.fixed_dictionaries({}, optional={"hooks": VALUES, "description": VALUES, "x": VALUES}))
def test_rules_and_schema_have_one_verdict(document: dict[str, Any]) -> None:
    assert bool(hook_file_faults(document)) == bool(SCHEMA.faults(document))


def test_control_a_sound_file_gives_its_wirings() -> None:
    assert hook_file_faults(SOUND) == []
    assert list(wirings(SOUND)) == [("PreToolUse", "python x.py")]
