"""Python, manifest, distribution, git: what fails, what warns, what is not checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hpp.core.manifest import packaged_manifest_path
from hpp.installer.prerequisite import Tools, measured_tools, prereqs

if TYPE_CHECKING:
    from hpp.core.manifest import Manifest

GIT = "git version 2.50"


@pytest.mark.parametrize(
    ("tools", "status", "hint", "failed"),
    [
        (Tools((3, 10), GIT), "ok", 0, []),
        (Tools((3, 13, 1), GIT), "ok", 0, []),
        (Tools((4, 0), GIT), "ok", 0, []),
        (Tools((3, 12), None), "warn", 1, ["git"]),
        (Tools((3, 9, 19), GIT), "fail", 2, ["python"]),
        (Tools((2, 7), None), "fail", 2, ["python", "git"]),
    ],
    ids=["oldest", "newer", "next", "no git", "old", "old without git"],
)
def test_only_an_old_python_halts_and_only_a_missing_git_warns(
    packaged: Manifest, tools: Tools, status: str, hint: int, failed: list[str]
) -> None:
    stage = prereqs(packaged, packaged_manifest_path(), tools, "hpp doctor")

    checks = stage.detail["checks"]
    assert (stage.status, stage.exit_hint) == (status, hint)
    assert [check["id"] for check in checks] == ["python", "manifest", "distribution", "git"]
    assert [problem.label for problem in stage.problems] == failed


def test_a_manifest_alone_says_that_the_distribution_is_not_checked(packaged: Manifest) -> None:
    stage = prereqs(packaged, packaged_manifest_path(), Tools((3, 12), GIT), "hpp doctor")

    check = stage.detail["checks"][2]
    assert (check["ok"], check["verified"]) == (True, False)
    assert "no marketplace.json" in check["measured"]
    assert "not checked" in stage.summary


def test_control_this_machine_has_a_python(tmp_path: object) -> None:
    assert measured_tools(str(tmp_path)).python >= (3, 10)


def test_a_machine_without_git_has_none(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert measured_tools(str(tmp_path)).git is None
