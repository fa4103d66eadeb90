"""The contract of skills names the rules that the linter has, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import hpp.core

PORTABLE = Path(hpp.core.__file__).parent / "portable"
RULE = re.compile(r"L[1-6]-[a-z-]+")


def test_every_rule_is_in_the_contract_and_every_named_rule_is_one() -> None:
    sources = "".join((PORTABLE / name).read_text() for name in ("skillrule.py", "skillcommand.py"))
    contract = (PORTABLE / "templates/SKILL-CONTRACT.md").read_text(encoding="utf-8")

    assert set(re.findall(r"^\| `(L[1-6]-[a-z-]+)`", contract, re.MULTILINE)) == set(
        RULE.findall(sources)
    )


def test_the_template_has_every_clause_and_says_what_to_fill() -> None:
    template = (PORTABLE / "templates/skill-template.md").read_text(encoding="utf-8")

    titles = re.findall(r"^## (.+)$", template, re.MULTILINE)
    assert titles == [
        "When NOT to Activate", "Contract", "Process", "Executed examples", "Anti-patterns",
        "Proof",
    ]  # fmt: skip
    assert template.count("<FILL") > len(titles)


def test_control_a_rule_that_nobody_wrote_down_would_be_seen() -> None:
    contract = (PORTABLE / "templates/SKILL-CONTRACT.md").read_text(encoding="utf-8")

    assert "L7-unheard-of" not in set(RULE.findall(contract))
    assert "L4-vacuous-proof" in set(RULE.findall(contract))
