"""What each level of readiness has to rest on, looked up and never taken on trust."""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.core.strictjson import JsonRefusedError, parse_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.goals import Goal

__all__ = ["refusal"]

_EVIDENCE = ".hpp/evidence/"
LOG, RECORD, REVIEW, PERSON = 1, 2, 3, 4


def refusal(
    goal: Goal, level: int, evidence: str, approved_by: str | None, root: str
) -> str | None:
    """Return why a level is refused, or None when it rests on what it needs.

    Args:
        goal: Whose readiness it is.
        level: 0 to 4.
        evidence: What was named for it.
        approved_by: The person, for the highest level.
        root: The project's folder.

    Raises:
        RefusedError: A path is none of the project's, or a record cannot be read.

    """
    if level > goal.level + 1:
        return f"levels rise one at a time: it is at R{goal.level}, so R{goal.level + 1} is next"
    if level < goal.level:
        return None if evidence else "say with --evidence why it is lowered"
    if level == PERSON:
        from _lib.script import human_gate

        return human_gate("--approved-by", approved_by)
    if level == 0:
        return None
    if not evidence:
        return f"R{level} needs --evidence"
    checks = {LOG: _log, RECORD: _record, REVIEW: _review}
    return checks[level](evidence, goal.id, root)


def _log(evidence: str, _: str, root: str) -> str | None:
    return None if os.path.isfile(_place(evidence, root)) else f"{evidence}: there is no such log"


def _record(evidence: str, _: str, root: str) -> str | None:
    from _lib.document import read_text
    from _lib.donegate import check_record

    place = _place(evidence, root)
    if not os.path.isfile(place):
        return f"{evidence}: there is no such record"
    if evidence.startswith(_EVIDENCE):
        from _lib.harness import ask

        said = ask(["evidence", "verify", evidence], root)
        status = said.get("status")
        return None if status == "valid" else f"{evidence}: the harness says {status!r}"
    try:
        why = check_record(parse_text(read_text(place, evidence), evidence))
    except JsonRefusedError:
        why = "it is no record of done_gate.py: it is no JSON"
    return None if why is None else f"{evidence}: {why}"


def _review(evidence: str, goal_id: str, root: str) -> str | None:
    from _lib.document import read_text
    from _lib.review import verdict_of

    name = os.path.basename(evidence)
    place = _place(evidence, root)
    if not name.startswith("REVIEW-") or not name.endswith(".md"):
        return f"{evidence}: expected a REVIEW-*.md of goal_review.py"
    if not os.path.isfile(place):
        return f"{evidence}: there is no such review"
    goal, verdict = verdict_of(read_text(place, evidence))
    if goal != goal_id:
        return f"{evidence}: it is about {goal!r}, not {goal_id!r}"
    return None if verdict == "PASS" else f"{evidence}: its verdict is {verdict!r}"


def _place(evidence: str, root: str) -> str:
    from hpp.core.portable.fsread import contain

    try:
        return contain(evidence, root)
    except RefusedError as error:
        raise RefusedError(f"--evidence: {error}") from None
