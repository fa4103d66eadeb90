"""Where a probe goes: which texts are targets, and what of one may be shown."""

from __future__ import annotations

from hpp.core.portable.fsread import relative_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Address", "http_address", "shown_target", "target_fault", "tcp_address"]

_PORTS = {"http": 80, "https": 443}
_LAST_PORT = 65535
_MOST_WORDS = 100
_LONGEST_URL = 2000


class Address:
    """Where a request goes.

    Attributes:
        host: Name or address, without brackets.
        port: Its number.
        is_secure: TLS is spoken.
        request: Path and query; empty for plain TCP.
        netloc: Host and port as they were written.

    """

    __slots__ = ("host", "is_secure", "netloc", "port", "request")

    def __init__(
        self, host: str, port: int, *, is_secure: bool = False, request: str = "", netloc: str = ""
    ) -> None:
        self.host = host
        self.port = port
        self.is_secure = is_secure
        self.request = request
        self.netloc = netloc


def target_fault(kind: str, target: object) -> str | None:
    """Return what is wrong with the target of a kind of probe, or None."""
    if kind in ("cmd", "cmd-timestamp"):
        return _words_fault(target)
    if not isinstance(target, str):
        return "target: expected a text"
    if kind in ("http", "http-timestamp"):
        return None if http_address(target) else (
            "target: expected a http or https URL with a host, and no user or password in it"
        )  # fmt: skip
    if kind == "tcp":
        return None if tcp_address(target) else "target: expected host:port"
    fault = relative_fault(target)
    return f"target: {fault}" if fault else None


def http_address(url: str) -> Address | None:
    """Return where a URL goes; None when it is none that may be asked."""
    if len(url) > _LONGEST_URL or not url.isascii() or any(c <= " " or c == "\x7f" for c in url):
        return None
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    scheme = parts.scheme.lower()
    if scheme not in _PORTS or not parts.hostname or "@" in parts.netloc or "\\" in parts.netloc:
        return None
    request = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Address(
        parts.hostname,
        _PORTS[scheme] if port is None else port,
        is_secure=scheme == "https",
        request=request,
        netloc=parts.netloc,
    )


def tcp_address(text: str) -> Address | None:
    """Return the address of ``host:port``, the host of IPv6 in brackets."""
    host, colon, port = text.rpartition(":")
    if not colon or not (port.isascii() and port.isdigit()) or not 0 < int(port) <= _LAST_PORT:
        return None
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        return None
    if not host or not host.isascii() or not host.isprintable() or {" ", "/", "@"} & set(host):
        return None
    return Address(host, int(port))


def shown_target(kind: str, target: Any) -> str:  # noqa: ANN401 -- as the profile has it
    """Return what a cache and a list may say of a target: no secret, of a command no argument."""
    if kind in ("cmd", "cmd-timestamp"):
        text = str(target[0]).replace("\\", "/").rpartition("/")[2]
    else:
        text = str(target)
    from hpp.core.portable.redact import redact

    return redact(text)


def _words_fault(target: object) -> str | None:
    if isinstance(target, str):
        return "target: expected a list of words; a text would be read differently by each shell"
    is_list = isinstance(target, list) and 0 < len(target) <= _MOST_WORDS
    if not is_list or not isinstance(target, list):
        return f"target: expected a list of 1 to {_MOST_WORDS} words"
    for number, word in enumerate(target):
        if not isinstance(word, str) or "\0" in word:
            return f"target[{number}]: expected a text"
    return None if target[0].strip() else "target[0]: expected the name of a program"
