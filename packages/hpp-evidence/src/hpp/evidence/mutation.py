"""Does a criterion notice? Run it on a clean copy, then on one copy for each mutant.

The criterion must pass on the clean copy and fail on every mutant. The workspace itself is
never written to, apart from the record.
"""

from __future__ import annotations

import os
import re
import tempfile
import time

from hpp.core.errors import RefusedError
from hpp.core.interruption import Interruption
from hpp.core.runner import EXITED
from hpp.core.text import shorten
from hpp.evidence.base import base_of
from hpp.evidence.record import write_record
from hpp.evidence.request import open_record_folder
from hpp.evidence.treecopy import check_links
from hpp.evidence.trial import FAULT, KILLED, NOT_APPLIED, SURVIVED, Round, Trial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hpp.core.runner import Outcome
    from hpp.evidence.mutant import Mutant
    from hpp.evidence.request import Request

__all__ = ["EXIT_CODES", "SCHEMA", "VERDICTS", "run_mutation"]

SCHEMA = "hpp.mutation/v1"
EXIT_CODES = {
    "no-control": 2,
    "no-mutants": 1,
    "blind-spots": 1,
    "incomplete": 1,
    "sensitive": 0,
}
VERDICTS = tuple(EXIT_CODES)


def run_mutation(
    request: Request,
    mutants: Sequence[Mutant],
    *,
    links: Sequence[str] = (),
    jobs: int = 1,
    tell: Callable[[int, int, str], None] | None = None,
) -> dict[str, Any]:
    """Run the criterion on a clean copy and on every mutant, and write the record.

    Args:
        request: The criterion; its patterns and event are not used.
        mutants: What it must notice.
        links: Folders that copies leave out and that it needs.
        jobs: How many mutants are run at a time, from 1.
        tell: Told how many mutants are done, of how many, and which comes next.

    Returns:
        The record ``hpp.mutation/v1``.

    Raises:
        RefusedError: A rule is broken, or the tree cannot be copied; no record was written.
        InterruptedRunError: A signal stopped it; no record was written.

    """
    if jobs < 1:
        raise RefusedError(f"--jobs {jobs}: expected 1 or more")
    root = os.path.realpath(request.root)
    _check_unique(mutants)
    _check_argv(request, root)
    links = check_links(root, links)
    with tempfile.TemporaryDirectory(prefix="hpp-mutate-", ignore_cleanup_errors=True) as made:
        place = os.path.realpath(made)
        if place.startswith(root.rstrip(os.sep) + os.sep):
            raise RefusedError(
                "the temporary folder lies inside the workspace; set TMPDIR to another"
            )
        with open_record_folder(request) as folder, Interruption() as interruption:
            base, started = base_of(request.root), time.gmtime()
            trial = Trial(request, root, place, links, interruption)
            clean = trial.run(None, is_alone=True)
            passed = clean.ending == EXITED and clean.exit_code == 0
            results = Round(trial, mutants, jobs, tell).results() if passed else []
            record = {
                "schema": SCHEMA,
                "id": request.identity,
                "command": request.argv,
                "base_commit": base.commit,
                "started_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", started),
                "timeout_s": request.timeout_s,
                "clean": {
                    "verdict": _clean_verdict(clean),
                    "exit_code": clean.exit_code,
                    "duration_s": round(clean.duration_s, 3),
                },
                **_summary(results, has_control=passed),
            }
            stem = f"{request.identity}-mutate-{time.strftime('%Y%m%dT%H%M%SZ', started)}"
            return write_record(folder, record, request.out, stem)


def _check_unique(mutants: Sequence[Mutant]) -> None:
    seen: set[str] = set()
    for mutant in mutants:
        if mutant.identity in seen:
            raise RefusedError(f"mutant {shorten(mutant.identity)}: its id is there twice")
        seen.add(mutant.identity)


def _check_argv(request: Request, root: str) -> None:
    """Refuse an argument that would lead from the copy back into the workspace."""
    for number, argument in enumerate(request.argv):
        if any(_names(argument, path) for path in {root, os.path.abspath(request.root)}):
            place = "the program" if number == 0 else f"argument {number}"
            raise RefusedError(f"{place}: it names the workspace, and would run there")


def _names(argument: str, path: str) -> bool:
    """Say whether an argument holds a path, and not one that only begins like it."""
    flags = re.IGNORECASE if os.name == "nt" else 0
    slashes = r"[\\/]" if os.name == "nt" else re.escape(os.sep)
    parts = path.rstrip(os.sep).split(os.sep)
    return (
        re.search(slashes.join(map(re.escape, parts)) + r"(?![\w.-])", argument, flags) is not None
    )


def _clean_verdict(outcome: Outcome) -> str:
    if outcome.ending != EXITED:
        return outcome.ending
    return "failed" if outcome.exit_code else "passed"


def _summary(results: list[dict[str, Any]], *, has_control: bool) -> dict[str, Any]:
    """Return mutants, metrics, survivors and verdict of a record."""
    outcomes = [result["outcome"] for result in results]
    killed, survived = outcomes.count(KILLED), outcomes.count(SURVIVED)
    metrics = {
        "total": len(results),
        "killed": killed,
        "survived": survived,
        "not_applied": outcomes.count(NOT_APPLIED),
        "errors": outcomes.count(FAULT),
        "score": round(killed / (killed + survived), 4) if killed + survived else None,
    }
    survivors = [
        f"{each['file']}:{each['line']} {each['find']} -> {each['replace']}"
        for each in results
        if each["outcome"] == SURVIVED
    ]
    return {
        "mutants": results,
        "metrics": metrics,
        "survivors": survivors,
        "verdict": _verdict(metrics, has_control=has_control),
    }


def _verdict(metrics: dict[str, Any], *, has_control: bool) -> str:
    if not has_control:
        return "no-control"
    if metrics["score"] is None:
        return "no-mutants"
    if metrics["survived"]:
        return "blind-spots"
    return "incomplete" if metrics["errors"] else "sensitive"
