"""What is asked of the machine, and how other machines answer."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from hpp.installer.formats.destination import destination_fault, links_above, name_fault
from hpp.installer.formats.identifier import is_module_id, is_version, split_folder, version_key
from hpp.installer.formats.installmanifest import python_fits
from hpp.installer.formats.moduletree import read_module
from hpp.installer.kit.facts import Facts, find_bash, is_alive, utc
from hpp.installer.kit.layout import LAYOUTS
from hpp.installer.kit.lock import Lock
from hpp.installer.kit.place import open_target
from hpp.installer.kit.request import Request
from hpp.installer.kit.smoke import reduced_environment

if TYPE_CHECKING:
    from pathlib import Path

Shop = Any  # the class lives in conftest.py
ZEROS = "0" * 64
GIT = "C:\\Program Files\\Git\\cmd\\git.exe"
BASH = "C:\\Program Files\\Git\\bin\\bash.exe"


@pytest.mark.parametrize(
    ("system", "programs", "files", "found"),
    [
        ("posix", {"bash": "/bin/bash"}, (), "/bin/bash"),
        ("posix", {}, (), None),
        ("nt", {"git": GIT, "bash": "C:\\Windows\\System32\\bash.exe"}, (BASH,), BASH),
        ("nt", {"bash": "C:\\Windows\\System32\\bash.exe"}, (), None),
        (
            "nt",
            {"bash": "C:\\Users\\x\\WindowsApps\\bash.exe"},
            (),
            None,
        ),
        ("nt", {"bash": "C:\\msys64\\usr\\bin\\bash.exe"}, (), "C:\\msys64\\usr\\bin\\bash.exe"),
        ("nt", {}, (BASH,), None),
    ],
)
def test_on_windows_bash_is_git_s_and_never_the_subsystem_s(
    system: str, programs: dict[str, str], files: tuple[str, ...], found: str | None
) -> None:
    assert find_bash(system, programs.get, lambda path: path in files) == found


def test_a_process_is_known_to_be_alive_or_gone() -> None:
    assert is_alive(os.getpid())
    assert not is_alive(2**22 + 7)


def test_moments_are_written_in_utc() -> None:
    assert utc(0) == "1970-01-01T00:00:00Z"


def test_a_smoke_sees_paths_locale_and_the_system_s_words_alone() -> None:
    given = {
        "Path": "C:\\bin", "SystemRoot": "C:\\Windows", "LC_ALL": "C.UTF-8", "MY_TOKEN": "x",
        "AWS_SECRET_ACCESS_KEY": "x", "HOME": "/home/me", "PYTHONPATH": "/evil",
    }  # fmt: skip

    seen = reduced_environment(given, "nt", "/scratch")

    assert seen["SYSTEMROOT"] == "C:\\Windows"
    assert seen["PATH"].endswith("C:\\bin")
    assert seen["HOME"] == os.path.join("/scratch", "home")
    assert seen["PYTHONDONTWRITEBYTECODE"] == "1"
    assert not {"MY_TOKEN", "AWS_SECRET_ACCESS_KEY", "PYTHONPATH"} & set(seen)
    assert "SYSTEMROOT" not in reduced_environment(given, "posix", "/scratch")


def test_the_command_that_applies_a_plan_repeats_every_option() -> None:
    request = Request(
        kit="a b",
        target="t",
        host="codex",
        channel="copy",
        answers="x.json",
        no_smoke=True,
        smoke_timeout=5,
        edits="keep",
        allow_downgrade=True,
        expect=ZEROS,
    )

    shown = request.apply_command("hpp kit", "posix")
    assert shown == (
        "hpp kit install --kit 'a b' --target t --host codex --channel copy --answers x.json "
        f"--smoke-timeout 5 --expect {ZEROS} --no-smoke --keep-modified --allow-downgrade --apply"
    )
    assert '--kit "a b"' in request.apply_command("hpp kit", "nt")


@pytest.mark.parametrize(
    ("requirement", "version", "fits"),
    [
        (">=3.10", (3, 10, 0), True),
        (">=3.10", (3, 9, 18), False),
        (">=3.10,<3.13", (3, 13, 0), False),
        ("==3.12", (3, 12, 4), True),
        ("!=3.12.1", (3, 12, 1), False),
        (">3.9", (3, 10, 0), True),
        ("<=3.11", (3, 11, 9), True),
        ("about 3", (3, 11, 9), False),
    ],
)
def test_a_python_fits_what_is_written_of_it(
    requirement: str, version: tuple[int, ...], fits: bool
) -> None:
    assert python_fits(requirement, version) is fits


def test_versions_are_ordered_as_the_standard_orders_them() -> None:
    ordered = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
               "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.10.0", "2.0.0"]  # fmt: skip

    assert sorted(set(ordered), key=version_key) == ordered
    assert all(map(is_version, ordered))
    assert not any(map(is_version, ["1.0", "01.0.0", "1.0.0+b", "1.0.0-", "v1.0.0", "1.0.0-01"]))
    with pytest.raises(ValueError, match="not a version"):
        version_key("1.0")


def test_the_name_of_a_folder_states_module_and_version() -> None:
    assert split_folder("demo-kit-0.1.0") == ("demo-kit", "0.1.0")
    assert split_folder("demo-kit-1.0.0-rc.1") == ("demo-kit", "1.0.0-rc.1")
    assert split_folder("demo-kit") is None
    assert split_folder("Demo-0.1.0") is None
    assert is_module_id("a" * 40)
    assert not any(map(is_module_id, ["a" * 41, "a--b", "-a", "1a", "A", ""]))


@pytest.mark.parametrize(
    "path",
    [
        ".git/config", "x/.git/hooks/y", "GIT~1/x", ".hpp/profile.json", ".codex/hooks.json",
        "settings.json", ".claude/settings.local.json", "x/AGENTS.md", "claude.md", "../x", "/x",
    ],
)  # fmt: skip
def test_what_hosts_and_git_read_is_no_destination(path: str) -> None:
    assert name_fault(path)


def test_a_module_s_own_folder_holds_its_files_as_they_are() -> None:
    runtime = ".agents/hpp/demo-kit"

    assert name_fault(f"{runtime}/AGENTS.md", runtime) == ""
    assert name_fault(f"{runtime}/hooks/hooks.json", runtime) == ""
    assert name_fault(f"{runtime}/.git/x", runtime)
    assert name_fault(".agents/hpp/other/AGENTS.md", runtime)


def test_what_is_no_folder_on_the_way_is_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "d").mkdir()

    assert destination_fault(str(tmp_path), "a/b") == "a is no folder"
    assert destination_fault(str(tmp_path), "d")
    assert destination_fault(str(tmp_path), "d/x/y") == ""


def test_links_of_macos_itself_are_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = {"/tmp": "private/tmp", "/door": "elsewhere"}
    monkeypatch.setattr("hpp.installer.formats.destination.is_link", links.__contains__)
    monkeypatch.setattr(os, "readlink", lambda path: links[path])

    assert links_above("/tmp/x", str(tmp_path)) == ""
    assert links_above("/door/x", str(tmp_path)) == os.path.abspath("/door")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes in folders")
def test_what_is_no_regular_file_does_not_hold_a_reader_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    (problem,) = read_module(str(tmp_path)).problems

    assert (problem.code, problem.path) == ("unsafe-path", "pipe")


def test_a_file_system_without_hard_links_has_a_lock_all_the_same(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", refused)
    (shop.target / ".agents/hpp/.tx").mkdir(parents=True)
    target = open_target(str(shop.target), shop.facts)
    first, second = (Lock(target, LAYOUTS["codex"], shop.facts) for _ in range(2))

    first.take([])

    assert first.is_mine()
    with pytest.raises(Exception, match="another installer is at work"):
        second.take([])
    first.release([".agents", ".agents/hpp"])
    assert shop.tree() == {}


def test_facts_can_be_replaced_one_by_one() -> None:
    assert replace(Facts(), system="nt").system == "nt"
