from __future__ import annotations

import copy
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core import manifest as module
from hpp.core.errors import RefusedError
from hpp.core.manifest import (
    NAME,
    find_manifest,
    load_manifest,
    packaged_manifest_path,
    parse_manifest,
)
from hpp.core.manifestrule import HOOK_CAPABILITIES, manifest_faults
from hpp.core.schema import faults, find_schema

if TYPE_CHECKING:
    from pathlib import Path

with open(packaged_manifest_path(), encoding="utf-8") as stream:
    PACKAGED: dict[str, Any] = json.load(stream)


def changed(*path: str | int, to: object) -> dict[str, Any]:
    """Return the packaged manifest with one value replaced, or removed for `...`."""
    document = copy.deepcopy(PACKAGED)
    holder: Any = document
    for step in path[:-1]:
        holder = holder[step]
    if to is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = to
    return document


def test_the_packaged_manifest_keeps_every_rule() -> None:
    manifest = load_manifest(packaged_manifest_path())

    assert manifest_faults(PACKAGED) == []
    assert [m.id for m in manifest.modules] == [
        "kit-forge", "claude-dev-kit", "agent-framework-wizard", "operator-kit", "lane-kit",
        "dev-squad-kit", "continuity-kit", "gotcha-memory", "health-kit", "supabase-pack",
    ]  # fmt: skip
    assert len(manifest.hooks) == 18
    counts = [sum(g in hook.capabilities for hook in manifest.hooks) for g in HOOK_CAPABILITIES]
    assert counts == [8, 6, 0, 6, 9, 11]
    assert {m.version for m in manifest.modules} == {"0.1.0"}
    assert all(m.requires == [] for m in manifest.modules)
    assert manifest.loop.initial == "planned"
    assert len({move.gate for move in manifest.loop.transitions}) == 5


def test_its_keys_stand_in_their_order() -> None:
    assert list(PACKAGED) == [
        "protocol_version", "product_version", "name", "invariants", "hosts", "roles",
        "exit_codes", "hook_capabilities", "maps", "routing", "installer", "loop", "modules",
        "bundles", "hooks", "monitors",
    ]  # fmt: skip
    for entry in PACKAGED["modules"]:
        assert list(entry) == [
            "id", "version", "area", "path", "capabilities", "requires", "integrates_with",
            "hosts", "components",
        ]  # fmt: skip
        assert entry["components"] == sorted(entry["components"])
        assert entry["path"] == f"modules/{entry['id']}"
    for entry in PACKAGED["hooks"]:
        keys = ["id", "module", "script", "events", "capabilities", "exit_policy"]
        assert list(entry) == keys
        assert entry["id"].split("/")[0] == entry["module"]
    with open(packaged_manifest_path(), "rb") as raw:
        text = json.dumps(PACKAGED, indent=2, ensure_ascii=False) + "\n"
        assert raw.read() == text.encode()


BROKEN: list[tuple[dict[str, Any], str]] = [
    (changed("protocol_version", to="2.0"), "protocol_version: "),
    (changed("protocol_version", to=2.1), "protocol_version: "),
    (changed("product_version", to=" "), "product_version: expected a non-blank text"),
    (changed("name", to=...), "name: it is missing"),
    (changed("hosts", to=[]), "hosts: expected a non-empty list"),
    (changed("hosts", to=None), "hosts: "),
    (changed("hosts", to=["claude-code", "claude-code"]), r"hosts\[1\]: .* repeated"),
    (changed("hosts", 0, to={}), r"hosts\[0\]: expected a non-blank text"),
    (changed("roles", to="maker"), "roles: "),
    (changed("invariants", to=None), "invariants: "),
    (changed("invariants", 0, to=1), r"invariants\[0\]: "),
    (changed("exit_codes", "ok", to=False), "exit_codes: "),
    (changed("exit_codes", "ok", to=0.0), "exit_codes: "),
    (changed("exit_codes", "more", to=4), "exit_codes: "),
    (changed("exit_codes", to=[]), "exit_codes: "),
    (changed("hook_capabilities", 5, to=HOOK_CAPABILITIES[0]), "hook_capabilities: "),
    (changed("hook_capabilities", 5, to=[]), "hook_capabilities: "),
    (changed("routing", "tiers", to=["balanced", "economy", "frontier"]), r"routing\.tiers: "),
    (changed("routing", to=...), "routing: it is missing"),
    (changed("installer", "path", to="/abs"), r"installer\.path: "),
    (changed("loop", to=...), "loop: it is missing"),
    (changed("loop", "initial", to="nowhere"), r"loop\.initial: no transition leaves"),
    (changed("loop", "transitions", 1, "from", to="island"), "cannot be reached"),
    (changed("loop", "transitions", 2, to=PACKAGED["loop"]["transitions"][1]), "the same from"),
    (changed("loop", "transitions", 0, "gate", to=""), r"loop\.transitions\[0\]\.gate: "),
    (changed("loop", "transitions", to={}), r"loop\.transitions: "),
    (changed("modules", to=[]), "modules: "),
    (changed("modules", 0, to="x"), r"modules\[0\]: expected an object"),
    (changed("modules", 1, "id", to="kit-forge"), r"modules\[1\]\.id: .* repeated"),
    (changed("modules", 0, "path", to="a/../b"), r"modules\[0\]\.path: "),
    (changed("modules", 0, "path", to="C:x"), r"modules\[0\]\.path: "),
    (changed("modules", 0, "path", to="\\\\host\\x"), r"modules\[0\]\.path: "),
    (changed("modules", 0, "path", to=""), r"modules\[0\]\.path: "),
    (changed("modules", 1, "path", to="./modules//kit-forge/"), r"modules\[1\]\.path: .*also"),
    (changed("modules", 0, "requires", to=...), r"modules\[0\]\.requires: it is missing"),
    (changed("modules", 0, "requires", to=["ghost"]), 'unknown module "ghost"'),
    (changed("modules", 0, "requires", to=[{}]), r"modules\[0\]\.requires\[0\]: "),
    (changed("modules", 0, "requires", to=["kit-forge"]), "cycle: kit-forge -> kit-forge"),
    (changed("modules", 0, "integrates_with", to=["kit-forge"]), "itself"),
    (changed("modules", 0, "capabilities", to=[]), r"modules\[0\]\.capabilities: "),
    (changed("modules", 0, "capabilities", 0, to="policy"), "belongs to"),
    (changed("modules", 0, "hosts", "codex", to="maybe"), r"modules\[0\]\.hosts\.codex: "),
    (changed("modules", 0, "hosts", "codex", to=...), r"modules\[0\]\.hosts\.codex: it is missing"),
    (changed("modules", 0, "hosts", "other", to="native"), "no such host"),
    (changed("modules", 0, "hosts", to=[]), r"modules\[0\]\.hosts: expected an object"),
    (changed("modules", 0, "components", to=None), r"modules\[0\]\.components: "),
    (changed("modules", 0, "components", to=["a", "a"]), "repeated"),
    (changed("modules", 0, "components", to=["hooks"]), '"kit-forge" has the component hooks'),
    (changed("modules", 0, "area", to=""), r"modules\[0\]\.area: "),
    (changed("bundles", to={}), "bundles: "),
    (changed("bundles", "session-memory", to=[]), r"bundles\.session-memory: "),
    (changed("bundles", "session-memory", "modules", to=[]), "modules: expected a non-empty"),
    (changed("bundles", "session-memory", "modules", 0, to="ghost"), 'unknown module "ghost"'),
    (changed("bundles", "session-memory", "capabilities", 0, to="ghost"), "unknown capability"),
    (changed("hooks", to=[]), "hooks: "),
    (changed("hooks", 0, "capabilities", to=...), r"hooks\[0\]\.capabilities: it is missing"),
    (changed("hooks", 0, "capabilities", to=[]), r"hooks\[0\]\.capabilities: "),
    (changed("hooks", 0, "capabilities", to=["all"]), 'unknown group "all"'),
    (changed("hooks", 0, "events", to=[]), r"hooks\[0\]\.events: "),
    (changed("hooks", 1, "module", to="ghost"), 'unknown module "ghost"'),
    (changed("hooks", 0, "script", to="../x"), r"hooks\[0\]\.script: "),
    (changed("hooks", 0, "exit_policy", to="never"), r"hooks\[0\]\.exit_policy: "),
    (changed("hooks", 0, "exit_policy", to=["warn"]), r"hooks\[0\]\.exit_policy: "),
    (changed("hooks", 1, "id", to=PACKAGED["hooks"][0]["id"]), r"hooks\[1\]\.id: .* repeated"),
    (changed("monitors", 0, "cadence", to=0), r"monitors\[0\]\.cadence: "),
    (changed("monitors", 0, "freshness", to=True), r"monitors\[0\]\.freshness: "),
    (changed("monitors", 0, "freshness", to=1.0), r"monitors\[0\]\.freshness: "),
    (changed("monitors", 1, "id", to="service-reachable"), "repeated"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "message"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_manifest_is_refused_at_its_place(document: dict[str, Any], message: str) -> None:
    with pytest.raises(RefusedError, match=r"m\.json: .*" + message):
        parse_manifest(document, "m.json")


def test_a_cycle_is_named_by_its_path() -> None:
    document = changed("modules", 0, "requires", to=["operator-kit"])
    document["modules"][3]["requires"] = ["lane-kit"]
    document["modules"][4]["requires"] = ["kit-forge"]

    with pytest.raises(RefusedError, match="kit-forge -> operator-kit -> lane-kit -> kit-forge"):
        parse_manifest(document, "m")


def test_the_first_fault_of_the_document_comes_first() -> None:
    document = changed("monitors", to=[])
    document["name"] = ""
    document["hosts"] = []

    assert manifest_faults(document)[0].startswith("name: ")
    with pytest.raises(RefusedError, match=r"name: .* \(and \d+ more\)"):
        parse_manifest(document, "m")


def test_unknown_keys_do_not_matter() -> None:
    document = changed("extra", to=1)
    document["modules"][0]["extra"] = None

    assert parse_manifest(document, "m").name == PACKAGED["name"]


# What no schema can say: it takes two places of the document.
BETWEEN_PLACES = ("unknown capability", "repeated", "unknown module",
                  "cycle", "itself", "belongs to", "no such host",
                  "it is missing: every", "also the path", "component hooks", 'is "',
                  "no transition", "cannot be reached", "the same from")  # fmt: skip


@pytest.fixture(scope="session")
def manifest_schema() -> dict[str, Any]:
    return find_schema("manifest").document()


def agree(schema: dict[str, Any], document: dict[str, Any]) -> None:
    loader = [f for f in manifest_faults(document) if not any(m in f for m in BETWEEN_PLACES)]
    assert bool(faults(schema, document)) == bool(loader), (loader, faults(schema, document))


@pytest.mark.parametrize("document", [d for d, _ in BROKEN], ids=range(len(BROKEN)))
def test_schema_and_loader_have_one_verdict_on_broken_ones(
    manifest_schema: dict[str, Any], document: dict[str, Any]
) -> None:
    found = [fault for fault in manifest_faults(document) if "repeated" in fault]
    # To a schema 1.0 is the integer 1; to the contract it is none.
    if (
        not found
        and "0.0" not in json.dumps(document["exit_codes"])
        and "1.0" not in json.dumps(document["monitors"])
    ):
        agree(manifest_schema, document)


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:  # noqa: ANN401
    found = [path] if path else []
    if isinstance(value, (dict, list)):
        steps = value.items() if isinstance(value, dict) else enumerate(value)
        for step, inner in steps:
            found += places(inner, (*path, step))
    return found


ODD = st.sampled_from([None, True, 0, 1, -1, 1.5, "", " ", "x", "a/../b", "C:/x", "/x", [], {}, [1],
                       ["x"], {"a": 1}, 2**53, ...])  # fmt: skip


@given(st.sampled_from(places(PACKAGED)), ODD)
def test_schema_and_loader_have_one_verdict_on_any_change(
    path: tuple[str | int, ...], value: object
) -> None:
    document = changed(*path, to=value)
    if any("repeated" in fault for fault in manifest_faults(document)):
        return  # between two objects only the loader sees it, between two texts both do

    agree(find_schema("manifest").document(), document)


def test_the_nearest_manifest_is_used_even_if_it_is_broken(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / NAME).write_text("{}", encoding="utf-8")
    (tmp_path / "a" / NAME).mkdir()  # a folder of that name is none

    assert find_manifest(None, str(inner)) == str(tmp_path / NAME)
    with pytest.raises(RefusedError, match="protocol_version"):
        load_manifest(find_manifest(None, str(inner)))


def test_a_given_manifest_wins_and_an_empty_name_is_refused(tmp_path: Path) -> None:
    assert find_manifest("x.json") == os.path.abspath("x.json")
    with pytest.raises(RefusedError, match="--manifest"):
        find_manifest("", str(tmp_path))


def test_without_one_nearby_the_packaged_copy_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHECKOUT", "no such place")

    found = find_manifest(None, str(tmp_path))

    assert found == packaged_manifest_path() or os.path.dirname(found) in str(tmp_path)


def test_control_the_loader_can_refuse() -> None:
    assert manifest_faults({}) != []
