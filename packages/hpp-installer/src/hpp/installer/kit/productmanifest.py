"""The manifest of the distribution that a module lies in, as far as an installation reads it."""

from __future__ import annotations

import os

from hpp.core.document import read_state
from hpp.core.errors import RefusedError
from hpp.core.strictjson import SMALL_LIMIT, parse_bytes
from hpp.installer.kit.anchor import find_distribution

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["NAME", "read_product_manifest"]

NAME = "hpp.manifest.json"


def read_product_manifest(module: str) -> dict[str, Any] | None:
    """Return the manifest beside the distribution's digests, or None when there is none."""
    try:
        found = find_distribution(module)
        if found is None:
            return None
        data = read_state(os.path.join(found[0], NAME), limit=SMALL_LIMIT)
        if data is None:
            return None
        document: dict[str, Any] = parse_bytes(data, NAME, root=dict)
    except RefusedError:
        return None
    return document
