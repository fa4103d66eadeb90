"""The ladder of checks: which levels a profile has, which have to pass, and the verdict."""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.portable import profile_loader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from _lib.commandtext import Declared
    from _lib.measure import Measured
    from _lib.setting import Setting

__all__ = ["LEVELS", "Ladder", "judge", "read_ladder"]

LEVELS = ("lint", "test", "build", "visual", "staging", "security")
PASS, FAIL, SKIPPED, NOT_RUN = "PASS", "FAIL", "SKIPPED", "NOT-RUN"
_KEY = "verification.ladder"


class Ladder:
    """What a profile asks for.

    Attributes:
        commands: For each level its command, or None; in the order in which they run.
        required: Levels that have to pass.
        min_score: How many have to pass, at least.

    """

    __slots__ = ("commands", "min_score", "required")

    def __init__(
        self, commands: Mapping[str, Declared | None], required: Sequence[str], min_score: int
    ) -> None:
        self.commands = dict(commands)
        self.required = list(required)
        self.min_score = min_score


def read_ladder(setting: Setting) -> Ladder:
    """Return the ladder of a profile.

    Raises:
        RefusedError: It has none, or a level is no command.

    """
    from _lib.commandtext import declared

    found = setting.mapping(_KEY)
    if not any(value not in (None, "") for value in found.values()):
        raise RefusedError(f"no ladder: the profile has no command below {_KEY}")
    order = [*LEVELS, *sorted(set(found) - set(LEVELS))]
    commands = {
        level: None
        if found.get(level) in (None, "")
        else declared(found[level], f"operator-profile: {_KEY}.{level}")
        for level in order
    }
    required = profile_loader.texts(setting.values, "verification.ladder_required")
    score = profile_loader.integer(setting.values, "verification.ladder_min_score", 1)
    return Ladder(commands, list(dict.fromkeys(required)), score)


def judge(
    ladder: Ladder, results: Mapping[str, Measured], asked: Collection[str] = ()
) -> dict[str, Any]:
    """Return the verdict.

    Args:
        ladder: What was asked for.
        results: Of each level that ran.
        asked: The levels that were to run, when not all were; such a run passes nothing.

    """
    score = sum(result.passed for result in results.values())
    failed = [
        level for level in ladder.required if level not in results or not results[level].passed
    ]
    reasons = [f"{level} failed" for level, result in results.items() if not result.passed]
    wrong = [level for level in failed if not asked or level in results]
    reasons += [f"{level} is required and did not pass" for level in wrong]
    if not results:
        reasons.append("no level ran")
    if not asked and score < ladder.min_score:
        reasons.append(f"{score} passed, and at least {ladder.min_score} have to")
    if asked:
        reasons.append("a part of the ladder can fail and never pass")
    is_passed = not asked and bool(results) and not failed and score >= ladder.min_score
    return {
        "passed": is_passed,
        "score": score,
        "total": sum(command is not None for command in ladder.commands.values()),
        "min_score": ladder.min_score,
        "required": ladder.required,
        "required_failed": failed,
        "results": [_level(level, command, results.get(level)) for level, command in _all(ladder)],
        "reasons": [] if is_passed else reasons,
    }


def _all(ladder: Ladder) -> list[tuple[str, Declared | None]]:
    missing = [level for level in ladder.required if level not in ladder.commands]
    return [*ladder.commands.items(), *((level, None) for level in missing)]


def _level(level: str, command: Declared | None, result: Measured | None) -> dict[str, Any]:
    if result is not None:
        status = PASS if result.passed else FAIL
        return {"level": level, "status": status, **result.document()}
    return {"level": level, "status": SKIPPED if command is None else NOT_RUN}
