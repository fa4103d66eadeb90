"""Questions to a person: what counts as an answer, and when nobody is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hpp.installer.prompt import Prompt, may_ask
from hpp.installer.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

OPTIONS = ["claude-code", "codex"]


def ask(*lines: str) -> tuple[tuple[str, str], str]:
    written: list[bytes] = []
    given: Iterator[str] = iter([*lines, ""])
    terminal = Terminal(None, {}, sink=written.append)
    answer = Prompt(terminal, lambda: next(given)).ask("host", OPTIONS, "claude-code")
    return answer, b"".join(written).decode()


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (["\n"], ("claude-code", "default-accepted")),
        (["  \n"], ("claude-code", "default-accepted")),
        (["2\n"], ("codex", "human")),
        ([" codex \n"], ("codex", "human")),
        (["1\n"], ("claude-code", "human")),
        (["codex"], ("codex", "human")),
        (["3\n", "0\n", "2\n"], ("codex", "human")),
        (["3\n", "vim\n", "02\n", "2\n"], ("claude-code", "default")),
        (["²\n", "-1\n", "9" * 5000 + "\n"], ("claude-code", "default")),
        ([], ("claude-code", "default")),
        (["x\n"], ("claude-code", "default")),
    ],
)
def test_an_answer_is_a_number_a_name_or_enter(lines: list[str], answer: tuple[str, str]) -> None:
    assert ask(*lines)[0] == answer


def test_after_the_end_of_input_nobody_is_asked() -> None:
    written: list[bytes] = []
    lines = iter(["codex\n", "", "codex\n"])
    prompt = Prompt(Terminal(None, {}, sink=written.append), lambda: next(lines))

    answers = [prompt.ask("host", OPTIONS, "claude-code") for _ in range(3)]

    assert answers == [("codex", "human"), *[("claude-code", "default")] * 2]
    assert b"".join(written).count(b"Which host") == 2


def test_the_options_are_numbered_and_the_default_is_marked() -> None:
    _, text = ask("\n")

    assert "1  claude-code (default)" in text
    assert "2  codex\n" in text


def test_bytes_that_are_no_text_are_a_wrong_answer() -> None:
    def torn() -> str:
        raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")

    terminal = Terminal(None, {}, sink=lambda _: None)

    assert Prompt(terminal, torn).ask("host", OPTIONS, "codex") == ("codex", "default")


class Stream:
    def __init__(self, *, is_terminal: bool) -> None:
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.mark.parametrize(
    ("stdin", "stdout", "environment", "declined", "asked"),
    [
        (True, True, {}, False, True),
        (True, True, {"CI": ""}, False, True),
        (False, True, {}, False, False),
        (True, False, {}, False, False),
        (True, True, {"CI": "1"}, False, False),
        (True, True, {}, True, False),
    ],
)
def test_a_person_is_asked_only_where_one_is(  # noqa: PLR0913, PLR0917 -- one row of a table
    monkeypatch: pytest.MonkeyPatch,
    stdin: bool,
    stdout: bool,
    environment: dict[str, str],
    declined: bool,
    asked: bool,
) -> None:
    monkeypatch.setattr("sys.stdin", Stream(is_terminal=stdin))
    monkeypatch.setattr("sys.stdout", Stream(is_terminal=stdout))

    assert may_ask(environment, declined=declined) is asked


def test_control_a_closed_input_is_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)

    assert not may_ask({}, declined=False)
