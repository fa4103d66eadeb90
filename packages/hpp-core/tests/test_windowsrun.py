from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest

from hpp.core.errors import RefusedError
from hpp.core.interruption import Interruption
from hpp.core.outcome import EXITED, TIMEOUT
from hpp.core.processtree import parse_ps
from hpp.core.runner import Sink
from hpp.core.windowsrun import Job, check_batch, find_program, watch

FILES = {"C:\\bin\\tool.EXE", "C:\\bin\\script.CMD", "D:\\x\\tool.BAT"}
QUIET = Interruption()
ENVIRONMENT = {"PATH": "C:\\bin;.;;D:\\x", "PATHEXT": ".EXE;.BAT;.CMD"}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("tool", "C:\\bin\\tool.EXE"),
        ("tool.BAT", "D:\\x\\tool.BAT"),
        ("script", "C:\\bin\\script.CMD"),
        ("absent", None),
        (".\\tool", ".\\tool"),
        ("C:tool", "C:tool"),
        ("a/b", "a/b"),
    ],
)
def test_a_bare_name_is_looked_for_along_the_path(name: str, found: str | None) -> None:
    assert find_program(name, ENVIRONMENT, FILES.__contains__) == found


@pytest.mark.parametrize(
    "argument", ['a"b', "%PATH%", "a&b", "a|b", "a<b", "a>b", "a^b", "a!b", "a\nb"]
)
def test_a_batch_file_takes_no_argument_that_its_shell_would_read(argument: str) -> None:
    for program in ("x.bat", "C:\\x.CMD", "x.cmd. "):
        with pytest.raises(RefusedError, match="argument 2"):
            check_batch(program, ["fine", argument])
    check_batch("x.exe", [argument])
    check_batch("x.bat", ["plain", "with blank", "é"])


class Kernel:
    """Stands in for the library of Windows and notes what it was asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    def CreateJobObjectW(self, *_: object) -> int:  # noqa: N802 -- the system's name
        return 7

    def SetInformationJobObject(self, handle: int, kind: int, data: bytes, size: int) -> int:  # noqa: N802 -- the system's name
        assert (handle, kind, size, len(data)) == (7, 9, 144, 144)
        self.calls.append(("flags", int.from_bytes(data[16:20], "little")))
        return 1

    def AssignProcessToJobObject(self, _handle: int, process: int) -> int:  # noqa: N802 -- the system's name
        self.calls.append(("hold", process))
        return 1

    def TerminateJobObject(self, _handle: int, _code: int) -> int:  # noqa: N802 -- the system's name
        self.calls.append(("kill", None))
        return 1

    def CloseHandle(self, _handle: int) -> int:  # noqa: N802 -- the system's name
        self.calls.append(("close", None))
        return 1


def started(code: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )


def closed(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.wait()
    for stream in (child.stdin, child.stdout, child.stderr):
        if stream is not None:
            stream.close()


def test_a_job_dies_with_us_until_it_is_released() -> None:
    kernel = Kernel()
    job = Job(kernel)
    job.hold(42)
    job.release()

    assert kernel.calls == [("flags", 0x2000), ("hold", 42), ("flags", 0), ("close", None)]


def test_a_child_is_fed_read_and_waited_for() -> None:
    kernel, sinks = Kernel(), (Sink(99), Sink(99))
    child = started("import sys; print(len(sys.stdin.read())); sys.exit(3)")
    try:
        result = watch(
            child,
            Job(kernel),
            sinks,
            time.monotonic() + 20,
            input_bytes=b"x" * 100_000,
            signals=QUIET,
        )
    finally:
        closed(child)

    assert result == (EXITED, 3, "")
    assert sinks[0].stream().kept.strip() == b"100000"
    assert ("kill", None) not in kernel.calls


def test_a_time_limit_kills_the_job() -> None:
    kernel, sinks = Kernel(), (Sink(99), Sink(99))
    child = started("import time; time.sleep(60)")
    try:
        result = watch(
            child, Job(kernel), sinks, time.monotonic() + 0.2, input_bytes=None, signals=QUIET
        )
    finally:
        closed(child)

    assert result == (TIMEOUT, None, "")
    assert kernel.calls.index(("kill", None)) < kernel.calls.index(("close", None))


def test_a_process_listing_of_other_systems_is_read() -> None:
    listing = (
        "    1     0      0 Ss   Mon Nov 30 09:00:00 2026\n"
        "  812     1    812 S+   Mon Nov 30 09:01:02 2026\n"
        "  813   812      ? Z    Mon Nov 30 09:01:03 2026\n"
        "garbage\n"
    )

    found = parse_ps(listing)

    assert sorted(found) == [1, 812, 813]
    assert (found[813].parent, found[813].state, found[812].session) == (812, "Z", 812)
    assert found[812].started == "Mon Nov 30 09:01:02 2026"


def test_control_a_search_of_the_working_folder_would_be_seen() -> None:
    assert find_program("tool", {"PATH": ".", "PATHEXT": ".EXE"}, lambda _: True) is None
