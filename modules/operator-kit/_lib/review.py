"""A review of one goal: where its criteria are written, and the document with the verdict."""

from __future__ import annotations

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from _lib.measure import Measured

__all__ = ["criteria_of", "file_part", "rendered", "verdict_of"]

PASS, FAIL = "PASS", "FAIL"
_HEADINGS = ("definition of done", "acceptance", "done gate")
_FENCES = ("```", "~~~")
_VERDICT, _GOAL = "- verdict: ", "- goal: "
_LONGEST_PART = 60


def criteria_of(text: str, name: str) -> list[str]:
    """Return the command lines of the first fenced block below a heading of acceptance.

    Raises:
        RefusedError: There is no such block, or it is never closed.

    """
    is_below = False
    fence = ""
    found: list[str] = []
    for raw in text.splitlines():
        line = raw.strip()
        if fence:
            if line.startswith(fence) and not line.strip(fence[0]):
                return [each for each in found if each and not each.startswith("#")]
            found.append(line)
        elif line.startswith(_FENCES):
            if is_below:
                fence = line[: len(line) - len(line.lstrip(line[0]))]
        elif line.startswith("#") and line.lstrip("#")[:1] in ("", " ", "\t"):
            title = line.strip("# \t").casefold()
            is_below = any(words in title for words in _HEADINGS)
    if fence:
        raise RefusedError(f"{name}: the block of criteria is never closed")
    raise RefusedError(f"{name}: no fenced block below one of {', '.join(_HEADINGS)}")


def file_part(goal: str) -> str:
    """Return a goal's id as a part of a file's name."""
    kept = [char if char.isascii() and (char.isalnum() or char in "._-") else "-" for char in goal]
    return "".join(kept).strip(".-")[:_LONGEST_PART] or "goal"


def rendered(goal: str, moment: str, source: str, results: Sequence[Measured]) -> str:
    """Return the document of a review."""
    from hpp.core.portable.redact import shown

    verdict = PASS if results and all(each.passed for each in results) else FAIL
    lines = [
        f"# Review of {_one_line(goal)}", "", f"{_VERDICT}{verdict}", f"{_GOAL}{_one_line(goal)}",
        f"- measured: {moment}", f"- criteria: {_one_line(source)}", "",
        "| criterion | result | exit | seconds |", "|---|---|---|---|",
    ]  # fmt: skip
    for each in results:
        command = _one_line(shown(each.declared.text)).replace("`", "'").replace("|", "\\|")
        result = "passed" if each.passed else "timed out" if each.timed_out else "failed"
        lines.append(f"| `{command}` | {result} | {each.exit} | {each.seconds} |")
    for number, each in enumerate(results, 1):
        if not each.passed and each.tail:
            lines += ["", f"## Output of criterion {number}", ""]
            lines += [f"    {line}" for line in each.tail.splitlines()]
    return "\n".join(lines) + "\n"


def verdict_of(text: str) -> tuple[str, str]:
    """Return goal and verdict of a review; both empty for another document."""
    lines = text.splitlines()[:6]
    if not lines or not lines[0].startswith("# Review of "):
        return "", ""
    found = {prefix: line[len(prefix) :] for line in lines for prefix in (_VERDICT, _GOAL)
             if line.startswith(prefix)}  # fmt: skip
    return found.get(_GOAL, ""), found.get(_VERDICT, "")


def _one_line(text: str) -> str:
    return " ".join(text.split())
