"""The verbs of `gotchas.py`; each takes the parsed words and returns the exit status."""

from __future__ import annotations

import os
import sys

from _lib.gotchas_memory import lessons, render
from _lib.ownership import FOREIGN, MISSING, UNANCHORED, owner_of
from _lib.setting import Settings, read_settings
from _lib.taskkey import Task
from _lib.viewreport import behind, health, lesson_report, lessons_report, shown_lesson

from hpp.core.errors import RefusedError
from hpp.core.portable.scriptcli import write_report
from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

__all__ = ["VERBS", "settings_of"]

_MOST_INPUT = 8 * 1024 * 1024


def settings_of(words: Namespace) -> Settings:
    """Return the settings of the project around the working folder."""
    from hpp.core.portable.hookio import Payload, project_root

    here = os.getcwd()
    return read_settings(project_root(Payload({})), here, os.environ, words.store)


def _list(words: Namespace) -> int:
    settings = settings_of(words)
    report = lessons_report(settings, words.now, with_all=words.all)
    lines = [shown_lesson(each, words.now) for each in report["recurring"]]
    lines += [f"[rule] {each['key']}: {each['prevention']}" for each in report["curated"]]
    if report["owner"] == FOREIGN:
        lines.append("foreign: nothing of it is told until a person runs `adopt --apply`")
    _say(words, report, lines or ["no lesson"])
    return 0 if report["recurring"] or report["curated"] else 1


def _show(words: Namespace) -> int:
    found = behind(settings_of(words), words.key)
    lines = []
    for record in found:
        error = str(record.get("error", "")).replace("\n", " | ")
        family, code = record.get("family"), record.get("exit")
        lines.append(f"{record.get('ts')}  {family}  exit {code}  {error}")
    _say(words, {"schema": "gotcha.records/v1", "records": found}, lines or ["no record"])
    return 0 if found else 1


def _preamble(words: Namespace) -> int:
    settings = settings_of(words)
    owner = owner_of(settings.root, settings.store)
    found = []
    if owner not in (MISSING, FOREIGN):
        found = lessons(Task(words.command or "", words.task), settings, words.now)
    text = render(found, words.now, is_verified=owner != UNANCHORED)
    report = {
        "schema": "gotcha.preamble/v1",
        "owner": owner,
        "lessons": [lesson_report(each) for each in found],
        "text": text,
    }
    _say(words, report, text.splitlines() or ["nothing is known about it"])
    return 0 if found else 1


def _seed(words: Namespace) -> int:
    from _lib.curated_store import read_entries

    result, report = _added(words, read_entries(words.file))
    _say(words, report, _seed_lines(report))
    return 1 if result.refused else 0


def _add(words: Namespace) -> int:
    entry: dict[str, Any] = {"key": words.key, "prevention": words.prevention}
    if words.severity is not None:
        entry["severity"] = words.severity
    result, report = _added(words, [entry])
    if result.refused:
        raise RefusedError(result.refused[0][1])
    _say(words, report, _seed_lines(report))
    return 0


def _added(words: Namespace, entries: list[Any]) -> tuple[Any, dict[str, Any]]:
    from _lib.curated_store import add, sort_out
    from _lib.gotchas_memory import curated_entries

    settings = settings_of(words)
    if owner_of(settings.root, settings.store) == FOREIGN:
        raise RefusedError("the memory came with the repository; `adopt` shows what is in it")
    if words.apply:
        result = add(settings, entries, words.now)
    else:
        result = sort_out(entries, curated_entries(settings), words.now)
    report = {
        "schema": "gotcha.seed/v1",
        "applied": words.apply,
        "added": len(result.new),
        "present": len(result.present),
        "refused": [{"entry": place, "why": why} for place, why in result.refused],
        "entries": result.new,
    }
    return result, report


def _seed_lines(report: dict[str, Any]) -> list[str]:
    lines = [f"+ {each['key']}: {each['prevention']}" for each in report["entries"]]
    lines += [f"refused: entry {each['entry']}: {each['why']}" for each in report["refused"]]
    word = "added" if report["applied"] else "would add"
    lines.append(
        f"{word} {report['added']}, present {report['present']}, refused {len(report['refused'])}"
    )
    return lines if report["applied"] else [*lines, "nothing was written; --apply writes it"]


def _forget(words: Namespace) -> int:
    from _lib.curated_store import forget, matching_lines

    settings = settings_of(words)
    if words.apply and owner_of(settings.root, settings.store) not in (MISSING, FOREIGN):
        rules, failures = forget(settings, words.key)
    else:
        rules, failures = map(len, matching_lines(settings, words.key))
    report = {
        "schema": "gotcha.forget/v1", "applied": words.apply, "rules": rules, "failures": failures,
    }  # fmt: skip
    word = "removed" if words.apply else "would remove"
    lines = [f"{word} {rules} rules, archive {failures} failures"]
    _say(words, report, lines if words.apply else [*lines, "nothing was written"])
    return 0 if rules or failures else 1


def _classify(words: Namespace) -> int:
    from _lib.error_strategy import decide
    from _lib.taskkey import safe

    decided = decide(safe(_input()), words.exit)
    _say(words, decided, [f"{decided['family']} {decided['strategy']}: {decided['rationale']}"])
    return 0


def _redact(words: Namespace) -> int:
    from hpp.core.portable.redact import redact

    safe = redact(_input())
    if words.json:
        write_report({"text": safe})
    else:
        sys.stdout.write(safe)
    return 0


def _export_unknown(words: Namespace) -> int:
    from _lib.relabel_store import collect, write_exclusively

    if os.path.lexists(words.out):
        raise RefusedError(f"{words.out}: it is there already, and may hold labels")
    try:
        export = collect(settings_of(words))
    except OSError as error:
        raise RefusedError(f"the memory cannot be read: {error.strerror}") from None
    cases = export.document["cases"]
    if cases:
        write_exclusively(words.out, export.document)
    report = {
        "schema": "gotcha.export/v1",
        "cases": len(cases),
        "skipped_secret": export.skipped_secret,
        "skipped_blank": export.skipped_blank,
        "written": words.out if cases else None,
    }
    line = f"cases {len(cases)}, skipped_secret {export.skipped_secret}"
    _say(words, report, [f"{line}, skipped_blank {export.skipped_blank}"])
    return 0


def _adopt(words: Namespace) -> int:
    settings = settings_of(words)
    if owner_of(settings.root, settings.store) != FOREIGN:
        _say(words, {"schema": "gotcha.adopt/v1", "adopted": False}, ["nothing to adopt"])
        return 1
    shown = lessons_report(settings, words.now, with_all=True)
    if words.apply:
        from _lib.gotchas_store import adopt

        adopt(settings)
    lines = [shown_lesson(each, words.now) for each in shown["recurring"]]
    lines += [f"[rule] {each['key']}: {each['prevention']}" for each in shown["curated"]]
    lines.append("adopted" if words.apply else "nothing was written; --apply adopts it")
    _say(words, {**shown, "schema": "gotcha.adopt/v1", "adopted": words.apply}, lines)
    return 0


def _doctor(words: Namespace) -> int:
    settings = settings_of(words)
    report = health(settings, words.now)
    sizes = ", ".join(f"{name} {size} bytes" for name, size in sorted(report["files"].items()))
    last = report["last_write"]
    lines = [
        f"owner: {report['owner']}",
        f"bad lines: {report['bad_lines']}",
        f"sizes: {sizes or 'nothing'}",
        f"last write: {'never' if last is None else last}",
        f"longest lock wait: {report['longest_lock_wait_seconds']} s",
    ]
    if report["fault"]:
        lines.append(f"fault: {report['fault']}")
    status: int = report.pop("status")
    _say(words, report, lines)
    return status


def _demo(words: Namespace) -> int:
    from _lib.demo import run

    told = run()
    _say(words, {"schema": "gotcha.demo/v1", "steps": told}, told)
    return 0


def _input() -> str:
    data = sys.stdin.buffer.read(_MOST_INPUT + 1)
    if len(data) > _MOST_INPUT:
        raise RefusedError("standard input: larger than 8 MiB")
    return data.decode("utf-8", "replace")


def _say(words: Namespace, report: dict[str, Any], lines: list[str]) -> None:
    if words.json:
        write_report(report)
    else:
        sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))


VERBS = {
    "list": _list, "show": _show, "preamble": _preamble, "seed": _seed, "add": _add,
    "forget": _forget, "classify": _classify, "redact": _redact,
    "export-unknown": _export_unknown, "adopt": _adopt, "doctor": _doctor, "demo": _demo,
}  # fmt: skip
