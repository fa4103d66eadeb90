"""The judgement of the git guard: who else works here, and what a command does to them."""

from __future__ import annotations

import os
import time

from _lib.gitcmd import (
    EVERYWHERE,
    SPOKEN_OF,
    Where,
    families_of,
    matches_extra,
    may_matter,
    rm_targets,
)
from _lib.judgement import BLOCK, WARN, Judgement, strictest
from _lib.paths import find_place, same_path, worktree_top
from _lib.refusal import Refusal
from _lib.registry import ALIVE, PRESENT, liveness, read_registry

from hpp.core.portable import hookio
from hpp.core.portable.lane import session_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.config import Config
    from _lib.paths import Place
    from _lib.registry import Lane, Registry

    from hpp.core.portable.payload import Payload
    from hpp.core.portable.shellwords import Command

__all__ = ["HOOK", "guard_mode", "judge"]

HOOK = "lane-git-guard"
_SAFE = (
    "Safe forms: git commit -m MESSAGE -- PATHS; git add PATHS; git stash push -- PATHS; or work "
    "in a worktree of your own."
)
_GIT_WAIT_S = 5.0


class Other:
    """Another session that is present: its lane, where it works, how long it was silent."""

    __slots__ = ("age", "branch", "lane", "word", "worktree")

    def __init__(self, lane: Lane, word: str, age: int) -> None:
        self.lane = lane.id
        self.branch = lane.branch
        self.worktree = lane.worktree
        self.word = word
        self.age = age

    def told(self) -> str:
        """Return it in words."""
        return f"lane {self.lane} ({self.word}, heard of {max(0, self.age)} s ago)"


def guard_mode(place: Place, env: dict[str, str], asked: str = "") -> tuple[str, Config]:
    """Return the stricter of what environment, settings and command line say."""
    from _lib.config import Config, read_config

    try:
        config = read_config(place.config)
    except Refusal as error:
        config = Config()
        config.fault = str(error)
    words = (asked, env.get("LANE_GIT_GUARD_MODE", ""), config.values["git_guard"]["mode"])
    return (BLOCK if BLOCK in words else WARN), config


def judge(payload: Payload, *, asked: str = "", now: int | None = None) -> Judgement:
    """Return what is thought of a command.

    Args:
        payload: The event; its command is read.
        asked: A mode that a command line asks for.
        now: Unix seconds; None for the clock's.

    """
    text = payload.command()
    if text is None or not may_matter(text):
        return Judgement()
    from hpp.core.portable.shellwords import commands

    found = [each for each in commands(text) if each.program.lower() in ("git", "rm", "cd")]
    if not any(_is_spoken_of(each) for each in found) and not _has_own_rules(payload):
        return Judgement()
    return _Guard(payload, asked, int(time.time()) if now is None else now).judge(found, text)


def _is_spoken_of(command: Command) -> bool:
    """Say whether some family could be about a command, by its words alone."""
    from hpp.core.portable.shellwords import git_call

    call = git_call(command)
    return bool(rm_targets(command)) if call is None else call.subcommand in SPOKEN_OF


def _has_own_rules(payload: Payload) -> bool:
    """Say whether the operator may have added patterns."""
    place = find_place(hookio.project_root(payload), payload.environ)
    return os.path.lexists(place.config)


class _Guard:
    """One judgement: the repository, its lanes, and the command."""

    def __init__(self, payload: Payload, asked: str, now: int) -> None:
        self.payload = payload
        self.now = now
        root = hookio.project_root(payload)
        self.place = find_place(root, payload.environ)
        self.mode, self.config = guard_mode(self.place, dict(payload.environ), asked)
        self.start = os.path.abspath(payload.cwd or root)
        self.lane = hookio.lane_of(payload)
        self.session = session_key(payload.session_id)
        self.registry: Registry | None = None
        self.fault = ""
        try:
            self.registry = read_registry(self.place.registry)
        except Refusal as error:
            self.fault = str(error)
        self.others = [] if self.registry is None else self._others(self.registry)

    def _others(self, registry: Registry) -> list[Other]:
        found = []
        for lane in registry.lanes.values():
            is_own = lane.id == self.lane
            sessions = lane.live_sessions(self.now, self.config)
            theirs = {key: word for key, word in sessions.items() if key != self.session}
            if is_own and self.session is None and len(theirs) == 1:
                continue  # without an id of our own, the one session of our lane is ours
            for key, word in theirs.items():
                found.append(Other(lane, word, self.now - lane.sessions[key]))
            word = liveness(lane, self.now, self.config)
            if not is_own and not lane.sessions and word in PRESENT:
                found.append(Other(lane, word, self.now - (lane.heartbeat_at or 0)))
        return found

    def judge(self, found: list[Command], text: str) -> Judgement:
        """Return the judgement of all commands of a text."""
        folder = self.start
        judgements = []
        for command in found:
            if command.program.lower() == "cd":
                # In parentheses it may end with them, so there it counts for nothing.
                folder = self._entered(folder, command) if "(" not in text else self.start
                continue
            judgements += self._command(command, folder)
        return strictest(judgements)

    def _entered(self, folder: str, command: Command) -> str:
        target = command.words[1] if len(command.words) == 2 else ""  # noqa: PLR2004 -- cd FOLDER
        place = os.path.join(folder, os.path.expanduser(target))
        return place if target and os.path.isdir(place) else self.start

    def _command(self, command: Command, folder: str) -> list[Judgement]:
        from hpp.core.portable.shellwords import git_call

        targets = rm_targets(command)
        if targets:
            return self._removal(targets, folder)
        call = git_call(command)
        if call is None:
            return []
        place = os.path.join(folder, call.directory)
        top = worktree_top(place)
        if not self._is_ours(top):
            return []
        taken = {other.branch for other in self.others if other.branch}
        families = families_of(call, command.words, Where(place, top, taken))
        extra = self.config.values["git_guard"]["extra"]
        families += [f"extra: {each}" for each in matches_extra(call, command.words, extra)]
        return [self._family(family, top) for family in families]

    def _is_ours(self, top: str) -> bool:
        from _lib.paths import shared_root

        return same_path(shared_root(top), self.place.root)

    def _removal(self, targets: list[str], folder: str) -> list[Judgement]:
        for other in self.others:
            for target in targets:
                gone = os.path.realpath(os.path.join(folder, os.path.expanduser(target)))
                theirs = os.path.realpath(other.worktree) if other.worktree else ""
                if theirs and (theirs == gone or theirs.startswith(gone.rstrip(os.sep) + os.sep)):
                    return [self._verdict("worktree-remove", [other])]
        return []

    def _family(self, family: str, top: str) -> Judgement:
        if self.registry is None:
            reason = f"{family}: nobody can tell who works here ({self.fault}); `lanes.py repair`"
            return Judgement(self.mode, family, reason)
        here = [
            other
            for other in self.others
            if family in EVERYWHERE or same_path(other.worktree or self.place.root, top)
        ]
        return self._verdict(family, here) if here else self._hint(family, top)

    def _verdict(self, family: str, here: list[Other]) -> Judgement:
        told = ", ".join(other.told() for other in here[:5])
        reason = f"{family}: this takes the files of others with it; here as well: {told}. {_SAFE}"
        is_alive = any(other.word == ALIVE for other in here)
        return Judgement(self.mode if is_alive else WARN, family, reason)

    def _hint(self, family: str, top: str) -> Judgement:
        """Return a hint when somebody whom nobody registered may be at work here."""
        limit = self.config.values["git_guard"]["recent_commit_minutes"] * 60
        lanes = {} if self.registry is None else self.registry.lanes
        if not limit or any(lane != self.lane for lane in lanes):
            return Judgement()
        made = _last_commit(top)
        if made is None or not 0 <= self.now - made < limit:
            return Judgement()
        own = lanes.get(self.lane)
        if own is not None and self.session in own.sessions and made >= own.started_at:
            return Judgement()
        reason = (
            f"{family}: a commit was made here {self.now - made} s ago, not by this session; if "
            f"somebody else works here, this takes their files with it. {_SAFE}"
        )
        return Judgement(WARN, family, reason)


def _last_commit(top: str) -> int | None:
    from hpp.core.portable.gitproc import GitError, git

    try:
        said = git(top, ["log", "-1", "--format=%ct"], time.monotonic() + _GIT_WAIT_S).strip()
    except GitError:
        return None
    return int(said) if said.isdigit() else None
