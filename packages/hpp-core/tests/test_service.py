from __future__ import annotations

import importlib.metadata
from typing import Any

import pytest

from hpp.core.errors import UsageError
from hpp.core.service import GROUP, OWNERS, find_service, install_line


class Distribution:
    def __init__(self, name: str) -> None:
        self.name = name


class Point:
    """An entry point of a distribution that a test makes up."""

    def __init__(self, distribution: str | None, function: object) -> None:
        self.dist = None if distribution is None else Distribution(distribution)
        self._function = function

    def load(self) -> object:
        return self._function


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 -- a function of any number
    def offered(name: str, *points: Point) -> None:
        def entry_points(**wanted: str) -> list[Point]:
            return list(points) if wanted == {"group": GROUP, "name": name} else []

        monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)

    return offered


@pytest.mark.parametrize("name", sorted(OWNERS))
def test_a_service_comes_from_the_distribution_that_owns_it(
    name: str,
    offer: Any,  # noqa: ANN401 -- see the fixture
) -> None:
    offer(name, Point("stranger", min), Point(None, sum), Point(OWNERS[name], max))

    assert find_service(name, "--option") is max


@pytest.mark.parametrize("name", sorted(OWNERS))
def test_a_service_of_a_family_that_is_absent_has_its_install_line(
    name: str,
    offer: Any,  # noqa: ANN401 -- see the fixture
) -> None:
    offer(name, Point("stranger", min))

    with pytest.raises(UsageError) as caught:
        find_service(name, "--option")

    assert caught.value.exit_code == 3
    assert str(caught.value).startswith(f"--option needs {OWNERS[name]}, which is not installed")
    assert install_line(OWNERS[name]) in str(caught.value)
