#!/usr/bin/env python3
"""Ask services and data how they are, write it down, and tell up from fresh."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    import threading
    from http.client import HTTPResponse
    from typing import Any

    from _lib.healthrun import Judged
    from _lib.probe import Probe
    from _lib.setting import Settings
    from _lib.sweep import Found
    from _lib.target import Address

NAME = "health-probe"
HOOK_LIMIT_S, COMMAND_LIMIT_S = 15.0, 60.0
_MOST_BODY = 64 * 1024
_BAD = 2


def main() -> int:
    """Answer the command line, or the host's event, and return the exit status."""
    if "--hook" in sys.argv[1:]:
        return _hook()
    from _lib.healthverb import make_verbs

    from hpp.core.portable.scriptcli import run_script

    parser, run = make_verbs(lambda settings, **more: _probe(settings, COMMAND_LIMIT_S, **more))
    return run_script(parser, run, self_test=self_test)


def _hook() -> int:
    """Probe at the start of a session; say something only when a block probe is bad."""
    from hpp.core.portable import hookio
    from hpp.core.portable.payload import LARGEST

    try:
        if not sys.stdin.isatty():
            sys.stdin.buffer.read(LARGEST)
        said = _hook_says()
    except Exception as error:  # noqa: BLE001 -- a session must start whatever happens
        said = f"internal error ({type(error).__name__}); not probed"
    return hookio.write(hookio.message(NAME, said)) if said else 0


def _hook_says() -> str:
    from _lib.setting import project_root, read_settings

    from hpp.core.errors import HppError

    root = project_root(os.environ)
    try:
        settings = read_settings(root, root, os.environ)
        if not settings.probes:
            return ""
        judged = _probe(settings, HOOK_LIMIT_S)
    except HppError as error:
        return f"not probed: {error}"
    return judged.line if judged.status == _BAD else ""


def _probe(settings: Settings, limit_s: float, **more: Any) -> Judged:  # noqa: ANN401 -- of `probe_all`
    from _lib.commandprobe import command_probes
    from _lib.healthrun import probe_all

    from hpp.core.interruption import Interruption

    with Interruption() as interruption:
        asks = {
            "http": ask_http,
            "http-timestamp": ask_http_time,
            "tcp": ask_tcp,
            **command_probes(settings.root, interruption),
        }
        now = time.time()
        return probe_all(settings, asks, now, limit_s, check=interruption.check, **more)


def ask_tcp(probe: Probe, left_s: float) -> Found:
    """Connect and close."""
    from _lib.sweep import Found
    from _lib.target import tcp_address

    address = tcp_address(probe.target)
    if address is None:
        return Found(reason="config")
    began = time.monotonic()
    try:
        _connected(address, probe, began + left_s).close()
    except OSError as error:
        return _failed(error)
    return Found("up", latency_ms=_since_ms(began))


def ask_http(probe: Probe, left_s: float) -> Found:
    """Ask once, follow nothing, and look at the status."""
    from _lib.sweep import Found

    began = time.monotonic()
    try:
        status = _get(probe, began + left_s, most=0)[0]
    except OSError as error:
        return _failed(error)
    took_ms = _since_ms(began)
    if any(low <= status <= high for low, high in probe.expect):
        return Found("up", latency_ms=took_ms)
    return Found("down", f"http-{status}", latency_ms=took_ms)


def ask_http_time(probe: Probe, left_s: float) -> Found:
    """Ask once, and read the time in a header or in the answer's own JSON."""
    from _lib.sweep import Found
    from _lib.timestamp import UNPARSABLE, at_field, seconds_of

    from hpp.core.errors import RefusedError
    from hpp.core.strictjson import parse_bytes

    try:
        status, headers, body = _get(probe, time.monotonic() + left_s, most=_MOST_BODY)
    except OSError as error:
        return Found(reason=_failed(error).reason)
    if not 200 <= status <= 299:  # noqa: PLR2004 -- what HTTP calls success
        return Found(reason=f"http-{status}")
    if probe.field.startswith("header:"):
        name = probe.field.partition(":")[2].lower()
        signal, reason = seconds_of(headers.get(name), is_header=True)
        return Found(signal=signal, reason=reason)
    try:
        signal, reason = seconds_of(at_field(parse_bytes(body, "answer"), probe.field))
    except RefusedError:
        return Found(reason=UNPARSABLE)
    return Found(signal=signal, reason=reason)


class _LinkLocalError(OSError):
    """The address is one of the link itself, where machines keep secrets of their own."""


def _connected(address: Address, probe: Probe, ends: float) -> socket.socket:
    """Return a connection to an address that was looked at before it is used."""
    import ipaddress
    import socket

    last: OSError = OSError(0, "no address")
    for _, _, _, _, place in socket.getaddrinfo(
        address.host, address.port, type=socket.SOCK_STREAM
    ):
        found = ipaddress.ip_address(str(place[0]).partition("%")[0])
        mapped = getattr(found, "ipv4_mapped", None) or found
        if mapped.is_link_local and not probe.allow_link_local:
            raise _LinkLocalError(0, "a link-local address")
        left_s = ends - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        try:
            return socket.create_connection((str(place[0]), address.port), timeout=left_s)
        except OSError as error:
            last = error
    raise last


def _get(probe: Probe, ends: float, most: int) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers in lower case and at most so many bytes of an answer.

    Raises:
        OSError: Nothing that is an answer came in time.

    """
    import threading
    from http.client import HTTPConnection, HTTPException

    from _lib.target import http_address

    address = http_address(probe.target)
    if address is None:
        raise OSError(0, "no URL")
    stream = _connected(address, probe, ends)
    # A server that sends a byte now and then would outlast every single wait.
    is_over = threading.Event()
    guard = threading.Timer(max(0.0, ends - time.monotonic()), _shut, [stream, is_over])
    guard.daemon = True
    guard.start()
    try:
        if address.is_secure:
            stream = _secured(stream, address.host)
        connection = HTTPConnection(address.host, address.port)
        connection.sock = stream
        headers = {"Host": address.netloc, "User-Agent": "health-probe", "Accept": "*/*"}
        headers.update(_secret_headers(probe))
        connection.request("GET", address.request, headers=headers)
        answer = _answer(connection.getresponse(), most)
    except (HTTPException, ValueError, OSError) as error:
        if is_over.is_set():
            raise TimeoutError from None
        if isinstance(error, OSError):
            raise
        raise OSError(0, f"no HTTP: {type(error).__name__}") from None
    finally:
        guard.cancel()
        stream.close()
    if is_over.is_set():  # what was cut off reads like an answer that ended
        raise TimeoutError
    return answer


def _answer(response: HTTPResponse, most: int) -> tuple[int, dict[str, str], bytes]:
    headers = {name.lower(): value for name, value in response.getheaders()}
    return response.status, headers, response.read(most) if most else b""


def _secured(stream: socket.socket, host: str) -> socket.socket:
    import ssl

    return ssl.create_default_context().wrap_socket(stream, server_hostname=host)


def _secret_headers(probe: Probe) -> dict[str, str]:
    """Return the headers whose values the environment holds; what it does not hold is left out."""
    values = {header: os.environ.get(name) for header, name in probe.headers_env.items()}
    return {header: value for header, value in values.items() if value is not None}


def _shut(stream: socket.socket, is_over: threading.Event) -> None:
    import socket

    is_over.set()
    try:
        stream.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


def _failed(error: OSError) -> Found:
    """Return what an error of the network says of a service."""
    import socket
    import ssl

    from _lib.sweep import Found

    if isinstance(error, _LinkLocalError):
        return Found(reason="config")
    if isinstance(error, TimeoutError):
        return Found("down", "timeout")
    if isinstance(error, socket.gaierror):
        return Found("down", "dns")
    if isinstance(error, ssl.SSLError):
        return Found("down", "tls")
    return Found("down", "unparsable" if not error.errno else "refused")


def _since_ms(began: float) -> int:
    return int((time.monotonic() - began) * 1000)


def self_test() -> int:
    """Check probes, approval, cache and exit codes in a project of its own, without a network."""
    from _lib.healthtrial import check_health

    from hpp.core.portable.selftest import Checks, Project

    checks = Checks(closing=True)
    with Project() as project:
        check_health(checks, project, lambda settings: _probe(settings, COMMAND_LIMIT_S))
    return checks.finish()


if __name__ == "__main__":
    raise SystemExit(main())
