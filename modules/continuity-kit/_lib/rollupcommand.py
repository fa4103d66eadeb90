"""The verbs of doc_rollup.py."""

from __future__ import annotations

import json
import os
import sys

from _lib.rollup_store import processed
from _lib.rollupinput import read_config, read_payload

from hpp.core.errors import RefusedError
from hpp.core.portable import hookio
from hpp.core.portable.scriptcli import make_parser, write_report
from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from hpp.core.portable.selftest import Checks

__all__ = ["check", "parser", "run"]

_TROUBLES = ("full", "unreadable", "changed", "error")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = make_parser("doc_rollup.py", "Write a session into the documents of its project.")
    verbs = made.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, said in (("plan", "say what would be written"), ("apply", "write it")):
        verb = verbs.add_parser(name, help=said, description=said)
        verb.add_argument("--stdin", action="store_true", required=True, help="the payload")
        verb.add_argument("--config", metavar="FILE", required=True)
        verb.add_argument("--json", action="store_true", help="print one JSON object")
    return made


def run(values: argparse.Namespace) -> int:
    """Answer a parsed command line."""
    project = hookio.project_root(hookio.Payload({}))
    payload = read_payload(sys.stdin.buffer.read())
    targets = read_config(values.config, project, payload["date"])
    is_applied = values.verb == "apply"
    rows = [processed(target, payload, project, is_applied=is_applied) for target in targets]
    if values.json:
        write_report({"schema": "hpp.rollup-report/v1", "targets": rows})
    for row in () if values.json else rows:
        more = "".join(f" ({row[key]})" for key in ("reason", "backup") if row[key])
        sys.stdout.write(printable(f"{row['status']} {row['path']}{more}") + "\n")
    return 1 if any(row["status"] in _TROUBLES for row in rows) else 0


def check(checks: Checks, root: str) -> None:
    """Check each mode, the guards, and that a plan writes nothing."""
    _put(root, "CHANGELOG.md", "# Changes\r\n\r\nold\r\n")
    _put(root, "SNAP.md", "top\n")
    _put(root, "BAD.md", "\udcff")
    targets = [
        _target("CHANGELOG.md", "changelog", "prepend-after-header"),
        _target("LOG.md", "state-log", "append-section"),
        _target("wrap/{date}.md", "session-wrapup", "create-new"),
        _target("SNAP.md", "snapshot", "header-and-section"),
        _target("BAD.md", "learnings", "append-section"),
        _target("MIRROR.md", "mirror-passive", "append-section"),
    ]
    config = os.path.join(root, "rollup.json")
    repos = [{"name": "here", "root": ".", "targets": targets}]
    _put(root, "rollup.json", json.dumps({"schema": "hpp.rollup-config/v1", "repos": repos}))

    plan = _rows(root, config, "s-1", is_applied=False)
    checks.equal("the plan names every verb", plan, [
        "would-prepend", "would-create", "would-create", "would-update-section", "unreadable",
        "skipped-passive",
    ])  # fmt: skip
    checks.check("and writes nothing", not os.path.exists(os.path.join(root, "LOG.md")))
    done = _rows(root, config, "s-1", is_applied=True)
    checks.equal("apply does it", done, [
        "applied:prepend", "created", "created", "applied:update-section", "unreadable",
        "skipped-passive",
    ])  # fmt: skip
    again = _rows(root, config, "s-1", is_applied=True)[:4]
    checks.equal("a session is written once", again, [
        "skipped-collision", "skipped-collision", "skipped-exists", "skipped-collision",
    ])  # fmt: skip
    text = _get(root, "CHANGELOG.md")
    checks.check("line ends stay", "\n" not in text.replace("\r\n", ""))
    checks.equal("CONTROL an unreadable file keeps its bytes", _get(root, "BAD.md"), "\udcff")
    checks.raises(
        "CONTROL a date that is none is refused", RefusedError,
        lambda: read_payload(b'{"session_marker": "s-1", "summary": "x", "date": "../../x"}'),
    )  # fmt: skip


def _rows(root: str, config: str, marker: str, *, is_applied: bool) -> list[str]:
    payload = {"session_marker": marker, "summary": "Done.", "date": "2026-05-01"}
    given = read_payload(json.dumps(payload).encode())
    targets = read_config(config, root, given["date"])
    return [
        str(processed(target, given, root, is_applied=is_applied)["status"]) for target in targets
    ]


def _target(path: str, role: str, mode: str) -> dict[str, Any]:
    return {"path": path, "role": role, "mode": mode, "template": "## {date}\n{summary}"}


def _put(root: str, name: str, text: str) -> None:
    with open(os.path.join(root, name), "wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))


def _get(root: str, name: str) -> str:
    with open(os.path.join(root, name), "rb") as file:
        return file.read().decode("utf-8", "surrogateescape")
