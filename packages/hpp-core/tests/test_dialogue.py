from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import IO, TYPE_CHECKING, Any

import pytest

from hpp.core import posixtalk, windowstalk
from hpp.core.dialogue import Dialogue
from hpp.core.interruption import Interruption
from hpp.core.outcome import EXITED, TIMEOUT, UNSTARTED
from hpp.core.reply import ANSWERED, OUT_OF_STEP, TOO_LONG, Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from hpp.core.runner import Sink

posix = pytest.mark.skipif(os.name == "nt", reason="processes are looked at as POSIX has them")
PYTHON = sys.executable
ECHO = """
import sys
for line in sys.stdin:
    print(line.strip() + "!", flush=True)
"""


class Job:
    """Stands in for a job object of Windows."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self._child = child

    def kill(self) -> None:
        self._child.kill()

    def release(self) -> None:
        """Let go; the child alone is held."""


def begin_on_threads(  # noqa: PLR0913 -- as the starter of Windows is called
    argv: list[str],
    *,
    cwd: str | None,
    longest: int,
    stderr: Sink,
    own_children: bool,  # noqa: ARG001 -- as above
    signals: Interruption,
) -> windowstalk.Talk:
    pipe = subprocess.PIPE
    child = subprocess.Popen(argv, cwd=cwd, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
    return windowstalk.Talk(
        child,
        Job(child),  # type: ignore[arg-type]  # stands in for it
        longest=longest,
        stderr=stderr,
        signals=signals,
    )


@pytest.fixture(params=["posix", "threads"])
def open_dialogue(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Dialogue]]:
    """Return a maker of dialogues, over the pipes of either system."""
    if request.param == "posix" and os.name == "nt":
        pytest.skip("there is no poll on Windows")
    system = posixtalk.Talk if request.param == "posix" else begin_on_threads
    monkeypatch.setattr("hpp.core.dialogue._system", lambda: system)
    with Interruption() as interruption:

        def make(code: str, **options: Any) -> Dialogue:  # noqa: ANN401 -- those of `Dialogue`
            argv = [PYTHON, "-c", code]
            return Dialogue(argv, interruption=interruption, **options)

        yield make


def asked(dialogue: Dialogue, count: int, timeout_s: float = 20.0) -> list[Reply]:
    with dialogue:
        return [dialogue.ask(b"q%d" % number, timeout_s) for number in range(count)]


def test_one_process_answers_every_line(open_dialogue: Callable[..., Dialogue]) -> None:
    dialogue = open_dialogue(ECHO)

    replies = asked(dialogue, 300)

    assert [reply.text for reply in replies] == [b"q%d!" % number for number in range(300)]
    assert {(reply.ending, reply.process) for reply in replies} == {(ANSWERED, 1)}
    assert not dialogue.out_of_step


def test_an_answer_that_overtakes_the_word_of_its_sender_is_in_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send = windowstalk.Talk._send

    class Slow:
        """Writes, and is late to say so."""

        def __init__(self, stream: IO[bytes]) -> None:
            self._stream = stream

        def write(self, line: memoryview) -> int | None:
            written = self._stream.write(line)
            time.sleep(0.05)
            return written

        def close(self) -> None:
            self._stream.close()

    monkeypatch.setattr(windowstalk.Talk, "_send", lambda talk, stream: send(talk, Slow(stream)))  # type: ignore[arg-type]  # writes and closes, no more
    monkeypatch.setattr("hpp.core.dialogue._system", lambda: begin_on_threads)
    with Interruption() as interruption:
        dialogue = Dialogue([PYTHON, "-c", ECHO], interruption=interruption)
        replies = asked(dialogue, 3)

    assert [(reply.ending, reply.process) for reply in replies] == [(ANSWERED, 1)] * 3
    assert not dialogue.out_of_step


def test_a_crash_fails_its_question_and_the_next_one_is_asked_anew(
    open_dialogue: Callable[..., Dialogue],
) -> None:
    code = ECHO + "    if 'q1' in line: sys.exit(7)\n"
    code = code.replace('    print(line.strip() + "!", flush=True)\n', "", 1)
    code += "    print(line.strip(), flush=True)\n    sys.stderr.write('told\\n')\n"

    replies = asked(open_dialogue(code), 4)

    assert [(reply.ending, reply.process) for reply in replies] == [
        (ANSWERED, 1),
        (EXITED, 1),
        (ANSWERED, 2),
        (ANSWERED, 2),
    ]
    assert replies[1].exit_code == 7
    assert replies[1].fault() == "it ended with exit code 7 before it answered: told"


def test_a_program_that_ends_after_its_answer_fails_the_next_question_every_time(
    open_dialogue: Callable[..., Dialogue],
) -> None:
    """The same whether its end is noticed before the question is sent or after."""
    replies = asked(open_dialogue("print(input())"), 5)

    assert [reply.ending for reply in replies] == [ANSWERED, EXITED, ANSWERED, EXITED, ANSWERED]


def test_a_limit_of_time_ends_the_program(open_dialogue: Callable[..., Dialogue]) -> None:
    code = ECHO.replace("print", "__import__('time').sleep(60) if 'q1' in line else print")

    with open_dialogue(code) as dialogue:
        replies = [dialogue.ask(b"q%d" % number, 2.0) for number in range(3)]

    assert [reply.ending for reply in replies] == [ANSWERED, TIMEOUT, ANSWERED]
    assert replies[1].fault() == "no answer within 2 s"


@pytest.mark.parametrize(
    ("code", "ending", "fault"),
    [
        ("import sys; sys.stdout.write('no line end')", EXITED, "no stderr"),
        ("pass", EXITED, "no stderr"),
        ("import os; os.close(1); import time; time.sleep(60)", EXITED, "it ended"),
        ("import sys; sys.exit('api_key=S9kQ2vLx7TzB4nWm8RpY3cHd')", EXITED, "withheld"),
        ("while True: print('x' * 100_000, end='')", TOO_LONG, "more than 1 MiB"),
        ("print('x' * (1024 * 1024 + 1)); input()", TOO_LONG, "more than 1 MiB"),
        ("print(); input()", ANSWERED, "printed nothing"),
    ],
    ids=["partial", "silent", "closed", "secret", "endless", "long", "blank"],
)
def test_what_is_no_answer_is_named(
    open_dialogue: Callable[..., Dialogue], code: str, ending: str, fault: str
) -> None:
    dialogue = open_dialogue(code, longest=1024 * 1024)

    reply = asked(dialogue, 1)[0]

    assert reply.ending == ending
    assert fault in (reply.fault() or "")


def test_an_answer_of_the_longest_size_is_taken(open_dialogue: Callable[..., Dialogue]) -> None:
    code = "input(); print('x' * (1024 * 1024)); input()"

    reply = asked(open_dialogue(code, longest=1024 * 1024), 1)[0]

    assert (reply.ending, len(reply.text)) == (ANSWERED, 1024 * 1024)


@pytest.mark.parametrize(
    "code",
    [
        ECHO + "    print('and more', flush=True)\n",
        ECHO.replace('+ "!"', "+ '!\\n'"),
        ECHO + "print('good bye')\n",
        "print('ready', flush=True)\n" + ECHO,
    ],
    ids=["twice", "blank line", "at the end", "banner"],
)
def test_a_line_that_nobody_asked_for_puts_the_whole_process_in_doubt(
    open_dialogue: Callable[..., Dialogue], code: str
) -> None:
    dialogue = open_dialogue(code)

    replies = asked(dialogue, 3)

    doubted = [reply for reply in replies if reply.process in dialogue.out_of_step]
    assert doubted == [reply for reply in replies if reply.ending == ANSWERED]
    assert Reply(OUT_OF_STEP).fault()


def test_a_question_larger_than_a_pipe_is_sent_whole(
    open_dialogue: Callable[..., Dialogue],
) -> None:
    code = ECHO.replace('line.strip() + "!"', "len(line)")

    with open_dialogue(code) as dialogue:
        replies = [dialogue.ask(b"x" * 3_000_000, 30.0) for _ in range(2)]

    assert [reply.text.strip() for reply in replies] == [b"3000001", b"3000001"]


def test_much_standard_error_does_not_stop_the_talk(
    open_dialogue: Callable[..., Dialogue],
) -> None:
    replies = asked(open_dialogue(ECHO + "    sys.stderr.write('e' * 200_000)\n"), 5)

    assert [reply.ending for reply in replies] == [ANSWERED] * 5


@posix
def test_what_cannot_start_says_why(tmp_path: Path) -> None:
    with Interruption() as interruption:
        dialogue = Dialogue([str(tmp_path / "absent")], interruption=interruption)
        reply = asked(dialogue, 1)[0]

    assert reply.ending == UNSTARTED
    assert (reply.fault() or "").startswith("it could not start: ")


CHILD = """
import subprocess, sys
child = subprocess.Popen(["sleep", "63"])
for line in sys.stdin:
    print(child.pid, flush=True)
    if "crash" in line: sys.exit(1)
    if "hang" in line: __import__("time").sleep(60)
"""


@posix
@pytest.mark.parametrize("second", [b"fine", b"crash", b"hang"])
def test_no_descendant_is_left(second: bytes) -> None:
    argv = [PYTHON, "-c", CHILD]
    with Interruption() as signals, Dialogue(argv, interruption=signals) as dialogue:
        pids = [int(dialogue.ask(second, 20.0).text)]
        dialogue.ask(b"more", 1.0)

    assert pids
    assert not [pid for pid in pids if is_running(pid)]


def is_running(pid: int) -> bool:
    """Say whether a process runs; one that ended and waits to be collected does not."""
    listing = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.strip()
    return bool(listing) and not listing.startswith("Z")


INTERRUPT = """
import os, signal, sys, threading
from hpp.core.errors import InterruptedRunError
from hpp.core.interview import Interview
threading.Timer(1, os.kill, (os.getpid(), signal.SIGTERM)).start()
code = "import os, time; open('pid-%d' % os.getpid(), 'w').close(); time.sleep(60)"
argv = [sys.executable, "-c", code]
interview = Interview(argv, timeout_s=50, protocol=sys.argv[1], jobs=int(sys.argv[2]))
try:
    interview.answers([b"q"] * 4, lambda number, reply: reply)
except InterruptedRunError as error:
    print(error)
"""


@posix
@pytest.mark.parametrize("protocol", ["jsonl", "process"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_signal_to_us_ends_every_process(tmp_path: Path, protocol: str, jobs: str) -> None:
    done = subprocess.run(
        [PYTHON, "-c", INTERRUPT, protocol, jobs],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=40,
        check=True,
    )
    pids = [int(name.removeprefix("pid-")) for name in os.listdir(tmp_path)]

    assert done.stdout.strip() == "stopped by SIGTERM; nothing recorded"
    assert len(pids) == int(jobs)
    assert not [pid for pid in pids if is_running(pid)]


def test_control_a_running_process_is_seen() -> None:
    child = subprocess.Popen([PYTHON, "-c", "import time; time.sleep(60)"])
    try:
        assert os.name == "nt" or is_running(child.pid)
    finally:
        child.kill()
        child.wait()


def test_a_signal_that_was_ignored_stays_ignored() -> None:
    former = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with Interruption() as interruption:
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
            interruption.check()
    finally:
        signal.signal(signal.SIGTERM, former)


def test_the_limit_covers_the_start(open_dialogue: Callable[..., Dialogue]) -> None:
    started = time.monotonic()
    reply = asked(open_dialogue("import time; time.sleep(60)"), 1, timeout_s=0.3)[0]

    assert reply.ending == TIMEOUT
    assert time.monotonic() - started < 0.3 + 3  # the contract of the call, not its speed
