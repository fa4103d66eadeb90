"""Zip archives of modules: written as a pure function of their bytes, read with suspicion."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib

from hpp.core.text import shorten
from hpp.installer.formats.problem import block
from hpp.installer.formats.relativepath import collisions, path_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from hpp.installer.formats.problem import Problem

__all__ = [
    "LARGEST_MEMBER",
    "LARGEST_TOTAL",
    "MOST_MEMBERS",
    "Archive",
    "form_faults",
    "member_mode",
    "read_zip",
    "zip_bytes",
]

MOST_MEMBERS = 4096
LARGEST_MEMBER = 8 * 1024 * 1024
LARGEST_TOTAL = 64 * 1024 * 1024
HIGHEST_RATIO = 100
# Names and headers of the most members that there may be.
LARGEST_ARCHIVE = LARGEST_TOTAL + MOST_MEMBERS * 512

_UNIX = 3
_INSTANT = (1980, 1, 1, 0, 0, 0)
_ENCRYPTED = 0x1
_AFTERWARDS = 0x8  # sizes follow the data
_ELSEWHERE = "take the archive from its distribution again"


class Archive:
    """What an archive holds.

    Attributes:
        files: Bytes by name, in the order of the archive; empty when it is refused.
        problems: Everything for which it is refused.

    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.problems: list[Problem] = []

    def refuse(self, code: str, name: str, measured: str, expected: str) -> None:
        """Add a reason to refuse it."""
        self.problems.append(
            block(code, shorten(name, 200), measured, expected=expected, next_step=_ELSEWHERE)
        )


def member_mode(path: str, executables: Collection[str] = ()) -> int:
    """Return the permission bits of a module's file: by its name, never by the disk."""
    return 0o755 if path.endswith(".sh") or path in executables else 0o644


def zip_bytes(files: Mapping[str, bytes], executables: Collection[str] = ()) -> bytes:
    """Return the archive of files, the same bytes on every system and Python.

    Stored: what a deflater writes depends on its build. No time, no owner, no folders.

    Args:
        files: Bytes by path; every path is fit for a module.
        executables: Paths that get mode 0755 besides ``*.sh``.

    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(files, key=str.encode):
            member = zipfile.ZipInfo(path, _INSTANT)
            member.create_system = _UNIX
            member.external_attr = (stat.S_IFREG | member_mode(path, executables)) << 16
            archive.writestr(member, files[path])
    return out.getvalue()


def read_zip(data: bytes, name: str) -> Archive:
    """Read every member into memory, or say why none is.

    Args:
        data: The whole archive.
        name: What problems call it.

    """
    found = Archive()
    if len(data) > LARGEST_ARCHIVE:
        most = f"at most {LARGEST_ARCHIVE} bytes"
        found.refuse("archive-limit", name, f"{len(data)} bytes", most)
        return found
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _judge(found, archive.infolist(), name, len(data))
            if not found.problems:
                _read(found, archive)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        ValueError,
        NotImplementedError,
    ) as error:
        found.refuse("zip-invalid", name, f"it cannot be read: {error}", "a zip archive")
    except RuntimeError as error:  # zipfile's word for encrypted members
        found.refuse("archive-member", name, str(error), "members in the clear")
    if found.problems:
        found.files.clear()
    return found


def _judge(found: Archive, members: list[zipfile.ZipInfo], name: str, size: int) -> None:
    """Look at every entry before any of them is read."""
    if len(members) > MOST_MEMBERS:
        most = f"at most {MOST_MEMBERS}"
        found.refuse("archive-limit", name, f"{len(members)} members", most)
        return
    seen: set[str] = set()
    for member in members:
        # As it stands in the archive: on Windows `filename` has its backslashes turned.
        own = member.orig_filename
        _judge_name(found, own, seen)
        _judge_kind(found, member, own)
        _judge_size(found, member, own)
    for first, second in collisions(seen):
        told = f"{first} and {second} are one file on some systems"
        found.refuse("case-collision", second, told, "names that differ in more than case")
    total = sum(member.file_size for member in members)
    if total > LARGEST_TOTAL:
        most = f"at most {LARGEST_TOTAL}"
        found.refuse("archive-limit", name, f"{total} bytes unpacked", most)
    if sum(member.compress_size for member in members) > size:
        found.refuse("archive-member", name, "members overlap", "each with bytes of its own")


def _judge_name(found: Archive, own: str, seen: set[str]) -> None:
    if fault := path_fault(own):
        found.refuse("unsafe-path", own, fault, "a portable path inside the module")
    elif own in seen:
        found.refuse("archive-member", own, "it is there twice", "each name once")
    else:
        seen.add(own)


def _judge_kind(found: Archive, member: zipfile.ZipInfo, own: str) -> None:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG) or own.endswith("/"):
        told = "it is a link" if kind == stat.S_IFLNK else "it is no regular file"
        found.refuse("archive-member", own, told, "regular files alone")
    if member.flag_bits & _ENCRYPTED:
        found.refuse("archive-member", own, "it is encrypted", "members in the clear")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        told = f"compression method {member.compress_type}"
        found.refuse("archive-member", own, told, "stored or deflated")


def _judge_size(found: Archive, member: zipfile.ZipInfo, own: str) -> None:
    if member.file_size > LARGEST_MEMBER:
        most = f"at most {LARGEST_MEMBER}"
        found.refuse("archive-limit", own, f"{member.file_size} bytes", most)
    if member.file_size > HIGHEST_RATIO * member.compress_size:
        told = f"{member.file_size} bytes out of {member.compress_size}"
        found.refuse("archive-limit", own, told, f"at most {HIGHEST_RATIO} to 1")


def _read(found: Archive, archive: zipfile.ZipFile) -> None:
    for member in archive.infolist():
        with archive.open(member) as stream:
            # A header may lie about the size; what comes is bounded all the same.
            data = stream.read(LARGEST_MEMBER + 1)
        if len(data) != member.file_size:
            told = f"{len(data)} bytes where its header says {member.file_size}"
            found.refuse("archive-member", member.orig_filename, told, "what the header says")
        found.files[member.orig_filename] = data


def form_faults(data: bytes, executables: Collection[str] = ()) -> list[str]:
    """Return where an archive differs from what `zip_bytes` makes of its own members."""
    archive = read_zip(data, "the archive")
    if archive.problems:
        return [f"{problem.path}: {problem.measured}" for problem in archive.problems]
    if zip_bytes(archive.files, executables) == data:
        return []
    return _differences(data, executables) or ["it is not written the way the forge writes it"]


def _differences(data: bytes, executables: Collection[str]) -> list[str]:
    found: list[str] = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        names = [member.orig_filename for member in members]
        if names != sorted(names, key=str.encode):
            found.append("its members are not sorted")
        if archive.comment or any(member.comment or member.extra for member in members):
            found.append("it holds a comment or an extra field")
        for member in members:
            wanted = (stat.S_IFREG | member_mode(member.orig_filename, executables)) << 16
            told = {
                "is not stored": member.compress_type != zipfile.ZIP_STORED,
                "has a time of its own": member.date_time != _INSTANT,
                "is not marked as from Unix": member.create_system != _UNIX,
                "has another mode": member.external_attr != wanted,
                "has its sizes after its data": bool(member.flag_bits & _AFTERWARDS),
            }
            found += [f"{member.orig_filename} {what}" for what, is_so in told.items() if is_so]
    return found
