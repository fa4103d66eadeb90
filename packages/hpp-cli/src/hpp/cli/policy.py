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

__all__ = ["COMMAND", "policy_in_force"]

_EXIT = {"ALLOW": 0, "MANUAL": 1, "BLOCK": 2}


def policy_in_force(given: str | None, folder: str | None = None) -> ProjectPolicy | None:
    """Return the policy file that was given, or the nearest one, or None.

    Raises:
        RefusedError: It exists and cannot be applied.

    """
    import os

    from hpp.core.policy.project import find_policy, load_policy

    if given is not None and not given:
        raise RefusedError("--policy: an empty value names no file")
    try:
        path = given if given is not None else find_policy(folder or os.getcwd())
    except OSError as error:  # the current folder is gone: nobody knows what is in force
        raise RefusedError(f"the current folder cannot be read: {error.strerror}") from None
    return None if path is None else load_policy(path)


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
    from hpp.core.policy.piece import bounded, masked
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
    from hpp.core.policy.hook import HOSTS

    declared.option("--host", "HOST", help="whose event is read", required=True, choices=HOSTS)
    _policy_option(declared)


def _hook(values: Values) -> int:
    from hpp.cli.policyhook import answer_event

    return answer_event(values.host, values.policy)


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
