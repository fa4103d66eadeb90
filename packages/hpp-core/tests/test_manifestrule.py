"""Every rule of the manifest, broken in one place; and the schema beside the rules."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.manifestrule import HOOK_CAPABILITIES, manifest_faults
from hpp.core.schema import checker, find_schema

Steps = tuple[str | int, ...]
REMOVED = object()
MANIFEST: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "manifest.json").read_text(encoding="utf-8")
)
SCHEMA = checker(find_schema("manifest").document())

# What a schema cannot say, since it takes two places of the document: how each such fault
# reads. Every other fault of the rules is one of the schema too, and the other way round.
BETWEEN_PLACES = [
    r"(modules|hooks|monitors)\[\d+\]\.id: \".*\" is repeated",  # unique by one key
    r"\.path: it is also the path of modules\[\d+\]",
    r": unknown (module|capability) \"",
    r": a module does not integrate with itself",
    r": a cycle: ",
    r"\.capabilities\[\d+\]: \".*\" belongs to modules\[\d+\] already",
    r"\.hosts.*: the manifest declares no such host",
    r"\.hosts.*: it is missing: every declared host has a coverage",
    r"\.components\[\d+\]: module \".*\" declares no hook",
    r"loop\.transitions\[\d+\]: the same from and event as ",
    r"loop\.initial: no transition leaves ",
    r"loop\.transitions\[\d+\]\.from: .* cannot be reached from ",
]


def changed(steps: Steps, value: object) -> dict[str, Any]:
    """Return the sample manifest with one value replaced or removed."""
    document = copy.deepcopy(MANIFEST)
    holder: Any = document
    for step in steps[:-1]:
        holder = holder[step]
    if value is REMOVED:
        del holder[steps[-1]]
    elif isinstance(holder, list) and steps[-1] == len(holder):
        holder.append(copy.deepcopy(value))
    else:
        holder[steps[-1]] = copy.deepcopy(value)
    return document


def path(dotted: str) -> Steps:
    return tuple(int(step) if step.isdigit() else step for step in dotted.split("/"))


WRONG_TEXT = [REMOVED, None, "", " \t\n", "\u2028", True, 0, 1.5, [], ["x"], {}, {"x": 1}]
WRONG_TEXTS = [REMOVED, None, "", "x", True, 0, {}, {"x": 1}, [], [""], ["  "], [None], [1],
               [[]], [["x"]], [{}], ["x", "x"]]  # fmt: skip
WRONG_OBJECT = [REMOVED, None, "", "x", True, 0, 1.5, [], [1]]
WRONG_OBJECTS = [REMOVED, None, "", "x", True, 0, {}, {"x": 1}, [], [None], ["x"], [[]], [1]]
WRONG_PATH = [*WRONG_TEXT[:3], *WRONG_TEXT[5:], "/a", "\\a", "//h/s", "C:", "c:\\a", "C:/a", "..",
              "../a", "a/..", "a\\..\\b", "a/../b", "./..", "a\0"]  # fmt: skip
WRONG_CHOICE = [REMOVED, None, "", "Native", "native ", True, 0, [], ["native"], {}]
WRONG_COUNT = [REMOVED, None, 0, -1, True, False, 1.0, 1.5, 1e3, "1", "", [], [1], {}, 2**53]
WRONG: dict[str, list[Any]] = {
    "protocol_version": [*WRONG_TEXT, "2.0", "2.1.0", "2.1 ", 2.1, 2],
    "product_version": WRONG_TEXT,
    "name": WRONG_TEXT,
    "hosts": WRONG_TEXTS,
    "roles": WRONG_TEXTS,
    "maps": WRONG_TEXTS,
    "invariants": [None, "", "x", {}, 0, [1], [None], [["x"]]],
    "exit_codes": [*WRONG_OBJECT, {}, {"ok": 0}, [0, 1, 2, 3]],
    "exit_codes/ok": [REMOVED, None, False, 0.0, 1, "0", [], [0]],
    "exit_codes/warn": [True, 1.0, 2, "1"],
    "exit_codes/more": [4, None],
    "hook_capabilities": [*WRONG_TEXTS, list(HOOK_CAPABILITIES[:5]),
                          [*HOOK_CAPABILITIES, "more"], [*HOOK_CAPABILITIES, HOOK_CAPABILITIES[0]],
                          [*HOOK_CAPABILITIES[:5], HOOK_CAPABILITIES[0]]],
    "hook_capabilities/2": ["other", None, [], {}, 1],
    "hooks": WRONG_OBJECTS,
    "hooks/0/id": WRONG_TEXT,
    "hooks/0/module": [*WRONG_TEXT, "ghost", "Alpha"],
    "hooks/0/script": WRONG_PATH,
    "hooks/0/events": WRONG_TEXTS,
    "hooks/0/capabilities": [*WRONG_TEXTS, ["all"], [HOOK_CAPABILITIES[0], "all"]],
    "hooks/0/exit_policy": [*WRONG_CHOICE, "Block", "never"],
    "routing": [*WRONG_OBJECT, {}],
    "routing/tiers": [REMOVED, None, [], {}, "economy", ["economy", "frontier", "balanced"],
                      ["economy", "balanced"], ["economy", "balanced", "frontier", "x"],
                      ["economy", "balanced", ["frontier"]], [0, 1, 2]],
    "installer": [*WRONG_OBJECT, {}],
    "installer/path": WRONG_PATH,
    "loop": [*WRONG_OBJECT, {}],
    "loop/initial": [*WRONG_TEXT, "nowhere", "done"],
    "loop/transitions": WRONG_OBJECTS,
    "loop/transitions/0": WRONG_OBJECTS[1:],
    "loop/transitions/1/from": [*WRONG_TEXT, "island"],
    "loop/transitions/1/event": WRONG_TEXT,
    "loop/transitions/0/to": [*WRONG_TEXT, "nowhere"],
    "loop/transitions/0/gate": WRONG_TEXT,
    "loop/transitions/2": [MANIFEST["loop"]["transitions"][0],
                           {"from": "x", "event": "y", "to": "planned", "gate": "z"}],
    "modules": WRONG_OBJECTS,
    "modules/0": WRONG_OBJECTS[1:],
    "modules/0/id": [*WRONG_TEXT, "beta"],
    "modules/0/version": WRONG_TEXT,
    "modules/0/path": [*WRONG_PATH, "modules/beta", "./modules//beta/",
                       "modules\\beta", "modules/./beta"],
    "modules/0/area": WRONG_TEXT[1:],
    "modules/0/requires": [*WRONG_TEXTS[:8], [None], [1], [[]], [{}], ["ghost"], ["alpha"],
                           ["beta", "beta"], [" "], ["Beta"]],
    "modules/0/integrates_with": [*WRONG_TEXTS[:8], [None], [{}], ["ghost"], ["alpha"],
                                  ["beta", "beta"]],
    "modules/0/capabilities": [*WRONG_TEXTS, ["writing"], ["new", "writing"]],
    "modules/0/hosts": [*WRONG_OBJECT, {}, {"codex": "native"}],
    "modules/0/hosts/codex": WRONG_CHOICE,
    "modules/0/hosts/other": ["native", None],
    "modules/1/components": [None, "", "skills", True, {}, [1], [None], [[]], [{}], ["a", "a"],
                             ["hooks"], ["scripts", "hooks"]],
    "bundles": [*WRONG_OBJECT, {}],
    "bundles/small": [*WRONG_OBJECTS[1:5], {}, [], [1]],
    "bundles/small/modules": [*WRONG_TEXTS, ["ghost"], [{"id": "beta"}]],
    "bundles/small/capabilities": [*WRONG_TEXTS, ["ghost"], ["guarding", {}]],
    "monitors": WRONG_OBJECTS,
    "monitors/0/id": [*WRONG_TEXT, "fresh"],
    "monitors/0/target": WRONG_TEXT,
    "monitors/0/type": WRONG_TEXT,
    "monitors/0/severity": WRONG_TEXT,
    "monitors/0/cost": WRONG_TEXT,
    "monitors/0/consumer_gate": WRONG_TEXT,
    "monitors/0/cadence": WRONG_COUNT,
    "monitors/0/freshness": WRONG_COUNT,
}  # fmt: skip


@pytest.mark.parametrize(("place", "values"), WRONG.items(), ids=list(WRONG))
def test_a_value_that_breaks_a_rule_is_refused_in_its_part(place: str, values: list[Any]) -> None:
    part = place.split("/", maxsplit=1)[0]
    for value in values:
        found = manifest_faults(changed(path(place), value))

        assert any(fault.startswith(part) for fault in found), value


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("name", REMOVED, "name: expected a non-blank text, it is missing"),
        ("protocol_version", 2.1, 'protocol_version: expected the text "2.1", got a number'),
        ("exit_codes/ok", 0.0, "exit_codes.ok: expected 0, got a number"),
        ("exit_codes/more", 4, "exit_codes.more: there are ok, warn, block and error only"),
        ("hook_capabilities/2", "x", 'hook_capabilities[2]: unknown group "x"'),
        ("hooks/0/capabilities", REMOVED,
         "hooks[0].capabilities: expected a non-empty list of texts, it is missing"),
        ("hooks/0/exit_policy", "never",
         'hooks[0].exit_policy: expected one of observe, warn, block, got "never"'),
        ("modules/0/hosts/codex", REMOVED,
         "modules[0].hosts.codex: it is missing: every declared host has a coverage"),
        ("modules/0/hosts/other", "native",
         "modules[0].hosts.other: the manifest declares no such host"),
        ("modules/2/path", "./modules//alpha/",
         "modules[2].path: it is also the path of modules[0]"),
        ("modules/1/components", ["x", "hooks"],
         'modules[1].components[1]: module "beta" declares no hook'),
        ("bundles/small/capabilities", ["ghost"],
         'bundles.small.capabilities[0]: unknown capability "ghost"'),
        ("bundles/small/modules", ["ghost"],
         'bundles.small.modules[0]: unknown module "ghost"'),
        ("loop/initial", "nowhere", "loop.initial: no transition leaves nowhere"),
        ("loop/transitions/1/from", "island",
         "loop.transitions[1].from: island cannot be reached from planned"),
        ("loop/transitions/2", MANIFEST["loop"]["transitions"][0],
         "loop.transitions[2]: the same from and event as loop.transitions[0]"),
        ("monitors/0/cadence", True, "monitors[0].cadence: expected an integer above 0, got true"),
    ],
)  # fmt: skip
def test_a_fault_reads_like_this(place: str, value: object, message: str) -> None:
    assert message in manifest_faults(changed(path(place), value))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("invariants", REMOVED),
        ("invariants", ["", "x", "x"]),
        ("modules/0/components", REMOVED),
        ("modules/0/components", ["", " ", "other"]),
        ("modules/0/area", REMOVED),
        ("modules/0/path", "."),
        ("modules/0/path", "modules\\.\\forge"),
        ("modules/0/requires", ["gamma"]),
        ("hook_capabilities", list(reversed(HOOK_CAPABILITIES))),
        ("hooks/0/script", "a b/c.py"),
        ("monitors/0/cadence", 2**53 - 1),
        ("loop", {"initial": "a", "transitions": [
            {"from": "a", "event": "e", "to": "b", "gate": "g"},
            {"from": "b", "event": "e", "to": "a", "gate": "g"}]}),
        ("loop", {"initial": "a", "transitions": [
            {"from": "a", "event": "e", "to": "a", "gate": "g"}]}),
    ],
)  # fmt: skip
def test_what_the_contract_leaves_open_is_accepted(place: str, value: object) -> None:
    document = changed(path(place), value)

    assert manifest_faults(document) == []
    assert SCHEMA.faults(document) == []


def requiring(pairs: dict[str, list[str]]) -> dict[str, Any]:
    document = copy.deepcopy(MANIFEST)
    fourth = {"id": "delta", "path": "modules/delta", "capabilities": ["listing"]}
    document["modules"].append({**document["modules"][2], **fourth})
    for entry in document["modules"]:
        entry["requires"] = pairs.get(entry["id"], [])
    return document


@pytest.mark.parametrize(
    ("pairs", "cycles"),
    [
        ({"beta": ["beta"]},
         ["modules[1].requires[0]: a cycle: beta -> beta"]),
        ({"alpha": ["gamma"], "gamma": ["delta", "beta"], "beta": ["alpha"]},
         ["modules[1].requires[0]: a cycle: alpha -> gamma -> beta -> alpha"]),
        ({"alpha": ["beta"], "beta": ["delta", "gamma"], "gamma": ["beta"]},
         ["modules[2].requires[0]: a cycle: beta -> gamma -> beta"]),
        ({"alpha": ["beta"], "beta": ["alpha"],
          "gamma": ["gamma"]},
         ["modules[1].requires[0]: a cycle: alpha -> beta -> alpha",
          "modules[2].requires[0]: a cycle: gamma -> gamma"]),
        ({"alpha": ["beta", "gamma"], "beta": ["delta"], "gamma": ["delta"]}, []),
    ],
)  # fmt: skip
def test_a_cycle_is_named_by_its_path(pairs: dict[str, list[str]], cycles: list[str]) -> None:
    assert manifest_faults(requiring(pairs)) == cycles


def test_a_long_cycle_is_shown_in_one_line() -> None:
    document = copy.deepcopy(MANIFEST)
    first = document["modules"][2]
    document["modules"] = [
        {**first, "id": f"m{n}", "path": f"m{n}", "capabilities": [f"c{n}"],
         "requires": [f"m{(n + 1) % 5000}"]}
        for n in range(5000)
    ]  # fmt: skip

    (cycle,) = [fault for fault in manifest_faults(document) if "a cycle" in fault]
    assert cycle.startswith("modules[4999].requires[0]: a cycle: m0 -> m1 -> ")
    assert cycle.endswith(" -> ... -> m4999 -> m0")
    assert len(cycle) < 300


def test_one_part_that_is_not_there_is_one_fault() -> None:
    for key in ("hosts", "hooks", "modules"):
        found = manifest_faults(changed((key,), REMOVED))
        assert found == [fault for fault in found if fault.startswith(f"{key}: ")], found


def test_a_broken_move_hides_no_state() -> None:
    found = manifest_faults(changed(path("loop/transitions/0/to"), None))

    assert found == ["loop.transitions[0].to: expected a non-blank text, got null"]


# ------------------------------------------------------------------ schema and rules


def both(document: dict[str, Any]) -> tuple[bool, bool]:
    """Return whether the schema and the rules that a schema can say find a fault."""
    told = manifest_faults(document)
    plain = [f for f in told if not any(re.search(known, f) for known in BETWEEN_PLACES)]
    return bool(SCHEMA.faults(document)), bool(plain)


@pytest.mark.parametrize(("place", "values"), WRONG.items(), ids=list(WRONG))
def test_schema_and_rules_have_one_verdict_on_a_broken_value(place: str, values: list[Any]) -> None:
    for value in values:
        by_schema, by_rules = both(changed(path(place), value))

        assert by_schema == by_rules, value


def places(value: object, steps: Steps = ()) -> list[Steps]:
    found = [steps] if steps else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += places(inner, (*steps, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            found += places(inner, (*steps, number))
    return found


WORDS = (
    "hooks codex beta ghost writing native block planned active ../x C:/x /x a\\b 1:c "
    + " ".join(HOOK_CAPABILITIES)
)
TEXTS = st.sampled_from(["", " ", "..", *WORDS.split()])
SCALARS = st.one_of(
    TEXTS, st.none(), st.booleans(), st.integers(-1, 3), st.sampled_from([1.0, 0.0, 2**53, 10**99])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_schema_and_rules_have_one_verdict_on_any_change(data: st.DataObject) -> None:
    document = copy.deepcopy(MANIFEST)
    for _ in range(data.draw(st.integers(1, 3))):
        steps = data.draw(st.sampled_from(places(document)))
        holder: Any = document
        for step in steps[:-1]:
            holder = holder[step]
        if data.draw(st.booleans()):
            holder[steps[-1]] = data.draw(VALUES)
        else:
            del holder[steps[-1]]

    by_schema, by_rules = both(document)

    assert by_schema == by_rules, (manifest_faults(document), SCHEMA.faults(document))


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="aC.:/\\\0\n\r\u2028 ", max_size=8))
def test_schema_and_rules_have_one_verdict_on_any_path(text: str) -> None:
    by_schema, by_rules = both(changed(path("installer/path"), text))

    assert by_schema == by_rules


@pytest.mark.parametrize(
    "document",
    [
        changed(path("modules/1/id"), "alpha"),
        changed(path("hooks/1/id"), MANIFEST["hooks"][0]["id"]),
        changed(path("monitors/1/id"), MANIFEST["monitors"][0]["id"]),
        changed(path("modules/1/path"), "modules/alpha/."),
        changed(path("modules/1/requires"), ["ghost"]),
        changed(path("hooks/0/module"), "ghost"),
        changed(path("bundles/small/capabilities/0"), "ghost"),
        changed(path("modules/0/integrates_with"), ["alpha"]),
        changed(path("modules/0/requires"), ["alpha"]),
        changed(path("modules/0/capabilities/0"), "writing"),
        changed(path("modules/0/hosts/other"), "native"),
        changed(path("modules/0/hosts/codex"), REMOVED),
        changed(path("modules/1/components"), ["hooks"]),
        changed(path("loop/transitions/2"), MANIFEST["loop"]["transitions"][0]),
        changed(path("loop/initial"), "nowhere"),
        changed(path("loop/transitions/1/from"), "island"),
    ],
)
def test_a_rule_between_two_places_is_the_loader_s_alone(document: dict[str, Any]) -> None:
    assert manifest_faults(document)
    assert both(document) == (False, False)


def test_control_the_sample_breaks_neither() -> None:
    assert manifest_faults(MANIFEST) == []
    assert SCHEMA.faults(MANIFEST) == []
    assert both({}) == (True, True)
