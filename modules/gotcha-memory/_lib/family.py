"""The families of failures: what each means, how bad it is, and what to do about it.

Tables alone, so that the hook in front of every command pays for no pattern.
"""

from __future__ import annotations

__all__ = [
    "ESCALATED_SEVERITY",
    "FAMILIES",
    "KNOWN",
    "MANUAL",
    "MEANING",
    "PREVENTION",
    "SEVERITY",
    "STRATEGIES",
    "STRATEGY",
    "UNKNOWN",
    "severity_of",
]

UNKNOWN, MANUAL = "unknown", "manual"
# In the order in which signals are looked for; the first one that is found decides.
FAMILIES = (
    "instrument", "lock", "ratelimit", "transient", "state", "config", "dependency", "fatal",
)  # fmt: skip
KNOWN = frozenset({*FAMILIES, UNKNOWN})

STRATEGY = {
    "instrument": "remeasure",
    "lock": "retry",
    "ratelimit": "retry",
    "transient": "retry",
    "state": "rollback_and_retry",
    "config": "escalate",
    "dependency": "recovery_workflow",
    "fatal": "escalate",
    UNKNOWN: "retry",
}
STRATEGIES = frozenset({*STRATEGY.values(), "skip"})

ESCALATED_SEVERITY = 85
SEVERITY = {
    "instrument": 85,
    "lock": 50,
    "ratelimit": 55,
    "transient": 40,
    "state": 70,
    "config": 65,
    "dependency": 75,
    "fatal": 100,
    UNKNOWN: 35,
    MANUAL: 90,
}

MEANING = {
    "instrument": "the measuring command itself misbehaved, so its number measures nothing",
    "lock": "another process holds what the command needs",
    "ratelimit": "a quota refused the call",
    "transient": "the same call may work later",
    "state": "data or tree are not as the command assumes",
    "config": "an option, a permission, a credential or a setting is wrong or missing",
    "dependency": "a program, package or file that is needed is not there",
    "fatal": "the process died",
    UNKNOWN: "no signal is known",
    MANUAL: "a rule that a person wrote",
}

PREVENTION = {
    "instrument": "Do not run it again as it is: prove the instrument on a case whose answer you "
    "know, then measure anew",
    "lock": "Find who holds the lock and wait for it; remove a lock only with proof that its owner "
    "is dead",
    "ratelimit": "Wait as long as the service says, then ask for less at a time",
    "transient": "Check that the other side answers before you run it, and give it a time limit",
    "state": "Look at the real state first; put back what was half done before you run it again",
    "config": "Check option, permission and setting one by one; the same call changes nothing",
    "dependency": "Check that the program, package or file is there, and provide it first",
    "fatal": "Stop and ask the person; the process died and will die again",
    UNKNOWN: "Read the whole error before you run it again, and change one thing at a time",
}


def severity_of(family: str, strategy: str) -> int:
    """Return how bad a failure is, 0 to 100; what goes to a person is at least 85."""
    severity = SEVERITY[family]
    return max(severity, ESCALATED_SEVERITY) if strategy == "escalate" else severity
