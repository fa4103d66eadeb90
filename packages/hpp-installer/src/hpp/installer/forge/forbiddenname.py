"""Names that no emitted file has: what editors, patches, tools and systems leave behind."""

from __future__ import annotations

from fnmatch import fnmatchcase

__all__ = ["forbidden_name"]

_LEFTOVERS = ("*.bak*", "*.orig", "*.rej", "*.pre-*", "*.pre[0-9]*", "*~", "*.swp", ".#*")
_BYTECODE = ("__pycache__", "*.pyc", "*.pyo")
_CACHES = (".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".nox", ".tox", ".git")
_SYSTEMS = (".ds_store", "thumbs.db", "desktop.ini", "__macosx", "._*")
_OURS = ("publish-rules.local.json", "*.build.json")
_KINDS = (
    ("what an editor or a patch leaves behind", _LEFTOVERS),
    ("bytecode", _BYTECODE),
    ("a tool's own folder", _CACHES),
    ("what a system leaves behind", _SYSTEMS),
    ("a file of the source tree alone", _OURS),
)


def forbidden_name(path: str) -> str:
    """Return why a component of a path is not emitted, or an empty text; case does not count."""
    for name in path.lower().split("/"):
        if name == ".env" or (name.startswith(".env.") and not name.endswith(".example")):
            return "settings that may hold secrets"
        for kind, globs in _KINDS:
            if any(fnmatchcase(name, glob) for glob in globs):
                return kind
    return ""
