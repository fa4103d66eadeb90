"""``hpp policy test``: a team's own labelled commands, held against the rules."""

from __future__ import annotations

from hpp.cli.policy import policy_in_force
from hpp.core.document import read_input, shown_name
from hpp.core.errors import RefusedError
from hpp.core.output import write_json, write_text
from hpp.core.policy.piece import bounded, masked
from hpp.core.policy.verdict import judge
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Values

__all__ = ["run_labelled"]

_RANK = {"ALLOW": 0, "MANUAL": 1, "BLOCK": 2}
_LONGEST = 120


def run_labelled(values: Values) -> int:
    """Judge every line of a file and report what differs from its label.

    A line is an object with ``cmd``, ``verdict`` and, if it matters, ``rule``. A line that
    is ``debatable`` is right with ``alt_verdict`` and ``alt_rule`` as well.

    Returns:
        0 when every line is right, 1 otherwise.

    """
    cases = _cases(read_input(values.file), shown_name(values.file))
    policy = policy_in_force(values.policy)
    found: list[dict[str, Any]] = []
    for number, case in cases:
        verdict = judge(case["cmd"], policy)
        kind = _difference(case, verdict.action, verdict.rule)
        if kind is not None:
            found.append(
                {
                    "line": number,
                    "kind": kind,
                    "command": masked(case["cmd"], _LONGEST),
                    "expected": {"verdict": case["verdict"], "rule": case.get("rule")},
                    "got": {"verdict": verdict.action, "rule": verdict.rule},
                }
            )
    counts = {kind: sum(f["kind"] == kind for f in found) for kind in _KINDS}
    result = {
        "schema": "hpp.policy-test/v1",
        "lines": len(cases),
        "right": len(cases) - len(found),
        **{name: counts[kind] for kind, name in _KINDS.items()},
        "differences": found,
    }
    write_json(result) if values.json else write_text(_text(result))
    return 1 if found else 0


_KINDS = {"miss": "misses", "false-alarm": "false_alarms", "other-rule": "other_rules"}


def _cases(data: bytes, where: str) -> list[tuple[int, dict[str, Any]]]:
    cases: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        place = f"{where}: line {number}"
        case = parse_bytes(line, place, root=dict)
        if not isinstance(case.get("cmd"), str):
            raise RefusedError(f"{place}: cmd: expected a text")
        bounded(case["cmd"], f"{place}: cmd")
        for key in ("verdict", *(["alt_verdict"] if "alt_verdict" in case else [])):
            if not isinstance(case.get(key), str) or case[key] not in _RANK:
                raise RefusedError(f"{place}: {key}: expected ALLOW, MANUAL or BLOCK")
        for key in ("rule", "alt_rule"):
            if not isinstance(case.get(key, ""), str):
                raise RefusedError(f"{place}: {key}: expected a text")
        cases.append((number, case))
    if not cases:
        raise RefusedError(f"{where}: it holds no labelled command")
    return cases


def _difference(case: dict[str, Any], action: str, rule: str) -> str | None:
    """Return how an answer differs from its label, or None."""
    right = [(case["verdict"], case.get("rule", rule))]
    if case.get("debatable") is True and "alt_verdict" in case:
        right.append((case["alt_verdict"], case.get("alt_rule", rule)))
    if (action, rule) in right:
        return None
    if _RANK[action] < _RANK[case["verdict"]]:
        return "miss"
    return "false-alarm" if _RANK[action] > _RANK[case["verdict"]] else "other-rule"


def _text(result: dict[str, Any]) -> str:
    lines = [_line(found) for found in result["differences"]]
    lines.append(
        f"{result['right']}/{result['lines']} right, {result['misses']} misses,"
        f" {result['false_alarms']} false alarms, {result['other_rules']} by another rule"
    )
    return "\n".join(lines) + "\n"


def _line(found: dict[str, Any]) -> str:
    expected, got = found["expected"], found["got"]
    wanted = " ".join(part for part in (expected["verdict"], expected["rule"]) if part)
    place = f"line {found['line']}: {found['kind']}"
    return f"{place}: expected {wanted}, got {got['verdict']} {got['rule']}: {found['command']}"
