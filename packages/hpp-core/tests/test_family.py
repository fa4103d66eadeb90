from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hpp.core.command import Command
from hpp.core.errors import RefusedError
from hpp.core.family import run_family

if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values

Capture = pytest.CaptureFixture[str]


def declare(arguments: Arguments) -> None:
    arguments.positional("WORD", help="a word", required=False, is_input=False)


def told(status: int) -> Command:
    def run(values: Values) -> int:
        if values.word == "bad":
            raise RefusedError("a bad word")
        return status

    return Command(f"do{status}", f"end with {status}", arguments=declare, run=run)


OWN = Command("demo", "of the family", subcommands=[told(0), told(1)])
GROUP = Command("group", "another", subcommands=[told(2)])
PLAIN = Command("plain", "a command by itself", run=lambda _: 1)
COMMANDS = [OWN, GROUP, PLAIN]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["do0"], 0),
        (["do1", "word"], 1),
        (["demo", "do1"], 1),
        (["group", "do2"], 2),
        (["plain"], 1),
        (["--traceback", "do1"], 1),
        (["do1", "--traceback"], 1),
    ],
)
def test_the_own_word_may_be_left_out_and_no_other(words: list[str], code: int) -> None:
    assert run_family("hpp-demo", COMMANDS, words) == code


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "usage: hpp-demo do0|do1|group|plain ..."),
        (["do2"], "unknown command do2"),
        (["grupo"], "did you mean group?"),
        (["do"], "did you mean do"),
        (["--versio"], "unknown option --versio (did you mean --version?)"),
        (["--version", "x"], "--version takes no argument"),
        (["--help", "x"], "--help takes no argument"),
        (["demo"], "a subcommand is required"),
        (["do0", "a", "b"], "unexpected argument b"),
    ],
)
def test_what_is_unknown_is_a_usage_error(capfd: Capture, words: list[str], message: str) -> None:
    assert run_family("hpp-demo", COMMANDS, words) == 3

    captured = capfd.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert "usage: hpp-demo" in captured.err


def test_a_usage_line_names_the_program_that_was_called(capfd: Capture) -> None:
    run_family("hpp-demo", COMMANDS, ["do0", "--bogus"])
    assert "usage: hpp-demo do0 [WORD]" in capfd.readouterr().err

    run_family("hpp-demo", COMMANDS, ["demo", "do0", "--bogus"])
    assert "usage: hpp-demo demo do0 [WORD]" in capfd.readouterr().err


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_help_lists_every_command_as_it_is_typed(capfd: Capture, word: str) -> None:
    assert run_family("hpp-demo", COMMANDS, [word]) == 0

    lines = capfd.readouterr().out.splitlines()
    typed = [line.split("  ")[1] for line in lines if line.startswith("  ")]
    assert typed == ["do0", "do1", "group do2", "plain"]


def test_a_distribution_of_no_word_of_its_own_keeps_every_word(capfd: Capture) -> None:
    assert run_family("hpp-installer", [PLAIN, GROUP], ["plain"]) == 1
    assert run_family("hpp-installer", [PLAIN, GROUP], ["do2"]) == 3
    assert run_family("hpp-installer", [PLAIN, GROUP], ["--help"]) == 0

    assert "\n  plain " in capfd.readouterr().out


def test_a_distribution_without_commands_answers_its_options_alone(capfd: Capture) -> None:
    assert run_family("hpp-core", [], ["--help"]) == 0
    assert run_family("hpp-core", [], ["plain"]) == 3

    assert "unknown command plain" in capfd.readouterr().err


def test_the_version_is_the_one_installed(capfd: Capture) -> None:
    assert run_family("hpp-core", [OWN], ["--version"]) == 0

    assert capfd.readouterr().out.count(".") == 2


def test_the_words_of_the_process_are_read(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["hpp-demo", "do1", "bad"])

    assert run_family("hpp-demo", COMMANDS) == 2
    assert capfd.readouterr().err == "hpp: a bad word\n"


def test_control_another_distribution_has_another_own_word() -> None:
    assert run_family("hpp-other", COMMANDS, ["do0"]) == 3
