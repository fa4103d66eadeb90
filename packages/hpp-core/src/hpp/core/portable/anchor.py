"""What a clone or a pull cannot deliver: trust that lives in git's own folder.

Git tracks no path named ``.git``, so nobody can send an entry along with a repository. All
of it is read from files; no process is started. Writing is `anchor_write`'s part.
"""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["SCHEMA", "anchor_path", "branch", "common_dir", "git_dir", "head", "load", "read"]

SCHEMA = "module-trust/v1"
_MOST = 4 * 1024 * 1024
_NAME = ("hpp", "module-trust.json")
_HEX = frozenset("0123456789abcdef")
_COMMIT_LENGTHS = (40, 64)
_MOST_LINKS = 5


def read(root: str) -> dict[str, Any] | None:
    """Return what is trusted here; None when there is no git folder to hold it.

    Returns:
        ``handoffs`` (id to sha256), ``gotcha_stores`` (ids), ``health_probes`` (objects), each
        empty when nothing was written yet.

    Raises:
        RefusedError: The file is there and is not what we write.

    """
    path = anchor_path(root)
    return None if path is None else load(path)


def load(path: str) -> dict[str, Any]:
    """Return the trust that a file holds; see `read`."""
    data = _bytes(path)
    if data is None:
        return {"schema": SCHEMA, "handoffs": {}, "gotcha_stores": [], "health_probes": []}
    where = "/".join(_NAME)
    found: dict[str, Any] = parse_bytes(data, where, root=dict)
    if found.get("schema") != SCHEMA:
        raise RefusedError(f"{where}: schema: expected {SCHEMA!r}")
    wanted = (("handoffs", dict), ("gotcha_stores", list), ("health_probes", list))
    for key, kind in wanted:
        if not isinstance(found.setdefault(key, kind()), kind):
            shown = "an object" if kind is dict else "a list"
            raise RefusedError(f"{where}: {key}: expected {shown}")
    return found


def anchor_path(root: str) -> str | None:
    """Return the file that holds the trust; it may not exist yet. None without git."""
    common = common_dir(root)
    return None if common is None else os.path.join(common, *_NAME)


def git_dir(root: str) -> str | None:
    """Return git's folder for a working tree, from its top or below; None without git."""
    folder = os.path.abspath(root)
    while True:
        entry = os.path.join(folder, ".git")
        if os.path.isdir(entry):
            return entry
        if os.path.isfile(entry):
            return _pointed(entry, b"gitdir:", folder)
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def common_dir(root: str) -> str | None:
    """Return the folder that all working trees of a repository share; None without git."""
    own = git_dir(root)
    if own is None:
        return None
    shared = os.path.join(own, "commondir")
    return _pointed(shared, b"", own) if os.path.isfile(shared) else own


def branch(root: str) -> str | None:
    """Return the branch that is checked out; None when there is none."""
    name = _symbolic(_head_text(root))
    prefix = "refs/heads/"
    return name[len(prefix) :] if name is not None and name.startswith(prefix) else None


def head(root: str) -> str | None:
    """Return the full id of the commit that is checked out; None when no file tells."""
    own, common = git_dir(root), common_dir(root)
    if own is None or common is None:
        return None
    text = _head_text(root)
    for _ in range(_MOST_LINKS):
        name = _symbolic(text)
        if name is None:
            return text if text is not None and _is_commit(text) else None
        if not _is_ref(name):
            return None
        loose = _line(os.path.join(own, *name.split("/")))
        text = loose or _line(os.path.join(common, *name.split("/"))) or _packed(common, name)
    return None


def _head_text(root: str) -> str | None:
    own = git_dir(root)
    return None if own is None else _line(os.path.join(own, "HEAD"))


def _symbolic(text: str | None) -> str | None:
    return text[len("ref:") :].strip() if text is not None and text.startswith("ref:") else None


def _is_ref(name: str) -> bool:
    parts = name.split("/")
    return parts[0] == "refs" and all(part not in ("", ".", "..") for part in parts)


def _is_commit(text: str) -> bool:
    return len(text) in _COMMIT_LENGTHS and _HEX.issuperset(text)


def _packed(common: str, name: str) -> str | None:
    data = _bytes(os.path.join(common, "packed-refs"))
    wanted = name.encode("utf-8", "surrogateescape")
    for line in (data or b"").split(b"\n"):
        commit, _, ref = line.rstrip(b"\r").partition(b" ")
        if ref == wanted:
            return commit.decode("ascii", "replace")
    return None


def _pointed(path: str, label: bytes, base: str) -> str | None:
    """Return the folder that a file names, if it is there."""
    line = (_bytes(path) or b"").partition(b"\n")[0].rstrip(b"\r")
    if not line.startswith(label):
        return None
    target = os.fsdecode(line[len(label) :].strip())
    place = os.path.normpath(os.path.join(base, target))
    return place if target and os.path.isdir(place) else None


def _line(path: str) -> str | None:
    data = _bytes(path)
    if data is None:
        return None
    return data.partition(b"\n")[0].strip().decode("utf-8", "surrogateescape")


def _bytes(path: str) -> bytes | None:
    """Return the bytes of a file; None when there is none.

    Raises:
        RefusedError: It is there and cannot be read, which is not the same as absent.

    """
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST + 1)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        name = os.path.basename(path)
        raise RefusedError(f"{name}: cannot be read: {error.strerror}") from None
    if len(data) > _MOST:
        raise RefusedError(f"{os.path.basename(path)}: larger than 4 MiB")
    return data
