"""Where the packaged examples lie; their source is ``examples/`` at the repository root."""

from __future__ import annotations

import os

__all__ = ["example_path"]


def example_path(folder: str, name: str) -> str:
    """Return the path of an example, e.g. of ``typed-decisions`` the ``baseline_decider.py``."""
    here = os.path.dirname(os.path.abspath(__file__))
    return os.path.join(here, "examples", folder, name)
