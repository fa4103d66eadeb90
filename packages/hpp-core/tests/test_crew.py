from __future__ import annotations

import threading

import pytest

from hpp.core.crew import Crew


@pytest.mark.parametrize(("count", "jobs", "wanted"), [(5, 1, 1), (5, 3, 3), (2, 9, 2), (0, 4, 1)])
def test_every_item_is_taken_once(count: int, jobs: int, wanted: int) -> None:
    crew = Crew(count, jobs)
    taken: list[int] = []

    def share() -> None:
        while (number := crew.take()) is not None:
            taken.append(number)

    crew.work(share)

    assert sorted(taken) == list(range(count))
    assert crew.jobs == wanted


def test_one_works_where_it_was_called() -> None:
    seen: list[threading.Thread] = []

    Crew(3, 1).work(lambda: seen.append(threading.current_thread()))

    assert seen == [threading.current_thread()]


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_failure_is_raised_and_ends_the_round(jobs: int) -> None:
    crew = Crew(1000, jobs)
    taken: list[int] = []

    def share() -> None:
        while (number := crew.take()) is not None:
            taken.append(number)
            if number == 2:
                raise KeyError(number)

    with pytest.raises(KeyError):
        crew.work(share)

    assert {0, 1, 2} <= set(taken)
    if jobs > 1:
        assert crew.take() is None


def test_control_a_crew_without_shares_takes_nothing() -> None:
    crew = Crew(2, 2)
    crew.work(lambda: None)

    assert [crew.take(), crew.take(), crew.take()] == [0, 1, None]
