"""Change the registry in one step; apart from its reading, so that a guard cannot write it."""

from __future__ import annotations

import os

from _lib.chain import Held
from _lib.registry import Registry, read_registry

from hpp.core.portable.fswrite import atomic_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from _lib.config import Config

    T = TypeVar("T")

__all__ = ["change"]


def change(
    path: str, apply: Callable[[Registry], T], *, timeout_s: float = 5.0, now: int, config: Config
) -> T:
    """Read the registry, change it and write it in one step, under its lock.

    Args:
        path: The registry's file; its folder is there.
        apply: Changes it in place; when it raises, nothing is written.
        timeout_s: Most seconds to wait for the lock.
        now: Unix seconds.
        config: The settings.

    """
    with Held(path, timeout_s=timeout_s):
        registry = read_registry(path)
        before = registry.data()
        result = apply(registry)
        registry.forget(now, config)
        after = registry.data()
        if after != before or not os.path.lexists(path):
            atomic_write(path, after)
    return result
