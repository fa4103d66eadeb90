"""Whether the judged log is intact, and whether what it claims went through the loop in order.

The log is reached without following a link: the tree is not trusted, and a link could lend
it the history of another one.
"""

from __future__ import annotations

import hashlib
import os

from hpp.cli.gateanswer import BLOCKED, NO, YES, Answer
from hpp.core.errors import HppError, RefusedError
from hpp.core.eventlog import GENESIS, Chain, read_log, scan_log
from hpp.core.folder import Folder
from hpp.core.loop import EVIDENCE, VERIFIED, Replay
from hpp.core.strictjson import LARGE_LIMIT
from hpp.core.text import printable, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.loop import Loop, Work

__all__ = ["Claim", "Log", "read_tree_log"]

_SHOWN = 12


class Claim:
    """A piece of work, and the evidence that still counts for it.

    Attributes:
        proofs: Data of events by the id of the criterion: the last of each since the work
            was last in a state that asks for evidence.
        ever: Data of every event that named evidence.

    """

    __slots__ = ("ever", "proofs", "work")

    def __init__(self, work: Work) -> None:
        self.work = work
        self.proofs: dict[object, dict[str, Any]] = {}
        self.ever: list[dict[str, Any]] = []

    @property
    def shown(self) -> str:
        """Return the name for a message."""
        return self.work.shown

    @property
    def is_verified(self) -> bool:
        """Say whether the last step of the work was its verification."""
        return self.work.history[-1] == VERIFIED


class Log:
    """The log of the judged tree.

    Attributes:
        chain: What its reading found.
        claims: Every piece of work, in the order of their first events.
        judged: Those that this gate is about.
        anchor: Number of events up to the head that was kept elsewhere; 0 without one.
        fault: Why its events cannot be followed over the loop, or None.

    """

    def __init__(self) -> None:
        self.chain = Chain()
        self.claims: list[Claim] = []
        self.judged: list[Claim] = []
        self.anchor = 0
        self.fault: str | None = None


def read_tree_log(
    root: str, loop: Loop, head: str | None, names: list[str]
) -> tuple[Log, list[Answer]]:
    """Return the log below a folder, and the answers to ``log`` and ``work``.

    Args:
        root: The judged workspace.
        loop: The loop that orders every piece of work.
        head: Hash of a last line that somebody else kept, or None.
        names: Pieces of work that are asked for; empty for all since `head`.

    """
    log, found = Log(), b""

    def read() -> bytes:
        nonlocal found
        found = _read(root) or b""
        return found

    try:
        log.chain = read_log(read, lambda: _pass)
    except HppError as error:
        log.fault = str(error)
        return log, [Answer("log", BLOCKED, "", [log.fault]), _not_asked("work")]
    answer = _chain_answer(log, head, found)
    if answer.answer == BLOCKED:
        log.fault = answer.problems[0]
        return log, [answer, _not_asked("work")]
    try:
        log.claims = _replayed(found, loop)
    except RefusedError as error:
        log.fault = str(error)
        return log, [answer, Answer("work", BLOCKED, "", [log.fault])]
    return log, [answer, _work_answer(log, head, names, loop)]


def _not_asked(question: str) -> Answer:
    return Answer(question, BLOCKED, "", ["it is asked of an intact log"])


def _pass(seq: int, kind: str, data: dict[str, Any]) -> None:
    """Visit an event of which only the chain matters."""


def _read(root: str) -> bytes | None:
    if not os.path.lexists(os.path.join(root, ".hpp")):
        return None
    with Folder(root, (".hpp",), create=False) as folder:
        try:
            handle = folder.open_file("events.jsonl", os.O_RDONLY)
        except FileNotFoundError:
            return None
    with open(handle, "rb") as stream:
        data = stream.read(LARGE_LIMIT + 1)
    if len(data) > LARGE_LIMIT:
        raise RefusedError(f".hpp/events.jsonl: larger than {LARGE_LIMIT // 1024**2} MiB")
    return data


def _chain_answer(log: Log, head: str | None, data: bytes) -> Answer:
    chain = log.chain
    if head is not None:
        anchor = _event_of(head, data)
        if anchor is None:
            return Answer("log", BLOCKED, "", ["no event has the given head: it was rewritten"])
        log.anchor = anchor
    if not chain.events:
        return Answer("log", NO, "", ["there is no event in .hpp/events.jsonl"])
    if chain.legacy:
        many = f"{chain.legacy} of {chain.events} events carry no link to the one before"
        return Answer("log", NO, "", [many])
    detail = f"{chain.events} events, chain intact, head {str(chain.head)[:_SHOWN]}, "
    if head is None:
        detail += "which nobody else kept: a log rewritten as a whole would look the same (--head)"
    else:
        detail += f"grown from the given head at event:{log.anchor}"
    return Answer("log", YES, detail)


def _event_of(head: str, data: bytes) -> int | None:
    """Return the number of the event whose line has a hash; 0 for that of no line at all."""
    if head == GENESIS:
        return 0
    number = 0
    for raw in data.split(b"\n"):
        line = raw.removesuffix(b"\r")
        if line.strip(b" \t\r"):
            number += 1
            if hashlib.sha256(line).hexdigest() == head:
                return number
    return None


def _replayed(data: bytes, loop: Loop) -> list[Claim]:
    """Return every piece of work of an intact log.

    Raises:
        RefusedError: The loop does not allow an event.

    """
    replay = Replay(loop)
    claims: dict[int, Claim] = {}

    def visit(seq: int, kind: str, data: dict[str, Any]) -> None:
        work = replay.step(seq, kind, data)
        claim = claims.setdefault(id(work), Claim(work))
        if kind == EVIDENCE:
            name = data.get("id")
            claim.proofs[name if isinstance(name, str) else seq] = data
            claim.ever.append(data)
        elif loop.moves.get(work.state, {}).get(EVIDENCE, work.state) != work.state:
            claim.proofs.clear()  # sent back: what was shown before counts no more

    scan_log(Chain(), data, visit)
    return list(claims.values())


def _work_answer(log: Log, head: str | None, names: list[str], loop: Loop) -> Answer:
    by_name = {claim.work.name: claim for claim in log.claims}
    since = [claim for claim in log.claims if claim.work.last_seq > log.anchor]
    named = [by_name[name] for name in dict.fromkeys(names) if name in by_name]
    # With a head, whatever moved since is a claim of this change, asked for or not.
    log.judged = named if names and head is None else since
    log.judged += [claim for claim in named if claim not in log.judged]
    problems = [f"{shorten(name)}: it never began" for name in names if name not in by_name]
    for claim in log.judged:
        if not claim.is_verified:
            state = claim.work.state
            step = printable(loop.next_step(state))
            problems.append(f"{claim.shown}: it is {printable(state)}, next: {step}")
        elif claim.work.last_seq <= log.anchor:
            problems.append(f"{claim.shown}: it was verified before the given head")
    if not log.judged and not problems:
        problems.append("no piece of work is claimed" + (" since the given head" if head else ""))
    if problems:
        return Answer("work", NO, "", problems)
    shown = ", ".join(claim.shown for claim in log.judged[:10])
    more = len(log.judged) - 10
    tail = f" and {more} more" if more > 0 else ""
    return Answer("work", YES, f"{len(log.judged)} verified in order: {shown}{tail}")
