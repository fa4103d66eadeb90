"""A source tree for self-tests: two small modules, everything that the forge asks for."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["TOOL", "change_json", "emit", "put", "run", "skill_text", "write_sources"]

_SKILL = """\
---
name: NAME
description: Shows what is there. Use it when a self-test asks.
---
# NAME

> **Auto-Trigger:** when a self-test asks
> **Keywords:** one, two, three, four
> **Priority:** LOW
> **Tools:** Bash

## When NOT to Activate
- When nothing asks.
- When another skill fits.

## Contract
INPUT: nothing. OUTPUT: nothing.

EXIT CODES

| code | meaning |
|---|---|
| 0 | done |

STATE IT TOUCHES

| file | reads or writes | why |
|---|---|---|
| none | - | - |

## Process
1. Look: `python3 "${CLAUDE_PLUGIN_ROOT}/scripts/tool.py"`.

## Executed examples
```console
$ python3 "${CLAUDE_PLUGIN_ROOT}/scripts/tool.py"
```
<!-- executed: 2025-12-01 · exit=0 -->
```console
$ python3 "${CLAUDE_PLUGIN_ROOT}/scripts/tool.py" more
```
<!-- executed: 2025-12-01 · exit=5 -->
```console
$ python3 "${CLAUDE_PLUGIN_ROOT}/scripts/tool.py" more and more
```
<!-- executed: 2025-12-01 · exit=5 -->

## Proof
```bash
python3 "${CLAUDE_PLUGIN_ROOT}/scripts/tool.py"
```
"""
TOOL = "import sys\n\nraise SystemExit(0 if sys.argv[1:] in ([], ['--self-test']) else 5)\n"
_COVERAGE = {"small-kit": ("native", "explicit-command"), "kit-forge": ("explicit-command",) * 2}
_AREAS = {"small-kit": "frameworks", "kit-forge": "installers"}
_COMPONENTS = {"small-kit": ["hooks", "scripts", "skills"], "kit-forge": ["scripts"]}
_CHANNELS = {"native": "plugin", "explicit-command": "copy"}
_AUTHOR = "A self-test"
_SHARED = "packages/shared/src/hpp/core"


def skill_text(name: str) -> str:
    """Return a skill that keeps its contract."""
    return _SKILL.replace("NAME", name)


def put(root: str, path: str, content: object) -> None:
    """Write a file: bytes and text as they are, anything else as JSON."""
    place = os.path.join(root, *path.split("/"))
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if not isinstance(content, (bytes, str)):
        content = json.dumps(content, indent=2) + "\n"
    with open(place, "wb") as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


def change_json(place: str, change: Callable[[Any], object]) -> None:
    """Apply a function to the JSON value of a file."""
    with open(place, "rb") as stream:
        value = json.load(stream)
    change(value)
    put(os.path.dirname(place), os.path.basename(place), value)


def run(root: str, mode: str = "apply", out: str = "out") -> dict[str, Any]:
    """Run the forge on the tree and return its report."""
    from hpp.installer.forge.run import Request, run_forge

    source = os.path.join(root, "source")
    return run_forge(Request(source, os.path.join(root, out), None, mode, "2026-01-01"))


def emit(root: str) -> str:
    """Emit the tree below `root` and return where."""
    run(root)
    return os.path.join(root, "out")


def write_sources(root: str) -> str:
    """Write the source tree below `root` and return where."""
    source = os.path.join(root, "source")
    put(source, "LICENSE", "MIT License\n")
    put(source, "hpp.manifest.json", _manifest())
    put(source, f"{_SHARED}/__init__.py", "")
    put(source, f"{_SHARED}/text.py", "def shown(text):\n    return text\n")
    put(source, "modules/publish-rules.json", _rules())
    put(source, "modules/product.build.json", _product())
    for identity in _AREAS:
        _write_module(source, identity)
    return source


def _rules() -> dict[str, Any]:
    return {"schema": "hpp.publish-rules/v1", "allowed_emails": [], "rules": [], "allow": []}


def _product() -> dict[str, Any]:
    return {
        "schema": "hpp.product-build/v1",
        "displayName": "Self-test",
        "description": "A product for a self-test.",
        "owner": _AUTHOR,
        "homepage": "https://self-test.invalid/",
        "repository": "https://self-test.invalid/product",
        "modules": [{"id": identity, "category": "workflow"} for identity in _AREAS],
    }


def _manifest() -> dict[str, Any]:
    modules = [
        {
            "id": identity,
            "version": "0.1.0",
            "area": area,
            "path": f"modules/{identity}",
            "capabilities": [f"{identity}-work"],
            "requires": [],
            "integrates_with": [],
            "hosts": dict(zip(("claude-code", "codex"), _COVERAGE[identity], strict=True)),
            "components": _COMPONENTS[identity],
        }
        for identity, area in _AREAS.items()
    ]
    hook = {
        "id": "small-kit/guard",
        "module": "small-kit",
        "script": "hooks/guard.py",
        "events": ["PreToolUse"],
        "capabilities": ["automatic-permission-gates"],
        "exit_policy": "observe",
    }
    monitor = {
        "id": "service",
        "target": "service",
        "type": "command",
        "cadence": 300,
        "freshness": 600,
        "severity": "warn",
        "cost": "low",
        "consumer_gate": "fresh-evidence",
    }
    steps = (
        ("planned", "work_started", "active", "scope"),
        ("active", "evidence_recorded", "evidenced", "fresh-evidence"),
        ("evidenced", "check_passed", "checked", "read-only-checker"),
        ("checked", "human_approved", "approved", "human"),
        ("approved", "verified", "verified", "closure"),
    )
    return {
        "protocol_version": "2.1",
        "product_version": "0.1.0",
        "name": "self-test",
        "invariants": ["State on disk decides."],
        "hosts": ["claude-code", "codex"],
        "roles": ["maker", "checker", "human-gate"],
        "exit_codes": {"ok": 0, "warn": 1, "block": 2, "error": 3},
        "hook_capabilities": [
            "automatic-source-writes",
            "command-rewrite-and-process-control",
            "transcript-derived-llm-egress",
            "mcp-network-and-process-activity",
            "automatic-permission-gates",
            "session-observation-and-cost-records",
        ],
        "maps": ["capability"],
        "routing": {"tiers": ["economy", "balanced", "frontier"], "rule": "the lowest that fits"},
        "installer": {"path": "modules/kit-forge/kit_doctor.py"},
        "loop": {
            "initial": "planned",
            "transitions": [
                dict(zip(("from", "event", "to", "gate"), step, strict=True)) for step in steps
            ],
        },
        "modules": modules,
        "bundles": {"all": {"modules": ["small-kit"], "capabilities": ["small-kit-work"]}},
        "hooks": [hook],
        "monitors": [monitor],
    }


def _write_module(source: str, identity: str) -> None:
    top = f"modules/{identity}"
    put(source, f"{top}/module.build.json", _build(identity))
    plugin = {
        "name": identity,
        "version": "0.1.0",
        "description": f"The module {identity}.",
        "author": {"name": _AUTHOR},
        "license": "MIT",
        "keywords": ["self-test"],
    }
    put(source, f"{top}/.claude-plugin/plugin.json", plugin)
    put(source, f"{top}/install/kit.install.json", _install(identity))
    put(source, f"{top}/README.md", f"# {identity}\n")
    put(source, f"{top}/AGENTS.md", f"# {identity}\n")
    put(source, f"{top}/scripts/tool.py", TOOL)
    if identity == "kit-forge":
        put(source, f"{top}/kit_doctor.py", "raise SystemExit(0)\n")
        return
    root = "${CLAUDE_PLUGIN_ROOT}"
    command = f'bash "{root}/hooks/pyrun.sh" observe "{root}/hooks/guard.py"'
    entry = {"type": "command", "command": command, "timeout": 30}
    wired = {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}
    put(source, f"{top}/hooks/hooks.json", {"description": "Guard.", "hooks": wired})
    put(source, f"{top}/hooks/guard.py", "raise SystemExit(0)\n")
    put(source, f"{top}/hooks/pyrun.sh", "exit 0\n")
    put(source, f"{top}/skills/small/SKILL.md", skill_text("small"))


def _build(identity: str) -> dict[str, Any]:
    return {
        "schema": "hpp.module-build/v1",
        "module": {
            "id": identity,
            "version": "0.1.0",
            "area": _AREAS[identity],
            "license": "MIT",
            "author": _AUTHOR,
            "source_root": f"modules/{identity}",
        },
        "include": ["**"],
        "exclude": [],
        "vendor": [{"from": "hpp/core/text.py", "to": "_vendor"}],
        "executables": ["scripts/tool.py"],
        "replace": [],
        "third_party": [],
    }


def _install(identity: str) -> dict[str, Any]:
    hosts = dict(zip(("claude-code", "codex"), _COVERAGE[identity], strict=True))
    document = {
        "schema": "hpp.kit-install/v1",
        "kit": identity,
        "version": "0.1.0",
        "requires": {"python": ">=3.10", "external_services": []},
        "seeds": [],
        "questions": [],
        "smokes": [{"id": "tool", "argv": ["{python}", "scripts/tool.py", "--self-test"]}],
        "hosts": {
            host: {"channel": _CHANNELS[coverage], "manual_gates": []}
            for host, coverage in hosts.items()
        },
        "docs": "README.md",
    }
    if "hooks" in _COMPONENTS[identity]:
        document["wiring"] = {
            "claude-code": "install/wiring.settings.jsonc",
            "codex": "install/codex-hooks.json",
        }
    return document
