from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from hpp.cli import main
from hpp.core.schema import faults, find_schema

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]

SPEC = {
    "work": [
        {"id": "b", "depends_on": ["a"], "acceptance": ["done"], "tier": "economy"},
        {"id": "a", "acceptance": [{"id": "m", "text": "members"}], "tier": "frontier"},
    ]
}
BLOCKS = [
    {"source": "b", "priority": 1, "content": "bbbb"},
    {"source": "a", "priority": 2, "content": "aaaaaa"},
]


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.json").write_text(json.dumps(SPEC), encoding="utf-8")
    (tmp_path / "c.json").write_text(json.dumps(BLOCKS), encoding="utf-8")
    return tmp_path


def answer(capfd: Capture, *words: str, status: int = 0, schema: str = "") -> Any:  # noqa: ANN401
    assert main(words) == status
    out = capfd.readouterr().out
    document = json.loads(out)
    if schema:
        assert faults(find_schema(schema).document(), document) == []
    return document


def refused(capfd: Capture, *words: str, status: int = 2) -> str:
    assert main(words) == status
    captured = capfd.readouterr()
    assert captured.out == ""
    return captured.err


def test_plan_and_waves_answer_in_json_and_draw_one_diagram(capfd: Capture) -> None:
    waves = answer(capfd, "work", "waves", "s.json", schema="work-waves")
    plan = answer(capfd, "work", "plan", "s.json", schema="work-plan")
    assert waves["waves"] == plan["waves"]
    assert main(["work", "plan", "s.json", "--format", "mermaid"]) == 0
    drawn = capfd.readouterr().out
    assert main(["work", "waves", "s.json", "--format=mermaid"]) == 0
    assert capfd.readouterr().out == drawn
    assert drawn.startswith("flowchart LR\n")


def test_a_refusal_names_the_file_and_the_place(capfd: Capture, workspace: Path) -> None:
    (workspace / "s.json").write_text('{"work": [{"id": ""}]}', encoding="utf-8")

    assert "s.json: work[0].id: expected" in refused(capfd, "work", "waves", "s.json")
    assert "json, mermaid" in refused(capfd, "work", "plan", "s.json", "--format", "svgg", status=3)


def test_coverage_ends_with_one_until_it_is_complete(capfd: Capture, workspace: Path) -> None:
    test = workspace / "test_a.py"
    test.write_text('def test_m():\n    """[spec: a/m]"""\n', encoding="utf-8")
    words = ("work", "coverage", "s.json", "--tests", "test_a.py")

    assert answer(capfd, *words, status=1, schema="spec-coverage")["orphans"] == ["b/done"]
    with test.open("a", encoding="utf-8") as stream:
        stream.write('def test_d():\n    """[spec: b/done]"""\n')
    assert answer(capfd, *words, schema="spec-coverage")["complete"]


def test_coverage_with_reports_asks_for_a_run(capfd: Capture, workspace: Path) -> None:
    (workspace / "t").mkdir()
    (workspace / "t" / "x.py").write_text(
        'def test_m():\n    """[spec: a/m] [spec: b/done]"""\n', encoding="utf-8"
    )
    os.utime(workspace / "t" / "x.py", (1000, 1000))
    for name, ending in (("1.xml", "<skipped/>"), ("2.xml", "")):
        (workspace / name).write_text(
            f'<testsuite><testcase classname="t.x" name="test_m">{ending}</testcase></testsuite>',
            encoding="utf-8",
        )
    words = ("work", "coverage", "s.json", "--tests", "t", "t", "--junit")

    skipped = answer(capfd, *words, "1.xml", status=1, schema="spec-execution")
    both = answer(capfd, *words, "1.xml", "2.xml", schema="spec-execution")

    assert [entry["id"] for entry in skipped["cited_not_run"]] == ["a/m", "b/done"]
    assert both["junit"] == ["1.xml", "2.xml"]


def test_coverage_needs_tests(capfd: Capture) -> None:
    assert "--tests is required" in refused(capfd, "work", "coverage", "s.json", status=3)
    assert "no Python source" in refused(capfd, "work", "coverage", "s.json", "--tests", ".")


def test_an_imported_list_is_a_spec_as_it_stands(capfd: Capture, workspace: Path) -> None:
    (workspace / "tasks.md").write_text(
        "# Tasks\n- [x] T001 Set up\n- [ ] T002 [P] Build\n- [ ] T003 [P] Write\n", encoding="utf-8"
    )

    document = answer(
        capfd, "work", "import", "tasks.md", "--tier", "economy", schema="work-import"
    )

    (workspace / "i.json").write_text(json.dumps(document), encoding="utf-8")
    assert faults(find_schema("work-spec").document(), document) == []
    waves = answer(capfd, "work", "waves", "i.json")
    assert [wave["work"] for wave in waves["waves"]] == [["T001"], ["T002", "T003"]]


def test_an_import_says_what_it_could_not_read(capfd: Capture, workspace: Path) -> None:
    (workspace / "tasks.md").write_text("- [ ] T1 a\n- [ ] no id\n", encoding="utf-8")

    document = answer(capfd, "work", "import", "tasks.md", status=1, schema="work-import")

    assert [entry["line"] for entry in document["unread"]] == [2]


def test_a_list_that_contradicts_itself_is_refused(capfd: Capture, workspace: Path) -> None:
    text = "- [ ] T1 a (depends on T2)\n- [ ] T2 b (depends on T1)\n"
    (workspace / "tasks.md").write_text(text, encoding="utf-8")

    message = refused(capfd, "work", "import", "tasks.md")

    assert "tasks.md: work: dependency cycle: T1 -> T2 -> T1" in message


def test_ready_follows_the_log_of_the_workspace(capfd: Capture) -> None:
    before = answer(capfd, "work", "ready", "s.json", schema="work-ready")
    for kind in ("work_started", "evidence_recorded", "check_passed", "human_approved", "verified"):
        answer(capfd, "event", "append", "--type", kind, "--work", "a")
    after = answer(capfd, "work", "ready", "s.json", schema="work-ready")
    named = answer(capfd, "work", "ready", "s.json", "--events", ".hpp/events.jsonl")

    assert [entry["id"] for entry in before["ready"]] == ["a"]
    assert [entry["id"] for entry in after["ready"]] == ["b"]
    assert named == after


def test_context_is_compiled_and_a_budget_below_zero_is_refused(capfd: Capture) -> None:
    words = ("context", "compile", "c.json", "--budget")

    assert answer(capfd, *words, "12", schema="context")["text"] == "aaaaaa\n\nbbbb"
    assert "--budget" in refused(capfd, *words, "-1")
    assert "--budget" in refused(capfd, *words, "many", status=3)
    assert "--budget is required" in refused(capfd, *words[:-1], status=3)


def test_control_another_spec_has_other_waves(capfd: Capture, workspace: Path) -> None:
    first = answer(capfd, "work", "waves", "s.json")
    changed = json.dumps(SPEC).replace('"depends_on": ["a"], ', "")
    (workspace / "s.json").write_text(changed, encoding="utf-8")

    assert answer(capfd, "work", "waves", "s.json") != first
