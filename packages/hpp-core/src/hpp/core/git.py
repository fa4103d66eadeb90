"""The one way in which git is called.

A caller's environment must not redirect it (``GIT_DIR`` inside a hook), and a repository's
own settings must not start programs or hide files. So every inherited ``GIT_*`` variable
is removed, hooks, the file-system monitor and the user's ignore file are off, paths are
printed as bytes, and each call is bounded in time.
"""

from __future__ import annotations

import os
import subprocess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Answer", "git", "git_argv", "git_environment"]


class Answer:
    """What git said.

    Attributes:
        ok: It exited with 0.
        stdout: Its output.
        stderr: Its messages.
        fault: ``no-git``, ``timeout``, ``failed`` or an empty text.

    """

    __slots__ = ("fault", "stderr", "stdout")

    def __init__(self, stdout: bytes, stderr: bytes, fault: str) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self.fault = fault

    @property
    def ok(self) -> bool:
        """Say whether the call succeeded."""
        return not self.fault


def git_environment() -> dict[str, str]:
    """Return the environment of every call."""
    kept = {
        name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")
    }
    kept.update(LC_ALL="C", GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0")
    return kept


def git_argv(words: Sequence[str]) -> list[str]:
    """Return the command line for git's own `words`."""
    settings = (
        "core.fsmonitor=false",
        f"core.hooksPath={os.devnull}",
        f"core.excludesFile={os.devnull}",
        "core.quotePath=false",
    )
    return ["git", *(part for setting in settings for part in ("-c", setting)), *words]


def git(words: Sequence[str], *, cwd: str, timeout_s: float = 10) -> Answer:
    """Call git in a folder and return its answer; it never raises for what git says.

    Args:
        words: Subcommand and arguments.
        cwd: Working folder.
        timeout_s: Seconds; 10 for a single value, 120 for a listing.

    """
    try:
        done = subprocess.run(
            git_argv(words),
            cwd=cwd,
            env=git_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except FileNotFoundError:
        return Answer(b"", b"", "no-git")
    except subprocess.TimeoutExpired:
        return Answer(b"", b"", "timeout")
    except OSError as error:
        return Answer(b"", str(error).encode(), "failed")
    return Answer(done.stdout, done.stderr, "failed" if done.returncode else "")
