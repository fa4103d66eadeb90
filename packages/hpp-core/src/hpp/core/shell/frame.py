"""The state of one open command list, and of the command and the word that are read in it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.shell.model import Simple, Substitution

__all__ = ["COMMANDS", "DATA", "HEADER", "PATTERN", "Frame"]

COMMANDS, HEADER, PATTERN, DATA = range(4)  # what stands where a frame is being read


class Frame:
    """One open command list: the text, a group, a compound command or a substitution.

    Attributes:
        closer: The word that ends it.
        sub: The substitution that it is.
        state: `COMMANDS`, or the head of a loop, the patterns of a `case`, mere data.
        simple: The command that is being read.
        pieces: The word that is being read; None between words.
        plain: Nothing in the word was quoted or escaped, and nothing expands.
        bare: Its first piece was not quoted.
        braces: It has a brace that is not quoted.
        masked: It has one that is.
        subs, spans: Its substitutions; its expansions as they were written.
        redirect, descriptor: A redirection that waits for its target.
        modes: Open quotes and ``${``, the innermost last; then how many of each.
        function: Name of a function whose body comes next.
        lead: `time`, `coproc` or `function` stands before the command.
        in_test: Inside ``[[ … ]]``.
        is_arithmetic: Inside ``((``, which may also be two subshells.

    """

    __slots__ = (
        "bare", "braces", "closer", "descriptor", "doubles", "function", "in_test",
        "is_arithmetic", "lead", "masked", "modes", "parameters", "pieces", "plain", "redirect",
        "simple", "spans", "state", "sub", "subs",
    )  # fmt: skip

    def __init__(self, closer: str, state: int = COMMANDS) -> None:
        self.closer = closer
        self.state = state
        self.sub: Substitution | None = None
        self.simple: Simple | None = None
        self.pieces: list[str] | None = None
        self.plain = self.bare = True
        self.braces = self.masked = False
        self.subs: list[Substitution] = []
        self.spans: list[tuple[int, str]] = []
        self.redirect = self.descriptor = self.function = self.lead = ""
        self.modes: list[str] = []
        self.doubles = self.parameters = 0
        self.in_test = self.is_arithmetic = False
