"""The packaged examples answer as a newcomer is told, from any folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hpp.cli import main
from hpp.cli.example import example_path
from hpp.core.control import OWNERS

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def answer(capfd: Capture, *words: str) -> Any:  # noqa: ANN401 -- any JSON
    assert main(words) == 0
    return json.loads(capfd.readouterr().out)


def test_the_spec_is_followed_by_build_and_docs_then_verify(capfd: Capture) -> None:
    waves = answer(capfd, "work", "waves", example_path("workgraph.json"))["waves"]

    assert [wave["work"] for wave in waves] == [["spec"], ["build", "docs"], ["verify"]]


def test_the_lanes_of_the_example_do_not_collide(capfd: Capture) -> None:
    words = ("--now", "1000", "--suspect-after", "60", "--dead-after", "300")

    shown = answer(capfd, "map", "lane", example_path("lanes.json"), *words)

    assert shown["collisions"] == []
    assert set(shown["liveness"].values()) == {"alive", "suspect", "dead"}


def test_a_healthy_service_stands_beside_stale_data(capfd: Capture) -> None:
    shown = answer(capfd, "map", "monitor", example_path("monitors.json"), "--now", "1000")

    status = {monitor["target"]: monitor["status"] for monitor in shown["monitors"]}
    assert status == {"service": "healthy", "data": "stale"}


def test_the_context_leaves_out_what_does_not_fit_in_160_characters(capfd: Capture) -> None:
    shown = answer(capfd, "context", "compile", example_path("context.json"), "--budget", "160")

    assert [record["source"] for record in shown["omitted"]] == ["notes/history.md"]
    assert shown["used"] == len(shown["text"]) == 160 - shown["remaining"]


def test_the_suite_names_every_control_once() -> None:
    with open(example_path("benchmark-suite.json"), encoding="utf-8") as stream:
        suite = json.load(stream)

    ids = [case["id"] for case in suite["cases"]]
    assert sorted(ids) == sorted(OWNERS)


def test_control_a_name_that_is_no_example_is_no_file(capfd: Capture) -> None:
    assert main(["work", "waves", example_path("absent.json")]) == 2
    assert "absent.json" in capfd.readouterr().err
