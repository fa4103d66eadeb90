"""Which commands remove files for good, and what they name to be removed."""

from __future__ import annotations

from hpp.core.portable.shellwords import git_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.portable.gitwords import GitCall
    from hpp.core.portable.shellwords import Command

__all__ = ["Deletion", "deletion", "is_forced_clean", "is_recursive"]

_REMOVERS = frozenset({"rm", "shred", "unlink"})
_WINDOWS = frozenset({"rmdir", "rd"})
_POWERSHELL = frozenset({"remove-item", "ri", "del", "erase"})
_EXECUTERS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_NARROWING = ("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex",
              "-iregex", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-newer",
              "-empty", "-size", "-inum", "-samefile")  # fmt: skip
_PATHS = frozenset({"-path", "-ipath", "-wholename", "-iwholename"})
_PRINTERS = frozenset({"echo", "printf", "ls"})


class Deletion:
    """What a command removes.

    Attributes:
        how: The command in a few words.
        targets: The words that name what goes, as they were written.
        is_narrow: Only some of what lies below the targets goes.
        is_rm: It is a recursive `rm`.
        directory: Where it looks first (``git -C``); empty for the working folder.

    """

    __slots__ = ("directory", "how", "is_narrow", "is_rm", "targets")

    def __init__(self, how: str, targets: Sequence[str], *, is_rm: bool = False) -> None:
        self.how = how
        self.targets = list(targets)
        self.is_narrow = False
        self.is_rm = is_rm
        self.directory = ""


def deletion(  # noqa: PLR0911 -- a table, one return a row
    command: Command,
    commands: Sequence[Command],
) -> Deletion | None:
    """Return what a command removes, or None when it removes nothing recursively.

    Args:
        command: One simple command.
        commands: All commands of its text.

    """
    name = command.program.lower()
    if name == "rm" and is_recursive(command.words):
        targets = _operands(command.words)
        return Deletion("rm -r", targets or _fed(command, commands), is_rm=True)
    if name == "find":
        return _find(command, commands)
    if name == "git":
        return _clean(command)
    if name == "shred":
        return Deletion("shred", _operands(command.words, valued="ns"))
    if name in _WINDOWS and any(word.lower() in ("/s", "//s") for word in command.words[1:]):
        words = [word for word in command.words if word.lower() not in ("/s", "/q", "//s", "//q")]
        return Deletion(f"{name} /s", _operands(words))
    if name in _POWERSHELL and any(map(_is_recurse, command.words[1:])):
        return Deletion(f"{command.program} -Recurse", _operands(command.words))
    return None


def is_recursive(words: Sequence[str]) -> bool:
    """Say whether the options of `rm`, read word by word up to ``--``, are recursive."""
    for word in words[1:]:
        if word == "--":
            return False
        if word[:2] == "--":
            if len(word) > len("--") and "--recursive".startswith(word):
                return True
        elif word[:1] == "-" and ("r" in word or "R" in word):
            return True
    return False


def is_forced_clean(call: GitCall) -> bool:
    """Say whether a call of git removes what is not tracked."""
    if call.subcommand != "clean" or call.has("-n", "--dry-run"):
        return False
    settings = {setting.lower().replace(" ", "") for setting in call.settings}
    return call.has("-f", "--force") or "clean.requireforce=false" in settings


def _operands(words: Sequence[str], valued: str = "") -> list[str]:
    found: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        if word == "--":
            found += rest
        elif word[:1] != "-" or word == "-":
            found.append(word)
        elif word[:2] != "--" and word[-1] in valued:
            next(rest, None)
    return found


def _fed(command: Command, commands: Sequence[Command]) -> list[str]:
    """Return what `xargs` hands a command, as far as what feeds it tells."""
    if command.piped_from is None:
        return []
    source = commands[command.piped_from]
    if source.program == "find":
        return _starts(source.words)
    return _operands(source.words) if source.program in _PRINTERS else []


def _find(command: Command, commands: Sequence[Command]) -> Deletion | None:
    words = command.words
    deletes = "-delete" in words
    runs = not _EXECUTERS.isdisjoint(words) and any(
        other.program in _REMOVERS and other is not command and other.piece == command.piece
        for other in commands
    )
    if not (deletes or runs):
        return None
    found = Deletion("find -delete" if deletes else "find -exec rm", _starts(words))
    found.is_narrow = any(word in _NARROWING for word in words)
    found.targets += [
        words[at + 1].partition("*")[0]
        for at, word in enumerate(words[:-1])
        if word in _PATHS and words[at + 1].partition("*")[0].strip("./")
    ]
    return found


def _starts(words: Sequence[str]) -> list[str]:
    """Return where `find` begins: its words before the first test; the working folder else."""
    found: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        if word == "-D":
            next(rest, None)
        elif word in ("-H", "-L", "-P") or word.startswith("-O"):
            continue
        elif word[:1] in ("-", "(", "!"):
            break
        else:
            found.append(word)
    return found or ["."]


def _clean(command: Command) -> Deletion | None:
    if "clean" not in command.words:
        return None
    call = git_call(command)
    if call is None or not is_forced_clean(call):
        return None
    found = Deletion("git clean -f", call.operands or ["."])
    found.directory = call.directory
    return found


def _is_recurse(word: str) -> bool:
    low = word.lower().partition(":")[0]
    return len(low) > 1 and low[:2] == "-r" and "-recurse".startswith(low)
