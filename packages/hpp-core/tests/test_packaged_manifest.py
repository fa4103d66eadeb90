"""The values of the manifest that this distribution carries, written out a second time."""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any

import pytest

from hpp.core.manifest import Manifest, load_manifest, packaged_manifest_path
from hpp.core.manifestrule import manifest_faults

WRITES = "automatic-source-writes"
REWRITES = "command-rewrite-and-process-control"
SENDS = "transcript-derived-llm-egress"
PROBES = "mcp-network-and-process-activity"
GATES = "automatic-permission-gates"
RECORDS = "session-observation-and-cost-records"

KEYS = [
    "protocol_version", "product_version", "name", "invariants", "hosts", "roles", "exit_codes",
    "hook_capabilities", "maps", "routing", "installer", "loop", "modules", "bundles", "hooks",
    "monitors",
]  # fmt: skip
MODULE_KEYS = [
    "id", "version", "area", "path", "capabilities", "requires", "integrates_with", "hosts",
    "components",
]  # fmt: skip
HOOK_KEYS = ["id", "module", "script", "events", "capabilities", "exit_policy"]
MONITOR_KEYS = [
    "id", "target", "type", "cadence", "freshness", "severity", "cost", "consumer_gate",
]  # fmt: skip

# id, area, coverage on Claude Code and on Codex CLI, integrates with, capabilities, components
MODULES = [
    ("kit-forge", "installers", "explicit-command", "explicit-command", "",
     "deterministic-build supply-chain", "scripts templates"),
    ("claude-dev-kit", "frameworks", "native", "unsupported", "kit-forge",
     "tooling-scaffold secret-scan", "hooks scripts skills"),
    ("agent-framework-wizard", "wizards", "explicit-command", "explicit-command",
     "continuity-kit operator-kit", "agent-scaffold", "commands scripts skills templates"),
    ("operator-kit", "frameworks", "native", "explicit-command", "continuity-kit lane-kit",
     "evidence-gate evidence-attestation loop-control policy workflow.spec-driven workflow.waves",
     "agents commands hooks rules scripts skills templates"),
    ("lane-kit", "multi-session", "native", "explicit-command", "continuity-kit operator-kit",
     "lane-isolation read-only-checker coordination.lane-map",
     "commands hooks scripts skills templates"),
    ("dev-squad-kit", "frameworks", "native", "explicit-command", "lane-kit operator-kit",
     "agent-roles parallel-review routing.model-policy context.compile",
     "agents commands scripts skills templates"),
    ("continuity-kit", "continuity", "native", "explicit-command", "gotcha-memory lane-kit",
     "handoff event-resume", "hooks scripts skills templates"),
    ("gotcha-memory", "continuity", "native", "explicit-command", "continuity-kit operator-kit",
     "failure-memory preflight-learning", "hooks scripts skills templates"),
    ("health-kit", "frameworks", "native", "explicit-command", "operator-kit",
     "service-health data-freshness", "hooks scripts skills"),
    ("supabase-pack", "frameworks", "explicit-command", "explicit-command", "operator-kit",
     "database-audit", "scripts skills"),
]  # fmt: skip

# id, script, events, groups, exit policy
HOOKS = [
    ("claude-dev-kit/secret-scan-on-write", "hooks/secret_scan_on_write.py", "PreToolUse",
     [GATES], "observe"),
    ("operator-kit/operation-guard", "hooks/operation_guard.py", "PreToolUse", [GATES], "block"),
    ("operator-kit/snapshot-rollback-gate", "hooks/snapshot_rollback_gate.py", "PreToolUse",
     [GATES, RECORDS], "observe"),
    ("operator-kit/external-send-draft-gate", "hooks/external_send_draft_gate.py", "PreToolUse",
     [GATES, RECORDS], "observe"),
    ("operator-kit/fact-force-gate", "hooks/fact_force_gate.py", "PreToolUse",
     [GATES, RECORDS], "observe"),
    ("operator-kit/secret-scan-on-write", "hooks/secret_scan_on_write.py", "PreToolUse",
     [GATES], "observe"),
    ("operator-kit/project-root-confirm", "hooks/project_root_confirm.py", "PreToolUse",
     [GATES, RECORDS], "observe"),
    ("operator-kit/rule-capture", "hooks/rule_capture.py", "UserPromptSubmit",
     [WRITES, RECORDS], "observe"),
    ("operator-kit/loop-gate", "hooks/loop_gate.py", "SessionStart Stop",
     [WRITES, REWRITES, PROBES, RECORDS], "block"),
    ("operator-kit/autoprompt-resume", "hooks/autoprompt_resume.py", "Stop",
     [WRITES, PROBES], "observe"),
    ("lane-kit/lane-register", "hooks/lane_register.py", "SessionStart PostToolUse SessionEnd",
     [WRITES, REWRITES, PROBES, RECORDS], "observe"),
    ("lane-kit/lane-git-guard", "hooks/lane_git_guard.py", "PreToolUse",
     [PROBES, GATES], "block"),
    ("lane-kit/lane-territory-guard", "hooks/lane_territory_guard.py", "PreToolUse",
     [GATES, RECORDS], "observe"),
    ("continuity-kit/handoff-inject", "hooks/handoff_inject.py", "SessionStart",
     [WRITES, REWRITES, RECORDS], "observe"),
    ("continuity-kit/handoff-guard", "hooks/handoff_guard.py", "Stop PreCompact",
     [WRITES, REWRITES, PROBES, RECORDS], "block"),
    ("gotcha-memory/gotcha-preflight", "hooks/gotcha_preflight.py", "PreToolUse",
     [REWRITES], "observe"),
    ("gotcha-memory/gotcha-postflight", "hooks/gotcha_postflight.py",
     "PostToolUse PostToolUseFailure", [WRITES, REWRITES, RECORDS], "observe"),
    ("health-kit/health-probe", "scripts/health_probe.py", "SessionStart",
     [WRITES, PROBES], "observe"),
]  # fmt: skip

LOOP = """
planned work_started active scope
active evidence_recorded evidenced fresh-evidence
evidenced evidence_recorded evidenced fresh-evidence
evidenced check_passed checked read-only-checker
evidenced check_failed active read-only-checker
checked human_approved approved human
checked changes_requested active human
approved changes_requested active human
approved verified verified closure
"""

BUNDLES = {
    "reliable-coding": (
        "operator-kit kit-forge lane-kit continuity-kit health-kit gotcha-memory",
        (
            "evidence-gate evidence-attestation loop-control policy workflow.spec-driven "
            "workflow.waves deterministic-build supply-chain lane-isolation read-only-checker "
            "coordination.lane-map handoff event-resume service-health data-freshness "
            "failure-memory preflight-learning"
        ),
    ),
    "parallel-squad": (
        "dev-squad-kit operator-kit lane-kit",
        (
            "agent-roles parallel-review routing.model-policy context.compile evidence-gate policy "
            "lane-isolation read-only-checker"
        ),
    ),
    "session-memory": (
        "continuity-kit gotcha-memory",
        "handoff event-resume failure-memory preflight-learning",
    ),
}

MONITORS = [
    ("service-reachable", "service", "command", 300, 600, "block", "low", "fresh-evidence"),
    ("data-fresh", "data", "timestamp", 300, 3600, "warn", "low", "fresh-evidence"),
    ("evidence-recent", ".hpp/evidence", "timestamp", 900, 86400, "warn", "low", "closure"),
]


@pytest.fixture(scope="module")
def raw() -> dict[str, Any]:
    with open(packaged_manifest_path(), encoding="utf-8") as stream:
        document: dict[str, Any] = json.load(stream)
    return document


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return load_manifest(packaged_manifest_path())


def test_its_keys_stand_in_their_order(raw: dict[str, Any]) -> None:
    assert list(raw) == KEYS
    assert {tuple(entry) for entry in raw["modules"]} == {tuple(MODULE_KEYS)}
    assert {tuple(entry) for entry in raw["hooks"]} == {tuple(HOOK_KEYS)}
    assert {tuple(entry) for entry in raw["monitors"]} == {tuple(MONITOR_KEYS)}


def test_it_is_written_with_two_spaces_and_a_final_newline(raw: dict[str, Any]) -> None:
    with open(packaged_manifest_path(), "rb") as stream:
        data = stream.read()

    assert data == (json.dumps(raw, indent=2, ensure_ascii=False) + "\n").encode()


def test_its_head_is_the_declared_one(raw: dict[str, Any]) -> None:
    assert (raw["protocol_version"], raw["name"]) == ("2.1", "house-party-protocol")
    assert raw["hosts"] == ["claude-code", "codex"]
    assert raw["roles"] == ["maker", "checker", "human-gate"]
    assert raw["exit_codes"] == {"ok": 0, "warn": 1, "block": 2, "error": 3}
    assert raw["hook_capabilities"] == [WRITES, REWRITES, SENDS, PROBES, GATES, RECORDS]
    assert " ".join(raw["maps"]) == (
        "capability operational agent evidence code lane context monitor work execution"
    )
    assert raw["routing"]["tiers"] == ["economy", "balanced", "frontier"]
    assert list(raw["routing"]) == ["tiers", "rule"]
    assert raw["installer"] == {"path": "modules/kit-forge/kit_doctor.py"}
    assert len(raw["invariants"]) == 10


def test_its_ten_modules_are_the_declared_ones(raw: dict[str, Any]) -> None:
    assert raw["modules"] == [
        {
            "id": identity,
            "version": "0.1.0",
            "area": area,
            "path": f"modules/{identity}",
            "capabilities": capabilities.split(),
            "requires": [],
            "integrates_with": others.split(),
            "hosts": {"claude-code": claude, "codex": codex},
            "components": components.split(),
        }
        for identity, area, claude, codex, others, capabilities, components in MODULES
    ]


def test_its_eighteen_hooks_are_the_declared_ones(raw: dict[str, Any]) -> None:
    assert len(HOOKS) == 18
    assert raw["hooks"] == [
        {
            "id": identity,
            "module": identity.split("/")[0],
            "script": script,
            "events": events.split(),
            "capabilities": groups,
            "exit_policy": policy,
        }
        for identity, script, events, groups, policy in HOOKS
    ]


def test_its_loop_has_nine_moves_and_five_gates(manifest: Manifest) -> None:
    moves = [
        f"{move.from_state} {move.event} {move.to_state} {move.gate}"
        for move in manifest.loop.transitions
    ]

    assert manifest.loop.initial == "planned"
    assert moves == LOOP.strip().splitlines()
    assert len({move.gate for move in manifest.loop.transitions}) == 5


def test_its_bundles_and_monitors_are_the_declared_ones(raw: dict[str, Any]) -> None:
    assert list(raw["bundles"]) == list(BUNDLES)
    assert raw["bundles"] == {
        name: {"modules": modules.split(), "capabilities": capabilities.split()}
        for name, (modules, capabilities) in BUNDLES.items()
    }
    assert [tuple(entry.values()) for entry in raw["monitors"]] == MONITORS


def test_a_bundle_gives_what_its_modules_give_on_both_hosts(manifest: Manifest) -> None:
    modules = {module.id: module for module in manifest.modules}

    for bundle in manifest.bundles.values():
        given = {c for identity in bundle.modules for c in modules[identity].capabilities}
        assert set(bundle.capabilities) <= given, bundle.name
        covered = {c for identity in bundle.modules for c in modules[identity].hosts.values()}
        assert "unsupported" not in covered, bundle.name


def test_nothing_is_native_on_codex_and_components_are_sorted(manifest: Manifest) -> None:
    for module in manifest.modules:
        assert module.hosts["codex"] != "native"
        assert module.components == sorted(module.components)
        hooks = [hook for hook in manifest.hooks if hook.module == module.id]
        assert bool(hooks) == ("hooks" in module.components), module.id


def test_its_census_is_the_declared_one(manifest: Manifest) -> None:
    groups = Counter(group for hook in manifest.hooks for group in hook.capabilities)
    policies = Counter(hook.exit_policy for hook in manifest.hooks)

    assert groups == {WRITES: 8, REWRITES: 6, PROBES: 6, GATES: 9, RECORDS: 11}
    assert policies == {"observe": 14, "block": 4}


def test_taking_a_declaration_away_is_refused(raw: dict[str, Any]) -> None:
    silent = copy.deepcopy(raw)
    silent["hooks"] = [hook for hook in raw["hooks"] if hook["module"] != "health-kit"]
    harmless = copy.deepcopy(raw)
    harmless["hooks"][3]["capabilities"] = []
    shared = copy.deepcopy(raw)
    shared["modules"][9]["capabilities"].append("policy")

    assert manifest_faults(silent) == [
        'modules[8].components[0]: module "health-kit" declares no hook'
    ]
    assert manifest_faults(harmless) == [
        "hooks[3].capabilities: expected a non-empty list of texts, got an empty list"
    ]
    assert manifest_faults(shared) == [
        'modules[9].capabilities[1]: "policy" belongs to modules[3] already'
    ]


def test_control_another_value_would_be_seen(raw: dict[str, Any]) -> None:
    assert raw["hooks"][0]["exit_policy"] != "block"
    assert raw["modules"] != raw["modules"][::-1]
