"""Add to the trust that `anchor` reads, under its lock."""

from __future__ import annotations

import os

from hpp.core.errors import MachineError
from hpp.core.portable.anchor import anchor_path, load
from hpp.core.portable.fswrite import COMMAND_WAIT_S, atomic_write, locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["MOST_HANDOFFS", "add_gotcha_store", "add_handoff", "add_health_probe", "change"]

MOST_HANDOFFS = 200


def add_handoff(root: str, handoff_id: str, sha256: str, timeout: float = COMMAND_WAIT_S) -> bool:
    """Trust a handoff's bytes; the newest 200 are kept. False when there is no git folder."""

    def add(trust: dict[str, Any]) -> None:
        handoffs = trust["handoffs"]
        handoffs.pop(handoff_id, None)  # so that it counts as the newest
        handoffs[handoff_id] = sha256
        for name in list(handoffs)[:-MOST_HANDOFFS]:
            del handoffs[name]

    return change(root, add, timeout)


def add_gotcha_store(root: str, store_id: str, timeout: float = COMMAND_WAIT_S) -> bool:
    """Trust a store of lessons. False when there is no git folder."""

    def add(trust: dict[str, Any]) -> None:
        if store_id not in trust["gotcha_stores"]:
            trust["gotcha_stores"].append(store_id)

    return change(root, add, timeout)


def add_health_probe(
    root: str, sha256: str, approved_at: str, timeout: float = COMMAND_WAIT_S
) -> bool:
    """Trust a probe that a person approved at a time (UTC). False without a git folder."""

    def add(trust: dict[str, Any]) -> None:
        others = [one for one in trust["health_probes"] if one.get("sha256") != sha256]
        trust["health_probes"] = [*others, {"sha256": sha256, "approved_at": approved_at}]

    return change(root, add, timeout)


def change(
    root: str, edit: Callable[[dict[str, Any]], None], timeout: float = COMMAND_WAIT_S
) -> bool:
    """Read the trust, let `edit` change it, and write it, under one lock.

    Raises:
        BusyError: Another process is writing it.
        RefusedError: What is there is not ours.
        MachineError: The system refuses.

    """
    path = anchor_path(root)
    if path is None:
        return False
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    except OSError as error:
        raise MachineError(f"hpp: cannot be made: {error.strerror}") from None
    import json

    with locked(path, timeout):
        trust = load(path)
        edit(trust)
        # In the order of arrival, which says what is newest.
        atomic_write(path, (json.dumps(trust, indent=2, ensure_ascii=False) + "\n").encode())
    return True
