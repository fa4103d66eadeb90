"""The self-test of the briefs: each refusal beside a call that succeeds."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from hpp.core.portable.selftest import Checks, Project

__all__ = ["self_test"]

_NO, _REFUSED, _USAGE = 1, 2, 3


def self_test(script: str, root: str) -> int:
    """Run the checks in a project of their own and return the exit status."""
    checks = Checks()
    with Project() as project:
        _fill(project, root)

        def call(*words: str) -> tuple[int, str, str]:
            done = subprocess.run(
                [sys.executable, script, *words], cwd=project.root, stdin=subprocess.DEVNULL,
                capture_output=True, timeout=30, check=False,
            )  # fmt: skip
            return done.returncode, done.stdout.decode(), done.stderr.decode()

        def expect(what: str, status: int, *words: str) -> None:
            got, _, told = call(*words)
            checks.check(what if got == status else f"{what}: {got}, {told}", got == status)

        brief = ("brief", "--role", "dev", "--goal", "it works")
        expect("a brief", 0, *brief, "--acceptance", "make test", "--paths", "src")
        expect("a brief without acceptance is refused", _REFUSED, *brief)
        expect("a blank acceptance is refused", _REFUSED, *brief, "--acceptance", " ")
        outside = (*brief, "--acceptance", "make", "--paths", "../x")
        expect("a path outside is refused", _REFUSED, *outside)
        expect("a role that is none is refused", _REFUSED, "route", "--role", "poet")
        expect("a verb that is none", _USAGE, "sing")
        expect("risk can be raised", 0, "route", "--role", "sm", "--risk", "high")
        expect("risk cannot be lowered", _NO, "route", "--role", "qa", "--risk", "low")
        expect("a context", 0, "context", "--role", "qa", "--root", ".")
        key = "-----BEGIN " + "PRIVATE KEY-----"
        project.write(".squad/story.md", f"Use {key}\n")
        status, said, told = call("context", "--role", "qa", "--root", ".")
        checks.equal("secret-like text is refused", status, _REFUSED)
        checks.check("and it is not repeated", key not in said + told)
        recipe = [{"source": "s", "priority": 1, "path": "../up", "max_chars": 9}]
        path = project.write("r.json", json.dumps(recipe))
        context = ("context", "--role", "qa", "--root", ".", "--recipe", path)
        expect("a path of a recipe that climbs is refused", _REFUSED, *context)
        story = project.write("s.md", "## Story\n\nIt is fine.\n")
        expect("a form without its headings", _NO, "form", "--template", "story", story)
    return checks.finish()


def _fill(project: Project, root: str) -> None:
    """Write what the recipes read."""
    for name in ("story.md", "acceptance.md", "touched.md"):
        project.write(f".squad/{name}", f"{name} of {os.path.basename(root)}\n")
