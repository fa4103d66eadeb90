"""An eval suite: cases that are run k times each, checked as a whole before the first run."""

from __future__ import annotations

import os

from hpp.core.bound import LONGEST_TIMEOUT_S
from hpp.core.canonical import sha256_hex
from hpp.core.control import OWNERS
from hpp.core.document import read_input, shown_name
from hpp.core.errors import RefusedError
from hpp.core.strictjson import LARGE_LIMIT, parse_bytes
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

    from hpp.core.control import Control

__all__ = ["COMMAND", "CONTROL", "REPLAY", "Case", "Suite", "parse_suite", "read_suite"]

REPLAY, COMMAND, CONTROL = "replay", "command", "hpp-control"
_DEFAULT_TIMEOUT_S = 20


class Case:
    """One case.

    Attributes:
        id: Unique in its suite; of a control, the control's own.
        runner: ``replay``, ``command`` or ``hpp-control``.
        outcomes: Of a replay, what its runs give in turn.
        command: Of a command, program and arguments.
        timeout_s: Of a command, seconds for one run.
        control: What a control case calls.

    """

    __slots__ = ("command", "control", "id", "outcomes", "runner", "timeout_s")

    def __init__(self, case_id: str, runner: str) -> None:
        self.id = case_id
        self.runner = runner
        self.outcomes: list[bool] = []
        self.command: list[str] = []
        self.timeout_s: float = _DEFAULT_TIMEOUT_S
        self.control: Control | None = None


class Suite:
    """A suite that keeps every rule; `sha256` is that of its file's bytes."""

    __slots__ = ("cases", "name", "sha256", "version")

    def __init__(self, name: str, version: str, sha256: str, cases: list[Case]) -> None:
        self.name = name
        self.version = version
        self.sha256 = sha256
        self.cases = cases


def read_suite(path: str, controls: Mapping[str, Control]) -> Suite:
    """Return the suite of a file, ``-`` for standard input.

    Raises:
        RefusedError: It cannot be read or breaks a rule; nothing was run.

    """
    data = read_input(path, limit=LARGE_LIMIT)
    stem = "stdin" if path == "-" else os.path.splitext(os.path.basename(path))[0]
    return parse_suite(data, shown_name(path), stem, controls)


def parse_suite(data: bytes, name: str, stem: str, controls: Mapping[str, Control]) -> Suite:
    """Return the suite of a document.

    Args:
        data: Its bytes.
        name: Names its file in messages.
        stem: Name of the suite when it gives itself none.
        controls: What a case of the runner ``hpp-control`` may name.

    Raises:
        RefusedError: It breaks a rule.

    """
    document = parse_bytes(data, name, root=dict)
    return _Reader(name, controls).suite(document, stem, sha256_hex(data))


class _Reader:
    def __init__(self, name: str, controls: Mapping[str, Control]) -> None:
        self.name = name
        self.controls = controls
        self.ids: set[str] = set()

    def suite(self, document: dict[str, Any], stem: str, sha256: str) -> Suite:
        version = document.get("version")
        if not isinstance(version, str) or not version.strip():
            self._refuse("version", "expected a non-blank text")
        name = document.get("name", stem)
        if not isinstance(name, str):
            self._refuse("name", "expected a text")
        cases = document.get("cases")
        if not isinstance(cases, list) or not cases:
            self._refuse("cases", "expected a non-empty list of cases")
        read = [self._case(raw, f"cases[{number}]") for number, raw in enumerate(cases)]
        return Suite(name, version, sha256, read)

    def _case(self, raw: object, where: str) -> Case:
        if not isinstance(raw, dict):
            self._refuse(where, "expected an object")
        case_id = raw.get("id")
        if not isinstance(case_id, str) or not case_id.strip():
            self._refuse(f"{where}.id", "expected a non-blank text")
        if case_id in self.ids:
            self._refuse(f"{where}.id", f'duplicate id "{shorten(case_id)}"')
        self.ids.add(case_id)
        case = Case(case_id, str(raw.get("runner")))
        if raw.get("runner") == REPLAY:
            case.outcomes = self._outcomes(raw.get("outcomes"), f"{where}.outcomes")
        elif raw.get("runner") == COMMAND:
            case.command = self._command(raw.get("command"), f"{where}.command")
            case.timeout_s = self._timeout(raw, f"{where}.timeout")
        elif raw.get("runner") == CONTROL:
            case.control = self._control(case_id, f"{where}.id")
        else:
            self._refuse(f"{where}.runner", f"expected {REPLAY}, {COMMAND} or {CONTROL}")
        return case

    def _outcomes(self, value: object, where: str) -> list[bool]:
        if not isinstance(value, list) or not value:
            self._refuse(where, "expected a non-empty list of true and false")
        for place, item in enumerate(value):
            if not isinstance(item, bool):
                self._refuse(f"{where}[{place}]", "expected true or false")
        return value

    def _command(self, value: object, where: str) -> list[str]:
        if not isinstance(value, list) or not value:
            self._refuse(where, "expected a non-empty list: the program, then its arguments")
        for place, item in enumerate(value):
            if not isinstance(item, str) or "\0" in item:
                self._refuse(f"{where}[{place}]", "expected a text without NUL")
        if not value[0]:
            self._refuse(f"{where}[0]", "expected the name of a program")
        return value

    def _timeout(self, raw: dict[str, Any], where: str) -> float:
        value = raw.get("timeout", _DEFAULT_TIMEOUT_S)
        if type(value) not in (int, float) or not 0 < value <= LONGEST_TIMEOUT_S:
            self._refuse(where, f"expected seconds, more than 0 and at most {LONGEST_TIMEOUT_S}")
        return float(value)

    def _control(self, case_id: str, where: str) -> Control:
        control = self.controls.get(case_id)
        if control is None:
            owner = OWNERS.get(case_id)
            if owner is not None:
                self._refuse(where, f"the control {case_id} comes with {owner}, not installed here")
            self._refuse(where, f'no control is named "{shorten(case_id)}"')
        return control

    def _refuse(self, where: str, what: str) -> NoReturn:
        raise RefusedError(f"{self.name}: {where}: {what}")
