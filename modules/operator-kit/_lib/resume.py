"""The page that the next session begins with: what files and git say, and nothing else."""

from __future__ import annotations

import os

from hpp.core.portable.redact import shown
from hpp.core.text import printable, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.gitfacts import Facts

__all__ = ["GENERATED", "page", "read_source"]

GENERATED = "Generated: "
_MOST_ITEMS = 25
_LONGEST_ITEM = 300
_LARGEST = 4 * 1024 * 1024


def page(root: str, state_doc: str, boot_doc: str, facts: Facts, moment: str) -> str:
    """Return the page.

    Args:
        root: The project's folder.
        state_doc: Below it; its open items are listed.
        boot_doc: Below it; what to read first.
        facts: What git says.
        moment: UTC time.

    """
    from hpp.core.errors import RefusedError

    try:
        read_source(root, boot_doc)
        boot = printable(boot_doc)
    except RefusedError as error:
        boot = f"missing: {error}"
    lines = [
        "# Resume here",
        "",
        f"{GENERATED}{moment}. Written at every stop by autoprompt-resume; edits are lost.",
        "",
        "1. Measure again before acting on anything below: it was true when it was written.",
        f"2. Read first: {boot}",
        f"3. State: {printable(state_doc)}",
        "",
        "## Open items",
        "",
        *_open_items(root, state_doc),
        "",
        "## Repository",
        "",
        *facts.lines(),
    ]
    return shown("\n".join(lines)) + "\n"


def read_source(root: str, path: str) -> str:
    """Return the text of a document of the project.

    Raises:
        RefusedError: It is not inside, not there, or cannot be read.

    """
    from hpp.core.errors import RefusedError
    from hpp.core.portable.fsread import contain

    place = contain(path, root)
    try:
        with open(place, "rb") as file:
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        raise RefusedError(f"{shorten(path)}: there is no such file") from None
    except OSError as error:
        raise RefusedError(f"{shorten(path)}: cannot be read: {error.strerror}") from None
    if len(data) > _LARGEST:
        raise RefusedError(f"{shorten(path)}: larger than 4 MiB")
    return data.decode("utf-8-sig", "replace")


def _open_items(root: str, state_doc: str) -> list[str]:
    from _lib.markdown import checkboxes

    from hpp.core.errors import RefusedError

    try:
        text = read_source(root, state_doc)
    except RefusedError as error:
        return [f"missing: {error}"]
    found = [each for each in checkboxes(text) if not each.is_checked]
    lines = [f"- [ ] {shorten(each.text, _LONGEST_ITEM)} (line {each.line})" for each in found]
    if len(lines) > _MOST_ITEMS:
        lines[_MOST_ITEMS:] = [
            f"and {len(lines) - _MOST_ITEMS} more in {os.path.basename(state_doc)}"
        ]
    return lines or ["none"]
