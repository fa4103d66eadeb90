"""The wizard as a person uses it: what is written, what stays, what comes back out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = subprocess.CompletedProcess[bytes]
    Wizard = Callable[..., tuple[int, dict[str, Any]]]

STATE = "docs/plans/execution/00-STATE.md"
SPEC = "docs/plans/execution/spec.json"
SQUAD = {
    "project_name": "shop", "purpose": 'Sell bread; "quoted", with | and: a colon.',
    "approver": "Ana", "lane_mode": "lanes", "documents": ["00-STATE", "00-PROCESSES"],
    "agents": [
        {"name": "maker", "role": "builder", "purpose": "Builds one unit."},
        {"name": "refuter", "role": "reader", "purpose": "Looks for what is wrong."},
    ],
    "checks": ["git status --short", "git rev-parse --git-dir"],
}  # fmt: skip
BARE = {"project_name": "bare", "hosts": ["codex"], "documents": [], "agents": []}
ANSWERS = {"defaults": {}, "squad": SQUAD, "bare": BARE}


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


def test_the_interview_is_questions_whose_defaults_are_the_example(
    run: Callable[..., Run], wizard_root: Path
) -> None:
    done = run("wizard.py", "--interview")

    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert document["schema"] == "hpp.questions/v1"
    defaults = {each["id"]: each["default"] for each in document["questions"]}
    assert json.loads((wizard_root / "answers.example.json").read_bytes()) == defaults
    assert all(each["effect"]["seed"] == "answers.example.json" for each in document["questions"])


@pytest.mark.parametrize("name", ANSWERS)
def test_a_plan_writes_nothing_and_an_apply_does_what_it_said(
    wizard: Wizard, out: Path, name: str
) -> None:
    code, plan = wizard(answers=ANSWERS[name])
    assert (code, plan["mode"], tree(out)) == (0, "plan", {})

    code, done = wizard("--apply", answers=ANSWERS[name])

    assert (code, done["no_op"]) == (0, False)
    assert done["files_written"] == plan["files_written"]
    files = {path for path, data in tree(out).items() if data}
    assert files == {*plan["files_written"], ".hpp-scaffold.json"}
    assert [each["id"] for each in done["steps"]] == [
        "check_python", "check_git", "check_deps", "configure", "validate", "generate_and_summary",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_a_second_apply_does_nothing_and_an_undo_leaves_what_was_there(
    wizard: Wizard, out: Path, name: str
) -> None:
    (out / "docs").mkdir()
    (out / "mine.txt").write_text("mine")
    before = tree(out)
    wizard("--apply", answers=ANSWERS[name])
    first = tree(out)

    code, again = wizard("--apply", answers=ANSWERS[name])

    assert (code, again["no_op"]) == (0, True)
    assert tree(out) == first
    assert wizard("--undo")[0] == 0
    assert tree(out) == first
    assert wizard("--undo", "--apply")[0] == 0
    assert tree(out) == before


@pytest.mark.parametrize("name", ANSWERS)
def test_what_is_generated_holds_together(
    wizard: Wizard, run: Callable[..., Run], out: Path, name: str
) -> None:
    wizard("--apply", answers=ANSWERS[name])

    files = tree(out)
    assert not any(b"{{" in data or b"\r" in data for data in files.values())
    code, report = wizard("--check")
    assert code == (1 if report["fill_places"] else 0)
    plan = subprocess.run(
        [sys.executable, "-m", "hpp", "work", "plan", out / SPEC], capture_output=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert plan.returncode == 0, plan.stderr
    for folder in (".claude/agents", "docs/agents"):
        if (out / folder).is_dir():
            assert run("scripts/agent_check.py", out / folder).returncode == 0


def test_its_own_checks_pass_in_the_project(wizard: Wizard, out: Path) -> None:
    wizard("--apply", answers=SQUAD)
    subprocess.run(["git", "init", "-q"], cwd=out, timeout=60, check=True)
    work = json.loads((out / SPEC).read_bytes())["work"]

    for unit, check in zip(work, SQUAD["checks"], strict=True):
        assert unit["acceptance"][0]["text"] == f"exits 0: {check}"
        done = subprocess.run(
            str(check).split(), cwd=out, capture_output=True, timeout=60, check=False
        )
        assert done.returncode == 0


def test_an_edited_file_is_kept_and_told(wizard: Wizard, out: Path) -> None:
    wizard("--demo", "--apply")
    (out / STATE).write_text("mine\n")

    code, done = wizard("--demo", "--apply")

    assert (code, done["files_skipped_customized"], done["no_op"]) == (1, [STATE], True)
    assert (out / STATE).read_text() == "mine\n"
    code, replaced = wizard("--demo", "--apply", "--replace-modified")
    assert code == 0
    assert [(out / name).read_text() for name in replaced["backups"]] == ["mine\n"]
    assert (out / STATE).read_text() != "mine\n"


def test_a_file_that_was_there_is_never_taken_for_ours(wizard: Wizard, out: Path) -> None:
    (out / "operator-profile.yaml").write_text("project: theirs\n")

    assert wizard("--demo", "--apply")[0] == 1
    assert wizard("--undo", "--apply")[0] == 0

    assert tree(out) == {"operator-profile.yaml": b"project: theirs\n"}


def test_other_answers_change_what_nobody_edited_and_nothing_else(
    wizard: Wizard, out: Path
) -> None:
    wizard("--apply", answers=SQUAD)
    (out / ".claude/agents/maker.md").write_text("mine\n")

    code, done = wizard("--apply", answers={**SQUAD, "agents": [], "approver": "Bea"})

    assert code == 1
    assert done["files_skipped_customized"] == [".claude/agents/maker.md"]
    assert sorted(done["files_removed"]) == [
        ".claude/agents/refuter.md", "docs/agents/maker.md", "docs/agents/refuter.md",
    ]  # fmt: skip
    assert "Bea" in (out / "docs/plans/execution/00-PROCESSES.md").read_text()
    assert (out / ".claude/agents/maker.md").read_text() == "mine\n"


def test_an_undo_with_an_edit_is_refused_and_can_be_told_to_keep_it(
    wizard: Wizard, out: Path
) -> None:
    wizard("--demo", "--apply")
    (out / STATE).write_text("mine\n")
    before = tree(out)

    code, told = wizard("--undo", "--apply")
    assert (code, told["problems"][0]["code"]) == (2, "modified-since")
    assert tree(out) == before
    assert wizard("--undo", "--apply", "--keep-modified")[0] == 1

    assert {path for path, data in tree(out).items() if data} == {STATE}


@pytest.mark.parametrize(
    ("answers", "place"),
    [
        ({"colour": "red"}, "colour"),
        ({"documents": ["../x"]}, "documents"),
        ({"documents": ["00-STATE", "00-STATE"]}, "documents"),
        ({"hosts": []}, "hosts"),
        ({"hosts": "codex"}, "hosts"),
        ({"lane_mode": ["solo"]}, "lane_mode"),
        ({"project_name": "My Shop"}, "project_name"),
        ({"project_name": "../x"}, "project_name"),
        ({"purpose": "x" * 201}, "purpose"),
        ({"purpose": "two\nlines"}, "purpose"),
        ({"purpose": "{{approver}}"}, "purpose"),
        ({"approver": "password: hunter2hunter2"}, "approver"),
        ({"approver": 7}, "approver"),
        ({"agents": {}}, "agents"),
        ({"agents": [{"name": "a", "role": "reader"}]}, "agents[0]"),
        ({"agents": [{"name": "../a", "role": "reader", "purpose": "p"}]}, "agents[0].name"),
        ({"agents": [{"name": "con", "role": "reader", "purpose": "p"}]}, "agents[0].name"),
        ({"agents": [{"name": "a", "role": "root", "purpose": "p"}]}, "agents[0].role"),
        ({"agents": [{"name": "a", "role": "reader", "purpose": "p"}] * 2}, "agents[1].name"),
        ({"checks": []}, "checks"),
        ({"checks": ["ok", 7]}, "checks[1]"),
    ],
)
def test_answers_that_are_none_are_refused_by_place(
    wizard: Wizard, out: Path, answers: dict[str, Any], place: str
) -> None:
    code, told = wizard("--apply", answers=answers)

    assert code == 2
    assert told["problems"][0]["code"] == "answer-invalid"
    assert told["problems"][0]["path"] == place
    assert tree(out) == {}


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1, "a": 2}'])
def test_answers_that_cannot_be_read_are_refused(wizard: Wizard, text: str) -> None:
    code, told = wizard(answers=text)

    assert (code, told["problems"][0]["code"]) == (2, "answers-unreadable")


@pytest.mark.parametrize(
    "words",
    [[], ["--demo", "--undo"], ["--demo"], ["--demo", "--out"], ["--what"],
     ["--demo", "--out", "x", "--keep-modified", "--replace-modified"]],
    ids=["no-mode", "two-modes", "no-out", "no-value", "unknown", "contradiction"],
)  # fmt: skip
def test_a_command_line_that_cannot_be_understood_is_3(
    run: Callable[..., Run], words: list[str]
) -> None:
    done = run("wizard.py", *words)

    assert done.returncode == 3
    assert done.stdout == b""


def test_a_place_that_is_no_project_is_refused(
    run: Callable[..., Run], wizard_root: Path, out: Path
) -> None:
    home = {"HOME": str(out), "USERPROFILE": str(out)}

    for target in (out, wizard_root, wizard_root / "sub", out / "a" / "b"):
        assert run("wizard.py", "--demo", "--out", target, "--apply", **home).returncode == 2
    assert tree(out) == {}


@pytest.mark.skipif(os.name == "nt", reason="making a link needs a privilege there")
@pytest.mark.parametrize(
    "link", [".claude", "docs/plans", "operator-profile.yaml", ".hpp-scaffold.json"]
)
def test_a_link_in_the_project_is_not_followed(wizard: Wizard, out: Path, link: str) -> None:
    elsewhere = out.parent / "elsewhere"
    elsewhere.mkdir()
    (out / link).parent.mkdir(parents=True, exist_ok=True)
    (out / link).symlink_to(elsewhere)

    code, told = wizard("--demo", "--apply")

    assert (code, told["problems"][0]["code"]) == (2, "unsafe-destination")
    assert tree(elsewhere) == {}


@pytest.mark.skipif(os.name == "nt", reason="making a link needs a privilege there")
@pytest.mark.parametrize("end", ["", "/", "/."])
def test_a_folder_that_is_a_link_is_refused(run: Callable[..., Run], out: Path, end: str) -> None:
    link = out.parent / "link"
    link.symlink_to(out)

    done = run("wizard.py", "--demo", "--out", f"{link}{end}", "--apply")

    assert done.returncode == 2
    assert tree(out) == {}


@pytest.mark.parametrize("change", ['"version": "0.1.0"', '"dirs_created": ['])
def test_an_edited_receipt_is_not_believed(wizard: Wizard, out: Path, change: str) -> None:
    wizard("--demo", "--apply")
    receipt = out / ".hpp-scaffold.json"
    text = receipt.read_text()
    assert change in text
    receipt.write_text(
        text.replace(change, change.replace("0.1.0", "0.1.1").replace("[", '["..",'))
    )

    code, told = wizard("--undo", "--apply")

    assert (code, told["problems"][0]["code"]) == (2, "receipt-edited")


def test_a_broken_agent_or_spec_fails_the_check(wizard: Wizard, out: Path) -> None:
    wizard("--apply", answers=SQUAD)
    agent = out / ".claude/agents/refuter.md"
    agent.write_text(agent.read_text().replace("tools: Read,", "tools: Write, Read,"))

    code, told = wizard("--check")
    assert code == 2
    assert "scope-mismatch" in {each["code"] for each in told["problems"]}

    agent.unlink()
    (out / SPEC).write_text("{}")
    code, told = wizard("--check")
    assert code == 2
    assert {"file-missing", "spec-invalid"} <= {each["code"] for each in told["problems"]}


def test_a_folder_without_a_scaffold_has_nothing_to_check_or_undo(wizard: Wizard) -> None:
    assert wizard("--check")[0] == 2
    assert wizard("--undo")[0] == 2


def test_control_a_swapped_scope_is_found(
    wizard: Wizard, run: Callable[..., Run], out: Path
) -> None:
    wizard("--demo", "--apply")
    agent = out / ".claude/agents/reviewer.md"
    text = agent.read_text()
    assert run("scripts/agent_check.py", out / ".claude/agents").returncode == 0
    agent.write_text(text.replace("Scope of a reader", "Scope of a builder"))

    assert run("scripts/agent_check.py", out / ".claude/agents").returncode == 2
