"""Where on each host the parts of a module go, relative to the target."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["HOSTS", "LAYOUTS", "Layout"]

HOSTS = ("claude-code", "codex")


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one host.

    Attributes:
        host: Its id.
        runtime_root: Below it each module has a folder, and the installer its own state.
        skills: Folder of skills.
        commands: Folder of commands; empty where the host has none.
        agents: Folder of agents; empty where the host has none.
        settings: Files in which a person wires hooks.
        unregistered: Kinds that a copy does not register there.

    """

    host: str
    runtime_root: str
    skills: str
    commands: str
    agents: str
    settings: tuple[str, ...]
    unregistered: tuple[str, ...]

    def runtime(self, module: str) -> str:
        """Return the folder of a module's files."""
        return f"{self.runtime_root}/{module}"

    def receipt(self, module: str) -> str:
        """Return the file of a module's receipt."""
        return f"{self.receipts}/{module}.json"

    def backup(self, module: str) -> str:
        """Return the folder of a module's rollback point."""
        return f"{self.backups}/{module}"

    @property
    def receipts(self) -> str:
        """Folder of receipts."""
        return f"{self.runtime_root}/.receipts"

    @property
    def backups(self) -> str:
        """Folder of rollback points."""
        return f"{self.runtime_root}/.backups"

    @property
    def transactions(self) -> str:
        """Folder of the lock and of what is under way."""
        return f"{self.runtime_root}/.tx"

    @property
    def ignore_file(self) -> str:
        """File that keeps state of one machine out of git."""
        return f"{self.runtime_root}/.gitignore"


IGNORE_BYTES = b".tx/\n.backups/\n"

LAYOUTS = {
    "claude-code": Layout(
        "claude-code",
        ".claude/hpp",
        ".claude/skills",
        ".claude/commands",
        ".claude/agents",
        (".claude/settings.json", ".claude/settings.local.json"),
        ("hooks", "rules"),
    ),
    "codex": Layout(
        "codex",
        ".agents/hpp",
        ".agents/skills",
        "",
        "",
        (".codex/hooks.json", ".codex/config.toml"),
        ("hooks", "commands", "agents", "rules"),
    ),
}
