"""The runner on Windows: the tree lives in a job object, output is read by threads.

Everything that needs Windows is behind `Job` and the flags of `Popen`; the rest is plain
and is exercised on every system.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time

from hpp.core.errors import RefusedError
from hpp.core.outcome import EXITED, TIMEOUT, UNSTARTED, StartError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hpp.core.interruption import Interruption
    from hpp.core.runner import Sink

__all__ = ["Job", "check_batch", "find_program", "run_child", "start", "stop"]

CREATE_SUSPENDED = 0x4
CREATE_NEW_PROCESS_GROUP = 0x200
_KILL_ON_CLOSE = 0x2000
_EXTENDED_LIMIT_INFORMATION = 9
_LIMIT_FLAGS_AT, _LIMIT_SIZE = 16, 144  # of JOBOBJECT_EXTENDED_LIMIT_INFORMATION, 64 bits
_BLOCK = 1024 * 1024
_POLITE_S = 0.5
_QUIET_S = 0.25
_LEFT_OVER_S = 1.0
_PAUSE_S = 0.01
_UNSAFE = re.compile(r'["%!^&|<>\r\n]')


def find_program(
    name: str, environment: Mapping[str, str], is_file: Callable[[str], bool] = os.path.isfile
) -> str | None:
    """Return the file that a bare program name stands for, or None.

    Looked for along PATH with the endings of PATHEXT; never in the working folder, where
    a repository could put one. A name with a slash or a drive stands for itself.
    """
    if re.search(r"[\\/:]", name):
        return name
    endings = [e for e in environment.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").split(";") if e]
    has_ending = any(name.lower().endswith(ending.lower()) for ending in endings)
    for folder in environment.get("PATH", "").split(";"):
        if not folder or folder == ".":
            continue
        for ending in [""] if has_ending else endings:
            candidate = folder.rstrip("\\/") + "\\" + name + ending
            if is_file(candidate):
                return candidate
    return None


def check_batch(program: str, arguments: list[str]) -> None:
    """Refuse arguments that `cmd.exe`, which runs batch files, would read as its own.

    Raises:
        RefusedError: One holds a character that no quoting protects there.

    """
    if not program.lower().rstrip(". ").endswith((".bat", ".cmd")):
        return
    for number, argument in enumerate(arguments, 1):
        found = _UNSAFE.search(argument)
        if found:
            shown = repr(found[0])
            raise RefusedError(
                f"argument {number}: {shown} cannot be passed to a batch file safely"
            )


class Job:
    """A job object that holds a process tree; it dies with the job while `armed`.

    Args:
        kernel: ``kernel32`` as `ctypes` gives it.

    """

    def __init__(self, kernel: Any) -> None:  # noqa: ANN401 -- a loaded library
        self._kernel = kernel
        self._handle = kernel.CreateJobObjectW(None, None)
        self._set_flags(_KILL_ON_CLOSE)

    def hold(self, process_handle: int) -> None:
        """Put a process, and whatever it starts from now on, into the job."""
        self._kernel.AssignProcessToJobObject(self._handle, process_handle)

    def kill(self) -> None:
        """End every process of the job."""
        self._kernel.TerminateJobObject(self._handle, 1)

    def release(self) -> None:
        """Let what is left of the tree live on, and close the job."""
        self._set_flags(0)
        self._kernel.CloseHandle(self._handle)

    def _set_flags(self, flags: int) -> None:
        information = bytearray(_LIMIT_SIZE)
        information[_LIMIT_FLAGS_AT : _LIMIT_FLAGS_AT + 4] = flags.to_bytes(4, "little")
        self._kernel.SetInformationJobObject(
            self._handle, _EXTENDED_LIMIT_INFORMATION, bytes(information), _LIMIT_SIZE
        )


def start(
    argv: list[str],
    *,
    cwd: str | None,
    has_input: bool,
    environment: Mapping[str, str] | None = None,
) -> tuple[subprocess.Popen[bytes], Job]:
    """Start a program inside a job of its own, with a pipe for each stream.

    Raises:
        StartError: It is not found, not executable, or no program.
        RefusedError: A batch file whose arguments cannot be passed safely.

    """
    program = find_program(argv[0], os.environ)
    if program is None:
        raise StartError("there is no such program on PATH")
    check_batch(program, argv[1:])
    job = Job(_load("kernel32"))
    try:
        child = subprocess.Popen(
            [program, *argv[1:]],
            cwd=cwd,
            env=environment,
            stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Suspended, so that it cannot start anything before it is in the job.
            creationflags=CREATE_NEW_PROCESS_GROUP | CREATE_SUSPENDED,
            bufsize=0,
        )
    except (OSError, ValueError) as error:
        job.release()
        raise StartError(getattr(error, "strerror", None) or str(error)) from None
    process_handle = int(getattr(child, "_handle"))  # noqa: B009 -- Popen has it on Windows alone
    job.hold(process_handle)
    _load("ntdll").NtResumeProcess(process_handle)
    return child, job


def run_child(  # noqa: PLR0913 -- the runner's own call, with keywords
    argv: list[str],
    *,
    cwd: str | None,
    environment: Mapping[str, str] | None,
    input_bytes: bytes | None,
    sinks: tuple[Sink, Sink],
    deadline: float,
    own_children: bool,  # noqa: ARG001 -- the job knows what descends from the child
    signals: Interruption,
) -> tuple[str, int | None, str]:
    """Run a program and return ``(ending, exit code, reason)``; see `runner.run`."""
    try:
        child, job = start(
            argv, cwd=cwd, has_input=input_bytes is not None, environment=environment
        )
    except StartError as error:
        return UNSTARTED, None, str(error)
    return watch(child, job, sinks, deadline, input_bytes=input_bytes, signals=signals)


def watch(  # noqa: PLR0913 -- what `run_child` was given
    child: subprocess.Popen[bytes],
    job: Job,
    sinks: tuple[Sink, Sink],
    deadline: float,
    *,
    input_bytes: bytes | None,
    signals: Interruption,
) -> tuple[str, int | None, str]:
    """Feed and read a child with threads until it ends or its time is over."""
    readers = [
        _Reader(stream, sink)
        for stream, sink in zip((child.stdout, child.stderr), sinks, strict=True)
    ]
    _feed(child, input_bytes)
    try:
        while child.poll() is None:
            signals.check()
            if time.monotonic() >= deadline:
                stop(child, job)
                _wait_for(readers, 0.0, _QUIET_S)
                return TIMEOUT, None, ""
            time.sleep(_PAUSE_S)
        _wait_for(readers, _QUIET_S, _LEFT_OVER_S)
    except BaseException:
        stop(child, job)
        raise
    finally:
        job.release()
    return EXITED, child.returncode, ""


class _Reader:
    """Reads one stream to its end in a thread that nobody has to wait for."""

    def __init__(self, stream: Any, sink: Sink) -> None:  # noqa: ANN401 -- the pipe of Popen
        self._stream = stream
        self._sink = sink
        self.last_s = time.monotonic()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        try:
            while block := os.read(self._stream.fileno(), _BLOCK):
                self._sink.take(block)
                self.last_s = time.monotonic()
        except (OSError, ValueError):
            return


def _wait_for(readers: list[_Reader], quiet_s: float, longest_s: float) -> None:
    """Wait for the streams to end, but not for a descendant that only holds them."""
    end = time.monotonic() + longest_s
    began = time.monotonic()
    while any(reader.thread.is_alive() for reader in readers) and time.monotonic() < end:
        last = max(began, *(reader.last_s for reader in readers))
        if time.monotonic() - last >= quiet_s > 0:
            return
        time.sleep(_PAUSE_S)


def stop(child: subprocess.Popen[bytes], job: Job) -> None:
    """Ask a child to stop, and end its whole job half a second later."""
    try:
        child.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM))
        child.wait(timeout=_POLITE_S)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        pass  # it has no console, or does not listen
    job.kill()
    try:
        child.wait(timeout=_POLITE_S)
    except subprocess.TimeoutExpired:
        return


def _feed(child: subprocess.Popen[bytes], data: bytes | None) -> None:
    stream = child.stdin
    if data is None or stream is None:
        return

    def write() -> None:
        try:
            stream.write(data)
            stream.close()
        except (OSError, ValueError):
            return  # it closed its input early, which is its right

    threading.Thread(target=write, daemon=True).start()


def _load(name: str) -> Any:  # noqa: ANN401 -- a loaded library
    import ctypes

    library = getattr(ctypes, "WinDLL")(name)  # noqa: B009 -- Windows alone has it
    if name == "kernel32":
        for function in ("CreateJobObjectW",):
            getattr(library, function).restype = ctypes.c_void_p
        for function in (
            "AssignProcessToJobObject",
            "TerminateJobObject",
            "CloseHandle",
            "SetInformationJobObject",
        ):
            getattr(library, function).argtypes = _ARGUMENTS[function](ctypes)
    else:
        library.NtResumeProcess.argtypes = [ctypes.c_void_p]
    return library


# Handles are pointers: without these, ctypes would pass them as 32-bit integers.
_ARGUMENTS: dict[str, Callable[[Any], list[Any]]] = {
    "AssignProcessToJobObject": lambda c: [c.c_void_p, c.c_void_p],
    "TerminateJobObject": lambda c: [c.c_void_p, c.c_uint],
    "CloseHandle": lambda c: [c.c_void_p],
    "SetInformationJobObject": lambda c: [c.c_void_p, c.c_int, c.c_char_p, c.c_uint],
}
