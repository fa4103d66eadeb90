"""Stage ``detect``: what is in the target already; it only reads."""

from __future__ import annotations

import os
from dataclasses import dataclass

from hpp.core.document import read_state
from hpp.core.errors import RefusedError
from hpp.core.folder import is_link
from hpp.core.git import git
from hpp.core.journal import Journal
from hpp.core.strictjson import SMALL_LIMIT, parse_bytes
from hpp.installer.profile import ABSENT, PATH, VALID, ProfileState, look_at_profile
from hpp.installer.stage import OK, WARN, Problem, Stage, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.loop import Loop

__all__ = ["Findings", "classification", "detect", "look"]

SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
LOG = ".hpp/events.jsonl"
_OCCUPIED = ("hooks", "statusLine")
_FEW_COMMITS = 3
# What git says of a folder without history; anything else it says measures nothing.
_NO_HISTORY = (b"not a git repository", b"unknown revision", b"ambiguous argument")


@dataclass(frozen=True)
class Findings:
    """What was measured of the target.

    Attributes:
        settings: Settings files that hold hooks or a status line, each with what it holds.
        event_count: None where the log cannot be replayed.
        log_fault: Why not, or an empty text.
        commits: None where git gives no number.

    """

    claude_dir: bool
    settings: dict[str, str]
    agents_md: bool
    agents_dir: bool
    event_log: bool
    event_count: int | None
    log_fault: str
    profile: ProfileState
    commits: int | None

    def signals(self) -> dict[str, Any]:
        """Return the findings as the report lists them."""
        kinds = {ABSENT: "absent", VALID: "present"}
        return {
            "claude_dir": self.claude_dir,
            "settings_occupied": bool(self.settings),
            "agents_md": self.agents_md,
            "agents_dir": self.agents_dir,
            "event_log": self.event_log,
            "event_count": self.event_count,
            "profile": kinds.get(self.profile.kind, "invalid"),
            "git_commit_count": self.commits,
        }

    def kept(self) -> list[str]:
        """Return one line for each thing that stays as it is."""
        events = "its events" if self.event_count is None else counted(self.event_count, "event")
        lines = {
            ".claude/ is kept as it is": self.claude_dir,
            **{f"{name}: {what} are kept": True for name, what in self.settings.items()},
            "AGENTS.md is kept as it is": self.agents_md,
            ".agents/ is kept as it is": self.agents_dir,
            f"{LOG}: {events} are kept": self.event_log,
            f"{PATH} is kept as it is": self.profile.kind != ABSENT,
        }
        return [line for line, is_there in lines.items() if is_there]


def look(root: str, loop: Loop) -> Findings:
    """Return what is in a folder; nothing is written and no link of `.hpp` is followed."""
    state = os.path.join(root, ".hpp")
    has_log = not is_link(state) and os.path.lexists(os.path.join(state, "events.jsonl"))
    count, fault = _events(root, loop) if has_log else (0, "")
    return Findings(
        claude_dir=os.path.isdir(os.path.join(root, ".claude")),
        settings=_settings(root),
        agents_md=os.path.lexists(os.path.join(root, "AGENTS.md")),
        agents_dir=os.path.isdir(os.path.join(root, ".agents")),
        event_log=has_log,
        event_count=count,
        log_fault=fault,
        profile=look_at_profile(root),
        commits=_commits(root),
    )


def classification(found: Findings) -> str:
    """Return ``re-run``, ``in-progress`` or ``greenfield``."""
    if found.profile.kind == VALID:
        return "re-run"
    is_begun = (
        found.claude_dir
        or bool(found.settings)
        or found.agents_md
        or found.event_log
        or (found.commits or 0) > _FEW_COMMITS
    )
    return "in-progress" if is_begun else "greenfield"


def detect(found: Findings, target: str) -> Stage:
    """Return the stage; `target` is what the person typed."""
    kind = classification(found)
    problems = list(_problems(found))
    kept = found.kept()
    commits = "commits unknown" if found.commits is None else counted(found.commits, "commit")
    told = f"; kept as it is: {counted(len(kept), 'thing')}" if kept else ""
    summary = f"{kind}, {commits}{told}"
    return Stage(
        "detect",
        WARN if problems else OK,
        summary,
        {
            "target": target,
            "classification": kind,
            "signals": found.signals(),
            "existing_config": kept,
        },
        tuple(problems),
        exit_hint=1 if problems else 0,
    )


def _problems(found: Findings) -> list[Problem]:
    problems = []
    if found.log_fault:
        problems.append(
            Problem(
                "event log",
                found.log_fault,
                "a log that replays from its first event",
                f"see where it breaks with `hpp event verify`, then restore {LOG} from version "
                "control or move it away",
            )
        )
    if found.profile.kind not in (ABSENT, VALID):
        problems.append(
            Problem(
                "profile",
                found.profile.reason,
                "strict JSON of the schema hpp.init/v1, or no file",
                f"repair {PATH} or move it away; it is never overwritten",
            )
        )
    return problems


def _settings(root: str) -> dict[str, str]:
    """Return the settings files that are occupied, each with what it holds.

    One that cannot be read counts as occupied: that nothing is in it was not seen.
    """
    occupied = {}
    for name in SETTINGS:
        path = os.path.join(root, *name.split("/"))
        if not os.path.lexists(path):
            continue
        try:
            data = read_state(path, limit=SMALL_LIMIT)
            settings = parse_bytes(data or b"{}", name, root=dict)
        except RefusedError:
            occupied[name] = "settings that could not be read"
            continue
        held = [key for key in _OCCUPIED if settings.get(key)]
        if held:
            occupied[name] = " and ".join(held)
    return occupied


def _events(root: str, loop: Loop) -> tuple[int | None, str]:
    try:
        return Journal(root).history(loop).chain.events, ""
    except RefusedError as error:
        return None, str(error)


def _commits(root: str) -> int | None:
    answer = git(["rev-list", "--count", "HEAD"], cwd=root)
    if answer.ok:
        digits = answer.stdout.strip()
        return int(digits) if digits.isdigit() else None
    return 0 if any(mark in answer.stderr for mark in _NO_HISTORY) else None
