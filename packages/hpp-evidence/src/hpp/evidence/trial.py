"""The runs of a criterion on copies of the workspace, one for each mutant."""

from __future__ import annotations

import os
import threading

from hpp.core.crew import Crew
from hpp.core.errors import RefusedError
from hpp.core.runner import TIMEOUT, UNSTARTED, run
from hpp.core.text import shorten
from hpp.evidence.treecopy import copy_tree, remove_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hpp.core.interruption import Interruption
    from hpp.core.runner import Outcome
    from hpp.evidence.mutant import Mutant
    from hpp.evidence.request import Request

__all__ = ["FAULT", "KILLED", "NOT_APPLIED", "SURVIVED", "Round", "Trial"]

KILLED, SURVIVED, NOT_APPLIED, FAULT = "killed", "survived", "not-applied", "error"


class Trial:
    """Runs the criterion on a fresh copy, with or without a mutant.

    Copies are made of one that was taken first, so that every run sees the same tree, also
    when a person goes on working in the original.
    """

    def __init__(
        self,
        request: Request,
        root: str,
        place: str,
        links: Sequence[str],
        interruption: Interruption,
    ) -> None:
        self._request = request
        self._root = root
        self._place = place
        self._links = links
        self.interruption = interruption
        self._name = os.path.basename(root) or "workspace"
        self._first = self._target("first")
        copy_tree(root, self._first)
        self._count = 0
        self._lock = threading.Lock()

    def run(self, mutant: Mutant | None, *, is_alone: bool) -> Outcome:
        """Return how the criterion ended.

        Raises:
            RefusedError: The mutant's file is not the one that was read.

        """
        with self._lock:
            self._count += 1
            target = self._target(str(self._count))
        try:
            copy_tree(self._first, target, links=self._links, linked=self._root)
            if mutant is not None:
                _edit(target, mutant)
            return run(
                self._request.argv,
                timeout_s=self._request.timeout_s,
                cwd=target,
                own_children=is_alone,
                interruption=self.interruption,
            )
        finally:
            remove_tree(os.path.dirname(target))

    def _target(self, number: str) -> str:
        folder = os.path.join(self._place, number)
        os.mkdir(folder)
        return os.path.join(folder, self._name)  # a program may look at its folder's name


def _edit(target: str, mutant: Mutant) -> None:
    path = os.path.join(target, *mutant.source.name.split("/"))
    try:
        with open(path, "rb") as stream:
            was_read = stream.read() == mutant.source.text.encode("utf-8")
        if was_read:
            os.chmod(path, os.stat(path).st_mode | 0o200)
            with open(path, "wb") as stream:
                stream.write(mutant.edited())
    except OSError as error:
        raise RefusedError(f"{shorten(mutant.source.name)}: {error.strerror}") from None
    if not was_read:
        raise RefusedError(f"{shorten(mutant.source.name)}: it changed while the tree was copied")


class Round:
    """One run for each mutant, shared by the threads that make them."""

    def __init__(
        self,
        trial: Trial,
        mutants: Sequence[Mutant],
        jobs: int,
        tell: Callable[[int, int, str], None] | None,
    ) -> None:
        self._trial = trial
        self._mutants = mutants
        self._crew = Crew(len(mutants), jobs)
        self._tell = tell or _tell_nobody
        self._results: list[dict[str, Any]] = [{} for _ in mutants]
        self._done = 0

    def results(self) -> list[dict[str, Any]]:
        """Return what became of each mutant, in order."""
        self._crew.work(self._work)
        return self._results

    def _work(self) -> None:
        while (number := self._take()) is not None:
            mutant = self._mutants[number]
            outcome = None
            if mutant.index is not None:
                outcome = self._trial.run(mutant, is_alone=self._crew.jobs == 1)
            self._results[number] = _result(mutant, outcome)
            with self._crew.lock:
                self._done += 1

    def _take(self) -> int | None:
        self._trial.interruption.check()
        with self._crew.lock:  # so that they are told of in their order
            number = self._crew.take()
            if number is not None:
                self._tell(self._done, len(self._mutants), self._mutants[number].identity)
        return number


def _tell_nobody(_done: int, _total: int, _name: str) -> None:
    """Stand in for a progress line."""


def _result(mutant: Mutant, outcome: Outcome | None) -> dict[str, Any]:
    line, column = mutant.place() or (None, None)
    result: dict[str, Any] = {
        "id": mutant.identity,
        "file": mutant.source.name,
        "find": mutant.find,
        "replace": mutant.replace,
        "line": line,
        "column": column,
        "outcome": _outcome(outcome),
        "exit_code": None if outcome is None else outcome.exit_code,
    }
    if outcome is not None and outcome.ending == TIMEOUT:
        result["note"] = "it timed out"
    if outcome is not None and outcome.ending == UNSTARTED:
        result["note"] = f"it could not start: {shorten(outcome.reason, 200)}"
    return result


def _outcome(outcome: Outcome | None) -> str:
    if outcome is None:
        return NOT_APPLIED
    if outcome.ending == UNSTARTED:
        return FAULT
    return SURVIVED if outcome.exit_code == 0 else KILLED
