"""Fixtures of the tests of `hpp init` and `hpp install`: a project, and an emitted tree."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.manifest import load_manifest, packaged_manifest_path
from hpp.installer.command import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hpp.core.manifest import Manifest

    Init = Callable[..., tuple[int, dict[str, Any]]]

RENDERING = ("NO_COLOR", "FORCE_COLOR", "TERM", "COLORTERM", "CI", "WT_SESSION")


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder whose name needs quotes, with no wish about colours."""
    folder = tmp_path / "a wörk place"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for name in RENDERING:
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def project(workplace: Path) -> Path:
    """Return an empty project below the working folder, named ``t``."""
    folder = workplace / "t"
    folder.mkdir()
    return folder


@pytest.fixture
def packaged() -> Manifest:
    """Return the packaged manifest."""
    return load_manifest(packaged_manifest_path())


@pytest.fixture
def tree(workplace: Path) -> Path:
    """Write an emitted tree of the packaged manifest into the working folder."""
    root = workplace / "dist"
    with open(packaged_manifest_path(), encoding="utf-8") as stream:
        document = json.load(stream)
    for module in document["modules"]:
        module["path"] = f"{module['area']}/{module['id']}-{module['version']}"
    document["installer"]["path"] = "installers/kit-forge-0.1.0/kit_doctor.py"
    _put(root / "hpp.manifest.json", document)
    for module in document["modules"]:
        _module(root, document, module)
    plugins = [
        {"name": m["id"], "source": f"./{m['path']}", "version": m["version"]}
        for m in document["modules"]
    ]
    version = document["product_version"]
    catalogue = {"name": document["name"], "version": version, "plugins": plugins}
    _put(root / "marketplace.json", {**catalogue, "repository": "https://github.com/o/r.git"})
    return root


def _module(root: Path, document: dict[str, Any], module: dict[str, Any]) -> None:
    folder = root / module["path"]
    plugin = {"name": module["id"], "version": module["version"]}
    _put(folder / ".claude-plugin/plugin.json", plugin)
    (folder / "README.md").write_bytes(b"read me\n")
    if module["id"] == "kit-forge":
        (folder / "kit_doctor.py").write_bytes(b"# the installer\n")
    hooks: dict[str, Any] = {}
    for hook in document["hooks"]:
        if hook["module"] == module["id"]:
            command = f'bash "${{CLAUDE_PLUGIN_ROOT}}/{hook["script"]}"'
            for event in hook["events"]:
                entry = {"hooks": [{"type": "command", "command": command, "timeout": 30}]}
                hooks.setdefault(event, []).append(entry)
    if hooks:
        _put(folder / "hooks/hooks.json", {"hooks": hooks})
    seal_module(folder)


def seal_module(folder: Path) -> None:
    files = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "CHECKSUMS.txt"
    )
    lines = [f"{hashlib.sha256((folder / f).read_bytes()).hexdigest()}  {f}\n" for f in files]
    (folder / "CHECKSUMS.txt").write_bytes("".join(lines).encode())


@pytest.fixture
def seal() -> Callable[[Path], None]:
    """Return what writes the inventory of a module's folder."""
    return seal_module


@pytest.fixture
def suite_of_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer a benchmark that passes, as hpp-cli does where it is installed."""

    class Evaluation:
        counts = {"pass_caret_k": 10}  # noqa: RUF012 -- never changed
        cases = (None,) * 10
        passed = True

    def found(name: str, wanted_by: str) -> Callable[..., tuple[Evaluation, list[Any]]]:
        assert (name, bool(wanted_by)) == ("benchmark", True)
        return lambda _k, *, quiet: (Evaluation(), [quiet] * 0)

    monkeypatch.setattr("hpp.installer.smoke.find_service", found)


@pytest.fixture
def init(capfdbinary: pytest.CaptureFixture[bytes]) -> Init:
    """Return a caller of ``init --json``: status and report."""

    def call(*words: str, benchmark: bool = False) -> tuple[int, dict[str, Any]]:
        skip = [] if benchmark else ["--no-benchmark"]
        code = main(["init", "--target", "t", *skip, "--json", *words])
        captured = capfdbinary.readouterr()
        assert captured.out, captured.err.decode()
        assert captured.out.isascii()
        report = json.loads(captured.out)
        assert report["exit_code"] == code
        return code, report

    return call


@pytest.fixture
def refused(capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., tuple[int, str]]:
    """Return a caller of the program that expects no answer: status and message."""

    def call(*words: str) -> tuple[int, str]:
        code = main(list(words))
        captured = capfdbinary.readouterr()
        assert captured.out == b""
        return code, captured.err.decode()

    return call


@pytest.fixture
def said(capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., tuple[int, str]]:
    """Return a caller of the program: status and text."""

    def call(*words: str) -> tuple[int, str]:
        code = main(list(words))
        return code, capfdbinary.readouterr().out.decode()

    return call


def _put(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


@pytest.fixture
def put(workplace: Path) -> Callable[[str, object], Path]:
    """Return a writer of files: JSON, or text as it stands."""

    def write(name: str, value: object) -> Path:
        path = workplace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, str) else json.dumps(value)
        path.write_bytes(text.encode())
        return path

    return write


@pytest.fixture
def link() -> Callable[[Path, Path], None]:
    """Return a maker of links; a system that allows none skips the test."""

    def make(path: Path, target: Path) -> None:
        try:
            os.symlink(target, path, target_is_directory=target.is_dir())
        except OSError:
            pytest.skip("this system lets this user make no links")

    return make
