"""The self-tests of the hooks: their judgements, and what they answer a host."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time

from _lib.config import Config
from _lib.gitcmd import Where, families_of
from _lib.registry import Lane, Registry
from _lib.registrywrite import change
from _lib.selfcheck import check_itself
from _lib.territoryguard import judge_path

from hpp.core.portable.shellwords import commands, git_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.portable.selftest import Checks

__all__ = ["check_git_guard", "check_register", "check_territory_guard"]

MATCHED = {
    "git add -A": "add-everything",
    "git add -u": "add-everything",
    "git add :/": "add-everything",
    "git -C . add -A": "add-everything",
    "git add .": "add-everything",
    "git -c a=b commit -am x": "commit-everything",
    "git commit -m x -- .": "commit-everything",
    "git commit -m x": "commit-index",
    "git restore .": "discard-everything",
    "git clean -fd": "discard-everything",
    "git checkout -f": "discard-everything",
    "git checkout -- .": "discard-everything",
    "git reset --merge": "discard-everything",
    "git reset --hard HEAD~1": "discard-everything",
    "git stash": "stash",
    "git stash pop": "stash",
    "git merge x": "move-head",
    "git switch other": "move-head",
    "git rebase main": "rewrite",
    "git push --force": "rewrite",
    "git worktree prune": "worktree-remove",
    "sudo git add --all": "add-everything",
    "bash -c 'git add -A'": "add-everything",
}
UNMATCHED = (
    'git commit -m "use -a and --all" -- src/a.py',
    "git commit src/a.py -m x",
    "git add src/a.py",
    "git stash list",
    "git stash push -- src/a.py",
    'echo "git add -A"',
    "git status",
    "git checkout -- src/a.py",
    "git push origin feature",
    "git clean -n",
)
_STATUS = 2


def check_git_guard(script: str) -> int:
    """Run the self-test of the git guard and return its status."""

    def run(checks: Checks, folder: str) -> None:
        where = Where(folder, folder)
        for text, family in MATCHED.items():
            checks.check(f"{text}: {family}", family in _families(text, where))
        for text in UNMATCHED:
            checks.equal(f"{text}: nothing", _families(text, where), [])
        _answers(checks, script, folder)

    return check_itself(run)


def _families(text: str, where: Where) -> list[str]:
    found = []
    for command in commands(text):
        call = git_call(command)
        if call is not None:
            found += families_of(call, command.words, where)
    return found


def _answers(checks: Checks, script: str, folder: str) -> None:
    git = shutil.which("git")
    if git is None:
        checks.skip("what a host is answered", "git is not installed")
        return
    subprocess.run([git, "init", "-q", folder], check=True)
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": folder,
             "tool_name": "Bash", "tool_input": {"command": "git add -A"}}  # fmt: skip
    checks.equal("alone: nothing", _ask(script, event), (0, "", ""))
    _register(folder, "other")
    status, out, _ = _ask(script, event)
    checks.check("with another lane: a warning that names it", not status and "other" in out)
    status, out, err = _ask(script, event, LANE_GIT_GUARD_MODE="block")
    checks.equal("in block mode: a block", (status, out), (_STATUS, ""))
    checks.check("that says why", "other" in err)
    status, out, _ = _ask(script, event, LANE_GIT_GUARD_MODE="block", LANE_GIT_GUARD_BYPASS="1")
    checks.check("a person's bypass is told", not status and "BYPASS" in out)
    status = _ask(script, None, LANE_GIT_GUARD_MODE="block")[0]
    checks.equal("malformed input is blocked there", status, _STATUS)
    checks.equal("and let through elsewhere", _ask(script, None)[0], 0)
    path = os.path.join(folder, ".claude", "lanes", "registry.json")
    os.truncate(path, os.path.getsize(path) - 9)
    checks.equal("a registry that cannot be read blocks there",
                 _ask(script, event, LANE_GIT_GUARD_MODE="block")[0], _STATUS)  # fmt: skip
    harmless = {**event, "tool_input": {"command": "git status"}}
    checks.equal("but nothing harmless", _ask(script, harmless, LANE_GIT_GUARD_MODE="block")[0], 0)


def check_territory_guard(script: str) -> int:
    """Run the self-test of the territory guard and return its status."""

    def run(checks: Checks, folder: str) -> None:
        registry, config = Registry(), Config()
        other = Lane("other")
        other.territory, other.heartbeat_at = ["src/api"], 1000
        mine = Lane("mine")
        mine.territory, mine.heartbeat_at = ["docs"], 1000
        registry.lanes = {"other": other, "mine": mine}

        def rules(path: str, now: int = 1000, *, fold: bool = False) -> list[str]:
            found = judge_path(path, registry, config, "mine", now, is_inside=True, fold=fold)
            return [each.rule for each in found]

        checks.equal("another lane's file", rules("src/api/x.py"), ["territory"])
        checks.equal("a neighbour of it", rules("src/apis/x.py"), ["outside"])
        checks.equal("one's own", rules("docs/a.md"), [])
        checks.equal("a dead lane's", rules("src/api/x.py", 9000), ["outside"])
        checks.equal("where case does not count", rules("SRC/api/x", fold=True), ["territory"])
        checks.equal("settings", rules(".claude/settings.json"), ["red-zone"])
        checks.equal("memory", rules("docs/MEMORY.md"), ["red-zone"])
        event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": folder,
                 "tool_name": "Write",
                 "tool_input": {"file_path": ".claude/settings.json", "content": ""}}  # fmt: skip
        status, out, _ = _ask(script, event)
        checks.check("a host is warned", not status and "red zone" in out)
        checks.equal("once a session", _ask(script, event), (0, "", ""))
        checks.equal("malformed input is let through", _ask(script, None)[0], 0)

    return check_itself(run)


def check_register(script: str) -> int:
    """Run the self-test of the register and return its status."""

    def run(checks: Checks, folder: str) -> None:
        start = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": folder,
                 "source": "startup"}  # fmt: skip
        status, out, _ = _ask(script, start)
        checks.check("a session is told its lane", not status and "lane solo" in out)
        out = _ask(script, {**start, "session_id": "t"})[1]
        checks.check("a second one of the lane is told of it", "1 other live session" in out)
        beat = {"hook_event_name": "PostToolUse", "session_id": "s", "cwd": folder,
                "tool_name": "Bash", "tool_input": {}}  # fmt: skip
        checks.equal("a heartbeat is silent", _ask(script, beat, "--heartbeat"), (0, "", ""))
        checks.equal("and again", _ask(script, beat, "--heartbeat"), (0, "", ""))
        end = {"hook_event_name": "SessionEnd", "session_id": "s", "cwd": folder}
        checks.equal("it goes", _ask(script, end, "--close")[0], 0)
        checks.equal("its lane stays with the other", _lane(folder)["status"], "active")
        _ask(script, {**end, "session_id": "t"}, "--close")
        checks.equal("and closes with the last", _lane(folder)["status"], "closed")
        checks.equal("another event is not its own", _ask(script, end, "--heartbeat"), (0, "", ""))
        status, out, _ = _ask(script, None)
        checks.check("malformed input is told", not status and "not understood" in out)

    return check_itself(run)


def _lane(folder: str) -> dict[str, object]:
    path = os.path.join(folder, ".claude", "lanes", "registry.json")
    with open(path, "rb") as file:
        lane: dict[str, object] = json.loads(file.read())["lanes"][0]
    return lane


def _register(folder: str, name: str) -> None:
    def apply(registry: Registry) -> None:
        lane = Lane(name)
        lane.heartbeat_at = int(time.time())
        lane.worktree = folder
        registry.lanes[name] = lane

    place = os.path.join(folder, ".claude", "lanes")
    os.makedirs(place, exist_ok=True)
    change(os.path.join(place, "registry.json"), apply, now=int(time.time()), config=Config())


def _ask(script: str, event: object, *words: str, **more: str) -> tuple[int, str, str]:
    data = b"{" if event is None else json.dumps(event).encode()
    done = subprocess.run(
        [sys.executable, "-E", "-s", script, *words], input=data, capture_output=True, timeout=60,
        env={**os.environ, **more}, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), done.stderr.decode()
