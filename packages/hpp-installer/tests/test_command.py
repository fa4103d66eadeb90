"""The program ``hpp-installer``."""

from __future__ import annotations

import pytest

from hpp.installer.command import main

Capture = pytest.CaptureFixture[str]


def test_the_version_is_the_one_of_the_distribution(capfd: Capture) -> None:
    assert main(["--version"]) == 0

    assert capfd.readouterr().out.startswith("0.")


def test_an_unknown_command_is_a_usage_error(capfd: Capture) -> None:
    assert main(["kitt"]) == 3

    assert "unknown command kitt" in capfd.readouterr().err
