"""Stage ``smoke``: four controls that can fail, run on what is installed here."""

from __future__ import annotations

from hpp.core.errors import UsageError
from hpp.core.graph import manifest_graph
from hpp.core.policy.verdict import ALLOW, BLOCK, judge
from hpp.core.service import find_service
from hpp.installer.shellword import folder_word
from hpp.installer.stage import FAIL, OK, Problem, Stage, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.manifest import Manifest
    from hpp.installer.detection import Findings

__all__ = ["smoke"]

HARMLESS, HARMFUL = "python -m pytest -q", "rm -rf src"
_STEPS = {
    "policy": "install hpp-core again: its rules do not tell good from bad",
    "graph": "check the manifest with `hpp doctor`",
    "events": "see where the log breaks with `hpp event verify`",
    "benchmark": "run `hpp benchmark --json` and read the outcome of each control",
}


def smoke(
    manifest: Manifest, manifest_option: str, target: str, found: Findings, *, benchmark: bool
) -> Stage:
    """Return the stage.

    Args:
        manifest: The manifest in force.
        manifest_option: What names it on a command line, or nothing where it is found.
        target: As the person typed it.
        found: What `detect` measured; the log is replayed once.
        benchmark: Whether to run the packaged suite.

    """
    controls = [
        _policy(manifest),
        _graph(manifest, manifest_option),
        _events(found, target, manifest_option),
        _benchmark(run=benchmark),
    ]
    failed = [control for control in controls if control["ok"] is False]
    run = [control for control in controls if control["ok"] is not None]
    summary = f"{len(run) - len(failed)} of {len(run)} controls held"
    if len(run) < len(controls):
        summary += "; benchmark not run"
    return Stage(
        "smoke",
        FAIL if failed else OK,
        summary,
        {"controls": controls},
        tuple(
            Problem(one["id"], one["measured"], one["expected"], _STEPS[one["id"]])
            for one in failed
        ),
        exit_hint=1 if failed else 0,
    )


def _control(
    name: str,
    ok: bool | None,  # noqa: FBT001 -- one row of the table
    measured: str,
    expected: str,
    command: str,
) -> dict[str, Any]:
    return {
        "id": name,
        "ok": ok,
        "measured": measured,
        "expected": expected,
        "command": command,
    }


def _policy(manifest: Manifest) -> dict[str, Any]:
    codes = manifest.raw["exit_codes"]
    exits = {ALLOW: codes["ok"], BLOCK: codes["block"]}
    seen = [judge(command).action for command in (HARMLESS, HARMFUL)]
    measured = ", ".join(
        f"`{command}` {action} exit {exits.get(action, codes['warn'])}"
        for command, action in zip((HARMLESS, HARMFUL), seen, strict=True)
    )
    ok = seen == [ALLOW, BLOCK] and exits[BLOCK] == 2  # noqa: PLR2004 -- what hosts stop at
    expected = f"`{HARMLESS}` ALLOW exit 0, `{HARMFUL}` BLOCK exit 2"
    command = f'hpp policy check --mode enforce --command "{HARMFUL}"'
    return _control("policy", ok, measured, expected, command)


def _graph(manifest: Manifest, option: str) -> dict[str, Any]:
    drawn = manifest_graph(manifest, "capability")
    measured = f"{len(drawn.nodes)} nodes, {len(drawn.edges)} edges"
    ok = bool(drawn.nodes) and bool(drawn.edges)
    command = f"hpp graph --view capability --format json{option}"
    return _control("graph", ok, measured, "a capability view that is not empty", command)


def _events(found: Findings, target: str, option: str) -> dict[str, Any]:
    measured = found.log_fault or f"{counted(found.event_count or 0, 'event')} replayed"
    command = f"cd {folder_word(_enterable(target))} && hpp status{option}"
    return _control("events", not found.log_fault, measured, "the target's log replays", command)


def _enterable(target: str) -> str:
    """Return a folder as ``cd`` takes it: no option, and not the folder before."""
    return f"./{target}" if target.startswith("-") else target


def _benchmark(*, run: bool) -> dict[str, Any]:
    expected, command = "every control passes, both gates", "hpp benchmark -k 1"
    if not run:
        return _control("benchmark", None, "not run: --no-benchmark", expected, command)
    try:
        suite = find_service("benchmark", "the benchmark")
    except UsageError as error:
        return _control("benchmark", None, f"not run: {error}", expected, command)
    evaluation, left_out = suite(1, quiet=True)
    held = evaluation.counts["pass_caret_k"]
    measured = f"{held} of {len(evaluation.cases)} controls passed"
    if left_out:
        measured += f", {len(left_out)} of families that are not installed"
    return _control("benchmark", bool(evaluation.passed), measured, expected, command)
