"""The report ``hpp.init-report/v1``: what JSON and text are both made of."""

from __future__ import annotations

import re

from hpp.core.text import utf8_path
from hpp.installer.profilestage import UNCHANGED
from hpp.installer.readiness import readiness
from hpp.installer.shellword import path_word, word
from hpp.installer.stage import FAIL, WARN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hpp.installer.initrun import Request
    from hpp.installer.stage import Stage

__all__ = ["SCHEMA", "ascii_json", "init_line", "report"]

SCHEMA = "hpp.init-report/v1"
HALTED, NO_OP = "halted", "no-op"
_EXITS = {HALTED: 2, FAIL: 1, WARN: 1, NO_OP: 0, "ok": 0}
_PAGES = (
    ("README.md", "what this is and how it is used"),
    ("docs/architecture.md", "what is where, and why"),
    ("CHANGELOG.md", "what changed"),
    ("CONTRIBUTING.md", "how to work on it"),
)


def report(
    request: Request, stages: Mapping[str, Stage], version: str, *, interactive: bool
) -> dict[str, Any]:
    """Return the report of a run."""
    status = _status(stages)
    mode = NO_OP if status == NO_OP else "apply" if request.apply else "plan"
    line = init_line(request, apply=request.apply)
    profile = stages["profile"].detail
    return {
        "schema": SCHEMA,
        "version": version,
        "mode": mode,
        "status": status,
        "exit_code": _EXITS[status],
        "target": utf8_path(request.target),
        "manifest": utf8_path(request.manifest_path),
        "interactive": interactive,
        "stages": [stage.document() for stage in stages.values()],
        "readiness": readiness(stages, line, request.target),
        "writes": profile.get("writes", 0),
        "next": _next(request, stages, status),
        "documentation": _documentation(request),
    }


def _status(stages: Mapping[str, Stage]) -> str:
    kinds = {stage.status for stage in stages.values()}
    if any(stage.halts for stage in stages.values()):
        return HALTED
    for kind in (FAIL, WARN):
        if kind in kinds:
            return kind
    return NO_OP if stages["profile"].detail["action"] == UNCHANGED else "ok"


def init_line(request: Request, *, apply: bool) -> str:
    """Return the command line of a run with every answer as a flag."""
    answers = request.answers
    words = ["hpp init --target", path_word(request.target), "--host", word(answers.host)]
    if "modules" in answers.sources:
        words += ["--modules", word(",".join(answers.modules))]
    else:
        words += ["--bundle", word(answers.bundle)]
    words += ["--policy-mode", answers.policy_mode]
    if answers.decision_advisor != "off":
        words += ["--decision-advisor", answers.decision_advisor]
    line = " ".join(words) + request.manifest_option
    if request.slug_given:
        line += f" --marketplace {word(request.slug)}"
    return line + " --apply" * apply


def _next(request: Request, stages: Mapping[str, Stage], status: str) -> list[str]:
    problems = [problem for stage in stages.values() for problem in stage.problems]
    steps = []
    if status == HALTED:
        halting = next(stage for stage in stages.values() if stage.halts)
        steps += [problem.next_step for problem in halting.problems]
    elif status == NO_OP:
        steps.append("nothing is to do: the profile already says this")
    elif request.apply:
        steps += [
            f"paste what WIRE lists, since no tool does: {stages['wire-suggest'].summary}",
            f"hpp doctor{request.manifest_option}",
        ]
    else:
        steps.append(init_line(request, apply=True))
    steps += [problem.next_step for problem in problems]
    if request.answers.policy_mode == "audit":
        steps.append(
            "the policy mode is audit: verdicts are told and nothing is stopped yet; "
            "--policy-mode enforce changes that"
        )
    return list(dict.fromkeys(steps))


def _documentation(request: Request) -> list[dict[str, str]]:
    """Return the pages beside the manifest, named from the working folder."""
    found = ((request.place.beside(page), note) for page, note in _PAGES)
    return [{"path": path, "note": note} for path, note in found if path is not None]


def ascii_json(data: bytes) -> bytes:
    r"""Return JSON with every character outside of printable ASCII as ``\uXXXX``."""
    return re.sub(r"[^\n -~]", _escaped, data.decode("utf-8")).encode("ascii")


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
