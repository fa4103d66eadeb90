from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hpp.core.command import Command, run_program
from hpp.core.errors import InterruptedRunError, MachineError, RefusedError, UsageError
from hpp.core.family import run_family

if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values


def declare(arguments: Arguments) -> None:
    arguments.option("--text", "T", help="a text", default="x")


def fail(values: Values) -> int:
    raise {
        "refused": RefusedError("no\nway"),
        "machine": MachineError("full"),
        "interrupted": InterruptedRunError("stopped"),
        "usage": UsageError("what?"),
        "os": PermissionError(13, "Permission denied", "a/b"),
        "bug": KeyError("k"),
        "memory": MemoryError(),
        "keyboard": KeyboardInterrupt(),
        "secret": RefusedError("--password hunter2 is wrong"),
    }[values.text]


COMMAND = Command("demo", "show", arguments=declare, run=fail)
GROUP = Command("group", "several", subcommands=[COMMAND, Command("ok", "fine", run=lambda _: 0)])


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("refused", 2, "hpp: no\\nway"),
        ("machine", 3, "hpp: full"),
        ("interrupted", 3, "hpp: stopped"),
        ("usage", 3, "hpp: what?"),
        ("os", 3, "hpp: a/b: Permission denied"),
        ("bug", 3, "hpp: internal error: KeyError: 'k'"),
        ("memory", 3, "hpp: out of memory"),
        ("keyboard", 3, "hpp: interrupted"),
        ("secret", 2, "hpp: --password [redacted] is wrong"),
    ],
)
def test_every_failure_is_one_line_and_a_status(
    capfd: pytest.CaptureFixture[str], text: str, code: int, line: str
) -> None:
    got = run_program(lambda call: COMMAND.invoke(["--text", text], "hpp demo", call))

    captured = capfd.readouterr()
    assert (got, captured.out) == (code, "")
    assert captured.err.splitlines()[0].startswith(line)
    assert "Traceback" not in captured.err


def test_a_traceback_is_shown_when_it_is_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    words = ["--traceback", "--text", "bug"]

    assert run_program(lambda call: COMMAND.invoke(words, "hpp demo", call)) == 3

    assert "Traceback (most recent call last)" in capfd.readouterr().err


def test_a_value_that_looks_like_it_asks_for_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    for word in ("--traceback", "--help"):
        run_program(lambda call: COMMAND.invoke(["--text", word], "hpp demo", call))  # noqa: B023 -- run at once

        assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "words", [["--help"], ["-h"], ["demo", "--help"], ["demo", "--text", "x", "-h"]]
)
def test_help_is_on_every_level(capfd: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert run_program(lambda call: GROUP.invoke(words, "hpp group", call)) == 0

    assert "usage: hpp group" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "a subcommand is required"),
        (["demos"], "unknown subcommand demos (did you mean demo?)"),
    ],
)
def test_a_group_asks_for_a_subcommand(
    capfd: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert run_program(lambda call: GROUP.invoke(words, "hpp group", call)) == 3

    assert message in capfd.readouterr().err


@pytest.mark.parametrize("words", [["ok"], ["group", "ok"], ["other", "ok"]])
def test_a_distribution_may_leave_out_its_own_word(words: list[str]) -> None:
    other = Command("other", "else", subcommands=[Command("ok", "fine", run=lambda _: 0)])

    assert run_family("hpp-group", [GROUP, other], words) == 0


def test_control_a_command_that_answers_is_no_failure() -> None:
    assert run_program(lambda call: GROUP.invoke(["ok"], "hpp group", call)) == 0
