"""Which host supports which module, and through which channels, as a Markdown table."""

from __future__ import annotations

from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.manifest import Manifest, Module

__all__ = ["support_table"]

_HOST_NAMES = {"claude-code": "Claude Code", "codex": "Codex CLI"}
_UNSUPPORTED = "unsupported"


def support_table(manifest: Manifest) -> str:
    """Return one row per module in manifest order; no two lines of it depend on each other."""
    hosts = [_cell(_HOST_NAMES.get(host, host)) for host in manifest.hosts]
    lines = [_row(["module", *hosts]), "|" + " --- |" * (len(hosts) + 1)]
    for module in manifest.modules:
        support = [_support(module, host) for host in manifest.hosts]
        lines.append(_row([f"{_code(module.id)} {_cell(module.version)}", *support]))
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _support(module: Module, host: str) -> str:
    coverage = module.hosts[host]
    channels = _channels(module, host) if coverage != _UNSUPPORTED else []
    return f"{_code(coverage)}: {', '.join(channels) or '-'}"


def _channels(module: Module, host: str) -> list[str]:
    if host == "claude-code":
        return ["plugin", "hooks"] if "hooks" in module.components else ["plugin"]
    if host == "codex":
        skills = ["plugin (skills)"] if "skills" in module.components else []
        return [*skills, "verified copy"]
    return []


def _code(text: str) -> str:
    """Return a code span; a text that holds a backtick gets the longer fence."""
    shown = _cell(text)
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def _cell(text: str) -> str:
    """Return a text that cannot end its cell: tables split at ``|``, in code as well."""
    return printable(text).replace("|", "\\|")
