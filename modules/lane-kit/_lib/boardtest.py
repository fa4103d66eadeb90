"""The self-test of the board: every refusal beside a control, every row of the state table."""

from __future__ import annotations

import io
import os
import sys
import time
from contextlib import redirect_stderr, redirect_stdout

from _lib.board import SCHEMA
from _lib.boardmain import main
from _lib.chain import ChainFile

from hpp.core.portable.selftest import Checks, Project

__all__ = ["check_board"]

A = ("--lane", "exec-a", "--model", "claude-opus-4")
B = ("--lane", "exec-b", "--model", "gpt-5")
C = ("--lane", "exec-c", "--model", "qwen-3")
R = ("--lane", "rev-a", "--model", "gpt-5")
G = ("--lane", "rev-g", "--model", "gemini-2")
WHY = ("--reason", "because")
SHA, OTHER = "a" * 40, "b" * 40


class _Bench:
    """Runs the board in this process and compares what came of it."""

    def __init__(self, checks: Checks, root: str) -> None:
        self.checks = checks
        self.root = root
        self.codes: set[str] = set()
        self.pairs: set[tuple[str, str]] = set()

    def run(self, *words: str) -> tuple[int, str]:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = main([*words, "--project-dir", self.root])
        return status, err.getvalue()

    def ok(self, *words: str) -> None:
        status, said = self.run(*words)
        what = " ".join(words[:4]).replace("\n", "\\n")
        self.checks.check(what if not status else f"{what}: {said.strip()}", not status)

    def no(self, code: str, *words: str, status: int = 1, says: str = "") -> None:
        got, said = self.run(*words)
        self.codes.add(code)
        is_well = got == status and f"[{code}]" in said and says in said
        what = f"refused {code}: {' '.join(words[:4])}".replace("\n", "\\n")
        self.checks.check(what if is_well else f"{what}: {got}, {said.strip()}", is_well)

    def usage(self, *words: str) -> None:
        self.checks.equal(f"usage: {' '.join(words[:4])}", self.run(*words)[0], 3)

    def lane(self, name: str, role: str, model: str, *, age: int = 0, closed: bool = False) -> None:
        from _lib.config import Config
        from _lib.registry import Lane, Registry
        from _lib.registrywrite import change

        def apply(registry: Registry) -> None:
            lane = Lane(name)
            lane.role, lane.model = role, model
            lane.heartbeat_at = now - age
            lane.status = "closed" if closed else "active"
            registry.lanes[name] = lane

        now = int(time.time())
        path = os.path.join(self.root, ".claude", "lanes", "registry.json")
        change(path, apply, now=now, config=Config())

    def checkpointed(self, item: str, who: tuple[str, ...], *more: str) -> None:
        self.ok("claim", item, *who, *more)
        self.ok("build", item, *who)
        self.ok("checkpoint", item, *who, "--evidence", "12 tests passed")

    def verified(self, item: str, who: tuple[str, ...], by: tuple[str, ...], *more: str) -> None:
        self.checkpointed(item, who, *more)
        self.ok("review", item, *by)
        self.ok("verdict", item, "VERIFIED", *by)

    def note_pairs(self) -> None:
        path = os.path.join(self.root, ".claude", "lanes", "board.jsonl")
        last: dict[str, str] = {}
        for event in ChainFile(path, SCHEMA).read():
            if event["kind"] == "item":
                item = event["item_id"]
                self.pairs.add((last.get(item, ""), event["state"]))
                last[item] = event["state"]


def check_board() -> int:
    """Run the self-test and return its status."""
    sys.dont_write_bytecode = True
    checks = Checks()
    with Project() as project:
        bench = _Bench(checks, project.root)
        for part in (
            _inputs,
            _claims,
            _builds,
            _verdicts,
            _merges,
            _fixes,
            _contests,
            _ends,
            _files,
        ):
            part(bench)
        bench.note_pairs()
    for pair in _ROWS:
        checks.check(f"reached {pair[0] or '(none)'} -> {pair[1]}", pair in bench.pairs)
    missing = _CODES - bench.codes
    checks.check(f"every refusal was met {sorted(missing) or ''}".strip(), not missing)
    return checks.finish()


def _inputs(bench: _Bench) -> None:
    bench.ok("init")
    bench.no("ID_INVALID", "claim", "a b", "--lane", "X!", status=2)
    bench.no("ID_INVALID", "claim", "a\nb", *A, status=2)
    bench.no("ID_INVALID", "claim", "ok", "--lane", "Upper", "--model", "gpt-5", status=2)
    bench.no("TEXT_REFUSED", "claim", "i0", *A, "--takeover", "--reason", "x" * 4001, status=2)
    secret = "password = " + "hunter2" * 3
    bench.no("TEXT_REFUSED", "claim", "i0", *A, "--takeover", "--reason", secret, status=2)
    bench.no("COMMIT_FORM", "checkpoint", "i0", *A, "--commit", "abc", status=2)
    bench.no("PATH_REFUSED", "checkpoint", "i0", *A, "--evidence-record", "../x.json", status=2)
    bench.usage("set", "i0", "SLEEPING", *A)
    bench.usage("dance", "i0")
    bench.usage("claim", "i0", *A, "--join", "--takeover")
    bench.usage("select", "--task", "t0", *R)
    bench.usage("select", "--task", "t0", "--deliberation", "r.json", "--winner", "i0")
    bench.no("UNKNOWN_ITEM", "build", "i0", *A)
    bench.no("IDENTITY_MISSING", "claim", "i0", "--lane", "exec-a")
    bench.no("FAMILY_UNKNOWN", "claim", "i0", "--lane", "exec-a", "--model", "auto")


def _claims(bench: _Bench) -> None:
    bench.no("ROLE", "claim", "i1", *A, "--role", "reviewer")
    bench.ok("claim", "i1", *A)
    bench.ok("claim", "I1", *A)
    bench.no("ALREADY_CLAIMED", "claim", "i1", *B)
    bench.no("NOT_BUILDER", "build", "i1", *B)
    bench.ok("claim", "i1", *B, "--join")
    bench.lane("exec-a", "executor", "claude-opus-4")
    bench.no("HOLDER_ALIVE", "claim", "i1", *C, "--takeover", *WHY)
    bench.no("IDENTITY_MISMATCH", "build", "i1", "--lane", "exec-a", "--model", "gpt-5")
    bench.lane("exec-a", "executor", "claude-opus-4", closed=True)
    bench.no("REASON_MISSING", "claim", "i1", *C, "--takeover")
    bench.ok("claim", "i1", *C, "--takeover", *WHY)
    os.environ["CLAUDE_LANE_ID"] = "exec-z"
    bench.no("IDENTITY_MISMATCH", "build", "i1", *C)
    del os.environ["CLAUDE_LANE_ID"]
    bench.no("NOT_OWNER", "release", "i1", *A, *WHY)
    bench.no("REASON_MISSING", "release", "i1", *C)
    bench.ok("release", "i1", *C, *WHY)
    bench.no("TRANSITION", "claim", "i1", *C, "--join")
    bench.ok("claim", "i1", *B)
    bench.ok("build", "i1", *B)
    bench.no("ALREADY_CLAIMED", "claim", "i1", *A, "--join")
    bench.ok("claim", "i1", "--lane", "exec-j", "--model", "grok-4", "--join")
    bench.ok("build", "i1", *B, "--reason", "half of it")
    bench.ok("release", "i1", "--operator", "Ada", *WHY)
    bench.ok("claim", "i2", *A)
    bench.ok("build", "i2", *A)
    bench.ok("claim", "i2", *C, "--takeover", *WHY)


def _builds(bench: _Bench) -> None:
    bench.ok("claim", "i3", *A)
    bench.no("TRANSITION", "checkpoint", "i3", *A, "--evidence", "x")
    bench.ok("set", "i3", "BUILDING", *A)
    bench.ok("claim", "i3", *C, "--join")
    bench.no("NOT_OWNER", "checkpoint", "i3", *C, "--evidence", "x")
    bench.no("EVIDENCE_MISSING", "checkpoint", "i3", *A, "--evidence", "  ")
    bench.no("ROLE", "checkpoint", "i3", *A, "--role", "reviewer", "--evidence", "x")
    bench.ok("checkpoint", "i3", *A, "--evidence", "x")
    bench.no("REASON_MISSING", "build", "i3", *A)
    bench.no("NOT_OWNER", "build", "i3", *C, *WHY)
    bench.ok("build", "i3", *A, *WHY)
    bench.no("VERB_ONLY", "set", "i3", "RELEASED", *A)
    place = os.path.join(bench.root, ".claude", "lanes", "lanes.yaml")
    with open(place, "w", encoding="utf-8") as file:
        file.write("board:\n  require_commit: true\n")
    bench.no("COMMIT_REQUIRED", "checkpoint", "i3", *A, "--evidence", "x")
    with open(place, "w", encoding="utf-8") as file:
        file.write("board: [\n")
    bench.no("CONFIG", "checkpoint", "i3", *A, "--evidence", "x", status=2)
    os.unlink(place)
    bench.ok("checkpoint", "i3", *A, "--evidence", "x", "--commit", SHA)


def _verdicts(bench: _Bench) -> None:
    bench.no("TRANSITION", "verdict", "i3", "VERIFIED", *G)
    bench.ok("review", "i3", *G)
    bench.no("ROLE", "verdict", "i3", "VERIFIED", *G, "--role", "executor")
    bench.no("CHECKER_UNAVAILABLE", "verdict", "i3", "VERIFIED", *G, "--checker-unavailable")
    bench.no("SAME_LANE", "verdict", "i3", "VERIFIED", *A, says="SAME lane")
    bench.no("IDENTITY_MISMATCH", "verdict", "i3", "VERIFIED", *A, "--verdict-by-lane", "rev-a")
    bench.no("SAME_FAMILY", "verdict", "i3", "VERIFIED", "--lane", "rev-c", "--model", "opus",
             says="SAME model family")  # fmt: skip
    bench.no("FAMILY_UNKNOWN", "verdict", "i3", "VERIFIED", "--lane", "rev-c", "--model", "auto")
    bench.no("COMMIT_DIFFERS", "verdict", "i3", "VERIFIED", *G, "--commit", OTHER)
    bench.no("COMMIT_REQUIRED", "verdict", "i3", "VERIFIED", *G)
    bench.no("DEFERRED_FLAG", "verdict", "i3", "DEFERRED", *G)
    bench.no("REASON_MISSING", "verdict", "i3", "NEEDS-FIX", *G, "--commit", SHA)
    bench.ok("verdict", "i3", "DEFERRED", *G, "--checker-unavailable")
    bench.ok("review", "i3", *G)
    bench.ok("verdict", "VERIFIED", "i3", *G, "--commit", SHA)


def _merges(bench: _Bench) -> None:
    bench.no("COMMIT_REQUIRED", "merge", "i3", *A)
    bench.no("NOT_RED", "approve", "i3", "--operator", "Ada", *WHY)
    bench.no("REASON_MISSING", "review", "i3", *G, "--role", "reviewer")
    bench.no("ROLE", "review", "i3", *G, "--role", "executor", *WHY)
    bench.ok("review", "i3", *G, "--role", "reviewer", *WHY)
    bench.no("NOT_VERIFIED", "merge", "i3", *A)
    bench.verified("i4", A, R, "--tag", "red")
    bench.no("HUMAN_GATE", "merge", "i4", *A)
    os.environ["CLAUDECODE"] = "1"
    bench.no("HUMAN_GATE", "approve", "i4", "--operator", "Ada", *WHY)
    bench.no("HUMAN_GATE", "merge", "i4", *A, "--human-approved", "--operator", "Ada")
    del os.environ["CLAUDECODE"]
    bench.no("HUMAN_GATE", "approve", "i4", *WHY)
    bench.no("REASON_MISSING", "approve", "i4", "--operator", "Ada")
    bench.ok("approve", "i4", "--operator", "Ada", *WHY)
    bench.ok("review", "i4", *R, "--role", "reviewer", *WHY)
    bench.no("NOT_VERIFIED", "approve", "i4", "--operator", "Ada", *WHY)
    bench.ok("verdict", "i4", "VERIFIED", *R)
    bench.ok("approve", "i4", "--operator", "Ada", *WHY)
    bench.ok("merge", "i4", *A)
    bench.no("TERMINAL", "build", "i4", *A)
    bench.verified("i5", A, R)
    bench.ok("merge", "i5", *A)


def _fixes(bench: _Bench) -> None:
    bench.checkpointed("i6", A)
    bench.no("TARGET_UNKNOWN", "start-review", "i6", "--target-lane", "rev-x")
    bench.lane("rev-a", "reviewer", "gpt-5", age=-60)
    bench.no("TARGET_NOT_ALIVE", "start-review", "i6", "--target-lane", "rev-a")
    bench.lane("rev-a", "executor", "gpt-5")
    bench.no("TARGET_ROLE", "start-review", "i6", "--target-lane", "rev-a")
    bench.lane("exec-a", "reviewer", "claude-opus-4")
    bench.no("TARGET_BUILDER", "start-review", "i6", "--target-lane", "exec-a")
    bench.lane("rev-a", "reviewer", "gpt-5")
    bench.ok("start-review", "i6", "--target-lane", "rev-a")
    bench.ok("verdict", "i6", "NEEDS-FIX", *R, *WHY)
    bench.ok("claim", "i6", *C, "--join")
    bench.lane("exec-f", "executor", "claude-opus-4")
    bench.lane("exec-d", "executor", "kimi-k2")
    bench.ok("release-fix", "i6", "--target-lane", "exec-f")
    bench.no("TARGET_SAME", "release-fix", "i6", "--target-lane", "exec-f")
    bench.no("TARGET_ALIVE", "release-fix", "i6", "--target-lane", "exec-d")
    bench.lane("exec-f", "executor", "claude-opus-4", age=99999)
    bench.ok("release-fix", "i6", "--target-lane", "exec-d")
    bench.no("NOT_TARGET", "build", "i6", *A)
    bench.ok("build", "i6", "--lane", "exec-d", "--model", "kimi-k2")
    bench.checkpointed("i7", B)
    bench.ok("review", "i7", *G)
    bench.ok("verdict", "i7", "NEEDS-FIX", *G, *WHY)
    bench.ok("build", "i7", *B)
    bench.checkpointed("i8", B)
    bench.ok("review", "i8", *G)
    bench.ok("verdict", "i8", "NEEDS-FIX", *G, "--evidence", "it fails on Windows")
    bench.ok("release-fix", "i8", "--target-lane", "exec-d")
    bench.lane("exec-d", "executor", "kimi-k2", closed=True)
    bench.ok("claim", "i8", *C, "--takeover", *WHY)
    bench.checkpointed("i9", B)
    bench.ok("review", "i9", *G)
    bench.ok("verdict", "i9", "NEEDS-FIX", *G, *WHY)
    bench.ok("release", "i9", *B, *WHY)
    bench.checkpointed("i10", B)
    bench.ok("review", "i10", *G)
    bench.ok("verdict", "i10", "NEEDS-FIX", *G, *WHY)
    bench.lane("exec-d", "executor", "kimi-k2")
    bench.ok("release-fix", "i10", "--target-lane", "exec-d")
    bench.ok("release", "i10", "--operator", "Ada", *WHY)
    bench.ok("claim", "i11", *A)
    bench.ok("release", "i11", *A, *WHY)


def _contests(bench: _Bench) -> None:
    bench.checkpointed("c1", A)
    bench.checkpointed("c2", B)
    bench.ok("claim", "c3", *C)
    bench.ok("claim", "c4", *C)
    task = ("compete", "--task", "t1", *A, "--items")
    bench.no("TOO_FEW", *task, "c1")
    bench.no("DUPLICATE_ITEM", *task, "c1,C1")
    bench.no("NEVER_CLAIMED", *task, "c1,nobody")
    bench.no("FINISHED_ITEM", *task, "c1,i5")
    bench.no("SHARED_BUILDER", *task, "c3,c4")
    bench.no("TASK_EXISTS", "compete", "--task", "c1", *A, "--items", "c1,c2")
    bench.ok(*task, "c1,c2,c3")
    bench.no("TASK_EXISTS", *task, "c4,i7")
    bench.no("TASK_EXISTS", "claim", "t1", *A)
    bench.no("IN_OTHER_TASK", "compete", "--task", "t2", *A, "--items", "c1,i7")
    bench.no("RIVAL_BUILDER", "claim", "c3", *A, "--join")
    bench.no("COMPETITION_OPEN", "release", "c3", *C, *WHY)
    bench.no("TASK_UNKNOWN", "select", "--task", "t9", "--winner", "c1", *G)
    bench.no("NOT_CANDIDATE", "select", "--task", "t1", "--winner", "i7", *G)
    bench.no("CANDIDATE_NOT_READY", "select", "--task", "t1", "--winner", "c1", *G)
    out = ("withdraw", "--task", "t1", "--item", "c3")
    bench.no("REASON_MISSING", *out, *G)
    bench.no("RIVAL_BUILDER", *out, *A, *WHY)
    bench.ok(*out, *G, *WHY)
    bench.no("ALREADY_WITHDRAWN", *out, *G, *WHY)
    pick = ("select", "--task", "t1", "--winner", "c1")
    bench.no("CHECKER_UNAVAILABLE", *pick, *G, "--checker-unavailable")
    bench.no("SAME_LANE", *pick, *C, says="SAME lane")
    bench.no("SAME_FAMILY", *pick, *R, says="SAME model family")
    bench.ok("review", "c1", *G)
    bench.ok("verdict", "c1", "VERIFIED", *G)
    bench.no("COMPETITION_OPEN", "merge", "c1", *G)
    bench.ok("select", "--task", "t1", "--checker-unavailable", *G)
    bench.ok(*pick, *G)
    bench.no("TERMINAL", "set", "c2", "BUILDING", *B)
    bench.no("TASK_DECIDED", *pick, *G)
    bench.ok("merge", "c1", *G)


def _ends(bench: _Bench) -> None:
    bench.ok("claim", "d1", *A)
    bench.ok("claim", "d2", *B)
    bench.ok("compete", "--task", "t3", *A, "--items", "d1,d2")
    bench.ok("withdraw", "--task", "t3", "--item", "d1", *G, *WHY)
    bench.no("LAST_CANDIDATE", "withdraw", "--task", "t3", "--item", "d2", *G, *WHY)
    bench.checkpointed("e1", A)
    bench.checkpointed("e2", B)
    bench.ok("compete", "--task", "t4", *A, "--items", "e1,e2")
    bench.ok("select", "--task", "t4", "--winner", "e1", *G)
    bench.no("TASK_DECIDED", "build", "e1", *A, *WHY)
    bench.verified("f1", A, G)
    bench.verified("f2", B, G)
    bench.ok("compete", "--task", "t5", *A, "--items", "f1,f2")
    bench.ok("select", "--task", "t5", "--winner", "f2", *G)


def _files(bench: _Bench) -> None:
    path = os.path.join(bench.root, ".claude", "lanes", "board.jsonl")
    for verb in (("status",), ("list",), ("verify",), ("config",), ("status", "i3")):
        bench.ok(*verb)
    bench.ok("repair")
    with open(path, "rb") as file:
        sound = file.read()
    with open(path, "ab") as file:
        file.write(b'{"seq":')
    bench.no("CORRUPT", "claim", "z1", *A, status=2)
    bench.ok("repair")
    bench.no("CORRUPT", "verify", status=2)
    bench.ok("repair", "--apply")
    bench.ok("verify")
    half = len(sound) // 2
    changed = sound[:half] + bytes([sound[half] ^ 1]) + sound[half + 1 :]
    with open(path, "wb") as file:
        file.write(changed)
    for words in (("claim", "z1", *A), ("list",), ("verify",), ("repair", "--apply")):
        bench.no("CORRUPT", *words, status=2)
    with open(path, "rb") as file:
        bench.checks.equal("a corrupt board is left as it is", file.read(), changed)
    with open(path, "wb") as file:
        file.write(sound)


_ROWS = [
    ("", "CLAIMED"), ("RELEASED", "CLAIMED"), ("CLAIMED", "CLAIMED"), ("BUILDING", "BUILDING"),
    ("NEEDS-FIX", "NEEDS-FIX"), ("BUILDING", "CLAIMED"), ("FIX-QUEUED", "CLAIMED"),
    ("CLAIMED", "BUILDING"), ("BUILDING", "CHECKPOINT-READY"), ("CHECKPOINT-READY", "BUILDING"),
    ("CHECKPOINT-READY", "UNDER-REVIEW"), ("DEFERRED", "UNDER-REVIEW"),
    ("UNDER-REVIEW", "VERIFIED"), ("UNDER-REVIEW", "NEEDS-FIX"), ("UNDER-REVIEW", "DEFERRED"),
    ("NEEDS-FIX", "BUILDING"), ("NEEDS-FIX", "FIX-QUEUED"), ("FIX-QUEUED", "FIX-QUEUED"),
    ("FIX-QUEUED", "BUILDING"), ("VERIFIED", "APPROVED"), ("VERIFIED", "UNDER-REVIEW"),
    ("APPROVED", "UNDER-REVIEW"), ("VERIFIED", "MERGED"), ("APPROVED", "MERGED"),
    ("CHECKPOINT-READY", "NOT-SELECTED"), ("VERIFIED", "NOT-SELECTED"), ("CLAIMED", "WITHDRAWN"),
    ("CLAIMED", "RELEASED"), ("BUILDING", "RELEASED"), ("NEEDS-FIX", "RELEASED"),
    ("FIX-QUEUED", "RELEASED"),
]  # fmt: skip
# What needs git, the harness or another process is checked by the tests: COMMIT_NOT_MERGED,
# EVIDENCE_NOT_VALID, DELIBERATION_REFUSED, CORE_MISSING, BUSY; NOT_WINNER follows a loser that
# is terminal already.
_CODES = frozenset(
    [
        "ALREADY_CLAIMED",
        "ALREADY_WITHDRAWN",
        "CANDIDATE_NOT_READY",
        "CHECKER_UNAVAILABLE",
        "COMMIT_DIFFERS",
        "COMMIT_FORM",
        "COMMIT_REQUIRED",
        "COMPETITION_OPEN",
        "CONFIG",
        "CORRUPT",
        "DEFERRED_FLAG",
        "DUPLICATE_ITEM",
        "EVIDENCE_MISSING",
        "FAMILY_UNKNOWN",
        "FINISHED_ITEM",
        "HOLDER_ALIVE",
        "HUMAN_GATE",
        "IDENTITY_MISMATCH",
        "IDENTITY_MISSING",
        "ID_INVALID",
        "IN_OTHER_TASK",
        "LAST_CANDIDATE",
        "NEVER_CLAIMED",
        "NOT_BUILDER",
        "NOT_CANDIDATE",
        "NOT_OWNER",
        "NOT_RED",
        "NOT_TARGET",
        "NOT_VERIFIED",
        "PATH_REFUSED",
        "REASON_MISSING",
        "RIVAL_BUILDER",
        "ROLE",
        "SAME_FAMILY",
        "SAME_LANE",
        "SHARED_BUILDER",
        "TARGET_ALIVE",
        "TARGET_BUILDER",
        "TARGET_NOT_ALIVE",
        "TARGET_ROLE",
        "TARGET_SAME",
        "TARGET_UNKNOWN",
        "TASK_DECIDED",
        "TASK_EXISTS",
        "TASK_UNKNOWN",
        "TERMINAL",
        "TEXT_REFUSED",
        "TOO_FEW",
        "TRANSITION",
        "UNKNOWN_ITEM",
        "VERB_ONLY",
    ]
)
