"""What an installation reads of the distribution that a module lies in."""

from __future__ import annotations

import os

from hpp.core.document import read_state
from hpp.core.errors import RefusedError
from hpp.core.strictjson import SMALL_LIMIT, parse_bytes
from hpp.installer.kit.anchor import find_distribution

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["CATALOGUE", "NAME", "read_beside"]

NAME = "hpp.manifest.json"
CATALOGUE = ".claude-plugin/marketplace.json"


def read_beside(module: str, name: str) -> dict[str, Any] | None:
    """Return a document that lies beside the distribution's digests, or None without one."""
    try:
        found = find_distribution(module)
        if found is None:
            return None
        data = read_state(os.path.join(found[0], *name.split("/")), limit=SMALL_LIMIT)
        if data is None:
            return None
        document: dict[str, Any] = parse_bytes(data, name, root=dict)
    except RefusedError:
        return None
    return document
