"""What is a failure: every row of the rules, and what only looks like one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

JUDGE = """
from _lib.verdict import judge
from hpp.core.portable.payload import Payload
answers = []
for event, command in given:
    found = judge(Payload(event, {}), command)
    answers.append(None if found is None else [found.code, found.text])
print(json.dumps(answers))
"""


def after(response: object, **more: object) -> dict[str, Any]:
    return {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_response": response,
        **more,
    }


def failed(error: object, **more: object) -> dict[str, Any]:
    return {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": error, **more}


# event, command, exit code and text of the failure, or None
CASES: list[tuple[dict[str, Any], str, list[Any] | None]] = [
    (failed("Exit code 2\nboom"), "make", [2, "boom"]),
    (failed("Error: Exit code 2\nboom"), "make", [2, "boom"]),
    (failed({"message": "it exited with code 7"}), "make", [7, "it exited with code 7"]),
    (failed({"error": "boom"}), "make", [None, "boom"]),
    (failed("boom"), "make", [None, "boom"]),
    (failed("Exit code 1"), "make", [1, ""]),
    (failed("  "), "make", None),
    (failed(None), "make", None),
    (failed({"message": 7}), "make", None),
    (failed("Exit code 2\nboom", is_interrupt=True), "make", None),
    (failed("Exit code 130\n"), "make", None),
    (after({"interrupted": True, "exit_code": 2, "stderr": "x"}), "make", None),
    (after({"backgroundTaskId": "b", "exit_code": 2, "stderr": "x"}), "make", None),
    (failed("boom", tool_input={"run_in_background": True}), "make", None),
    (failed("PreToolUse:Bash hook error: no"), "make", None),
    (failed("Error: Permission to use Bash with make has been denied"), "make", None),
    (failed("Hook refused it"), "make", None),
    (failed("[Request interrupted by user]"), "make", None),
    (failed("The user doesn't want to proceed"), "make", None),
    (after("Error: Exit code 3\nboom"), "make", [3, "boom"]),
    (after("Error: Exit code 0"), "make", None),
    (after("the log ends with exit code 0"), "make", None),
    (after("Error: something else"), "make", None),
    (after("boom\nError: Exit code 3"), "make", None),
    (after({"exit_code": 2, "stderr": "boom"}), "make", [2, "boom"]),
    (after({"returncode": 2, "error": "boom"}), "make", [2, "boom"]),
    (after({"exitCode": -9}), "make", [-9, ""]),
    (after({"return_code": True, "stderr": "x"}), "make", None),
    (after({"exit_code": "2", "stderr": "x"}), "make", None),
    (after({"is_error": True, "stderr": "boom"}), "make", [None, "boom"]),
    (after({"isError": True}), "make", None),
    (after({"is_error": "true", "stderr": "x"}), "make", None),
    (after({"error": "boom"}), "make", [None, "boom"]),
    (after({"error": "boom", "exit_code": 0}), "make", None),
    (after({"status": 500, "code": 2, "stdout": "error"}), "make", None),
    (after({"stdout": "", "stderr": "warning: x"}), "make", None),
    (after(None), "make", None),
    # Status 1 as an answer.
    (failed("Exit code 1"), "grep -n foo a.txt", None),
    (failed("Exit code 1"), "cat a.txt | rg foo", None),
    (failed("Exit code 1\n0"), "grep -c foo a.txt", None),
    (failed("Exit code 1\n1c1\n< a\n---\n> b"), "diff a b", None),
    (failed("Exit code 1"), "cd x && test -f y", None),
    (failed("Exit code 1"), "[ -d x ] && echo yes", None),
    (failed("Exit code 1"), "command -v foo", None),
    (failed("Exit code 1"), "git diff --quiet", None),
    (failed("Exit code 1"), "git -C x grep foo", None),
    (after({"exit_code": 1, "stderr": ""}), "pgrep foo", None),
    (failed("Exit code 2\ngrep: a.txt: No such file or directory"), "grep foo a.txt",
     [2, "grep: a.txt: No such file or directory"]),
    (failed("Exit code 1\nboom"), "grep foo a.txt", [1, "boom"]),
    (failed("Exit code 1"), "grep foo a.txt | head -1", [1, ""]),
    (failed("Exit code 1"), "git diff", [1, ""]),
    (failed("Exit code 2"), "test -f x", [2, ""]),
    (after({"exit_code": 2, "stdout": "clean"}), "scanner .", [2, ""]),
]  # fmt: skip


def test_each_event_is_judged_by_its_exit_status(ask: Callable[..., Any]) -> None:
    answers = ask(JUDGE, [[event, command] for event, command, _ in CASES])

    for (event, command, expected), answer in zip(CASES, answers, strict=True):
        assert answer == expected, (command, json.dumps(event))


def test_control_another_verdict_would_be_seen(ask: Callable[..., Any]) -> None:
    answers = ask(JUDGE, [[failed("boom"), "make"], [after("fine"), "make"]])

    assert answers[0] != answers[1]


@pytest.mark.parametrize(
    "event",
    [
        failed(7),
        failed(["boom"]),
        failed("boom", is_interrupt="yes"),
        failed("boom", tool_use_id=7),
        failed("boom", tool_input=[]),
        failed("boom", tool_input={"command": 7}),
        failed("boom", tool_input={"command": "x", "description": 7}),
        after(7),
        after(["boom"]),
    ],
)
def test_a_field_of_a_wrong_type_is_not_evaluated(
    tell: Callable[..., Any], records: Callable[..., Any], event: dict[str, Any]
) -> None:
    event.setdefault("tool_input", {"command": "make"})

    answer = tell("gotcha_postflight", event)

    assert set(answer) == {"systemMessage"}
    assert "not evaluated" in answer["systemMessage"]
    assert records() == []
