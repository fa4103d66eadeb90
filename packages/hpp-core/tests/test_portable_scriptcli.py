from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from hpp.core.errors import RefusedError, UsageError
from hpp.core.portable.scriptcli import make_parser, run_script, write_report
from hpp.core.portable.selftest import Checks, Project

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable


def run(
    main: Callable[[argparse.Namespace], int],
    *argv: str,
    self_test: Callable[[], int] | None = None,
) -> int:
    parser = make_parser("x.py", "Try things.")
    commands = parser.add_subparsers(dest="verb")
    commands.add_parser("plan").add_argument("--count", type=int, choices=(1, 2))
    return run_script(parser, main, argv, self_test)


def raising(error: BaseException) -> Callable[[argparse.Namespace], int]:
    def main(_: argparse.Namespace) -> int:
        raise error

    return main


@pytest.mark.parametrize(
    "argv", [["--nope"], ["fly"], ["plan", "--count", "x"], ["plan", "--cou", "1"]]
)
def test_a_command_line_that_cannot_be_understood_is_3(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(lambda _: 0, *argv) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" not in err


def test_help_is_0_and_the_status_is_the_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(lambda _: 0, "--help") == 0
    assert "Try things." in capsys.readouterr().out
    assert run(lambda _: 1, "plan", "--count", "2") == 1


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (
            RefusedError("f.json: [2].x: expected a text"),
            2,
            "x.py: f.json: [2].x: expected a text\n",
        ),
        (UsageError("two verbs"), 3, "x.py: two verbs\n"),
        (
            FileNotFoundError(2, "No such file or directory", "f"),
            2,
            "x.py: f: No such file or directory\n",
        ),
        (ZeroDivisionError("division"), 3, "x.py: internal error (ZeroDivisionError): division\n"),
        (KeyboardInterrupt(), 3, "x.py: interrupted\n"),
        (RefusedError("a\x1b[31m\nb"), 2, "x.py: a\\u001b[31m b\n"),
        (
            RefusedError("--password hunter2"),
            2,
            "x.py: --password [secret-like text, 7 characters]\n",
        ),
    ],
    ids=range(7),
)
def test_an_error_is_one_line(
    error: BaseException, status: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(raising(error), "plan") == status
    assert capsys.readouterr() == ("", line)


def test_a_traceback_is_shown_when_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(raising(ZeroDivisionError()), "--traceback", "plan") == 3
    assert "Traceback" in capsys.readouterr().err


def test_the_self_test_runs_before_the_words_are_read() -> None:
    assert run(lambda _: 0, "--self-test", "--nope", self_test=lambda: 5) == 5
    assert run(lambda _: 0, "--", "--self-test", self_test=lambda: 5) == 3


def test_streams_are_utf8_with_line_feeds_whatever_the_locale() -> None:
    code = (
        "from hpp.core.portable.scriptcli import *\n"
        "p = make_parser('x', 'y')\n"
        "raise SystemExit(run_script(p, lambda a: write_report({'b': chr(233), 'a': 1}) or 0, []))"
    )
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=env)

    assert done.stdout == '{\n  "a": 1,\n  "b": "é"\n}\n'.encode()


def test_a_report_is_sorted(capsys: pytest.CaptureFixture[str]) -> None:
    write_report({"b": 1, "a": []})

    assert capsys.readouterr().out == '{\n  "a": [],\n  "b": 1\n}\n'


def test_checks_are_counted_and_a_failure_shows() -> None:
    lines: list[str] = []
    checks = Checks(write=lines.append, closing=True)

    checks.check("one", 1 == 1)  # noqa: PLR0133 -- a truth
    checks.equal("two", 1, 1)
    checks.raises("three", ValueError, lambda: int("x"))
    assert checks.finish() == 0
    assert lines == [
        "ok one\n",
        "ok two\n",
        "ok three\n",
        "self-test: 3 checks, 0 failed\n",
        "self-test OK\n",
    ]

    lines.clear()
    checks.equal("four", 1, wanted=True)
    checks.raises("five", ValueError, lambda: None)
    checks.raises("six", ValueError, lambda: 1 / 0)
    checks.skip("seven", "no such system")
    assert checks.finish() == 1
    assert lines[0] == "FAIL four: got 1, wanted True\n"
    assert lines[4] == "self-test: 6 checks, 3 failed, 1 skipped\n"
    assert lines[5].startswith("self-test FAILED: four")


def test_a_self_test_that_checks_nothing_has_failed() -> None:
    assert Checks(write=lambda _: None).finish() == 1


def test_a_project_of_its_own_is_put_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_LANE_ID", "mine")
    monkeypatch.setenv("OPERATOR_PROFILE", "x")
    before, here = dict(os.environ), os.getcwd()

    with Project() as project:
        assert os.environ["CLAUDE_PROJECT_DIR"] == project.root == os.getcwd()
        assert "CLAUDE_LANE_ID" not in os.environ
        assert "OPERATOR_PROFILE" not in os.environ
        assert os.environ["HPP_STATE_DIR"].startswith(project.home)
        path = project.write("a/b.txt", "é\n")
        assert os.path.getsize(path) == 3

    assert not os.path.exists(project.root)
    assert (dict(os.environ), os.getcwd()) == (before, here)
