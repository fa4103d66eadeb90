"""The page that the next session begins with: what files and git say, and nothing else."""

from __future__ import annotations

import os

from _lib.gitfacts import HEAD

from hpp.core.secretmark import may_hold_secret
from hpp.core.text import printable, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.gitfacts import Facts

__all__ = ["GENERATED", "page", "read_source"]

GENERATED = "Generated: "
_MOST_ITEMS = 25
_LONGEST_ITEM = 300
_LONGEST_WORD = 31  # what is longer may be a secret by its looks alone
_MORE_MARKS = ("cookie", "sbp_", "sb_secret_", "age-secret-key-", "-p")
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
        *(line if line.startswith(HEAD) else _safe(line) for line in facts.lines()),
    ]
    return "\n".join(lines) + "\n"


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


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_ITEM else f"{text[:_LONGEST_ITEM]}..."


def _safe(text: str) -> str:
    """Return a line without secrets and controls; most lines hold no sign of either."""
    words = text.split()
    is_plain = text.isprintable() and max(map(len, words), default=0) <= _LONGEST_WORD
    low = text.lower()
    if is_plain and not may_hold_secret(text) and not any(mark in low for mark in _MORE_MARKS):
        return text
    from hpp.core.portable.redact import shown

    return printable(shown(text))


def _open_items(root: str, state_doc: str) -> list[str]:
    from _lib.markdown import checkboxes

    from hpp.core.errors import RefusedError

    try:
        text = read_source(root, state_doc)
    except RefusedError as error:
        return [f"missing: {error}"]
    found = [each for each in checkboxes(text) if not each.is_checked]
    # Masked before it is cut, so that no half of a secret stays.
    lines = [f"- [ ] {_cut(_safe(each.text))} (line {each.line})" for each in found]
    if len(lines) > _MOST_ITEMS:
        lines[_MOST_ITEMS:] = [
            f"and {len(lines) - _MOST_ITEMS} more in {os.path.basename(state_doc)}"
        ]
    return lines or ["none"]
