"""Run git for the few that need it: no shell, nothing of the repository's own runs."""

from __future__ import annotations

import os
import signal
import subprocess
import time

from hpp.core.errors import HppError
from hpp.core.git import git_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["GitError", "decode", "git"]

_NO_TREE = "no-git"
_NEW_GROUP = 0x200  # CREATE_NEW_PROCESS_GROUP
_LAST_WAIT_S = 2.0


class GitError(HppError):
    """Git did not do what it was asked.

    Attributes:
        fault: ``no-git``, ``timeout`` or ``failed``.
        status: Its exit status; None when it did not end by itself.

    """

    code = "core.git"
    exit_code = 2

    def __init__(self, message: str, fault: str, status: int | None = None) -> None:
        super().__init__(message)
        self.fault = fault
        self.status = status


def git(
    root: str, argv: Sequence[str], deadline: float, env: Mapping[str, str] | None = None
) -> bytes:
    """Run git in a folder and return its standard output.

    Args:
        root: The folder, for ``-C``.
        argv: Subcommand and arguments; ask for ``-z`` where paths are printed.
        deadline: When it has to be over, on the clock of `time.monotonic`; several calls
            may share one.
        env: Variables on top, such as an index of the caller's own; what the process itself
            inherited of git's is left out all the same.

    Raises:
        GitError: It is not installed, left with another status than 0, or was ended at the
            deadline with everything it had started.

    """
    shown = f"git {argv[0] if argv else ''}".strip()
    settings = ("core.fsmonitor=false", f"core.hooksPath={os.devnull}", "gc.auto=0")
    options = [part for setting in settings for part in ("-c", setting)]
    left = deadline - time.monotonic()
    if left <= 0:
        raise GitError(f"{shown}: the time is over", "timeout")
    try:
        child = _start(["git", "-C", root, *options, *argv], env or {})
    except (OSError, ValueError) as error:
        raise GitError(f"{shown}: git cannot be started: {error}", _NO_TREE) from None
    with child:
        try:
            stdout, stderr = child.communicate(timeout=left)
        except subprocess.TimeoutExpired:
            _end(child)
            raise GitError(f"{shown}: it took too long and was ended", "timeout") from None
        except BaseException:
            _end(child)
            raise
    if child.returncode:
        said = decode(stderr).strip().partition("\n")[0]
        raise GitError(f"{shown}: {said or 'failed'}", "failed", child.returncode)
    return stdout


def decode(data: bytes) -> str:
    """Return what git printed as text; bytes that are not UTF-8 come back by `os.fsencode`."""
    return data.decode("utf-8", "surrogateescape")


def _start(argv: list[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        env={**git_environment(), **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=os.name != "nt",
        creationflags=_NEW_GROUP if os.name == "nt" else 0,
    )


def _end(child: subprocess.Popen[bytes]) -> None:
    """End the program and what it started, and close its pipes."""
    if os.name == "nt":
        tree = ["taskkill", "/T", "/F", "/PID", str(child.pid)]
        subprocess.run(tree, capture_output=True, check=False)
        child.kill()
    else:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            child.kill()
    try:
        child.communicate(timeout=_LAST_WAIT_S)
    except subprocess.TimeoutExpired:
        return
