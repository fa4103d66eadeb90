"""The paths and the added lines of a patch as Codex CLI's ``apply_patch`` takes it."""

from __future__ import annotations

__all__ = ["read_patch"]

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _UPDATE, _DELETE, _MOVE = (
    "*** Add File: ",
    "*** Update File: ",
    "*** Delete File: ",
    "*** Move to: ",
)


def read_patch(text: str) -> list[tuple[str, str]]:
    """Return ``(path, added text)`` for each file of a patch, in its order.

    A file that moves gives two pairs: its former path, which adds nothing, and its new one.
    Text before the first marker (a shell's here-document, say) is passed over. Empty when
    there is no patch in the text.
    """
    files: list[tuple[str, list[str]]] = []
    is_inside = in_update = False
    for raw in text.split("\n"):
        line = raw.rstrip("\r")
        # Blanks in front of a header do not hide it, but in an update they make it context.
        header = line if in_update else line.lstrip()
        if not is_inside:
            is_inside = line.strip() == _BEGIN
        elif header.rstrip() == _END:
            is_inside = in_update = False
        elif header.startswith((_ADD, _UPDATE, _DELETE)):
            files.append((header.partition(": ")[2].strip(), []))
            in_update = header.startswith(_UPDATE)
        elif header.startswith(_MOVE) and files:
            files.append((header[len(_MOVE) :].strip(), []))
        elif line.startswith("+") and files:
            files[-1][1].append(line[1:])
    return [(path, "\n".join(added)) for path, added in files if path]
