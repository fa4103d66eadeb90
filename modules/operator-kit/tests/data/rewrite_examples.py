#!/usr/bin/env python3
"""Run the commands that the module's pages show, and hold the pages to what came out.

    rewrite_examples.py ROOT [--check] PAGE...

Every ``$ command`` of a ``console`` block runs in ROOT; standard error is shown with standard
output, as a person sees it. A page is rewritten when its output or its stamp differs; with
--check it is named instead, and the exit status is 1. Times are not compared.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

_BLOCK = re.compile(
    r"```console\n(.*?)```\n(<!-- executed: [0-9-]+ · exit=)?([0-9]+)?([^\n]*-->\n)?", re.DOTALL
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_STAMP = "<!-- executed: {} · exit={}"


def rewritten(text: str, root: Path) -> str:
    """Return a page with the output that its commands give now."""
    return _BLOCK.sub(lambda found: _block(found, root), text)


def _block(found: re.Match[str], root: Path) -> str:
    lines, status = [], 0
    for line in found.group(1).splitlines():
        if line.startswith("$ "):
            output, status = _ran(line[2:], root)
            lines += [line, *output.splitlines()]
    made = "".join(f"{line}\n" for line in lines)
    if _TIME.sub("TIME", made) == _TIME.sub("TIME", found.group(1)):
        made = found.group(1)
    if not found.group(2):
        return f"```console\n{made}```\n{found.group(4) or ''}"
    stamp = f"{found.group(2)}{status}"
    if made != found.group(1) or str(status) != found.group(3):
        stamp = _STAMP.format(time.strftime("%Y-%m-%d", time.gmtime()), status)
    return f"```console\n{made}```\n{stamp}{found.group(4)}"


def _ran(command: str, root: Path) -> tuple[str, int]:
    words = [word.replace("${CLAUDE_PLUGIN_ROOT}", str(root)) for word in shlex.split(command)]
    words[0] = sys.executable if words[0] == "python3" else words[0]
    hidden = ("CLAUDE", "HPP_", "CODEX_", "OPERATOR_", "LANE_")
    around = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    done = subprocess.run(
        words, cwd=root, env=around, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=60, check=False,
    )  # fmt: skip
    return done.stdout.decode().replace(str(root), "${CLAUDE_PLUGIN_ROOT}"), done.returncode


def main(words: list[str]) -> int:
    """Answer one command line."""
    is_check = "--check" in words
    root, *pages = [Path(word).resolve() for word in words if word != "--check"]
    different = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        made = rewritten(text, root)
        if made != text:
            different.append(
                page.name if page.parent == root else f"{page.parent.name}/{page.name}"
            )
            if not is_check:
                page.write_bytes(made.encode("utf-8"))
    sys.stdout.write("".join(f"{name}\n" for name in different))
    return 1 if is_check and different else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
