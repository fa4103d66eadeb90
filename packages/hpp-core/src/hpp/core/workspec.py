"""The declared form of a work graph: units, their dependencies and acceptance criteria.

Read in one pass that stops at the first fault; a spec may hold 100,000 units.
"""

from __future__ import annotations

from hpp.core.criterion import is_key, slug, unit_key
from hpp.core.errors import RefusedError
from hpp.core.text import shorten
from hpp.core.tier import TIERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

__all__ = ["GATES", "Criterion", "Unit", "WorkSpec", "parse_spec", "read_spec"]

GATES = ("clean_worktree", "committed_changes", "review_ready", "evidence_ref_exists")

_SHOWN = 200
_NOTHING: tuple[str, ...] = ()


class Criterion:
    """One acceptance criterion; `id` is what a test cites."""

    __slots__ = ("id", "text")

    def __init__(self, criterion_id: str, text: str) -> None:
        self.id = criterion_id
        self.text = text


class Unit:
    """One unit of work.

    Attributes:
        id: Unique in its spec; any characters.
        depends_on: Ids of units, in the order given.
        criteria: At least one, in the order given.
        tier: One of `TIERS`.
        gate: Names out of `GATES`; the spec's own when the unit declares none.

    """

    __slots__ = ("criteria", "depends_on", "gate", "id", "tier")

    def __init__(
        self,
        unit_id: str,
        depends_on: Sequence[str],
        criteria: list[Criterion],
        tier: str,
        gate: Sequence[str],
    ) -> None:
        self.id = unit_id
        self.depends_on = depends_on
        self.criteria = criteria
        self.tier = tier
        self.gate = gate


class WorkSpec:
    """A spec whose parts are sound; its dependencies may still be unknown or a cycle.

    Attributes:
        name: How messages name its file.
        units: In the order given.
        done_gate: Names out of `GATES`, empty when none is declared.

    """

    __slots__ = ("done_gate", "name", "units")

    def __init__(self, name: str, units: list[Unit], done_gate: Sequence[str]) -> None:
        self.name = name
        self.units = units
        self.done_gate = done_gate


def read_spec(path: str) -> WorkSpec:
    """Return the spec of a file, ``-`` for standard input.

    Raises:
        RefusedError: It cannot be read or breaks a rule.

    """
    from hpp.core.document import read_document, shown_name
    from hpp.core.strictjson import LARGE_LIMIT

    return parse_spec(read_document(path, root=dict, limit=LARGE_LIMIT), shown_name(path))


def parse_spec(document: dict[str, Any], name: str) -> WorkSpec:
    """Return the spec of a parsed document; `name` stands for its file in messages.

    Raises:
        RefusedError: A part breaks a rule; the first one in the order of the list.

    """
    return _Reader(name).spec(document)


class _Reader:
    """One pass over the units, with what has to be unique in the whole spec."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ids: set[str] = set()
        self.criteria: set[str] = set()
        self.done_gate: Sequence[str] = _NOTHING

    def spec(self, document: dict[str, Any]) -> WorkSpec:
        work = document.get("work")
        if not isinstance(work, list) or not work:
            self._refuse("work", "expected a non-empty list of units")
        if "done_gate" in document:
            self.done_gate = self._gate(document["done_gate"], "done_gate")
        units = [self._unit(raw, number) for number, raw in enumerate(work)]
        return WorkSpec(self.name, units, self.done_gate)

    def _unit(self, raw: object, number: int) -> Unit:
        if type(raw) is not dict:
            self._refuse(f"work[{number}]", "expected an object")
        unit_id = raw.get("id")
        if type(unit_id) is not str or not unit_id.strip():
            self._refuse(f"work[{number}].id", "expected a non-blank text")
        if unit_id in self.ids:
            self._refuse(f"work[{number}].id", f'duplicate id "{_shown(unit_id)}"')
        self.ids.add(unit_id)
        depends_on = (
            self._depends_on(raw["depends_on"], number) if "depends_on" in raw else _NOTHING
        )
        criteria = self._acceptance(raw.get("acceptance"), unit_id, number)
        tier = raw.get("tier")
        if tier not in TIERS:
            self._refuse(f"work[{number}].tier", f"expected one of {', '.join(TIERS)}")
        gate = self.done_gate
        if "gate" in raw:
            gate = self._gate(raw["gate"], f"work[{number}].gate")
        return Unit(unit_id, depends_on, criteria, tier, gate)

    def _depends_on(self, value: object, number: int) -> Sequence[str]:
        if type(value) is not list:
            self._refuse(f"work[{number}].depends_on", "expected a list of unit ids")
        for place, item in enumerate(value):
            if type(item) is not str:
                self._refuse(f"work[{number}].depends_on[{place}]", "expected the id of a unit")
        if len(set(value)) < len(value):
            place, twice = _first_repeated(value)
            where = f"work[{number}].depends_on[{place}]"
            self._refuse(where, f'"{_shown(twice)}" is named twice')
        return value

    def _acceptance(self, value: object, unit_id: str, number: int) -> list[Criterion]:
        if type(value) is not list or not value:
            self._refuse_acceptance(f"work[{number}].acceptance", unit_id, "expected a list")
        key = unit_key(unit_id)
        if not key:
            what = f'"{_shown(unit_id)}" has no letter or digit to name its criteria by'
            self._refuse(f"work[{number}].id", what)
        criteria = []
        for place, entry in enumerate(value):
            text = entry if type(entry) is str else self._text(entry, unit_id, number, place)
            text = text.strip()
            if not text:
                where = f"work[{number}].acceptance[{place}]"
                self._refuse_acceptance(where, unit_id, "a text is blank")
            given = type(entry) is dict and "id" in entry
            scenario = self._given(entry["id"], number, place) if given else slug(text)
            criteria.append(self._criterion(key, scenario, text, (number, place)))
        return criteria

    def _text(self, entry: object, unit_id: str, number: int, place: int) -> str:
        where = f"work[{number}].acceptance[{place}]"
        if type(entry) is not dict:
            self._refuse_acceptance(where, unit_id, "expected a text or an object with a text")
        text = entry.get("text")
        if type(text) is not str:
            self._refuse_acceptance(f"{where}.text", unit_id, "expected a non-blank text")
        return text

    def _given(self, value: object, number: int, place: int) -> str:
        scenario = value.strip() if type(value) is str else ""
        if not is_key(scenario):
            where = f"work[{number}].acceptance[{place}].id"
            self._refuse(where, "expected a letter, digit or _, then also . and -")
        return scenario

    def _criterion(self, key: str, scenario: str, text: str, at: tuple[int, int]) -> Criterion:
        if not scenario:
            where = f"work[{at[0]}].acceptance[{at[1]}]"
            self._refuse(where, "it has no letter or digit to make an id of; give it an id")
        criterion_id = f"{key}/{scenario}"
        if criterion_id in self.criteria:
            where = f"work[{at[0]}].acceptance[{at[1]}]"
            self._refuse(where, f"the criterion id {criterion_id} exists already; give it an id")
        self.criteria.add(criterion_id)
        return Criterion(criterion_id, text)

    def _gate(self, value: object, where: str) -> Sequence[str]:
        if type(value) is not list or not value:
            self._refuse(where, f"expected a non-empty list out of {', '.join(GATES)}")
        for place, name in enumerate(value):
            if name not in GATES:
                shown = f' "{_shown(name)}"' if type(name) is str else ""
                self._refuse(f"{where}[{place}]", f"unknown gate{shown}, not in {', '.join(GATES)}")
        if len(set(value)) < len(value):
            place, twice = _first_repeated(value)
            self._refuse(f"{where}[{place}]", f"{twice} is named twice")
        return value

    def _refuse_acceptance(self, where: str, unit_id: str, what: str) -> NoReturn:
        needs = f'"{_shown(unit_id)}" needs non-empty acceptance criteria'
        self._refuse(where, f"{needs}: {what}")

    def _refuse(self, where: str, what: str) -> NoReturn:
        raise RefusedError(f"{self.name}: {where}: {what}")


def _first_repeated(values: list[str]) -> tuple[int, str]:
    return next((at, value) for at, value in enumerate(values) if value in values[:at])


def _shown(text: str) -> str:
    return shorten(text, _SHOWN)
