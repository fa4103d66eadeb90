from __future__ import annotations

import os
import sys
import types
from typing import TYPE_CHECKING

import pytest

from hpp.core import filelock
from hpp.core.errors import MachineError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def handles(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """Open one file twice."""
    path = tmp_path / "lock"
    opened = (os.open(path, os.O_RDWR | os.O_CREAT), os.open(path, os.O_RDWR))
    yield opened
    for handle in opened:
        os.close(handle)


def test_a_lock_has_one_holder(handles: tuple[int, int]) -> None:
    assert filelock.acquire(handles[0], timeout_s=1)
    assert not filelock.acquire(handles[1], timeout_s=0.05)


class Msvcrt(types.ModuleType):
    """Stands in for the module of Windows: one byte that somebody may hold."""

    LK_NBLCK = 2

    def __init__(self, error: OSError | None) -> None:
        super().__init__("msvcrt")
        self.error = error
        self.calls: list[tuple[int, int]] = []

    def locking(self, _handle: int, mode: int, count: int) -> None:
        self.calls.append((mode, count))
        if self.error is not None:
            raise self.error


def test_windows_locks_one_byte(handles: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    free = Msvcrt(None)
    monkeypatch.setitem(sys.modules, "msvcrt", free)

    assert filelock.platform_lock("nt")(handles[0])
    assert free.calls == [(2, 1)]


def test_windows_says_that_a_lock_is_held(
    handles: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "msvcrt", Msvcrt(PermissionError(13, "held")))

    assert not filelock.platform_lock("nt")(handles[0])


def test_a_file_system_without_locks_is_told(
    handles: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "msvcrt", Msvcrt(OSError(22, "Invalid argument")))

    with pytest.raises(MachineError, match="Invalid argument"):
        filelock.platform_lock("nt")(handles[0])


def test_control_a_lock_of_another_file_holds_nobody_up(
    handles: tuple[int, int], tmp_path: Path
) -> None:
    other = os.open(tmp_path / "other", os.O_RDWR | os.O_CREAT)
    try:
        assert filelock.acquire(handles[0], timeout_s=1)
        assert filelock.acquire(other, timeout_s=1)
    finally:
        os.close(other)
