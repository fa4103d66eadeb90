from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from hpp.core.errors import InterruptedRunError, RefusedError
from hpp.core.outcome import EXITED, TIMEOUT, UNSTARTED, stderr_tail
from hpp.core.runner import Sink, run

if TYPE_CHECKING:
    from pathlib import Path

PYTHON = sys.executable
posix = pytest.mark.skipif(os.name == "nt", reason="signals and forks of POSIX")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="adoption is Linux's")


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stream:
            return stream.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_program_sees_the_environment_it_was_given_and_no_other() -> None:
    code = "import os; print('PATH' in os.environ, os.environ.get('HPP_TEST_WORD'))"
    given = {"HPP_TEST_WORD": "seen", "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}

    alone = run([PYTHON, "-c", code], timeout_s=20, keep_stdout=100, environment=given)
    ours = run([PYTHON, "-c", code], timeout_s=20, keep_stdout=100)

    assert alone.stdout.kept.split() == [b"False", b"seen"]
    assert ours.stdout.kept.split() == [b"True", b"None"]


@pytest.mark.parametrize("code", [0, 1, 5, 255])
def test_the_exit_code_is_the_program_s(code: int) -> None:
    outcome = run([PYTHON, "-c", f"raise SystemExit({code})"], timeout_s=20)

    assert (outcome.ending, outcome.exit_code) == (EXITED, code)


@posix
def test_a_signal_is_a_negative_code() -> None:
    assert run(["sh", "-c", "kill -9 $$"], timeout_s=20).exit_code == -9


@pytest.mark.parametrize("argv", [["./no-such-program"], ["no-such-program-at-all"], ["."]])
def test_what_cannot_start_says_why(tmp_path: Path, argv: list[str]) -> None:
    outcome = run(argv, timeout_s=20, cwd=str(tmp_path))

    assert (outcome.ending, outcome.exit_code) == (UNSTARTED, None)
    assert outcome.reason


def test_a_working_folder_that_is_not_there_cannot_start(tmp_path: Path) -> None:
    outcome = run([PYTHON, "-c", "pass"], timeout_s=20, cwd=str(tmp_path / "absent"))

    assert outcome.ending == UNSTARTED


@pytest.mark.parametrize("argv", [[], ["a\0b"]])
def test_no_program_is_refused(argv: list[str]) -> None:
    with pytest.raises(RefusedError):
        run(argv, timeout_s=1)


def test_output_is_counted_and_hashed_as_bytes() -> None:
    code = (
        r"import sys; sys.stdout.buffer.write(b'\x9d\x81\xff'); sys.stderr.buffer.write(b'e\r\n')"
    )
    outcome = run([PYTHON, "-c", code], timeout_s=20, keep_stdout=2)

    assert outcome.stdout.bytes == 3
    assert outcome.stdout.sha256 == hashlib.sha256(b"\x9d\x81\xff").hexdigest()
    assert (outcome.stdout.kept, outcome.stdout.overflow) == (b"\x9d\x81", True)
    assert outcome.stderr.kept == b"e\r\n"


def test_standard_input_is_closed_or_fed() -> None:
    code = "import sys; print(len(sys.stdin.buffer.read()))"

    assert run([PYTHON, "-c", code], timeout_s=20, keep_stdout=99).stdout.kept.strip() == b"0"
    fed = run([PYTHON, "-c", code], timeout_s=20, keep_stdout=99, input_bytes=b"x" * 300_000)
    assert fed.stdout.kept.strip() == b"300000"


def test_a_program_may_close_its_input_early() -> None:
    outcome = run([PYTHON, "-c", "pass"], timeout_s=20, input_bytes=b"x" * 3_000_000)

    assert outcome.exit_code == 0


def test_both_streams_are_read_at_once() -> None:
    code = (
        "import sys\nfor _ in range(99): sys.stdout.write('o' * 9999); sys.stderr.write('e' * 9999)"
    )
    outcome = run([PYTHON, "-c", code], timeout_s=20)

    assert (outcome.stdout.bytes, outcome.stderr.bytes) == (99 * 9999, 99 * 9999)
    assert len(outcome.stderr.kept) == 64 * 1024


@posix
def test_a_time_limit_ends_the_whole_group(tmp_path: Path) -> None:
    script = f"sleep 61 & echo $! > {tmp_path}/pid; wait"
    started = time.monotonic()
    outcome = run(["sh", "-c", script], timeout_s=0.5)

    assert (outcome.ending, outcome.exit_code) == (TIMEOUT, None)
    assert not is_alive(int((tmp_path / "pid").read_text()))
    assert time.monotonic() - started < 0.5 + 3  # the contract of the call, not its speed


DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open(sys.argv[1], "w").write(str(os.getpid()))
        time.sleep(62)
    os._exit(0)
time.sleep(60)
"""


@linux
def test_a_time_limit_ends_a_daemon_that_holds_the_pipes(tmp_path: Path) -> None:
    """Run by a process of its own, which may claim what it adopts."""
    code = (
        "import sys; from hpp.core.runner import run\n"
        "argv = [sys.executable, '-c', sys.argv[2], sys.argv[1]]\n"
        "o = run(argv, timeout_s=1, own_children=True)\n"
        "print(o.ending)"
    )
    done = subprocess.run(
        [PYTHON, "-c", code, str(tmp_path / "pid"), DAEMON],
        capture_output=True,
        timeout=30,
        check=True,
    )

    assert done.stdout.strip() == b"timeout"
    assert not is_alive(int((tmp_path / "pid").read_text()))


@linux
def test_a_process_that_is_not_the_child_s_is_left_alone() -> None:
    bystander = subprocess.Popen([PYTHON, "-c", "import time; time.sleep(60)"])
    try:
        run(["sleep", "60"], timeout_s=0.2, own_children=True)

        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


@posix
def test_one_that_ignores_the_polite_stop_is_killed() -> None:
    assert run(["sh", "-c", "trap '' TERM; sleep 60"], timeout_s=0.2).ending == TIMEOUT


@posix
def test_a_child_left_on_the_pipes_is_not_waited_for(tmp_path: Path) -> None:
    script = f"sleep 60 & echo $! > {tmp_path}/pid; echo out"
    outcome = run(["sh", "-c", script], timeout_s=30, keep_stdout=9)
    pid = int((tmp_path / "pid").read_text())
    try:
        assert (outcome.ending, outcome.exit_code) == (EXITED, 0)
        assert outcome.stdout.kept == b"out\n"
        assert outcome.duration_s < 20
        assert is_alive(pid) or not sys.platform.startswith("linux")
    finally:
        os.kill(pid, signal.SIGKILL)


INTERRUPT = """
import os, signal, sys, threading
from hpp.core.errors import InterruptedRunError
from hpp.core.runner import run
number = getattr(signal, sys.argv[1])
threading.Timer(0.5, os.kill, (os.getpid(), number)).start()
try:
    run(["sh", "-c", "echo $$ > pid; exec sleep 60"], timeout_s=30)
except InterruptedRunError as error:
    print(error, signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler))
"""


@posix
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_to_us_stops_the_tree(tmp_path: Path, name: str) -> None:
    done = subprocess.run(
        [PYTHON, "-c", INTERRUPT, name],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=30,
        check=True,
    )

    assert done.stdout.strip() == f"stopped by {name}; nothing recorded True"
    assert not is_alive(int((tmp_path / "pid").read_text()))


@linux
def test_memory_does_not_grow_with_output() -> None:
    code = (
        "from hpp.core.runner import run\n"
        "o = run(['head', '-c', '200000000', '/dev/zero'], timeout_s=60)\n"
        "peak = next(l for l in open('/proc/self/status') if l.startswith('VmHWM'))\n"
        "print(o.stdout.bytes, peak.split()[1])"
    )
    done = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True)
    count, peak_kib = map(int, done.stdout.split())

    assert count == 200_000_000
    assert peak_kib < 64 * 1024


@pytest.mark.parametrize(
    ("stderr", "tail"),
    [
        (b"", "no stderr"),
        (b"\n \n", "no stderr"),
        (b"first\nlast\x1b[0m\n\n", "last[0m"),
        (b"x" * 300, "x" * 200),
        (b"password=hunter2\nharmless", "stderr withheld: secret-like text"),
        (b"\xff\xfe", "\ufffd\ufffd"),
    ],
)
def test_the_last_line_of_standard_error(stderr: bytes, tail: str) -> None:
    code = f"import sys; sys.stderr.buffer.write({stderr!r})"

    assert stderr_tail(run([PYTHON, "-c", code], timeout_s=20)) == tail


def test_a_sink_keeps_the_head_or_the_tail() -> None:
    head, tail, none = Sink(3), Sink(3, tail=True), Sink(None)
    for sink in (head, tail, none):
        sink.take(b"ab")
        sink.take(b"cde")

    assert [sink.stream().kept for sink in (head, tail, none)] == [b"abc", b"cde", b""]
    assert {sink.stream().sha256 for sink in (head, tail, none)} == {
        hashlib.sha256(b"abcde").hexdigest()
    }


def test_control_a_failing_program_is_no_pass() -> None:
    assert run([PYTHON, "-c", "raise SystemExit(1)"], timeout_s=20).exit_code != 0
    assert issubclass(InterruptedRunError, Exception)
