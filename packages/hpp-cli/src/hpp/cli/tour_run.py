"""The steps of the tour, and what each of them answered."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile

from hpp.core.errors import RefusedError
from hpp.core.git import git
from hpp.core.manifest import packaged_manifest_path
from hpp.core.runner import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

__all__ = ["Step", "Transcript", "take_tour"]

_LIMIT_S = 60
_KEEP = 1024 * 1024
_WORK = "greeting"
_REVIEW = ".hpp/review.json"
_CRITERION = '''\
"""The criterion: write the greeting, then say whether it is the one that was asked for."""

import pathlib
import sys

out = pathlib.Path("out")
out.mkdir(exist_ok=True)
text = "hello\\n" if "--break" not in sys.argv else "goodbye\\n"
(out / "greeting.txt").write_text(text, encoding="utf-8")
sys.exit(0 if text == "hello\\n" else 1)
'''


class Step:
    """One command of the tour and its answer."""

    __slots__ = ("argv", "exit", "expected_exit", "stderr", "stdout", "title")

    def __init__(self, title: str, argv: list[str], expected_exit: int) -> None:
        self.title = title
        self.argv = argv
        self.expected_exit = expected_exit
        self.exit: int | None = None
        self.stdout = ""
        self.stderr = ""

    @property
    def as_expected(self) -> bool:
        """Say whether the command ended as it should."""
        return self.exit == self.expected_exit

    def shown_command(self) -> str:
        """Return the command line as a person would type it in a POSIX shell."""
        import shlex

        return shlex.join(self.argv)

    def document(self) -> dict[str, Any]:
        """Return the step as the JSON transcript has it."""
        return {name: getattr(self, name) for name in self.__slots__}


class Transcript:
    """The steps that were taken and the state the work ended in."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.state = "unknown"

    @property
    def passed(self) -> bool:
        """Say whether every step ended as it should, and the work verified."""
        return self.state == "verified" and all(step.as_expected for step in self.steps)

    def document(self) -> dict[str, Any]:
        """Return the transcript as ``hpp.tour/v1``."""
        return {
            "schema": "hpp.tour/v1",
            "steps": [step.document() for step in self.steps],
            "state": self.state,
            "passed": self.passed,
        }


def take_tour() -> Transcript:
    """Run every step and return the transcript.

    Raises:
        UsageError: A distribution that the tour shows is not installed.
        RefusedError: git is missing.

    Side effects:
        A temporary folder that is gone when the call returns.

    """
    from hpp.cli.registry import find_command

    find_command("evidence")  # says how to install it
    with tempfile.TemporaryDirectory(prefix="hpp-tour-") as name:
        # The real path, since that is the one the commands print; the name is recorded.
        folder = os.path.join(os.path.realpath(name), _WORK)
        os.mkdir(folder)
        _make_repository(folder)
        with _python_on_path() as python:
            return _Guide(folder, python).walk()


class _Guide:
    """Takes the steps one by one; a step may use what an earlier one printed."""

    def __init__(self, folder: str, python: str) -> None:
        self.folder = folder
        self.python = python
        self.transcript = Transcript()

    def walk(self) -> Transcript:
        self._begin()
        record = self._prove()
        self._tamper(record)
        self._finish()
        self._approve()
        return self.transcript

    def _begin(self) -> None:
        self._hpp("The installation is sound", "doctor")
        self._event("Work that never began cannot be verified", "verified", expect=2)
        self._event("The work begins", "work_started", actor="maker")
        self._hpp("After an interruption, the log says what comes next", "resume")

    def _prove(self) -> str:
        self._run_criterion("A criterion that fails records no event", "--break", expect=1)
        passed = self._run_criterion("One that passes is recorded and moves the work")
        record = str(_answer(passed).get("record_path", ""))
        self._hpp("The record still holds against the files on disk", "evidence", "verify", record)
        return record

    def _tamper(self, record: str) -> None:
        verify = ("evidence", "verify", record)
        with self._changed(record, b'"verdict": "passed"', b'"verdict":  "passed"'):
            self._hpp("Spacing in the record is not its meaning", *verify)
        with self._changed(record, b'"exit_code": 0', b'"exit_code": 1'):
            self._hpp("An edited record is blocked", *verify, expect=2)
        with self._changed("out/greeting.txt", b"hello", b"hallo"):
            self._hpp("So is a changed artifact, be it one byte", *verify, expect=2)
        self._hpp("With the bytes back it is valid again", *verify)

    def _finish(self) -> None:
        self._event("A checker who changed nothing passes it", "check_passed", actor="checker")
        self._event("A person approves it", "human_approved", actor="person")
        self._event("Only now may it close", "verified", actor="maker")
        self._hpp("The log is the one that was appended", "event", "verify")
        last = self._hpp("Where the work stands", "status", "--json")
        self.transcript.state = str(_answer(last).get("state", "unknown"))

    def _approve(self) -> None:
        self._attest("Who made it cannot be the one who checked it", "Maker", expect=2)
        self._attest("Somebody else binds the verdict to these very bytes", "checker")
        verify = ("attest", "verify", _REVIEW)
        self._hpp("The approval holds for what is checked out", *verify)
        with self._changed("check.py", b"goodbye", b"goodbyE"):
            self._hpp("One changed byte anywhere, and it is blocked", *verify, expect=2)
        # From outside, since the gate runs no code that the judged tree could shadow.
        outside, name = os.path.split(self.folder)
        title = "Asked from outside the repository: may all of this advance?"
        self._hpp(title, "gate", "--repo", name, cwd=outside)

    def _attest(self, title: str, checker: str, *, expect: int = 0) -> Step:
        actors = ("--maker", "maker", "--checker", checker, "--session", "review-1")
        words = ("--spec", "check.py", *actors, "--verdict", "approved", "--output", _REVIEW)
        return self._hpp(title, "attest", "create", *words, expect=expect)

    def _event(self, title: str, kind: str, *, actor: str = "", expect: int = 0) -> Step:
        words = ["event", "append", "--type", kind]
        if actor:
            words += ["--work", _WORK, "--data", json.dumps({"actor": actor})]
        return self._hpp(title, *words, expect=expect)

    def _run_criterion(self, title: str, *extra: str, expect: int = 0) -> Step:
        options = ["--id", "greeting", "--artifact", "out/*.txt", "--record-event", "--work", _WORK]
        return self._hpp(
            title, "evidence", "run", *options, "--", self.python, "check.py", *extra, expect=expect
        )

    def _hpp(self, title: str, *words: str, expect: int = 0, cwd: str | None = None) -> Step:
        step = Step(title, ["hpp", *words], expect)
        isolated = ["-I"] if sys.flags.isolated else []
        outcome = run(
            [sys.executable, *isolated, "-m", "hpp", *words],
            timeout_s=_LIMIT_S,
            cwd=cwd or self.folder,
            keep_stdout=_KEEP,
            own_children=True,
        )
        step.exit = outcome.exit_code
        step.stdout = self._without_path(outcome.stdout.kept or b"")
        step.stderr = self._without_path(outcome.stderr.kept or b"")
        self.transcript.steps.append(step)
        return step

    def _without_path(self, output: bytes) -> str:
        """Return what a command printed; the folder's path, plain or in JSON, is `<tour>`."""
        text = output.decode("utf-8", "replace")
        for spelling in (self.folder, json.dumps(self.folder, ensure_ascii=False)[1:-1]):
            text = text.replace(spelling, "<tour>")
        return text

    @contextlib.contextmanager
    def _changed(self, name: str, old: bytes, new: bytes) -> Iterator[None]:
        """Change bytes of a file for the length of a block."""
        path = os.path.join(self.folder, *name.split("/"))
        with open(path, "rb") as stream:
            before = stream.read()
        with open(path, "wb") as stream:
            stream.write(before.replace(old, new, 1))
        try:
            yield
        finally:
            with open(path, "wb") as stream:
                stream.write(before)


def _answer(step: Step) -> dict[str, Any]:
    try:
        answer = json.loads(step.stdout)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _make_repository(folder: str) -> None:
    shutil.copyfile(packaged_manifest_path(), os.path.join(folder, "hpp.manifest.json"))
    with open(os.path.join(folder, "check.py"), "w", encoding="utf-8", newline="\n") as stream:
        stream.write(_CRITERION)
    author = ["-c", "user.name=tour", "-c", "user.email=tour@example.invalid"]
    plain = ["-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"]
    commands: list[Sequence[str]] = [
        ["init", "--quiet", "--template="],
        ["add", "check.py", "hpp.manifest.json"],
        [*author, *plain, "commit", "--quiet", "--message", "begin"],
    ]
    for words in commands:
        done = git(list(words), cwd=folder, timeout_s=_LIMIT_S)
        if not done.ok:
            raise RefusedError(f"tour: git {words[0]} failed; the tour needs a working git")


@contextlib.contextmanager
def _python_on_path() -> Iterator[str]:
    """Make this interpreter callable by its bare name, so that no record shows its folder."""
    folder, name = os.path.split(sys.executable)
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = folder + os.pathsep + before
    try:
        yield name.removesuffix(".exe")
    finally:
        os.environ["PATH"] = before
