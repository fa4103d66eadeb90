#!/usr/bin/env python3
"""One line about the project for the host's status line, read from files alone."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST_INPUT = 1024 * 1024
_PATIENCE_S = 0.1


def main() -> int:
    """Print the line, or with ``--panel`` a line a segment; the status is always 0."""
    if "--self-test" in sys.argv[1:]:
        return self_test()
    separator = "\n" if "--panel" in sys.argv[1:] else " | "
    try:
        line = separator.join(parts(_host_input()))
    except Exception as error:  # noqa: BLE001 -- a status line has nobody to fail for
        line = f"statusline:ERR {type(error).__name__}"
    try:
        sys.stdout.buffer.write(line.encode(_encoding(), "replace") + b"\n")
        sys.stdout.buffer.flush()
    except OSError:
        return 0
    return 0


def parts(host: dict[str, Any]) -> list[str]:
    """Return the segments that have something to say, in the order that the person set."""
    import time

    from _lib.segment import DEFAULT, SEGMENTS, View, clean
    from _lib.setting import read_profile

    from hpp.core.errors import RefusedError

    root = _root(host)
    said = []
    profile: dict[str, Any] = {}
    try:
        profile = read_profile(root, root, os.environ)
    except RefusedError:
        said.append("profile:ERR")
    names = _names(profile, DEFAULT)
    is_wide = _encoding().replace("-", "").lower() == "utf8"
    view = View(root, profile, time.time(), is_wide=is_wide)
    for name in names:
        if name not in SEGMENTS:
            continue
        try:
            text = SEGMENTS[name](view)
        except Exception:  # noqa: BLE001 -- one segment stops no other
            text = f"{name}:ERR"
        if text:
            said.append(clean(text, 400))
    return said


def _names(profile: dict[str, Any], default: tuple[str, ...]) -> list[str]:
    line = profile.get("statusline")
    given = line.get("segments") if isinstance(line, dict) else None
    return [str(name) for name in given] if isinstance(given, list) else list(default)


def _root(host: dict[str, Any]) -> str:
    """Return the project's folder: as the host names it, else above where the agent stands."""
    given = host.get("workspace")
    workspace: dict[str, Any] = given if isinstance(given, dict) else {}
    for place in (workspace.get("project_dir"), os.environ.get("CLAUDE_PROJECT_DIR")):
        if _is_folder(place):
            return str(place)
    for place in (workspace.get("current_dir"), host.get("cwd")):
        if _is_folder(place):
            return _top(str(place))
    return _top(os.getcwd())


def _is_folder(place: object) -> bool:
    return isinstance(place, str) and bool(place) and "\0" not in place and os.path.isdir(place)


def _top(start: str) -> str:
    """Return the nearest folder with a ``.git`` from here upward; without one, this one."""
    from hpp.core.worktree import worktree_top

    folder = os.path.abspath(start)
    return worktree_top(folder) or folder


def _host_input() -> dict[str, Any]:
    """Return what the host says of the session; nothing when it says nothing in time."""
    import threading

    if sys.stdin is None or sys.stdin.isatty():
        return {}
    pieces: list[bytes] = []
    handle = sys.stdin.fileno()

    def take() -> None:
        size = 0
        while size <= _MOST_INPUT:
            piece = os.read(handle, _MOST_INPUT)
            if not piece:
                return
            size += len(piece)
            pieces.append(piece)

    reader = threading.Thread(target=take, daemon=True)
    reader.start()
    reader.join(_PATIENCE_S)
    from hpp.core.errors import RefusedError
    from hpp.core.strictjson import parse_bytes

    data = b"".join(pieces)
    try:
        return dict(parse_bytes(data, "input", root=dict)) if len(data) <= _MOST_INPUT else {}
    except RefusedError:
        return {}


def _encoding() -> str:
    return sys.stdout.encoding or "ascii"


def self_test() -> int:
    """Check each segment, and that an old cache is not shown as a current one."""
    from _lib.linetrial import check_line

    from hpp.core.portable.selftest import Checks, Project

    checks = Checks(closing=True)
    with Project() as project:
        check_line(checks, project, lambda: parts({"cwd": project.root}))
    return checks.finish()


if __name__ == "__main__":
    raise SystemExit(main())
