"""The block of an instructions file that is made from the profile, and what may become of it.

It stands between two markers and ends with its own digest, so that an edit by hand is seen
and kept. Every line comes from one key of the profile and names it.
"""

from __future__ import annotations

import json
import shlex

from hpp.core.errors import RefusedError
from hpp.core.portable import profile_loader
from hpp.core.portable.digest import text_digest
from hpp.core.portable.redact import shown
from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from _lib.setting import Setting

__all__ = ["BEGIN", "EDITED", "END", "UNCHANGED", "WRITTEN", "block_of", "merged"]

BEGIN, END = "<!-- operator-kit:begin -->", "<!-- operator-kit:end -->"
WRITTEN, UNCHANGED, EDITED = "written", "unchanged", "edited"
_DIGEST = "<!-- operator-kit:sha256 "
_LOW = 1
_SENSITIVE = (".claude/settings*.json", ".claude/hooks/**", "**/.env*", ".claude/rules/**")
_PROTECTED = ("src/**", "app/**", ".git/**")
_BRANCHES = ("main", "master")
_PATHS = (
    ("Read first", "boot_doc", "docs/plans/execution/00-READ-FIRST.md"),
    ("State of the work", "state_doc", "docs/plans/execution/00-STATE.md"),
    ("Goals", "goal_ledger", "docs/plans/_GOAL-LEDGER.md"),
    ("What waits for a person", "gate_sheet", "docs/GATES.md"),
    ("Sources of numbers", "sources", "sources.json"),
    ("Drafts of what leaves the project", "draft_dir", "drafts"),
)


def block_of(setting: Setting) -> str:
    """Return the block with its markers, lines ended by a line feed.

    Raises:
        RefusedError: A value of the profile is of another type or holds a marker.

    """
    parts = [("Limits", _limits(setting)), ("Paths", _paths(setting)),
             ("Done means", _done(setting)), ("Flow", _flow(setting))]  # fmt: skip
    lines = ["# How work is done here", ""]
    for title, said in parts:
        found = [f"- {_safe(text)} [{key}]" for text, key in said]
        if found:
            lines += [f"## {title}", "", *found, ""]
    body = "\n".join(lines)
    return f"{BEGIN}\n{body}{_DIGEST}{text_digest(body)} -->\n{END}\n"


def merged(text: str, block: str, *, force: bool) -> tuple[str, str]:
    """Return what becomes of a document and its new text, line ends as they were.

    Raises:
        RefusedError: Its markers do not pair up.

    """
    newline = "\r\n" if "\r\n" in text else "\n"
    own = block.replace("\n", newline)
    begins, ends = text.count(BEGIN), text.count(END)
    if not begins and not ends:
        gap = newline if text else ""
        return WRITTEN, own + gap + text
    start, end = text.find(BEGIN), text.find(END)
    if begins != 1 or ends != 1 or end < start:
        raise RefusedError("the markers operator-kit:begin and operator-kit:end do not pair up")
    end += len(END)
    old = text[start:end]
    if old == own.rstrip("\r\n"):
        return UNCHANGED, text
    if not force and not _is_ours(old.replace("\r\n", "\n")):
        return EDITED, text
    return WRITTEN, text[:start] + own.rstrip("\r\n") + text[end:]


def _is_ours(old: str) -> bool:
    """Say whether a block is as it was written: its digest is that of its text."""
    body, mark, rest = old[len(BEGIN) + 1 :].rpartition(_DIGEST)
    return bool(mark) and rest == f"{text_digest(body)} -->\n{END}"


def _limits(setting: Setting) -> Iterator[tuple[str, str]]:
    values = setting.values
    default = profile_loader.integer(values, "autonomy.default", 2, 0, 5)
    yield f"Autonomy is level {default} of 5 unless an action has its own.", "autonomy.default"
    actions = setting.mapping("autonomy.by_action")
    for name in sorted(actions):
        level = profile_loader.integer(actions, name, default, 0, 5) if "." not in name else default
        if level <= _LOW:
            yield f"Ask before: {name} (level {level}).", f"autonomy.by_action.{name}"
    kept = profile_loader.texts(values, "autonomy.sensitive_paths", _SENSITIVE)
    yield f"Change only with a person's yes: {_list(kept)}.", "autonomy.sensitive_paths"
    for key, say, always in (
        ("guardrails.protected_paths", "Never remove", _PROTECTED),
        ("guardrails.protected_branches", "Never push to", _BRANCHES),
        ("guardrails.external_send_tools", "A draft first, a person sends", ()),
    ):
        found = list(dict.fromkeys([*always, *profile_loader.texts(values, key)]))
        if found:
            yield f"{say}: {_list(found)}.", key
    yield from _each(values, "loop.forbidden_boundaries", "A loop stays away from")
    yield from _each(values, "loop.stop_conditions", "A loop stops on")


def _paths(setting: Setting) -> Iterator[tuple[str, str]]:
    for say, key, default in _PATHS:
        yield f"{say}: `{setting.shown_path(setting.path(key, default))}`.", f"paths.{key}"


def _done(setting: Setting) -> Iterator[tuple[str, str]]:
    key = "verification.done_criteria"
    for name in sorted(setting.mapping(key)):
        commands = setting.commands(f"{key}.{name}") if "." not in name else []
        said = "; ".join(f"`{each.text}`" for each in commands)
        if said:
            yield f"{name}: all of {said} exit 0.", f"{key}.{name}"
    required = profile_loader.texts(setting.values, "verification.ladder_required")
    if required:
        yield f"Levels that have to pass: {_list(required)}.", "verification.ladder_required"


def _flow(setting: Setting) -> Iterator[tuple[str, str]]:
    values = setting.values
    levels = ("lite", "full", "ultra")
    yield (
        f"Intensity: {profile_loader.text(values, 'intensity.default', 'full', levels)}.",
        ("intensity.default"),
    )
    agents = profile_loader.integer(values, "concurrency.max_agents", 3, 1, 1000)
    yield f"At most {agents} agents side by side.", "concurrency.max_agents"
    yield from _each(values, "loop.charter", "Charter of the loop")
    yield from _each(values, "loop.work_list", "Work list of the loop")
    yield from _each(values, "loop.authorization_triggers", "A loop starts only on")


def _each(values: dict[str, Any], key: str, say: str) -> Iterator[tuple[str, str]]:
    found = profile_loader.get(values, key)
    if found in (None, "", [], {}):
        return
    many = found if isinstance(found, list) else [found]
    yield (
        f"{say}: {_list([each if isinstance(each, str) else json.dumps(each) for each in many])}.",
        key,
    )


def _list(values: list[str]) -> str:
    return ", ".join(values)


def _safe(text: str) -> str:
    line = " ".join(shown(text).split())
    if "<!--" in line or "-->" in line:
        raise RefusedError(f"operator-profile: a value holds a comment mark: {shlex.quote(line)}")
    return printable(line)
