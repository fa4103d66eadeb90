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
    from hpp.core.policy.project import ProjectPolicy

__all__ = ["COMMAND", "bounded", "masked", "policy_in_force"]

_LONGEST = 1024 * 1024
_EXIT = {"ALLOW": 0, "MANUAL": 1, "BLOCK": 2}
HOSTS = ("claude-code", "codex")


def policy_in_force(given: str | None, folder: str | None = None) -> ProjectPolicy | None:
    """Return the policy file that was given, or the nearest one, or None.

    Raises:
        RefusedError: It exists and cannot be applied.

    """
    import os

    from hpp.core.policy.project import find_policy, load_policy

    if given is not None and not given:
        raise RefusedError("--policy: an empty value names no file")
    path = given if given is not None else find_policy(folder or os.getcwd())
    return None if path is None else load_policy(path)


def bounded(text: str, name: str) -> str:
    """Return a command of at most 1 MiB.

    Raises:
        RefusedError: It is longer.

    """
    if len(text) > _LONGEST or len(text.encode("utf-8", "surrogatepass")) > _LONGEST:
        raise RefusedError(f"{name}: longer than 1 MiB")
    return text


def masked(piece: str) -> str:
    """Return a piece of text that a terminal and a log may show."""
    from hpp.core.secretmark import may_hold_secret
    from hpp.core.text import printable

    shown = printable(piece)
    if not may_hold_secret(shown):
        return shown
    from hpp.core.secret import redact

    return redact(shown)


def _policy_option(declared: Arguments) -> None:
    declared.option("--policy", "FILE", help="policy file in place of the nearest one")


def _check_arguments(declared: Arguments) -> None:
    declared.option(
        "--mode",
        "MODE",
        help="enforce: the exit status is the verdict; audit: it is 0",
        required=True,
        choices=("audit", "enforce"),
    )
    declared.option("--command", "TEXT", help="the command, as one text", required=True)
    _policy_option(declared)


def _check(values: Values) -> int:
    from hpp.core.output import write_json
    from hpp.core.policy.verdict import judge

    text = bounded(values.command, "--command")
    policy = policy_in_force(values.policy)
    verdict = judge(text, policy)
    write_json(
        {
            "action": verdict.action,
            "rule": verdict.rule,
            "reason": verdict.reason,
            "source": verdict.source,
            "mode": values.mode,
            "policy": None if policy is None else policy.path,
            "piece": None if verdict.piece is None else masked(verdict.piece),
        }
    )
    return _EXIT[verdict.action] if values.mode == "enforce" else 0


def _explain_arguments(declared: Arguments) -> None:
    declared.option("--command", "TEXT", help="the command, as one text", required=True)
    declared.flag("--json", help="print the steps as JSON")
    _policy_option(declared)


def _explain(values: Values) -> int:
    from hpp.cli.policyexplain import explain

    return explain(values)


def _test_arguments(declared: Arguments) -> None:
    declared.positional("FILE", help="labelled commands, one JSON object a line")
    declared.flag("--json", help="print the result as JSON")
    _policy_option(declared)


def _test(values: Values) -> int:
    from hpp.cli.policytest import run_labelled

    return run_labelled(values)


def _hook_arguments(declared: Arguments) -> None:
    declared.option("--host", "HOST", help="whose event is read", required=True, choices=HOSTS)
    _policy_option(declared)


def _hook(values: Values) -> int:
    from hpp.cli.policyhook import answer

    return answer(values.host, values.policy)


COMMAND = Command(
    "policy",
    "say what the rules make of a command",
    subcommands=[
        Command("check", "judge one command", arguments=_check_arguments, run=_check),
        Command(
            "explain", "show how a command is read", arguments=_explain_arguments, run=_explain
        ),
        Command("test", "run labelled commands", arguments=_test_arguments, run=_test),
        Command(
            "hook", "answer a host's hook, failing closed", arguments=_hook_arguments, run=_hook
        ),
    ],
)
