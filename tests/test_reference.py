"""Generated pages are what their programs would write now."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOL = ROOT / "tools" / "reference.py"


def run(tool: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(tool), *words],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_the_reference_is_fresh() -> None:
    done = run(TOOL)

    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_the_reference_shows_every_command_status_and_record() -> None:
    pages = {
        path.name: path.read_text(encoding="utf-8")
        for path in TOOL.parents[1].glob("docs/reference/*")
    }

    assert "### hpp evidence run\n\n```text\nusage: hpp evidence run --id" in pages["commands.md"]
    assert "| `RefusedError` | `core.refused` | `2` |" in pages["exit-statuses.md"]
    assert "| `data.work` | string |" in pages["records.md"]


@pytest.mark.parametrize("page", ["commands.md", "records.md"])
def test_control_an_edited_page_and_a_page_too_many_are_stale(tmp_path: Path, page: str) -> None:
    (tmp_path / "tools").mkdir()
    tool = Path(shutil.copy(TOOL, tmp_path / "tools"))
    shutil.copy(ROOT / "hpp.manifest.json", tmp_path)
    shutil.copytree(ROOT / "docs" / "reference", tmp_path / "docs" / "reference")
    with (tmp_path / "docs" / "reference" / page).open("a", encoding="utf-8") as stream:
        stream.write("by hand\n")
    (tmp_path / "docs" / "reference" / "old.md").write_text("", encoding="utf-8")

    done = run(tool)

    assert done.returncode == 1
    assert {line.split(":")[0] for line in done.stdout.splitlines()} == {
        f"docs/reference/{page}",
        "docs/reference/old.md",
    }
    assert run(tool, "--write").returncode == 0
    assert run(tool).returncode == 0
