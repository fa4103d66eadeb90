"""The file of captured prompts: raw words of the operator, one entry each, never a rule."""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.core.portable.digest import text_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ARCHIVE", "FILE", "MOST", "capture"]

FILE, ARCHIVE = "_captured-rules.md", "_captured-rules.archive.md"
MOST = 500
_LONGEST = 2000
_LARGEST = 4 * 1024 * 1024
_HEADER = """\
# Captured prompts

Raw words of the operator that hold an emphasis marker, as they were typed. Nothing here is a
rule: a person decides what becomes one.
"""
_ENTRY = "\n## "
_WITHHELD = "text withheld: secret-like"


def capture(  # noqa: PLR0913 -- one fact each, by keyword
    root: str,
    memory_dir: str,
    *,
    prompt: str,
    markers: Sequence[str],
    moment: str,
    wait_s: float,
) -> bool:
    """Add a prompt, and say whether it was new.

    Args:
        root: The project's folder.
        memory_dir: Below it.
        prompt: As it was typed; one with secret-like text is not stored.
        markers: What it was captured for.
        moment: UTC time, for the entry.
        wait_s: Most seconds to wait for another writer.

    Raises:
        HppError: The folder is not inside of the project, the file cannot be read or written.

    """
    from hpp.core.portable.fsread import contain
    from hpp.core.portable.fswrite import atomic_write, locked

    folder = contain(memory_dir, root)
    path = contain(f"{memory_dir}/{FILE}", root)
    archive = contain(f"{memory_dir}/{ARCHIVE}", root)
    digest = text_digest(" ".join(prompt.split()))
    os.makedirs(folder, exist_ok=True)
    with locked(path, wait_s):
        text = _read(path) or _HEADER
        if digest in text or digest in _read(archive):
            return False
        entries = text.split(_ENTRY)
        head, entries = entries[0], entries[1:]
        entries.append(_entry(prompt, markers, moment, digest))
        old, kept = entries[:-MOST], entries[-MOST:]
        if old:
            before = _read(archive) or _HEADER
            atomic_write(archive, _joined(before.rstrip("\n") + "\n", old))
        atomic_write(path, _joined(head, kept))
    return True


def _joined(head: str, entries: Sequence[str]) -> bytes:
    return (head + "".join(_ENTRY + each for each in entries)).encode("utf-8", "replace")


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise RefusedError(f"{os.path.basename(path)}: cannot be read: {error.strerror}") from None
    if len(data) > _LARGEST:
        raise RefusedError(f"{os.path.basename(path)}: larger than 4 MiB; move entries away")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedError(f"{os.path.basename(path)}: not UTF-8") from None


def _entry(prompt: str, markers: Sequence[str], moment: str, digest: str) -> str:
    from hpp.core.portable.redact import clean, find_secrets

    named = ", ".join(clean(marker) for marker in markers)
    head = f"{moment}\n\n- markers: {named}\n- sha256: {digest}\n\n"
    if find_secrets(prompt):
        return f"{head}> {_WITHHELD}\n"
    text = clean(prompt.replace("\r\n", "\n").replace("\r", "\n"))
    rest = len(text) - _LONGEST
    if rest > 0:
        text = f"{text[:_LONGEST]}\n({rest} more characters)"
    quoted = "\n".join(f"> {line}".rstrip() for line in text.strip("\n").split("\n"))
    return f"{head}{quoted}\n"
