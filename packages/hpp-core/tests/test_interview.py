from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from hpp.core.errors import RefusedError
from hpp.core.interview import JSONL, PROCESS, Interview

if TYPE_CHECKING:
    from hpp.core.reply import Reply

MIXED = """
import sys
for line in sys.stdin:
    word = line.strip()
    if word == "crash":
        sys.exit(3)
    print(("" if word == "nothing" else word.upper()) + "\\n", end="", flush=True)
"""
# Both lines in one writing: the second is there before the next question is.
TWO_LINES = MIXED.replace(' + "\\n"', ' + "\\nmore\\n"')
QUESTIONS = [b"a", b"crash", b"b", b"nothing", b"c", b"crash"]


def told(protocol: str, jobs: int, code: str = MIXED) -> list[str]:
    interview = Interview([sys.executable, "-c", code], timeout_s=20, protocol=protocol, jobs=jobs)

    def judge(number: int, reply: Reply) -> str:
        return f"{number} {reply.fault() or reply.text.decode().strip()}"

    return interview.answers(QUESTIONS, judge)


@pytest.mark.parametrize("jobs", [1, 2, 9])
@pytest.mark.parametrize("protocol", [PROCESS, JSONL])
def test_the_way_of_asking_changes_no_answer(protocol: str, jobs: int) -> None:
    crashed = "it ended with exit code 3 before it answered: no stderr"

    assert told(protocol, jobs) == [
        "0 A",
        f"1 {crashed}",
        "2 B",
        "3 it printed nothing",
        "4 C",
        f"5 {crashed}",
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_answers_of_a_process_that_lost_step_are_judged_again(jobs: int) -> None:
    lines = told(JSONL, jobs, TWO_LINES)

    assert not [line for line in lines if line in {"0 A", "2 B", "4 C"}]
    assert any("nobody asked for" in line for line in lines)


def test_control_one_process_a_question_takes_everything_as_one_answer() -> None:
    assert told(PROCESS, 1, TWO_LINES)[0] == "0 A\nmore"


@pytest.mark.parametrize("protocol", [PROCESS, JSONL])
@pytest.mark.parametrize("jobs", [1, 2])
def test_every_answer_is_told(protocol: str, jobs: int) -> None:
    seen: list[tuple[int, int]] = []
    interview = Interview(
        [sys.executable, "-c", MIXED],
        timeout_s=20,
        protocol=protocol,
        jobs=jobs,
        tell=lambda done, total: seen.append((done, total)),
    )
    interview.answers(QUESTIONS, lambda _number, reply: reply)

    assert sorted(seen) == [(done, 6) for done in range(1, 7)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_a_thread_is_raised(jobs: int) -> None:
    def judge(_number: int, _reply: Reply) -> None:
        raise RefusedError("no")

    interview = Interview([sys.executable, "-c", MIXED], timeout_s=20, protocol=JSONL, jobs=jobs)
    with pytest.raises(RefusedError, match="no"):
        interview.answers(QUESTIONS, judge)


def test_no_questions_start_nothing() -> None:
    assert Interview(["./absent"], timeout_s=1).answers([], lambda _number, reply: reply) == []
