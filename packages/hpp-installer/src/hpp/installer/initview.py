"""The text form of a report: what a person reads at a terminal of any width."""

from __future__ import annotations

import time

from hpp.core.text import printable
from hpp.installer.stage import STAGES, counted
from hpp.installer.wiring import is_to_paste
from hpp.installer.wordmark import wordmark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from hpp.installer.stage import Stage
    from hpp.installer.terminal import Terminal

__all__ = ["InitView"]

_BLINK_S = 0.02  # three of them for each stage: under a tenth of a second
_NAME_WIDTH = max(map(len, STAGES)) + 2
_GLYPHS = {"ok": "✓", "warn": "!", "fail": "✗", "skipped": "·"}
_ITEM_GLYPHS = {"verified": "✓", "failed": "✗", "not-verified": "·"}
_TITLES = {"plan": "PLAN", "apply": "APPLIED", "no-op": "NO-OP"}
_UNMEASURED = "not verified — "


class InitView:
    """Writes a run as it goes, and its report at the end.

    Args:
        terminal: Where.

    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._paint = terminal.paint

    # -------------------------------------------------------------- while it runs

    def header(self, version: str, target: str, *, apply: bool) -> None:
        """Write what this run is."""
        mode = "apply" if apply else "plan"
        paint, shown = self._paint, printable(target)
        plain = f"hpp init {version} · {mode} · {shown}"
        if len(plain) >= self._terminal.width:
            self._lines([paint.strong(f"hpp init {version} · {mode}"), shown, ""])
            return
        painted = [paint.accent(f"hpp init {version}"), paint.strong(mode), shown]
        self._lines([paint.muted(" · ").join(painted), ""])

    def begin(self, name: str) -> None:
        """Show that a stage runs, on a terminal whose lines can be rewritten."""
        if not self._terminal.is_live:
            return
        for cursor in "▸ ▸":
            self._terminal.write(f"\r {self._paint.accent(cursor)}  {name}")
            time.sleep(_BLINK_S)

    def end(self, stage: Stage) -> None:
        """Write the line of a stage that ended."""
        start = "\r" if self._terminal.is_live else ""
        self._terminal.write(start)
        self._lines(self._stage_lines(stage))

    def _stage_lines(self, stage: Stage) -> list[str]:
        glyph = self._terminal.glyph(_GLYPHS[stage.status])
        head = f" {glyph:<2} {stage.name:<{_NAME_WIDTH}}"
        told = self._terminal.fold(printable(stage.summary), " " * len(head), head)
        first = told[0][len(head) :]
        painted = f" {self._status(stage.status)(f'{glyph:<2}')} {stage.name:<{_NAME_WIDTH}}"
        muted = [self._paint.muted(line) for line in (first, *told[1:])]
        return [painted + muted[0], *muted[1:]]

    def _status(self, status: str) -> Callable[[str], str]:
        paint = self._paint
        return {
            "ok": paint.good,
            "warn": paint.caution,
            "fail": paint.bad,
            "verified": paint.good,
            "failed": paint.bad,
        }.get(status, paint.muted)

    # -------------------------------------------------------------- at the end

    def report(self, report: Mapping[str, Any]) -> None:
        """Write every section of a report."""
        stages = {stage["stage"]: stage for stage in report["stages"]}
        sections = [
            ("READINESS", self._readiness(report["readiness"])),
            (_TITLES[report["mode"]], self._profile(report, stages)),
            ("MODULES", self._modules(stages)),
            ("HOOK CAPABILITIES", self._hooks(stages)),
            ("WIRE", self._wire(stages)),
            ("PROBLEMS", self._problems(report)),
            ("NEXT", self._next(report)),
            ("DOCUMENTATION", self._documentation(report)),
        ]
        for title, lines in sections:
            told = list(lines)
            if told or title not in ("PROBLEMS", "DOCUMENTATION"):
                self._lines(["", self._title(title), *told])
        halted = report["status"] == "halted"
        mark = [] if halted else ["", *wordmark(self._terminal)]
        self._lines([*mark, "", *self._closing(report)])

    def _title(self, title: str) -> str:
        rule = "─" * max(self._terminal.width - len(title) - 3, 3)
        return f"{self._paint.strong(title)} {self._paint.muted(rule)}"

    def _readiness(self, ready: Mapping[str, Any]) -> Iterator[str]:
        cells = ready["cells"]
        paint = self._paint
        bar = (
            paint.good("█" * cells["verified"])
            + paint.bad("▓" * cells["failed"])
            + paint.muted("░" * cells["not-verified"])
        )
        counts = (
            f"{ready['verified']} verified · {ready['failed']} failed · "
            f"{ready['not_verified']} not verified, of {ready['total']}"
        )
        length = sum(cells.values())
        if self._terminal.width > length + len(counts) + 4:
            yield f" {bar}  {counts}"
        else:
            yield f" {bar}"
            yield from self._prose(counts)
        for item in ready["items"]:
            yield from self._item(item)

    def _item(self, item: Mapping[str, str]) -> Iterator[str]:
        glyph = self._terminal.glyph(_ITEM_GLYPHS[item["status"]])
        evidence = item["evidence"]
        if item["status"] == "not-verified":
            evidence = _UNMEASURED + evidence.removeprefix("not checked: ")
        head = f" {glyph:<2} "
        name = f"{item['id']:<14}"
        told = self._terminal.fold(printable(evidence), " " * 18, head + name)
        painted = f" {self._status(item['status'])(f'{glyph:<2}')} {self._paint.strong(name)}"
        yield painted + told[0][len(head + name) :]
        yield from told[1:]
        yield from self._command(item["command"], "    ")

    def _profile(self, report: Mapping[str, Any], stages: Mapping[str, Any]) -> Iterator[str]:
        stage = stages["profile"]
        detail = stage["detail"]
        yield from self._prose(stage["summary"])
        for key, value in detail.get("answers", {}).items():
            shown = ", ".join(value) if isinstance(value, list) else value
            source = detail["sources"].get(key, detail["sources"].get("bundle", ""))
            yield from self._pair(key.replace("_", " "), shown, source, width=16)
        if detail.get("pending_defaults"):
            names = ", ".join(name.replace("_", " ") for name in detail["pending_defaults"])
            yield from self._prose(f"nobody was asked about: {names}")
        for line in stages["detect"]["detail"]["existing_config"]:
            yield from self._prose(line, "    ", f" {self._terminal.glyph('·'):<2} ")
        yield from self._prose(f"{counted(report['writes'], 'file')} written by this run")

    def _modules(self, stages: Mapping[str, Any]) -> Iterator[str]:
        detail = stages["configure"]["detail"]
        for row in detail.get("modules", []):
            checksum = row["checksum"]
            told = {
                "verified": f"{checksum.get('files')} files verified",
                "mismatch": "; ".join(checksum.get("failures", [])),
                "not-verified": _UNMEASURED + checksum.get("reason", ""),
            }[checksum["status"]]
            status = {"verified": "verified", "mismatch": "failed"}.get(checksum["status"], "")
            glyph = self._terminal.glyph({"verified": "✓", "failed": "✗"}.get(status, "·"))
            name = f"{row['id']} {row['version']}"
            yield from self._marked(glyph, self._status(status), name)
            yield from self._prose(f"{row['integration']} · {told}", "    ")
        if not detail:
            yield from self._prose(_UNMEASURED + stages["configure"]["summary"])

    def _hooks(self, stages: Mapping[str, Any]) -> Iterator[str]:
        detail = stages["wire-suggest"]["detail"]
        if not detail:
            yield from self._prose(_UNMEASURED + stages["wire-suggest"]["summary"])
        elif not detail["hook_capabilities"]:
            yield from self._prose("no hook: the chosen modules declare none")
        for row in detail.get("hook_capabilities", []):
            policy = f"{row['exit_policy']} on {', '.join(row['events'])}: "
            yield from self._marked(self._terminal.glyph("▸"), self._paint.accent, row["id"])
            yield from self._prose(policy + ", ".join(row["capabilities"]), "    ")

    def _wire(self, stages: Mapping[str, Any]) -> Iterator[str]:
        detail = stages["wire-suggest"]["detail"]
        if not detail:
            yield from self._prose(_UNMEASURED + stages["wire-suggest"]["summary"])
        # Lines to paste stand at the margin and are never folded.
        for line in detail.get("lines", []):
            if is_to_paste(line):
                yield self._paint.accent(printable(line))
            else:
                folded = self._terminal.fold(printable(line.removeprefix("# ")), "# ", "# ")
                yield from map(self._paint.muted, folded)

    def _problems(self, report: Mapping[str, Any]) -> Iterator[str]:
        for stage in report["stages"]:
            for problem in stage["problems"]:
                glyph = self._terminal.glyph(_GLYPHS[stage["status"]])
                name = f"{problem['label']} ({stage['stage']})"
                yield from self._marked(glyph, self._status(stage["status"]), name)
                for key in ("measured", "expected"):
                    yield from self._pair(key, problem[key], indent="    ")
                yield from self._pair("next", problem["next_step"], indent="    ")

    def _next(self, report: Mapping[str, Any]) -> Iterator[str]:
        for step in report["next"]:
            if step.startswith("hpp "):
                yield from self._command(step, "  ")
            else:
                yield from self._prose(step, "    ", f" {self._terminal.glyph('▸'):<2} ")

    def _documentation(self, report: Mapping[str, Any]) -> Iterator[str]:
        for page in report["documentation"]:
            yield from self._pair(page["path"], page["note"], width=20)

    def _closing(self, report: Mapping[str, Any]) -> list[str]:
        code = report["exit_code"]
        if report["status"] == "halted":
            return [self._paint.alarm(f"halted: nothing was written (exit {code})")]
        done = "one file was written" if report["writes"] else "nothing was written"
        told = {
            "ok": done,
            "no-op": f"nothing to do; {done}",
            "warn": f"something needs a look; {done}",
            "fail": f"a control failed; {done}",
        }[report["status"]]
        status = "ok" if report["status"] == "no-op" else report["status"]
        return [self._status(status)(f"{told} (exit {code})")]

    # -------------------------------------------------------------- pieces

    def _marked(self, glyph: str, paint: Callable[[str], str], name: str) -> list[str]:
        """Return a name that stands out, after its mark."""
        first, *rest = self._terminal.fold(printable(name), " " * 4, f" {glyph:<2} ")
        strong = self._paint.strong
        return [f" {paint(f'{glyph:<2}')} {strong(first[4:])}", *map(strong, rest)]

    def _prose(self, text: str, indent: str = "  ", first: str | None = None) -> list[str]:
        return self._terminal.fold(printable(text), indent, first)

    def _pair(
        self, key: str, value: str, source: str = "", indent: str = "  ", width: int = 10
    ) -> list[str]:
        told = f"{value} ({source})" if source else value
        head = f"{indent}{key:<{width}} "
        if len(head) > self._terminal.width // 2:
            names = map(self._paint.muted, self._prose(key, indent, indent))
            return [*names, *self._prose(told, indent + "  ")]
        lines = self._terminal.fold(printable(told), " " * len(head), head)
        return [self._paint.muted(head) + lines[0][len(head) :], *lines[1:]]

    def _command(self, command: str, indent: str) -> list[str]:
        """Return a command on a line of its own, never folded: it is there to be copied."""
        return [f"{indent}{self._paint.muted('$')} {printable(command)}"]

    def _lines(self, lines: list[str]) -> None:
        self._terminal.write("".join(f"{line.rstrip()}\n" for line in lines))
