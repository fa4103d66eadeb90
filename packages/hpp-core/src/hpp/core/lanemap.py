"""The lane map: who owns which territory, who is alive, where live claims overlap."""

from __future__ import annotations

from hpp.core.arguments import LARGEST_INTEGER
from hpp.core.collector import Paused
from hpp.core.errors import RefusedError
from hpp.core.graph import Graph
from hpp.core.territory import Claims, territory_path
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Lane", "LaneMap", "parse_lanes"]

DEAD = "dead"
_ENDED = ("closed", "dead", "inactive")


class Lane:
    """One lane as it was declared; `heartbeat_at` is Unix seconds or None."""

    __slots__ = ("exclusive", "heartbeat_at", "id", "status", "territory")

    def __init__(self, raw: dict[str, Any], territory: tuple[str, ...]) -> None:
        self.id: str = raw["id"]
        self.territory = territory
        self.exclusive: bool = raw.get("exclusive", True)
        self.status: str = raw.get("status", "declared")
        self.heartbeat_at: int | None = raw.get("heartbeat_at")


def parse_lanes(document: list[Any], where: str) -> list[Lane]:
    """Return the lanes of a document.

    Raises:
        RefusedError: A value breaks a rule; its path is named.

    """
    lanes: list[Lane] = []
    seen: set[str] = set()
    for number, raw in enumerate(document):
        place = f"{where}: [{number}]"
        if not isinstance(raw, dict):
            raise RefusedError(f"{place}: expected an object")
        identity = raw.get("id")
        if not isinstance(identity, str) or not identity.strip():
            raise RefusedError(f"{place}.id: expected a non-blank text")
        if identity in seen:
            raise RefusedError(f"{place}.id: {shorten(identity)} is repeated")
        seen.add(identity)
        lanes.append(Lane(raw, _territory(raw, place)))
        _check_values(raw, place)
    return lanes


def _territory(raw: dict[str, Any], place: str) -> tuple[str, ...]:
    listed = raw.get("territory")
    if not isinstance(listed, list) or not listed:
        raise RefusedError(f"{place}.territory: expected a non-empty list of paths")
    paths: dict[str, None] = {}
    for number, text in enumerate(listed):
        if not isinstance(text, str) or not text:
            raise RefusedError(f"{place}.territory[{number}]: expected a non-empty text")
        try:
            paths[territory_path(text)] = None
        except ValueError as error:
            raise RefusedError(f"{place}.territory[{number}]: {shorten(text)}: {error}") from None
    return tuple(paths)


def _check_values(raw: dict[str, Any], place: str) -> None:
    if not isinstance(raw.get("exclusive", True), bool):
        raise RefusedError(f"{place}.exclusive: expected true or false")
    status = raw.get("status", "declared")
    if not isinstance(status, str) or not status.strip():
        raise RefusedError(f"{place}.status: expected a non-blank text")
    heartbeat = raw.get("heartbeat_at")
    if heartbeat is not None and (
        type(heartbeat) is not int or not 0 <= heartbeat <= LARGEST_INTEGER
    ):
        raise RefusedError(f"{place}.heartbeat_at: expected Unix seconds, an integer of 0 or more")


class LaneMap:
    """The projection of lanes at one moment.

    Args:
        lanes: As parsed.
        now: Unix seconds; None shows each lane as it declares itself.
        suspect_after, dead_after: Ages in seconds, both bounds inclusive.
        where: Name of the input, for messages.

    Raises:
        RefusedError: A heartbeat lies in the future.

    """

    def __init__(
        self, lanes: list[Lane], *, now: int | None, suspect_after: int, dead_after: int, where: str
    ) -> None:
        self.liveness: dict[str, str] = {}
        self.graph = Graph()
        claims = Claims()
        with Paused():
            for number, lane in enumerate(lanes):
                late = lane.status not in _ENDED and (lane.heartbeat_at or 0)
                if now is not None and late > now:
                    raise RefusedError(
                        f"{where}: [{number}].heartbeat_at: it lies after --now; a heartbeat in"
                        " the future is not liveness"
                    )
                self._add(lane, _liveness(lane, now, suspect_after, dead_after), claims)
            self.collisions = sorted(
                ([*pair], sorted(paths)) for pair, paths in claims.overlaps().items()
            )

    def _add(self, lane: Lane, word: str, claims: Claims) -> None:
        self.liveness[lane.id] = word
        node = self.graph.node("lane", lane.id)
        for path in lane.territory:
            self.graph.edge(node, self.graph.node("territory", path), f"owns:{word}")
            if lane.exclusive and word != DEAD:
                claims.add(lane.id, path)

    def document(self) -> dict[str, Any]:
        """Return the map as ``hpp.map/v1``."""
        return {
            "schema": "hpp.map/v1",
            "view": "lane",
            **self.graph.document(),
            "collisions": [
                {"lanes": lanes, "territory": territory} for lanes, territory in self.collisions
            ],
            "liveness": self.liveness,
        }

    def drawn(self) -> Graph:
        """Return the graph with an edge for each collision."""
        graph = Graph()
        graph.nodes = self.graph.nodes
        graph.edges = set(self.graph.edges)
        for (first, second), territory in self.collisions:
            graph.edge(f"lane:{first}", f"lane:{second}", f"collides:{', '.join(territory)}")
        return graph


def _liveness(lane: Lane, now: int | None, suspect_after: int, dead_after: int) -> str:
    if lane.status in _ENDED:
        return DEAD
    if now is None:
        return lane.status
    if lane.heartbeat_at is None:
        return "unknown"
    age = now - lane.heartbeat_at
    if age <= suspect_after:
        return "alive"
    return "suspect" if age <= dead_after else DEAD
