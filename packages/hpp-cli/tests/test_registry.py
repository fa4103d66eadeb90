from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from hpp.cli import main, registry
from hpp.core.errors import UsageError
from hpp.core.service import install_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Offer = Callable[..., None]

MODULE = (
    "from hpp.core.command import Command\n"
    "def run(values):\n"
    "    return 1\n"
    "GREET = Command('greet', 'say hello', run=run)\n"
    "class HOLDER:\n"
    "    GREET = GREET\n"
)


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Offer:
    """Return what puts a distribution with an entry point on the import path."""

    def put(
        distribution: str, module: str, lines: str, *, code: str = MODULE, eol: str = "\n"
    ) -> None:
        folder = tmp_path / f"{distribution}-1.0.dist-info"
        folder.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
        (folder / "METADATA").write_text(metadata, encoding="utf-8")
        (folder / "entry_points.txt").write_bytes(lines.replace("\n", eol).encode())
        (tmp_path / f"{module}.py").write_text(code, encoding="utf-8")
        monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
        monkeypatch.delitem(sys.modules, module, raising=False)

    return put


@pytest.mark.parametrize("name", sorted(registry.COMMANDS))
def test_a_command_of_the_table_has_the_name_it_is_found_by(name: str) -> None:
    command = registry.find_command(name)

    assert (command.name, command.summary.endswith(".")) == (name, False)


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "lines",
    [
        "[hpp.commands]\ngreet = family_a:GREET\n",
        "[console_scripts]\ngreet = other:main\n\n[hpp.commands]\ngreet=family_a:GREET [extra]\n",
        "[hpp.commands]\nother = nowhere:X\n greet = family_a:HOLDER.GREET\n[other]\ngreet = x:y",
    ],
)
def test_a_family_of_ours_is_found_by_its_text(
    offer: Offer, monkeypatch: pytest.MonkeyPatch, lines: str, eol: str
) -> None:
    offer("hpp_family", "family_a", lines, eol=eol)
    monkeypatch.setattr("importlib.metadata.entry_points", _forbidden)

    assert main(["greet"]) == 1


def test_a_family_of_a_third_party_is_found_by_its_metadata(offer: Offer) -> None:
    offer("stranger", "family_b", "[hpp.commands]\ngreet = family_b:GREET\n")

    assert main(["greet"]) == 1
    assert "greet" in [command.name for command in registry.installed_commands()]


def test_no_family_takes_a_word_of_the_table(
    offer: Offer, capfd: pytest.CaptureFixture[str]
) -> None:
    offer("hpp_family", "family_c", "[hpp.commands]\nstatus = family_c:GREET\n")

    assert registry.find_command("status").summary != "say hello"
    assert main(["doctor"]) == 0
    assert capfd.readouterr().out.startswith("doctor ok")


def test_a_family_that_cannot_be_loaded_hides_no_other(
    offer: Offer, capfd: pytest.CaptureFixture[str]
) -> None:
    offer("hpp_family", "family_d", "[hpp.commands]\ngreet = family_d:GREET\n", code="1 / 0")

    assert main(["--help"]) == 0
    out = capfd.readouterr().out
    assert "\n  doctor " in out
    assert "cannot be loaded: ZeroDivisionError" in out
    assert main(["greet"]) == 3
    assert capfd.readouterr().err.startswith("hpp: internal error: ZeroDivisionError")


def test_a_folder_that_cannot_be_listed_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "hpp_broken-1.0.dist-info").mkdir()  # no entry_points.txt in it
    (tmp_path / "file").write_bytes(b"")
    places = [str(tmp_path), str(tmp_path / "absent"), str(tmp_path / "file")]
    monkeypatch.setattr(sys, "path", [*places, *sys.path])

    with pytest.raises(UsageError, match="unknown command greet"):
        registry.find_command("greet")


def test_a_known_family_is_never_installed_by_a_bare_name() -> None:
    for distribution in set(registry.KNOWN_FAMILIES.values()):
        words = install_line(distribution).split()

        assert words[-1] == distribution
        assert "--index" in words
        assert "--find-links" not in words


def test_control_a_group_of_another_name_offers_no_command(offer: Offer) -> None:
    offer("hpp_family", "family_e", "[hpp.command]\ngreet = family_e:GREET\n")

    with pytest.raises(UsageError, match="unknown command"):
        registry.find_command("greet")


def _forbidden(**_: object) -> None:
    raise AssertionError("the slow way was taken")
