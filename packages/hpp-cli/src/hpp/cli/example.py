"""Where the packaged examples lie; their source is ``examples/`` at the repository root."""

from __future__ import annotations

import os

__all__ = ["example_path"]


def example_path(name: str) -> str:
    """Return the path of a packaged example of reliable coding, e.g. ``workgraph.json``."""
    here = os.path.dirname(os.path.abspath(__file__))
    return os.path.join(here, "examples", "reliable-coding", name)
