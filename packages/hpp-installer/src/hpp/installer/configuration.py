"""Stage ``configure``: which modules go where, and whether their files are the published ones."""

from __future__ import annotations

import os

from hpp.core.document import read_state
from hpp.core.errors import RefusedError
from hpp.core.fault import normal_path
from hpp.core.strictjson import SMALL_LIMIT, parse_bytes
from hpp.installer.checksum import MISMATCH, VERIFIED, check_module
from hpp.installer.host import UNSUPPORTED
from hpp.installer.stage import FAIL, OK, Problem, Stage, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hpp.core.manifest import Manifest, Module
    from hpp.installer.answer import Answers

__all__ = ["chosen_modules", "configure", "module_rows"]


def chosen_modules(manifest: Manifest, ids: Sequence[str]) -> list[Module]:
    """Return the modules of those ids, in their order."""
    by_id = {module.id: module for module in manifest.modules}
    return [by_id[name] for name in ids]


def module_rows(modules: Sequence[Module], host: str, root: str) -> list[dict[str, Any]]:
    """Return one row for each module, its checksum measured below the manifest's folder."""
    anchors = _anchors(root, [module.id for module in modules])
    return [
        {
            "id": module.id,
            "version": module.version,
            "integration": module.hosts[host],
            "path": normal_path(module.path),
            "components": list(module.components),
            "checksum": check_module(root, normal_path(module.path), anchors.get(module.id)),
        }
        for module in modules
    ]


def configure(answers: Answers, rows: Sequence[dict[str, Any]]) -> Stage:
    """Return the stage; it fails on a module that the host does not run, or whose files differ."""
    states = [row["checksum"]["status"] for row in rows]
    verified, mismatch = states.count(VERIFIED), states.count(MISMATCH)
    measurable = verified + mismatch
    problems = [problem for row in rows for problem in _problems(row, answers.host)]
    summary = (
        f"{counted(len(rows), 'module')} for {answers.host}; {verified} of {len(rows)} verified"
    )
    if problems:
        labels = ", ".join(problem.label for problem in problems)
        summary = f"not possible as chosen: {labels}"
    return Stage(
        "configure",
        FAIL if problems else OK,
        summary,
        {
            "host": answers.host,
            "bundle": answers.bundle,
            "modules": list(rows),
            "checksums": {
                "verified": verified,
                "mismatch": mismatch,
                "measurable": measurable,
                "total": len(rows),
            },
        },
        tuple(problems),
        exit_hint=2 if problems else 0,
    )


def _problems(row: Mapping[str, Any], host: str) -> list[Problem]:
    problems = []
    if row["integration"] == UNSUPPORTED:
        problems.append(
            Problem(
                row["id"],
                f"{row['id']} is unsupported on {host}",
                "a module that the host can run",
                f"leave {row['id']} out with --modules, or choose another --host",
            )
        )
    if row["checksum"]["status"] == MISMATCH:
        problems.append(
            Problem(
                row["id"],
                "; ".join(row["checksum"]["failures"]),
                "the files that CHECKSUMS.txt lists, and no others",
                f"get {row['path']} again from the distribution; run nothing of it before",
            )
        )
    return problems


def _anchors(root: str, ids: Sequence[str]) -> dict[str, str]:
    """Return the digest that ``distribution.json`` gives for the inventory of each module.

    Without that file nothing stands above the inventories, and none is held to anything. To
    one that cannot be read no inventory conforms.
    """
    path = os.path.join(root, "distribution.json")
    if not os.path.lexists(path):
        return {}
    try:
        document = parse_bytes(read_state(path, limit=SMALL_LIMIT) or b"", path, root=dict)
    except RefusedError:
        return dict.fromkeys(ids, "")
    entries = document.get("modules")
    return {
        entry["id"]: str(entry.get("checksums_sha256"))
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict) and isinstance(entry.get("id"), str)
    }
