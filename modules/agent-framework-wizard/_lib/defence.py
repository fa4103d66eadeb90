"""The defence block of an agent: seven clauses, and a scope that its tools agree with."""

from __future__ import annotations

import os
import re

from hpp.core.errors import RefusedError
from hpp.core.portable.minicfg import load_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["CLAUSES", "SCOPES", "agent_faults", "text_faults"]

LARGEST = 256 * 1024
CLAUSES = ("Role.", "Secrets.", "Output.", "Signs.", "Data.", "Harm.")
SCOPES = {
    "reader": (
        "**Scope of a reader.** The shell only inspects; nothing is written, moved, installed or "
        "sent."
    ),
    "builder": (
        "**Scope of a builder.** Only the granted tools are used, and only the paths that the task "
        "names are written."
    ),
}
_SCOPE = re.compile(r"\*\*Scope of a (reader|builder)\.\*\*")
_WRITERS = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
_FRONT = re.compile(r"---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_BLOCK = re.compile(r"^## Defence[ \t]*$(.*?)(?=^##? |\Z)", re.MULTILINE | re.DOTALL)
_FEWEST_WORDS = 5


def agent_faults(path: str) -> list[tuple[str, str]]:
    """Return the faults of an agent's file as ``(code, what)``.

    Raises:
        OSError: It cannot be read.

    """
    with open(path, "rb") as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        return [("agent-clause-missing", "larger than 256 KiB")]
    name = os.path.basename(path).removesuffix(".md")
    return text_faults(data.decode("utf-8", "replace").replace("\r\n", "\n"), name)


def text_faults(text: str, name: str) -> list[tuple[str, str]]:
    """Return the faults of an agent's text; `name` is what its front matter has to say."""
    found = _FRONT.match(text)
    if found is None:
        return [("agent-tools-missing", "no front matter between two lines of ---")]
    try:
        front = load_yaml(found[1] + "\n", name)
    except RefusedError as error:
        return [("agent-tools-missing", str(error))]
    if not isinstance(front, dict):
        return [("agent-tools-missing", "the front matter is no mapping")]
    faults = [] if front.get("name") == name else [("agent-tools-missing", f"name: want {name}")]
    if not isinstance(front.get("description"), str) or not front["description"].strip():
        faults.append(("agent-tools-missing", "description: it is missing"))
    return faults + _block_faults(text[found.end() :], front)


def _block_faults(body: str, front: dict[str, Any]) -> list[tuple[str, str]]:
    blocks = list(_BLOCK.finditer(body))
    if len(blocks) != 1:
        return [("agent-clause-missing", f"{len(blocks)} sections ## Defence, want 1")]
    block = blocks[0][1]
    outside = body[: blocks[0].start()] + body[blocks[0].end() :]
    faults = []
    for number, label in enumerate(CLAUSES, 1):
        if not _has_clause(block, number, rf"\*\*{re.escape(label)}\*\*"):
            faults.append(("agent-clause-missing", f"clause {number}, {label} is missing"))
        if f"**{label}**" in outside:
            faults.append(("agent-clause-missing", f"clause {number} stands outside of the block"))
    scopes = set(_SCOPE.findall(block))
    if _SCOPE.search(outside):
        faults.append(("agent-clause-missing", "clause 7 stands outside of the block"))
    if len(scopes) != 1 or not _has_clause(block, 7, _SCOPE.pattern):
        return [*faults, ("agent-clause-missing", "clause 7, the scope, is missing or said twice")]
    return faults + _scope_faults(scopes.pop(), front)


def _has_clause(block: str, number: int, label: str) -> bool:
    found = re.search(rf"^{number}\.[ \t]+{label}(.*)$", block, re.MULTILINE)
    return found is not None and len(found[found.lastindex or 0].split()) >= _FEWEST_WORDS


def _scope_faults(scope: str, front: dict[str, Any]) -> list[tuple[str, str]]:
    given = front.get("tools")
    listed = given if isinstance(given, list) else str(given or "").split(",")
    tools = {str(tool).partition("(")[0].strip() for tool in listed} - {""}
    if not tools or "*" in tools:
        return [("agent-tools-missing", "tools: it is missing, so that the agent has all of them")]
    writers = sorted(tools & _WRITERS)
    if scope == "reader" and writers:
        return [("scope-mismatch", f"a reader has {', '.join(writers)}")]
    if scope == "builder" and not writers:
        return [("scope-mismatch", "a builder has no tool that writes")]
    return []
