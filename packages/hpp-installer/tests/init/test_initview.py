"""The text form: every section in order, at every width, with what the output can show."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import pytest

from hpp.installer.command import main
from hpp.installer.initview import InitView
from hpp.installer.stage import Stage
from hpp.installer.terminal import Terminal
from hpp.installer.wordmark import wordmark

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Said = Callable[..., tuple[int, str]]
    Put = Callable[[str, object], Path]

SECTIONS = ["READINESS", "PLAN", "MODULES", "HOOK CAPABILITIES", "WIRE", "NEXT"]
TITLE = re.compile(r"^([A-Z][A-Z -]*[A-Z]) ─+$", re.MULTILINE)
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
PLAN = ("init", "--target", "t", "--no-benchmark")
# Lines that are there to be copied stand whole, whatever the width.
COPIED = re.compile(r"^ *\$ |^/plugin |^hpp |^codex |^python |^export |^echo ")


@pytest.fixture
def width(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    def set_width(columns: int) -> None:
        made = Terminal.__init__

        def narrow(self: Terminal, *words: object, **named: object) -> None:
            made(self, *words, **named)  # type: ignore[arg-type]  # as it was called
            self.width = columns

        monkeypatch.setattr(Terminal, "__init__", narrow)

    return set_width


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("columns", [30, 40, 80, 200])
def test_every_section_is_there_in_order_and_fits(
    said: Said, width: Callable[[int], None], columns: int
) -> None:
    width(columns)

    code, text = said(*PLAN)

    titles = [title for title in TITLE.findall(text) if title != "DOCUMENTATION"]
    assert code == 0
    assert titles == SECTIONS
    long = [line for line in text.splitlines() if len(line) > columns and not COPIED.match(line)]
    assert long == []


@pytest.mark.usefixtures("project")
def test_without_colour_there_is_no_escape_and_no_carriage_return(said: Said) -> None:
    _, text = said(*PLAN)

    assert "\x1b" not in text
    assert "\r" not in text


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("forced", ["1", "2", "3"])
def test_colours_change_nothing_but_colours(
    said: Said, monkeypatch: pytest.MonkeyPatch, forced: str
) -> None:
    _, plain = said(*PLAN)

    monkeypatch.setenv("FORCE_COLOR", forced)
    _, coloured = said(*PLAN)

    assert coloured != plain
    assert [line.rstrip() for line in ESCAPE.sub("", coloured).splitlines()] == plain.splitlines()
    assert "\r" not in coloured


@pytest.mark.usefixtures("project")
def test_each_item_has_its_command_under_it(said: Said) -> None:
    _, text = said(*PLAN)

    block = text.split("READINESS")[1].split("PLAN")[0]
    assert len(re.findall(r"^    \$ ", block, re.MULTILINE)) == 11
    assert "not verified — " in block
    assert "7 verified" not in block  # the benchmark was left out
    assert "6 verified · 0 failed · 5 not verified, of 11" in block
    assert "█" * 11 + "░" * 9 in block


@pytest.mark.usefixtures("project")
def test_a_module_without_hooks_says_so_in_the_table(said: Said) -> None:
    _, text = said(*PLAN, "--modules", "agent-framework-wizard")

    row = text.split("HOOK CAPABILITIES")[1].splitlines()[1]
    assert "no hook" in row


@pytest.mark.usefixtures("project")
def test_a_halted_run_ends_with_a_red_line_that_names_the_exit(
    said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "3")

    code, text = said(*PLAN, "--host", "codex", "--modules", "claude-dev-kit")

    last = text.splitlines()[-1]
    assert code == 2
    assert last.startswith("\x1b[31m")
    assert "exit 2" in last
    assert "PROBLEMS" in text
    assert "House Party Protocol" not in text
    assert "House Party Protocol" in said(*PLAN)[1]


@pytest.mark.usefixtures("project")
def test_the_titles_follow_what_was_done(said: Said) -> None:
    assert "\nAPPLIED ─" in said(*PLAN, "--apply")[1]
    assert "\nNO-OP ─" in said(*PLAN, "--apply")[1]


def test_names_with_control_characters_stay_on_their_line(
    said: Said, put: Put, project: Path
) -> None:
    assert project.is_dir()
    put("t/.hpp/profile.json", {"schema": "\x1b[2J\nx"})

    code, text = said(*PLAN)

    assert code == 1
    assert "\x1b" not in text


@pytest.mark.usefixtures("project")
def test_what_is_kept_is_named(said: Said, put: Put) -> None:
    put("t/AGENTS.md", "rules")

    _, text = said(*PLAN)

    assert "AGENTS.md is kept" in text.split("\nPLAN")[1].split("\nMODULES")[0]


@pytest.mark.usefixtures("project")
def test_an_ascii_output_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))

    assert main([*PLAN]) == 0

    text = raw.getvalue().decode("ascii")
    assert " OK detect" in text
    assert "READINESS -----" in text
    assert "not verified - " in text
    assert "#####" in text
    assert "?" not in text


def test_the_wordmark_is_drawn_where_it_fits() -> None:
    terminal = Terminal(None, {}, sink=lambda _: None)
    assert len(wordmark(terminal)) == 5

    terminal.width = 40
    assert wordmark(terminal) == ["HPP · House Party Protocol"]


@pytest.mark.usefixtures("project")
def test_control_text_and_json_tell_the_same(
    said: Said, init: Callable[..., tuple[int, dict[str, object]]]
) -> None:
    _, text = said(*PLAN)
    _, report = init()

    for step in report["next"]:  # type: ignore[attr-defined]  # a list of texts
        assert step.split(";")[0] in " ".join(text.split())


class LiveStream(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def stage_written(environment: dict[str, str]) -> str:
    written: list[bytes] = []
    stream = LiveStream(io.BytesIO(), encoding="utf-8")
    terminal = Terminal(stream, environment, windows=False, sink=written.append)
    view = InitView(terminal)
    view.begin("detect")
    view.end(Stage("detect", "ok", "greenfield, 0 commits"))
    return b"".join(written).decode()


def test_a_live_line_is_rewritten_when_its_stage_ends() -> None:
    text = stage_written({"TERM": "xterm-256color"})

    before, _, last = text.rpartition("\r")
    assert before.count("▸") == 2
    assert ESCAPE.sub("", last) == " ✓  detect        greenfield, 0 commits\n"
    assert ESCAPE.sub("", text).count("\x1b") == 0


@pytest.mark.parametrize(
    "environment", [{"TERM": "dumb"}, {"NO_COLOR": "1"}, {"TERM": "xterm", "CI": "1"}]
)
def test_elsewhere_a_line_is_written_once(environment: dict[str, str]) -> None:
    text = stage_written(environment)

    assert "\r" not in text
    assert ESCAPE.sub("", text) == " ✓  detect        greenfield, 0 commits\n"
