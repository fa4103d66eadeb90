"""The installer as a module carries it: the standard library and hpp.core, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import hpp.core
import hpp.installer.formats
import hpp.installer.kit
from hpp.installer.kit.version import VERSION

Shop = Any  # the class lives in conftest.py
ENTRY = """import os, sys
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vendor")]
from hpp.installer.kit import main
sys.exit(main(sys.argv[1:], "kit_doctor.py"))
"""


@pytest.fixture
def doctor(tmp_path: Path) -> Path:
    vendor = tmp_path / "doctor" / "_vendor" / "hpp"
    for package in (hpp.core, hpp.installer.formats, hpp.installer.kit):
        source = Path(str(package.__file__)).parent
        parts = package.__name__.split(".")[1:]
        ignored = shutil.ignore_patterns("__pycache__", "*.json")
        shutil.copytree(source, vendor.joinpath(*parts), ignore=ignored)
    (vendor / "installer" / "__init__.py").write_bytes(b"")
    entry = tmp_path / "doctor" / "kit_doctor.py"
    entry.write_text(ENTRY, encoding="utf-8")
    return entry


def started(entry: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Run it with neither site-packages nor the environment's words."""
    command = [sys.executable, "-I", "-S", "-W", "error", str(entry), *words]
    return subprocess.run(command, capture_output=True, timeout=120, check=False, cwd=cwd)


def test_it_checks_itself_without_anything_installed(doctor: Path, tmp_path: Path) -> None:
    done = started(doctor, "--self-test", cwd=tmp_path)

    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    assert b", 0 failed\n" in done.stdout
    assert [name for name in os.listdir(tmp_path) if name != "doctor"] == []


def test_it_installs_and_removes_as_the_command_does(doctor: Path, shop: Shop) -> None:
    module = shop.distribution()
    where = ["--target", str(shop.target), "--host", "codex"]

    plan = started(doctor, "install", "--kit", str(module), *where, cwd=shop.place)
    assert shop.tree() == {}
    applied = started(doctor, "install", "--kit", str(module), *where, "--apply", cwd=shop.place)
    ours = shop.install(module, no_smoke=False)

    assert (plan.returncode, applied.returncode) == (0, 0), applied.stderr.decode()
    assert json.loads(plan.stdout)["next"][-1].startswith("kit_doctor.py install --kit ")
    assert ours["status"] == "already-current"
    gone = started(doctor, "uninstall", "--module", "demo-kit", *where, "--apply", cwd=shop.place)
    assert gone.returncode == 0
    assert set(shop.tree()) == {"config", "config/greet.json"}


def test_receipts_record_the_version_of_the_distribution() -> None:
    assert version("hpp-installer") == VERSION
