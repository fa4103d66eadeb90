"""Module files against their inventory: a sound folder, and one copy for each way of lying."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from hpp.installer.checksum import check_module

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Break = Callable[[Path], object]
    Link = Callable[[Path, Path], None]

PLACE = "area/kit-0.1.0"


@pytest.fixture
def module(tmp_path: Path, seal: Callable[[Path], None]) -> Path:
    folder = tmp_path / PLACE
    (folder / "hooks").mkdir(parents=True)
    (folder / "README.md").write_bytes(b"one\ntwo\n")
    (folder / "hooks/guard.py").write_bytes(b"pass\n")
    seal(folder)
    return folder


def inventory(module: Path, text: bytes) -> None:
    (module / "CHECKSUMS.txt").write_bytes(text)


def line(path: str) -> bytes:
    return f"{hashlib.sha256(b'').hexdigest()}  {path}\n".encode()


def append(module: Path, text: bytes) -> None:
    inventory(module, (module / "CHECKSUMS.txt").read_bytes() + text)


def test_control_a_sound_module_is_verified(tmp_path: Path, module: Path) -> None:
    cache = module / "hooks/__pycache__"
    cache.mkdir()
    (cache / "guard.cpython-312.pyc").write_bytes(b"x")

    assert check_module(str(tmp_path), PLACE) == {"status": "verified", "files": 2}


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda m: (m / "README.md").write_bytes(b"one\n"), "README.md: its content"),
        (lambda m: (m / "README.md").write_bytes(b"one\r\ntwo\r\n"), "README.md: content equal"),
        (lambda m: (m / "README.md").unlink(), "README.md: it is missing"),
        (lambda m: (m / "hooks/evil.py").write_bytes(b""), "hooks/evil.py: it is not listed"),
        (lambda m: (m / "__pycache__").mkdir() or (m / "__pycache__/x.pyc").write_bytes(b""),
         "__pycache__/x.pyc: it is not listed"),
        (lambda m: inventory(m, b""), "CHECKSUMS.txt: it lists no file"),
        (lambda m: inventory(m, b"\xef\xbb\xbf" + line("a")), "byte-order mark"),
        (lambda m: inventory(m, (m / "CHECKSUMS.txt").read_bytes().replace(b"\n", b"\r\n")),
         "line ends were rewritten by git"),
        (lambda m: append(m, b"nonsense\n"), "CHECKSUMS.txt: "),
        (lambda m: append(m, line("../../x")), "../../x: "),
        (lambda m: append(m, line("C:/x")), "C:/x: "),
        (lambda m: append(m, line("/etc/passwd")), "/etc/passwd: "),
        (lambda m: append(m, line("readme.MD")), "readme.MD"),
        (lambda m: append(m, line("absent")), "absent: it is missing"),
    ],
)  # fmt: skip
def test_whatever_differs_is_a_mismatch(
    tmp_path: Path, module: Path, damage: Break, told: str
) -> None:
    damage(module)

    found = check_module(str(tmp_path), PLACE)

    assert found["status"] == "mismatch"
    assert any(told in failure for failure in found["failures"]), found


def test_a_link_is_a_mismatch_wherever_it_is(tmp_path: Path, module: Path, link: Link) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (module / "README.md").rename(other / "README.md")
    link(module / "README.md", other / "README.md")
    assert check_module(str(tmp_path), PLACE)["failures"] == ["README.md: it is a link"]

    (tmp_path / "area").rename(other / "area")
    link(tmp_path / "area", other / "area")
    assert check_module(str(tmp_path), PLACE)["failures"] == ["area: it is a link"]


def test_an_inventory_that_the_distribution_does_not_name_is_a_mismatch(
    tmp_path: Path, module: Path
) -> None:
    true = hashlib.sha256((module / "CHECKSUMS.txt").read_bytes()).hexdigest()

    assert check_module(str(tmp_path), PLACE, true)["status"] == "verified"
    found = check_module(str(tmp_path), PLACE, "0" * 64)
    assert found["failures"] == ["CHECKSUMS.txt: it is not the one that distribution.json names"]


def test_at_most_three_failures_are_told(tmp_path: Path, module: Path) -> None:
    for number in range(5):
        (module / f"extra{number}").write_bytes(b"")

    assert len(check_module(str(tmp_path), PLACE)["failures"]) == 3


def test_what_is_not_there_is_not_measured(tmp_path: Path, module: Path) -> None:
    (module / "CHECKSUMS.txt").unlink()
    assert check_module(str(tmp_path), PLACE)["status"] == "not-verified"
    assert check_module(str(tmp_path), "area/gone")["status"] == "not-verified"

    (tmp_path / "area/file").write_bytes(b"")
    assert check_module(str(tmp_path), "area/file")["status"] == "mismatch"


def test_a_folder_in_place_of_the_inventory_is_a_mismatch(tmp_path: Path, module: Path) -> None:
    (module / "CHECKSUMS.txt").unlink()
    (module / "CHECKSUMS.txt").mkdir()

    assert check_module(str(tmp_path), PLACE)["status"] == "mismatch"
