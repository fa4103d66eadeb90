"""A seat of a panel: who speaks, as what, from where, served by which model."""

from __future__ import annotations

from hpp.decide.decision import is_alias
from hpp.decide.place import folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.decide.place import Place

__all__ = ["DISSENT", "EXAMINER", "JUDGE", "PROPONENT", "Seat", "read_seats"]

PROPONENT, DISSENT, EXAMINER, JUDGE = "proponent", "dissent", "examiner", "judge"
ROLES = (PROPONENT, DISSENT, EXAMINER, JUDGE)


class Seat:
    """One seat; every text stands as it was given."""

    __slots__ = ("family", "id", "lane", "model_served", "provider", "role")

    def __init__(self, place: Place) -> None:
        place.mapping()
        self.id = place.at("id").solid()
        self.role = place.at("role").choice(ROLES)
        self.provider = place.at("provider").solid()
        model = place.at("model_served")
        self.model_served = model.solid()
        if is_alias(folded(self.model_served)):
            model.refuse("it names whatever is current; the version that answers is needed")
        self.family = place.at("family").solid()
        self.lane = place.at("lane").solid()

    def document(self) -> dict[str, str]:
        """Return the seat as a panel carries it."""
        return {key: getattr(self, key) for key in self.__slots__}


def read_seats(place: Place) -> list[Seat]:
    """Return the seats of a panel, which are who they say and not each other.

    Ids, lanes, models and families are compared folded, so that ``Acme`` and ``acme`` are
    one family.

    Raises:
        RefusedError: A seat breaks a rule, or two of them do together.

    """
    seats = [Seat(raw) for raw in place.items(1, of="seats")]
    _check_ids(place, seats)
    _check_judge(place, seats)
    _check_models(place, seats)
    _check_lanes(place, seats)
    if len({folded(seat.family) for seat in seats if seat.role != JUDGE}) < 2:  # noqa: PLR2004 -- two
        place.refuse("the participants, all but the judge, are of fewer than two families")
    return seats


def _check_ids(place: Place, seats: list[Seat]) -> None:
    seen: dict[str, int] = {}
    for number, seat in enumerate(seats):
        first = seen.setdefault(folded(seat.id), number)
        if first != number:
            _at(place, number, "id").refuse(f"it is the id of seat {first} already")


def _check_judge(place: Place, seats: list[Seat]) -> None:
    judges = [number for number, seat in enumerate(seats) if seat.role == JUDGE]
    if not judges:
        place.refuse("there is no judge; a panel has exactly one")
    if len(judges) > 1:
        _at(place, judges[1], "role").refuse("a second judge; a panel has exactly one")


def _check_models(place: Place, seats: list[Seat]) -> None:
    families: dict[str, str] = {}
    for number, seat in enumerate(seats):
        family = folded(seat.family)
        if families.setdefault(folded(seat.model_served), family) != family:
            _at(place, number, "family").refuse("its model is of another family in another seat")


def _check_lanes(place: Place, seats: list[Seat]) -> None:
    lanes: dict[str, int] = {}
    ordered = sorted(enumerate(seats), key=lambda pair: pair[1].role == JUDGE)
    for number, seat in ordered:
        first = lanes.setdefault(folded(seat.lane), number)
        if first != number:
            _at(place, number, "lane").refuse(f"it is the lane of seat {first} already")


def _at(place: Place, number: int, key: str) -> Place:
    return place.items()[number].at(key)
