"""``install``: the six stages, and with ``--apply`` one transaction."""

from __future__ import annotations

from hpp.installer.formats.problem import Problem, exit_code
from hpp.installer.formats.receipt import SCHEMA as RECEIPT
from hpp.installer.formats.receipt import receipt_bytes, sealed
from hpp.installer.kit.facts import utc
from hpp.installer.kit.journal import Journal
from hpp.installer.kit.lock import LockHeldError
from hpp.installer.kit.plan import Plan
from hpp.installer.kit.transaction import Change, RolledBackError, run
from hpp.installer.kit.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.request import Request

__all__ = ["SCHEMA", "install"]

SCHEMA = "hpp.install-report/v1"
_PLANNED = ("ok", "warn", "refused")
# What may differ between two receipts of an installation that is current.
_MOMENTARY = ("installed_at", "installer_version", "smokes", "previous", "source", "receipt_sha256")


def install(request: Request, facts: Facts, program: str) -> dict[str, Any]:
    """Return the report of an installation, planned or applied.

    Args:
        request: What was asked for.
        facts: The machine.
        program: How the command that applies the plan begins.

    Raises:
        MachineError: The transaction could be neither finished nor undone; the message
            names its journal.

    """
    plan = Plan(request, facts)
    if plan.is_blocked or not request.apply:
        return _report(plan, program, _PLANNED[exit_code(plan.problems)], [])
    receipt = _receipt(plan)
    if _is_current(plan, receipt):
        return _report(plan, program, "already-current", [])
    try:
        _write(plan, receipt)
    except LockHeldError as error:
        return _report(plan, program, "refused", [error.problem])
    except RolledBackError as error:
        return _report(plan, program, "rolled-back", [error.problem])
    return _report(plan, program, "applied", [])


def _is_current(plan: Plan, receipt: dict[str, Any]) -> bool:
    """Say whether nothing would change, not even what the receipt tells."""
    if plan.receipt is None or plan.profile.changes:
        return False
    if receipt["source"]["checksums_sha256"] != plan.receipt["source"].get("checksums_sha256"):
        return False
    return _lasting(receipt) == _lasting(plan.receipt)


def _lasting(receipt: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in receipt.items() if key not in _MOMENTARY}


def _write(plan: Plan, receipt: dict[str, Any]) -> None:
    place = plan.layout.receipt(plan.source.id)
    before = plan.target.digest(place)
    changes = [*plan.profile.changes, Change(place, before, receipt_bytes(receipt))]
    journal = Journal(
        "install",
        plan.source.id,
        plan.request.host,
        [],
        made=plan.target.missing_folders(change.path for change in changes),
        dropped=_dropped(plan, receipt),
        keep_backup=plan.receipt is not None,
    )
    run(plan.target, plan.layout, plan.facts, journal, changes)


def _receipt(plan: Plan) -> dict[str, Any]:
    source, previous = plan.source, plan.receipt
    hosts = (source.manifest or {})["hosts"]
    body = {
        "schema": RECEIPT,
        "module": source.id,
        "version": source.version,
        "host": plan.request.host,
        "channel": plan.channel,
        "installer_version": VERSION,
        "installed_at": utc(plan.facts.now()),
        "source": {
            "checksums_sha256": source.checksums_sha256,
            "anchored": plan.anchored,
            "kind": source.kind,
        },
        "files": plan.profile.entries,
        "dirs_created": _folders(plan),
        "answers": plan.answers,
        "smokes": [
            {key: smoke[key] for key in ("id", "status", "exit", "seconds", "output_sha256")}
            for smoke in plan.smokes
        ],
        "manual_gates": hosts[plan.request.host]["manual_gates"],
        "previous": None,
    }
    if previous is not None:
        body["previous"] = {
            "version": previous["version"],
            "receipt_sha256": previous["receipt_sha256"],
            "backup": plan.layout.backup(source.id),
        }
    return sealed(body)


def _folders(plan: Plan) -> list[str]:
    """Return the folders that were not there before any module of ours, outermost first.

    What another module's receipt says it made counts for this one too, where this one
    needs it: whichever of the two goes last removes it.
    """
    receipt = plan.layout.receipt(plan.source.id)
    places = [entry["path"] for entry in plan.profile.entries] + [receipt]
    needed = {above for place in places for above in _above(place)}
    known = set(plan.target.missing_folders(places))
    for other in plan.target.receipts(plan.layout).values():
        known |= set(other["dirs_created"])
    runtime = plan.layout.runtime(plan.source.id)
    if plan.profile.adopted:
        known |= {folder for folder in needed if f"{folder}/".startswith(f"{runtime}/")}
    return sorted(known & needed)


def _above(place: str) -> list[str]:
    parts = place.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _dropped(plan: Plan, receipt: dict[str, Any]) -> list[str]:
    """Return the folders of the former version that this one does not need."""
    if plan.receipt is None:
        return []
    kept = set(receipt["dirs_created"])
    former = plan.receipt["dirs_created"]
    return [folder for folder in former if folder not in kept and plan.target.is_folder(folder)]


def _report(plan: Plan, program: str, status: str, late: list[Problem]) -> dict[str, Any]:
    request, source = plan.request, plan.source
    problems = [*plan.problems, *late]
    code = exit_code(problems)
    place = plan.layout.receipt(source.id) if source.id else ""
    has_receipt = bool(place) and status in ("applied", "already-current")
    return {
        "schema": SCHEMA,
        "mode": "apply" if request.apply else "plan",
        "status": status,
        "exit_code": code,
        "host": request.host,
        "channel": plan.channel or request.channel,
        "kit": {
            "id": source.id,
            "version": source.version,
            "checksums_sha256": source.checksums_sha256,
            "anchored": plan.anchored,
        },
        "target": request.target,
        "stages": plan.stages,
        "actions": plan.profile.actions,
        "problems": [problem.document() for problem in problems],
        "receipt": place if has_receipt or plan.receipt is not None else None,
        "rollback_available": bool(source.id)
        and plan.target.is_folder(plan.layout.backup(source.id)),
        "next": _next(plan, program, status, problems),
    }


def _next(plan: Plan, program: str, status: str, problems: list[Problem]) -> list[str]:
    steps = list(dict.fromkeys(problem.next for problem in problems))
    if status in ("ok", "warn"):
        return [*steps, plan.request.apply_command(program, plan.facts.system)]
    if status in ("applied", "already-current"):
        return steps + _follow_ups(plan)
    return steps


def _follow_ups(plan: Plan) -> list[str]:
    """Return the commands that answers ask for, and what a person still wires."""
    manifest = plan.source.manifest or {}
    python = "python" if plan.facts.system == "nt" else "python3"
    found = []
    for question in manifest["questions"]:
        words = question["effect"].get("next_command")
        answer = plan.answers[question["id"]]
        if words is None or answer["value"] is False or answer["origin"] == "default":
            continue
        runtime = plan.layout.runtime(plan.source.id)
        shown = [
            f"{runtime}/{word}" if word in plan.source.listed else word.replace("{python}", python)
            for word in words
        ]
        found.append(" ".join(word.replace("{bash}", "bash") for word in shown))
    if manifest["hosts"][plan.request.host]["manual_gates"]:
        found.append("paste the lines of the stage wire-suggest; no tool does it")
    return found
