"""The runner on Linux, macOS and other POSIX systems."""

from __future__ import annotations

import errno
import os
import select
import signal
import subprocess
import threading
import time

from hpp.core.outcome import EXITED, TIMEOUT, UNSTARTED, StartError
from hpp.core.processtree import Tree, become_subreaper, children_of_this_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hpp.core.interruption import Interruption
    from hpp.core.runner import Sink

__all__ = ["close", "exit_handle", "has_exited", "run_child", "start"]

_BLOCK = 1024 * 1024
_PIPE_SIZE = 1024 * 1024
_F_SETPIPE_SZ = 1031
_QUIET_S = 0.25
_LEFT_OVER_S = 1.0
_LONGEST_PAUSE_S = 0.02


def start(
    argv: list[str],
    *,
    cwd: str | None,
    has_input: bool,
    own_children: bool,
    environment: Mapping[str, str] | None = None,
) -> tuple[subprocess.Popen[bytes], Tree]:
    """Start a program that leads a session of its own, with a pipe for each stream.

    Raises:
        StartError: It is not found, not executable, or no program.

    """
    become_subreaper()
    before = children_of_this_process() if own_children else set()
    try:
        child = subprocess.Popen(
            argv,
            cwd=cwd,
            env=environment,
            stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )
    except OSError as error:
        raise StartError(error.strerror or str(error)) from None
    except (ValueError, subprocess.SubprocessError) as error:
        raise StartError(str(error)) from None
    tree = Tree(child.pid, own_children=own_children)
    tree.before = before
    return child, tree


def run_child(  # noqa: PLR0913 -- the runner's own call, with keywords
    argv: list[str],
    *,
    cwd: str | None,
    environment: Mapping[str, str] | None,
    input_bytes: bytes | None,
    sinks: tuple[Sink, Sink],
    deadline: float,
    own_children: bool,
    signals: Interruption,
) -> tuple[str, int | None, str]:
    """Run a program and return ``(ending, exit code, reason)``; see `runner.run`."""
    try:
        child, tree = start(
            argv,
            cwd=cwd,
            has_input=input_bytes is not None,
            own_children=own_children,
            environment=environment,
        )
    except StartError as error:
        return UNSTARTED, None, str(error)
    try:
        return _Watch(child, tree, sinks, deadline, signals).run(input_bytes)
    except BaseException:
        tree.stop()
        raise
    finally:
        close(child)


class _Watch:
    """Feeds a child, reads it and waits for it, all at once and to a limit."""

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        tree: Tree,
        sinks: tuple[Sink, Sink],
        deadline: float,
        signals: Interruption,
    ) -> None:
        self.child = child
        self.tree = tree
        self.deadline = deadline
        self.signals = signals
        self.poll = select.poll()
        self.outputs: dict[int, Sink] = {}
        self.buffer = memoryview(bytearray(_BLOCK))
        for stream, sink in zip((child.stdout, child.stderr), sinks, strict=True):
            assert stream is not None  # noqa: S101 -- opened as a pipe
            handle = stream.fileno()
            os.set_blocking(handle, False)
            _widen(handle)
            self.outputs[handle] = sink
            self.poll.register(handle, select.POLLIN)
        self.exit_handle = exit_handle(child.pid)
        if self.exit_handle >= 0:
            self.poll.register(self.exit_handle, select.POLLIN)
        if signals.handle >= 0:
            self.poll.register(signals.handle, select.POLLIN)

    def run(self, input_bytes: bytes | None) -> tuple[str, int | None, str]:
        self._feed(input_bytes)
        try:
            ended = self._until_exit()
        finally:
            if self.exit_handle >= 0:
                os.close(self.exit_handle)
        if not ended:
            self.tree.stop()
            self._drain(0.0, _QUIET_S)
            self._collect()
            return TIMEOUT, None, ""
        self._drain(_QUIET_S, _LEFT_OVER_S)
        return EXITED, self.child.returncode, ""

    def _until_exit(self) -> bool:
        """Read until the child itself has ended; False when the time is over."""
        pause = 0.001
        while self.child.poll() is None:
            left = self.deadline - time.monotonic()
            if left <= 0:
                return False
            if self.exit_handle < 0 or not self.outputs:
                # Without a handle on the exit it is asked for, ever more seldom.
                left = min(left, pause)
                pause = min(pause * 2, _LONGEST_PAUSE_S)
            self._read(left)
            self.signals.check()
        return True

    def _drain(self, quiet_s: float, longest_s: float) -> None:
        """Read what is in the pipes, and wait a little for whoever still holds them."""
        end = time.monotonic() + longest_s
        quiet_end = time.monotonic() + quiet_s
        while self.outputs and time.monotonic() < end:
            if self._read(max(0.0, min(end, quiet_end) - time.monotonic())):
                quiet_end = time.monotonic() + quiet_s
            elif time.monotonic() >= quiet_end:
                return
            self.signals.check()

    def _read(self, timeout_s: float) -> bool:
        """Wait for something to read, read it, and say whether there was any."""
        got = False
        for handle, _ in self.poll.poll(max(0, int(timeout_s * 1000 + 0.999))):
            sink = self.outputs.get(handle)
            if sink is None:
                if handle == self.exit_handle:
                    self.poll.unregister(handle)
                continue
            try:
                count = os.readv(handle, [self.buffer])
            except BlockingIOError:
                continue
            if count:
                sink.take(self.buffer[:count])
                got = True
            else:
                self.poll.unregister(handle)
                del self.outputs[handle]
        return got

    def _feed(self, data: bytes | None) -> None:
        """Write the input from a thread, so that neither side waits for the other."""
        stream = self.child.stdin
        if data is None or stream is None:
            return

        def write() -> None:
            try:
                stream.write(data)
            except (OSError, ValueError):
                pass  # it closed its input early, which is its right
            finally:
                _shut(stream)

        threading.Thread(target=write, daemon=True).start()

    def _collect(self) -> None:
        try:
            self.child.wait(timeout=_QUIET_S)
        except subprocess.TimeoutExpired:
            return  # it cannot be killed (it waits for a device); the outcome says timeout


def exit_handle(pid: int) -> int:
    """Return a descriptor that becomes readable when the child ends (Linux), or -1."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def has_exited(child: subprocess.Popen[bytes]) -> bool:
    """Say whether a child has ended, where possible without collecting it."""
    waitid = getattr(os, "waitid", None)
    if waitid is None:  # macOS before Python 3.13
        return child.poll() is not None
    try:
        return waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def _widen(handle: int) -> None:
    """Let a pipe hold more, so that a program that prints much is woken less often."""
    import fcntl

    try:
        fcntl.fcntl(handle, _F_SETPIPE_SZ, _PIPE_SIZE)
    except (OSError, ValueError):
        return


def close(child: subprocess.Popen[bytes]) -> None:
    """Let go of a child that has ended, or that nobody can end."""
    for stream in (child.stdout, child.stderr):
        if stream is not None:
            stream.close()
    if child.returncode is None:
        try:
            child.wait(timeout=0)
        except (subprocess.TimeoutExpired, OSError):
            child.returncode = -signal.SIGKILL  # no warning about a child nobody can end


def _shut(stream: object) -> None:
    try:
        stream.close()  # type: ignore[attr-defined]  # the pipe of Popen
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EBADF):
            raise
