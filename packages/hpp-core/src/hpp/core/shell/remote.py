"""Commands that run a command as somebody else, or on another machine; git's own."""

from __future__ import annotations

from hpp.core.shell.call import HERE, NOTHING, Call
from hpp.core.shell.gitcall import git
from hpp.core.shell.model import is_unknown
from hpp.core.shell.option import skip_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Handler = Callable[[Call, int, int], int]

__all__ = ["HANDLERS"]

_SSH_VALUES = "BbcDEeFIiJLlmOoPpQRSWw"
_SU_LONG = ("shell", "group", "supp-group", "whitelist-environment")


def _ssh(call: Call, at: int, end: int) -> int:
    """``ssh [options] HOST [options] TEXT``; without a text the far shell reads its input."""
    words = call.words
    host = skip_options(words, at, end, _SSH_VALUES)
    if host >= end:
        return HERE
    first = skip_options(words, host + 1, end, _SSH_VALUES)
    if first < end:
        call.script(first, end)
        if is_unknown(words[host]):  # it may hold options, and the host is the next word
            call.script(skip_options(words, first + 1, end, _SSH_VALUES), end)
    elif not any(word[:1] == "-" and word[1:2] in ("N", "O", "Q", "f") for word in words[at:end]):
        call.login()
    return NOTHING


def _su(call: Call, at: int, end: int) -> int:
    """`su`: the text after ``-c``, wherever it stands; without one a shell reads its input."""
    words = call.words
    start = at
    while at < end:
        word = words[at]
        if word in ("--command", "--session-command"):
            call.script(at + 1, min(at + 2, end))
            return NOTHING
        if word.startswith(("--command=", "--session-command=")):
            call.text(word.partition("=")[2], at)
            return NOTHING
        if word[:1] == "-" and word[:2] != "--" and "c" in word:
            rest = word.partition("c")[2]
            if rest:
                call.text(rest, at)
            else:
                call.script(at + 1, min(at + 2, end))
            return NOTHING
        at += 1
    operands = skip_options(words, start, end, "sgGw", _SU_LONG)
    if end - operands <= 2:  # noqa: PLR2004 -- a dash and a user: no script file
        call.login()
    return NOTHING


def _runuser(call: Call, at: int, end: int) -> int:
    """``runuser -u USER COMMAND``; otherwise as `su`."""
    words = call.words
    after = skip_options(words, at, end, "ugG", ("user", "group", "supp-group"))
    if any(word[:2] == "-u" or word.startswith("--user") for word in words[at:after]):
        return after if after < end else NOTHING
    return _su(call, at, end)


def _with_text(*names: str) -> Handler:
    """Return the handler of a program that has a text executed elsewhere by an option."""

    def read(call: Call, at: int, end: int) -> int:
        words = call.words
        for place in range(at, end):
            name, equals, value = words[place].partition("=")
            if name in names and equals:
                call.text(value, place)
            elif name in names and place + 1 < end:
                call.script(place + 1, place + 2)
        return HERE

    return read


def _wsl(call: Call, at: int, end: int) -> int:
    at = skip_options(call.words, at, end, "du", ("distribution", "user", "cd", "shell-type"))
    return at if at < end else NOTHING


HANDLERS: dict[str, Handler] = {
    "ssh": _ssh,
    "su": _su,
    "runuser": _runuser,
    "vagrant": _with_text("-c", "--command"),
    "npx": _with_text("-c", "--call"),
    "gcloud": _with_text("--command"),
    "wsl": _wsl,
    "git": git,
}
