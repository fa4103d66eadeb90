"""``CHECKSUMS.txt``: what a module consists of, one line a file."""

from __future__ import annotations

from dataclasses import dataclass, field

from hpp.core.canonical import sha256_hex
from hpp.core.text import shorten
from hpp.installer.formats.problem import block
from hpp.installer.formats.relativepath import collisions, path_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hpp.installer.formats.problem import Problem

__all__ = ["NAME", "Inventory", "inventory_bytes", "parse_inventory", "sha256_hex"]

NAME = "CHECKSUMS.txt"
_DIGITS = frozenset("0123456789abcdef")
_DIGEST = 64
_EMIT_AGAIN = "take the module from its distribution again"


@dataclass(slots=True)
class Inventory:
    """What an inventory says.

    Attributes:
        files: SHA-256 by path; what could be read of them.
        malformed: Lines that are none, as they stand.
        unsafe: Paths that no file of a module may have.
        problems: Everything for which the inventory is refused.

    """

    files: dict[str, str] = field(default_factory=dict)
    malformed: list[str] = field(default_factory=list)
    unsafe: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def inventory_bytes(digests: Mapping[str, str]) -> bytes:
    """Return the inventory of files, given their SHA-256 by path."""
    lines = [f"{digests[path]}  {path}\n" for path in sorted(digests, key=str.encode)]
    return "".join(lines).encode("ascii")


def parse_inventory(data: bytes) -> Inventory:
    """Read an inventory; nothing of it is skipped silently."""
    found = Inventory()
    if data.startswith(b"\xef\xbb\xbf"):
        _malformed(found, "a byte-order mark", "it begins with a byte-order mark")
        data = data[3:]
    if b"\r" in data:
        _carriage_returns(found, data)
        data = data.replace(b"\r\n", b"\n")
    if not data.strip():
        told = "it lists no file"
        found.problems.append(
            block("inventory-empty", NAME, told, expected="a line per file", next_step=_EMIT_AGAIN)
        )
        return found
    text = data.decode("utf-8", "backslashreplace")
    if not text.endswith("\n"):
        _malformed(found, text.rsplit("\n", 1)[-1], "its last line has no end")
    for line in text.removesuffix("\n").split("\n"):
        _line(found, line)
    for first, second in collisions(found.files):
        told = f"{first} and {second} are one file on some systems"
        expected = "names that differ in more than case"
        found.problems.append(
            block("case-collision", second, told, expected=expected, next_step=_EMIT_AGAIN)
        )
    return found


def _carriage_returns(found: Inventory, data: bytes) -> None:
    told = "it holds carriage returns"
    step = _EMIT_AGAIN
    if data.count(b"\r\n") == data.count(b"\n") == data.count(b"\r"):
        told = "every line ends in CR LF: line ends were rewritten by git"
        step = "add `* -text` to .gitattributes and check the module out again"
    _malformed(found, "carriage returns", told, step)


def _line(found: Inventory, line: str) -> None:
    digest, path = line[:_DIGEST], line[_DIGEST + 2 :]
    is_digest = len(digest) == _DIGEST and not set(digest) - _DIGITS
    if not is_digest or line[_DIGEST : _DIGEST + 2] != "  " or not path:
        _malformed(found, line, f'"{shorten(line)}" is no digest, two blanks and a path')
    elif fault := path_fault(path):
        found.unsafe.append(path)
        found.problems.append(
            block(
                "unsafe-path",
                shorten(path, 200),
                fault,
                expected="a portable path inside the module",
                next_step=_EMIT_AGAIN,
            )
        )
    elif path.casefold() == NAME.casefold():
        _malformed(found, line, "it lists itself")
    elif path in found.files:
        _malformed(found, line, f"{path} is listed twice")
    else:
        found.files[path] = digest


def _malformed(found: Inventory, line: str, told: str, step: str = _EMIT_AGAIN) -> None:
    found.malformed.append(shorten(line, 200))
    found.problems.append(
        block(
            "inventory-malformed",
            NAME,
            told,
            expected="64 lower-case hexadecimal digits, two blanks, a path and a line feed",
            next_step=step,
        )
    )
