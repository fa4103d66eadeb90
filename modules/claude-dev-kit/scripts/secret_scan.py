#!/usr/bin/env python3
"""Look for secret-like text in files, or in what git is about to commit.

It is the blocking half of the module: run from a commit hook, a hit stops the commit. The
message names file, line, rule and length, and no character of the value.
"""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

import subprocess

from hpp.core.errors import UsageError
from hpp.core.git import git_argv, git_environment
from hpp.core.portable.report import ToolRefusedError, problem, report
from hpp.core.portable.secretwrite import exempt_globs, is_exempt, scan_text
from hpp.core.portable.toolscript import Tool
from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.portable.selftest import Checks

__all__ = ["TOOL"]

SCHEMA = "hpp.secret-scan/v1"
LARGEST = 16 * 1024 * 1024
LISTING_S = 120
_HEAD = 8000
_SKIPPED_FOLDERS = {".git"}
_GIT_NAMES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR")


def _declare(arguments: Arguments) -> None:
    arguments.positional("PATH", required=False, many=True, help="files and folders to look at")
    arguments.flag("--staged", help="look at what git is about to commit, in this repository")


def _run(values: Values) -> dict[str, Any]:
    paths = values.path or []
    if bool(paths) == values.staged:
        raise UsageError("name files or folders, or say --staged")
    return scan(_staged(os.getcwd()) if values.staged else _files(paths), os.getcwd())


def scan(files: Iterator[tuple[str, bytes]], root: str) -> dict[str, Any]:
    """Return the report of some files, given as name and bytes."""
    globs = exempt_globs(os.environ)
    problems: list[dict[str, str]] = []
    counts = {"scanned": 0}
    exempt: list[str] = []
    unscanned: list[dict[str, str]] = []
    for name, data in files:
        if is_exempt(name, root, globs):
            exempt.append(printable(name))
        elif len(data) > LARGEST:
            unscanned.append({"path": printable(name), "why": "larger than 16 MiB"})
        elif b"\0" in data[:_HEAD]:
            unscanned.append({"path": printable(name), "why": "no text"})
        else:
            counts["scanned"] += 1
            problems += _hits(name, data)
    return report(SCHEMA, problems, exempt=exempt, unscanned=unscanned, **counts)


def _hits(name: str, data: bytes) -> list[dict[str, str]]:
    found, _ = scan_text(data.decode("utf-8", "replace"))
    return [
        problem(
            "publish-block", path=f"{printable(name)}:{hit.line}",
            measured=f"secret-like text: {hit.rule}, {hit.length} characters",
            expected="the name of a variable, or a placeholder",
            following="take the value out and replace it where it was issued",
        )
        for hit in found
    ]  # fmt: skip


def _files(paths: list[str]) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        if not os.path.isdir(path):
            yield path, _read(path)
            continue
        for folder, names, files in os.walk(path):
            names[:] = sorted(name for name in names if name not in _SKIPPED_FOLDERS)
            for name in sorted(files):
                full = os.path.join(folder, name)
                if os.path.isfile(full) and not os.path.islink(full):
                    yield full, _read(full)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read(LARGEST + 1)
    except OSError as error:
        raise _refused(path, f"cannot be read: {error.strerror}") from None


def _staged(folder: str) -> Iterator[tuple[str, bytes]]:
    words = ["diff", "--cached", "--name-only", "-z", "--diff-filter=ACMRT", "--no-renames",
             "--no-ext-diff", "--ignore-submodules=all"]  # fmt: skip
    listed = _git(words, folder)
    top = _git(["rev-parse", "--show-toplevel"], folder)
    if listed is None or top is None:
        raise _refused(".", "the index cannot be listed: no repository, or no git")
    for name in listed.split(b"\0"):
        if name:
            shown = os.fsdecode(name)
            blob = _git(["cat-file", "blob", f":{shown}"], os.fsdecode(top.rstrip(b"\r\n")))
            if blob is None:
                raise _refused(printable(shown), "its staged content cannot be read")
            yield shown, blob


def _git(words: list[str], folder: str) -> bytes | None:
    """Return what git prints, or None when it fails.

    Inside of a hook git names the index that it is about to commit, which for ``commit -a``
    is not the one of the repository; so what it says is kept.
    """
    named = {name: os.environ[name] for name in _GIT_NAMES if name in os.environ}
    try:
        done = subprocess.run(
            git_argv(words), cwd=folder, env={**git_environment(), **named},
            stdin=subprocess.DEVNULL, capture_output=True, timeout=LISTING_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return None if done.returncode else done.stdout


def _refused(path: str, measured: str) -> ToolRefusedError:
    return ToolRefusedError(
        problem(
            "unscanned-binary", path=path, measured=measured, expected="a readable file",
            following="a file that cannot be read is not taken for a clean one",
        )
    )  # fmt: skip


def _human(made: dict[str, Any]) -> str:
    if "scanned" not in made:
        return ""
    lines = [f"not scanned {each['path']}: {each['why']}" for each in made["unscanned"]]
    lines += [f"exempt {name}" for name in made["exempt"]]
    lines.append(f"{made['scanned']} scanned, {len(made['problems'])} found")
    return "".join(line + "\n" for line in lines)


def _self_test(checks: Checks, folder: str) -> None:
    shape = "ghp_" + "a1B2" * 9
    leak = f"a = 1\nkey = '{shape}'\n".encode()
    made = scan(
        iter([("leak.py", leak), ("clean.py", b"a = 1\n"), ("x.bin", b"\0" + leak)]), folder
    )
    checks.check("a leak is found and a clean file is none",
                [each["path"] for each in made["problems"]] == ["leak.py:2"])  # fmt: skip
    checks.check("no part of the value is shown", shape[4:12] not in repr(made))
    checks.check("what is no text is named", made["unscanned"][0]["path"] == "x.bin")
    checks.check("a placeholder is let be",
                not scan(iter([("a", b"API_KEY=<your-key>\n")]), folder)["problems"])  # fmt: skip
    try:
        list(_files([os.path.join(folder, "absent")]))
        is_refused = False
    except ToolRefusedError:
        is_refused = True
    checks.check("a file that is not there is refused", is_refused)
    if _git(["init", "-q", folder], folder) is None:
        checks.skip("the index", "git is not on PATH")
        return
    with open(os.path.join(folder, "leak.py"), "wb") as stream:
        stream.write(leak)
    _git(["add", "leak.py"], folder)
    with open(os.path.join(folder, "leak.py"), "wb") as stream:
        stream.write(b"taken out, but still staged\n")
    staged = scan(_staged(folder), folder)
    checks.check("what is staged counts, not what lies there", len(staged["problems"]) == 1)


TOOL = Tool(
    "secret_scan.py",
    "Look for secret-like text in files, or in what is about to be committed.",
    schema=SCHEMA,
    declare=_declare,
    run=_run,
    self_test=_self_test,
    human=_human,
)

if __name__ == "__main__":
    raise SystemExit(TOOL.main(sys.argv[1:]))
