"""One command on the way to what it runs: what is seen through, and what is read again."""

from __future__ import annotations

from hpp.core.shell.model import is_unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["CMD", "HERE", "NOTHING", "POWERSHELL", "SHELL", "Call", "Script", "program_name"]

SHELL, CMD, POWERSHELL = "sh", "cmd", "powershell"  # how a script is read
HERE, NOTHING = -1, -2  # what a handler returns in place of where the next command begins

_CASE_FREE = frozenset(
    {"rmdir", "rd", "cmd", "powershell", "pwsh", "remove-item", "ri", "del", "erase",
     "foreach-object", "invoke-command", "icm", "invoke-expression", "iex", "start-process"}
)  # fmt: skip
_ENDINGS = (".exe", ".com", ".cmd", ".bat")


class Script:
    """A text that is executed.

    Attributes:
        text: As far as the words tell it.
        first, last: The words it stands in, for their substitutions.
        dialect: `SHELL`, `CMD` or `POWERSHELL`.

    """

    __slots__ = ("dialect", "first", "last", "text")

    def __init__(self, text: str, first: int, last: int, dialect: str = SHELL) -> None:
        self.text = text
        self.first = first
        self.last = last
        self.dialect = dialect


class Call:
    """What a command comes down to.

    Attributes:
        words: The words of the simple command, wrappers included.
        first, end: Where in them the plain command stands; none when they are equal.
        command: The plain command's words.
        inner: Another command that it runs, or may run, to be followed in turn.
        too_deep: There is one that is not followed.
        through: The names of the wrappers.
        scripts: Texts that are executed.
        file: Number of the word that names a script file, or -1.
        reads_input: It is a shell that takes commands from its standard input.
        is_login: It starts a shell although no shell is named.
        appends: Words of its standard input become arguments (`xargs`).
        replaces: The argument that they take the place of, or an empty text.

    """

    __slots__ = (
        "appends", "command", "dashes", "end", "file", "first", "inner", "is_login",
        "reads_input", "replaces", "scripts", "through", "too_deep", "words",
    )  # fmt: skip

    def __init__(self, words: Sequence[str], first: int, end: int) -> None:
        self.words = words
        self.first = first
        self.end = end
        self.command: list[str] = []
        self.inner: list[str] = []
        self.too_deep = False
        self.dashes = -1
        self.through: list[str] = []
        self.scripts: list[Script] = []
        self.file = -1
        self.reads_input = False
        self.is_login = False
        self.appends = False
        self.replaces = ""

    def script(self, first: int, last: int, dialect: str = SHELL) -> None:
        """Note that words, joined by blanks, are executed."""
        if first < last:
            text = " ".join(self.words[first:last])
            self.scripts.append(Script(text, first, last, dialect))

    def text(self, text: str, number: int) -> None:
        """Note that a text within one word is executed."""
        self.scripts.append(Script(text, number, number + 1))

    def operand(self, at: int) -> int:
        """Pass one operand, and return the place of the command behind it.

        Where it is an expansion it may hold options, and the operand is the next word.
        """
        if at + 2 < self.end and is_unknown(self.words[at]):
            self.inner = list(self.words[at + 2 : self.end])
        return at + 1 if at + 1 < self.end else NOTHING

    def two_dashes(self, at: int) -> int:
        """Return the place of the first ``--`` from a place on, or the end.

        What it finds is kept, so that a long chain of calls is looked through once.
        """
        if self.dashes < at:
            self.dashes = at
            while self.dashes < self.end and self.words[self.dashes] != "--":
                self.dashes += 1
        return self.dashes

    def login(self) -> None:
        """Note that a shell starts that reads commands from standard input."""
        self.reads_input = self.is_login = True


def program_name(word: str) -> str:
    """Return the base name of a program; endings of Windows and its case do not count."""
    if "/" in word or "\\" in word:
        word = word.replace("\\", "/").rpartition("/")[2]
    if word.isalpha() and word.islower():
        return word
    low = word.lower()
    if low.endswith(_ENDINGS) and len(low) > len(".exe"):
        return low[: -len(".exe")]
    return low if low in _CASE_FREE else word
