"""The self-test of the inventory: a small tree whose figures are known."""

from __future__ import annotations

import os

from _lib.inventory import inventory

from hpp.core.errors import RefusedError
from hpp.core.portable.selftest import Checks, Project

__all__ = ["self_test"]

_FILES = {
    "src/main.py": "print()\n",
    "src/api_pb2.py": "x = 1\n",
    "tests/test_main.py": "def test(): ...\n",
    "docs/guide.md": "# Guide\n",
    "pyproject.toml": "[project]\n",
    "Makefile": "all:\n",
    "third_party/lib.c": "int x;\n",
    "table.csv": "a,b\n",
    "node_modules/left/index.js": "x\n",
}
_CLASSES = {
    "code": 2, "test": 1, "docs": 1, "config": 1, "build": 1, "vendored": 1, "data": 1,
}  # fmt: skip


def self_test() -> int:
    """Run the checks on a tree of their own and return the exit status."""
    checks = Checks()
    with Project() as project:
        for path, text in _FILES.items():
            project.write(path, text)
        with open(os.path.join(project.root, "blob"), "wb") as stream:
            stream.write(b"\0\1")
        made = inventory(project.root, 100, 20)
        counts = {name: each["files"] for name, each in made["classes"].items()}
        checks.equal("each file has one class", counts, {**_CLASSES, "other": 1})
        checks.equal("what others left is skipped", made["files"], 9)
        checks.equal("a file with NUL is binary", made["binary"]["files"], 1)
        checks.equal("the manifest is found", made["manifests"], ["pyproject.toml"])
        checks.equal(
            "the entry points are found", made["entry_points"], ["Makefile", "src/main.py"]
        )
        checks.equal(
            "what a program wrote is found", made["generated"]["first"], ["src/api_pb2.py"]
        )
        checks.equal("nothing was unreadable", made["unreadable"], [])
        checks.equal("twice gives the same", inventory(project.root, 100, 20), made)
        few = inventory(project.root, 3, 20)
        checks.equal("a limit is declared", few["limit"],
                     {"max_files": 3, "reached": True, "beyond": 6})  # fmt: skip
        checks.equal("and counted up to", few["files"], 3)
        missing = os.path.join(project.root, "no")
        checks.raises("a folder that is not there", RefusedError, lambda: inventory(missing, 1, 1))
        try:
            os.symlink(project.root, os.path.join(project.root, "loop"))
        except (OSError, NotImplementedError):
            checks.skip("a link is not followed", "the system makes no links here")
        else:
            linked = inventory(project.root, 100, 20)
            checks.equal("a link is not followed", (linked["files"], linked["links"]), (9, 1))
    return checks.finish()
