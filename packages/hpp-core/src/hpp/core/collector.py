"""A pause of the cyclic garbage collector.

Work that makes very many objects and no cycle pays for looking at all of them again and
again, which is also why twice the input can take more than twice the time.
"""

from __future__ import annotations

import gc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Paused"]


class Paused:
    """A context in which the collector does not run; it is left as it was found."""

    __slots__ = ("_was_on",)

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._was_on:
            gc.enable()
