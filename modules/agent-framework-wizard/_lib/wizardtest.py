"""What the wizard checks of itself."""

from __future__ import annotations

import os

from _lib.checking import check, spec_fault
from _lib.defence import SCOPES, text_faults
from _lib.question import answer_faults, resolve
from _lib.rendering import PLANS, render_all
from _lib.scaffold import Scaffold, undo

from hpp.core.portable.report import ToolRefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hpp.core.portable.selftest import Checks

    Generate = Callable[..., dict[str, Any]]

__all__ = ["run_checks"]

_STATE = f"{PLANS}/00-STATE.md"


def run_checks(checks: Checks, folder: str, generate: Generate, root: str) -> None:
    """Generate, edit, replace, undo and refuse, in folders of the test's own."""
    out = os.path.join(folder, "one")
    checks.check("a plan writes nothing",
                 generate({}, out)["exit_code"] == 0 and not os.path.exists(out))  # fmt: skip
    checks.check("it is generated", generate({}, out, apply=True)["exit_code"] == 0)
    first = _tree(out)
    again = generate({}, out, apply=True)
    checks.check("a second run does nothing", again["no_op"] and _tree(out) == first)
    checks.check("no placeholder is left", not any(b"{{" in data for data in first.values()))
    checks.check("every agent has its defence",
                 all(not text_faults(data.decode(), os.path.basename(path)[:-3])
                     for path, data in first.items() if "/agents/" in path))  # fmt: skip
    checks.check("the starter spec compiles", not spec_fault(f"{out}/{PLANS}/spec.json"))
    checks.check("a check tells the places to fill", check(out, "s")["exit_code"] == 1)
    _edits(checks, out, generate)
    _refusals(checks, folder, root)
    _interruption(checks, os.path.join(folder, "two"), root)


def _edits(checks: Checks, out: str, generate: Generate) -> None:
    _write(out, _STATE, b"mine\n")
    kept = generate({}, out, apply=True)
    checks.check("an edited file is kept",
                 kept["exit_code"] == 1 and _tree(out)[_STATE] == b"mine\n")  # fmt: skip
    checks.check("an edit keeps the undo from going on", _is_refused(lambda: _undo(out)))
    replaced = generate({}, out, apply=True, replace=True)
    tree = _tree(out)
    checks.check("it is replaced after a backup", tree[_STATE] != b"mine\n" and
                 [tree[path] for path in replaced["backups"]] == [b"mine\n"])  # fmt: skip
    for path in replaced["backups"]:
        os.unlink(os.path.join(out, *path.split("/")))
    _undo(out)
    checks.check("an undo leaves nothing", not os.path.exists(out))


def _refusals(checks: Checks, folder: str, root: str) -> None:
    wrong: dict[str, dict[str, Any]] = {
        "an unknown template": {"documents": ["00-OTHER"]},
        "a template that is a path": {"documents": ["../00-STATE"]},
        "a name that is a path": {"agents": [{"name": "../x", "role": "reader", "purpose": "p"}]},
        "an unknown answer": {"colour": "red"},
        "a value that is a placeholder": {"purpose": "{{approver}}"},
    }
    for what, answers in wrong.items():
        checks.check(f"{what} is refused", bool(answer_faults(answers)))
    checks.check("no answer at all is not", not answer_faults({}))
    swapped = _agent_text(root).replace(SCOPES["reader"], SCOPES["builder"])
    codes = {code for code, _ in text_faults(swapped, "reviewer")}
    checks.check("a scope that its tools contradict is refused", "scope-mismatch" in codes)
    if not hasattr(os, "symlink") or os.name == "nt":
        checks.skip("a link in the folder", "making one needs a privilege here")
        return
    linked = os.path.join(folder, "linked")
    os.mkdir(linked)
    os.symlink(folder, os.path.join(linked, "docs"))
    files = render_all(resolve({})[0], root)
    checks.check("a link in the folder is refused", _is_refused(lambda: Scaffold(linked, files)))


def _interruption(checks: Checks, out: str, root: str) -> None:
    os.mkdir(out)
    _write(out, "mine.txt", b"mine")
    before = _tree(out)
    answers, _ = resolve({})
    head = {"module": "m", "version": "0", "answers": answers, "templates": {}}
    for last in (1, 5, 12, 17):
        left = iter(range(last))

        def stop(left: Any = left) -> None:  # noqa: ANN401 -- an iterator of its own
            if next(left, None) is None:
                raise OSError("the disk is full")

        try:
            Scaffold(out, render_all(answers, root)).apply(head, stop)
            is_stopped = False
        except OSError:
            is_stopped = True
        checks.check(f"a failure at step {last} leaves nothing",
                     is_stopped and _tree(out) == before)  # fmt: skip


def _agent_text(root: str) -> str:
    return render_all(resolve({})[0], root)[".claude/agents/reviewer.md"].decode()


def _undo(out: str) -> None:
    undo(out, keep=False, apply=True)


def _is_refused(call: Callable[[], object]) -> bool:
    try:
        call()
    except ToolRefusedError:
        return True
    return False


def _tree(out: str) -> dict[str, bytes]:
    found = {}
    for folder, names, files in os.walk(out):
        for name in (*names, *files):
            full = os.path.join(folder, name)
            path = os.path.relpath(full, out).replace(os.sep, "/")
            found[path] = b"" if os.path.isdir(full) else _read(full)
    return found


def _read(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read()


def _write(out: str, path: str, data: bytes) -> None:
    with open(os.path.join(out, *path.split("/")), "wb") as stream:
        stream.write(data)
