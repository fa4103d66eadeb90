"""See through commands that run another command: what is behind `sudo env timeout sh -c …`.

`unwrap` follows a command to what runs in the end. The result is either the words of a
plain command, or text that is read as shell text again.
"""

from __future__ import annotations

from hpp.core.shell.word import is_assignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["READ_SHELLS", "Inner", "program_name", "unwrap"]

# The shells of the rules come first; the others read a text in the same way.
READ_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "yash"})
_CASE_FREE = frozenset({"rmdir", "rd", "cmd", "powershell", "pwsh", "remove-item", "ri", "del"})
_DEEPEST_FINDS = 8
# Every rule asks for the name of the same program; it is worked out once.
_KNOWN: dict[str, str] = {}
_MOST_KNOWN = 4096
_LONGEST_KNOWN = 256
_ENDINGS = (".exe", ".com", ".cmd", ".bat")


class Inner:
    """What a command comes down to.

    Attributes:
        words: The plain command, after every wrapper.
        first: Number of its first word among the words that were given, or -1.
        texts: Texts that are read as shell text.
        reads_input: It is a shell that takes commands from its standard input.
        too_deep: It nests deeper than it is followed.

    """

    __slots__ = ("first", "reads_input", "texts", "too_deep", "words")

    def __init__(self, words: list[str], first: int) -> None:
        self.words = words
        self.first = first
        self.texts: list[str] = []
        self.reads_input = False
        self.too_deep = False


def program_name(word: str) -> str:
    """Return the base name of a program; endings of Windows and its case do not count."""
    name = _KNOWN.get(word)
    if name is None:
        name = _program_name(word)
        if len(_KNOWN) < _MOST_KNOWN and len(word) < _LONGEST_KNOWN:
            _KNOWN[word] = name
    return name


def _program_name(word: str) -> str:
    name = word.replace("\\", "/").rpartition("/")[2] if "/" in word or "\\" in word else word
    low = name.lower()
    if low.endswith(_ENDINGS) and len(low) > len(".exe"):
        return low[: -len(".exe")]
    return low if low in _CASE_FREE else name


def unwrap(words: list[str]) -> list[Inner]:
    """Return what the words of a simple command would run, wrappers seen through.

    `find` can run several commands; every one of them is returned, itself first.
    """
    found: list[Inner] = []
    pending = [(0, len(words), 0)]
    while pending:
        start, end, depth = pending.pop()
        inner = _follow(words, start, end)
        if inner is None:
            continue
        found.append(inner)
        if inner.words and program_name(inner.words[0]) == "find":
            inner.too_deep = depth > _DEEPEST_FINDS
            if not inner.too_deep:
                nested = _find_commands(words, inner.first + 1, end)
                pending += [(first, last, depth + 1) for first, last in nested]
    return found


def _follow(words: list[str], at: int, end: int) -> Inner | None:
    """Return what is behind every wrapper; a wrapper around nothing is itself what runs."""
    start = at
    while at < end:
        name = program_name(words[at])
        skip = _SKIPPERS.get(name)
        if skip is None:
            inner = Inner(words[at:end], at)
            _texts(name, words, at, end, inner)
            return inner
        text = _ALSO_TEXT[name](words, at + 1, end) if name in _ALSO_TEXT else None
        if text is not None:
            inner = Inner([], -1)
            inner.texts.append(text)
            return inner
        at = skip(words, at + 1, end)
    return Inner(words[start:end], start) if start < end else None


def _texts(name: str, words: list[str], at: int, end: int, inner: Inner) -> None:
    """Add the texts that a plain command reads as commands."""
    if name in READ_SHELLS:
        _shell(words, at + 1, end, inner)
        return
    reader = _READERS.get(name)
    if reader is not None:
        text = reader(words, at + 1, end)
        if text is not None:
            inner.texts.append(text)
    if name == "ssh" and not inner.texts and _ssh_host(words, at + 1, end) < end:
        inner.reads_input = True


# ------------------------------------------------------------------ options


def _options(words: list[str], at: int, end: int, *, short: str = "", long: str = "") -> int:
    """Return where the operands begin.

    Args:
        words: Words of the command.
        at: First word after the program.
        end: Where the command ends.
        short: Letters of short options that take a value.
        long: Names of long options that take a separate value, divided by blanks.

    """
    valued = long.split()
    while at < end:
        word = words[at]
        if word == "--":
            return at + 1
        if word.startswith("--"):
            at += 2 if word[2:] in valued else 1
        elif len(word) > 1 and word[0] == "-":
            at += 2 if _takes_next(word, short) else 1
        else:
            return at
    return end


def _takes_next(word: str, short: str) -> bool:
    """Say whether a cluster ends in an option whose value is the next word."""
    for place, letter in enumerate(word[1:], 1):
        if letter in short:
            return place == len(word) - 1
    return False


def _plain(
    short: str = "", long: str = "", operands: int = 0
) -> Callable[[list[str], int, int], int]:
    """Return a skipper for ``NAME [options] [operands] COMMAND``."""

    def skip(words: list[str], at: int, end: int) -> int:
        return min(_options(words, at, end, short=short, long=long) + operands, end)

    return skip


def _with_assignments(short: str, long: str) -> Callable[[list[str], int, int], int]:
    def skip(words: list[str], at: int, end: int) -> int:
        at = _options(words, at, end, short=short, long=long)
        while at < end and is_assignment(words[at]):
            at += 1
        return at

    return skip


def _command(words: list[str], at: int, end: int) -> int:
    """`command -v NAME` only tells where NAME is."""
    while at < end and words[at].startswith("-") and words[at] != "--":
        if "v" in words[at].lower():
            return end
        at += 1
    return at + 1 if at < end and words[at] == "--" else at


def _flock(words: list[str], at: int, end: int) -> int:
    at = _options(words, at, end, short="wEx", long="timeout wait conflict-exit-code")
    return min(at + 1, end)


def _container(words: list[str], at: int, end: int) -> int:
    """``docker exec [options] NAME COMMAND``, ``docker run [options] IMAGE COMMAND``."""
    at = _options(words, at, end, short="cHl", long="config context host log-level")
    if at < end and words[at] == "compose":
        at = _options(words, at + 1, end, short="fp", long="file project-name profile env-file")
    elif at < end and words[at] == "container":
        at += 1
    if at >= end or words[at] not in ("exec", "run"):
        return end
    at = _options(words, at + 1, end, short="eUuwvpmhlac", long=_CONTAINER_VALUES)
    return min(at + 1, end)


def _kubectl(words: list[str], at: int, end: int) -> int:
    at = _options(words, at, end, short="nsc", long="namespace context cluster kubeconfig user")
    if at >= end or words[at] not in ("exec", "run"):
        return end
    while at < end and words[at] != "--":
        at += 1
    if at < end:
        return at + 1
    return end


def _busybox(words: list[str], at: int, end: int) -> int:  # noqa: ARG001 -- a skipper's signature
    return at


_CONTAINER_VALUES = (
    "env env-file user workdir volume publish mount name network hostname label entrypoint memory "
    "cpus add-host cap-add cap-drop device dns expose gpus ip link log-driver log-opt mac-address "
    "memory-swap pid platform pull restart runtime security-opt shm-size stop-signal stop-timeout "
    "tmpfs ulimit userns volumes-from cidfile cgroupns detach-keys index"
)
_SKIPPERS: dict[str, Callable[[list[str], int, int], int]] = {
    "sudo": _with_assignments("ughpCDRTUrt", "user group host prompt chdir chroot role type"),
    "doas": _plain("uC"),
    "env": _with_assignments("uC", "unset chdir block-signal default-signal ignore-signal"),
    "command": _command,
    "builtin": _plain(),
    "exec": _plain("a"),
    "nohup": _plain(),
    "time": _plain("fo", "format output"),
    "nice": _plain("n", "adjustment"),
    "ionice": _plain("cnpPu", "class classdata pid pgid uid"),
    "chrt": _plain("TPD", "", 1),
    "taskset": _plain("", "", 1),
    "timeout": _plain("ks", "kill-after signal", 1),
    "stdbuf": _plain("ioe", "input output error"),
    "setsid": _plain(),
    "flock": _flock,
    "busybox": _busybox,
    "toybox": _busybox,
    "xargs": _plain("InPLsdEaR", "max-args max-procs max-lines max-chars delimiter arg-file eof"),
    "parallel": _plain("jnNLIaSCX", "jobs max-args arg-file sshlogin colsep delay retries"),
    "chroot": _plain("", "", 1),
    "unshare": _plain("SGRw"),
    "strace": _plain("eopsPuEaISX"),
    "docker": _container,
    "podman": _container,
    "nerdctl": _container,
    "kubectl": _kubectl,
    "oc": _kubectl,
}


# ------------------------------------------------------------------ texts


def _shell(words: list[str], at: int, end: int, inner: Inner) -> None:
    """Read the options of a shell: a text after ``-c``, a script, or standard input."""
    takes_text = reads_input = False
    while at < end:
        word = words[at]
        if word in ("--", "-"):
            at += 1
            break
        if word.startswith("--"):
            at += 2 if word in ("--rcfile", "--init-file") else 1
        elif len(word) > 1 and word[0] in "-+":
            takes_text = takes_text or (word[0] == "-" and "c" in word)
            reads_input = reads_input or "s" in word
            at += 2 if word[-1] in "oO" else 1
        else:
            break
    if takes_text:
        if at < end:
            inner.texts.append(words[at])
    elif at >= end or reads_input:
        inner.reads_input = True


def _su(words: list[str], at: int, end: int) -> str | None:
    """Return the text after ``-c``, wherever it stands."""
    while at < end:
        word = words[at]
        if word in ("-c", "--command", "--session-command"):
            return words[at + 1] if at + 1 < end else None
        if word.startswith("--command="):
            return word.partition("=")[2]
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return words[at + 1] if at + 1 < end else None
        at += 1
    return None


def _ssh_host(words: list[str], at: int, end: int) -> int:
    return _options(words, at, end, short="pilLoFRDJbBcEeImOQSwW")


def _ssh(words: list[str], at: int, end: int) -> str | None:
    host = _ssh_host(words, at, end)
    # Options may follow the host as well.
    first = _options(words, host + 1, end, short="pilLoFRDJbBcEeImOQSwW")
    return " ".join(words[first:end]) if first < end else None


def _eval(words: list[str], at: int, end: int) -> str | None:
    at += at < end and words[at] == "--"
    return " ".join(words[at:end])


def _trap(words: list[str], at: int, end: int) -> str | None:
    at += at < end and words[at] == "--"
    return words[at] if at + 1 < end and not words[at].startswith("-") else None


def _watch(words: list[str], at: int, end: int) -> str | None:
    at = _options(words, at, end, short="nqs", long="interval equexit")
    return " ".join(words[at:end])


def _cmd(words: list[str], at: int, end: int) -> str | None:
    """Return what follows ``/c`` or ``/k`` of ``cmd.exe``; ``//c`` is how Git Bash has it."""
    while at < end:
        word = words[at].lower()
        if word.startswith(("/c", "//c", "/k", "//k", "/r")):
            rest = words[at][word.index(word.lstrip("/")[0]) + 1 :]
            return " ".join(([rest] if rest else []) + words[at + 1 : end])
        if not word.startswith("/"):
            return None
        at += 1
    return None


def _powershell(words: list[str], at: int, end: int) -> str | None:
    while at < end:
        word = words[at].lower().replace("/", "-", 1)
        if word.startswith("-c") and "-command".startswith(word):
            return " ".join(words[at + 1 : end])
        if word in ("-file", "-f", "-encodedcommand", "-e", "-ec", "-enc"):
            return None
        if word.startswith("-"):
            at += 2 if word in _POWERSHELL_VALUES else 1
        else:
            return " ".join(words[at:end])
    return None


def _git(words: list[str], at: int, end: int) -> str | None:
    at = _options(
        words, at, end, short="Cc", long="git-dir work-tree namespace exec-path config-env"
    )
    if words[at : at + 2] != ["submodule", "foreach"]:
        return None
    at = _options(words, at + 2, end)
    return " ".join(words[at:end])


def _env_split(words: list[str], at: int, end: int) -> str | None:
    """Return the text of ``env -S``, with the words after it."""
    while at < end and words[at].startswith("-"):
        word = words[at]
        if word.startswith("--split-string="):
            return " ".join([word.partition("=")[2], *words[at + 1 : end]])
        if word == "--split-string" or (not word.startswith("--") and "S" in word):
            attached = word.partition("S")[2] if not word.startswith("--") else ""
            return " ".join(([attached] if attached else []) + words[at + 1 : end])
        at += 2 if word in ("-u", "-C", "--unset", "--chdir") else 1
    return None


def _flock_text(words: list[str], at: int, end: int) -> str | None:
    at = _flock(words, at, end)
    return words[at + 1] if at + 1 < end and words[at] in ("-c", "--command") else None


_POWERSHELL_VALUES = frozenset(
    {"-executionpolicy", "-ex", "-ep", "-version", "-windowstyle", "-w", "-workingdirectory", "-wd"}
)
_READERS: dict[str, Callable[[list[str], int, int], str | None]] = {
    "eval": _eval,
    "su": _su,
    "runuser": _su,
    "script": _su,
    "ssh": _ssh,
    "trap": _trap,
    "watch": _watch,
    "cmd": _cmd,
    "powershell": _powershell,
    "pwsh": _powershell,
    "git": _git,
}
# Wrappers that have a form with a text as well.
_ALSO_TEXT = {"env": _env_split, "flock": _flock_text}


def _find_commands(words: list[str], at: int, end: int) -> list[tuple[int, int]]:
    """Return where the commands of ``-exec`` and its like begin and end."""
    found: list[tuple[int, int]] = []
    while at < end:
        if words[at] in ("-exec", "-execdir", "-ok", "-okdir"):
            last = at + 1
            while last < end and words[last] != ";" and not _ends_batch(words, last):
                last += 1
            if last > at + 1:
                found.append((at + 1, last))
            at = last
        at += 1
    return found


def _ends_batch(words: list[str], at: int) -> bool:
    return words[at] == "+" and words[at - 1] == "{}"
