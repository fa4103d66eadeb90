"""See through commands that run another command: what is behind `sudo env timeout sh -c …`.

`unwrap` follows a command to what runs in the end: the words of a plain command, texts that
are read as shell text again, or both.
"""

from __future__ import annotations

from hpp.core.shell import container, interpreter, remote
from hpp.core.shell.call import HERE, NOTHING, Call, program_name
from hpp.core.shell.option import skip_options
from hpp.core.shell.word import is_assignment, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    Handler = Callable[[Call, int, int], int]

__all__ = ["unwrap"]

_DEEPEST = 8
_FINDERS = frozenset({"find", "fd", "fdfind"})
_EXECUTES = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FD_EXECUTES = frozenset({"-x", "-X", "--exec", "--exec-batch"})


def unwrap(words: Sequence[str]) -> list[Call]:
    """Return what the words of a simple command would run.

    `find` can run several commands; every one of them is returned, itself first.
    """
    name = program_name(words[0])
    if name not in _HANDLERS and name not in _FINDERS:
        call = Call(words, 0, len(words))
        call.command = list(words)
        return [call]
    found: list[Call] = []
    pending: list[tuple[Sequence[str], int, int, int]] = [(words, 0, len(words), 0)]
    while pending:
        given, start, end, depth = pending.pop()
        call = _follow(given, start, end)
        found.append(call)
        if call.inner:
            nested: list[tuple[Sequence[str], int, int]] = [(call.inner, 0, len(call.inner))]
        elif call.command and program_name(call.command[0]) in _FINDERS:
            nested = [(given, *each) for each in _executed(given, call.first + 1, end)]
        else:
            continue
        if depth < _DEEPEST:
            pending += [(*each, depth + 1) for each in nested]
        else:
            call.too_deep = bool(nested)
    return found


def _follow(words: Sequence[str], at: int, end: int) -> Call:
    """Return what is behind every wrapper."""
    call = Call(words, at, end)
    while at < end:
        name = program_name(words[at])
        handler = _HANDLERS.get(name)
        following = HERE if handler is None else handler(call, at + 1, end)
        if following == HERE:
            call.first = at
            # A handler may have said what the command is.
            call.command = call.command or list(words[at:end])
            return call
        call.through.append(name)
        if following == NOTHING:
            break
        at = following
    call.first = end
    return call


def _executed(words: Sequence[str], at: int, end: int) -> list[tuple[int, int]]:
    """Return where the commands of ``-exec`` and its like begin and end."""
    found: list[tuple[int, int]] = []
    is_fd = program_name(words[at - 1]) != "find"
    while at < end:
        if words[at] in (_FD_EXECUTES if is_fd else _EXECUTES):
            last = at + 1
            while last < end and words[last] != ";" and not _ends_batch(words, last):
                last += 1
            if last > at + 1:
                found.append((at + 1, last))
            at = last
        at += 1
    return found


def _ends_batch(words: Sequence[str], at: int) -> bool:
    return words[at] == "+" and words[at - 1] == "{}"


# Handlers: they look at the words behind the program and return where the next command
# begins, `HERE` when the program itself is what runs, or `NOTHING`.


def _plain(short: str = "", long: str = "", operands: int = 0) -> Handler:
    """Return the handler of ``NAME [options] [operands] COMMAND``."""
    names = long.split()

    def skip(call: Call, at: int, end: int) -> int:
        at = skip_options(call.words, at, end, short, names) + operands
        return at if at < end else NOTHING

    return skip


def _shell_without_command(short: str, long: str, operands: int = 0) -> Handler:
    """Return the handler of a program that starts a shell when no command is given."""
    plain = _plain(short, long, operands)

    def skip(call: Call, at: int, end: int) -> int:
        at = plain(call, at, end)
        if at == NOTHING:
            call.login()
        return at

    return skip


_SUDO_SHORT = "CDRTUghprtu"
_SUDO_LONG = (
    "user", "group", "host", "prompt", "chdir", "chroot", "role", "type", "close-from",
    "command-timeout", "other-user",
)  # fmt: skip
_SUDO_NOTHING = ("--edit", "--list", "--validate", "--version")


def _sudo(call: Call, at: int, end: int) -> int:
    words = call.words
    start = at
    at = skip_options(words, at, end, _SUDO_SHORT, _SUDO_LONG)
    while at < end and is_assignment(words[at]):
        at += 1
    options = words[start:at]
    if _has(options, "elvV", _SUDO_NOTHING, _SUDO_SHORT):
        return NOTHING
    if at >= end:
        if _has(options, "is", ("--login", "--shell"), _SUDO_SHORT):
            call.login()
        return NOTHING
    return at


def _has(words: Sequence[str], letters: str, names: Collection[str], valued: str) -> bool:
    """Say whether one of some options is among the words."""
    for word in words:
        if word in names:
            return True
        if word[:1] == "-" and word[:2] != "--":
            for letter in word[1:]:
                if letter in letters:
                    return True
                if letter in valued:
                    break
    return False


_ENV_LONG = ("unset", "chdir", "split-string", "argv0")


def _env(call: Call, at: int, end: int) -> int:
    words = call.words
    while at < end:
        word = words[at]
        if word in ("--", "-"):
            at += 1
        elif word[:2] == "--":
            name, equals, value = word[2:].partition("=")
            if name and "split-string".startswith(name):
                return _env_split(call, value if equals else None, at, end)
            is_valued = not equals and any(each.startswith(name) for each in _ENV_LONG)
            at += 2 if is_valued else 1
        elif word[:1] == "-":
            letters = word[1:]
            before, split, attached = letters.partition("S")
            if split and not set(before) & set("uCa"):
                return _env_split(call, attached or None, at, end)
            at += 2 if letters[-1] in "uCa" and not set(letters[:-1]) & set("uCa") else 1
        elif "=" in word:
            at += 1
        else:
            return at
    return NOTHING


def _env_split(call: Call, text: str | None, at: int, end: int) -> int:
    """Note the text of ``env -S``: it is read as words, the words behind it follow."""
    words = call.words
    first = at
    if text is None:
        at += 1
        text = words[at] if at < end else ""
    rest = quoted(words[at + 1 : end])
    call.script(first, end)
    call.scripts[-1].text = f"env {text} {rest}"
    return NOTHING


def _command(call: Call, at: int, end: int) -> int:
    """``command -v NAME`` only tells where NAME is."""
    words = call.words
    while at < end and words[at][:1] == "-" and words[at] != "--":
        if "v" in words[at].lower():
            return NOTHING
        at += 1
    if at < end and words[at] == "--":
        at += 1
    return at if at < end else NOTHING


def _flock(call: Call, at: int, end: int) -> int:
    words = call.words
    at = skip_options(words, at, end, "wE", ("timeout", "wait", "conflict-exit-code")) + 1
    if at + 1 < end and words[at] in ("-c", "--command"):
        call.script(at + 1, at + 2)
        return NOTHING
    return at if at < end else NOTHING


def _xargs(call: Call, at: int, end: int) -> int:
    words = call.words
    start = at
    at = skip_options(words, at, end, "EILPnsdaJRS", _XARGS_LONG)
    for place in range(start, min(at, end)):
        call.replaces = _replaced(words, place) or call.replaces
    call.appends = True
    return at if at < end else NOTHING


_XARGS_LONG = (
    "arg-file", "delimiter", "max-procs", "max-args", "max-chars", "process-slot-var"
)  # fmt: skip


def _replaced(words: Sequence[str], at: int) -> str:
    """Return the text that an option of `xargs` has replaced, if it is one of those."""
    word = words[at]
    if word[:2] in ("-I", "-J"):
        return word[2:] or (words[at + 1] if at + 1 < len(words) else "")
    if word[:2] == "-i" or word.startswith("--replace"):
        return word[2:] if word[:2] == "-i" and word[2:] else word.partition("=")[2] or "{}"
    return ""


def _parallel(call: Call, at: int, end: int) -> int:
    """GNU parallel reads its command as shell text, and its arguments when it has none."""
    words = call.words
    at = skip_options(words, at, end, "CEIJLNPSTWadjns", _PARALLEL_LONG)
    last = at
    while last < end and words[last] not in _PARALLEL_SOURCES:
        last += 1
    if last > at:
        call.script(at, last)
        arguments = [word for word in words[last + 1 : end] if word not in _PARALLEL_SOURCES]
        if arguments:
            call.script(at, last)
            call.scripts[-1].text += " " + " ".join(arguments)
    else:
        call.reads_input = last == end
        for number in range(last + 1, end):
            call.script(number, number + 1)
    return NOTHING


_PARALLEL_SOURCES = frozenset({":::", "::::", ":::+", "::::+"})
_PARALLEL_LONG = frozenset(
    "jobs max-procs max-args arg-file sshlogin sshloginfile colsep delimiter delay retries timeout "  # noqa: SIM905 -- a table of names
    "joblog results workdir wd tmpdir tempdir nice load memfree halt tagstring recstart recend "
    "block basefile return env profile arg-sep semaphorename".split()
)


def _exist(call: Call, at: int, end: int) -> int:
    """``if exist FILE COMMAND`` of `cmd`; the `if` is a reserved word to every shell."""
    return at + 1 if at + 1 < end and call.words[at] != "]" else HERE


_HANDLERS: dict[str, Handler] = {
    "sudo": _sudo,
    "doas": _shell_without_command("uCa", ""),
    "env": _env,
    "command": _command,
    "builtin": _plain(),
    "exec": _plain("a"),
    "nohup": _plain(),
    "time": _plain("fo", "format output"),
    "nice": _plain("n", "adjustment"),
    "ionice": _plain("cnpPu", "class classdata pid pgid uid"),
    "chrt": _plain("TPD", "sched-runtime sched-period sched-deadline pid", 1),
    "taskset": _plain("", "", 1),
    "numactl": _plain("imNCpl", "interleave membind cpunodebind physcpubind preferred"),
    "timeout": _plain("ks", "kill-after signal", 1),
    "stdbuf": _plain("ioe", "input output error"),
    "setsid": _plain(),
    "flock": _flock,
    "busybox": _plain(),
    "toybox": _plain(),
    "xargs": _xargs,
    "parallel": _parallel,
    "chroot": _shell_without_command("", "", 1),
    "unshare": _plain("SGRw", "setuid setgid root wd map-user map-group propagation"),
    "nsenter": _plain("tSGrw", "target setuid setgid"),
    "setpriv": _plain("", "reuid regid groups ruid rgid euid egid"),
    "strace": _plain("abeIopPsSuXEU"),
    "ltrace": _plain("aAeDFlnopsuwx"),
    "gosu": _plain("", "", 1),
    "su-exec": _plain("", "", 1),
    "pkexec": _plain("", "user"),
    "systemd-run": _plain("pMHuEtG", "unit property description slice uid gid nice setenv"),
    "caffeinate": _plain("tw"),
    "fakeroot": _plain("lsib"),
    "sshpass": _plain("pfdP"),
    "lxc-attach": _plain("nsefpuvg", "name arch elevated-privileges namespaces"),
    "entr": _plain(),
    "valgrind": _plain(),
    **dict.fromkeys(
        ("noglob", "nocorrect", "chronic", "unbuffer", "eatmydata", "winpty", "torsocks"), _plain()
    ),
    "proxychains": _plain("f"),
    "proxychains4": _plain("f"),
    "exist": _exist,
    "call": _plain(),
    **container.HANDLERS,
    **interpreter.HANDLERS,
    **remote.HANDLERS,
}
