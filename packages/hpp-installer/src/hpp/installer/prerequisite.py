"""Stage ``prereqs``: Python, the manifest, the distribution around it, git."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass

from hpp.core.distribution import check_distribution
from hpp.core.errors import RefusedError
from hpp.core.git import git
from hpp.installer.stage import FAIL, OK, WARN, Problem, Stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.manifest import Manifest

__all__ = ["OLDEST_PYTHON", "Tools", "measured_tools", "prereqs"]

OLDEST_PYTHON = (3, 10)


@dataclass(frozen=True)
class Tools:
    """What this machine runs.

    Attributes:
        python: Version, as many numbers as are known.
        git: What ``git --version`` says, or None.

    """

    python: tuple[int, ...]
    git: str | None


def measured_tools(cwd: str) -> Tools:
    """Return the tools of this machine."""
    said = git(["--version"], cwd=cwd) if shutil.which("git") else None
    told = said.stdout.decode("utf-8", "replace").strip() if said and said.ok else None
    return Tools(tuple(sys.version_info[:3]), told)


def prereqs(manifest: Manifest, path: str, tools: Tools, doctor: str) -> Stage:
    """Return the stage.

    Args:
        manifest: It was validated when it was read.
        path: Its file.
        tools: What this machine runs.
        doctor: The command line of `hpp doctor` on this manifest.

    """
    checks = [
        _python(tools.python, doctor),
        _manifest(manifest, doctor),
        _distribution(manifest, path, doctor),
        _git(tools.git),
    ]
    failed = [check["id"] for check in checks if not check["ok"]]
    status = OK if not failed else WARN if failed == ["git"] else FAIL
    shown = {OK: "everything needed is here", WARN: "git is missing"}
    summary = shown.get(status, f"failed: {', '.join(failed)}")
    if status == OK and not checks[2]["verified"]:
        summary += "; distribution not checked"
    return Stage(
        "prereqs",
        status,
        summary,
        {"checks": checks},
        tuple(_problem(check) for check in checks if not check["ok"]),
        exit_hint={OK: 0, WARN: 1}.get(status, 2),
    )


def _python(version: tuple[int, ...], doctor: str) -> dict[str, Any]:
    ok = version >= OLDEST_PYTHON
    return {
        "id": "python",
        "ok": ok,
        "verified": ok,
        "measured": "Python " + ".".join(map(str, version)),
        "expected": "Python >= " + ".".join(map(str, OLDEST_PYTHON)),
        "command": f"{doctor} --report",
    }


def _manifest(manifest: Manifest, doctor: str) -> dict[str, Any]:
    return {
        "id": "manifest",
        "ok": True,
        "verified": True,
        "measured": f"protocol {manifest.protocol_version}, {len(manifest.modules)} modules",
        "expected": "it keeps its contract",
        "command": doctor,
    }


def _distribution(manifest: Manifest, path: str, doctor: str) -> dict[str, Any]:
    ok = verified = True
    try:
        result = check_distribution(manifest, path)
    except RefusedError as error:
        ok = verified = False
        measured = str(error)
    else:
        measured = f"{len(manifest.modules)} modules agree"
        if not result["checked"]:
            verified = False
            measured = "not checked: no marketplace.json beside the manifest"
    return {
        "id": "distribution",
        "ok": ok,
        "verified": verified,
        "measured": measured,
        "expected": "manifest, marketplace.json and plugin files agree",
        "command": f"{doctor} --json",
    }


def _git(version: str | None) -> dict[str, Any]:
    return {
        "id": "git",
        "ok": version is not None,
        "verified": version is not None,
        "measured": version or "git was not found",
        "expected": "git on the PATH",
        "command": "git --version",
    }


def _problem(check: dict[str, Any]) -> Problem:
    steps = {
        "python": "run hpp with a newer Python",
        "git": "install git; evidence and attestations need it",
        "distribution": "get the distribution again, or emit it again from its sources",
    }
    return Problem(check["id"], check["measured"], check["expected"], steps[check["id"]])
