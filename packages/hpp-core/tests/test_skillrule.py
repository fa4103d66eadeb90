"""What a skill must have, clause by clause, and what makes a proof prove nothing."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.arguments import Values
from hpp.core.portable.skillcommand import TOOL, lint_skill
from hpp.core.portable.skillproof import command_argv, vacuous_reason
from hpp.core.portable.skilltext import read_skill

if TYPE_CHECKING:
    from pathlib import Path

TODAY = dt.date(2030, 6, 15)
NOTHING = {"all": None, "replay": False, "today": "2030-06-15"}
SKILL = """\
---
name: look
description: Looks. Use it before a leap.
---
# Look

> **Auto-Trigger:** before a leap
> **Keywords:** one, two, three, four
> **Priority:** LOW
> **Tools:** Bash

## When NOT to Activate
- After the leap.
- Without one.

## Contract
INPUT nothing. OUTPUT a line.

EXIT CODES

| code | meaning |
|---|---|
| 0 | seen |

STATE IT TOUCHES

| file | access | why |
|---|---|---|
| none | - | - |

## Process
1. Run `python3 "${CLAUDE_PLUGIN_ROOT}/scripts/look.py"`.
2. A person decides.

## Executed examples
```console
$ python3 "${CLAUDE_PLUGIN_ROOT}/scripts/look.py" 0
```
<!-- executed: 2030-06-01 · exit=0 · replay -->
```console
$ python3 "${CLAUDE_PLUGIN_ROOT}/scripts/look.py" 1
```
<!-- executed: 2030-06-01 · exit=1 · replay -->
```console
$ python3 "${CLAUDE_PLUGIN_ROOT}/scripts/look.py" 2
```
<!-- executed: 2030-06-01 · exit=2 · replay -->

## Proof
```bash
python3 "${CLAUDE_PLUGIN_ROOT}/scripts/look.py" 0
```
"""


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / "a kit" / "skills" / "look"
    folder.mkdir(parents=True)
    (tmp_path / "a kit" / "scripts").mkdir()
    script = "import sys\nsys.exit(int(sys.argv[1]))\n"
    (tmp_path / "a kit" / "scripts" / "look.py").write_text(script)
    (folder / "SKILL.md").write_text(SKILL, encoding="utf-8")
    return folder


def rules(skill: Path, text: str = SKILL, **options: bool) -> list[str]:
    (skill / "SKILL.md").write_text(text, encoding="utf-8")
    return [each.rule for each in lint_skill(str(skill), TODAY, **options)]


def test_a_whole_skill_passes_and_what_it_shows_is_run(skill: Path) -> None:
    assert rules(skill, proofs=True, replay=True) == []


def test_a_proof_that_fails_and_an_example_that_changed_are_told(skill: Path) -> None:
    (skill.parents[1] / "scripts/look.py").write_text("import sys\nsys.exit(1 + len(sys.argv))\n")

    assert rules(skill, proofs=True, replay=True) == ["L3-replay"] * 3 + ["L4-proof-failed"]


def test_line_endings_of_windows_change_nothing(skill: Path) -> None:
    (skill / "SKILL.md").write_bytes(SKILL.replace("\n", "\r\n").encode())

    assert lint_skill(str(skill), TODAY) == []


def test_an_exit_0_that_is_always_needs_no_failing_example(skill: Path) -> None:
    without = SKILL.replace("exit=1", "exit=0").replace("exit=2", "exit=0")

    assert rules(skill, without) == ["L3-no-failure"]
    assert rules(skill, without.replace("| 0 | seen |", "| 0 | always |")) == []


def test_ninety_days_are_young_and_a_day_more_is_a_warning(skill: Path) -> None:
    (skill / "SKILL.md").write_text(SKILL, encoding="utf-8")
    run = dt.date(2030, 6, 1)

    assert lint_skill(str(skill), run + dt.timedelta(days=90)) == []
    found = lint_skill(str(skill), run + dt.timedelta(days=91))
    assert {(each.rule, each.severity) for each in found} == {("L3-old", "warn")}


@pytest.mark.parametrize(
    "command",
    ["echo ok", "python3 -c 'print(1)'", "python3 -Ic 'print(1)'", "python3 -m this", "python3",
     "true", 'python3 "${CLAUDE_PLUGIN_ROOT}/scripts/absent.py"', "look.py",
     'python3 "${CLAUDE_PLUGIN_ROOT}/../other.py"', "/bin/true", "bash -c true",
     'python3 "${CLAUDE_PLUGIN_ROOT}/scripts/look.py" || true',
     'cat x | python3 "${CLAUDE_PLUGIN_ROOT}/scripts/look.py"', "python3 'unbalanced"],
)  # fmt: skip
def test_a_command_that_runs_no_file_of_the_module_proves_nothing(
    skill: Path, command: str
) -> None:
    (skill.parents[2] / "other.py").write_text("import sys\n")

    assert vacuous_reason(command, str(skill.parents[1]), str(skill))


@pytest.mark.parametrize(
    ("name", "text", "is_vacuous"),
    [
        ("a.py", "print('ok')\n", True),
        ("a.py", '"""Doc."""\nimport sys\nprint("a", end="")\n', True),
        ("a.py", "import sys\nsys.exit(0)\n", True),
        ("a.py", "", True),
        ("a.py", "from hpp.core.portable import skillrule\nskillrule.check()\n", False),
        ("a.py", "print(1 + 1 == 2)\n", False),
        ("a.sh", "#!/bin/sh\necho ok\nexit 0\n", True),
        ("a.sh", "#!/bin/sh\ntest -f x\n", False),
    ],
)
def test_a_script_that_prints_a_constant_proves_nothing(
    skill: Path, name: str, text: str, is_vacuous: bool
) -> None:
    root = skill.parents[1]
    (root / name).write_text(text)
    launcher = "python3" if name.endswith(".py") else "bash"

    reason = vacuous_reason(f'{launcher} "${{CLAUDE_PLUGIN_ROOT}}/{name}"', str(root), str(skill))

    assert bool(reason) == is_vacuous


def test_a_path_is_one_word_whatever_is_in_it() -> None:
    assert command_argv('python3 "${CLAUDE_PLUGIN_ROOT}/a b.py" --x') == [
        "python3", "${CLAUDE_PLUGIN_ROOT}/a b.py", "--x",
    ]  # fmt: skip
    assert command_argv("a && b") is None
    assert command_argv("a > b") is None
    assert command_argv("a $(b)") is None


def test_headings_inside_of_a_block_are_no_sections() -> None:
    text = SKILL.replace("## Process\n", "## Process\n```text\n## Proof\n```\n")

    assert read_skill(text).sections["Proof"].blocks()[0].language == "bash"


@given(st.text(max_size=200), st.integers(0, len(SKILL)))
def test_no_text_makes_the_reader_fail(text: str, place: int) -> None:
    skill = read_skill(SKILL[:place] + text + SKILL[place:])

    skill.examples()
    for section in skill.sections.values():
        section.steps()


def test_control_a_skill_without_its_contract_is_refused(skill: Path) -> None:
    assert "L2-contract" in rules(skill, SKILL.replace("## Contract", "## Other"))


def test_how_long_a_proof_takes_is_told_and_changes_no_verdict(
    skill: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hpp.core.portable.skillcommand.SLOW_S", -1)

    made = TOOL.run(Values({**NOTHING, "skill": str(skill), "run_proofs": True}))

    assert made["slow"] == ["look"]
    assert made["exit_code"] == 0
