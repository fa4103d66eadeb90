"""Who judges: nothing that decides may come from the tree that is judged.

A change could bring a manifest whose loop has one step, a list of allowed signers with a
key of its own, a package named `hpp`, a program named `git`. Each is refused before it is
read, imported or run.
"""

from __future__ import annotations

import os
import sys

from hpp.core.canonical import sha256_hex
from hpp.core.document import read_state, shown_name
from hpp.core.errors import RefusedError
from hpp.core.git import git
from hpp.core.loop import Loop
from hpp.core.manifest import packaged_manifest_path, parse_manifest
from hpp.core.strictjson import SMALL_LIMIT, parse_bytes
from hpp.core.text import printable, shorten
from hpp.core.worktree import worktree_top

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["Judge", "Tree", "find_tree"]

_PROGRAMS = ("git", "ssh-keygen")


class Tree:
    """What is judged.

    Attributes:
        root: The workspace, the folder that holds ``.hpp``.
        top: The work tree that holds it.

    """

    __slots__ = ("root", "top")

    def __init__(self, root: str, top: str) -> None:
        self.root = root
        self.top = top

    def holds(self, path: str) -> bool:
        """Say whether a path leads through the tree, as written or with links followed."""
        full = os.path.abspath(path)
        return _is_below(full, self.top) or _is_below(os.path.realpath(full), self.top)


class Judge:
    """What decides, all of it from outside the judged tree.

    Attributes:
        loop: The loop that orders the work.
        allowed_signers: Path of the list of keys, or None.

    """

    def __init__(self, tree: Tree, manifest: str | None, allowed_signers: str | None) -> None:
        path = _outside(tree, "--manifest", manifest) or packaged_manifest_path()
        self.is_packaged = manifest is None
        self.manifest = "packaged manifest" if manifest is None else manifest
        data = _bytes(path)
        self.manifest_sha256 = sha256_hex(data)
        where = shown_name(path)
        self.loop = Loop.of(parse_manifest(parse_bytes(data, where, root=dict), where))
        self.allowed_signers = _outside(tree, "--allowed-signers", allowed_signers)
        self._signers_given = allowed_signers
        self.signers_sha256 = None
        if self.allowed_signers is not None:
            self.signers_sha256 = sha256_hex(_bytes(self.allowed_signers))

    @property
    def approvals(self) -> str:
        """Return what an approval is worth: ``signed``, or ``claims`` of whoever wrote it."""
        return "claims" if self.allowed_signers is None else "signed"

    def line(self) -> str:
        """Return who judged, in one line."""
        named = self._named(self.manifest, self.manifest_sha256)
        loop = f"loop of the {'' if self.is_packaged else 'manifest '}{named}"
        if self._signers_given is None or self.signers_sha256 is None:
            return f"judge: {loop}; no allowed signers, so approvals are claims\n"
        signers = self._named(self._signers_given, self.signers_sha256)
        return f"judge: {loop}; allowed signers of {signers}\n"

    def document(self) -> dict[str, Any]:
        """Return who judged, as the JSON document has it."""
        signers = None
        if self._signers_given is not None:
            signers = {"file": printable(self._signers_given), "sha256": self.signers_sha256}
        return {
            "manifest": {
                "file": None if self.is_packaged else printable(self.manifest),
                "sha256": self.manifest_sha256,
            },
            "allowed_signers": signers,
            "approvals": self.approvals,
        }

    @staticmethod
    def _named(name: str, digest: str) -> str:
        return f"{printable(name)} (sha256 {digest[:12]})"


def find_tree(repo: str) -> Tree:
    """Return the tree to judge, once nothing of it can take part in the judgement.

    Raises:
        RefusedError: `repo` is in no work tree, or some code that judges lies in it.

    """
    if not os.path.isdir(repo):
        raise RefusedError(f"--repo {shorten(repo)}: there is no such folder")
    root = os.path.realpath(repo)
    top = worktree_top(root)
    if top is None:
        raise RefusedError(f"--repo {shorten(repo)}: it is in no git work tree")
    tree = Tree(root, top)
    for folder in (*_import_folders(), packaged_manifest_path()):
        if tree.holds(folder):
            raise RefusedError(
                f"{printable(folder)}: Python imports from it and it lies in the judged tree, "
                "which would judge itself; install hpp elsewhere and run: python -I -m hpp gate"
            )
    for name in _PROGRAMS:
        found = _program(name, tree)
        if found is not None and tree.holds(found):
            raise RefusedError(
                f"{printable(found)}: PATH finds this {name}, which lies in the judged tree"
            )
    told = git(["rev-parse", "--show-toplevel"], cwd=root)
    if not told.ok:
        reasons = {"no-git": "git is not installed", "timeout": "git did not answer in time"}
        reason = reasons.get(told.fault, "git does not accept it as a work tree")
        raise RefusedError(f"--repo {shorten(repo)}: {reason}")
    named = os.fsdecode(told.stdout.rstrip(b"\r\n"))
    if not os.path.samefile(named, top):
        raise RefusedError(
            f"--repo {shorten(repo)}: its git settings name another work tree (core.worktree)"
        )
    return tree


def _outside(tree: Tree, option: str, path: str | None) -> str | None:
    """Return the absolute path of a file that must not be the judged tree's own."""
    if path is None:
        return None
    if path in ("", "-"):
        raise RefusedError(f"{option}: it names no file")
    if tree.holds(path):
        raise RefusedError(
            f"{option} {shorten(path)}: it lies in the judged tree, which would judge itself"
        )
    return os.path.abspath(path)


def _bytes(path: str) -> bytes:
    """Return the bytes of a regular file; one that is read twice must be one."""
    data = read_state(path, limit=SMALL_LIMIT)
    if data is None:
        raise RefusedError(f"{printable(path)}: there is no such file")
    return data


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise RefusedError(f"the working folder cannot be found: {error.strerror}") from None


def _is_below(path: str, top: str) -> bool:
    """Say whether a folder is `path` or one of its parents, however either is spelled."""
    while True:
        try:
            if os.path.samefile(path, top):
                return True
        except OSError:
            pass  # a part that does not exist yet; its parents may
        parent = os.path.dirname(path)
        if parent == path:
            return False
        path = parent


def _import_folders() -> Iterator[str]:
    for folder in sys.path:
        yield folder or _working_folder()
    hpp = sys.modules.get("hpp")
    yield from getattr(hpp, "__path__", ())


def _program(name: str, tree: Tree) -> str | None:
    """Return the first file that a call could run under a name.

    A relative folder of PATH means another folder for each caller, and Windows looks in
    the working folder first; all of them are tried.
    """
    here = [_working_folder(), tree.root, tree.top]
    folders = [here] if os.name == "nt" else []
    folders += [
        [entry] if os.path.isabs(entry) else [os.path.join(one, entry) for one in here]
        for entry in os.environ.get("PATH", os.defpath).split(os.pathsep)
    ]
    file_name = f"{name}.exe" if os.name == "nt" else name
    for alternatives in folders:
        for folder in alternatives:
            path = os.path.join(folder, file_name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None
