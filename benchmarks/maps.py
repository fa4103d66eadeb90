"""The lane map: twice the lanes against half of them, and many lanes against a bare start."""

from __future__ import annotations

import gc
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measure import BARE, PROGRAM, compile_first, ratio, row

from hpp.core.lanemap import LaneMap, parse_lanes

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 9
NOW = 1000


def apart(count: int) -> list[dict[str, Any]]:
    """Return live exclusive lanes of five paths each, none above another."""
    return [
        {"id": f"lane-{n:05d}", "territory": [f"src/mod{n}/{part}" for part in range(5)],
         "heartbeat_at": NOW}
        for n in range(count)
    ]  # fmt: skip


def in_pairs(count: int) -> list[dict[str, Any]]:
    """Return the same lanes, every second one inside the territory of the one before it."""
    lanes = apart(count)
    for before, inside in zip(lanes[::2], lanes[1::2], strict=True):
        inside["territory"] = [f"{path}/deep/er" for path in before["territory"]]
    return lanes


def deep(count: int) -> list[dict[str, Any]]:
    """Return two lanes, one of whose paths has so many components."""
    return [
        {"id": "far", "territory": ["/".join("d" * count)]},
        {"id": "near", "territory": ["d/d"]},
    ]


def drawing(lanes: list[dict[str, Any]]) -> float:
    """Return the time of one map in seconds, the waste of the one before taken away first."""
    gc.collect()
    started = time.perf_counter()
    parsed = parse_lanes(lanes, "lanes")
    LaneMap(parsed, now=NOW, suspect_after=300, dead_after=900, where="lanes").document()
    return time.perf_counter() - started


def doubled(small: list[dict[str, Any]], large: list[dict[str, Any]]) -> float:
    """Return the median ratio of pairs that were run in turn."""
    drawing(small)
    return statistics.median(drawing(large) / drawing(small) for _ in range(RUNS))


def written(folder: Path, make: Callable[[int], list[dict[str, Any]]], count: int) -> list[str]:
    """Write so many lanes to a file and return the command that draws them."""
    path = folder / f"{make.__name__}-{count}.json"
    path.write_text(json.dumps(make(count)), encoding="utf-8")
    return [PROGRAM, "map", "lane", path.name, "--now", str(NOW)]


def main() -> None:
    """Print one row a figure."""
    compile_first()
    for make in (apart, in_pairs):
        name = make.__name__.replace("_", " ")
        row(f"5,000 lanes {name} against 2,500", doubled(make(2500), make(5000)), 2.3)
    row("a path of 200,000 folders against 100,000", doubled(deep(100_000), deep(200_000)), 2.3)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for make in (apart, in_pairs):
            half, whole = (written(folder, make, count) for count in (2500, 5000))
            value, half_ms = ratio(whole, half, folder, RUNS)
            name = make.__name__.replace("_", " ")
            row(f"hpp map lane, 5,000 lanes {name}", value, 2.3, f"{half_ms:.0f} ms for 2,500")
        value, bare_ms = ratio(half, BARE, folder, RUNS)
        row("hpp map lane, 2,500 lanes", value, 3000 / bare_ms, "3 s at most")


if __name__ == "__main__":
    main()
