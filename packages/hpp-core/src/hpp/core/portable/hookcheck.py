"""The judgement of a guard as a command: ``check --command TEXT`` or ``check --path FILE``.

Where nobody wired the hook, this is how its question is asked. It judges by the same function
as the hook does, in a session of its own that remembers nothing, so the same question has
the same answer every time. Status 0 allow, 1 warn or ask, 2 block, 3 usage.
"""

from __future__ import annotations

import os

from hpp.core.command import Command, run_program
from hpp.core.errors import RefusedError, UsageError
from hpp.core.output import write_json, write_text
from hpp.core.portable.payload import Malformed, Payload
from hpp.core.portable.verdict import ALLOW, BLOCK, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any

    from hpp.core.arguments import Arguments, Values

    Judge = Callable[[Payload], Verdict | None]

__all__ = ["COMMAND", "MODE", "PATH", "check"]

COMMAND, PATH = "command", "path"
MODE = "HPP_POLICY_MODE"  # how `--mode` reaches the judgement
_STATUS = {ALLOW: 0, BLOCK: 2}
_LARGEST = 8 * 1024 * 1024


def check(hook: str, judge: Judge, words: Sequence[str], kinds: Collection[str]) -> int:
    """Answer ``check ...`` and return the exit status.

    Args:
        hook: The hook's name.
        judge: The hook's judgement of an event; None allows.
        words: What follows ``check``.
        kinds: What it can be asked about: `COMMAND`, `PATH` or both.

    """

    def declare(arguments: Arguments) -> None:
        _declare(arguments, kinds)

    def run(values: Values) -> int:
        return _run(values, hook, judge, kinds)

    command = Command("check", f"Ask {hook} about a tool call.", arguments=declare, run=run)
    return run_program(lambda call: command.invoke(words, f"{hook} check", call))


def _declare(arguments: Arguments, kinds: Collection[str]) -> None:
    if COMMAND in kinds:
        arguments.option("--command", "TEXT", help="what a shell would be given")
    if PATH in kinds:
        arguments.option("--path", "FILE", help="the file that would be written")
        arguments.option("--content-file", "FILE", help="where its new text lies")
    arguments.option(
        "--mode", "MODE", choices=("audit", "enforce"), help="audit warns where enforce blocks"
    )
    arguments.option("--project-dir", "DIR", help="the project; else the working folder's")
    arguments.flag("--json", help="print the verdict as JSON")


def _run(values: Values, hook: str, judge: Judge, kinds: Collection[str]) -> int:
    folder = os.path.abspath(values.project_dir or os.getcwd())
    if not os.path.isdir(folder):
        raise RefusedError(f"--project-dir: {values.project_dir}: there is no such folder")
    try:
        found = judge(Payload(_event(values, folder, kinds), _environment(values, folder)))
    except Malformed as error:
        raise RefusedError(error.why) from None
    verdict = found if found is not None else Verdict(ALLOW, "", "")
    if values.json:
        told = {"hook": hook, "verdict": verdict.verdict}
        write_json({**told, "rule": verdict.rule or None, "reason": _safe(verdict.reason) or None})
    elif verdict.reason:
        write_text(f"{verdict.verdict}: {_safe(verdict.reason)}\n")
    return _STATUS.get(verdict.verdict, 1)


def _event(values: Values, folder: str, kinds: Collection[str]) -> dict[str, Any]:
    command = values.command if COMMAND in kinds else None
    path = values.path if PATH in kinds else None
    if (command is None) == (path is None):
        wanted = " or ".join(f"--{kind}" for kind in sorted(kinds))
        raise UsageError(f"expected {wanted}" if len(kinds) == 1 else f"expected either {wanted}")
    if command is not None:
        tool, given = "Bash", {"command": command}
    else:
        tool, given = "Write", {"file_path": path, "content": _content(values.content_file)}
    return {
        "hook_event_name": "PreToolUse",
        "session_id": "",
        "cwd": folder,
        "tool_name": tool,
        "tool_input": given,
    }


def _content(path: str | None) -> str:
    if path is None:
        return ""
    from hpp.core.portable.fsread import read_bounded

    return read_bounded(path, _LARGEST, path, "larger than 8 MiB").decode("utf-8", "replace")


def _environment(values: Values, folder: str) -> dict[str, str]:
    """Return this process's variables, with the project and the mode that were asked for."""
    made = dict(os.environ)
    if values.project_dir is not None:
        made["CLAUDE_PROJECT_DIR"] = folder
    if values.mode is not None:
        made[MODE] = values.mode
    return made


def _safe(text: str) -> str:
    from hpp.core.portable.redact import shown

    return shown(" ".join(text.split()))
