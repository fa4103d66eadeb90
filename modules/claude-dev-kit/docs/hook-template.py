#!/usr/bin/env python3
"""A hook to begin with: warn before a shell command that this project does not want.

Copy it, rename it, and change `EVENT`, `decide` and `CASES`. Nothing else has to change:
input that cannot be read is told to the person and let through, as an observing hook does.
"""

from __future__ import annotations

import json
import sys

HOOK = "my-hook"
EVENT = "PreToolUse"
LARGEST = 8 * 1024 * 1024

# What goes in, and what a person and the model are told; None is silence.
CASES: list[tuple[dict[str, object], str | None]] = [
    ({"tool_name": "Bash", "tool_input": {"command": "git push --force"}}, "force"),
    ({"tool_name": "Bash", "tool_input": {"command": "git push"}}, None),
    ({"tool_name": "Write", "tool_input": {"file_path": "a", "content": "--force"}}, None),
    ({"tool_name": "Bash", "tool_input": {}}, None),
]


def decide(event: dict[str, object]) -> str | None:
    """Return what is to be said about an event, or None. Reads nothing else, writes nothing."""
    given = event.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if event.get("tool_name") != "Bash" or not isinstance(command, str):
        return None
    if command.startswith("git push") and "--force" in command.split():
        return "a force push rewrites what others have"
    return None


def main() -> int:
    """Read one event, answer it, and never fail."""
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    try:
        event = read()
        told = decide(event) if event.get("hook_event_name") == EVENT else None
    except Exception as error:  # noqa: BLE001 -- a hook that crashes is a hook that is not there
        answer({"systemMessage": f"{HOOK}: input not understood ({type(error).__name__})"})
        return 0
    if told:
        context = {"hookEventName": EVENT, "additionalContext": f"{HOOK}: {told}"}
        answer({"systemMessage": f"{HOOK}: {told}", "hookSpecificOutput": context})
    return 0


def read() -> dict[str, object]:
    """Return the event of standard input; whatever is wrong with it raises."""
    data = sys.stdin.buffer.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError("larger than 8 MiB")
    event = json.loads(data.decode("utf-8"))
    if not isinstance(event, dict):
        raise TypeError("no object")
    return event


def answer(document: dict[str, object]) -> None:
    """Print one JSON object, in ASCII, which every terminal encoding holds."""
    sys.stdout.write(json.dumps(document) + "\n")


def self_test() -> int:
    """Hold `decide` to its cases."""
    failed = 0
    for event, wanted in CASES:
        told = decide(event)
        is_right = told is None if wanted is None else wanted in (told or "")
        failed += not is_right
        sys.stdout.write(f"{'ok' if is_right else 'FAIL'} {event['tool_input']}\n")
    sys.stdout.write(f"self-test: {len(CASES)} checks, {failed} failed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
