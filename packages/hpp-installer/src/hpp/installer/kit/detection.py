"""The first stage: what the target is, and what is in it already."""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.core.outcome import EXITED
from hpp.core.runner import run
from hpp.core.strictjson import JsonRefusedError, parse_bytes
from hpp.installer.formats.identifier import version_key
from hpp.installer.formats.problem import Problem, block, warn
from hpp.installer.kit.wiring import settings_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.layout import Layout
    from hpp.installer.kit.target import Target

__all__ = ["detect", "read_receipt", "relation"]

_SIGNS = (".claude", ".agents", ".hpp", "AGENTS.md", "CLAUDE.md")
_MOST_COMMITS = 3
_GIT_S = 10


def read_receipt(
    target: Target, layout: Layout, module: str
) -> tuple[dict[str, Any] | None, list[Problem]]:
    """Return a module's receipt, and why it cannot be relied on."""
    try:
        return target.receipt(layout, module), []
    except RefusedError as error:
        place = layout.receipt(module)
        told = str(error).removeprefix(f"{place}: ")
        step = "`status` shows what differs; restore the receipt, or move the module's files away"
        problem = block(
            "receipt-edited", place, told, expected="the receipt as it was written", next_step=step
        )
        return None, [problem]


def relation(receipt: dict[str, Any] | None, version: str, *, runtime_exists: bool) -> str:
    """Return how a version relates to what is installed."""
    if receipt is None:
        return "unmanaged" if runtime_exists else "none"
    if receipt["version"] == version:
        return "same"
    is_older = version_key(version) < version_key(receipt["version"])
    return "downgrade" if is_older else "upgrade"


def detect(
    target: Target, layout: Layout, facts: Facts, receipt: dict[str, Any] | None
) -> tuple[dict[str, Any], list[Problem]]:
    """Return the classification of a target and what in it will be kept."""
    problems = []
    occupied = []
    for path, data in settings_files(target, layout):
        if not path.endswith(".json"):
            continue
        try:
            settings = parse_bytes(data, path, root=dict)
        except JsonRefusedError as error:
            step = "correct the file; it is left alone"
            told = error.reason
            problems.append(
                warn("settings-unreadable", path, told, expected="strict JSON", next_step=step)
            )
            continue
        occupied += [path] if "hooks" in settings or "statusLine" in settings else []
    signs = [sign for sign in _SIGNS if target.exists(sign)]
    if receipt is not None:
        classification = "re-run"
    elif signs or occupied or _commits(target, facts) > _MOST_COMMITS:
        classification = "in-progress"
    else:
        classification = "greenfield"
    return {"classification": classification, "existing_config": [*signs, *occupied]}, problems


def _commits(target: Target, facts: Facts) -> int:
    """Return how many commits there are, at most one more than matters; 0 without git."""
    git = facts.which("git")
    if git is None or not os.path.exists(target.at(".git")):
        return 0
    words = ["rev-list", "--count", f"--max-count={_MOST_COMMITS + 1}", "HEAD"]
    outcome = run([git, "-C", target.root, *words], timeout_s=_GIT_S, keep_stdout=64)
    counted = outcome.stdout.kept.strip()
    is_number = outcome.ending == EXITED and outcome.exit_code == 0 and counted.isdigit()
    return int(counted) if is_number else 0
