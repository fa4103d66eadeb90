"""The hooks as a host runs them, and the same questions asked by hand."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    Run = subprocess.CompletedProcess[str]
    Call = Callable[..., Run]

GIT_GUARD = "hooks/lane_git_guard.py"
TERRITORY = "hooks/lane_territory_guard.py"
REGISTER = "hooks/lane_register.py"
REGISTRY = Path(".claude") / "lanes" / "registry.json"
TAKES_EVERYTHING = [
    "git add -A", "git add -u", "git add :/", "git -C . add -A", "git -c a=b commit -am x",
    "git commit -m x", "git commit -m x -- .", "git restore .", "git clean -fd", "git checkout -f",
    "git stash", "git reset --merge", "git merge x", "git add .", "git add --all", "git add '*'",
    "git add ..", "git commit --amend", "git commit --all -m x", "git reset --hard",
    "git checkout .", "git checkout HEAD -- .", "git switch --discard-changes main",
    "git read-tree -u --reset HEAD", "git rm -r .", "git stash push", "git stash -u",
    "git stash pop", "git rebase main", "git push --force", "git push origin +main",
    "git pull", "git cherry-pick abc", "git checkout -b new", "git switch other",
    "git worktree prune", "cd src && git add -A", "bash -c 'git add -A'", "sudo git add -A",
    "true; git add -A", "git add -A | cat", "LANE_GIT_GUARD_BYPASS=1 git add -A",
    "xargs git add -A", "env A=b git add -A",
]  # fmt: skip
IS_CONFINED = [
    'git commit -m "use -a and --all" -- src/a.py', "git commit src/a.py -m x", "git add src/a.py",
    "git stash list", 'echo "git add -A"', "git status", "git log --all", "git diff",
    "git checkout -- src/a.py", "git restore src/a.py", "git stash push -- src/a.py",
    "git push origin feature", "git commit -F message -- src/a.py", "git clean -n",
    "git add -n .", "grep 'git add -A' notes.txt", "# git add -A", "git worktree list",
    "git reset HEAD src/a.py", "git branch -f nobodys", "cat <<'X'\ngit add -A\nX",
]  # fmt: skip


@pytest.fixture
def alive(lanes: Call, repository: Path) -> Call:
    """Return a maker of other lanes that are here, so many seconds ago."""
    del repository

    def register(name: str = "other", age: int = 0, *words: object) -> Run:
        done = lanes(
            "register", "--lane", name, "--role", "executor", "--model", "gpt-5",
            "--now", int(time.time()) - age, *words,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done

    return register


@pytest.fixture
def event(project: Path) -> Callable[..., str]:
    """Return a maker of the event before a command, or of any other."""

    def make(command: str = "git add -A", **more: object) -> str:
        return json.dumps(
            {
                "hook_event_name": "PreToolUse", "session_id": "mine", "cwd": str(project),
                "tool_name": "Bash", "tool_input": {"command": command}, **more,
            }
        )  # fmt: skip

    return make


def guard(run: Call, command: str, mode: str = "block") -> int:
    done = run(GIT_GUARD, "check", "--mode", mode, "--command", command)
    assert "Traceback" not in done.stderr
    return done.returncode


@pytest.mark.parametrize("hook", [GIT_GUARD, TERRITORY, REGISTER])
def test_each_self_test_holds(run: Call, hook: str) -> None:
    done = run(hook, "--self-test")

    assert done.returncode == 0, done.stdout
    assert re.search(r"self-test: \d+ checks, 0 failed$", done.stdout)


def test_what_takes_everything_is_blocked_beside_a_live_lane(run: Call, alive: Call) -> None:
    alive()

    assert {text: guard(run, text) for text in TAKES_EVERYTHING} == dict.fromkeys(
        TAKES_EVERYTHING, 2
    )


def test_what_is_confined_is_let_through(run: Call, alive: Call) -> None:
    alive()

    assert {text: guard(run, text) for text in IS_CONFINED} == dict.fromkeys(IS_CONFINED, 0)


@pytest.mark.parametrize(("age", "status"), [(0, 2), (700, 1), (1900, 0), (-60, 0)])
def test_silence_decides(run: Call, alive: Call, age: int, status: int) -> None:
    alive("other", age)

    assert guard(run, "git add -A") == status


def test_a_lane_of_its_own_worktree_is_disturbed_by_few_commands(
    run: Call, alive: Call, git: Call, tmp_path: Path
) -> None:
    git("worktree", "add", "-q", tmp_path / "second", "-b", "two")
    alive("other", 0, "--worktree", tmp_path / "second", "--branch", "two")

    quiet = [guard(run, text) for text in ("git add -A", "git commit -m x", "git stash")]
    loud = [
        guard(run, text)
        for text in ("git rebase main", "git push -f", "git worktree prune", "git branch -D two",
                     f"rm -rf '{tmp_path / 'second'}'", f"rm -r '{tmp_path}'")
    ]  # fmt: skip

    assert (quiet, loud) == ([0] * 3, [2] * 6)
    assert guard(run, f"rm -rf '{tmp_path / 'third'}'") == 0


def test_without_block_mode_it_warns_and_names_the_lane(
    run: Call, alive: Call, event: Callable[..., str]
) -> None:
    alive()

    done = run(GIT_GUARD, stdin=event())
    said = json.loads(done.stdout)

    assert done.returncode == 0
    assert "lane other (alive" in said["systemMessage"]
    assert "git add PATHS" in said["hookSpecificOutput"]["additionalContext"]


def test_the_repository_can_make_it_stricter_and_not_laxer(
    run: Call, alive: Call, event: Callable[..., str], repository: Path
) -> None:
    alive()
    (repository / ".claude/lanes/lanes.yaml").write_text("git_guard:\n  mode: block\n")

    assert run(GIT_GUARD, stdin=event(), LANE_GIT_GUARD_MODE="warn").returncode == 2
    (repository / ".claude/lanes/lanes.yaml").write_text("git_guard:\n  mode: warn\n")
    done = run(GIT_GUARD, stdin=event(), LANE_GIT_GUARD_MODE="block")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("lane-git-guard: ")


def test_a_broken_registry_blocks_what_takes_everything(
    run: Call, alive: Call, repository: Path
) -> None:
    alive()
    path = repository / REGISTRY
    path.write_bytes(path.read_bytes()[:-30])

    assert guard(run, "git add -A") == 2
    assert guard(run, "git add -A", mode="warn") == 1
    assert guard(run, "git status") == 0


@pytest.mark.parametrize("data", ["", "{", "[]", '{"a": 1, "a": 2}', "\0", '{"tool_name": 7}'])
def test_malformed_input_is_blocked_in_block_mode_and_told_otherwise(run: Call, data: str) -> None:
    strict = run(GIT_GUARD, stdin=data, LANE_GIT_GUARD_MODE="block")
    lax = run(GIT_GUARD, stdin=data)

    assert strict.returncode == 2
    assert strict.stderr.startswith("lane-git-guard: input not understood")
    assert lax.returncode == 0
    assert "not understood" in json.loads(lax.stdout)["systemMessage"]


def test_two_sessions_without_a_lane_see_each_other(
    run: Call, repository: Path, event: Callable[..., str]
) -> None:
    start = {"hook_event_name": "SessionStart", "source": "startup"}
    run(REGISTER, stdin=event(**start, session_id="one"))
    told = run(REGISTER, stdin=event(**start, session_id="two"))
    lane = json.loads((repository / REGISTRY).read_bytes())["lanes"]

    assert [each["id"] for each in lane] == ["solo"]
    assert len(lane[0]["sessions"]) == 2
    assert "1 other live session" in told.stdout
    for session in ("one", "two"):
        done = run(GIT_GUARD, stdin=event(session_id=session))
        assert "lane solo" in json.loads(done.stdout)["systemMessage"]


def test_alone_after_an_own_commit_nothing_is_said(
    run: Call, repository: Path, event: Callable[..., str], git: Call
) -> None:
    assert "a commit was made here" in run(GIT_GUARD, stdin=event()).stdout
    run(REGISTER, stdin=event(hook_event_name="SessionStart", source="startup"))
    (repository / "src/a.py").write_text("two\n")
    git("commit", "-qam", "mine")

    assert run(GIT_GUARD, stdin=event()).stdout == ""


def test_territory_is_warned_of_and_never_blocked(run: Call, alive: Call) -> None:
    alive("other", 0, "--territory", "src")

    def check(path: str) -> tuple[int, str]:
        done = run(TERRITORY, "check", "--json", "--path", path, "--mode", "enforce")
        return done.returncode, json.loads(done.stdout)["rule"]

    assert check(".claude/settings.json") == (1, "red-zone")
    assert check("docs/MEMORY.md") == (1, "red-zone")
    assert check("src/a.py") == (1, "territory")
    assert check("srcs/a.py") == (0, "")


def test_a_link_does_not_hide_whose_file_it_is(
    run: Call, alive: Call, repository: Path, git: Call, tmp_path: Path
) -> None:
    alive("other", 0, "--territory", "src")
    (repository / "alias").symlink_to(repository / "src")
    git("worktree", "add", "-q", tmp_path / "second", "-b", "two")

    assert run(TERRITORY, "check", "--path", "alias/a.py").returncode == 1
    second = run(TERRITORY, "check", "--path", str(tmp_path / "second" / "src" / "new.py"))
    assert second.returncode == 1


def test_territory_is_told_once_a_session(
    run: Call, alive: Call, event: Callable[..., str]
) -> None:
    alive("other", 0, "--territory", "src")
    write = event(tool_name="Write", tool_input={"file_path": "src/a.py", "content": "x"})
    patch = event(
        tool_name="apply_patch",
        tool_input={"command": "*** Begin Patch\n*** Add File: src/b.py\n+x\n*** End Patch\n"},
    )

    first, again, other = (run(TERRITORY, stdin=each).stdout for each in (write, write, patch))

    assert "owned by lane other" in first
    assert again == ""
    assert "src/b.py" in other


def test_an_idle_lane_comes_back_with_all_it_had(
    run: Call, lanes: Call, repository: Path, event: Callable[..., str]
) -> None:
    environment = {"CLAUDE_LANE_ID": "lane-a", "CLAUDE_LANE_ROLE": "executor",
                   "CLAUDE_LANE_MODEL": "claude-opus-4"}  # fmt: skip
    run(REGISTER, stdin=event(hook_event_name="SessionStart"), **environment)
    lanes("territory", "--lane", "lane-a", "--add", "src")
    path = repository / REGISTRY
    document = json.loads(path.read_bytes())
    long_ago = int(time.time()) - 4000
    lane = document["lanes"][0]
    lane["heartbeat_at"] = long_ago
    lane["sessions"] = dict.fromkeys(lane["sessions"], long_ago)
    path.write_text(json.dumps(document))
    (repository / "src/a.py").write_bytes(b"unsaved\r\n")

    told = run(REGISTER, stdin=event(hook_event_name="SessionStart", session_id="b"),
               CLAUDE_LANE_ID="lane-b")  # fmt: skip
    rescued = list((repository / ".claude/lanes/rescue").glob("lane-lane-a-*.patch"))
    dead = json.loads(path.read_bytes())["lanes"][0]["status"]
    beat = event(hook_event_name="PostToolUse")
    for stamp in Path(str(repository.parent / "state")).rglob("beat-*"):
        stamp.unlink()
    assert run(REGISTER, "--heartbeat", stdin=beat, **environment).returncode == 0
    back = json.loads(path.read_bytes())["lanes"][0]

    assert "work of lane lane-a" in told.stdout
    assert len(rescued) == 1
    assert (dead, back["status"]) == ("dead", "active")
    assert (back["role"], back["model"], back["territory"]) == (
        "executor",
        "claude-opus-4",
        ["src"],
    )
    (repository / "src/a.py").write_text("one\n")
    assert run("scripts/lane_rescue.py", "reapply", rescued[0].name).returncode == 0
    assert (repository / "src/a.py").read_bytes() == b"unsaved\r\n"


def test_a_message_is_announced_once_and_to_its_lane_alone(
    run: Call, project: Path, event: Callable[..., str]
) -> None:
    text = project / "text.md"
    text.write_text("look at it\n")
    send = ("send", "--to", "lane-a", "--from", "lane-b", "--kind", "note", "--item", "I-1")
    run("scripts/lane_mail.py", *send, "--text-file", text, "--allow-unknown")
    beat = event(hook_event_name="PostToolUse", session_id="")

    other = run(REGISTER, "--heartbeat", stdin=beat, CLAUDE_LANE_ID="lane-c").stdout
    first = run(REGISTER, "--heartbeat", stdin=beat, CLAUDE_LANE_ID="lane-a").stdout
    again = run(REGISTER, "--heartbeat", stdin=beat, CLAUDE_LANE_ID="lane-a").stdout

    assert (other, again) == ("", "")
    assert "unread: note from lane lane-b about I-1" in first


def test_a_young_heartbeat_reads_and_writes_nothing(
    run: Call, project: Path, event: Callable[..., str]
) -> None:
    beat = event(hook_event_name="PostToolUse")
    run(REGISTER, "--heartbeat", stdin=beat)
    (project / REGISTRY).unlink()

    assert run(REGISTER, "--heartbeat", stdin=beat).stdout == ""
    assert not (project / REGISTRY).exists()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user whom modes bind")
def test_a_folder_that_cannot_be_written_fails_no_call(
    run: Call, project: Path, event: Callable[..., str]
) -> None:
    project.chmod(0o500)
    done = run(REGISTER, "--heartbeat", stdin=event(hook_event_name="PostToolUse"))
    project.chmod(0o700)

    assert done.returncode == 0
    assert "not written" in done.stdout


def test_the_registry_is_what_the_map_of_lanes_reads(
    lanes: Call, run: Call, alive: Call, project: Path, environment: dict[str, str]
) -> None:
    import subprocess

    alive("one", 0, "--territory", "src")
    alive("two", 0, "--territory", "docs")
    alive("three")
    del run
    exported = lanes("export")
    (project / "lanes.json").write_text(exported.stdout)
    drawn = subprocess.run(
        ["python3", "-m", "hpp", "map", "lane", "lanes.json", "--now", str(int(time.time()) + 5)],
        cwd=project, env=environment, capture_output=True, check=False, encoding="utf-8",
    )  # fmt: skip

    assert "1 lanes without territory" in exported.stderr
    assert drawn.returncode == 0, drawn.stderr
    assert json.loads(drawn.stdout)["liveness"] == {"one": "alive", "two": "alive"}


def test_a_heartbeat_of_the_future_hands_nothing_over(
    board: Call, lanes: Call, alive: Call
) -> None:
    alive("exec-f", -60)
    maker = ("--lane", "exec-a", "--model", "claude-opus-4")
    checker = ("--lane", "rev-g", "--model", "gemini-2")
    board("claim", "I", *maker)
    board("build", "I", *maker)
    board("checkpoint", "I", *maker, "--evidence", "x")
    board("review", "I", *checker)
    board("verdict", "I", "NEEDS-FIX", *checker, "--reason", "x")

    done = board("release-fix", "I", "--target-lane", "exec-f")
    seen = lanes("status", "--json")

    assert done.returncode == 1
    assert "[TARGET_NOT_ALIVE]" in done.stderr
    assert json.loads(seen.stdout)["lanes"][0]["liveness"] == "skew"


def test_two_lanes_do_not_own_one_path(lanes: Call) -> None:
    who = ("--role", "executor", "--model", "gpt-5", "--territory", "src")

    assert lanes("register", "--lane", "a", *who).returncode == 0
    assert lanes("register", "--lane", "b", *who).returncode == 1


def test_control_the_guard_would_be_caught_letting_everything_through(
    run: Call, alive: Call
) -> None:
    alive("other", 1900)  # dead, so that nothing is held up

    with pytest.raises(AssertionError):
        assert [guard(run, text) for text in TAKES_EVERYTHING[:3]] == [2] * 3
