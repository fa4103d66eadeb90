"""The command as a person runs it: what it writes, what it refuses, how it ends."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from hpp.installer.command import main
from hpp.installer.stage import STAGES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Init = Callable[..., tuple[int, dict[str, Any]]]
    Refused = Callable[..., tuple[int, str]]
    Put = Callable[[str, object], Path]


def stage(report: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = report["stages"][STAGES.index(name)]
    assert found["stage"] == name
    return found


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.usefixtures("suite_of_ten")
def test_the_life_of_a_profile(init: Init, project: Path) -> None:
    code, report = init(benchmark=True)
    assert (code, report["mode"], report["status"], report["writes"]) == (0, "plan", "ok", 0)
    assert report["readiness"]["verified"] == 7
    assert list(project.iterdir()) == []

    code, report = init("--apply", benchmark=True)
    assert (code, report["mode"], report["status"], report["writes"]) == (0, "apply", "ok", 1)
    assert report["readiness"]["verified"] == 8
    written = files(project)
    assert list(written) == [".hpp/profile.json"]
    text = written[".hpp/profile.json"].decode()
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True) + "\n"
    assert "decision_advisor" not in text

    code, report = init("--apply")
    assert (code, report["mode"], report["status"], report["writes"]) == (0, "no-op", "no-op", 0)
    assert any("nothing is to do" in step for step in report["next"])

    code, report = init("--host", "codex", "--apply")
    assert (code, report["status"]) == (1, "warn")
    assert stage(report, "profile")["detail"]["action"] == "conflict"
    assert "differs in host" in stage(report, "profile")["problems"][0]["measured"]
    assert files(project) == written


@pytest.mark.usefixtures("suite_of_ten")
def test_an_emitted_tree_verifies_nine_and_then_ten(init: Init, project: Path, tree: Path) -> None:
    manifest = ("--manifest", "dist/hpp.manifest.json")
    before = files(tree)

    code, report = init(*manifest, benchmark=True)
    assert (code, report["readiness"]["verified"]) == (0, 9)
    assert report["readiness"]["cells"] == {"verified": 16, "failed": 0, "not-verified": 4}

    code, report = init(*manifest, "--apply", benchmark=True)
    assert (code, report["readiness"]["verified"]) == (0, 10)
    assert report["readiness"]["cells"] == {"verified": 18, "failed": 0, "not-verified": 2}
    assert list(files(project)) == [".hpp/profile.json"]
    assert files(tree) == before


@pytest.mark.parametrize("apply", [(), ("--apply",)])
def test_a_module_that_the_host_does_not_run_halts(
    init: Init, project: Path, apply: tuple[str, ...]
) -> None:
    code, report = init("--host", "codex", "--modules", "claude-dev-kit", *apply)

    assert (code, report["status"], report["writes"]) == (2, "halted", 0)
    assert stage(report, "profile")["detail"]["action"] == "withheld"
    assert stage(report, "configure")["status"] == "fail"
    for name in ("wire-suggest", "smoke"):
        assert stage(report, name)["status"] == "skipped"
        assert "configure failed" in stage(report, name)["summary"]
    statuses = {item["id"]: item["status"] for item in report["readiness"]["items"]}
    assert len(statuses) == 11
    assert statuses["policy"] == statuses["profile"] == "not-verified"
    assert "claude-dev-kit" in report["next"][0]
    assert list(project.iterdir()) == []


def test_a_changed_module_file_halts_before_anything_is_written(
    init: Init, project: Path, tree: Path
) -> None:
    (tree / "multi-session/lane-kit-0.1.0/README.md").write_bytes(b"other\n")

    code, report = init("--manifest", "dist/hpp.manifest.json", "--apply")

    assert (code, report["status"]) == (2, "halted")
    checksums = stage(report, "configure")["detail"]["checksums"]
    assert checksums == {"verified": 5, "mismatch": 1, "measurable": 6, "total": 6}
    assert "README.md" in stage(report, "configure")["problems"][0]["measured"]
    assert list(project.iterdir()) == []


def test_a_distribution_that_contradicts_the_manifest_halts_at_prereqs(
    init: Init, project: Path, tree: Path
) -> None:
    catalogue = json.loads((tree / "marketplace.json").read_text(encoding="utf-8"))
    catalogue["version"] = "9"
    (tree / "marketplace.json").write_text(json.dumps(catalogue), encoding="utf-8")

    code, report = init("--manifest", "dist/hpp.manifest.json", "--apply")

    assert (code, report["status"]) == (2, "halted")
    assert stage(report, "prereqs")["status"] == "fail"
    assert stage(report, "profile") == {
        "stage": "profile",
        "status": "skipped",
        "summary": "not run: prereqs failed",
        "detail": {},
        "problems": [],
        "exit_hint": 0,
    }
    statuses = {item["id"]: item["status"] for item in report["readiness"]["items"]}
    assert statuses["distribution"] == "failed"
    assert list(project.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ("--bogus",),
        ("--policy-mode", "loud"),
        ("--decision-advisor", "oracle"),
        ("--modules", ""),
        ("--modules", " , ,"),
        ("--profile", "absent.json"),
        ("--profile", ""),
        ("--profile", "t"),
        ("--profile", "latin.json"),
        ("--profile", "[].json"),
        ("--profile", "torn.json"),
        ("--profile", "twice.json"),
        ("--profile", "unknown.json"),
        ("--profile", "number.json"),
        ("--profile", "none.json"),
        ("--profile", "blank.json"),
        ("--host", "codex", "--host", "codex"),
        ("surplus",),
    ],
)
def test_what_cannot_be_understood_is_a_usage_error(
    refused: Refused, put: Put, project: Path, words: tuple[str, ...]
) -> None:
    put("[].json", [])
    put("torn.json", "{")
    put("twice.json", '{"host": "codex", "host": "codex"}')
    put("unknown.json", {"colour": "red"})
    put("number.json", {"policy_mode": 1})
    put("none.json", {"modules": []})
    put("blank.json", {"modules": ["lane-kit", " "]})
    (project.parent / "latin.json").write_bytes(b'{"host": "\xff"}')

    code, message = refused("init", "--target", "t", "--apply", *words)

    assert code == 3
    assert message.startswith("hpp: ")
    assert list(project.iterdir()) == []


@pytest.mark.parametrize("target", ["absent", "file", ""])
def test_a_target_that_is_no_folder_is_a_usage_error(
    refused: Refused, put: Put, target: str
) -> None:
    put("file", "x")

    code, message = refused("init", "--target", target)

    assert code == 3
    assert "--target" in message


@pytest.mark.parametrize(
    ("words", "answers", "message"),
    [
        (("--host", "vim"), {}, "unknown host 'vim'; there are claude-code, codex"),
        (("--bundle", "all"), {}, "unknown bundle 'all'; there are parallel-squad"),
        (("--modules", "lane-kit,ghost"), {}, "unknown module 'ghost'; there are kit-forge"),
        ((), {"host": "vim"}, "unknown host 'vim'"),
        ((), {"bundle": "all"}, "unknown bundle 'all'"),
        ((), {"modules": ["ghost"]}, "unknown module 'ghost'"),
        ((), {"policy_mode": "loud"}, "unknown policy mode 'loud'; there are audit, enforce"),
        ((), {"decision_advisor": "x"}, "unknown decision advisor 'x'; there are off, typesafe"),
        (("--manifest", "absent.json"), {}, "absent.json: there is no such file"),
        (("--manifest", ""), {}, "--manifest"),
    ],
)
def test_what_the_manifest_does_not_have_is_refused(  # noqa: PLR0913, PLR0917 -- fixtures
    refused: Refused,
    put: Put,
    project: Path,
    words: tuple[str, ...],
    answers: dict[str, Any],
    message: str,
) -> None:
    put("answers.json", answers)

    code, told = refused("init", "--target", "t", "--apply", "--profile", "answers.json", *words)

    assert code == 2
    assert message in told
    assert list(project.iterdir()) == []


def test_a_flag_goes_before_the_file_and_the_file_before_the_default(
    init: Init, put: Put, project: Path
) -> None:
    assert project.is_dir()
    put("a.json", {"host": "codex", "policy_mode": "enforce"})

    _, report = init("--profile", "a.json", "--policy-mode", "audit")

    detail = stage(report, "profile")["detail"]
    assert detail["answers"]["host"] == "codex"
    assert detail["sources"] == {
        "host": "file",
        "bundle": "default",
        "policy_mode": "flag",
        "decision_advisor": "default",
    }
    assert detail["pending_defaults"] == ["bundle"]


def test_modules_replace_a_bundle_that_nobody_knows(init: Init, project: Path) -> None:
    assert project.is_dir()
    words = ("--bundle", "gone", "--modules", "lane-kit, lane-kit,operator-kit")

    code, report = init(*words)

    detail = stage(report, "profile")["detail"]
    assert code == 0
    assert detail["profile"]["bundle"] == "custom"
    assert detail["profile"]["modules"] == ["lane-kit", "operator-kit"]
    assert any("--modules lane-kit,operator-kit" in step for step in report["next"])


def test_the_line_to_apply_does_what_the_plan_said(init: Init, project: Path) -> None:
    import shlex

    words = ("--host", "codex", "--modules", "lane-kit", "--policy-mode", "enforce")
    advisor = ("--decision-advisor", "typesafe", "--marketplace", "my/mirror")
    _, plan = init(*words, *advisor)

    line = next(step for step in plan["next"] if step.endswith("--apply"))
    assert main([*shlex.split(line)[1:], "--no-benchmark"]) == 0

    written = json.loads((project / ".hpp/profile.json").read_text(encoding="utf-8"))
    assert written == stage(plan, "profile")["detail"]["profile"]
    assert written["decision_advisor"] == "typesafe"
    assert "--marketplace my/mirror" in line


def test_an_audit_run_says_that_nothing_is_stopped(init: Init, project: Path) -> None:
    assert project.is_dir()
    _, audit = init()
    _, enforce = init("--policy-mode", "enforce")

    assert any("--policy-mode enforce" in step for step in audit["next"])
    assert not any("nothing is stopped" in step for step in enforce["next"])


def test_pages_beside_the_manifest_are_named_from_here(
    init: Init, put: Put, project: Path, tree: Path
) -> None:
    assert (project.is_dir(), tree.is_dir()) == (True, True)
    put("dist/README.md", "x")

    _, report = init("--manifest", "dist/hpp.manifest.json")

    assert [page["path"] for page in report["documentation"]] == ["dist/README.md"]
    assert report["documentation"][0]["note"]


def test_a_corrupt_log_warns_and_its_control_fails(init: Init, put: Put) -> None:
    put("t/.hpp/events.jsonl", "{not json\n")

    code, report = init("--apply")

    assert (code, report["status"], report["writes"]) == (1, "fail", 1)
    assert stage(report, "detect")["status"] == "warn"
    assert stage(report, "detect")["detail"]["signals"]["event_count"] is None
    assert stage(report, "smoke")["exit_hint"] == 1


def test_settings_and_instructions_are_never_touched(init: Init, put: Put, project: Path) -> None:
    put("t/.claude/settings.json", {"hooks": {"Stop": []}})
    put("t/.claude/settings.local.json", "{ broken")
    put("t/AGENTS.md", "rules\n")
    before = files(project)

    code, report = init("--apply")

    after = files(project)
    assert after.pop(".hpp/profile.json")
    assert after == before
    detail = stage(report, "detect")["detail"]
    assert code == 0
    assert detail["classification"] == "in-progress"
    assert detail["signals"]["settings_occupied"] is True
    assert len(detail["existing_config"]) == 4


def test_a_home_folder_is_expanded_and_kept_as_typed(
    capfdbinary: pytest.CaptureFixture[bytes], workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(workplace))
    monkeypatch.setenv("USERPROFILE", str(workplace))
    (workplace / "t").mkdir()

    assert main(["init", "--target", "~/t", "--no-benchmark", "--json", "--apply"]) == 0

    report = json.loads(capfdbinary.readouterr().out)
    assert report["target"] == "~/t"
    assert (workplace / "t/.hpp/profile.json").is_file()


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
@pytest.mark.parametrize("name", [b"t\xff", b"a\nb", "é".encode()])
def test_a_name_that_is_no_text_is_shown_and_used(
    capfdbinary: pytest.CaptureFixture[bytes], workplace: Path, name: bytes
) -> None:
    folder = os.path.join(os.fsencode(workplace), name)
    try:
        os.mkdir(folder)
    except OSError:
        pytest.skip("this file system takes text alone")
    target = os.fsdecode(name)

    for words in ([], ["--apply"]):
        assert main(["init", "--target", target, "--no-benchmark", "--json", *words]) == 0
        report = json.loads(capfdbinary.readouterr().out)
        assert "\n" not in "".join(report["next"])
        assert main(["init", "--target", target, "--no-benchmark"]) == 0
        assert capfdbinary.readouterr().out
    assert os.listdir(os.path.join(folder, b".hpp")) == [b"profile.json"]


def test_two_runs_at_once_write_once(project: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from hpp.installer.profile import create_profile

    with ThreadPoolExecutor(8) as pool:
        written = list(pool.map(lambda n: create_profile(str(project), {"n": n}), range(16)))

    assert written.count(True) == 1
    assert [path.name for path in (project / ".hpp").iterdir()] == ["profile.json"]
