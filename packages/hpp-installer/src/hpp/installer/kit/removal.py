"""``uninstall``: what was put there and is as it was put goes; everything else stays."""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.installer.formats.destination import destination_fault, place_fault
from hpp.installer.formats.identifier import is_module_id
from hpp.installer.formats.moduletree import is_leftover
from hpp.installer.formats.problem import BLOCK, Problem, block, warn
from hpp.installer.kit.detection import read_receipt
from hpp.installer.kit.journal import Journal
from hpp.installer.kit.layout import IGNORE_BYTES, LAYOUTS
from hpp.installer.kit.lock import LockHeldError
from hpp.installer.kit.place import leftovers, open_target, target_problems
from hpp.installer.kit.transaction import Change, RolledBackError, run
from hpp.installer.kit.verbreport import Outcome
from hpp.installer.kit.wiring import commands_of, settings_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.layout import Layout
    from hpp.installer.kit.target import Target

__all__ = ["find_installed", "uninstall"]


def find_installed(
    outcome: Outcome, target: Target, layout: Layout, facts: Facts
) -> dict[str, Any] | None:
    """Return a module's receipt, or add to the outcome why there is none to work with."""
    module = outcome.module or ""
    if not is_module_id(module):
        told = f'"{shorten(module)}" is no id of a module'
        outcome.problems.append(_no_receipt("--module", told))
        return None
    outcome.problems += target_problems(target, facts, layout)
    if outcome.problems:
        return None
    outcome.problems += leftovers(target, layout, facts)
    receipt, problems = read_receipt(target, layout, module)
    outcome.problems += problems
    if receipt is None and not problems:
        outcome.problems.append(_no_receipt(layout.receipt(module), "there is no such receipt"))
    return None if outcome.problems else receipt


def _no_receipt(path: str, measured: str) -> Problem:
    step = "`status` lists what is installed"
    return block(
        "receipt-missing", path, measured, expected="a module that is installed", next_step=step
    )


def uninstall(  # noqa: PLR0913 -- an option each
    module: str,
    shown: str,
    host: str,
    facts: Facts,
    *,
    apply: bool,
    purge_seeds: bool = False,
    force_wired: bool = False,
) -> dict[str, Any]:
    """Return the report of a removal, planned or applied.

    Raises:
        MachineError: The transaction could be neither finished nor undone.

    """
    layout = LAYOUTS[host]
    target = open_target(shown, facts)
    outcome = Outcome("uninstall", shown, host, module, apply)
    receipt = find_installed(outcome, target, layout, facts)
    if receipt is None:
        return outcome.report()
    if not force_wired:
        outcome.problems += _still_wired(target, layout, module)
    changes, folders = _removals(outcome, target, layout, receipt, purge_seeds=purge_seeds)
    if apply and not _is_blocked(outcome):
        journal = Journal("uninstall", module, host, [], dropped=folders)
        try:
            run(target, layout, facts, journal, changes)
            outcome.done = "removed"
        except (LockHeldError, RolledBackError) as error:
            outcome.problems.append(error.problem)
    return outcome.report()


def _is_blocked(outcome: Outcome) -> bool:
    return any(problem.severity == BLOCK for problem in outcome.problems)


def _still_wired(target: Target, layout: Layout, module: str) -> list[Problem]:
    """Return the settings files that run what is about to go: every later call would fail."""
    own = f"{layout.runtime(module)}/"
    found = []
    for path, data in settings_files(target, layout):
        commands = commands_of(data, path)
        texts = [data.decode("utf-8", "replace")] if commands is None else commands
        if any(own in text.replace("\\\\", "/").replace("\\", "/") for text in texts):
            step = f"remove the entries of {path} that run {own}..., or give --force-wired"
            told = f"it runs a script below {own}"
            found.append(block("still-wired", path, told, expected="no such entry", next_step=step))
    return found


def _removals(
    outcome: Outcome, target: Target, layout: Layout, receipt: dict[str, Any], *, purge_seeds: bool
) -> tuple[list[Change], list[str]]:
    changes = []
    for entry in receipt["files"]:
        runtime = layout.runtime(receipt["module"])
        change = _removal(outcome, target, entry, runtime, purge_seeds=purge_seeds)
        changes += [change] if change is not None else []
    litter = _litter(target, layout, receipt)
    changes += litter
    module = receipt["module"]
    folders = set(receipt["dirs_created"])
    folders |= {change.path.rpartition("/")[0] for change in litter}
    others = [other for other in target.modules(layout) if other != module]
    if not others and _read(target, layout.ignore_file) == IGNORE_BYTES:
        changes.append(Change(layout.ignore_file, target.digest(layout.ignore_file), None))
    place = layout.receipt(module)
    changes.append(Change(place, target.digest(place), None))
    return changes, sorted(folder for folder in folders if target.is_folder(folder))


def _removal(
    outcome: Outcome, target: Target, entry: dict[str, Any], runtime: str, *, purge_seeds: bool
) -> Change | None:
    path, kind = entry["path"], entry["kind"]
    is_seed = kind == "seed"
    if is_seed and (not purge_seeds or entry.get("user_owned")):
        outcome.act("keep-seed", path, kind)
        return None
    fault = destination_fault(target.root, path, runtime)
    current = "" if fault else target.digest(path)
    if current is None:
        return None
    if current == entry["sha256"]:
        outcome.act("remove", path, kind)
        return Change(path, current, None)
    outcome.act("keep-modified", path, kind)
    step = "remove it by hand when it is not wanted"
    told = fault or "it was edited since and is kept"
    outcome.problems.append(
        warn("modified-since", path, told, expected=entry["sha256"], next_step=step)
    )
    return None


def _litter(target: Target, layout: Layout, receipt: dict[str, Any]) -> list[Change]:
    """Return the removal of bytecode and caches that the module's own scripts left."""
    runtime = f"{layout.runtime(receipt['module'])}/"
    files = [entry["path"] for entry in receipt["files"] if entry["kind"] == "runtime"]
    listed = {path.removeprefix(runtime): "" for path in files}
    return [
        Change(path, target.digest(path), None)
        for path in target.walk(runtime.rstrip("/"))
        if is_leftover(path.removeprefix(runtime), listed) and not place_fault(target.root, path)
    ]


def _read(target: Target, path: str) -> bytes | None:
    try:
        return target.read(path)
    except RefusedError:
        return None
