"""Wiring hooks into a person's settings, and taking out again what was put in."""

from __future__ import annotations

import copy
import json
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpp.core.portable.report import ToolRefusedError
from hpp.core.portable.settingsfile import SettingsFile
from hpp.core.portable.settingswiring import Wiring
from hpp.core.portable.wiringspec import read_spec

if TYPE_CHECKING:
    from pathlib import Path

SPEC: dict[str, Any] = {
    "schema": "hpp.wiring-spec/v1",
    "statusLine": {"command": "bash line.sh"},
    "hooks": {
        "PreToolUse": [
            {"id": "kit/scan", "matcher": "Edit|Write", "clamp": "observe", "timeout": 30,
             "script": ".claude/hpp/kit/hooks/scan_it.py"},
            {"id": "kit/guard", "matcher": "Bash", "clamp": "closed", "timeout": 10,
             "script": ".claude/hpp/kit/hooks/guard_it.py", "words": ["--strict"]},
        ],
        "SessionStart": [
            {"id": "kit/probe", "clamp": "observe", "timeout": 30,
             "script": ".claude/hpp/kit/scripts/probe_it.py"},
        ],
    },
}  # fmt: skip
SCAN = {
    "type": "command",
    "command": 'bash "${CLAUDE_PROJECT_DIR}/.claude/hpp/kit/hooks/pyrun.sh" observe '
    '"${CLAUDE_PROJECT_DIR}/.claude/hpp/kit/hooks/scan_it.py"',
    "timeout": 30,
}

WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
NUMBERS = st.none() | st.floats(allow_nan=False, allow_infinity=False)
ENTRIES = st.fixed_dictionaries(
    {"type": st.just("command"),
     "command": st.sampled_from(["echo hi", "python3 my_scan_it.py", "node x/lint.js", "true"])},
    optional={"timeout": st.integers(1, 600), "note": WORDS},
)  # fmt: skip
GROUPS = st.fixed_dictionaries(
    {"hooks": st.lists(ENTRIES, max_size=3)},
    optional={"matcher": st.sampled_from(["Bash", "Edit|Write", "*", ""])},
)
HOOKS = st.dictionaries(
    st.sampled_from(["PreToolUse", "SessionStart", "Stop", "PostToolUse"]),
    st.lists(GROUPS, max_size=3), max_size=4,
)  # fmt: skip
FOREIGN = st.fixed_dictionaries(
    {},
    optional={
        "permissions": st.dictionaries(WORDS, st.lists(WORDS, max_size=3), max_size=3),
        "env": st.dictionaries(WORDS, WORDS, max_size=3),
        "model": WORDS,
        "nested": st.recursive(NUMBERS | WORDS, lambda inner: st.lists(inner, max_size=3)),
        "hooks": HOOKS,
    },
)  # fmt: skip
LAYOUTS = st.tuples(st.sampled_from([None, 2, 4, "\t"]), st.sampled_from(["", "\n", "\r\n"]))


def wire(path: Path, spec: dict[str, Any] = SPEC, **options: bool) -> Wiring:
    return run(path, spec, undo=False, **options)


def undo(path: Path, spec: dict[str, Any] = SPEC) -> Wiring:
    return run(path, spec, undo=True)


def run(path: Path, spec: dict[str, Any], *, undo: bool, force: bool = False) -> Wiring:
    items, line, faults = read_spec(spec, scope="project")
    assert not faults
    file = SettingsFile(str(path), follow=False)
    record = copy.deepcopy(file.record)
    if not file.exists and not undo:
        record["created_file"] = True
    wiring = Wiring(str(path), file.text, file.document, record)
    if undo:
        wiring.undo(items, with_line=line is not None)
    else:
        wiring.wire(items, line, force=force)
    file.write(wiring)
    return wiring


def hooks_only() -> dict[str, Any]:
    return {key: value for key, value in SPEC.items() if key != "statusLine"}


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(foreign=FOREIGN, layout=LAYOUTS, is_ascii=st.booleans(), edit=st.data())
def test_a_hand_edit_between_wiring_and_undoing_stays_and_nothing_else(
    tmp_path: Path,
    foreign: dict[str, Any],
    layout: tuple[Any, str],
    is_ascii: bool,
    edit: st.DataObject,
) -> None:
    for old in tmp_path.iterdir():
        old.unlink()
    path = tmp_path / "settings.json"
    indent, end = layout
    original = json.dumps(foreign, indent=indent, ensure_ascii=is_ascii) + end
    path.write_bytes(original.encode())

    wire(path)
    wired = path.read_bytes()
    wire(path)
    assert path.read_bytes() == wired, "a second wiring changes nothing"
    document = json.loads(wired)
    assert [each for group in document["hooks"]["PreToolUse"] for each in group["hooks"]].count(
        SCAN
    ) == 1

    changed = copy.deepcopy(document)
    wanted = copy.deepcopy(foreign)
    addition = edit.draw(st.sampled_from(["key", "entry", "nothing"]))
    if addition == "key":
        changed["mine"] = wanted["mine"] = {"kept": [1.5]}
    if addition == "entry":
        mine = {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "./mine.sh"}]}
        changed["hooks"]["PreToolUse"].insert(0, mine)
        wanted.setdefault("hooks", {}).setdefault("PreToolUse", []).insert(0, mine)
    if addition != "nothing":
        path.write_bytes(json.dumps(changed, indent=3).encode())

    undo(path)

    assert json.loads(path.read_bytes()) == wanted
    if addition == "nothing":
        assert path.read_bytes() == original.encode()
    assert not (tmp_path / "settings.json.hpp-wire.json").exists()


def test_a_file_that_was_not_there_goes_again(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"

    wire(path)
    assert json.loads(path.read_bytes())["statusLine"] == {
        "type": "command",
        "command": "bash line.sh",
    }
    undo(path)

    assert not path.exists()


def test_undoing_what_was_never_wired_writes_nothing(tmp_path: Path) -> None:
    undo(tmp_path / "settings.json")

    assert list(tmp_path.iterdir()) == []


def test_a_part_of_a_specification_is_undone_alone(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    wire(path)
    part = {"schema": SPEC["schema"], "hooks": {"SessionStart": SPEC["hooks"]["SessionStart"]}}

    undo(path, part)

    assert set(json.loads(path.read_text())["hooks"]) == {"PreToolUse"}
    record = json.loads((tmp_path / "settings.json.hpp-wire.json").read_text())
    assert set(record["entries"]) == {"kit/scan", "kit/guard"}
    undo(path)
    assert path.read_text() == "{}"


def test_an_edited_entry_is_refused_and_shown(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    wire(path)
    text = path.read_text().replace('"timeout": 10', '"timeout": 11')
    path.write_text(text)

    for step in (undo, wire):
        with pytest.raises(ToolRefusedError) as refusal:
            step(path)
        assert refusal.value.problem["code"] == "wire-edited"
        assert "'timeout': 11" in refusal.value.problem["measured"]
    assert path.read_text() == text


def test_an_entry_that_a_person_took_out_is_gone_and_the_rest_is_undone(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}\n")
    wire(path)
    document = json.loads(path.read_text())
    del document["hooks"]["PreToolUse"][1]
    path.write_text(json.dumps(document))

    wiring = undo(path)

    assert [each["action"] for each in wiring.actions] == ["remove", "gone", "remove", "remove"]
    assert json.loads(path.read_text()) == {}


def test_a_status_line_of_another_owner_is_left(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"statusLine": {"type": "command", "command": "mine"}}')

    wiring = wire(path)

    assert [each["code"] for each in wiring.problems] == ["wire-conflict"]
    assert json.loads(path.read_text())["statusLine"]["command"] == "mine"


def test_a_forced_status_line_comes_back_and_a_copy_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    original = '{"statusLine": {"type": "command", "command": "mine"}}'
    path.write_text(original)

    wire(path, force=True)
    backups = [each for each in tmp_path.iterdir() if ".bak-" in each.name]
    undo(path)

    assert [each.read_text() for each in backups] == [original]
    assert json.loads(path.read_text())["statusLine"]["command"] == "mine"


def test_a_script_of_the_same_name_is_a_conflict_and_a_longer_name_is_none(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    longer = {"type": "command", "command": "python3 tools/my_scan_it.py"}
    path.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [longer]}]}}))
    assert not wire(path, hooks_only()).problems
    undo(path, hooks_only())
    same = {"type": "command", "command": "python3 tools/scan_it.py"}
    path.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [same]}]}}))

    wiring = wire(path, hooks_only())

    assert [each["code"] for each in wiring.problems] == ["wire-conflict"]
    assert [each["action"] for each in wiring.actions] == ["conflict", "add", "add"]


def test_an_entry_of_ours_follows_a_newer_specification(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{\n  "a": 1\n}\n')
    wire(path, hooks_only())
    newer = copy.deepcopy(hooks_only())
    newer["hooks"]["PreToolUse"][0]["timeout"] = 60

    wire(path, newer)

    timeouts = [
        group["hooks"][0]["timeout"]
        for group in json.loads(path.read_text())["hooks"]["PreToolUse"]
    ]
    assert sorted(timeouts) == [10, 60]
    undo(path, newer)
    assert path.read_text() == '{\n  "a": 1\n}\n'


def test_a_record_of_other_hands_takes_no_guard_out(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    guard = {"type": "command", "command": "python3 hooks/the_guard.py"}
    path.write_text(
        json.dumps({"hooks": {"PreToolUse": [{"matcher": "Edit|Write", "hooks": [guard]}]}})
    )
    record: dict[str, Any] = {
        "schema": "hpp.wire-record/v1", "status_line": None, "created": [], "created_file": False,
        "entries": {"kit/scan": {"event": "PreToolUse", "matcher": "Edit|Write", "entry": guard}},
    }  # fmt: skip
    (tmp_path / "settings.json.hpp-wire.json").write_text(json.dumps(record))

    with pytest.raises(ToolRefusedError) as refusal:
        undo(path)

    assert refusal.value.problem["code"] == "wire-edited"
    assert "the_guard.py" in path.read_text()


def test_a_change_between_reading_and_writing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    items, line, _ = read_spec(SPEC, scope="project")
    file = SettingsFile(str(path), follow=False)
    wiring = Wiring(str(path), file.text, file.document, file.record)
    wiring.wire(items, line, force=False)
    path.write_text('{"saved": "by the host"}')

    with pytest.raises(ToolRefusedError) as refusal:
        file.write(wiring)

    assert refusal.value.problem["code"] == "wire-changed"
    assert path.read_text() == '{"saved": "by the host"}'


def test_the_last_five_backups_stay_and_foreign_ones_do(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    (tmp_path / "settings.json.bak-mine").write_text("mine")

    for _ in range(5):
        wire(path)
        undo(path)

    names = sorted(each.name for each in tmp_path.iterdir() if ".bak-" in each.name)
    assert len(names) == 6
    assert "settings.json.bak-mine" in names


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permission bits")
def test_the_permission_bits_stay(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    path.chmod(0o600)

    wire(path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(os.name == "nt", reason="making a link needs a privilege there")
def test_a_link_in_a_project_is_refused_and_a_persons_own_is_followed(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text("{}")
    link = tmp_path / "settings.json"
    link.symlink_to(real)

    with pytest.raises(ToolRefusedError):
        SettingsFile(str(link), follow=False)
    assert SettingsFile(str(link), follow=True).path == str(real)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"a": 1, "a": 2}', "// note\n{}", '{"hooks": []}', '{"hooks": {"Stop": {}}}',
     '{"hooks": {"Stop": [{"hooks": {}}]}}'],
)  # fmt: skip
def test_a_malformed_file_is_refused_and_left(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(text)

    with pytest.raises(ToolRefusedError) as refusal:
        wire(path)

    assert refusal.value.problem["code"] == "settings-invalid"
    assert path.read_text() == text
    assert [each.name for each in tmp_path.iterdir()] == ["settings.json"]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"script": '.claude/x"; rm -rf ~; "/hooks/a.py'}, "script"),
        ({"script": "../out/hooks/a.py"}, "script"),
        ({"script": "tools/a.py"}, "script"),
        ({"script": "k/hooks/$(x).py"}, "script"),
        ({"words": ["a b"]}, "words"),
        ({"words": ["$(x)"]}, "words"),
        ({"clamp": "allow"}, "clamp"),
        ({"matcher": "("}, "matcher"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": True}, "timeout"),
        ({"timeout": 121}, "timeout"),
        ({"command": "rm"}, "command"),
        ({"id": "A b"}, "id"),
    ],
)
def test_a_specification_says_which_value_is_wrong(change: dict[str, Any], place: str) -> None:
    spec = copy.deepcopy(SPEC)
    spec["hooks"]["PreToolUse"][0].update(change)

    _, _, faults = read_spec(spec, scope="project")

    assert len(faults) == 1
    assert faults[0].startswith(f"hooks.PreToolUse[0].{place}: ")


def test_settings_of_all_projects_take_full_paths_only() -> None:
    spec = copy.deepcopy(hooks_only())
    for items in spec["hooks"].values():
        for item in items:
            item["script"] = f"/opt/{item['script']}"

    items, _, faults = read_spec(spec, scope="user")

    assert not faults
    assert items[0].entry["command"].startswith('bash "/opt/')
    assert len(read_spec(hooks_only(), scope="user")[2]) == 3


@pytest.mark.parametrize(
    ("script", "launcher"),
    [
        ("hooks/a.py", "${CLAUDE_PROJECT_DIR}/hooks/pyrun.sh"),
        (".claude/hooks/a-b.py", "${CLAUDE_PROJECT_DIR}/.claude/hooks/pyrun.sh"),
        ("k/scripts/a.py", "${CLAUDE_PROJECT_DIR}/k/hooks/pyrun.sh"),
        ("/opt/k/hooks/a.py", "/opt/k/hooks/pyrun.sh"),
        ("/hooks/a.py", "/hooks/pyrun.sh"),
        ("C:/k/hooks/a.py", "C:/k/hooks/pyrun.sh"),
    ],
)
def test_the_launcher_lies_in_the_module_of_the_script(script: str, launcher: str) -> None:
    item = {"id": "k", "script": script, "clamp": "block", "timeout": 1}

    items, _, faults = read_spec(
        {"schema": "hpp.wiring-spec/v1", "hooks": {"Stop": [item]}}, scope="project"
    )

    assert not faults
    assert items[0].entry["command"].startswith(f'bash "{launcher}" block "')
    assert items[0].entry["command"].endswith(f'{script}"')


def test_control_an_undo_that_removed_everything_would_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"mine": 1}')
    wire(path)
    path.write_text("{}")

    undo(path)

    assert json.loads(path.read_text()) != {"mine": 1}
