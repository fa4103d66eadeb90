"""The workspace: its lists agree, its documents are safe, its sources are portable."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
DISTRIBUTIONS = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))
SOURCES = sorted(ROOT.glob("packages/*/src/**/*.py"))
needs_toml = pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib came with 3.11")
POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
WINDOWS_ONLY = {"msvcrt", "winreg", "_winapi", "winsound"}


def project(path: Path) -> dict[str, Any]:
    tomllib = pytest.importorskip("tomllib")
    parsed: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return parsed


@needs_toml
def test_every_list_names_every_distribution() -> None:
    settings = project(ROOT / "pyproject.toml")
    tool = settings["tool"]
    folders = [f"packages/{name}/src" for name in DISTRIBUTIONS]

    assert sorted(tool["uv"]["sources"]) == DISTRIBUTIONS
    named = [line.split(">")[0] for line in settings["project"]["dependencies"]]
    assert sorted(named) == DISTRIBUTIONS
    assert sorted(part.strip() for part in tool["mypy"]["mypy_path"].split(",")) == [
        f"$MYPY_CONFIG_FILE_DIR/{folder}" for folder in folders
    ]
    assert sorted(tool["ruff"]["namespace-packages"]) == [f"{folder}/hpp" for folder in folders]


@needs_toml
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_distribution_is_complete_and_needs_only_the_core(name: str) -> None:
    folder = ROOT / "packages" / name
    settings = project(folder / "pyproject.toml")["project"]
    family = name.removeprefix("hpp-")

    for required in ("README.md", "CHANGELOG.md", "LICENSE", f"src/hpp/{family}/py.typed"):
        assert (folder / required).is_file(), required
    assert not (folder / "src" / "hpp" / "__init__.py").exists()
    assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    names = [re.split(r"[^\w-]", line)[0] for line in settings["dependencies"]]
    assert names == (["jsonschema"] if name == "hpp-core" else ["hpp-core"])
    for line in settings["dependencies"]:
        assert ">=" in line
        assert "<" in line or line.startswith("jsonschema")


@needs_toml
def test_the_umbrella_has_the_version_of_the_manifest() -> None:
    manifest = json.loads((ROOT / "hpp.manifest.json").read_text(encoding="utf-8"))

    assert project(ROOT / "pyproject.toml")["project"]["version"] == manifest["product_version"]


def test_every_folder_of_a_module_is_one_that_the_manifest_names() -> None:
    manifest = json.loads((ROOT / "hpp.manifest.json").read_text(encoding="utf-8"))
    named = {module["path"] for module in manifest["modules"]}

    assert {
        f"modules/{path.name}" for path in (ROOT / "modules").iterdir() if path.is_dir()
    } <= named


@pytest.mark.parametrize("path", SOURCES, ids=[str(p.relative_to(ROOT)) for p in SOURCES])
def test_a_source_imports_what_every_system_has(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))
    imported = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])

    assert not imported & (POSIX_ONLY | WINDOWS_ONLY)


@pytest.mark.parametrize("path", SOURCES, ids=[str(p.relative_to(ROOT)) for p in SOURCES])
def test_a_family_imports_the_core_and_itself(path: Path) -> None:
    family = path.relative_to(ROOT).parts[1].removeprefix("hpp-")
    text = path.read_text(encoding="utf-8")

    imported = set(re.findall(r"^\s*(?:from|import) hpp\.(\w+)", text, re.MULTILINE))
    assert imported <= {"core", family}


def tracked() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    names = listing.stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def texts() -> list[tuple[Path, str]]:
    kept = [p for p in tracked() if p.suffix in (".md", ".py", ".toml", ".yml", ".json", ".txt")]
    return [(path, path.read_text(encoding="utf-8")) for path in kept]


UNSAFE = re.compile(r"(?:pip install|uvx|uv tool install|uv pip install|uv add)\s[^\n`]*")
OWN = re.compile(
    r"(?<![\w/.-])hpp(?:-(?:core|cli|evidence|retrieval|decide|installer))?(?![\w.-]*[/_])\b"
)


def test_no_install_line_can_reach_a_stranger_s_package() -> None:
    for path, text in texts():
        if path.name.startswith("test_") or path.name == "noxfile.py":
            continue
        for found in UNSAFE.finditer(text):
            line = found[0]
            is_safe = any(
                w in line
                for w in ("--index ", "--no-index ", "-c ", "--constraints ", "--from git+", ".whl")
            )
            assert is_safe or not OWN.search(line), f"{path.relative_to(ROOT)}: {line}"


MACHINE = re.compile(r"(?:/tmp/|/root/|/home/[a-z]+/|/work/|\\Users\\)")


def test_no_document_names_a_machine() -> None:
    for path, text in texts():
        if "tests" in path.parts or path.name == "test_workspace.py":
            continue
        for line in text.splitlines():
            if MACHINE.search(line):
                is_pattern = "re.compile(" in line  # what looks for such paths
                assert is_pattern or "/home/me/" in line or "example" in line, (
                    f"{path.relative_to(ROOT)}: {line}"
                )


def test_control_an_unsafe_line_would_be_seen() -> None:
    line = UNSAFE.search("run pip install hpp now")
    assert line is not None
    assert OWN.search(line[0])
    assert not OWN.search("pip install jsonschema")
