"""Run a self-test in a project of its own that goes away."""

from __future__ import annotations

import sys

from hpp.core.portable.selftest import Checks, Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["check_itself"]


def check_itself(self_test: Callable[[Checks, str], None]) -> int:
    """Run checks in a fresh folder and return the exit status.

    Args:
        self_test: Adds checks; it is given the folder.

    """
    sys.dont_write_bytecode = True
    checks = Checks()
    with Project() as project:
        self_test(checks, project.root)
    return checks.finish()
