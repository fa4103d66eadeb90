"""Whether what was fetched from the network is run by a shell or an interpreter."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.portable.shellwords import Command

__all__ = ["Fetched"]

_FETCHERS = frozenset({"curl", "wget", "fetch", "iwr", "invoke-webrequest", "irm"})
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "iex", "invoke-expression"})
_READERS = frozenset({"source", "."})
_LANGUAGES = ("python", "pypy", "perl", "ruby", "node", "nodejs", "php", "deno", "bun")
_SUBSTITUTIONS = ("<(", "$(", "`")
_CODE = frozenset({"-c", "-e", "-E", "--eval", "-r"})
_VALUED = frozenset({"-o", "+o", "-O", "-W", "-X", "-I"})


class Fetched:
    """What a text fetches from the network, and which of its commands read that.

    Found once for all commands, so that a long text costs no more than its length.

    Attributes:
        commands: All commands of the text.

    """

    __slots__ = ("_fed", "_fetchers", "commands")

    def __init__(self, commands: Sequence[Command]) -> None:
        self.commands = commands
        self._fetchers = [each for each in commands if _base(each.program) in _FETCHERS]
        self._fed: set[int] = set()
        number_of = {id(each): number for number, each in enumerate(commands)}
        fetching = {number_of[id(each)] for each in self._fetchers}
        fed: set[int] = set()
        for number, command in enumerate(commands if fetching else ()):
            if command.piped_from in fetching or command.piped_from in fed:
                fed.add(number)
                self._fed.add(id(command))

    def runs(self, command: Command) -> bool:
        """Say whether a command runs text that another one of its text has fetched."""
        if not self._fetchers:
            return False
        name = _base(command.program)
        runs_code = name in _SHELLS or name in _LANGUAGES
        if runs_code and id(command) in self._fed and _reads_program(name, command.words):
            return True
        if not runs_code and name not in _READERS and name != "eval":
            return False
        return _has_substituted_code(name, command) and any(
            each is not command and each.piece and each.piece in command.piece
            for each in self._fetchers
        )


def _base(program: str) -> str:
    """Return a program's name without the version behind it."""
    low = program.lower()
    stem = low.rstrip("0123456789.")
    return stem if stem in _LANGUAGES else low


def _reads_program(name: str, words: Sequence[str]) -> bool:
    """Say whether standard input is the program: no script, no code and no module is named."""
    if name in ("iex", "invoke-expression"):
        return True
    rest = iter(words[1:])
    for word in rest:
        if word in ("-", "-s", "/dev/stdin"):
            return True
        if word[:1] not in ("-", "+") or _takes_code(name, word):
            return False
        if word in _VALUED:
            next(rest, None)
    return True


def _takes_code(name: str, word: str) -> bool:
    if word[:2] == "--":
        return word.partition("=")[0] in ("--eval", "--print", "--version", "--help", "--run")
    if name in _SHELLS:
        return "c" in word
    letters = "cmVh" if name in ("python", "pypy") else "enpEvh"
    return not set(letters).isdisjoint(word[1:])


def _has_substituted_code(name: str, command: Command) -> bool:
    """Say whether a substitution stands where the words of a command name what it runs."""
    marked = [mark for mark in _SUBSTITUTIONS if mark in command.piece]
    if not marked:
        return False
    if name == "eval" or name in _READERS:
        return True
    words = command.words[1:]
    for at, word in enumerate(words):
        if "(...)" not in word:
            continue
        is_code = at > 0 and words[at - 1][:1] == "-" and bool(_CODE & set(_options(words[at - 1])))
        if is_code or (at == _first_operand(words) and word.startswith("<(")):
            return True
    return False


def _options(word: str) -> list[str]:
    return [word] if word[:2] == "--" else [f"-{letter}" for letter in word[1:]]


def _first_operand(words: Sequence[str]) -> int:
    return next((at for at, word in enumerate(words) if word[:1] != "-"), -1)
