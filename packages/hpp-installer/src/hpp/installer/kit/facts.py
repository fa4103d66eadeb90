"""What an installation asks of the machine; tests give other answers."""

from __future__ import annotations

import os
import shutil
import sys
import time
from dataclasses import dataclass, field

from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Facts", "find_bash", "is_alive", "utc"]


def _homes() -> tuple[str, ...]:
    """Return the person's home folder, by the environment and by the system's records."""
    found = [os.path.expanduser("~")]
    if os.name != "nt":
        import pwd

        try:
            found.append(pwd.getpwuid(os.getuid()).pw_dir)
        except KeyError:
            return tuple(found)
    return tuple(found)


def _can_write(path: str) -> bool:
    """Say whether a folder takes new files, as far as that can be known without writing one."""
    if not os.access(path, os.W_OK | os.X_OK):
        return False
    read_only = getattr(os, "ST_RDONLY", None)
    return read_only is None or not os.statvfs(path).f_flag & read_only


def _free_space(path: str) -> int:
    return shutil.disk_usage(path).free


def is_alive(pid: int) -> bool:
    """Say whether a process of that id runs."""
    if os.name == "nt":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _is_alive_on_windows(pid: int) -> bool:
    import ctypes

    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 -- Windows alone has it
    query, still_active = 0x1000, 259
    handle = kernel.OpenProcess(query, 0, pid)
    if not handle:
        return False
    code = ctypes.c_ulong()
    known = kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return not known or code.value == still_active


def find_bash(
    system: str, which: Callable[[str], str | None], is_file: Callable[[str], bool]
) -> str | None:
    r"""Return the bash that runs a module's scripts, or None.

    On Windows the one that git brings: ``System32\bash.exe`` starts the Linux subsystem,
    where no path of ours exists.
    """
    if system != "nt":
        return which("bash")
    git = which("git")
    if git is not None:
        root = git.replace("/", "\\").lower()
        for ending in ("\\cmd\\git.exe", "\\bin\\git.exe", "\\mingw64\\bin\\git.exe"):
            if root.endswith(ending):
                base = git[: -len(ending)]
                for inner in ("\\bin\\bash.exe", "\\usr\\bin\\bash.exe"):
                    if is_file(base + inner):
                        return base + inner
    found = which("bash")
    if found is None or "\\system32\\" in found.lower() or "\\windowsapps\\" in found.lower():
        return None
    return found


def utc(seconds: float) -> str:
    """Return a moment as reports and receipts write it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


@dataclass(frozen=True, slots=True)
class Facts:
    """The machine as an installation sees it.

    Attributes:
        system: `os.name`.
        python: Version of the running interpreter.
        cwd: Where relative paths begin.
        homes: Folders that nothing is installed into.
        environment: What a smoke's own environment is picked from.
        which: Finds a program.
        can_write: Says whether a folder takes files.
        free_space: Bytes that are free where a folder lies.
        is_alive: Says whether a process runs.
        is_file: Says whether a file is there.
        now: Seconds since 1970.

    """

    system: str = os.name
    python: tuple[int, int, int] = sys.version_info[:3]
    cwd: str = field(default_factory=os.getcwd)
    homes: tuple[str, ...] = field(default_factory=_homes)
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    which: Callable[[str], str | None] = shutil.which
    can_write: Callable[[str], bool] = _can_write
    free_space: Callable[[str], int] = _free_space
    is_alive: Callable[[int], bool] = is_alive
    is_file: Callable[[str], bool] = os.path.isfile
    now: Callable[[], float] = time.time

    def absolute(self, path: str) -> str:
        """Return the absolute form of a path that was typed."""
        return os.path.abspath(os.path.join(self.cwd, path))

    def shown(self, path: str) -> str:
        """Return a path for a message."""
        return printable(path)
