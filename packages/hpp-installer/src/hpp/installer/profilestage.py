"""Stage ``profile``: the answers, and what becomes of the file that records them."""

from __future__ import annotations

from hpp.core.errors import HppError
from hpp.core.text import shorten
from hpp.installer.profile import (
    ABSENT,
    PATH,
    UNSAFE,
    VALID,
    ProfileState,
    create_profile,
    differing_keys,
    look_at_profile,
)
from hpp.installer.stage import FAIL, OK, WARN, Problem, Stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.installer.answer import Answers

__all__ = ["CONFLICT", "REFUSED", "UNCHANGED", "WITHHELD", "WOULD_WRITE", "WRITTEN", "Writer"]

WOULD_WRITE, WRITTEN, UNCHANGED = "would-write", "written", "unchanged"
CONFLICT, WITHHELD, REFUSED = "conflict", "withheld", "refused"


class Writer:
    """Decides about the profile of one target, and writes it when that is what is asked.

    Args:
        root: The target, as it is opened.
        answers: What was chosen.
        profile: The document that records it.

    """

    def __init__(self, root: str, answers: Answers, profile: dict[str, Any]) -> None:
        self.root = root
        self.answers = answers
        self.profile = profile

    def stage(self, state: ProfileState, *, write: bool, possible: bool) -> Stage:
        """Return the stage.

        Args:
            state: What stands in the profile's place.
            write: This run applies.
            possible: `configure` will not halt; else nothing is written.

        """
        if state.kind == ABSENT:
            return self._absent(write=write, possible=possible)
        if state.kind == UNSAFE:
            step = f"make {PATH.partition('/')[0]} a plain folder and {PATH} a plain file"
            return self._failed(state.reason, "a plain folder and no link", step)
        if state.kind == VALID and state.document == self.profile:
            return self._done(UNCHANGED, OK, f"{PATH} already says this; nothing is written")
        return self._conflict(state)

    def _absent(self, *, write: bool, possible: bool) -> Stage:
        if not possible:
            told = f"{PATH} is withheld: configure cannot be done as chosen"
            return self._done(WITHHELD, WARN, told)
        if not write:
            return self._done(WOULD_WRITE, OK, f"{PATH} would be written, and nothing else")
        try:
            if create_profile(self.root, self.profile):
                return self._done(WRITTEN, OK, f"{PATH} written, and nothing else", writes=1)
        except HppError as error:
            step = "make room, or give yourself the right to write there"
            return self._failed(str(error), "a file that can be created", step)
        state = look_at_profile(self.root)  # another run was quicker: what did it write?
        if state.kind == ABSENT:
            told = f"{PATH}: it came and went while it was to be written"
            return self._failed(told, "no other writer", "run it again")
        return self.stage(state, write=False, possible=True)

    def _conflict(self, state: ProfileState) -> Stage:
        if state.kind == VALID and state.document is not None:
            keys = ", ".join(map(shorten, differing_keys(state.document, self.profile)))
            measured, wanted = f"{PATH}: differs in {keys}", "the same choices, or no file"
        else:
            measured, wanted = state.reason, "strict JSON of the schema hpp.init/v1, or no file"
        problem = Problem(
            "profile",
            measured,
            wanted,
            f"keep {PATH} and choose what it says, or move it away and run again with --apply",
        )
        summary = f"{measured}; it is left as it is"
        return self._done(CONFLICT, WARN, summary, problem)

    def _failed(self, measured: str, expected: str, step: str) -> Stage:
        problem = Problem("profile", measured, expected, f"{step}, then run this again")
        return self._done(REFUSED, FAIL, measured, problem)

    def _done(
        self, action: str, status: str, summary: str, *problems: Problem, writes: int = 0
    ) -> Stage:
        detail = {
            "path": PATH,
            "action": action,
            "answers": self.answers.document(),
            "sources": dict(self.answers.sources),
            "pending_defaults": self.answers.pending_defaults,
            "profile": self.profile,
            "writes": writes,
        }
        return Stage(
            "profile",
            status,
            summary,
            detail,
            problems,
            exit_hint={OK: 0, WARN: 1, FAIL: 2}[status],
        )
