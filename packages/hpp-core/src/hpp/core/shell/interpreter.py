"""Commands that execute a text: shells, `eval`, `trap`, `watch`, `cmd`, PowerShell."""

from __future__ import annotations

from hpp.core.shell.call import CMD, HERE, NOTHING, POWERSHELL, Call
from hpp.core.shell.model import OPAQUE
from hpp.core.shell.option import skip_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Handler = Callable[[Call, int, int], int]

__all__ = ["HANDLERS", "SHELLS"]

# The shells of the rules come first; the others read a text in the same way.
SHELLS = ("sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "yash", "fish")
_INPUT_FILES = ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-")
_SHELL_VALUES = ("--rcfile", "--init-file", "--emulate")


def _shell(call: Call, at: int, end: int) -> int:
    """Read a shell's options: a text after ``-c``, a script file, or standard input."""
    words = call.words
    takes_text = reads_input = False
    while at < end:
        word = words[at]
        if word in ("--", "-"):
            at += 1
            break
        if not takes_text and _holds_options(words, at, end):
            at += 1
        elif word == "--command":  # fish
            takes_text = True
            at += 1
        elif word[:2] == "--":
            at += 2 if word in _SHELL_VALUES else 1
        elif word[:1] in ("-", "+") and len(word) > 1 and not (takes_text and " " in word):
            takes_text = takes_text or (word[0] == "-" and "c" in word)
            reads_input = reads_input or "s" in word
            at += 2 if word[-1] in "oO" else 1
        else:
            break
    if takes_text:
        call.script(at, min(at + 1, end))
    elif at >= end or reads_input or words[at] in _INPUT_FILES:
        call.reads_input = True
    else:
        call.file = at
    return HERE


def _holds_options(words: Sequence[str], at: int, end: int) -> bool:
    """Say whether a word is a variable with ``-c`` behind it: ``bash $FLAGS -c TEXT``."""
    following = words[at + 1] if at + 1 < end else ""
    return not words[at].strip(OPAQUE) and following[:1] == "-" and "c" in following


def _source(call: Call, at: int, end: int) -> int:
    at = skip_options(call.words, at, end)
    if at < end and call.words[at] in _INPUT_FILES:
        call.login()  # the shell that runs now
    elif at < end:
        call.file = at
    return HERE


def _eval(call: Call, at: int, end: int) -> int:
    at += at < end and call.words[at] == "--"
    call.script(at, end)
    return HERE


def _trap(call: Call, at: int, end: int) -> int:
    at += at < end and call.words[at] == "--"
    if at + 1 < end and (call.words[at][:1] != "-" or " " in call.words[at]):
        call.script(at, at + 1)
    return HERE


def _watch(call: Call, at: int, end: int) -> int:
    call.script(skip_options(call.words, at, end, "nqs", ("interval", "equexit", "shotsdir")), end)
    return NOTHING


def _script(call: Call, at: int, end: int) -> int:
    """``script -c TEXT FILE`` of util-linux."""
    words = call.words
    while at < end:
        word = words[at]
        if word == "--command" and at + 1 < end:
            call.script(at + 1, at + 2)
        elif word.startswith("--command="):
            call.text(word.partition("=")[2], at)
        elif word[:1] == "-" and word[:2] != "--" and "c" in word:
            rest = word.partition("c")[2]
            if rest:
                call.text(rest, at)
            elif at + 1 < end:
                call.script(at + 1, at + 2)
        at += 1
    return HERE


def _nix(call: Call, at: int, end: int) -> int:
    words = call.words
    for place in range(at, end - 1):
        if words[place] in ("--run", "--command"):
            call.script(place + 1, place + 2)
        elif words[place] == "-c":
            call.script(place + 1, end)
    return HERE


def _at(call: Call, at: int, end: int) -> int:  # noqa: ARG001 -- a handler's signature
    """`at` and `batch` have their standard input executed later."""
    call.reads_input = True
    return HERE


def _cmd(call: Call, at: int, end: int) -> int:
    """Read what follows ``/c`` or ``/k`` of `cmd`; ``//c`` is how Git Bash has it."""
    words = call.words
    while at < end:
        option = words[at].lower().lstrip("/")
        if words[at][:1] != "/" or not option:
            return HERE
        if option[0] in "ckr":
            rest = words[at].lstrip("/")[1:]
            call.script(at, end, CMD)
            call.scripts[-1].text = " ".join([*([rest] if rest else []), *words[at + 1 : end]])
            return HERE
        at += 1
    return HERE


_POWERSHELL_VALUES = frozenset(
    {"-executionpolicy", "-ex", "-ep", "-exec", "-version", "-v", "-windowstyle", "-w", "-wd",
     "-workingdirectory", "-configurationname", "-inputformat", "-if", "-outputformat", "-of",
     "-settingsfile", "-custompipename", "-psconsolefile"}
)  # fmt: skip


def _powershell(call: Call, at: int, end: int) -> int:
    words = call.words
    while at < end:
        word = words[at].lower().replace("/", "-", 1) if words[at][:1] == "/" else words[at].lower()
        if len(word) > 1 and ("-command".startswith(word) or word == "-commandwithargs"):
            call.script(at + 1, end, POWERSHELL)
            return HERE
        if word in ("-file", "-f", "-encodedcommand", "-e", "-ec", "-enc"):
            return HERE
        if word[:1] != "-":
            call.script(at, end, POWERSHELL)
            return HERE
        at += 2 if word in _POWERSHELL_VALUES else 1
    return HERE


def _block(call: Call, at: int, end: int) -> int:
    """Read the blocks of PowerShell commands that run them."""
    call.script(at, end, POWERSHELL)
    return HERE


def _start(call: Call, at: int, end: int) -> int:
    """``start [title] [/switches] COMMAND`` of `cmd`."""
    words = call.words
    while at < end and words[at][:1] == "/":
        at += 2 if words[at].lower() in ("/d", "/node", "/affinity") else 1
    return at if at < end else NOTHING


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(SHELLS, _shell),
    "eval": _eval,
    "source": _source,
    ".": _source,
    "trap": _trap,
    "watch": _watch,
    "script": _script,
    "nix-shell": _nix,
    "nix": _nix,
    "at": _at,
    "batch": _at,
    "cmd": _cmd,
    "powershell": _powershell,
    "pwsh": _powershell,
    "foreach-object": _block,
    "invoke-command": _block,
    "icm": _block,
    "invoke-expression": _block,
    "iex": _block,
    "start": _start,
}
