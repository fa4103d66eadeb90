from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hpp.cli.matrix import support_table
from hpp.core.manifest import load_manifest, packaged_manifest_path, parse_manifest

DATA = Path(__file__).parent / "data"


@pytest.fixture
def sample() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))
    return document


def test_a_row_names_coverage_and_channels_of_each_host(sample: dict[str, Any]) -> None:
    assert support_table(parse_manifest(sample, "m")) == (
        "| module | Claude Code | Codex CLI |\n"
        "| --- | --- | --- |\n"
        "| `alpha` 1.0.0 | `native`: plugin, hooks "
        "| `explicit-command`: plugin (skills), verified copy |\n"
        "| `beta` 2.0.0 | `explicit-command`: plugin | `unsupported`: - |\n"
        "| `gamma` 1.1.0 | `native`: plugin "
        "| `explicit-command`: plugin (skills), verified copy |\n"
    )


def test_a_module_without_skills_reaches_codex_as_a_copy_alone(sample: dict[str, Any]) -> None:
    sample["modules"][2]["components"] = []
    sample["modules"][0]["hosts"]["claude-code"] = "unsupported"

    rows = support_table(parse_manifest(sample, "m")).splitlines()

    assert rows[4].endswith("| `native`: plugin | `explicit-command`: verified copy |")
    assert rows[2].startswith("| `alpha` 1.0.0 | `unsupported`: - |")


def test_another_host_has_no_channel_that_we_know(sample: dict[str, Any]) -> None:
    sample["hosts"].append("other")
    for module in sample["modules"]:
        module["hosts"]["other"] = "native"

    table = support_table(parse_manifest(sample, "m"))

    assert table.startswith(
        "| module | Claude Code | Codex CLI | other |\n| --- | --- | --- | --- |"
    )
    assert table.count("| `native`: - |\n") == 3


def test_a_name_cannot_break_the_table(sample: dict[str, Any]) -> None:
    sample["modules"][2]["id"] = "a|b`c\nd"
    sample["modules"][2]["version"] = "1 | 2"

    row = support_table(parse_manifest(sample, "m")).splitlines()[4]

    assert row.startswith("| `` a\\|b`c\\nd `` 1 \\| 2 | `native`: plugin |")


def test_control_the_packaged_manifest_has_a_row_for_each_module() -> None:
    table = support_table(load_manifest(packaged_manifest_path())).splitlines()

    assert len(table) == 12
    assert table[3] == "| `claude-dev-kit` 0.1.0 | `native`: plugin, hooks | `unsupported`: - |"
    assert table[2].endswith("| `explicit-command`: plugin | `explicit-command`: verified copy |")
