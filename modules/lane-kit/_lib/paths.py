"""Where the lanes of a repository keep what they share, whatever worktree they work in."""

from __future__ import annotations

import os

from hpp.core import worktree
from hpp.core.portable.anchor import common_dir, git_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Place", "find_place", "same_path", "shared_root", "worktree_top"]

_FOLDER = (".claude", "lanes")


class Place:
    """The files of one repository's lanes.

    Attributes:
        project: Top of the worktree that was asked about.
        root: The main worktree, which all lanes share.
        folder: The folder with the lanes' files.

    """

    __slots__ = ("folder", "project", "root")

    def __init__(self, project: str, root: str, folder: str) -> None:
        self.project = project
        self.root = root
        self.folder = folder

    def path(self, *names: str) -> str:
        """Return the place of a file of the lanes."""
        return os.path.join(self.folder, *names)

    @property
    def board(self) -> str:
        """Return the board's file."""
        return self.path("board.jsonl")

    @property
    def registry(self) -> str:
        """Return the registry's file."""
        return self.path("registry.json")

    @property
    def effects(self) -> str:
        """Return the ledger of effects."""
        return self.path("effects.jsonl")

    @property
    def config(self) -> str:
        """Return the configuration."""
        return self.path("lanes.yaml")


def find_place(start: str, env: Mapping[str, str]) -> Place:
    """Return the files of the lanes of the repository that a folder lies in.

    ``HPP_LANES_DIR`` names another folder.

    Raises:
        RefusedError: The way to the folder leads through a link.

    """
    from hpp.core.portable.fsread import contain

    project = worktree_top(start)
    root = shared_root(project)
    named = env.get("HPP_LANES_DIR", "")
    if named:
        return Place(project, root, os.path.abspath(os.path.join(root, named)))
    # `contain` refuses a link on the way, which could send what we write anywhere.
    return Place(project, root, contain("/".join(_FOLDER), root))


def worktree_top(start: str) -> str:
    """Return the top of the worktree that a folder lies in; without git, the folder."""
    folder = os.path.realpath(start)
    return worktree.worktree_top(folder) or folder


def shared_root(top: str) -> str:
    """Return the main worktree of the repository of a worktree.

    A bare repository has none, and its own folder stands for it.
    """
    common = common_dir(top)
    if common is None or common == git_dir(top):
        return top
    common = os.path.realpath(common)
    return os.path.dirname(common) if os.path.basename(common) == ".git" else common


def same_path(one: str, other: str) -> bool:
    """Say whether two texts name one place."""
    return _plain(one) == _plain(other)


def _plain(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))
