from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from hpp.cli import main
from hpp.core.schema import faults, find_schema

Capture = pytest.CaptureFixture[str]
LANES = [
    {"id": "b", "territory": ["src"], "heartbeat_at": 1000},
    {"id": "a", "territory": ["src/api", "docs"], "heartbeat_at": 600},
]
MONITORS = [
    {"id": "m", "target": "db", "type": "command", "severity": "high", "cost": "low"}
    | {"consumer_gate": "g", "cadence": 1, "freshness": 10, "last_signal": 995}
]
BLOCKS = [{"source": "s", "priority": 1, "content": "text"}]
EVENTS = [{"type": "work_started"}, {"type": "evidence_recorded"}]
MAPS: dict[str, tuple[object, list[str]]] = {
    "lane": (LANES, ["lane", "in.json", "--now", "1000"]),
    "agent": (EVENTS, ["agent", "--events", "in.json"]),
    "context": (BLOCKS, ["context", "in.json", "--budget", "9"]),
    "monitor": (MONITORS, ["monitor", "in.json", "--now", "1000"]),
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(value: object, name: str = "in.json") -> None:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    Path(name).write_bytes(data)


def out(capfd: Capture, *words: str) -> str:
    assert main(["map", *words]) == 0
    captured = capfd.readouterr()
    assert captured.err == ""
    return captured.out


def refusal(capfd: Capture, *words: str, code: int = 2) -> str:
    assert main(["map", *words]) == code
    captured = capfd.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert len(lines) == 1 or code == 3
    assert lines[0].startswith("hpp: ")
    return lines[0]


@pytest.mark.parametrize("view", MAPS)
def test_each_map_keeps_to_its_published_schema(capfd: Capture, view: str) -> None:
    value, words = MAPS[view]
    put(value)

    document = json.loads(out(capfd, *words))

    name = "monitor-map" if view == "monitor" else "map"
    assert document["schema"] == f"hpp.{name}/v1"
    assert document.get("view", "monitor") == view
    assert faults(find_schema(name).document(), document) == []


@pytest.mark.parametrize("view", MAPS)
@pytest.mark.parametrize("form", ["json", "mermaid", "svg"])
def test_a_map_has_the_same_bytes_on_repetition(capfd: Capture, view: str, form: str) -> None:
    value, words = MAPS[view]
    put(value)

    first = out(capfd, *words, "--format", form)

    assert out(capfd, *words, f"--format={form}") == first
    assert first.endswith("\n")
    if form == "json":
        assert out(capfd, *words) == first
        document = json.loads(first)
        assert first == json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    elif form == "mermaid":
        assert first.startswith("flowchart LR\n")
    else:
        title = ET.fromstring(first).findtext("{http://www.w3.org/2000/svg}title")  # noqa: S314
        assert title == f"{view} map"


def test_a_map_writes_nothing(capfd: Capture, here: Path) -> None:
    for value, words in MAPS.values():
        put(value)
        out(capfd, *words)

    assert os.listdir(here) == ["in.json"]


def test_the_map_reports_collisions_and_exits_0(capfd: Capture) -> None:
    put(LANES)
    document = json.loads(out(capfd, "lane", "in.json", "--now", "1000"))

    assert document["liveness"] == {"a": "suspect", "b": "alive"}
    assert document["collisions"] == [{"lanes": ["a", "b"], "territory": ["src", "src/api"]}]
    for form in ("mermaid", "svg"):
        assert "collides" in out(capfd, "lane", "in.json", "--format", form)


def test_thresholds_may_be_chosen(capfd: Capture) -> None:
    put(LANES)
    words = ["lane", "in.json", "--now", "1000", "--suspect-after", "399", "--dead-after", "400"]

    assert json.loads(out(capfd, *words))["liveness"] == {"a": "suspect", "b": "alive"}
    words[-1], words[-3] = "399", "398"
    assert json.loads(out(capfd, *words))["liveness"] == {"a": "dead", "b": "alive"}


@pytest.mark.parametrize("literal", [b"NaN", b"Infinity", b"-Infinity", b"1e999"])
def test_a_number_that_json_does_not_know_is_refused_in_every_map(
    capfd: Capture, literal: bytes
) -> None:
    for value, words in MAPS.values():
        text = json.dumps(value).encode()
        put(text[:-2] + b', "extra": ' + literal + b"}]")
        assert refusal(capfd, *words).startswith("hpp: in.json: ")


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (["--now", "-1"], "--now"),
        (["--now", "9007199254740992"], "--now"),
        (["--suspect-after", "0"], "--suspect-after"),
        (["--suspect-after", "900"], "--dead-after"),
        (["--dead-after", "300"], "--dead-after"),
        (["--now", "599"], "in.json: [0].heartbeat_at"),
    ],
)
def test_a_lane_map_out_of_range_is_refused(capfd: Capture, words: list[str], place: str) -> None:
    put(LANES)

    assert f"hpp: {place}" in refusal(capfd, "lane", "in.json", *words)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["plan"],
        ["lane"],
        ["lane", "in.json", "in.json"],
        ["lane", "in.json", "--now", "1.0"],
        ["lane", "in.json", "--now", "1_000"],
        ["lane", "in.json", "--now", "1", "--now", "1"],
        ["lane", "in.json", "--format", "png"],
        ["monitor", "in.json"],
        ["monitor", "in.json", "--now", ""],
        ["context", "in.json"],
        ["agent", "in.json"],
    ],
)
def test_a_line_that_cannot_be_understood_is_a_usage_error(
    capfd: Capture, words: list[str]
) -> None:
    put(LANES)

    refusal(capfd, *words, code=3)


@pytest.mark.parametrize("view", MAPS)
def test_an_absent_input_and_another_root_are_refused(capfd: Capture, view: str) -> None:
    _, words = MAPS[view]

    assert "in.json" in refusal(capfd, *words)
    put({})
    assert "in.json" in refusal(capfd, *words)
    put(b"")
    assert "in.json" in refusal(capfd, *words)


def test_a_signal_ahead_is_skew_unless_it_is_tolerated(capfd: Capture) -> None:
    put(MONITORS)

    for tolerance, status in (("4", "skew"), ("5", "healthy")):
        words = ["monitor", "in.json", "--now", "990", "--skew-tolerance", tolerance]
        assert json.loads(out(capfd, *words))["monitors"][0]["status"] == status
    assert "--skew-tolerance" in refusal(
        capfd, "monitor", "in.json", "--now", "1", "--skew-tolerance", "-1"
    )
    assert "--now" in refusal(capfd, "monitor", "in.json", "--now", "-1")


def test_a_negative_budget_is_refused(capfd: Capture) -> None:
    put(BLOCKS)

    assert "--budget" in refusal(capfd, "context", "in.json", "--budget", "-1")


def test_the_log_of_a_workspace_may_be_drawn(capfd: Capture) -> None:
    assert main(["event", "append", "--type", "work_started"]) == 0
    capfd.readouterr()
    log = os.path.join(".hpp", "events.jsonl")

    document = json.loads(out(capfd, "agent", "--events", log))

    executed = [node for node in document["nodes"] if node["kind"] == "execution"]
    assert executed == [
        {"id": "event:1:work_started", "kind": "execution", "label": "work_started"}
    ]


def test_a_corrupt_log_is_named_as_it_was_given(capfd: Capture) -> None:
    put(b'{"seq": 2}\n', "other.jsonl")

    assert refusal(capfd, "agent", "--events", "other.jsonl").startswith(
        "hpp: other.jsonl: line 1: "
    )


def test_a_hostile_id_stays_a_label_in_every_form(capfd: Capture) -> None:
    name = '"]\n  n9["x"] --> </text><script>\x1b|'
    put([{"id": name, "territory": ["a"]}])

    assert json.loads(out(capfd, "lane", "in.json"))["liveness"] == {name: "declared"}
    assert len(out(capfd, "lane", "in.json", "--format", "mermaid").splitlines()) == 4
    svg = out(capfd, "lane", "in.json", "--format", "svg")
    assert "<script" not in svg
    ET.fromstring(svg)  # noqa: S314 -- our own bytes


def test_a_refused_id_shows_no_control_characters(capfd: Capture) -> None:
    put([{"id": "a\x1b[31m", "territory": ["x"]}] * 2)

    assert "\\u001b[31m is repeated" in refusal(capfd, "lane", "in.json")


def test_control_a_document_of_one_map_breaks_the_schema_of_another(capfd: Capture) -> None:
    put(LANES)
    document: dict[str, Any] = json.loads(out(capfd, "lane", "in.json"))

    assert faults(find_schema("monitor-map").document(), document) != []
    assert faults(find_schema("graph").document(), document) != []
