"""The keys of a task, and whether a person's key is about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

KEYS = """
from _lib.taskkey import Task
tasks = [Task(*each) for each in given]
print(json.dumps([[task.task_key, task.cmd_key] for task in tasks]))
"""
ABOUT = """
from _lib.taskkey import Task, is_about
print(json.dumps([is_about(key, Task(*rest)) for key, *rest in given]))
"""


@pytest.mark.parametrize(
    ("command", "key"),
    [
        ("cd /x && FOO=1 sudo -E git push --force-with-lease=x origin main",
         "git push --force-with-lease=_ origin main"),
        ("npm run build 2>&1 | tail -5", "npm run build"),
        ("npm run build > build.log", "npm run build"),
        ("pytest -k foo tests/x.py::t", "pytest -k _ _"),
        ("/usr/bin/python3.12 script.py", "python3.12 _"),
        ("git commit -m 'hello world'", "git commit -m _"),
        ("rm -rf build/", "rm -rf _"),
        ("kill -9 1234", "kill _ _"),
        ("git checkout 1a2b3c4d5e", "git checkout _"),
        ("(cd a; make test)", "make test"),
        ("time npm test", "npm test"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_skeleton_is_what_a_command_is(ask: Callable[..., Any], command: str, key: str) -> None:
    assert ask(KEYS, [[command]])[0][1] == key


def test_the_task_is_the_description_else_the_command(ask: Callable[..., Any]) -> None:
    assert ask(KEYS, [["make X", "  Build\tIT ... "], ["Make   X;"], ["make", " "]]) == [
        ["build it", "make x"], ["make x", "make x"], ["make", "make"],
    ]  # fmt: skip


def test_a_secret_is_in_no_key_and_both_sides_have_the_same(ask: Callable[..., Any]) -> None:
    token = "ghp_" + "a1B2" * 9
    first, again = ask(KEYS, [[f"curl -H 'X: {token}' h", f"Call with {token}"]] * 2)

    assert first == again
    assert token.lower() not in " ".join(first)
    assert "redacted" in first[0]


@pytest.mark.parametrize(
    ("key", "is_about"),
    [
        ("clean the build", True), ("Clean  THE build.", True), ("build", True),
        ("rm *", True), ("rm", True), ("migrat*", True), ("*", True), ("-rf", True),
        ("migrat", False), ("uild", False), ("rmd*", False), ("schema of", False),
        ("clean the build of everything", False), (" ", False), ("...", False),
    ],
)  # fmt: skip
def test_a_persons_key_is_found_from_border_to_border(
    ask: Callable[..., Any], key: str, is_about: bool
) -> None:
    task = ["rm -rf build", "Clean the build. Migration of the schema"]

    assert ask(ABOUT, [[key, *task]]) == [is_about]


def test_containment_the_other_way_round_is_no_match(ask: Callable[..., Any]) -> None:
    assert ask(ABOUT, [["a long key about a deployment", "x", "a"]]) == [False]
