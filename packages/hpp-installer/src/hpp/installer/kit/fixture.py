"""A small module and a distribution around it, for the self-test and for tests."""

from __future__ import annotations

import json
import os

from hpp.installer.formats.archive import zip_bytes
from hpp.installer.formats.inventory import NAME as INVENTORY
from hpp.installer.formats.inventory import inventory_bytes, sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ID", "module_files", "sealed_files", "write_distribution", "write_files"]

ID = "demo-kit"
_AREA = "wizards"
_SMOKE = """import sys

sys.exit(0 if sys.argv[1:] == ["--self-test"] else 3)
"""
_SKILL = """---
name: greet
description: Greets by name; use it to say hello.
---

Run `python "${CLAUDE_PLUGIN_ROOT}/scripts/greet.py" --self-test`.
"""


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2) + "\n").encode("utf-8")


def _hook(root: str) -> dict[str, object]:
    command = f'bash "{root}/hooks/pyrun.sh" block "{root}/hooks/guard.py"'
    entry = {"type": "command", "command": command, "timeout": 30}
    group = {"matcher": "Bash", "hooks": [entry]}
    return {"description": "Guards.", "hooks": {"PreToolUse": [group]}}


def module_files(
    version: str = "0.1.0", *, extra: Mapping[str, bytes] | None = None, smoke: str = _SMOKE
) -> dict[str, bytes]:
    """Return the files of a module, its inventory aside.

    Args:
        version: Its version, which also stands in one of its scripts.
        extra: Files to add, or to put in place of others.
        smoke: The script that proves it.

    """
    manifest = {
        "schema": "hpp.kit-install/v1",
        "kit": ID,
        "version": version,
        "requires": {"python": ">=3.10", "external_services": []},
        "seeds": [{"from": "seed.example.json", "to": "config/greet.json"}],
        "questions": [
            {
                "id": "greeting",
                "prompt": "What does it say?",
                "type": "choice",
                "options": ["hello", "good day"],
                "default": "hello",
                "effect": {"seed": "seed.example.json", "key": "say.word"},
            },
            {
                "id": "greet_now",
                "prompt": "Greet after the installation?",
                "type": "bool",
                "default": False,
                "effect": {"next_command": ["{python}", "scripts/greet.py", "--self-test"]},
            },
        ],
        "smokes": [{"id": "greet", "argv": ["{python}", "scripts/greet.py", "--self-test"]}],
        "hosts": {
            "claude-code": {"channel": "plugin", "manual_gates": ["hooks", "PreToolUse"]},
            "codex": {"channel": "copy", "manual_gates": ["hooks", "PreToolUse"]},
        },
        "wiring": {
            "claude-code": "install/wiring.settings.jsonc",
            "codex": "install/codex-hooks.json",
        },
        "docs": "README.md",
    }
    plugin = {"name": ID, "version": version, "description": "Greets.", "license": "MIT"}
    root = "<target>/.agents/hpp/" + ID
    files = {
        ".claude-plugin/plugin.json": _json(plugin),
        ".codex-plugin/plugin.json": _json({**plugin, "hooks": {"hooks": {}}}),
        "README.md": b"# demo-kit\n",
        "agents/reader.md": b"---\nname: reader\ntools: Read\n---\n\nReads.\n",
        "commands/greet.md": b"---\ndescription: Greets.\n---\n\nGreet.\n",
        "hooks/guard.py": b"raise SystemExit(0)\n",
        "hooks/hooks.json": _json(_hook("${CLAUDE_PLUGIN_ROOT}")),
        "hooks/pyrun.sh": b'#!/usr/bin/env bash\nexec python3 "$2"\n',
        "install/codex-hooks.json": _json(_hook(root)),
        "install/kit.install.json": _json(manifest),
        "install/wiring.settings.jsonc": b'// merge into hooks\n{"hooks": {}}\n',
        "scripts/greet.py": smoke.encode("utf-8"),
        "scripts/version.txt": f"{version}\n".encode(),
        "seed.example.json": b'{"say": {"word": "hello"}}\n',
        "skills/greet/SKILL.md": _SKILL.encode("utf-8"),
        "skills/greet/words.txt": b"hello\n",
    }
    return {**files, **(extra or {})}


def sealed_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return a module's files with the inventory of them."""
    digests = {path: sha256_hex(data) for path, data in files.items()}
    return {**files, INVENTORY: inventory_bytes(digests)}


def write_files(root: str, files: Mapping[str, bytes]) -> None:
    """Write files below a folder."""
    for path, data in files.items():
        place = os.path.join(root, *path.split("/"))
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as stream:
            stream.write(data)


def write_distribution(root: str, files: Mapping[str, bytes], version: str = "0.1.0") -> str:
    """Write a distribution of one module, catalogues and digests included; return its folder.

    Args:
        root: Where.
        files: The module's files, its inventory among them.
        version: The module's version.

    """
    path = f"{_AREA}/{ID}-{version}"
    archive = zip_bytes(files)
    plugin = {"name": ID, "source": f"./{path}", "description": "Greets.", "version": version}
    catalogue = _json({"name": "demo", "version": "0.1.0", "plugins": [plugin]})
    source = {"source": "local", "path": f"./{path}"}
    codex = _json({"name": "demo", "plugins": [{"name": ID, "source": source}]})
    manifest = _json(
        {
            "hooks": [
                {
                    "id": f"{ID}/guard",
                    "module": ID,
                    "script": "hooks/guard.py",
                    "events": ["PreToolUse"],
                    "capabilities": ["automatic-permission-gates"],
                    "exit_policy": "block",
                }
            ],
            "modules": [
                {
                    "id": ID,
                    "version": version,
                    "path": path,
                    "hosts": {"claude-code": "native", "codex": "explicit-command"},
                    "components": ["skills", "hooks", "commands", "agents", "scripts"],
                }
            ],
        }
    )
    distribution = {
        "schema": "hpp.distribution/v1",
        "product_version": "0.1.0",
        "manifest_sha256": sha256_hex(manifest),
        "marketplace_sha256": sha256_hex(catalogue),
        "codex_marketplace_sha256": sha256_hex(codex),
        "modules": [
            {
                "id": ID,
                "version": version,
                "path": path,
                "files": len(files) - 1,
                "checksums_sha256": sha256_hex(files[INVENTORY]),
                "zip": f"{path}.zip",
                "zip_sha256": sha256_hex(archive),
                "zip_bytes": len(archive),
            }
        ],
    }
    write_files(os.path.join(root, *path.split("/")), files)
    write_files(
        root,
        {
            f"{path}.zip": archive,
            "marketplace.json": catalogue,
            ".claude-plugin/marketplace.json": catalogue,
            ".agents/plugins/marketplace.json": codex,
            "hpp.manifest.json": manifest,
            "distribution.json": _json(distribution),
        },
    )
    return os.path.join(root, *path.split("/"))
