"""Installing, upgrading and removing modules."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from hpp.installer.formats.inventory import inventory_bytes, sha256_hex
from hpp.installer.formats.problem import CODES
from hpp.installer.formats.receipt import is_intact, sealed
from hpp.installer.kit import fixture
from hpp.installer.kit.command import main
from hpp.installer.kit.plan import STAGES
from hpp.installer.kit.recovery import recover
from hpp.installer.kit.removal import uninstall
from hpp.installer.kit.rollback import rollback
from hpp.installer.kit.status import status
from hpp.installer.kit.verification import verify

if TYPE_CHECKING:
    from pathlib import Path

Shop = Any  # the class lives in conftest.py
Capture = pytest.CaptureFixture[str]
ID = fixture.ID
RUNTIME = f".agents/hpp/{ID}"
RECEIPT = f".agents/hpp/.receipts/{ID}.json"


def codes(report: dict[str, Any], severity: str = "block") -> set[str]:
    found = {one["code"] for one in report["problems"]}
    assert found <= CODES
    return {one["code"] for one in report["problems"] if one["severity"] == severity}


def remove(shop: Shop, **rules: Any) -> dict[str, Any]:  # noqa: ANN401 -- of uninstall
    rules = {"apply": True, **rules}
    return uninstall(ID, str(shop.target), "codex", shop.facts, **rules)


def back(shop: Shop) -> dict[str, Any]:
    return rollback(ID, str(shop.target), "codex", shop.facts, apply=True)


def look(shop: Shop) -> dict[str, Any]:
    return status(str(shop.target), None, shop.facts)


def edited(shop: Shop, path: str = f"{RUNTIME}/README.md") -> Path:
    place: Path = shop.target / path
    place.write_bytes(b"mine\n")
    return place


def test_a_plan_changes_nothing_and_ends_with_the_command_that_applies_it(shop: Shop) -> None:
    report = shop.install(shop.distribution(), apply=False, no_smoke=False)

    assert (report["status"], report["exit_code"], report["mode"]) == ("ok", 0, "plan")
    assert [one["stage"] for one in report["stages"]] == list(STAGES)
    assert {one["status"] for one in report["stages"]} == {"ok"}
    assert shop.tree() == {}
    assert report["next"][-1].endswith("--host codex --apply")


def test_an_installation_puts_a_verified_copy_and_its_skills_there(shop: Shop) -> None:
    module = shop.distribution()

    report = shop.install(module, no_smoke=False)

    assert (report["status"], report["exit_code"]) == ("applied", 0)
    assert verify(str(shop.target / RUNTIME))["exit_code"] == 0
    assert (shop.target / RUNTIME / "README.md").read_bytes() == (module / "README.md").read_bytes()
    skill = (shop.target / ".agents/skills" / f"hpp-{ID}-greet/SKILL.md").read_text("utf-8")
    assert f"name: hpp-{ID}-greet\n" in skill
    assert "PLUGIN_ROOT" not in skill
    assert f'python "{RUNTIME}/scripts/greet.py"' in skill
    assert f"in `{RUNTIME}`" in skill
    receipt = json.loads((shop.target / RECEIPT).read_bytes())
    assert is_intact(receipt)
    assert receipt["source"]["anchored"] is True
    assert str(shop.place) not in json.dumps(receipt)
    assert [smoke["status"] for smoke in receipt["smokes"]] == ["ok"]
    kinds = {entry["kind"] for entry in receipt["files"]}
    assert kinds == {"runtime", "skill", "seed"}
    rendered = next(entry for entry in receipt["files"] if entry["path"].endswith("SKILL.md"))
    assert rendered["sha256"] != rendered.get("source_sha256", "") or rendered["kind"] == "runtime"


def test_the_same_again_changes_no_byte(shop: Shop) -> None:
    module = shop.distribution()
    shop.install(module, no_smoke=False)
    before = shop.tree()

    report = shop.install(module, no_smoke=False)

    assert (report["status"], report["exit_code"]) == ("already-current", 0)
    assert shop.tree() == before


def test_a_zip_gives_the_same_bytes(shop: Shop) -> None:
    module = shop.distribution()
    shop.install(module)
    first = shop.tree()
    remove(shop, purge_seeds=True)
    assert shop.tree() == {}

    shop.install(f"{module}.zip")

    second = shop.tree()
    old, new = json.loads(first.pop(RECEIPT)), json.loads(second.pop(RECEIPT))
    assert first == second
    assert old["files"] == new["files"]
    assert (old["source"]["kind"], new["source"]["kind"]) == ("dir", "zip")


def test_status_tells_an_edited_and_a_missing_file(shop: Shop) -> None:
    assert look(shop)["exit_code"] == 0
    shop.install(shop.distribution())
    assert look(shop)["exit_code"] == 0
    (shop.target / "config/greet.json").write_bytes(b"{}\n")
    assert look(shop)["exit_code"] == 0, "a seed is a person's to edit"

    edited(shop)
    (shop.target / RUNTIME / "scripts/greet.py").unlink()
    report = look(shop)

    assert report["exit_code"] == 1
    assert codes(report, "warn") == {"modified-since", "file-missing"}
    assert report["modules"][0]["state"] == "modified"


def test_a_receipt_that_was_edited_is_relied_on_by_nothing(shop: Shop) -> None:
    module = shop.distribution()
    shop.install(module)
    receipt = json.loads((shop.target / RECEIPT).read_bytes())
    for change in ({"version": "0.0.1"}, {"dirs_created": ["../x"]}, {"files": "none"}):
        changed = {**receipt, **change}
        resealed = sealed(changed) if "version" not in change else changed
        (shop.target / RECEIPT).write_bytes(json.dumps(resealed).encode())
        before = shop.tree()

        for report in (look(shop), shop.install(module), remove(shop), back(shop)):
            assert report["exit_code"] == 2
            assert codes(report) == {"receipt-edited"}
        assert shop.tree() == before


def test_an_edit_is_kept_until_a_person_says_otherwise(shop: Shop) -> None:
    module = shop.distribution()
    shop.install(module)
    place = edited(shop)

    report = shop.install(module)
    assert (report["exit_code"], codes(report)) == (2, {"conflict"})
    assert place.read_bytes() == b"mine\n"

    report = shop.install(module, edits="keep")
    assert (report["exit_code"], report["status"]) == (1, "applied")
    assert place.read_bytes() == b"mine\n"
    assert look(shop)["modules"][0]["kept_by_user"] == [f"{RUNTIME}/README.md"]

    report = shop.install(module, edits="replace")
    assert (report["exit_code"], report["status"]) == (1, "applied")
    assert place.read_bytes() == shop.files()["README.md"]
    backups = list((shop.target / ".agents/hpp/.backups" / ID).iterdir())
    assert b"mine\n" in {backup.read_bytes() for backup in backups}
    assert back(shop)["exit_code"] == 0
    assert place.read_bytes() == b"mine\n"


def test_a_deleted_file_is_restored(shop: Shop) -> None:
    module = shop.distribution()
    shop.install(module)
    before = shop.tree()
    (shop.target / RUNTIME / "README.md").unlink()

    report = shop.install(module)

    assert {"action": "restore", "path": f"{RUNTIME}/README.md", "kind": "runtime"} in report[
        "actions"
    ]
    assert set(shop.tree()) >= set(before)


def test_an_upgrade_replaces_adds_and_removes_and_a_rollback_undoes_it(shop: Shop) -> None:
    first = shop.distribution()
    shop.install(first)
    before = shop.tree()
    files = fixture.module_files("0.2.0", extra={"scripts/more.py": b"\n"})
    del files["skills/greet/words.txt"]
    second = shop.distribution("0.2.0", fixture.sealed_files(files))

    report = shop.install(second)

    actions = {one["path"]: one["action"] for one in report["actions"]}
    assert actions[f"{RUNTIME}/scripts/more.py"] == "add"
    assert actions[f"{RUNTIME}/scripts/version.txt"] == "update"
    assert actions[f"{RUNTIME}/skills/greet/words.txt"] == "remove"
    assert actions[f".agents/skills/hpp-{ID}-greet/words.txt"] == "remove"
    assert (shop.target / RUNTIME / "scripts/version.txt").read_bytes() == b"0.2.0\n"
    assert verify(str(shop.target / RUNTIME))["exit_code"] == 0
    assert look(shop)["modules"][0]["rollback_available"] is True
    receipt = json.loads((shop.target / RECEIPT).read_bytes())
    assert receipt["previous"]["version"] == "0.1.0"

    assert back(shop)["exit_code"] == 0
    assert shop.tree() == before
    report = back(shop)
    assert (report["exit_code"], codes(report)) == (2, {"receipt-missing"})


def test_a_rollback_over_an_edit_is_refused(shop: Shop) -> None:
    shop.install(shop.distribution())
    shop.install(shop.distribution("0.2.0"))
    place = edited(shop)

    report = back(shop)

    assert (report["exit_code"], codes(report)) == (2, {"modified-since"})
    assert place.read_bytes() == b"mine\n"


def test_a_downgrade_needs_to_be_asked_for(shop: Shop) -> None:
    first = shop.distribution()
    shop.install(shop.distribution("0.2.0"))

    assert codes(shop.install(first)) == {"downgrade"}
    assert shop.install(first, allow_downgrade=True)["status"] == "applied"


def test_other_bytes_under_the_same_version_are_told(shop: Shop) -> None:
    shop.install(shop.distribution())
    files = fixture.sealed_files(fixture.module_files(extra={"README.md": b"# new\n"}))

    report = shop.install(shop.distribution(files=files))

    assert report["status"] == "applied"
    assert "checksum-mismatch" in codes(report, "warn")


def test_an_edited_file_that_vanishes_is_kept(shop: Shop) -> None:
    shop.install(shop.distribution())
    place = edited(shop, f"{RUNTIME}/skills/greet/words.txt")
    files = fixture.module_files("0.2.0")
    del files["skills/greet/words.txt"]

    report = shop.install(shop.distribution("0.2.0", fixture.sealed_files(files)))

    assert (report["status"], report["exit_code"]) == ("applied", 1)
    assert place.read_bytes() == b"mine\n"


def test_what_is_removed_leaves_exactly_the_user_s_bytes(shop: Shop) -> None:
    (shop.target / ".agents").mkdir()
    (shop.target / ".agents/own.md").write_bytes(b"mine\n")
    (shop.target / "config").mkdir()
    before = shop.tree()
    shop.install(shop.distribution(), no_smoke=False)
    shop.install(shop.distribution("0.2.0"), no_smoke=False)
    cache = shop.target / RUNTIME / "scripts/__pycache__"
    cache.mkdir()
    (cache / "greet.cpython-312.pyc").write_bytes(b"x")

    plan = remove(shop, apply=False, purge_seeds=True)
    assert (plan["mode"], plan["exit_code"]) == ("plan", 0)
    assert (shop.target / RUNTIME).is_dir()

    assert remove(shop, purge_seeds=True)["status"] == "removed"
    assert shop.tree() == before


def test_a_removal_keeps_what_was_edited_and_the_configuration(shop: Shop) -> None:
    shop.install(shop.distribution())
    place = edited(shop)

    report = remove(shop)

    assert (report["status"], report["exit_code"]) == ("removed", 1)
    assert place.read_bytes() == b"mine\n"
    left = {path for path, data in shop.tree().items() if data is not None}
    assert left == {"config/greet.json", f"{RUNTIME}/README.md"}
    assert codes(remove(shop)) == {"receipt-missing"}


def test_the_last_of_two_modules_takes_the_installer_s_own_files_along(shop: Shop) -> None:
    shop.install(shop.distribution())
    files = fixture.module_files()
    renamed = {p: d.replace(ID.encode(), b"other-kit") for p, d in files.items()}
    del renamed["seed.example.json"]
    manifest = json.loads(renamed["install/kit.install.json"])
    manifest |= {"seeds": [], "questions": []}
    renamed["install/kit.install.json"] = json.dumps(manifest).encode()
    other = shop.place / "other-kit-0.1.0"
    fixture.write_files(str(other), fixture.sealed_files(renamed))
    assert shop.install(other)["status"] == "applied"

    assert remove(shop, purge_seeds=True)["status"] == "removed"
    assert (shop.target / ".agents/hpp/.gitignore").is_file()
    report = uninstall("other-kit", str(shop.target), "codex", shop.facts, apply=True)

    assert report["status"] == "removed"
    assert shop.tree() == {}


@pytest.mark.parametrize("name", [".codex/hooks.json", ".codex/config.toml"])
def test_a_module_that_settings_still_run_stays(shop: Shop, name: str) -> None:
    shop.install(shop.distribution())
    command = f'bash "/p/{RUNTIME}/hooks/pyrun.sh" block x'
    hooks = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}
    place = shop.target / name
    place.parent.mkdir()
    text = json.dumps(hooks) if name.endswith(".json") else f"notify = ['{command}']\n"
    place.write_text(text, encoding="utf-8")

    report = remove(shop)
    assert (report["exit_code"], codes(report)) == (2, {"still-wired"})
    assert name in report["next"][0]

    assert remove(shop, force_wired=True)["exit_code"] == 0
    assert place.read_text(encoding="utf-8") == text


def test_a_host_that_the_module_does_not_support_is_refused(shop: Shop) -> None:
    files = fixture.module_files()
    manifest = json.loads(files["install/kit.install.json"])
    manifest["hosts"]["codex"]["channel"] = "unsupported"
    files["install/kit.install.json"] = json.dumps(manifest).encode()
    module = shop.bare(fixture.sealed_files(files))

    assert codes(shop.install(module)) == {"host-unsupported"}
    assert codes(shop.install(shop.distribution(), channel="plugin")) == {"host-unsupported"}
    assert shop.tree() == {}


@pytest.mark.parametrize(
    ("smoke", "code"),
    [("raise SystemExit(1)\n", "smoke-failed"), ("while True: pass\n", "smoke-timeout")],
)
@pytest.mark.parametrize("apply", [False, True])
def test_a_proof_that_fails_or_hangs_stops_everything(
    shop: Shop, smoke: str, code: str, apply: bool
) -> None:
    module = shop.bare(shop.files(smoke=smoke))

    report = shop.install(module, apply=apply, no_smoke=False, smoke_timeout=1)

    assert (report["exit_code"], codes(report)) == (2, {code})
    assert shop.tree() == {}


def test_a_proof_sees_no_secret_no_home_and_leaves_no_trace(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    smoke = (
        "import os, sys\n"
        "here = os.getcwd()\n"
        "bad = [n for n in os.environ if 'TOKEN' in n or 'SECRET' in n]\n"
        f"bad += [v for n, v in os.environ.items() if n == 'HOME' and v == {str(shop.place)!r}]\n"
        "open(os.path.join(os.path.expanduser('~'), 'trace'), 'w').close()\n"
        "sys.exit(1 if bad or os.listdir(here) else 0)\n"
    )
    monkeypatch.setenv("HOME", str(shop.place))
    facts = replace(shop.facts, environment={"MY_TOKEN": "x", "HOME": str(shop.place), "PATH": ""})

    report = shop.install(shop.bare(shop.files(smoke=smoke)), facts=facts, no_smoke=False)

    assert report["status"] == "applied", report["stages"][-1]
    assert not (shop.place / "trace").exists()


def test_proofs_that_need_a_bash_that_is_not_there_stop_the_installation(shop: Shop) -> None:
    files = fixture.module_files()
    manifest = json.loads(files["install/kit.install.json"])
    manifest["smokes"] = [{"id": "shell", "argv": ["{bash}", "hooks/pyrun.sh"]}]
    files["install/kit.install.json"] = json.dumps(manifest).encode()
    facts = replace(shop.facts, which=lambda _: None)

    report = shop.install(shop.bare(fixture.sealed_files(files)), facts=facts, no_smoke=False)

    assert codes(report) == {"smoke-none-ran"}
    assert codes(report, "warn") >= {"command-missing"}
    assert report["stages"][-1]["detail"]["smokes"][0]["status"] == "not-run: bash-missing"


def test_links_in_the_target_and_above_it_are_refused(shop: Shop) -> None:
    module = shop.distribution()
    outside = shop.place / "outside"
    outside.mkdir()
    try:
        (shop.target / ".agents").symlink_to(outside)
    except OSError:
        pytest.skip("this Windows account may not make links")

    report = shop.install(module)
    assert codes(report) == {"unsafe-destination"}
    assert ".agents" in report["problems"][0]["measured"]
    (shop.target / ".agents").unlink()

    (shop.place / "door").symlink_to(shop.place)
    report = shop.install(module, target=str(shop.place / "door" / "target"))
    assert codes(report) == {"unsafe-destination"}
    assert report["problems"][0]["path"] == str(shop.place / "door")

    (shop.target / "config").symlink_to(outside)
    report = shop.install(module)
    assert codes(report) == {"unsafe-destination"}
    assert report["problems"][0]["path"] == "config/greet.json"
    assert list(outside.iterdir()) == []


def test_a_foreign_file_in_the_way_is_refused_before_the_first_write(shop: Shop) -> None:
    module = shop.distribution()
    place = shop.target / ".agents/skills" / f"hpp-{ID}-greet/SKILL.md"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"mine\n")
    before = shop.tree()

    for edits in ("refuse", "keep", "replace"):
        report = shop.install(module, edits=edits)
        assert (report["exit_code"], codes(report)) == (2, {"conflict"})
        assert report["problems"][-1]["path"] == f".agents/skills/hpp-{ID}-greet/SKILL.md"
        assert shop.tree() == before

    place.unlink()
    place.mkdir()
    assert codes(shop.install(module)) == {"unsafe-destination"}


def test_a_runtime_without_a_receipt_is_adopted_or_refused(shop: Shop) -> None:
    module = shop.distribution()
    shop.install(module)
    (shop.target / RECEIPT).unlink()

    assert shop.install(module)["status"] == "applied"
    assert (shop.target / RECEIPT).is_file()

    (shop.target / RECEIPT).unlink()
    edited(shop)
    report = shop.install(module)
    assert (report["exit_code"], codes(report)) == (2, {"unmanaged-runtime"})


def test_answers_are_checked_and_go_into_the_configuration(shop: Shop) -> None:
    module = shop.distribution()
    answers = shop.place / "answers.json"
    for text, code in (
        ("{", "answers-unreadable"),
        ("[]", "answers-unreadable"),
        ('{"other": 1}', "answer-invalid"),
        ('{"greeting": "hey"}', "answer-invalid"),
        ('{"greet_now": "yes"}', "answer-invalid"),
    ):
        answers.write_text(text, encoding="utf-8")
        report = shop.install(module, answers=str(answers))
        assert (report["exit_code"], codes(report)) == (2, {code})
    assert codes(shop.install(module, answers=str(shop.place / "none"))) == {"answers-unreadable"}
    assert shop.tree() == {}

    answers.write_text('{"greeting": "good day", "greet_now": true}', encoding="utf-8")
    report = shop.install(module, answers=str(answers))

    assert report["status"] == "applied"
    config = json.loads((shop.target / "config/greet.json").read_bytes())
    assert config == {"say": {"word": "good day"}}
    assert any("scripts/greet.py --self-test" in step for step in report["next"])
    assert json.loads((shop.target / RECEIPT).read_bytes())["answers"]["greeting"] == {
        "value": "good day",
        "origin": "given",
    }


def test_a_configuration_that_is_there_is_never_overwritten(shop: Shop) -> None:
    place = shop.target / "config/greet.json"
    place.parent.mkdir()
    place.write_bytes(b"mine\n")

    report = shop.install(shop.distribution())

    assert {"action": "skip-exists", "path": "config/greet.json", "kind": "seed"} in report[
        "actions"
    ]
    remove(shop, purge_seeds=True)
    assert place.read_bytes() == b"mine\n"


def test_a_configuration_whose_example_changed_is_told(shop: Shop) -> None:
    shop.install(shop.distribution())
    extra = {"seed.example.json": b'{"say": {"word": "hello", "loud": false}}\n'}
    files = fixture.sealed_files(fixture.module_files("0.2.0", extra=extra))

    report = shop.install(shop.distribution("0.2.0", files))

    assert "seed-changed" in codes(report, "warn")
    assert report["status"] == "applied"


def test_a_target_that_is_none_is_refused(shop: Shop) -> None:
    module = shop.distribution()
    home = shop.place / "home"
    home.mkdir()
    targets = (
        shop.place / "absent",
        module / "README.md",
        module,
        module / "scripts",
        module.parent.parent,
        home,
        "/",
    )
    for target in targets:
        report = shop.install(module, target=str(target))
        assert (report["exit_code"], codes(report)) == (2, {"target-invalid"}), target
        assert [one["status"] for one in report["stages"][1:]] == ["not-run"] * 5


def test_without_an_anchor_it_goes_ahead_with_a_warning(shop: Shop) -> None:
    module = shop.bare(shop.files())

    report = shop.install(module, apply=False, no_smoke=False)
    assert (report["exit_code"], codes(report, "warn")) == (1, {"not-anchored"})
    assert report["stages"][-1]["detail"]["smokes"][0]["status"] == "ok"

    report = shop.install(module, no_smoke=False)
    assert (report["exit_code"], report["status"]) == (1, "applied")
    assert json.loads((shop.target / RECEIPT).read_bytes())["source"]["anchored"] is False


def test_with_a_wrong_anchor_nothing_of_the_module_runs(shop: Shop) -> None:
    trace = shop.place / "ran"
    smoke = f"open({str(trace)!r}, 'w').close()\n"
    module = shop.bare(shop.files(smoke=smoke))

    report = shop.install(module, expect="0" * 64, no_smoke=False)

    assert (report["exit_code"], codes(report)) == (2, {"anchor-mismatch"})
    assert not trace.exists()
    assert shop.install(module, no_smoke=False)["status"] == "applied", "the control runs it"
    assert trace.exists()


@pytest.mark.parametrize("code", ["unlisted-file", "checksum-mismatch", "inventory-malformed"])
def test_a_module_that_is_not_whole_is_not_installed(shop: Shop, code: str) -> None:
    files = shop.files()
    changes = {
        "unlisted-file": {"hooks/evil.py": b"x"},
        "checksum-mismatch": {"README.md": b"x"},
        "inventory-malformed": {"CHECKSUMS.txt": b"x\n" + files["CHECKSUMS.txt"]},
    }

    report = shop.install(shop.bare({**files, **changes[code]}))

    assert report["exit_code"] == 2
    assert code in codes(report)
    assert shop.tree() == {}


def test_the_block_for_codex_parses_and_no_settings_are_touched(shop: Shop) -> None:
    settings = shop.target / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_bytes(b'{"hooks": {}}\n')

    report = shop.install(shop.distribution())

    detail = report["stages"][4]["detail"]
    assert set(detail["block"]) == {"description", "hooks"}
    command = detail["block"]["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    assert str(shop.target) in command.replace("/", "\\" if "\\" in str(shop.target) else "/")
    assert detail["optional"] is True
    assert detail["hooks"] == [
        {
            "id": f"{ID}/guard",
            "script": "hooks/guard.py",
            "events": ["PreToolUse"],
            "exit_policy": "block",
            "capabilities": ["automatic-permission-gates"],
        }
    ]
    assert not (shop.target / ".codex").exists()
    assert settings.read_bytes() == b'{"hooks": {}}\n'


def test_a_hook_that_is_wired_from_elsewhere_is_told(shop: Shop) -> None:
    command = 'bash "/other/hooks/pyrun.sh" block "/other/hooks/guard.py"'
    hooks = {"hooks": {"PreToolUse": [{"hooks": [{"command": command}]}]}}
    place = shop.target / ".codex/hooks.json"
    place.parent.mkdir()
    place.write_text(json.dumps(hooks), encoding="utf-8")

    assert "already-wired" in codes(shop.install(shop.distribution()), "warn")


def test_settings_that_cannot_be_read_are_told_and_left_alone(shop: Shop) -> None:
    place = shop.target / ".codex/hooks.json"
    place.parent.mkdir()
    place.write_bytes(b"{")

    report = shop.install(shop.distribution())

    assert "settings-unreadable" in codes(report, "warn")
    assert place.read_bytes() == b"{"


def test_the_plugin_channel_copies_the_configuration_alone(shop: Shop) -> None:
    report = shop.install(shop.distribution(), host="claude-code")

    assert (report["channel"], report["status"]) == ("plugin", "applied")
    assert {one["kind"] for one in report["actions"]} == {"seed"}
    assert any(
        line.startswith("/plugin install") for line in report["stages"][4]["detail"]["lines"]
    )
    assert not (shop.target / ".claude/hpp" / ID).exists()


def test_a_copy_for_claude_code_registers_commands_and_agents(shop: Shop) -> None:
    report = shop.install(shop.distribution(), host="claude-code", channel="copy")

    assert report["status"] == "applied"
    command = (shop.target / f".claude/commands/hpp-{ID}-greet.md").read_text("utf-8")
    agent = (shop.target / f".claude/agents/hpp-{ID}-reader.md").read_text("utf-8")
    assert f"name: hpp-{ID}-reader\n" in agent
    assert "description: Greets." in command
    assert status(str(shop.target), "claude-code", shop.facts)["exit_code"] == 0


def test_a_machine_that_lacks_something_is_told_before_the_first_write(shop: Shop) -> None:
    module = shop.distribution()
    cases = {
        "python-too-old": replace(shop.facts, python=(3, 9, 0)),
        "no-space": replace(shop.facts, free_space=lambda _: 10),
        "not-writable": replace(shop.facts, can_write=lambda _: False),
        "path-too-long": replace(shop.facts, system="nt", which=shutil.which),
    }
    deep = shop.target
    while len(str(deep)) < 200:
        deep = deep / "deep-folder"
    deep.mkdir(parents=True)
    for code, facts in cases.items():
        target = str(deep) if code == "path-too-long" else str(shop.target)
        report = shop.install(module, facts=facts, target=target)
        assert (report["exit_code"], codes(report)) == (2, {code})
        assert report["problems"][0]["path"] or code == "python-too-old"
    assert not (deep / ".agents").exists()


def test_a_plan_is_made_in_a_moment_and_reports_hold_no_path_of_the_machine(shop: Shop) -> None:
    report = shop.install(shop.distribution(), apply=False)
    text = json.dumps({**report, "target": "", "next": [], "stages": report["stages"][:4]})

    assert str(shop.place) not in text


def test_both_faces_give_the_same_report(
    shop: Shop, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = shop.distribution()
    monkeypatch.chdir(shop.place)
    words = ["install", "--kit", str(module), "--host", "codex", "--no-smoke"]

    first = main([*words], "hpp kit"), json.loads(capfd.readouterr().out)
    second = main([*words, "--dry-run"], "kit_doctor.py"), json.loads(capfd.readouterr().out)

    assert first[1].pop("next") != second[1].pop("next")
    assert first == second
    assert main([*words, "--apply"]) == 3
    assert "needs an explicit --target" in capfd.readouterr().err
    assert main([*words, "--human", "--target", "target"]) == 1
    assert "to paste, by a person" in capfd.readouterr().out
    for verb in ("plan", "upgrade"):
        assert main([verb, *words[1:], "--target", "target"]) == 1
    assert main(["plan", *words[1:], "--target", "target", "--apply"]) == 3
    for wrong in (["--keep-modified", "--replace-modified"], ["--host", "x"], [str(module)]):
        assert main([*words, *wrong]) == 3
    assert shop.tree() == {}


def test_every_verb_answers_on_the_command_line(
    shop: Shop, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = shop.distribution()
    monkeypatch.chdir(shop.place)
    where = ["--target", "target"]
    host = ["--host", "codex"]
    assert main(["install", str(module), *where, *host, "--apply"]) == 0
    for verb in ("status", "registry"):
        capfd.readouterr()
        assert main([verb, *where]) == 0
        assert json.loads(capfd.readouterr().out)["modules"][0]["state"] == "intact"
    assert main(["recover", *where, *host, "--apply"]) == 0
    assert main(["rollback", "--module", ID, *where, *host]) == 2
    assert main(["marketplace", str(module.parent.parent)]) == 0
    assert main(["uninstall", "--module", ID, *where, *host, "--apply", "--purge-seeds"]) == 0
    assert main(["uninstall", "--module", ID, *where, *host]) == 2
    assert main(["uninstall", "--module", "../x", *where, *host]) == 2
    assert shop.tree() == {}


def test_a_hanging_proof_leaves_no_child(shop: Shop) -> None:
    mark = shop.place / "beat"
    smoke = (
        "import subprocess, sys, time\n"
        f"mark = {str(mark)!r}\n"
        "code = f\"import time\\nwhile 1:\\n open({mark!r}, 'a').write('x'); time.sleep(.05)\"\n"
        "subprocess.Popen([sys.executable, '-c', code])\n"
        "time.sleep(60)\n"
    )

    report = shop.install(shop.bare(shop.files(smoke=smoke)), no_smoke=False, smoke_timeout=1)

    assert codes(report) == {"smoke-timeout"}
    size = mark.stat().st_size if mark.exists() else 0
    time.sleep(0.3)
    assert (mark.stat().st_size if mark.exists() else 0) == size


def test_an_empty_name_is_no_folder(capfd: Capture) -> None:
    for words in (
        ["install", "--kit", ""],
        ["install", "x", "--target", ""],
        ["verify", ""],
        ["status", "--target", ""],
        ["recover", "--target", "", "--host", "codex"],
    ):
        assert main(words) == 2
        assert "an empty value names no file" in capfd.readouterr().err


def test_a_journal_that_a_repository_carries_reaches_nothing_of_git(shop: Shop) -> None:
    place = shop.target / ".agents/hpp/.tx/1"
    (place / "old").mkdir(parents=True)
    (shop.target / ".git/hooks").mkdir(parents=True)
    (place / "old/0").write_bytes(b"evil")
    operation = {"before": "a" * 64, "after": None, "staged": None, "backup": "old/0", "mode": 420}
    for path in (".git/hooks/pre-commit", "../x", ".claude/settings.json", ".codex/hooks.json"):
        journal = {
            "schema": "hpp.install-journal/v1",
            "verb": "install",
            "module": ID,
            "host": "codex",
            "operations": [{"path": path, **operation}],
            "made": [],
            "dropped": [],
            "keep_backup": False,
        }
        (place / "journal.json").write_text(json.dumps(journal), encoding="utf-8")

        report = recover(str(shop.target), "codex", shop.facts, apply=True)

        assert (report["exit_code"], codes(report)) == (2, {"journal-pending"})
    assert list((shop.target / ".git/hooks").iterdir()) == []


def test_a_receipt_that_a_repository_carries_removes_nothing_of_git(shop: Shop) -> None:
    shop.install(shop.distribution())
    hook = shop.target / ".git/hooks/pre-commit"
    hook.parent.mkdir(parents=True)
    hook.write_bytes(b"guard\n")
    receipt = json.loads((shop.target / RECEIPT).read_bytes())
    entry = {"path": ".git/hooks/pre-commit", "sha256": sha256_hex(b"guard\n")}
    receipt["files"].append({**entry, "kind": "runtime", "mode": "0644"})
    (shop.target / RECEIPT).write_bytes(json.dumps(sealed(receipt)).encode())

    report = remove(shop)

    assert report["exit_code"] == 1
    assert hook.read_bytes() == b"guard\n"


def test_a_module_that_lies_about_itself_is_refused(shop: Shop) -> None:
    files = fixture.module_files()
    digests = {path: sha256_hex(data) for path, data in files.items() if path != "README.md"}
    lying = {**files, "CHECKSUMS.txt": inventory_bytes(digests)}

    report = shop.install(shop.bare(lying))

    assert "unlisted-file" in codes(report)
