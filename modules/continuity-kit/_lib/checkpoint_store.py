"""A snapshot of the working tree as a commit of its own, beside everything a person uses.

Index, working tree, HEAD, branches and stash of the person are never touched, and no hook
of the repository runs. The snapshot starts from a copy of the person's index, which brings
what is tracked although ignored, and a sparse checkout as it is.
"""

from __future__ import annotations

import os
import shutil
import time

from _lib.checkpointref import CheckpointError, Turn, head_tree, key_of, namespace, read_turns

from hpp.core.errors import HppError
from hpp.core.portable import anchor, redact
from hpp.core.portable.fswrite import HOOK_WAIT_S, locked
from hpp.core.portable.gitproc import GitError, decode, git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Self

__all__ = ["BUDGET_S", "KEEP", "Snapshot", "take"]

KEEP = 50
BUDGET_S = 20.0
_LARGEST = 10 * 1024 * 1024
_MOST_TRIES = 3
_LONGEST_LABEL = 120
_IDENTITY = ("-c", "user.name=hpp-checkpoint", "-c", "user.email=checkpoint@localhost.invalid")
_EXCLUDED = (".env*", "*.pem", "*.key", "*.p12", "*.pfx", "id_rsa*", "id_ed25519*", "*.kdbx")


def take(  # noqa: PLR0913 -- what the command line can say
    root: str,
    session: str,
    *,
    label: str = "",
    tracked_only: bool = False,
    keep: int = KEEP,
    budget_s: float = BUDGET_S,
) -> dict[str, Any]:
    """Write the checkpoint of a turn, or find that nothing changed since the last one.

    Returns:
        ``session``, ``turn``, ``ref``, ``commit``, ``tree``, ``unchanged``, ``parent``; turn,
        ref and commit of the last one, or None, when nothing changed.

    Raises:
        CheckpointError: It could not be taken; nothing was left behind.

    """
    with Snapshot(root, session, budget_s, tracked_only=tracked_only) as snapshot:
        return snapshot.write(label, keep)


class Snapshot:
    """The tree of a project as it is now; a context manager that holds the session's lock.

    Args:
        root: The project.
        session: The session's id, as the host gives it.
        budget_s: Seconds for all of it.
        tracked_only: Leave out what git does not track.

    Attributes:
        tree: The id of the tree.
        last: The newest checkpoint of the session; None before the first.

    """

    def __init__(
        self, root: str, session: str, budget_s: float = BUDGET_S, *, tracked_only: bool = False
    ) -> None:
        self._root = root
        self._session = session
        self._deadline = time.monotonic() + budget_s
        self._tracked_only = tracked_only
        self._lock: locked | None = None
        self._env: dict[str, str] = {}
        self.tree = ""
        self.last: Turn | None = None

    def __enter__(self) -> Self:
        try:
            folder = self._folder()
            # Not the index's own name: git makes a lock of that name itself.
            self._lock = locked(os.path.join(folder, "turn"), HOOK_WAIT_S)
            self._lock.__enter__()
            try:
                self._env = {"GIT_INDEX_FILE": self._index(folder)}
                self.last = _last(read_turns(self._root, self._session, self._deadline))
                self.tree = self._tree(folder)
            except BaseException:
                self._lock.__exit__()
                raise
        except CheckpointError:
            raise
        except (HppError, OSError) as error:
            raise CheckpointError(str(error)) from None
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.__exit__()

    @property
    def has_changed(self) -> bool:
        """Say whether the tree differs from the last checkpoint's, or from HEAD's."""
        before = self.last.tree if self.last else head_tree(self._root, self._deadline)
        return self.tree != before

    def write(self, label: str = "", keep: int = KEEP) -> dict[str, Any]:
        """Keep the tree as the next turn; see `take`."""
        try:
            made = self._made(label) if self.has_changed else None
        except (HppError, OSError) as error:
            raise CheckpointError(str(error)) from None
        turn = made or self.last
        if made is not None:
            self._thin(keep)
        return {
            "session": self._session, "turn": turn.number if turn else None,
            "ref": turn.ref if turn else None, "commit": turn.commit if turn else None,
            "tree": self.tree, "unchanged": made is None,
            "parent": made.parent if made else None,
        }  # fmt: skip

    def _folder(self) -> str:
        own = anchor.git_dir(self._root)
        if own is None:
            raise CheckpointError("no git repository here")
        base = os.environ.get("HPP_CHECKPOINT_STATE_DIR") or os.path.join(own, "hpp", "checkpoint")
        folder = os.path.join(base, key_of(self._session))
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return os.path.abspath(folder)

    def _index(self, folder: str) -> str:
        """Return the place of an index of our own, a fresh copy of the person's."""
        place = os.path.join(folder, "index")
        for left in (place, f"{place}.lock"):  # of a run that was ended
            if os.path.lexists(left):
                os.unlink(left)
        theirs = os.path.join(anchor.git_dir(self._root) or "", "index")
        try:
            # With its times: git looks into a file that is as new as the index, and only then
            # sees a change that left size and time as they were.
            shutil.copy2(theirs, place)
        except OSError:
            self._from_head(place)
        return place

    def _from_head(self, place: str) -> None:
        if self._is_sparse():
            raise CheckpointError("the index cannot be copied, and the checkout is sparse")
        if head_tree(self._root, self._deadline) is not None:
            self._git("read-tree", "HEAD", env={"GIT_INDEX_FILE": place})

    def _is_sparse(self) -> bool:
        try:
            said = self._git("config", "--type=bool", "--get", "core.sparseCheckout")
        except GitError as error:
            if error.status == 1:  # not set
                return False
            raise
        return decode(said).strip() == "true"

    def _tree(self, folder: str) -> str:
        paths = [".", *(f":(exclude,icase,glob)**/{glob}" for glob in _EXCLUDED)]
        if not self._tracked_only:
            paths += [f":(exclude,literal){path}" for path in self._large()]
        listed = os.path.join(folder, "paths")
        with open(listed, "wb") as file:
            file.write(b"\0".join(os.fsencode(path) for path in paths))
        how = "-u" if self._tracked_only else "-A"
        self._git("add", how, f"--pathspec-from-file={listed}", "--pathspec-file-nul")
        return decode(self._git("write-tree")).strip()

    def _large(self) -> list[str]:
        data = self._git("ls-files", "--others", "--exclude-standard", "-z", "--", ".")
        names = [name for name in decode(data).split("\0") if name]
        return [name for name in names if _size(os.path.join(self._root, name)) > _LARGEST]

    def _made(self, label: str) -> Turn:
        parent = self.last.commit if self.last else anchor.head(self._root)
        if parent is None and head_tree(self._root, self._deadline) is not None:
            parent = decode(self._git("rev-parse", "--verify", "HEAD")).strip()
        number = self.last.number + 1 if self.last else 1
        for left in range(_MOST_TRIES, 0, -1):
            commit = self._commit(number, label, parent)
            ref = f"{namespace(self._session)}/{number}"
            try:
                self._git("update-ref", ref, commit, "")
            except GitError as error:
                if left == 1 or error.fault != "failed":
                    raise
                turns = read_turns(self._root, self._session, self._deadline)
                number = max((turn.number for turn in turns), default=number) + 1
                continue
            return Turn(number, ref, commit, self.tree, parent)
        raise CheckpointError("no free number")

    def _commit(self, number: int, label: str, parent: str | None) -> str:
        said = f"checkpoint turn {number} session {key_of(self._session)}"
        if label:
            safe = " ".join(redact.redact(redact.cut(label, 2000)).split())
            said += f" :: {safe[:_LONGEST_LABEL]}"
        words = ["commit-tree", self.tree, "-m", said, *(["-p", parent] if parent else [])]
        try:
            made = self._git("-c", "user.useConfigOnly=true", *words)
        except GitError as error:
            if error.fault != "failed":
                raise
            made = self._git(*_IDENTITY, *words)  # the repository has no identity
        return decode(made).strip()

    def _thin(self, keep: int) -> None:
        try:
            for turn in read_turns(self._root, self._session, self._deadline)[:-keep]:
                self._git("update-ref", "-d", turn.ref, turn.commit)
        except GitError:
            return  # next time

    def _git(self, *words: str, env: dict[str, str] | None = None) -> bytes:
        return git(self._root, words, self._deadline, self._env if env is None else env)


def _last(turns: list[Turn]) -> Turn | None:
    return turns[-1] if turns else None


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0
