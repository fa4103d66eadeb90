"""The loop of one session on disk: its state, and a ledger of what happened to loops.

A state belongs to the session whose id it carries; one that a repository brought along carries
another and is never acted on. What cannot be read stays as it is.
"""

from __future__ import annotations

import os
import time

from hpp.core.errors import RefusedError
from hpp.core.portable.fsread import contain, read_jsonl
from hpp.core.portable.fswrite import append_jsonl, atomic_write, locked
from hpp.core.portable.lane import session_key
from hpp.core.strictjson import JsonRefusedError, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["FOLDER", "SCHEMA", "Loops", "digest", "state_fault"]

SCHEMA = "hpp.loop-gate/v1"
FOLDER = ".claude/loop-gate"
LEDGER = "ledger.jsonl"
_LARGEST = 1024 * 1024
_MOST_LEDGER = 8 * 1024 * 1024
_KINDS: dict[str, tuple[type, ...]] = {
    "schema": (str,),
    "session_id": (str,),
    "goal": (str, type(None)),
    "charter": (str,),
    "criteria": (list,),
    "criterion_timeout": (int, float),
    "max_iterations": (int,),
    "deadline_at": (int, type(None)),
    "iteration": (int,),
    "last_failure": (str, type(None)),
    "same_failure": (int,),
    "armed_at": (int,),
    "armed_by": (str,),
}
_LIMITS = ("charter", "criteria", "criterion_timeout", "max_iterations", "deadline_at")


class Loops:
    """The loops of a project.

    Args:
        root: The project's folder.
        wait_s: Most seconds to wait for another writer.

    """

    def __init__(self, root: str, wait_s: float) -> None:
        self.root = root
        self.wait_s = wait_s

    @property
    def folder(self) -> str:
        """Return the folder of all loops; a link on the way is refused."""
        return contain(FOLDER, self.root)

    def path(self, session_id: str) -> str:
        """Return where a session's state is; the id is not empty."""
        return contain(f"{FOLDER}/{session_key(session_id)}.json", self.root)

    def exists(self, session_id: str) -> bool:
        """Say whether there is a state for a session; a link on the way counts as none."""
        try:
            return os.path.isfile(self.path(session_id))
        except RefusedError:
            return False

    def read(self, session_id: str) -> dict[str, Any] | None:
        """Return the state of exactly this session, or None.

        Raises:
            RefusedError: There is one and it cannot be read.

        """
        path = self.path(session_id)
        name = os.path.basename(path)
        try:
            with open(path, "rb") as file:
                data = file.read(_LARGEST + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RefusedError(f"{name}: cannot be read: {error.strerror}") from None
        if len(data) > _LARGEST:
            raise RefusedError(f"{name}: larger than 1 MiB")
        state = parse_bytes(data, name, root=dict)
        if state.get("session_id") != session_id:
            return None
        fault = state_fault(state)
        if fault is not None:
            raise JsonRefusedError(name, fault)
        found: dict[str, Any] = state
        return found

    def write(self, state: Mapping[str, Any]) -> None:
        """Put a session's state in its place.

        Raises:
            HppError: It cannot be written; what was there is as it was.

        """
        import json

        path = self.path(state["session_id"])
        with locked(path, self.wait_s):
            text = json.dumps(state, indent=2, sort_keys=True, ensure_ascii=False)
            atomic_write(path, text.encode() + b"\n")

    def remove(self, session_id: str) -> None:
        """Take a session's state away; that it is gone already is fine."""
        try:
            os.unlink(self.path(session_id))
        except FileNotFoundError:
            return

    def note(self, session_id: str, event: str, state: Mapping[str, Any], **more: object) -> str:
        """Add an event to the ledger, and return why that failed, or an empty text."""
        from hpp.core.errors import HppError

        record = {
            "v": 1,
            "ts": int(time.time()),
            "session": session_key(session_id),
            "event": event,
            "goal": state.get("goal"),
            "iteration": state.get("iteration"),
            **more,
        }
        try:
            append_jsonl(contain(f"{FOLDER}/{LEDGER}", self.root), record, self.wait_s)
        except HppError as error:
            return f"the ledger was not written: {error}"
        except OSError as error:
            return f"the ledger was not written: {error.strerror}"
        return ""

    def armed_digest(self, session_id: str) -> str | None:
        """Return the digest of what was armed last for a session, by the ledger."""
        try:
            records, _ = read_jsonl(contain(f"{FOLDER}/{LEDGER}", self.root), _MOST_LEDGER)
        except (OSError, RefusedError):
            return None
        key = session_key(session_id)
        for record in reversed(records):
            if record.get("session") == key and record.get("event") == "armed":
                found = record.get("digest")
                return found if isinstance(found, str) else None
        return None

    def ledger(self) -> tuple[list[dict[str, Any]], int]:
        """Return the events of the ledger, and how many of its lines are none."""
        return read_jsonl(contain(f"{FOLDER}/{LEDGER}", self.root), _MOST_LEDGER)


def digest(state: Mapping[str, Any]) -> str:
    """Return the digest of what a loop was armed with."""
    from hpp.core.canonical import canonical_bytes, sha256_hex

    return sha256_hex(canonical_bytes([state[key] for key in _LIMITS]))


def state_fault(state: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a state, or None."""
    if state.get("schema") != SCHEMA:
        return f"schema: expected {SCHEMA}"
    for key, kinds in _KINDS.items():
        if key not in state or type(state[key]) not in kinds:
            return f"{key}: missing, or of the wrong type"
    for number, criterion in enumerate(state["criteria"]):
        fault = criterion_fault(criterion)
        if fault is not None:
            return f"criteria[{number}]: {fault}"
    return None


def criterion_fault(criterion: object) -> str | None:
    """Return what is wrong with a criterion, or None."""
    if not isinstance(criterion, dict) or list(criterion) not in (["argv"], ["shell"]):
        return "expected an object with argv or shell"
    shell, argv = criterion.get("shell"), criterion.get("argv")
    if "shell" in criterion:
        return None if isinstance(shell, str) and shell.strip() else "shell: expected a text"
    if not isinstance(argv, list) or not argv:
        return "argv: expected a list of texts, the program first"
    if not argv[0] or not all(isinstance(word, str) and "\0" not in word for word in argv):
        return "argv: expected texts, the program first"
    return None
