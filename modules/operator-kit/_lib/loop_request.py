"""What a loop is to be armed with, from words or from a file, checked before any writing."""

from __future__ import annotations

import math

from _lib.loop_store import criterion_fault

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

__all__ = ["by_file", "by_words"]

MOST_ITERATIONS = 500
LONGEST_S = 110
_DEFAULTS: dict[str, Any] = {
    "goal": None,
    "max_iterations": 8,
    "deadline": None,
    "criterion_timeout": 20,
}
_KEYS = ("charter", "criteria", *_DEFAULTS)


def by_words(values: argparse.Namespace) -> dict[str, Any]:
    """Return the loop that the options describe."""
    given = {key: getattr(values, key) for key in _KEYS}
    if given["charter"] is None or not given["criteria"]:
        raise RefusedError("expected --charter and --criteria, or --spec")
    return _checked(given, "", may_use_shell=values.shell, texts_are_shell=values.shell)


def by_file(values: argparse.Namespace) -> dict[str, Any]:
    """Return the loop that a file describes."""
    from hpp.core.document import read_document

    if values.charter is not None or values.criteria:
        raise RefusedError("--spec: the charter and the criteria stand in the file")
    document = read_document(values.spec, root=dict)
    where = f"{values.spec}: "
    for key in document:
        if key not in _KEYS:
            raise RefusedError(f"{where}{key}: no such key; there are {', '.join(_KEYS)}")
    given = {key: document.get(key) for key in _KEYS}
    for key in _DEFAULTS:
        typed = getattr(values, key)
        given[key] = given[key] if typed is None else typed
    return _checked(given, where, may_use_shell=values.shell, texts_are_shell=False)


def _checked(
    given: dict[str, Any], where: str, *, may_use_shell: bool, texts_are_shell: bool
) -> dict[str, Any]:
    made: dict[str, Any] = {
        key: _DEFAULTS.get(key) if given[key] is None else given[key] for key in _KEYS
    }
    if not isinstance(made["charter"], str) or not made["charter"].strip():
        raise RefusedError(f"{where}charter: expected a text")
    if made["goal"] is not None and not isinstance(made["goal"], str):
        raise RefusedError(f"{where}goal: expected a text")
    if not isinstance(made["criteria"], list) or not made["criteria"]:
        raise RefusedError(f"{where}criteria: expected at least one")
    made["criteria"] = [
        _criterion(
            each,
            f"{where}criteria[{number}]",
            may_use_shell=may_use_shell,
            is_shell=texts_are_shell,
        )
        for number, each in enumerate(made["criteria"])
    ]
    most = made["max_iterations"]
    if type(most) is not int or not 1 <= most <= MOST_ITERATIONS:
        raise RefusedError(f"{where}max_iterations: expected 1 to {MOST_ITERATIONS}")
    _number(made["criterion_timeout"], f"{where}criterion_timeout")
    if made["deadline"] is not None:
        _number(made["deadline"], f"{where}deadline")
    total = len(made["criteria"]) * made["criterion_timeout"]
    if total >= LONGEST_S:
        raise RefusedError(
            f"{where}criteria: {len(made['criteria'])} of {made['criterion_timeout']:g} s may take"
            f" {total:g} s, and the host allows less than {LONGEST_S}; give each less time"
            " (--criterion-timeout), or put them into one script that is quicker"
        )
    return made


def _criterion(
    given: object,
    where: str,
    *,
    may_use_shell: bool,
    is_shell: bool,
) -> dict[str, Any]:
    made = given
    if isinstance(given, str):
        made = {"shell": given} if is_shell else {"argv": _split(given, where)}
    fault = criterion_fault(made)
    if fault is not None or not isinstance(made, dict):
        raise RefusedError(f"{where}: {fault}")
    if "shell" in made and not may_use_shell:
        raise RefusedError(f"{where}: a shell criterion needs --shell")
    return made


def _split(text: str, where: str) -> list[str]:
    from _lib.commandtext import split

    try:
        return split(text, where)
    except RefusedError as error:
        raise RefusedError(f"{error} (for a shell: --shell)") from None


def _number(value: object, where: str) -> None:
    is_number = type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]
    if not is_number or value <= 0:  # type: ignore[operator]
        raise RefusedError(f"{where}: expected a number above 0")
