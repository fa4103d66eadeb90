"""``hpp policy``: what the rules say of a command, before anything runs it.

``hpp policy check`` stands in front of every tool call of an agent, so this module imports
nothing that it does not need on that path.
"""

from __future__ import annotations

from hpp.core.command import Command
from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values

__all__ = ["COMMAND"]

_LONGEST = 1024 * 1024
_EXIT = {"ALLOW": 0, "MANUAL": 1, "BLOCK": 2}


def _check_arguments(declared: Arguments) -> None:
    declared.option(
        "--mode",
        "MODE",
        help="enforce: the exit status is the verdict; audit: it is 0",
        required=True,
        choices=("audit", "enforce"),
    )
    declared.option("--command", "TEXT", help="the command, as one text", required=True)


def _check(values: Values) -> int:
    from hpp.core.output import write_json
    from hpp.core.policy.verdict import judge

    text = values.command
    if len(text) > _LONGEST or len(text.encode("utf-8", "surrogatepass")) > _LONGEST:
        raise RefusedError("--command: longer than 1 MiB")
    verdict = judge(text)
    write_json(
        {
            "action": verdict.action,
            "rule": verdict.rule,
            "reason": verdict.reason,
            "source": "built-in",
            "mode": values.mode,
            "policy": None,
            "piece": _shown(verdict.piece),
        }
    )
    return _EXIT[verdict.action] if values.mode == "enforce" else 0


def _shown(piece: str | None) -> str | None:
    """Return the deciding text with bytes that are no UTF-8 written out, secrets masked."""
    if piece is None:
        return None
    from hpp.core.secretmark import may_hold_secret
    from hpp.core.text import printable

    piece = printable(piece)
    if not may_hold_secret(piece):
        return piece
    from hpp.core.secret import redact

    return redact(piece)


COMMAND = Command(
    "policy",
    "say what the rules make of a command",
    subcommands=[
        Command("check", "judge one command", arguments=_check_arguments, run=_check),
    ],
)
