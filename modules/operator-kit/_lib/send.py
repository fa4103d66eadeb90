"""Which commands send something to another machine, and to which one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hpp.core.portable.shellwords import Command

__all__ = ["destinations", "fed_to_ssh", "host_of", "is_internal"]

_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_SSH_VALUED = frozenset("BbcDEeFIiJLlmOopQRSWw")
_WRAPPED = 4  # how far behind `sudo`, `env` and the like a program is looked for
_CURL_DATA = ("--data", "--form", "--json", "--upload-file", "--url-query")
_CURL_LETTERS = frozenset("dFT")
# Short options of curl that take a value, so that letters behind them are no options.
_CURL_VALUED = frozenset("AbcCdDeEFhHKmoPQrtTuUwxXyYz")
_COPIERS = frozenset({"scp", "rsync"})
_LINES = frozenset({"sftp", "ftp", "nc", "ncat", "netcat"})
_MAILERS = frozenset({"mail", "mailx", "sendmail", "mutt"})
_HTTPIE = frozenset({"http", "https", "xh", "xhs", "httpie"})
_GH_WRITES = frozenset({"create", "comment", "edit", "close", "merge", "review", "upload"})


def destinations(  # noqa: PLR0911 -- a table, one return a row
    command: Command,
) -> list[str]:
    """Return the hosts that a command sends to; empty when it only fetches or does neither."""
    name, words = command.program.lower(), command.words
    if name == "curl":
        return _hosts(words[1:]) if _curl_sends(words) else []
    if name == "wget":
        return _hosts(words[1:]) if _wget_sends(words) else []
    if name in _HTTPIE:
        return _httpie(words)
    if name in _COPIERS:
        return _copied(words)
    if name in _LINES:
        return _remote_operand(words)
    if name in _MAILERS:
        return _mailed(words)
    if name == "aws":
        return _aws(words)
    return _gh(words) if name == "gh" else []


def fed_to_ssh(text: str) -> list[str]:
    """Return the hosts that a pipe of a text feeds through `ssh`.

    What runs over there is a command of its own, so `ssh` itself is none of the commands of
    the text, and is looked for among its words.
    """
    if "ssh" not in text or "|" not in text:
        return []
    from hpp.core.shell.call import program_name
    from hpp.core.shell.lexer import read_text, without_marks
    from hpp.core.shell.model import PIPE, SIMPLE

    found: list[str] = []
    is_fed = False
    for kind, value in read_text(without_marks(text)).events:
        names = [program_name(word) for word in value.words[:_WRAPPED]] if kind == SIMPLE else []
        if is_fed and "ssh" in names:
            rest = iter(value.words[names.index("ssh") + 1 :])
            for word in rest:
                if word[:1] != "-":
                    found.append(host_of(word))
                    break
                if len(word) == len("-p") and word[1] in _SSH_VALUED:
                    next(rest, None)
        is_fed = kind == PIPE
    return found


def host_of(text: str) -> str:
    """Return the host of a URL or of ``user@host:path``, small, without user and port."""
    rest = text.partition("://")[2] if "://" in text else text
    rest = rest.replace("\\", "/").partition("/")[0].partition("?")[0].partition("#")[0]
    rest = rest.rpartition("@")[2]
    if rest[:1] == "[":
        return rest[1:].partition("]")[0].lower()
    if rest.count(":") > 1:
        return rest.lower()
    return rest.partition(":")[0].lower().rstrip(".")


def is_internal(host: str, own: Iterable[str]) -> bool:
    """Say whether a host is this machine, a private address, or one that the profile names."""
    if host in ("", "localhost") or host.endswith((".localhost", ".local", ".internal")):
        return True
    if _is_private(host):
        return True
    from fnmatch import fnmatchcase

    return any(fnmatchcase(host, glob.lower()) for glob in own)


def _is_private(host: str) -> bool:
    if not host[:1].isdigit() and ":" not in host:
        return False
    from ipaddress import ip_address, ip_network

    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped or address
    private = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
    return address.is_loopback or any(
        address in ip_network(each)
        for each in private
        if ip_network(each).version == address.version
    )


def _hosts(words: Sequence[str]) -> list[str]:
    """Return the hosts of every URL among words, and of a bare operand that looks like one."""
    found = [host_of(word) for word in words if "://" in word.partition("=")[0] or _is_url(word)]
    if not found:
        plain = [word for word in words if word[:1] not in ("-", "@", "{", "[") and "=" not in word]
        found = [host_of(word) for word in plain if "." in host_of(word) or ":" in word][-1:]
    return [host for host in dict.fromkeys(found) if host] or ["an address that the text hides"]


def _is_url(word: str) -> bool:
    low = word.lower()
    return low.startswith(("http://", "https://", "ftp://", "sftp://", "ws://", "wss://"))


def _curl_sends(words: Sequence[str]) -> bool:
    for at, word in enumerate(words[1:], 1):
        following = words[at + 1] if at + 1 < len(words) else ""
        if word[:2] == "--":
            name, _, value = word.partition("=")
            if name == "--request" and (value or following).upper() in _METHODS:
                return True
            if name.startswith(_CURL_DATA) and name != "--url-query":
                return "--get" not in words and "-G" not in words
        elif word[:1] == "-":
            for place, letter in enumerate(word[1:], 1):
                value = word[place + 1 :] or following
                if letter == "X" and value.upper() in _METHODS:
                    return True
                if letter in _CURL_LETTERS:
                    return letter != "d" or ("--get" not in words and "-G" not in words)
                if letter in _CURL_VALUED:
                    break
    return False


def _wget_sends(words: Sequence[str]) -> bool:
    for at, word in enumerate(words):
        name, _, value = word.partition("=")
        if name.startswith(("--post-", "--body-")):
            return True
        following = words[at + 1] if at + 1 < len(words) else ""
        if name == "--method" and (value or following).upper() in _METHODS:
            return True
    return False


def _httpie(words: Sequence[str]) -> list[str]:
    operands = [word for word in words[1:] if word[:1] != "-"]
    if not operands:
        return []
    method = operands[0].upper()
    given = operands[1:] if method in _METHODS or method in _READING else operands
    items = [word for word in given[1:] if "=" in word.replace("==", "") or "@" in word]
    if not given or not (method in _METHODS or items):
        return []
    host = host_of(given[0])
    return [host or "localhost"]


def _copied(words: Sequence[str]) -> list[str]:
    operands = [word for word in words[1:] if word[:1] != "-"]
    target = operands[-1] if len(operands) > 1 else ""
    is_remote = "://" in target or (":" in target and "/" not in target.partition(":")[0])
    is_drive = target[1:2] == ":" and target[2:3] in ("\\", "/")
    return [host_of(target)] if is_remote and not is_drive else []


def _remote_operand(words: Sequence[str]) -> list[str]:
    if any(word[:1] == "-" and word[:2] != "--" and "l" in word for word in words[1:]):
        return []  # it listens
    operands = [word for word in words[1:] if word[:1] != "-"]
    named = [word for word in operands if "@" in word or "." in word or word == "localhost"]
    chosen = (named or operands)[:1]
    return [host_of(word) for word in chosen]


def _mailed(words: Sequence[str]) -> list[str]:
    people = [word for word in words[1:] if "@" in word and word[:1] != "-"]
    return [host_of(person) for person in people] or ["mail"]


def _aws(words: Sequence[str]) -> list[str]:
    plain = [word for word in words[1:] if word[:1] != "-"]
    if plain[:1] != ["s3"] or plain[1:2] not in (["cp"], ["mv"], ["sync"]):
        return []
    target = plain[-1]
    return [f"s3 bucket {host_of(target)}"] if target.startswith("s3://") else []


def _gh(words: Sequence[str]) -> list[str]:
    plain = [word for word in words[1:] if word[:1] != "-"]
    if plain[:1] == ["api"]:
        return ["github.com"] if _api_writes(words) else []
    kinds = ("issue", "pr", "release", "gist", "repo")
    writes = len(plain) > 1 and plain[0] in kinds and plain[1] in _GH_WRITES
    return ["github.com"] if writes else []


def _api_writes(words: Sequence[str]) -> bool:
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else ""
        name, _, value = word.partition("=")
        if name == "--method" or word[:2] == "-X":
            given = (
                value if name == "--method" and value else (word[2:] if word[:2] == "-X" else "")
            )
            return (given or following).upper() in _METHODS
    return any(word in ("-f", "-F", "--field", "--raw-field", "--input") for word in words)
