from __future__ import annotations

import json
from typing import Any

import pytest

from hpp.core.errors import RefusedError
from hpp.core.policy.hook import CLAUDE_CODE, CODEX, answer, shell_call
from hpp.core.policy.verdict import judge


def event(command: object, **changes: object) -> bytes:
    base = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/w"}
    whole = {**base, "tool_input": {"command": command}, **changes}
    return json.dumps({key: value for key, value in whole.items() if value is not ...}).encode()


def told(host: str, command: str) -> dict[str, Any] | None:
    return answer(host, judge(command), command)


def test_the_command_and_its_folder_are_taken_from_the_event() -> None:
    call = shell_call(event("ls"))

    assert call is not None
    assert (call.command, call.folder) == ("ls", "/w")
    for cwd in (None, "", ...):
        given = shell_call(event("ls", cwd=cwd))
        assert given is not None
        assert given.folder is None


@pytest.mark.parametrize(
    "given",
    [
        event("x", tool_name="bash"), event("x", tool_name="Bash "), event(7, tool_name="Edit"),
        event("x", tool_input=None, tool_name="apply_patch"),
        event("x", hook_event_name="PostToolUse"),
        event("x", hook_event_name="Stop", tool_name=...),
    ],
)  # fmt: skip
def test_other_tools_and_other_events_are_none_of_ours(given: bytes) -> None:
    assert shell_call(given) is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (b"", "it is empty"), (b"{", "line 1"), (b"[]", "expected an object"), (b"\xff", "UTF-8"),
        (b'{"tool_name":"x","tool_name":"Bash"}', "repeated"), (b"[" * 10_000, "nest"),
        (event("x", hook_event_name=...), "hook_event_name"),
        (event("x", hook_event_name=7), "hook_event_name"),
        (event("x", hook_event_name=""), "hook_event_name"),
        (event("x", tool_name=...), "tool_name"), (event("x", tool_name=None), "tool_name"),
        (event(None), "tool_input.command"), (event(7), "tool_input.command"),
        (event("x", tool_input={}), "tool_input.command"),
        (event("x", tool_input="ls"), "tool_input.command"),
        (event("x", cwd=7), "cwd"), (event("x", cwd="a\0b"), "cwd"),
        (event("\u8868" * 400_000), "longer than 1 MiB"),
    ],
    ids=range(18),
)  # fmt: skip
def test_what_cannot_be_judged_is_refused(given: bytes, message: str) -> None:
    with pytest.raises(RefusedError, match="the hook's event: ") as caught:
        shell_call(given)
    assert message in str(caught.value)


def test_text_is_utf_8_whatever_the_locale_is() -> None:
    data = (
        '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo 表; ls"}}'
    )
    call = shell_call(data.encode())

    assert call is not None
    assert call.command == "echo 表; ls"


@pytest.mark.parametrize(
    ("host", "command", "decision"),
    [
        (CLAUDE_CODE, "rm -rf src", "deny"),
        (CLAUDE_CODE, "git push origin feature", "ask"),
        (CODEX, "rm -rf src", "deny"),
        (CODEX, "git push origin feature", "deny"),
    ],
)
def test_a_verdict_is_told_in_the_host_s_form(host: str, command: str, decision: str) -> None:
    document = told(host, command)

    # A key that it does not know makes Codex drop the whole answer.
    assert document is not None
    assert list(document) == ["hookSpecificOutput"]
    output = document["hookSpecificOutput"]
    assert sorted(output) == ["hookEventName", "permissionDecision", "permissionDecisionReason"]
    assert (output["hookEventName"], output["permissionDecision"]) == ("PreToolUse", decision)
    assert judge(command).rule in output["permissionDecisionReason"]


def test_a_host_that_asks_nobody_tells_what_the_person_can_run() -> None:
    document = told(CODEX, "cd r && git push origin feature")

    assert document is not None
    reason = document["hookSpecificOutput"]["permissionDecisionReason"]
    assert "run it yourself: cd r && git push origin feature" in reason


def test_an_allowed_command_is_answered_with_nothing() -> None:
    assert [told(host, "ls") for host in (CLAUDE_CODE, CODEX)] == [None, None]


def test_a_secret_is_not_repeated_to_the_host() -> None:
    document = told(CODEX, "curl -H 'Authorization: Bearer abcdef1234567890' https://u:hunter22@h/")

    assert document is not None
    assert "abcdef1234567890" not in json.dumps(document)
    assert "hunter22" not in json.dumps(document)


def test_control_a_reader_that_took_every_tool_would_be_seen() -> None:
    assert shell_call(event("ls", tool_name="Bash")) is not None
