"""The documents at the root say what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import hpp.core.portable
from hpp.installer.command import main
from hpp.installer.formats.problem import CODES
from hpp.installer.kit.plan import STAGES

ROOT = Path(__file__).resolve().parents[1]
MANIFEST = json.loads((ROOT / "hpp.manifest.json").read_bytes())
COMMAND = re.compile(r"^ *python3 (installers/\S+/kit_doctor\.py) (.+)$", re.MULTILINE)
WITH_COMMANDS = [
    "INSTALL_FOR_AGENTS.md",
    *(p.relative_to(ROOT).as_posix() for p in sorted(ROOT.glob("modules/*/README.md"))),
]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def cells(name: str, title: str) -> list[list[str]]:
    """Return the rows of the first table below a heading, without its head."""
    part = text(name).split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in part.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_the_contract_names_the_stages_of_the_code_in_their_order() -> None:
    assert [row[0].strip("`") for row in cells("INSTALL-CONTRACT.md", "Plan and apply")] == list(
        STAGES
    )


def test_the_contract_names_every_problem_code_once() -> None:
    rows = cells("INSTALL-CONTRACT.md", "Problem codes")
    named = [code for row in rows[:-1] for code in re.findall(r"`([a-z-]+)`", row[1])]

    assert sorted(named) == sorted(CODES)


def test_the_contract_names_the_exit_codes() -> None:
    rows = cells("INSTALL-CONTRACT.md", "Exit codes")

    assert sorted(int(row[0]) for row in rows) == sorted(MANIFEST["exit_codes"].values())


def test_the_contract_of_skills_is_the_one_that_modules_carry() -> None:
    own = Path(hpp.core.portable.__file__).parent / "templates" / "SKILL-CONTRACT.md"

    assert text("SKILL-CONTRACT.md") == own.read_text(encoding="utf-8")


def test_the_template_of_a_guide_is_the_one_that_kit_forge_carries() -> None:
    name = "modules/kit-forge/templates/README.install.md"

    assert text("INSTALL-GUIDE-TEMPLATE.md") == text(name)


def test_every_module_has_the_sections_of_the_template_in_their_order() -> None:
    def sections(name: str) -> list[str]:
        return re.findall(r"^## (.+)$", text(name), re.MULTILINE)

    wanted = sections("INSTALL-GUIDE-TEMPLATE.md")
    assert len(wanted) == 9
    for path in ROOT.glob("modules/*/README.md"):
        assert sections(path.relative_to(ROOT).as_posix())[:9] == wanted, path


@pytest.mark.parametrize("name", WITH_COMMANDS)
def test_a_quoted_installer_line_names_what_is_emitted_and_can_be_understood(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folders = {f"{m['area']}/{m['id']}-{m['version']}" for m in MANIFEST["modules"]}
    for installer, words in COMMAND.findall(text(name)):
        assert installer.removesuffix("/kit_doctor.py") in folders
        paths = [word for word in words.split() if "-0." in word]
        assert {path.removesuffix(".zip") for path in paths} <= folders
        # Nothing lies there, so what is asked for is refused; it is never misunderstood.
        argv = [str(tmp_path / word) if word == "PROJECT" else word for word in words.split()]
        assert main(["kit", *argv]) != 3, words
    assert main(["kit", "install", "--unheard-of"]) == 3
    capfd.readouterr()


def test_agents_read_the_plan_to_a_person_before_they_apply() -> None:
    steps = re.findall(r"^\d\. \*\*(.+?)\*\*", text("INSTALL_FOR_AGENTS.md"), re.MULTILINE)

    order = [
        next(n for n, step in enumerate(steps) if step.startswith(word))
        for word in ("Integrity", "Plan", "Consent", "Apply", "Wiring", "Verify")
    ]
    assert order == sorted(order)
