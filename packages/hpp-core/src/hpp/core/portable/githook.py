"""A hook of ours in a git repository, chained behind the one that was there.

Whatever stands in the hooks folder under the name is kept under another that was free, as
it was: bytes, permission bits, and a link as a link. Nothing that was kept is overwritten.
"""

from __future__ import annotations

import os
import stat
import subprocess

from hpp.core.git import git_environment
from hpp.core.portable.hookwrapper import Wrapper, read_wrapper
from hpp.core.portable.report import WARN, ToolRefusedError, problem

__all__ = ["HOOKS", "GitHook"]

HOOKS = frozenset(
    {
        "applypatch-msg", "commit-msg", "fsmonitor-watchman", "p4-changelist", "p4-post-changelist",
        "p4-pre-submit", "p4-prepare-changelist", "post-applypatch", "post-checkout", "post-commit",
        "post-index-change", "post-merge", "post-receive", "post-rewrite", "post-update",
        "pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase",
        "pre-receive", "prepare-commit-msg", "proc-receive", "push-to-checkout",
        "reference-transaction", "sendemail-validate", "update",
    }
)  # fmt: skip
TIMEOUT_S = 20
LARGEST = 8 * 1024 * 1024


class GitHook:
    """One hook of one repository, as it was found.

    Args:
        repo: A folder of the repository, as the person typed it.
        name: Which hook.

    Attributes:
        folder: Where the repository's hooks are, as git says.
        path: The hook's file.
        tracked: Whether the folder lies in the working tree, where a clone can bring it.
        present: What stands there: `none`, `ours` or `foreign`.
        wrapper: Ours, when it is.

    Raises:
        ToolRefusedError: No hook of git has that name, or this is no repository.

    """

    def __init__(self, repo: str, name: str) -> None:
        if name not in HOOKS:
            raise _refused("target-invalid", name, "no hook of git", "a name such as pre-commit")
        self.repo = repo
        self.name = name
        self.folder = os.path.join(repo, _git(repo, "--git-path", "hooks"))
        self.path = os.path.join(self.folder, name)
        self.tracked = self._is_tracked()
        self.wrapper: Wrapper | None = None
        self.present = self._look()

    def plan(self, payload: str) -> str:
        """Return what installing does: `installed`, `chained`, `updated` or `no-op`.

        Raises:
            ToolRefusedError: The payload is no script, or our wrapper was edited.

        """
        self._check_payload(payload)
        if self.wrapper is None:
            return "chained" if self.present == "foreign" else "installed"
        self._refuse_edited()
        wanted = Wrapper(self.name, self.wrapper.before, _full(payload))
        return "no-op" if wanted.data() == _bytes(self.path) else "updated"

    def install(self, payload: str) -> str:
        """Put the wrapper in place and return what was done, as `plan` names it."""
        what = self.plan(payload)
        if what == "no-op":
            return what
        os.makedirs(self.folder, exist_ok=True)
        before = self.wrapper.before if self.wrapper else ""
        if what == "chained":
            before = self._preserve()
        self._put(Wrapper(self.name, before, _full(payload)).data())
        return what

    def undo(self, *, apply: bool) -> tuple[str, list[dict[str, str]]]:
        """Put back what was there before; return what was done and the warnings.

        Raises:
            ToolRefusedError: The wrapper was edited.

        """
        if self.wrapper is None:
            return "no-op", []
        self._refuse_edited()
        kept = os.path.join(self.folder, self.wrapper.before) if self.wrapper.before else None
        warnings = []
        if kept is not None and not os.path.lexists(kept):
            warnings.append(
                problem(
                    "wrapper-edited", severity=WARN, path=kept, measured="it is gone",
                    expected="the hook that stood there before ours",
                    following="put it back from your own copy; the wrapper alone is removed",
                )
            )  # fmt: skip
            kept = None
        if apply and kept is not None:
            os.replace(kept, self.path)
        elif apply:
            os.unlink(self.path)
        return "undone", warnings

    def _look(self) -> str:
        if not os.path.lexists(self.path):
            return "none"
        if os.path.islink(self.path) or not os.path.isfile(self.path):
            if os.path.isdir(self.path) and not os.path.islink(self.path):
                raise _refused("target-invalid", self.path, "a folder", "a hook, or nothing")
            return "foreign"
        self.wrapper = read_wrapper(_bytes(self.path), self.name)
        return "foreign" if self.wrapper is None else "ours"

    def _is_tracked(self) -> bool:
        common = os.path.realpath(os.path.join(self.repo, _git(self.repo, "--git-common-dir")))
        own = os.path.realpath(os.path.join(self.repo, _git(self.repo, "--git-dir")))
        folder = os.path.realpath(self.folder)
        if _is_below(folder, common) or _is_below(folder, own):
            return False
        if _git(self.repo, "--is-inside-work-tree") != "true":
            return False
        top = _git(self.repo, "--show-toplevel")
        return _is_below(folder, os.path.realpath(os.path.join(self.repo, top)))

    def _check_payload(self, payload: str) -> None:
        try:
            first = _bytes(payload).split(b"\n", 1)[0]
        except OSError as error:
            reason = f"cannot be read: {error.strerror}"
            raise _refused("unsafe-path", payload, reason, "a readable script") from None
        # The wrapper gives a file that is not executable to sh, as Windows knows no such bit.
        is_shell = not first.startswith(b"#!") or first.rstrip().endswith(b"sh")
        if b"\0" in first or not (is_shell or os.access(payload, os.X_OK)):
            raise _refused("unsafe-path", payload, "neither sh nor executable", "a script to run")
        if "\n" in _full(payload) or os.path.realpath(payload) == os.path.realpath(self.path):
            raise _refused("unsafe-path", payload, "the hook itself, or a line break in its name",
                           "another file")  # fmt: skip

    def _refuse_edited(self) -> None:
        if self.wrapper is not None and self.wrapper.edited:
            raise _refused(
                "wrapper-edited", self.path, "our wrapper was edited since it was written",
                "its own bytes, as the digest in its second line says",
            )  # fmt: skip

    def _preserve(self) -> str:
        """Keep the present hook under a free name, and return the name."""
        number, name = 1, f"{self.name}.hpp-before"
        while os.path.lexists(os.path.join(self.folder, name)):
            number += 1
            name = f"{self.name}.hpp-before-{number}"
        kept = os.path.join(self.folder, name)
        if os.path.islink(self.path):
            os.symlink(os.readlink(self.path), kept)
            return name
        data, mode = _bytes(self.path), stat.S_IMODE(os.stat(self.path).st_mode)
        _write_new(kept, data, mode)
        return name

    def _put(self, data: bytes) -> None:
        temporary = os.path.join(self.folder, f".{self.name}.{os.getpid()}.{os.urandom(4).hex()}")
        _write_new(temporary, data, 0o755)
        try:
            os.replace(temporary, self.path)
        except BaseException:
            os.unlink(temporary)
            raise


def _write_new(path: str, data: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    os.chmod(path, mode)


def _bytes(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read(LARGEST)


def _full(path: str) -> str:
    """Return a path as `sh` takes it on every system."""
    return os.path.abspath(path).replace(os.sep, "/")


def _is_below(path: str, folder: str) -> bool:
    path, folder = os.path.normcase(path), os.path.normcase(folder)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _git(repo: str, *words: str) -> str:
    # Not the call of `hpp.core.git`: that one hides core.hooksPath, which is asked for here.
    try:
        done = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "rev-parse", *words],  # noqa: S607 -- the person's git
            cwd=repo, env=git_environment(), stdin=subprocess.DEVNULL, capture_output=True,
            timeout=TIMEOUT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _refused("target-invalid", repo, f"git cannot be asked: {error}", "git on PATH, and "
                       "a folder of a repository") from None  # fmt: skip
    if done.returncode:
        raise _refused("target-invalid", repo, "not a git repository", "a folder of a repository")
    return os.fsdecode(done.stdout.rstrip(b"\r\n"))


def _refused(code: str, path: str, measured: str, expected: str) -> ToolRefusedError:
    return ToolRefusedError(
        problem(
            code, path=path, measured=measured, expected=expected,
            following="nothing was written; mend this, then run again",
        )
    )  # fmt: skip
