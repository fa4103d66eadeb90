"""The hosts: what each one reads, where modules go there, and what a person has to do.

Another host is one more row here and one coverage per module in the manifest.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CLAUDE", "CODEX", "HOSTS", "NATIVE", "UNSUPPORTED", "Host", "host_row"]

CLAUDE, CODEX = "claude-code", "codex"
NATIVE, UNSUPPORTED = "native", "unsupported"


@dataclass(frozen=True)
class Host:
    """One row of the table.

    Attributes:
        settings_path: File that a person edits, relative to the project; None where none is.
        manual_gates: What a person wires and no tool ever arms.
        skills_path: Where skills of a verified copy go.
        runtime_path: Where the files of a verified copy go, ``<module>`` standing for its id.
        instructions: File of instructions that the host reads, or None.

    """

    id: str
    title: str
    settings_path: str | None
    manual_gates: tuple[str, ...]
    skills_path: str
    runtime_path: str
    instructions: str | None


HOSTS = {
    CLAUDE: Host(
        CLAUDE,
        "Claude Code",
        ".claude/settings.local.json",
        ("hooks", "statusLine"),
        ".claude/skills",
        ".claude/hpp/<module>",
        None,
    ),
    CODEX: Host(
        CODEX, "Codex CLI", None, ("hooks",), ".agents/skills", ".agents/hpp/<module>", "AGENTS.md"
    ),
}


def host_row(name: str) -> Host:
    """Return the row of a host; one that a manifest declares and we do not know is plain."""
    plain = Host(name, name, None, ("hooks",), ".agents/skills", ".agents/hpp/<module>", None)
    return HOSTS.get(name, plain)
