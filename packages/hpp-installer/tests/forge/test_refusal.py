"""What the forge refuses, one broken copy of a good tree for each rule; nothing is written."""

from __future__ import annotations

import os
from typing import Any

import pytest

Tree = Any
Forge = Any
Change = Any  # a function on a JSON value

LANE = "modules/lane-kit"
BUILD = f"{LANE}/module.build.json"
PLUGIN = f"{LANE}/.claude-plugin/plugin.json"
INSTALL = f"{LANE}/install/kit.install.json"
HOOKS = f"{LANE}/hooks/hooks.json"


_NUMBERS = iter(range(1000))


def numbered(_: object) -> str:
    """Return an id of its own for a value that has no name."""
    return str(next(_NUMBERS))


def refused(tree: Tree, forge: Forge, code: str) -> Any:  # noqa: ANN401 -- the fixture's answer
    """Run with --apply and return the answer, which is a refusal for that one reason."""
    answer = forge("--apply")

    assert answer.status == 2, answer.report
    assert answer.codes == {code}, answer.report["problems"]
    assert not (tree.root.parent / "out").exists()
    return answer


def test_the_unbroken_tree_is_accepted(forge: Forge) -> None:
    assert forge("--apply").status == 0


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda d: d.update(extra=1), "extra"),
        (lambda d: d.pop("vendor"), "vendor"),
        (lambda d: d.update(schema="hpp.module-build/v2"), "schema"),
        (lambda d: d["module"].update(area="kits"), "module.area"),
        (lambda d: d["module"].update(source_root="../x"), "module.source_root"),
        (lambda d: d["module"].update(source_root="modules/kit-forge"), "module.source_root"),
        (lambda d: d["module"].update(version="1.0.0+b"), "module.version"),
        (lambda d: d.update(include=[]), "include"),
        (lambda d: d["include"].append("/etc/*"), "include[1]"),
        (lambda d: d["exclude"].append(7), "exclude[1]"),
        (lambda d: d["executables"].append("../x"), "executables[1]"),
        (lambda d: d["vendor"].append({"from": "hpp/core/text.py"}), "vendor[1].to"),
        (lambda d: d["vendor"][0].update(to="_vendor/x"), "vendor[0].to"),
        (lambda d: d["replace"].append({"files": ["*"], "find": "("}), "replace[0].replace"),
        (
            lambda d: d["replace"].append(
                {"files": ["*"], "find": "(", "replace": "", "expect": 1, "mode": "regex"}
            ),
            "replace[0].find",
        ),
        (
            lambda d: d["replace"].append(
                {"files": ["*"], "find": "a", "replace": "", "expect": True}
            ),
            "replace[0].expect",
        ),
        (lambda d: d["third_party"].append({"name": "x"}), "third_party[0].license"),
    ],
    ids=numbered,
)
def test_a_build_manifest_with_a_fault_is_refused_at_its_place(
    source_tree: Tree,
    forge: Forge,
    change: Change,
    place: str,
) -> None:
    source_tree.change(BUILD, change)

    answer = refused(source_tree, forge, "build-manifest-invalid")

    assert answer.paths("build-manifest-invalid")[0] == BUILD
    assert answer.report["problems"][0]["measured"].startswith(f"{place}:")


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff", b'{"a": 1, "a": 2}'])
def test_a_build_manifest_that_is_no_json_object_is_refused(
    source_tree: Tree, forge: Forge, content: bytes
) -> None:
    source_tree.put(BUILD, content)

    refused(source_tree, forge, "build-manifest-invalid")


@pytest.mark.parametrize(
    ("path", "change"),
    [
        (BUILD, lambda d: d["module"].update(version="0.1.1")),
        (BUILD, lambda d: d["module"].update(area="wizards")),
        (PLUGIN, lambda d: d.update(version="0.1.1")),
        (PLUGIN, lambda d: d.update(name="lane")),
        (INSTALL, lambda d: d.update(kit="lane")),
        (INSTALL, lambda d: d.update(version="0.1.1")),
    ],
    ids=numbered,
)
def test_places_that_name_the_module_differently_are_refused(
    source_tree: Tree,
    forge: Forge,
    path: str,
    change: Change,
) -> None:
    source_tree.change(path, change)

    answer = refused(source_tree, forge, "version-mismatch")

    assert answer.paths("version-mismatch") == [path]


def test_an_include_that_matches_nothing_is_refused(source_tree: Tree, forge: Forge) -> None:
    source_tree.change(BUILD, lambda d: d["include"].append("ghosts/**"))

    refused(source_tree, forge, "vacuous-include")


@pytest.mark.parametrize("hits", [1, 3])
def test_a_replacement_with_other_hits_than_expected_is_refused(
    source_tree: Tree, forge: Forge, hits: int
) -> None:
    source_tree.put(f"{LANE}/NOTES.md", "NAME and NAME, not NAMES\n")
    entry = {"files": ["*.md"], "find": "NAME", "replace": r"a\1b", "expect": hits}
    source_tree.change(BUILD, lambda d: d["replace"].append(entry))

    refused(source_tree, forge, "replace-count")


def test_a_replacement_with_its_hits_changes_the_copy_alone(
    source_tree: Tree, forge: Forge
) -> None:
    source_tree.put(f"{LANE}/NOTES.md", "NAME and NAME, not NAMES\n")
    entry = {"files": ["*.md"], "find": "NAME", "replace": r"a\1b", "expect": 2}
    source_tree.change(BUILD, lambda d: d["replace"].append(entry))

    assert forge("--apply").status == 0
    made = source_tree.root.parent / "out/multi-session/lane-kit-0.1.0/NOTES.md"
    assert made.read_text() == "a\\1b and a\\1b, not NAMES\n"
    assert source_tree.snapshot(LANE)["NOTES.md"].startswith(b"NAME")


@pytest.mark.parametrize(
    "name",
    [
        "a.bak", "a.bak2", "a.orig", "a.rej", "a.pre-x", "a.pre1", "a~", "__pycache__/a.pyc",
        "A.PYC",
        ".env", ".env.local", ".ENV", ".DS_Store", "Thumbs.db", "publish-rules.local.json",
        "x.build.json", ".pytest_cache/v", "deep/.mypy_cache/x",
    ],
)  # fmt: skip
def test_a_name_that_no_release_holds_is_refused(
    source_tree: Tree, forge: Forge, name: str
) -> None:
    source_tree.put(f"{LANE}/docs/{name}", "x\n")

    answer = refused(source_tree, forge, "forbidden-name")

    assert answer.paths("forbidden-name") == [f"{LANE}/docs/{name}"]


def test_an_excluded_name_and_an_example_of_settings_are_no_fault(
    source_tree: Tree, forge: Forge
) -> None:
    source_tree.put(f"{LANE}/.env.example", "NAME=value\n")
    source_tree.put(f"{LANE}/_lib/__pycache__/a.pyc", b"\0")
    source_tree.change(BUILD, lambda d: d["exclude"].append("**/__pycache__/**"))

    assert forge("--apply").status == 0


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"\xef\xbb\xbfx\n", "byte-order mark"),
        (b"a\rb\n", "carriage return"),
        (b"\xff\n", "not UTF-8"),
    ],
)
def test_a_text_in_another_form_is_refused(
    source_tree: Tree, forge: Forge, data: bytes, word: str
) -> None:
    source_tree.put(f"{LANE}/NOTES.md", data)

    answer = refused(source_tree, forge, "encoding")

    assert word in answer.report["problems"][0]["measured"]


def test_line_ends_of_another_system_become_line_feeds_and_binary_files_stay(
    source_tree: Tree, forge: Forge
) -> None:
    source_tree.put(f"{LANE}/NOTES.md", b"a\r\nb\r\n")
    source_tree.put(f"{LANE}/dot.png", b"\x89PNG\r\n\x1a\n")
    source_tree.put(f"{LANE}/data.bin", b"\0\r\n")

    assert forge("--apply").status == 0
    out = source_tree.root.parent / "out/multi-session/lane-kit-0.1.0"
    assert (out / "NOTES.md").read_bytes() == b"a\nb\n"
    assert (out / "dot.png").read_bytes() == b"\x89PNG\r\n\x1a\n"
    assert (out / "data.bin").read_bytes() == b"\0\r\n"


@pytest.mark.parametrize("name", ["a b:c.md", "con.md", "n\N{LATIN SMALL LETTER E WITH ACUTE}.md"])
def test_a_name_that_is_not_portable_is_refused(source_tree: Tree, forge: Forge, name: str) -> None:
    if os.name == "nt":
        pytest.skip("this system cannot make such a file")
    source_tree.put(f"{LANE}/{name}", "x\n")

    refused(source_tree, forge, "unsafe-path")


def test_two_names_that_differ_in_case_alone_are_refused(source_tree: Tree, forge: Forge) -> None:
    source_tree.put(f"{LANE}/NOTES.md", "x\n")
    if (source_tree.root / LANE / "notes.md").exists():
        pytest.skip("this file system ignores case")
    source_tree.put(f"{LANE}/notes.md", "x\n")

    refused(source_tree, forge, "case-collision")


@pytest.mark.parametrize("target", ["README.md", "skills", "/etc/hosts", "nothing"])
def test_a_link_is_refused_wherever_it_points(source_tree: Tree, forge: Forge, target: str) -> None:
    if os.name == "nt":
        pytest.skip("links need a privilege on this system")
    (source_tree.root / LANE / "link").symlink_to(target)

    refused(source_tree, forge, "link-in-module")


@pytest.mark.parametrize(
    "path", ["README.md", "AGENTS.md", ".claude-plugin/plugin.json", "install/kit.install.json"]
)
def test_a_module_without_a_document_of_every_module_is_refused(
    source_tree: Tree, forge: Forge, path: str
) -> None:
    (source_tree.root / LANE / path).unlink()

    answer = forge("--apply")

    assert answer.status == 2
    assert f"{LANE}/{path}" in answer.paths("component-missing")


def test_components_match_the_tree_both_ways(source_tree: Tree, forge: Forge) -> None:
    source_tree.put(f"{LANE}/commands/lane.md", "x\n")
    answer = refused(source_tree, forge, "component-undeclared")
    assert answer.paths("component-undeclared") == [f"{LANE}/commands/"]
    (source_tree.root / LANE / "commands/lane.md").unlink()

    for path in (source_tree.root / LANE / "skills/lanes").iterdir():
        path.unlink()
    answer = refused(source_tree, forge, "component-missing")
    assert answer.paths("component-missing") == [f"{LANE}/skills/"]


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["smokes"].clear(),
        lambda d: d["smokes"][0]["argv"].__setitem__(1, "scripts/other.py"),
        lambda d: d.update(docs="OTHER.md"),
        lambda d: d["seeds"].append({"from": "a.json", "to": "b.json"}),
        lambda d: d["hosts"]["codex"].update(channel="plugin"),
        lambda d: d["wiring"].pop("codex"),
        lambda d: d.update(extra=1),
    ],
    ids=numbered,
)
def test_an_install_manifest_that_the_module_does_not_keep_is_refused(
    source_tree: Tree,
    forge: Forge,
    change: Change,
) -> None:
    source_tree.change(INSTALL, change)

    refused(source_tree, forge, "install-manifest-invalid")


def test_a_question_without_an_effect_is_refused(source_tree: Tree, forge: Forge) -> None:
    question = {"id": "a", "prompt": "A?", "type": "bool", "default": False}
    source_tree.change(INSTALL, lambda d: d["questions"].append(question))

    refused(source_tree, forge, "vacuous-question")


def entry(document: dict[str, Any]) -> dict[str, Any]:
    """Return the one entry of a hooks file."""
    found: dict[str, Any] = document["hooks"]["PreToolUse"][0]["hooks"][0]
    return found


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update({"$schema": "x"}),
        lambda d: entry(d).update(args=[]),
        lambda d: entry(d).update(timeout=1.5),
        lambda d: entry(d).update(timeout=121),
        lambda d: entry(d).pop("timeout"),
        lambda d: entry(d).update(type="prompt"),
        lambda d: entry(d).update({"async": True}),
        lambda d: entry(d).update(command=entry(d)["command"].replace('"', "")),
        lambda d: entry(d).update(command=entry(d)["command"].replace("bash", "sh")),
        lambda d: entry(d).update(command=entry(d)["command"].replace("closed", "loud")),
        lambda d: entry(d).pop("onFailure"),
        lambda d: d["hooks"]["PreToolUse"][0].update(matcher="("),
        lambda d: d["hooks"]["PreToolUse"][0].update(matcher=7),
        lambda d: d["hooks"].update(BeforeTool=[]),
    ],
    ids=numbered,
)
def test_a_hooks_file_that_one_host_would_drop_is_refused(
    source_tree: Tree,
    forge: Forge,
    change: Change,
) -> None:
    source_tree.change(HOOKS, change)

    answer = refused(source_tree, forge, "hooks-file-invalid")

    assert set(answer.paths("hooks-file-invalid")) == {HOOKS}


def test_hooks_are_declared_and_wired_both_ways(source_tree: Tree, forge: Forge) -> None:
    source_tree.change(HOOKS, lambda d: d["hooks"].update(Stop=d["hooks"]["PreToolUse"]))
    refused(source_tree, forge, "hook-undeclared")

    source_tree.change(HOOKS, lambda d: d["hooks"].clear())
    refused(source_tree, forge, "hook-unwired")


def test_a_plugin_that_lists_its_hooks_is_refused(source_tree: Tree, forge: Forge) -> None:
    source_tree.change(PLUGIN, lambda d: d.update(hooks="./hooks/hooks.json"))

    refused(source_tree, forge, "hooks-listed-twice")


@pytest.mark.parametrize(
    ("source", "text", "told"),
    [
        ("hpp/core/odd.py", "import yaml\n", "imports yaml"),
        ("hpp/core/odd.py", "import tomllib\n", "imports tomllib"),
        ("hpp/core/odd.py", "def f():\n    from jsonschema import x\n", "imports jsonschema"),
        ("hpp/core/odd.py", "from hpp.evidence import x\n", "imports hpp.evidence"),
        ("hpp/core/odd.py", "from hpp.core.gone import x\n", "there is no such source"),
        ("hpp/core/odd.py", "def (\n", "is no Python"),
    ],
    ids=numbered,
)
def test_a_shared_source_with_needs_of_its_own_is_refused(
    source_tree: Tree, forge: Forge, source: str, text: str, told: str
) -> None:
    source_tree.put(f"packages/hpp-core/src/{source}", text)
    vendor = {"from": source, "to": "_vendor"}
    source_tree.change(BUILD, lambda d: d["vendor"].append(vendor))

    answer = refused(source_tree, forge, "vendor-drift")

    assert told in answer.report["problems"][0]["measured"]


def test_a_shared_source_that_is_not_there_is_refused(source_tree: Tree, forge: Forge) -> None:
    vendor = {"from": "hpp/core/gone.py", "to": "_vendor"}
    source_tree.change(BUILD, lambda d: d["vendor"].append(vendor))

    refused(source_tree, forge, "vendor-drift")


@pytest.mark.parametrize("line", ["import hpp.core.document", "from hpp.core import strictjson"])
def test_a_script_that_imports_what_is_not_vendored_is_refused(
    source_tree: Tree, forge: Forge, line: str
) -> None:
    source_tree.put("packages/hpp-core/src/hpp/core/strictjson.py", "")
    source_tree.put("packages/hpp-core/src/hpp/core/document.py", "")
    source_tree.put(f"{LANE}/scripts/tool.py", f"{line}\n")

    answer = refused(source_tree, forge, "vendor-drift")

    assert answer.paths("vendor-drift") == [f"{LANE}/scripts/tool.py"]


@pytest.mark.parametrize("path", ["_vendor/x.py", "CHECKSUMS.txt", "LICENSE", "codex/skills/x"])
def test_a_source_with_a_file_that_the_forge_writes_is_refused(
    source_tree: Tree, forge: Forge, path: str
) -> None:
    source_tree.put(f"{LANE}/{path}", "x\n")

    answer = forge("--apply")

    assert answer.status == 2
    assert answer.codes <= {"vendor-drift", "emission-drift"}


def test_the_closure_of_a_vendored_source_is_copied_byte_for_byte(
    source_tree: Tree, forge: Forge
) -> None:
    top = "packages/hpp-core/src/hpp/core"
    source_tree.put(
        f"{top}/a.py",
        "import os\nTYPE_CHECKING = False\nif TYPE_CHECKING:\n    import typing_extensions\n"
        "def f():\n    from hpp.core import b\n",
    )
    source_tree.put(f"{top}/b.py", "from hpp.core.deep.c import x\n")
    source_tree.put(f"{top}/deep/__init__.py", "")
    source_tree.put(f"{top}/deep/c.py", "from . import d\nx = 1\n")
    source_tree.put(f"{top}/deep/d.py", "")
    source_tree.put(f"{top}/unused.py", "")
    vendor = [
        {"from": "hpp/core/a.py", "to": "_vendor"},
        {"from": "hpp/core/b.py", "to": "scripts/b.py"},
    ]
    source_tree.change(BUILD, lambda d: d.update(vendor=vendor))

    assert forge("--apply").status == 0
    out = source_tree.root.parent / "out/multi-session/lane-kit-0.1.0"
    copies = {path.relative_to(out / "_vendor").as_posix() for path in out.rglob("_vendor/**/*.py")}
    assert copies == {
        f"hpp/core/{name}.py"
        for name in ("__init__", "errors", "a", "b", "deep/__init__", "deep/c", "deep/d")
    }
    assert (out / "scripts/b.py").read_bytes() == (source_tree.root / top / "b.py").read_bytes()


def test_a_secret_in_a_source_stops_the_emission_and_is_not_shown(
    source_tree: Tree, forge: Forge
) -> None:
    secret = "ghp_" + "Ab1" * 12
    source_tree.put(f"{LANE}/scripts/tool.py", f"TOKEN = '{secret}'\n")

    answer = refused(source_tree, forge, "publish-block")

    assert answer.paths("publish-block") == [f"{LANE}/scripts/tool.py:1"]
    assert secret[4:10] not in answer.out + answer.err


def test_a_skill_for_codex_that_keeps_a_token_is_served_a_rendered_copy(
    source_tree: Tree, emitted: Tree
) -> None:
    lane = "multi-session/lane-kit-0.1.0"
    made = emitted.snapshot(lane)

    assert b"${" not in made["codex/skills/lanes/SKILL.md"]
    assert b".agents/hpp/lane-kit/scripts/tool.py" in made["codex/skills/lanes/SKILL.md"]
    assert emitted.read(f"{lane}/.codex-plugin/plugin.json")["skills"] == "./codex/skills/"
    assert emitted.read(f"{lane}/.codex-plugin/plugin.json")["hooks"] == {"hooks": {}}
    assert made["skills/lanes/SKILL.md"] == source_tree.snapshot(LANE)["skills/lanes/SKILL.md"]


def test_the_block_for_codex_has_what_codex_reads_and_nothing_else(emitted: Tree) -> None:
    block = emitted.read("multi-session/lane-kit-0.1.0/install/codex-hooks.json")

    assert set(block) == {"description", "hooks"}
    one = block["hooks"]["PreToolUse"][0]["hooks"][0]
    assert set(one) == {"type", "command", "timeout"}
    assert one["command"].count('"<target>/.agents/hpp/lane-kit/') == 2


def test_a_module_that_codex_is_not_served_has_no_file_for_it(emitted: Tree) -> None:
    made = emitted.snapshot("frameworks/claude-dev-kit-0.1.0")

    assert ".codex-plugin/plugin.json" not in made
    assert "install/codex-hooks.json" not in made
    assert "install/wiring.settings.jsonc" in made


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: d["modules"].pop(), "lane-kit is missing"),
        (lambda d: d["modules"].append({"id": "x-kit", "category": "a"}), "x-kit is not in"),
        (lambda d: d.update(extra=1), "unknown key"),
        (lambda d: d["modules"].append(d["modules"][0]), "repeated"),
    ],
    ids=numbered,
)
def test_a_product_that_differs_from_the_manifest_is_refused(
    source_tree: Tree,
    forge: Forge,
    change: Change,
    told: str,
) -> None:
    source_tree.change("modules/product.build.json", change)

    answer = forge("--apply")

    assert answer.status == 2
    assert told in answer.err


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("name: lanes", "name: other", "L1-name"),
        ("> **Priority:** LOW", "> **Priority:** SOME", "L1-priority"),
        ("## Proof", "## Prove", "L4-proof"),
        ("exit=5", "exit=0", "L3-no-failure"),
    ],
)
def test_a_skill_that_breaks_its_contract_is_refused(
    source_tree: Tree, forge: Forge, old: str, new: str, rule: str
) -> None:
    path = f"{LANE}/skills/lanes/SKILL.md"
    text = source_tree.snapshot(LANE)["skills/lanes/SKILL.md"].decode()
    source_tree.put(path, text.replace(old, new))

    answer = forge("--apply")

    assert answer.status == 2
    assert rule in answer.codes
    assert answer.paths(rule)[0].startswith(f"{path}:")


def test_a_skill_whose_proof_proves_nothing_is_refused(source_tree: Tree, forge: Forge) -> None:
    source_tree.put(f"{LANE}/scripts/tool.py", "print('ok')\n")

    refused(source_tree, forge, "L4-vacuous-proof")


def test_an_allowed_occurrence_is_emitted_and_an_unused_allowance_is_told(
    source_tree: Tree, forge: Forge
) -> None:
    import hashlib

    secret = "ghp_" + "Ab1" * 12
    source_tree.put(f"{LANE}/NOTES.md", f"{secret}\n")
    entry = {
        "path": f"{LANE}/NOTES.md",
        "rule": "secret-provider",
        "sha256": hashlib.sha256(secret.encode()).hexdigest(),
        "owner": "me",
        "reason": "a made-up value",
        "expires": "2999-12-31",
    }
    rule = refused(source_tree, forge, "publish-block").report["problems"][0]["measured"]
    entry["rule"] = rule.split(":")[0]
    source_tree.change("modules/publish-rules.json", lambda d: d["allow"].append(entry))
    assert forge("--apply").status == 0

    source_tree.put(f"{LANE}/NOTES.md", "nothing\n")
    told = forge("--apply")
    assert (told.status, told.codes) == (1, {"allow-unused"})


def test_a_private_term_of_the_local_rules_is_refused(source_tree: Tree, forge: Forge) -> None:
    rule = {"id": "client", "category": "private-term", "severity": "block", "mode": "word"}
    source_tree.put(
        "modules/publish-rules.local.json",
        {
            "schema": "hpp.publish-rules/v1",
            "allowed_emails": [],
            "rules": [{**rule, "find": "Initech"}],
            "allow": [],
        },
    )
    assert forge().status == 0
    source_tree.put(f"{LANE}/NOTES.md", "for initech\n")

    answer = refused(source_tree, forge, "publish-block")

    assert "initech" not in answer.out.lower()


def test_an_accelerator_of_some_pythons_is_a_part_of_the_standard_library(
    source_tree: Tree, forge: Forge
) -> None:
    text = (
        "try:\n    from _sha256 import sha256\nexcept ImportError:\n    from _sha2 import sha256\n"
    )
    source_tree.put("packages/hpp-core/src/hpp/core/odd.py", text)
    vendor = {"from": "hpp/core/odd.py", "to": "_vendor"}
    source_tree.change(BUILD, lambda d: d["vendor"].append(vendor))

    assert forge("--apply").status == 0
