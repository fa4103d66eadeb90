"""``publish_lint.py``: what in a folder must not be published."""

from __future__ import annotations

import datetime as dt
import os

from hpp.core.document import read_document, shown_name
from hpp.core.errors import RefusedError
from hpp.installer.forge.publishlint import lint_tree
from hpp.installer.forge.publishrule import RuleSet
from hpp.installer.forge.run import read_rules
from hpp.installer.forge.tool import finish, read_tree, run_tool
from hpp.installer.formats.problem import exit_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.portable.selftest import Checks

__all__ = ["main"]

NAME = "publish_lint.py"
SCHEMA = "hpp.publish-report/v1"
_KEY = ("rule", "path", "sha256")


def main(words: Sequence[str]) -> int:
    """Run the script and return its exit status."""
    return run_tool(
        NAME,
        "Find what a folder must not publish, without showing it",
        words,
        declare=_declare,
        answer=_answer,
        self_test=_self_test,
    )


def _declare(arguments: Arguments) -> None:
    arguments.positional("DIR", help="the folder")
    arguments.option("--rules", "FILE", help="rules besides those that are built in")
    arguments.option("--local-rules", "FILE", help="rules with private terms")
    arguments.option("--baseline", "FILE", help="a former report; what it tells is known")
    arguments.option("--json", "FILE", help="write the report to a file as well")
    arguments.flag("--strict", help="a warning refuses, too")


def _answer(values: Values) -> int:
    rules = RuleSet()
    for path in (values.rules, values.local_rules):
        if path is not None:
            rules = rules.joined(read_rules(path))
    known = _baseline(values.baseline)
    today = dt.datetime.now(dt.timezone.utc).strftime("%Y-%m-%d")
    return finish(_report(values.dir, rules, today, known, strict=values.strict), values.json)


def _report(
    path: str, rules: RuleSet, today: str, known: set[tuple[str, str, str]], *, strict: bool
) -> dict[str, Any]:
    result = lint_tree(read_tree(path), rules, today=today, baseline=known)
    code = exit_code(result.problems)
    if strict and code:
        code = 2
    return {
        "schema": SCHEMA,
        "status": ("ok", "warn", "refused")[code],
        "exit_code": code,
        "findings": [finding.document() for finding in result.findings],
        "unscanned": result.unscanned,
        "problems": [problem.document() for problem in result.problems],
    }


def _baseline(path: str | None) -> set[tuple[str, str, str]]:
    """Return the keys of the findings of a former report."""
    if path is None:
        return set()
    document = read_document(path, root=dict)
    findings = document.get("findings")
    if document.get("schema") != SCHEMA or not isinstance(findings, list):
        raise RefusedError(f"{shown_name(path)}: expected a report, {SCHEMA}")
    keys: set[tuple[str, str, str]] = set()
    for number, finding in enumerate(findings):
        found = [finding.get(key) for key in _KEY] if isinstance(finding, dict) else []
        values = [value for value in found if isinstance(value, str)]
        if len(values) != len(_KEY):
            told = f"findings[{number}]: expected rule, path and sha256"
            raise RefusedError(f"{shown_name(path)}: {told}")
        keys.add((values[0], values[1], values[2]))
    return keys


def _self_test(checks: Checks, folder: str) -> None:
    today = "2026-01-01"
    secret = "ghp_" + "Zx9" * 12
    cases = {
        "secret": f"token = '{secret}'\n",
        "machine-path": "see /ho" + "me/somebody-real/notes\n",
        "personal-data": "write to jane.doe" + "@corporation.com\n",
        "foreign-code": "Adapted " + "from https://unnamed.invalid/x.py\n",
    }
    for category, text in cases.items():
        report = _one(folder, "a.txt", text, RuleSet(), today)
        found = {finding["category"] for finding in report["findings"]}
        checks.equal(f"{category} is refused", (report["exit_code"], found), (2, {category}))
        checks.check(f"{category} is not shown", text.split()[-1][:12] not in str(report))
    report = _one(folder, ".env", "NAME=value\n", RuleSet(), today)
    checks.equal("settings with values are refused", report["exit_code"], 2)
    report = _one(folder, "a.orig", "text\n", RuleSet(), today)
    checks.equal("a leftover is a warning", report["exit_code"], 1)
    checks.equal(
        "a clean tree passes", _one(folder, "a.txt", "text\n", RuleSet(), today)["exit_code"], 0
    )
    _check_allowances(checks, folder, secret, today)


def _check_allowances(checks: Checks, folder: str, secret: str, today: str) -> None:
    from hpp.core.canonical import sha256_hex
    from hpp.installer.forge.publishrule import Allowance

    text = f"token = '{secret}'\n"
    finding = _one(folder, "a.txt", text, RuleSet(), today)["findings"][0]
    checks.equal("the digest is of what matched", finding["sha256"], sha256_hex(secret.encode()))

    def allowed(day: str, digest: str = finding["sha256"]) -> RuleSet:
        return RuleSet(allowed=(Allowance("a.txt", finding["rule"], digest, day),))

    for what, rules, code in (
        ("an allowed occurrence passes", allowed("2026-12-31"), 0),
        ("an allowance that has ended is refused", allowed("2025-12-31"), 2),
        ("an allowance for another text allows nothing", allowed("2026-12-31", "0" * 64), 2),
    ):
        checks.equal(what, _one(folder, "a.txt", text, rules, today)["exit_code"], code)
    known = {(finding["rule"], "a.txt", finding["sha256"])}
    report = _report(os.path.join(folder, "tree"), RuleSet(), today, known, strict=False)
    checks.equal("what a former report tells is known", report["exit_code"], 0)


def _one(folder: str, name: str, text: str, rules: RuleSet, today: str) -> dict[str, Any]:
    """Return the report of a folder with one file."""
    top = os.path.join(folder, "tree")
    os.makedirs(top, exist_ok=True)
    for old in os.listdir(top):
        os.unlink(os.path.join(top, old))
    with open(os.path.join(top, name), "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
    return _report(top, rules, today, set(), strict=False)
