"""The installed harness, for the few questions that only it can answer."""

from __future__ import annotations

import os
import shutil

from hpp.core.errors import RefusedError
from hpp.core.runner import EXITED, run
from hpp.core.strictjson import JsonRefusedError, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["ask"]

_TIMEOUT_S = 60.0
_MOST = 4 * 1024 * 1024
# From the index of the distribution: the public one has strangers under names like ours.
_INSTALL = (
    "install the harness (`uv pip install --index file:///PATH/forge/simple hpp-cli hpp-evidence`)"
    " and ask again"
)


def ask(words: list[str], root: str) -> dict[str, Any]:
    """Run `hpp` with these words in a project and return the JSON object that it prints.

    Raises:
        RefusedError: It is not installed, is a file of the project, or gives no answer.

    """
    shown = f"hpp {' '.join(words)}"
    outcome = run([_program(root), *words], timeout_s=_TIMEOUT_S, cwd=root, keep_stdout=_MOST)
    if outcome.ending != EXITED:
        raise RefusedError(f"{shown}: {outcome.ending}; {_INSTALL}")
    try:
        found: dict[str, Any] = parse_bytes(outcome.stdout.kept, shown, root=dict)
    except JsonRefusedError:
        from hpp.core.outcome import stderr_tail

        said = stderr_tail(outcome) or f"exit {outcome.exit_code}"
        raise RefusedError(f"{shown}: no answer: {said}") from None
    return found


def _program(root: str) -> str:
    """Return the program; one that the project brings along would answer as it likes."""
    from hpp.core.portable.fsread import inside

    found = shutil.which("hpp")
    if found is None:
        raise RefusedError(f"hpp: not found; {_INSTALL}")
    place = os.path.abspath(found)
    if inside(os.path.dirname(place), root) is not None:
        raise RefusedError(f"hpp: {found} belongs to the project; {_INSTALL}")
    return place
