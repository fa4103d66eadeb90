"""``status``: every receipt held to the bytes that it tells of."""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.installer.formats.moduletree import is_leftover
from hpp.installer.formats.problem import Problem, block, exit_code, warn
from hpp.installer.kit.detection import read_receipt
from hpp.installer.kit.layout import HOSTS, LAYOUTS
from hpp.installer.kit.place import leftovers, open_target, target_problems
from hpp.installer.kit.verbreport import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.layout import Layout
    from hpp.installer.kit.target import Target

__all__ = ["status"]


def status(shown: str, host: str | None, facts: Facts) -> dict[str, Any]:
    """Return the report of what is installed in a target, on one host or on each."""
    target = open_target(shown, facts)
    outcome = Outcome("status", shown, host, None)
    modules: list[dict[str, Any]] = []
    for each in [host] if host is not None else HOSTS:
        layout = LAYOUTS[each]
        problems = target_problems(target, facts, layout)
        if problems:
            outcome.problems += [one for one in problems if one not in outcome.problems]
            continue
        outcome.problems += leftovers(target, layout, facts)
        for module in target.modules(layout):
            row, found = _module(target, layout, module)
            modules.append(row)
            outcome.problems += found
    outcome.done = ("ok", "modified", "refused")[exit_code(outcome.problems)]
    outcome.extra = {"modules": modules}
    return outcome.report()


def _module(target: Target, layout: Layout, module: str) -> tuple[dict[str, Any], list[Problem]]:
    receipt, problems = read_receipt(target, layout, module)
    row: dict[str, Any] = {
        "module": module,
        "host": layout.host,
        "version": None,
        "channel": None,
        "state": "receipt-edited",
        "files": 0,
        "rollback_available": target.is_folder(layout.backup(module)),
    }
    if receipt is None:
        return row, problems
    for entry in receipt["files"]:
        problem = _entry(target, entry)
        problems += [problem] if problem is not None else []
    problems += _extras(target, layout, receipt)
    row |= {
        "version": receipt["version"],
        "channel": receipt["channel"],
        "files": len(receipt["files"]),
        "state": ("intact", "modified", "unsafe")[exit_code(problems)],
        "kept_by_user": [e["path"] for e in receipt["files"] if e.get("user_owned")],
    }
    return row, problems


def _entry(target: Target, entry: dict[str, Any]) -> Problem | None:
    """Hold one file to its receipt; a seed is a person's own to edit or remove."""
    path = entry["path"]
    try:
        current = target.digest(path)
    except RefusedError as error:
        told = str(error).removeprefix(f"{path}: ")
        step = "put the file back"
        return block("unsafe-destination", path, told, expected="a regular file", next_step=step)
    if entry["kind"] == "seed" or entry.get("user_owned") or current == entry["sha256"]:
        return None
    step = "install the module again to restore it, or keep the edit with --keep-modified"
    if current is None:
        return warn("file-missing", path, "it is missing", expected=entry["sha256"], next_step=step)
    told = "it was edited since"
    return warn("modified-since", path, told, expected=entry["sha256"], next_step=step)


def _extras(target: Target, layout: Layout, receipt: dict[str, Any]) -> list[Problem]:
    """Return what lies in the module's folder and is not the module's."""
    runtime = f"{layout.runtime(receipt['module'])}/"
    paths = {entry["path"] for entry in receipt["files"]}
    listed = {path.removeprefix(runtime): "" for path in paths}
    found = []
    for path in target.walk(runtime.rstrip("/")):
        if path not in paths and not is_leftover(path.removeprefix(runtime), listed):
            step = "remove it; `verify` of the folder reports it too"
            told = "it is there and no receipt tells of it"
            found.append(warn("unlisted-file", path, told, expected="no such file", next_step=step))
    return found
