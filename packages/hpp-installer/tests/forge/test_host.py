"""An emitted tree in the real clients: the catalogues are read, every plugin installs."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Tree = Any
Run = subprocess.CompletedProcess[str]


@pytest.fixture
def client(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., Run]:
    """Return a function that runs a client in a home of its own, without a network."""
    variable, name = request.param
    program = os.environ.get(variable) or shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed; {variable} names it")
    home = tmp_path / "home"
    home.mkdir()
    nowhere = "http://127.0.0.1:9"
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "CODEX_HOME": str(home),
        "HTTPS_PROXY": nowhere,
        "HTTP_PROXY": nowhere,
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }

    def run(*words: str) -> Run:
        return subprocess.run(
            [program, *words],
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            cwd=home,
            env=env,
            check=False,
        )

    return run


CLAUDE = pytest.mark.parametrize(
    "client", [("HPP_CLAUDE", "claude")], indirect=True, ids=["claude"]
)
CODEX = pytest.mark.parametrize("client", [("HPP_CODEX", "codex")], indirect=True, ids=["codex"])


@CLAUDE
def test_the_validator_has_one_known_word_about_the_catalogue(
    emitted: Tree, client: Callable[..., Run]
) -> None:
    done = client("plugin", "validate", str(emitted.root))

    # Names that begin like this are the maker's own; the loader accepts them.
    told = [line for line in done.stdout.splitlines() if line.strip().startswith("❯")]
    assert [line for line in told if "reserved" not in line and "'repository'" not in line] == []
    emitted.change(".claude-plugin/marketplace.json", lambda value: value.pop("owner"))
    assert "owner" in client("plugin", "validate", str(emitted.root)).stdout


@CLAUDE
def test_every_module_is_valid_and_installs(emitted: Tree, client: Callable[..., Run]) -> None:
    assert client("plugin", "marketplace", "add", str(emitted.root)).returncode == 0
    for module in emitted.read("hpp.manifest.json")["modules"]:
        done = client("plugin", "validate", "--strict", str(emitted.root / module["path"]))
        assert done.returncode == (1 if module["id"].startswith("claude-") else 0), done.stdout
        name = f"{module['id']}@house-party-protocol"
        installed = client("plugin", "install", name)
        assert installed.returncode == 0, installed.stdout + installed.stderr
    assert client("plugin", "install", "no-kit@house-party-protocol").returncode != 0


@CODEX
def test_codex_takes_the_modules_of_its_channel(emitted: Tree, client: Callable[..., Run]) -> None:
    added = client("plugin", "marketplace", "add", str(emitted.root))
    assert added.returncode == 0, added.stderr
    for entry in emitted.read(".agents/plugins/marketplace.json")["plugins"]:
        done = client("plugin", "add", f"{entry['name']}@house-party-protocol")
        assert done.returncode == 0, done.stderr
    assert client("plugin", "add", "kit-forge@house-party-protocol").returncode != 0
