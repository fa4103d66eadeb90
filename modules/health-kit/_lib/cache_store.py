"""Write the cache that everybody else reads, and a list that a person asked for."""

from __future__ import annotations

import json
import os

from _lib.health_core import CACHE_SCHEMA

from hpp.core.portable import fswrite
from hpp.core.portable.fswrite import COMMAND_WAIT_S, atomic_write, locked, state_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _lib.setting import Settings

__all__ = ["write_cache", "write_new"]


def write_cache(
    settings: Settings,
    now: float,
    services: dict[str, dict[str, Any]],
    feeds: dict[str, dict[str, Any]],
) -> dict[str, Any]:
    """Put the cache in its place and return it.

    Raises:
        BusyError: Another run is writing it.
        MachineError: The system refuses; the former cache is as it was.

    """
    document = {
        "schema": CACHE_SCHEMA,
        "written_at": int(now),
        "ttl_seconds": settings.ttl_s,
        "health": {
            "services_online": sum(entry["online"] for entry in services.values()),
            "services_total": len(services),
        },
        "data": {
            "fresh": sum(entry["status"] == "fresh" for entry in feeds.values()),
            "total": len(feeds),
        },
        "services": services,
        "feeds": feeds,
        "correctness": "not-measured",
    }
    folder = state_dir(os.path.dirname(settings.cache))
    data = (json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()
    with locked(os.path.join(folder, os.path.basename(settings.cache)), COMMAND_WAIT_S):
        atomic_write(settings.cache, data)
    return document


def write_new(path: str, value: object) -> None:
    """Write a JSON document to a file that is not there yet.

    Raises:
        RefusedError: Something of that name is there, or it cannot be written; nothing of it
            is left.

    """
    data = (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
    fswrite.write_new(path, data, "it is there already")
