from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from hpp.core.collector import Paused

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.enable()
    yield
    if not was_on:
        gc.disable()


def test_the_collector_rests_and_goes_on() -> None:
    assert gc.isenabled()
    with Paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(KeyError), Paused():
        raise KeyError("x")

    assert gc.isenabled()


def test_control_one_that_was_off_stays_off() -> None:
    gc.disable()
    with Paused(), Paused():
        pass

    assert not gc.isenabled()
    gc.enable()
