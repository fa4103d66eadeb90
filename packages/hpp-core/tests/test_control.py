from __future__ import annotations

from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from hpp.core import control
from hpp.core.control import OWNERS, installed_controls

if TYPE_CHECKING:
    from collections.abc import Callable

    Install = Callable[..., None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a maker of entry points: (name, distribution, object)."""

    def make(*entries: tuple[str, str, str]) -> None:
        points = []
        for name, distribution, value in entries:
            point = EntryPoint(name, value, control.GROUP)
            vars(point).update(dist=SimpleNamespace(name=distribution))
            points.append(point)
        monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: points)

    return make


def test_a_third_party_may_add_a_control_of_its_own(install: Install) -> None:
    install(("their-own", "theirs", "builtins:bool"))

    assert set(installed_controls()) == {"their-own"}


def test_a_control_of_ours_is_taken_from_its_owner_alone(install: Install) -> None:
    install(
        ("workgraph-waves", "aaa", "builtins:int"),
        ("workgraph-waves", "hpp-core", "hpp.core.coreproof:workgraph_waves"),
        ("lane-collision", "aaa", "builtins:int"),
    )

    found = installed_controls()

    assert set(found) == {"workgraph-waves"}
    assert found["workgraph-waves"].run() == (True, "control")


def test_this_distribution_registers_what_it_owns() -> None:
    own = {name for name, owner in OWNERS.items() if owner == "hpp-core"}

    assert own <= set(installed_controls())


def test_control_there_are_ten_and_each_has_an_owner() -> None:
    assert len(OWNERS) == 10
    assert set(OWNERS.values()) == {"hpp-core", "hpp-cli", "hpp-decide", "hpp-evidence"}
