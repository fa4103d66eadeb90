from __future__ import annotations

from typing import Any

import pytest

from hpp.core.errors import RefusedError
from hpp.core.monitormap import monitor_document, monitor_graph, parse_monitors
from hpp.core.schema import faults, find_schema

NOW = 1000


def monitor(identity: str = "m", **more: object) -> dict[str, Any]:
    rest = {"target": "db", "type": "command", "severity": "high", "cost": "low"}
    return {
        **rest,
        "id": identity,
        "consumer_gate": "evidence",
        "cadence": 60,
        "freshness": 120,
        **more,
    }


def document(*monitors: dict[str, Any], tolerance: int = 5) -> dict[str, Any]:
    parsed = parse_monitors(list(monitors), "m.json")
    return monitor_document(parsed, now=NOW, skew_tolerance=tolerance)


def status(signal: int | None, **more: Any) -> str:  # noqa: ANN401 -- values of a monitor
    tolerance = more.pop("tolerance", 5)
    shown = document(monitor(last_signal=signal, **more), tolerance=tolerance)
    return str(shown["monitors"][0]["status"])


@pytest.mark.parametrize(
    ("signal", "word"),
    [
        (None, "unknown"),
        (0, "stale"),
        (879, "stale"),
        (880, "healthy"),
        (1000, "healthy"),
        (1005, "healthy"),
        (1006, "skew"),
        (2**53 - 1, "skew"),
    ],
)
def test_a_signal_is_judged_at_its_bounds(signal: int | None, word: str) -> None:
    assert status(signal) == word


def test_without_tolerance_a_second_ahead_is_skew() -> None:
    assert status(NOW, tolerance=0) == "healthy"
    assert status(NOW + 1, tolerance=0) == "skew"


def test_neither_cadence_nor_a_given_status_decides() -> None:
    assert status(880, cadence=1, status="stale") == "healthy"
    assert status(879, cadence=9999, status="healthy") == "stale"


def test_an_absent_signal_is_shown_as_null() -> None:
    assert document(monitor())["monitors"][0]["last_signal"] is None


def test_the_map_has_its_shape_and_keeps_to_its_schema() -> None:
    shown = document(monitor("b", last_signal=999, note="x"), monitor("a"), monitor("B"))

    assert {key: shown[key] for key in shown if key != "monitors"} == {
        "schema": "hpp.monitor-map/v1",
        "now": NOW,
        "skew_tolerance": 5,
    }
    assert [each["id"] for each in shown["monitors"]] == ["B", "a", "b"]
    assert shown["monitors"][2] == {
        **monitor("b", last_signal=999),
        "status": "healthy",
    }
    schema = find_schema("monitor-map").document()
    assert faults(schema, shown) == []
    shown["monitors"][0]["status"] = "fine"
    assert faults(schema, shown) != []


def test_a_drawing_joins_monitors_to_targets_and_gates() -> None:
    shown = document(monitor("a", last_signal=NOW), monitor("b", target="api"))

    assert monitor_graph(shown).mermaid() == (
        'flowchart LR\n  n0["evidence"]\n  n1["a · healthy"]\n  n2["b · unknown"]\n'
        '  n3["api"]\n  n4["db"]\n'
        "  n1 -->|gates| n0\n  n1 -->|observes| n4\n  n2 -->|gates| n0\n  n2 -->|observes| n3\n"
    )


@pytest.mark.parametrize("key", ["id", "target", "type", "severity", "cost", "consumer_gate"])
@pytest.mark.parametrize("value", [None, "", " \t", 1, []])
def test_a_text_that_is_blank_or_none_is_refused(key: str, value: object) -> None:
    with pytest.raises(RefusedError, match=rf"^m\.json: \[0\]\.{key}: expected a non-blank text"):
        document({**monitor(), key: value})


@pytest.mark.parametrize("key", ["cadence", "freshness"])
@pytest.mark.parametrize("value", [None, 0, -1, True, 1.0, "60", 2**53])
def test_seconds_that_are_no_integer_above_0_are_refused(key: str, value: object) -> None:
    with pytest.raises(RefusedError, match=rf"^m\.json: \[0\]\.{key}: expected an integer above 0"):
        document({**monitor(), key: value})


@pytest.mark.parametrize("value", [-1, True, 1.0, "60", 2**53])
def test_a_signal_that_is_no_moment_is_refused(value: object) -> None:
    with pytest.raises(RefusedError, match=r"^m\.json: \[0\]\.last_signal: "):
        document(monitor(last_signal=value))


def test_what_is_no_monitor_and_an_id_that_is_repeated_are_refused() -> None:
    with pytest.raises(RefusedError, match=r"\[0\]: expected an object"):
        parse_monitors(["m"], "m.json")
    with pytest.raises(RefusedError, match=r"\[1\]\.id: m is repeated"):
        document(monitor(), monitor())
