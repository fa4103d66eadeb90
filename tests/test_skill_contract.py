"""The contract of skills at the root is the one that the modules carry."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CARRIED = ROOT / "packages/hpp-core/src/hpp/core/portable/templates/SKILL-CONTRACT.md"


def test_the_contract_at_the_root_is_the_one_that_modules_carry() -> None:
    assert (ROOT / "SKILL-CONTRACT.md").read_bytes() == CARRIED.read_bytes()


def test_control_the_contract_is_no_empty_file() -> None:
    assert b"L4-vacuous-proof" in CARRIED.read_bytes()
