"""The Codex form of a module: its plugin file, and skills that name no other host's folder."""

from __future__ import annotations

import json

from hpp.installer.forge.frontmatter import body_place, front_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hpp.core.manifest import Module

__all__ = [
    "CATEGORY",
    "NAME",
    "codex_files",
    "is_in_channel",
    "skill_description",
    "skill_names",
    "unresolved_tokens",
]

NAME = ".codex-plugin/plugin.json"
CATEGORY = "Developer Tools"
RENDERED = "codex/skills"
TOKENS = ("${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_SKILL_DIR}", "${CLAUDE_PROJECT_DIR}")
_LONGEST_SHORT = 200
_SILENT = {"commands": "commands", "agents": "agents", "hooks": "hooks", "rules": "rules"}


def is_in_channel(module: Module) -> bool:
    """Say whether a module is served to Codex: it is supported there and has skills."""
    coverage = module.hosts.get("codex", "unsupported")
    return coverage != "unsupported" and "skills" in module.components


def skill_names(files: Mapping[str, bytes]) -> list[str]:
    """Return the names of the skills of a module, sorted."""
    return sorted(
        path.split("/")[1]
        for path in files
        if path.startswith("skills/") and path.endswith("/SKILL.md") and path.count("/") == 2  # noqa: PLR2004 -- skills/NAME/SKILL.md
    )


def unresolved_tokens(files: Mapping[str, bytes]) -> list[str]:
    """Return the files of skills served to Codex that still name another host's folder."""
    served = _served(files)
    return sorted(
        path
        for path, data in files.items()
        if path.startswith(f"{served}/") and any(token.encode() in data for token in TOKENS)
    )


def _served(files: Mapping[str, bytes]) -> str:
    return RENDERED if any(path.startswith(f"{RENDERED}/") for path in files) else "skills"


def codex_files(
    module: Module,
    files: Mapping[str, bytes],
    plugin: Mapping[str, Any],
    product: Mapping[str, Any],
) -> dict[str, bytes]:
    """Return what the channel adds to a module's files, by path.

    Args:
        module: Its declaration; it is in the channel.
        files: Its files.
        plugin: Its ``.claude-plugin/plugin.json``, a sound one.
        product: The product build: homepage and repository.

    """
    names = skill_names(files)
    skills = {path: data for path, data in files.items() if path.startswith("skills/")}
    rendered: dict[str, bytes] = {}
    if any(token.encode() in data for token in TOKENS for data in skills.values()):
        rendered = {f"codex/{path}": _skill(module.id, path, data) for path, data in skills.items()}
    document = {
        "name": module.id,
        "version": module.version,
        "description": _description(module, names),
        "author": {"name": plugin["author"]["name"]},
        "homepage": product["homepage"],
        "repository": product["repository"],
        "license": plugin["license"],
        "keywords": plugin["keywords"],
        "skills": f"./{RENDERED}/" if rendered else "./skills/",
        "hooks": {"hooks": {}},
        "interface": {
            "displayName": plugin.get("displayName", module.id),
            "shortDescription": _short(names),
            "longDescription": _description(module, names),
            "developerName": plugin["author"]["name"],
            "category": CATEGORY,
        },
    }
    return {**rendered, NAME: (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()}


def _short(names: list[str]) -> str:
    text = f"Skills: {', '.join(names)}"
    return (
        text if len(text) <= _LONGEST_SHORT else f"{len(names)} skills: {', '.join(names[:3])} ..."
    )


def _description(module: Module, names: list[str]) -> str:
    """Say what Codex registers, and what it carries without registering it."""
    text = f"Registers the skills {', '.join(names)}."
    silent = [told for kind, told in _SILENT.items() if kind in module.components]
    if silent:
        text += f" Carries and does not register: {', '.join(silent)}."
    return f"{text} Their runtime comes with the verified copy in .agents/hpp/{module.id}."


def _skill(identity: str, path: str, data: bytes) -> bytes:
    """Return a skill's file with the runtime of the verified copy in place of the tokens."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    runtime = f".agents/hpp/{identity}"
    folder = path.rsplit("/", 1)[0]
    text = text.replace("${CLAUDE_PLUGIN_ROOT}", runtime)
    text = text.replace("${CLAUDE_SKILL_DIR}", f"{runtime}/{folder}")
    text = text.replace("${CLAUDE_PROJECT_DIR}", ".")
    if not path.endswith("/SKILL.md"):
        return text.encode()
    note = (
        f"> Runtime: the verified copy in `{runtime}`. When it is missing, a person installs it:\n"
        f"> `hpp kit install --kit MODULE --host codex --target . --apply`, where MODULE is the"
        f" folder or zip of {identity}.\n\n"
    )
    place = body_place(text)
    return (text[:place] + ("\n" if place else "") + note + text[place:].lstrip("\n")).encode()


def skill_description(data: bytes) -> str:
    """Return what a skill says of itself, in one line."""
    return front_value(data.decode("utf-8", "replace"), "description")
