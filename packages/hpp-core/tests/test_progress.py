from __future__ import annotations

import io
import sys
import time

import pytest

from hpp.core.progress import Progress, terminal


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(stream: io.StringIO) -> list[str]:
    return stream.getvalue().split("\r\x1b[K")


def wait_for(stream: io.StringIO, text: str) -> None:
    for _ in range(500):
        if text in stream.getvalue():
            return
        time.sleep(0.01)
    pytest.fail(f"{text!r} was never drawn")


def test_long_work_is_shown_and_the_line_is_wiped() -> None:
    stream = Terminal()

    with Progress(stream, quiet_s=0, between_s=0.001) as progress:
        progress.tell(1, 3, "a\nb")
        wait_for(stream, "1/3 runs, now a\\nb")

    assert drawn(stream)[-1] == ""
    assert "\n" not in stream.getvalue()


def test_short_work_shows_nothing() -> None:
    stream = Terminal()

    with Progress(stream, quiet_s=60) as progress:
        progress.tell(0, 1, "a")

    assert stream.getvalue() == ""


def test_without_a_terminal_there_is_no_thread() -> None:
    with Progress(None) as progress:
        progress.tell(0, 1, "a")

        assert progress._thread is None


def test_a_terminal_that_goes_away_stops_nothing() -> None:
    stream = Terminal()

    with Progress(stream, quiet_s=0, between_s=0.001) as progress:
        progress.tell(0, 1, "a")
        stream.close()
        time.sleep(0.05)


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"CI": "true"}])
def test_a_dumb_terminal_and_a_ci_are_none(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())

    assert terminal(environment) is None
    assert terminal({}) is sys.stderr


def test_control_a_file_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert terminal({}) is None
    monkeypatch.setattr(sys, "stderr", None)
    assert terminal({}) is None


def test_other_work_is_counted_in_its_own_unit() -> None:
    stream = Terminal()

    with Progress(stream, unit="queries", quiet_s=0, between_s=0.001) as progress:
        progress.tell(2, 9)
        wait_for(stream, "2/9 queries (")
