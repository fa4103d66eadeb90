"""The roles of the squad, as their pages tell them."""

from __future__ import annotations

import os

from _lib.page import AGENT, headings_of, read_page
from _lib.pagerule import EDITING, tools_of

from hpp.core.errors import RefusedError

__all__ = ["MAKER", "READER", "Role", "read_role", "read_roles"]

MAKER, READER = "maker", "reader"


class Role:
    """One role.

    Attributes:
        name: Such as ``qa``.
        set: `MAKER` or `READER`.
        tools: In the order of its page.
        headings: Of its report.
        returns: What stands under each heading, a line each.
        limits: What it leaves to others.

    """

    __slots__ = ("headings", "limits", "name", "returns", "set", "tools")

    def __init__(self, path: str) -> None:
        page = read_page(path, AGENT)
        self.name = page.stem
        self.tools = tools_of(page)
        self.set = MAKER if set(self.tools) & set(EDITING) else READER
        self.headings = headings_of(page)
        self.returns = page.items("Return")
        self.limits = page.items("Not yours")


def read_role(root: str, name: str) -> Role:
    """Return a role.

    Raises:
        RefusedError: There is no such role; the message lists those that there are.

    """
    names = _names(root)
    if name not in names:
        raise RefusedError(f"--role {name}: there is no such role; there are {', '.join(names)}")
    return Role(os.path.join(root, "agents", f"{name}.md"))


def read_roles(root: str) -> list[Role]:
    """Return every role, by name."""
    return [read_role(root, name) for name in _names(root)]


def _names(root: str) -> list[str]:
    folder = os.path.join(root, "agents")
    return sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".md"))
