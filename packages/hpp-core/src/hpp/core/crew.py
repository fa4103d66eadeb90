"""Threads that share the items of one round, by their numbers."""

from __future__ import annotations

import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Crew"]

_SLICE_S = 0.1  # a wait on a thread cannot be interrupted on Windows


class Crew:
    """A crew of `jobs` at most, of which each takes the next item until none is left.

    Attributes:
        jobs: How many there are; one works in the calling thread.
        lock: Held while an item is taken; it may be taken again by its holder.

    """

    def __init__(self, count: int, jobs: int) -> None:
        self.jobs = max(1, min(jobs, count))
        self.lock = threading.RLock()
        self._count = count
        self._next = 0
        self._failed: BaseException | None = None

    def take(self) -> int | None:
        """Return the number of the next item; None when none is left or somebody failed."""
        with self.lock:
            number = self._next
            if number >= self._count or self._failed is not None:
                return None
            self._next += 1
        return number

    def work(self, share: Callable[[], None]) -> None:
        """Let everybody do a share, and raise what the first who failed raised."""
        if self.jobs == 1:
            share()
            return
        threads = [threading.Thread(target=self._apart, args=(share,)) for _ in range(self.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(_SLICE_S)
        if self._failed is not None:
            raise self._failed

    def _apart(self, share: Callable[[], None]) -> None:
        try:
            share()
        except BaseException as error:  # noqa: BLE001 -- the calling thread raises it
            self._failed = self._failed or error
