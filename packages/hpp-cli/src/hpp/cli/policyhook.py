"""``hpp policy hook``: the answer to a host that is about to run a tool.

Whatever goes wrong here ends in status 2 with a line on standard error (see `hpp.cli.main`).
"""

from __future__ import annotations

import sys

from hpp.cli.policy import policy_in_force
from hpp.core.document import read_input
from hpp.core.errors import RefusedError
from hpp.core.policy.hook import LARGEST_EVENT, answer, shell_call

__all__ = ["answer_event"]


def answer_event(host: str, policy_path: str | None) -> int:
    """Read one event on standard input, answer it and return the exit status.

    Raises:
        RefusedError: The event or the policy cannot be used, so nothing is let through.

    """
    if sys.stdin is None:
        raise RefusedError("the hook's event: standard input is closed")
    call = shell_call(read_input("-", limit=LARGEST_EVENT))
    if call is None:
        return 0
    from hpp.core.policy.verdict import judge

    policy = policy_in_force(policy_path, call.folder)
    told = answer(host, judge(call.command, policy), call.command)
    if told is not None:
        from hpp.core.output import write_json

        write_json(told)
    return 0
