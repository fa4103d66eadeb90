"""What ``--self-test`` is made of: counted checks, and a project that nobody else sees."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

__all__ = ["Checks", "Project"]

_CLEARED = ("CLAUDE_", "HPP_", "LANE_", "GIT_", "GOTCHA_", "CODEX_", "PLUGIN_")
_CLEARED_NAMES = ("CLAUDECODE", "OPERATOR_PROFILE")


class Checks:
    """Counts what holds, prints a line for each check and a closing one.

    The comparisons are ordinary code, so ``python -O`` takes none of them away.

    Args:
        closing: Print ``self-test OK`` last when all is well, and what failed otherwise.
        write: Where lines go; None for standard output.

    """

    def __init__(
        self, *, closing: bool = False, write: Callable[[str], object] | None = None
    ) -> None:
        self._closing = closing
        self._write = write if write is not None else sys.stdout.write
        self.count = 0
        self.failed: list[str] = []
        self.skipped: list[str] = []

    def check(self, what: str, holds: object) -> bool:
        """Note whether something holds, and say so."""
        self.count += 1
        is_well = bool(holds)
        if not is_well:
            self.failed.append(what)
        self._write(f"{'ok' if is_well else 'FAIL'} {what}\n")
        return is_well

    def equal(self, what: str, got: object, wanted: object) -> bool:
        """Note whether two values are the same; a difference is shown."""
        is_well = type(got) is type(wanted) and got == wanted
        return self.check(what if is_well else f"{what}: got {got!r}, wanted {wanted!r}", is_well)

    def raises(self, what: str, error: type[BaseException], call: Callable[[], object]) -> bool:
        """Note whether a call is refused with this kind of error."""
        try:
            call()
        except error:
            return self.check(what, holds=True)
        except Exception as other:  # noqa: BLE001 -- any other is what the check reports
            return self.check(f"{what}: raised {type(other).__name__}", holds=False)
        return self.check(f"{what}: nothing was raised", holds=False)

    def skip(self, what: str, why: str) -> None:
        """Note what could not be checked here; it does not count as passed."""
        self.skipped.append(what)
        self._write(f"skip {what}: {why}\n")

    def finish(self) -> int:
        """Print the closing line and return the exit status: 0, or 1 when a check failed.

        A self-test that checked nothing has failed.
        """
        if not self.count:
            self.failed.append("nothing was checked")
        skipped = f", {len(self.skipped)} skipped" if self.skipped else ""
        total = f"self-test: {self.count} checks, {len(self.failed)} failed{skipped}\n"
        self._write(total)
        if self._closing:
            if not self.failed:
                self._write("self-test OK\n")
            for what in self.failed:
                self._write(f"self-test FAILED: {what}\n")
        return 1 if self.failed else 0


class Project:
    """A temporary project and user for the length of a self-test; a context manager.

    The caller's variables of hosts, modules and git are gone meanwhile, and so are its home
    and working folder; everything is put back at the end.

    Attributes:
        root: The project's folder, an absolute path without links.
        home: The user's folder; state goes below it.

    """

    def __init__(self) -> None:
        self.root = self.home = self._base = ""
        self._environ: dict[str, str] = {}
        self._cwd = ""

    def __enter__(self) -> Self:
        import tempfile

        self._environ = dict(os.environ)
        self._cwd = os.getcwd()
        self._base = os.path.realpath(tempfile.mkdtemp(prefix="hpp-self-test-"))
        self.root = os.path.join(self._base, "project")
        self.home = os.path.join(self._base, "home")
        os.mkdir(self.root)
        os.mkdir(self.home)
        for name in self._environ:
            if name.upper().startswith(_CLEARED) or name.upper() in _CLEARED_NAMES:
                del os.environ[name]
        os.environ.update(
            CLAUDE_PROJECT_DIR=self.root,
            HPP_STATE_DIR=os.path.join(self.home, "state"),
            HOME=self.home,
            USERPROFILE=self.home,
        )
        os.chdir(self.root)
        return self

    def __exit__(self, *_: object) -> None:
        import shutil

        os.chdir(self._cwd)
        os.environ.clear()
        os.environ.update(self._environ)
        shutil.rmtree(self._base, ignore_errors=True)

    def write(self, path: str, text: str) -> str:
        """Write a text file into the project and return its absolute path."""
        place = os.path.join(self.root, *path.split("/"))
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        return place
