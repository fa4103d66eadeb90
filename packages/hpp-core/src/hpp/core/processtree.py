"""Which processes descend from a child, and how they are stopped (POSIX).

A process is signalled only when it is proven to descend from the child, and only while
its id still means the same process: both id and start time are compared. Proof is a
chain of parents, the child's own session, or being adopted by a process that starts
nothing else.
"""

from __future__ import annotations

import os
import signal
import time

__all__ = ["Tree", "become_subreaper", "snapshot"]

_POLITE_S = 0.5
_LONGEST_S = 1.0
_PR_SET_CHILD_SUBREAPER = 36
_SUBREAPER = {"is_set": False}


class Process:
    """One process at one moment; `started` tells two holders of one id apart."""

    __slots__ = ("parent", "pid", "session", "started", "state")

    def __init__(self, pid: int, parent: int, session: int, started: str, state: str) -> None:
        self.pid = pid
        self.parent = parent
        self.session = session
        self.started = started
        self.state = state


def become_subreaper() -> None:
    """Make orphans below this process its children (Linux); elsewhere do nothing."""
    if _SUBREAPER["is_set"] or not os.path.isdir("/proc/self"):
        return
    _SUBREAPER["is_set"] = True
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return  # what leaves its group and its parents is then not found


def snapshot() -> dict[int, Process]:
    """Return the processes of the system by id."""
    if os.path.isdir("/proc/self"):
        return _from_proc()
    return _from_ps()


class Tree:
    """The descendants of one child.

    Args:
        pid: The child, which leads a session and a group of its own.
        own_children: This process starts nothing else meanwhile.

    """

    def __init__(self, pid: int, *, own_children: bool) -> None:
        self.pid = pid
        self.before: set[int] = set()
        self._own_children = own_children
        self._known: dict[int, str] = {}

    def stop(self) -> None:
        """Ask the group to stop, and kill whatever descends from the child soon after."""
        self._remember()
        _signal_group(self.pid, signal.SIGTERM)
        self._wait_until_gone(_POLITE_S)
        _signal_group(self.pid, signal.SIGKILL)
        deadline = time.monotonic() + _LONGEST_S
        empty_walks = 0
        while empty_walks < 2 and time.monotonic() < deadline:  # noqa: PLR2004 -- a fork may race one walk
            self._remember()
            found = self._alive()
            for process in found:
                _kill(process)
            empty_walks = 0 if found else empty_walks + 1
            _reap_adopted(self._known, self.pid)
            time.sleep(0.005)

    def _wait_until_gone(self, limit_s: float) -> None:
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            time.sleep(0.01)
            if not self._alive():
                return
            _reap_adopted(self._known, self.pid)

    def _remember(self) -> None:
        """Add every process whose descent can be proven now."""
        processes = snapshot()
        me = os.getpid()
        grown = True
        while grown:
            grown = False
            for process in processes.values():
                if process.pid not in self._known and self._is_proven(process, me):
                    self._known[process.pid] = process.started
                    grown = True

    def _is_proven(self, process: Process, me: int) -> bool:
        if process.pid == me or process.pid in self.before:
            return False
        if self.pid in (process.pid, process.session) or process.parent in self._known:
            return True
        return self._own_children and process.parent == me

    def _alive(self) -> list[Process]:
        processes = snapshot()
        return [
            processes[pid]
            for pid, started in self._known.items()
            if pid in processes
            and processes[pid].started == started
            and processes[pid].state != "Z"
        ]


def children_of_this_process() -> set[int]:
    """Return the ids of the processes whose parent this one is."""
    me = os.getpid()
    return {process.pid for process in snapshot().values() if process.parent == me}


def _from_proc() -> dict[int, Process]:
    found: dict[int, Process] = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as stream:
                line = stream.read()
        except OSError:
            continue  # it ended meanwhile
        # The name stands in parentheses and may hold any byte, parentheses too.
        fields = line.rpartition(b")")[2].split()
        found[int(name)] = Process(
            int(name), int(fields[1]), int(fields[3]), fields[19].decode(), fields[0].decode()
        )
    return found


def _from_ps() -> dict[int, Process]:
    import subprocess

    command = ["ps", "-A", "-o", "pid=,ppid=,sess=,stat=,lstart="]
    try:
        listing = subprocess.run(
            command, capture_output=True, timeout=5, check=False, env={**os.environ, "LC_ALL": "C"}
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    return parse_ps(listing.decode("ascii", "replace"))


def parse_ps(listing: str) -> dict[int, Process]:
    """Return the processes of a listing of pid, ppid, session, state and start time."""
    found: dict[int, Process] = {}
    for line in listing.splitlines():
        fields = line.split(None, 4)
        if len(fields) == 5 and fields[0].isdigit() and fields[1].isdigit():  # noqa: PLR2004 -- columns
            session = int(fields[2]) if fields[2].isdigit() else 0
            pid = int(fields[0])
            found[pid] = Process(pid, int(fields[1]), session, fields[4], fields[3][:1])
    return found


def _signal_group(pid: int, number: int) -> None:
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def _kill(process: Process) -> None:
    try:
        os.kill(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _reap_adopted(known: dict[int, str], child: int) -> None:
    """Collect adopted descendants that ended; the child is its starter's to collect."""
    for pid in known:
        if pid != child:
            try:
                os.waitpid(pid, os.WNOHANG)
            except (ChildProcessError, OSError):
                continue
