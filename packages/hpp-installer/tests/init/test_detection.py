"""What is in a target: every signal, and the word for all of them together."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.loop import Loop
from hpp.installer.answer import Resolver
from hpp.installer.detection import classification, detect, look

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hpp.core.manifest import Manifest
    from hpp.installer.detection import Findings

    Put = Callable[[str, object], Path]


@pytest.fixture
def found(project: Path, packaged: Manifest) -> Callable[[], Findings]:
    return lambda: look(str(project), Loop.of(packaged))


def commit(project: Path, times: int) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
    for _ in range(times):
        subprocess.run(
            ["git", *who, "commit", "-q", "--allow-empty", "-m", "x"],
            cwd=project, check=True, timeout=30,
        )  # fmt: skip


def test_control_an_empty_folder_is_greenfield(found: Callable[[], Findings]) -> None:
    seen = found()

    assert classification(seen) == "greenfield"
    assert seen.signals() == {
        "claude_dir": False,
        "settings_occupied": False,
        "agents_md": False,
        "agents_dir": False,
        "event_log": False,
        "event_count": 0,
        "profile": "absent",
        "git_commit_count": 0,
    }
    assert detect(seen, "t").detail["existing_config"] == []


@pytest.mark.parametrize(
    ("name", "value", "signal", "kind"),
    [
        ("t/.claude/x", "", "claude_dir", "in-progress"),
        ("t/AGENTS.md", "", "agents_md", "in-progress"),
        ("t/.agents/x", "", "agents_dir", "greenfield"),
        ("t/.hpp/events.jsonl", "", "event_log", "in-progress"),
        ("t/.claude/settings.json", {"hooks": {"Stop": []}}, "settings_occupied", "in-progress"),
        ("t/.claude/settings.local.json", {"statusLine": {"type": "x"}}, "settings_occupied",
         "in-progress"),
        ("t/.claude/settings.json", "{", "settings_occupied", "in-progress"),
    ],
)  # fmt: skip
def test_each_signal_is_seen_and_kept(  # noqa: PLR0913, PLR0917 -- one row of a table
    found: Callable[[], Findings], put: Put, name: str, value: object, signal: str, kind: str
) -> None:
    put(name, value)

    seen = found()

    assert seen.signals()[signal] is True
    assert classification(seen) == kind
    assert len(detect(seen, "t").detail["existing_config"]) >= 1


@pytest.mark.parametrize("settings", [{}, {"model": "x"}, {"hooks": {}}, {"statusLine": None}])
def test_settings_without_hooks_are_free(
    found: Callable[[], Findings], put: Put, settings: dict[str, Any]
) -> None:
    put("t/.claude/settings.json", settings)

    assert found().signals()["settings_occupied"] is False


def test_more_than_three_commits_are_work_in_progress(
    found: Callable[[], Findings], project: Path
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True, timeout=30)
    assert found().commits == 0
    commit(project, 3)
    assert (found().commits, classification(found())) == (3, "greenfield")
    commit(project, 1)
    assert (found().commits, classification(found())) == (4, "in-progress")


def test_a_profile_makes_a_second_run(
    found: Callable[[], Findings], put: Put, packaged: Manifest
) -> None:
    profile = Resolver(packaged, {}, {}).answers().profile(packaged)
    put("t/.hpp/profile.json", profile)
    put("t/AGENTS.md", "x")

    assert found().signals()["profile"] == "present"
    assert classification(found()) == "re-run"
    assert detect(found(), "t").status == "ok"


@pytest.mark.parametrize("text", ["{", "[]", json.dumps({"schema": "hpp.init/v9"})])
def test_a_file_that_is_no_profile_warns(
    found: Callable[[], Findings], put: Put, text: str
) -> None:
    put("t/.hpp/profile.json", text)

    stage = detect(found(), "t")

    assert (stage.status, stage.exit_hint) == ("warn", 1)
    assert stage.detail["signals"]["profile"] == "invalid"
    assert stage.detail["classification"] == "greenfield"


@pytest.mark.parametrize("log", ["{\n", '{"seq": 2}\n', "[]\n"])
def test_a_log_that_does_not_replay_warns_and_counts_nothing(
    found: Callable[[], Findings], put: Put, log: str
) -> None:
    put("t/.hpp/events.jsonl", log)

    stage = detect(found(), "t")

    assert stage.status == "warn"
    assert stage.detail["signals"]["event_count"] is None
    assert "line 1" in stage.problems[0].measured


def test_a_state_folder_that_is_a_link_is_not_entered(
    found: Callable[[], Findings], put: Put, project: Path, link: Callable[[Path, Path], None]
) -> None:
    log = put("elsewhere/events.jsonl", "{\n")
    link(project / ".hpp", log.parent)

    assert found().event_log is False
    assert detect(found(), "t").detail["signals"]["profile"] == "invalid"


def test_a_folder_in_place_of_the_log_warns(found: Callable[[], Findings], project: Path) -> None:
    (project / ".hpp/events.jsonl").mkdir(parents=True)

    assert detect(found(), "t").status == "warn"
