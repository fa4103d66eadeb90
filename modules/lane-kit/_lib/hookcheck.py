"""The explicit command of a guard: the same question, asked by hand.

0 lets through, 1 warns, 2 blocks, 3 is a command line that cannot be understood.
"""

from __future__ import annotations

import os
import sys

from _lib.judgement import ALLOW, BLOCK, WARN

from hpp.core.errors import RefusedError
from hpp.core.portable.payload import Payload
from hpp.core.portable.scriptcli import make_parser, run_script, write_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from _lib.judgement import Judgement

__all__ = ["check"]

_STATUS = {ALLOW: 0, WARN: 1, BLOCK: 2}


def check(
    hook: str,
    words: list[str],
    judge: Callable[[Payload, str], Judgement],
    *,
    asks_command: bool,
    modes: tuple[str, ...],
) -> int:
    """Answer a ``check`` and return its status.

    Args:
        hook: The hook's name.
        words: The command line behind ``check``.
        judge: The hook's judgement; it is given the mode that was asked for.
        asks_command: It judges commands; else it judges files.
        modes: What ``--mode`` may say; the last one is the strict one.

    """
    parser = make_parser(f"{hook} check", f"Ask what {hook} would say.")
    if asks_command:
        parser.add_argument("--command", required=True, metavar="TEXT")
    else:
        parser.add_argument("--path", required=True, metavar="FILE")
        parser.add_argument("--content-file", metavar="FILE")
    parser.add_argument("--mode", choices=(*modes, "audit", "enforce"), default="")
    parser.add_argument("--project-dir", metavar="DIR")

    def run(args: argparse.Namespace) -> int:
        start = args.project_dir or os.getcwd()
        if not os.path.isdir(start):
            raise RefusedError(f"--project-dir: {start}: no such folder")
        mode = {"audit": WARN, "enforce": BLOCK}.get(args.mode, args.mode)
        found = judge(_payload(args, start, asks_command=asks_command), mode)
        _tell(hook, found, as_json=args.json)
        return _STATUS[found.verdict]

    return run_script(parser, run, words)


def _payload(args: argparse.Namespace, start: str, *, asks_command: bool) -> Payload:
    data: dict[str, object] = {"hook_event_name": "PreToolUse", "cwd": os.path.abspath(start)}
    if asks_command:
        return Payload({**data, "tool_name": "Bash", "tool_input": {"command": args.command}})
    text = ""
    if args.content_file:
        try:
            with open(args.content_file, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError as error:
            raise RefusedError(f"--content-file: {args.content_file}: {error.strerror}") from None
    given = {"file_path": os.path.abspath(os.path.join(start, args.path)), "content": text}
    return Payload({**data, "tool_name": "Write", "tool_input": given})


def _tell(hook: str, found: Judgement, *, as_json: bool) -> None:
    from hpp.core.portable.redact import shown

    if as_json:
        write_report({"hook": hook, "verdict": found.verdict, "rule": found.rule,
                      "reason": shown(found.reason)})  # fmt: skip
    elif found.reason:
        sys.stdout.write(f"{found.verdict}: {shown(found.reason)}\n")
