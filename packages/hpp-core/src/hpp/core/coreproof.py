"""The controls of this distribution: each has a case that must pass and one that must not.

They depend on the installed product alone: no file of the working folder is read, nothing
is written outside a temporary folder, and no other program is run.
"""

from __future__ import annotations

import os
import tempfile

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["context_provenance", "event_evidence_gate", "manifest_contract", "workgraph_waves"]

_SHA256_OF_FACT = "deae32cc1438a4a74b0d9e6db3bbda7d0e44494e9808647879d7818c390fb95c"


def manifest_contract() -> bool:
    """Validate the packaged manifest; refuse it with a relation to a module that is not there."""
    from hpp.core.manifest import load_manifest, packaged_manifest_path, parse_manifest

    sound = load_manifest(packaged_manifest_path()).raw
    modules = [dict(module) for module in sound["modules"]]
    modules[0]["requires"] = ["no-such-module"]
    return _refused(lambda: parse_manifest({**sound, "modules": modules}, "control"))


def workgraph_waves() -> bool:
    """Order a chain of two units; refuse two that depend on each other."""
    chain = _compiled(a=[], b=["a"])
    waves = [[unit.id for unit in wave] for wave in chain.waves]
    return waves == [["a"], ["b"]] and _refused(
        lambda: _compiled(a=["b"], b=["a"]), "dependency cycle: a -> b -> a"
    )


def context_provenance() -> bool:
    """Compile a block with its hash; refuse one that looks like it holds a secret."""
    from hpp.core.context import compile_blocks, parse_blocks

    def compiled(content: str) -> dict[str, Any]:
        blocks = parse_blocks([{"source": "note", "priority": 1, "content": content}], "control")
        return compile_blocks(blocks, 100).document()

    result = compiled("a fact")
    (record,) = result["included"]
    told = result["text"] == "a fact" and record["sha256"] == _SHA256_OF_FACT
    return told and _refused(lambda: compiled("api_key=secret-value"), '"note"')


def event_evidence_gate() -> bool:
    """Lead work through the five gates; refuse a bare ``verified``, leaving no log behind."""
    from hpp.core.journal import Journal
    from hpp.core.loop import Loop
    from hpp.core.manifest import load_manifest, packaged_manifest_path

    loop = Loop.of(load_manifest(packaged_manifest_path()))
    with tempfile.TemporaryDirectory(prefix="hpp-control-") as name:
        journal = Journal(os.path.realpath(name))
        if not _refused(lambda: journal.append(loop, "verified", {})) or os.listdir(name):
            return False
        states = [
            journal.append(loop, kind, {}).work.state
            for kind in (
                "work_started",
                "evidence_recorded",
                "check_passed",
                "human_approved",
                "verified",
            )
        ]
        return states[-1] == "verified" and journal.history(loop).chain.status == "intact"


def _compiled(**depends_on: list[str]) -> Any:  # noqa: ANN401 -- a WorkGraph, loaded late
    from hpp.core.workgraph import compile_spec
    from hpp.core.workspec import parse_spec

    units = [
        {"id": name, "depends_on": wanted, "acceptance": [f"{name} is done"], "tier": "economy"}
        for name, wanted in depends_on.items()
    ]
    return compile_spec(parse_spec({"work": units}, "control"))


def _refused(attempt: Callable[[], object], saying: str = "") -> bool:
    try:
        attempt()
    except RefusedError as error:
        return saying in str(error)
    return False
