"""The files of a scaffold, made of the answers: a pure function of both and the templates."""

from __future__ import annotations

import json
import os
import re

from _lib.defence import SCOPES
from _lib.question import READER

from hpp.core.output import pretty_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["FILL", "PLANS", "fill_places", "render_all", "template_versions"]

PLANS = "docs/plans/execution"
FILL = re.compile(r"<FILL: [^<>\n]+>")
_PLACEHOLDER = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
_AGENT = "agents/AGENT"
_ROLES = {
    "reader": ("Read, Grep, Glob, Bash", "Reads and runs checks, and changes nothing."),
    "builder": ("Read, Grep, Glob, Bash, Edit, Write", "Builds what one unit asks for."),
}
_LANES = {
    "solo": "One session works at a time.",
    "lanes": "Several sessions work in lanes: each writes in its own territory alone.",
}


def render_all(answers: dict[str, Any], root: str) -> dict[str, bytes]:
    """Return every file of the scaffold, its path below the project to its bytes.

    Args:
        answers: Complete and sound.
        root: The module's root, where the templates are.

    Raises:
        ValueError: A template names something that nothing fills; a fault of the module.

    """
    values = {
        "project_name": answers["project_name"],
        "purpose": answers["purpose"],
        "approver": answers["approver"],
        "lane_rule": _LANES[answers["lane_mode"]],
        "state_doc": f"{PLANS}/00-STATE.md",
    }
    files = {"operator-profile.yaml": _profile(answers)}
    for name in answers["documents"]:
        files[f"{PLANS}/{name}.md"] = _rendered(root, name, values)
    files[f"{PLANS}/spec.json"] = pretty_json(_spec(answers["checks"]))
    folders = {"claude-code": ".claude/agents", "codex": "docs/agents"}
    for host in answers["hosts"]:
        for agent in answers["agents"]:
            text = _rendered(root, _AGENT, {**values, **_agent(agent)})
            files[f"{folders[host]}/{agent['name']}.md"] = text
    return files


def template_versions(root: str, answers: dict[str, Any]) -> dict[str, str]:
    """Return the digest of each template that the answers use."""
    from hpp.core.canonical import sha256_hex

    names = [*answers["documents"], *([_AGENT] if answers["agents"] else [])]
    return {name: sha256_hex(_template(root, name).encode()) for name in names}


def fill_places(files: dict[str, bytes]) -> list[dict[str, Any]]:
    """Return each place that a person has to fill: file, line and what is wanted."""
    return [
        {"path": path, "line": number, "what": what}
        for path, data in sorted(files.items())
        for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1)
        for what in FILL.findall(line)
    ]


def _rendered(root: str, name: str, values: dict[str, str]) -> bytes:
    """Fill a template once: what a value says is never read as a template again."""
    listing, _, body = _template(root, name).partition("\n")
    declared = set(listing.removeprefix("<!-- placeholders: ").removesuffix(" -->").split(", "))
    if declared != set(_PLACEHOLDER.findall(body)) or not declared <= set(values):
        raise ValueError(f"template {name}: its list of placeholders is not exact")
    filled = _PLACEHOLDER.sub(lambda found: values[found[1]], body)
    if "{{" in filled:
        raise ValueError(f"template {name}: a placeholder was left open")
    return filled.encode("utf-8")


def _template(root: str, name: str) -> str:
    path = os.path.join(root, "templates", *f"{name}.template.md".split("/"))
    with open(path, "rb") as stream:
        return stream.read().decode("utf-8").replace("\r\n", "\n")


def _agent(agent: dict[str, str]) -> dict[str, str]:
    tools, sentence = _ROLES[agent["role"]]
    if agent["role"] == READER:
        tools += "\ndisallowedTools: Write, Edit, MultiEdit, NotebookEdit"
    description = f"{agent['purpose'].rstrip('.')}. {sentence}"
    return {
        "agent_name": agent["name"],
        "agent_title": agent["name"].replace("-", " ").capitalize(),
        "agent_purpose": agent["purpose"],
        "agent_description": json.dumps(description, ensure_ascii=False),
        "agent_tools": tools,
        "scope_clause": SCOPES[agent["role"]],
    }


def _profile(answers: dict[str, Any]) -> bytes:
    paths = {"state_doc": "00-STATE", "boot_doc": "00-READ-FIRST"}
    chosen = {key: name for key, name in paths.items() if name in answers["documents"]}
    lines = [f'project: "{answers["project_name"]}"', "language: en"]
    if chosen:
        lines.append("paths:")
        lines += [f"  {key}: {PLANS}/{name}.md" for key, name in chosen.items()]
    return ("\n".join(lines) + "\n").encode()


def _spec(checks: list[str]) -> dict[str, Any]:
    return {
        "work": [
            {
                "id": f"check-{number}",
                "acceptance": [{"id": "passes", "text": f"exits 0: {check}"}],
                "tier": "economy",
            }
            for number, check in enumerate(checks, 1)
        ]
    }
