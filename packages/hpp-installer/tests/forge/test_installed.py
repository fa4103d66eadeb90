"""What the forge emits is what the installer proves, installs and removes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hpp.installer.kit import main
from hpp.installer.kit.facts import Facts
from hpp.installer.kit.status import status
from hpp.installer.kit.verification import verify

if TYPE_CHECKING:
    from pathlib import Path

Tree = Any
Capture = pytest.CaptureFixture[str]


def modules(tree: Tree) -> list[dict[str, Any]]:
    document = json.loads((tree.root / "distribution.json").read_bytes())
    found: list[dict[str, Any]] = document["modules"]
    return found


def test_an_emission_keeps_the_contract_of_a_distribution(emitted: Tree, capfd: Capture) -> None:
    code = main(["marketplace", str(emitted.root)])

    assert (code, json.loads(capfd.readouterr().out)["problems"]) == (0, [])


def test_every_emitted_module_verifies_against_its_anchor(emitted: Tree) -> None:
    assert modules(emitted)
    for module in modules(emitted):
        for name in (module["path"], module["zip"]):
            report = verify(str(emitted.root / name))
            assert (report["exit_code"], report["problems"]) == (0, []), name
            assert report["anchor"]["status"] == "matched"


def test_an_emitted_module_is_installed_and_leaves_no_trace(
    emitted: Tree, tmp_path: Path, capfd: Capture
) -> None:
    target = tmp_path / "project"
    target.mkdir()
    installed = []
    for module in modules(emitted):
        words = ["--target", str(target), "--host", "codex", "--apply"]
        kit = str(emitted.root / module["path"])
        capfd.readouterr()
        main(["install", "--kit", kit, *words, "--no-smoke"])  # its proofs are the source's affair
        report = json.loads(capfd.readouterr().out)
        if report["problems"] and report["problems"][0]["code"] == "host-unsupported":
            continue
        assert report["status"] == "applied", report["problems"]
        installed.append(module["id"])
    assert installed
    assert status(str(target), None, Facts())["exit_code"] == 0

    for identity in installed:
        words = ["--target", str(target), "--host", "codex", "--apply", "--purge-seeds"]
        assert main(["uninstall", "--module", identity, *words]) == 0
    assert list(target.iterdir()) == []
