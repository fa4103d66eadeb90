"""Whether one task is done: its criteria, what is declared missing, and the state of both."""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.portable.redact import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from _lib.commandtext import Declared
    from _lib.measure import Measured

__all__ = ["DONE", "NOT_DONE", "PARTIAL", "Request", "check_record", "read_request", "report"]

DONE, PARTIAL, NOT_DONE = "DONE", "PARTIAL", "NOT-DONE"
_WHERE = "standard input"


class Request:
    """What is asked: the criteria, and what the asker says is missing."""

    __slots__ = ("criteria", "declared")

    def __init__(self, criteria: Sequence[Declared], missing: Sequence[str]) -> None:
        self.criteria = list(criteria)
        self.declared = [text.strip() for text in missing if text.strip()]

    def check(self) -> None:
        """Refuse criteria that decide nothing.

        Raises:
            RefusedError: There is none, or all they do is read again what the maker recorded.

        """
        if not self.criteria:
            raise RefusedError("no criterion: name a command, --profile TYPE or --stdin")
        if all(_is_reading(criterion.argv) for criterion in self.criteria):
            raise RefusedError(
                "`hpp evidence verify` as the only criterion reads again what the maker wrote; "
                "run the criterion itself: hpp evidence run"
            )


def read_request(document: dict[str, Any]) -> Request:
    """Return the request of a document ``{"criteria": [...], "partial": {...}}``.

    Raises:
        RefusedError: It is not of that form.

    """
    from _lib.commandtext import declared

    unknown = sorted(set(document) - {"criteria", "partial"})
    if unknown:
        raise RefusedError(f"{_WHERE}: {unknown[0]}: unknown key; expected criteria, partial")
    raw = document.get("criteria", [])
    if not isinstance(raw, list):
        raise RefusedError(f"{_WHERE}: criteria: expected a list of commands")
    criteria = [declared(each, f"{_WHERE}: criteria[{at}]") for at, each in enumerate(raw)]
    return Request(criteria, _missing(document.get("partial", {})))


def _missing(partial: object) -> list[str]:
    if not isinstance(partial, dict) or set(partial) - {"missing", "reason"}:
        raise RefusedError(f"{_WHERE}: partial: expected an object with missing and reason")
    missing = partial.get("missing", [])
    reason = partial.get("reason", "")
    if not isinstance(missing, list) or not all(isinstance(each, str) for each in missing):
        raise RefusedError(f"{_WHERE}: partial.missing: expected a list of texts")
    if not isinstance(reason, str):
        raise RefusedError(f"{_WHERE}: partial.reason: expected a text")
    return [*missing, reason]


def report(request: Request, results: Sequence[Measured]) -> dict[str, Any]:
    """Return the verdict: every criterion has to pass, and nothing may be missing."""
    is_passed = bool(results) and all(each.passed for each in results)
    state = PARTIAL if request.declared else DONE if is_passed else NOT_DONE
    return {
        "state": state,
        "done": state == DONE,
        "partial": state == PARTIAL,
        "declared": [shown(text) for text in request.declared],
        "results": [each.document() for each in results],
    }


def check_record(document: object) -> str | None:
    """Return why a recorded verdict is not DONE, or None when it is."""
    if not isinstance(document, dict):
        return "it is no record of done_gate.py"
    results = document.get("results")
    if not isinstance(results, list) or not results:
        return "it is no record of done_gate.py: it has no results"
    if document.get("state") != DONE:
        return f"its state is {document.get('state')!r}, not {DONE!r}"
    is_whole = document.get("done") is True and document.get("declared") == []
    if not is_whole or not all(map(_is_passed, results)):
        return "its state contradicts its results"
    return None


def _is_passed(result: object) -> bool:
    return isinstance(result, dict) and result.get("passed") is True and result.get("exit") == 0


def _is_reading(argv: Sequence[str]) -> bool:
    """Say whether a command verifies an evidence record and does nothing else."""
    words = [word for word in " ".join(argv).split() if not word.startswith("-")]
    names = [
        word.strip("\"'").replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
        for word in words
    ]
    for at, name in enumerate(names):
        if name == "hpp" and names[at + 1 : at + 3] == ["evidence", "verify"]:
            return True
        if name == "hpp-evidence" and names[at + 1 : at + 2] == ["verify"]:
            return True
    return False
