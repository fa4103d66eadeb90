"""Each published schema and the reader or writer of its document come to one verdict.

What a schema cannot say is named here, rule by rule; only that may part the two.
"""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.schema import checker, find_schema
from hpp.installer.formats.installmanifest import check_install_manifest
from hpp.installer.formats.receipt import parse_receipt, sealed
from hpp.installer.formats.relativepath import path_fault
from hpp.installer.kit import fixture
from hpp.installer.kit.marketplace import marketplace
from hpp.installer.kit.recovery import recover
from hpp.installer.kit.removal import uninstall
from hpp.installer.kit.status import status
from hpp.installer.kit.verification import verify

Shop = Any  # the class lives in conftest.py
Data = Any  # hypothesis keeps the class to itself
CHECKERS = {
    name: checker(find_schema(name).document())
    for name in (
        "install-receipt", "install-report", "kit-install", "kit-report", "marketplace-report",
        "questions", "verify-report",
    )
}  # fmt: skip
# What only the reader can see: repeated ids and places, defaults that are no option or do
# not match, patterns that are none, values that look like secrets.
ONLY_THE_READER = re.compile(
    r"it is repeated|\.default: expected one of|\.default: expected a list of"
    r"|\.default: expected a text that matches|no regular expression|looks like a secret"
)
MANIFEST = json.loads(fixture.module_files()["install/kit.install.json"])
MANIFEST["requires"] |= {
    "commands": ["bash"],
    "optional_commands": ["git"],
    "external_services": [{"name": "n", "via": "v", "needs": "x"}],
}
MANIFEST["smokes"][0]["timeout"] = 30
MANIFEST["questions"] += [
    {
        "id": "name",
        "prompt": "p",
        "type": "string",
        "pattern": "[a-z]+",
        "default": "x",
        "effect": {"next_command": ["x"]},
    },
    {
        "id": "several",
        "prompt": "p",
        "type": "choice",
        "options": ["a", "b"],
        "many": True,
        "default": ["a"],
        "effect": {"next_command": ["x"]},
    },
    {"id": "all", "prompt": "p", "type": "list", "default": [1], "effect": {"next_command": ["x"]}},
]
RECEIPT = sealed(
    {
        "schema": "hpp.install-receipt/v1",
        "module": "demo-kit",
        "version": "0.1.0",
        "host": "codex",
        "channel": "copy",
        "installer_version": "0.1.0",
        "installed_at": "2026-01-01T00:00:00Z",
        "source": {"kind": "dir"},
        "files": [{"path": "a/b", "sha256": "a" * 64, "kind": "seed", "mode": "0644"}],
        "dirs_created": ["a"],
        "answers": {},
        "smokes": [],
        "manual_gates": ["hooks"],
        "previous": {"version": "0.0.1"},
    }
)
PATHS = [
    "a", "a/b", "../x", "/x", "C:/x", "a/../b", "a//b", "a/", "con", "x/NUL.txt", "a.", "a ", "a\n",
    "com1", "com0", "conin$", "conx", ".git/x", "x/.GIT", "git~1", ".hpp/a", "x/.hpp/a", ".codex",
    "settings.json", "x/Settings.local.json", "settings.txt", "hooks.json", "x/AGENTS.md",
    "claude.md", "a\\b", "caf\u00e9", "a?b", "a" * 180, "a" * 181, "prn .x", "~", "a:b",
]  # fmt: skip
JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, 1, 30.0, 301, -1, "", " ", "x", "X", "a" * 64, "0.1", "1.0.0-rc.1",
     "1.0.0+b", ">=3.10,<4", ">= 3.10", "python", "{bash}", "choice", "list", "bool", "string",
     "PreToolUse", "statusLine", "a.b", "a..b", "0755", "runtime", [], ["x"], ["x", "x"], [1], {},
     {"x": 1}, {"next_command": []}, {"seed": "a", "key": "b"}, *PATHS]
)  # fmt: skip


def places(value: Any, steps: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:  # noqa: ANN401 -- JSON
    found = [steps]
    if isinstance(value, (dict, list)):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            found += places(inner, (*steps, key))
    return found


@st.composite
def mutations(draw: Any, document: Any) -> Any:  # noqa: ANN401 -- JSON
    """Draw a document with one value replaced, removed, repeated or added."""
    made = copy.deepcopy(document)
    steps = draw(st.sampled_from(places(made)[1:]))
    holder = made
    for step in steps[:-1]:
        holder = holder[step]
    kind = draw(st.sampled_from(["replace", "replace", "remove", "add", "repeat"]))
    if kind == "remove":
        del holder[steps[-1]]
    elif kind == "repeat" and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[steps[-1]]))
    elif kind == "add" and isinstance(holder, dict):
        holder["another"] = draw(JUNK)
    else:
        holder[steps[-1]] = draw(JUNK)
    return made


def told_by_reader(name: str, document: dict[str, Any]) -> list[str]:
    if name == "kit-install":
        return check_install_manifest(document)
    try:
        parse_receipt(json.dumps(document).encode(), "r")
    except RefusedError as error:
        return [str(error)]
    return []


DOCUMENTS = {"install-receipt": RECEIPT, "kit-install": MANIFEST}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_sound_document_is_sound_to_both(name: str) -> None:
    assert told_by_reader(name, DOCUMENTS[name]) == []
    assert CHECKERS[name].faults(DOCUMENTS[name]) == []


@pytest.mark.parametrize("name", DOCUMENTS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_schema_and_reader_agree(name: str, data: Data) -> None:
    mutated = data.draw(mutations(DOCUMENTS[name]))

    told = told_by_reader(name, mutated)
    found = CHECKERS[name].faults(mutated)

    if not told:
        assert found == []
    elif not found:
        assert all(ONLY_THE_READER.search(one) for one in told), told


@pytest.mark.parametrize("path", PATHS)
def test_schema_and_reader_agree_on_paths(path: str) -> None:
    for key, sub in (("docs", None), ("seeds", "to")):
        document = copy.deepcopy(MANIFEST)
        if sub is None:
            document[key] = path
            assert bool(CHECKERS["kit-install"].faults(document)) == bool(path_fault(path))
        else:
            document[key][0][sub] = path
        told = told_by_reader("kit-install", document)
        assert bool(CHECKERS["kit-install"].faults(document)) == bool(told)


def test_the_questions_of_a_module_keep_their_own_schema() -> None:
    assert CHECKERS["questions"].faults(MANIFEST["questions"]) == []
    assert CHECKERS["questions"].faults([{**MANIFEST["questions"][0], "effect": {}}]) != []


def test_every_report_keeps_its_schema(shop: Shop) -> None:
    module = shop.distribution()
    target = str(shop.target)
    root = str(module.parent.parent)
    bare = shop.bare({**shop.files(), "README.md": b"x", "more": b""})

    def keeps(name: str, report: dict[str, Any]) -> None:
        assert CHECKERS[name].faults(json.loads(json.dumps(report))) == []

    keeps("install-report", shop.install(module, apply=False, no_smoke=False))
    keeps("install-report", shop.install(module, no_smoke=False))
    keeps("install-report", shop.install(module))
    keeps("install-report", shop.install(module, host="claude-code", channel="copy"))
    keeps("install-report", shop.install(bare))
    keeps("install-report", shop.install(module, target=str(shop.place / "none")))
    receipt = (shop.target / ".agents/hpp/.receipts/demo-kit.json").read_bytes()
    keeps("install-receipt", json.loads(receipt))
    keeps("verify-report", verify(str(module)))
    keeps("verify-report", verify(str(bare)))
    keeps("verify-report", verify(str(shop.place / "none")))
    keeps("kit-report", status(target, None, shop.facts))
    keeps("kit-report", recover(target, "codex", shop.facts, apply=True))
    keeps("kit-report", uninstall("demo-kit", target, "codex", shop.facts, apply=True))
    keeps("kit-report", uninstall("other", target, "codex", shop.facts, apply=True))
    keeps("marketplace-report", marketplace(root, "D"))
    keeps("marketplace-report", marketplace(target, "T"))


def test_control_the_schemas_refuse_what_breaks_them() -> None:
    for name, checks in CHECKERS.items():
        assert checks.faults({} if name == "questions" else []) != []
