"""Many questions to one declared program: a process each, or one that stays alive.

Both ways give the same replies for a program that keeps nothing in mind between questions;
the second only spares the starts.
"""

from __future__ import annotations

from hpp.core.crew import Crew
from hpp.core.dialogue import LONGEST_ANSWER, Dialogue
from hpp.core.interruption import Interruption
from hpp.core.outcome import EXITED, TIMEOUT, UNSTARTED
from hpp.core.reply import ANSWERED, OUT_OF_STEP, TOO_LONG, Reply
from hpp.core.runner import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    Answer = TypeVar("Answer")
    Ask = Callable[[bytes], Reply]

__all__ = ["JSONL", "PROCESS", "PROTOCOLS", "Interview"]

PROCESS = "process"
JSONL = "jsonl"
PROTOCOLS = (PROCESS, JSONL)
_MEBIBYTE = 1024 * 1024


class Interview:
    """How a program is asked.

    Args:
        argv: Program and arguments; no shell reads them.
        timeout_s: Seconds for each answer.
        protocol: `PROCESS` starts the program for each question, feeds it the line and
            takes all it prints; `JSONL` keeps it alive and takes one line.
        jobs: How many questions are asked at once, each of its own process.
        tell: Called with the number of answers so far and of all questions.

    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float,
        protocol: str = PROCESS,
        jobs: int = 1,
        tell: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> None:
        self.argv = list(argv)
        self.timeout_s = timeout_s
        self.protocol = protocol
        self.jobs = jobs
        self.tell = tell

    def answers(
        self, questions: Sequence[bytes], judge: Callable[[int, Reply], Answer]
    ) -> list[Answer]:
        """Return what `judge` makes of the reply to each question, in order.

        Args:
            questions: One line each, without its end.
            judge: Takes the number of the question and its reply; called from several
                threads with more than one job, and a second time for a reply that turned
                out to be out of step.

        Raises:
            InterruptedRunError: A signal came; every process tree was ended.

        """
        with Interruption() as interruption:
            return _Round(self, questions, judge, interruption).answers()

    def alone(self, interruption: Interruption, *, own_children: bool) -> Callable[[bytes], Reply]:
        """Return a function that asks one question of a process of its own."""

        def ask(line: bytes) -> Reply:
            outcome = run(
                self.argv,
                timeout_s=self.timeout_s,
                input_bytes=line + b"\n",
                keep_stdout=LONGEST_ANSWER,
                own_children=own_children,
                interruption=interruption,
            )
            kept = outcome.stderr.kept
            if outcome.ending == UNSTARTED:
                return Reply(UNSTARTED, reason=outcome.reason)
            if outcome.ending == TIMEOUT:
                return Reply(TIMEOUT, reason=f"{self.timeout_s:g} s", stderr=kept)
            if outcome.exit_code != 0:
                return Reply(EXITED, exit_code=outcome.exit_code, stderr=kept)
            if outcome.stdout.overflow:
                return Reply(TOO_LONG, reason=f"{LONGEST_ANSWER // _MEBIBYTE} MiB", stderr=kept)
            return Reply(ANSWERED, text=outcome.stdout.kept, exit_code=0, stderr=kept)

        return ask


class _Round:
    """One round of questions, shared by the threads that ask them."""

    def __init__(
        self,
        interview: Interview,
        questions: Sequence[bytes],
        judge: Callable[[int, Reply], Any],
        interruption: Interruption,
    ) -> None:
        self._interview = interview
        self._questions = questions
        self._judge = judge
        self._interruption = interruption
        self._judged: list[Any] = [None] * len(questions)
        self._done = 0
        self._crew = Crew(len(questions), interview.jobs)

    def answers(self) -> list[Any]:
        self._crew.work(self._work)
        return self._judged

    def _work(self) -> None:
        """Ask until nothing is left."""
        is_alone = self._crew.jobs == 1
        if self._interview.protocol == PROCESS:
            ask = self._interview.alone(self._interruption, own_children=is_alone)
            while (number := self._take()) is not None:
                self._put(number, ask(self._questions[number]))
            return
        asked: list[tuple[int, int]] = []
        dialogue = Dialogue(
            self._interview.argv, interruption=self._interruption, own_children=is_alone
        )
        with dialogue:
            while (number := self._take()) is not None:
                reply = dialogue.ask(self._questions[number], self._interview.timeout_s)
                asked.append((reply.process, number))
                self._put(number, reply)
        for process, number in asked:
            if process in dialogue.out_of_step:
                self._judged[number] = self._judge(number, Reply(OUT_OF_STEP, process=process))

    def _take(self) -> int | None:
        """Return the number of the next question, or None."""
        number = self._crew.take()
        if number is not None:
            self._interruption.check()
        return number

    def _put(self, number: int, reply: Reply) -> None:
        self._judged[number] = self._judge(number, reply)
        with self._crew.lock:
            self._done += 1
            done = self._done
        self._interview.tell(done, len(self._questions))
