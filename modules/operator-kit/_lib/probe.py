"""Probes that hold a claim of a document against the world, and what a result means."""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.strictjson import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["INSTRUMENT", "KINDS", "Probe", "label", "parse_option", "parse_probe", "probe"]

KINDS = ("cmd", "http", "glob")
BUG, BY_DESIGN, ASPIRATIONAL = "bug", "by-design", "aspirational"
UNEXPECTED, INSTRUMENT = "unexpected", "instrument-failure"
_CMD_S, _HTTP_S = 120.0, 10.0
_FOUND = 200


class Probe:
    """One probe; `expect` says whether the document claims that it holds."""

    __slots__ = ("expect", "kind", "name", "target")

    def __init__(self, name: str, kind: str, target: str, *, expect: bool) -> None:
        self.name = name
        self.kind = kind
        self.target = target
        self.expect = expect


def parse_probe(value: object, where: str) -> Probe:
    """Return the probe of an object ``{name, kind, target, expect}``.

    Raises:
        RefusedError: It is none.

    """
    if not isinstance(value, dict):
        raise RefusedError(f"{where}: expected an object, got {kind_of(value)}")
    unknown = sorted(set(value) - {"name", "kind", "target", "expect"})
    if unknown:
        raise RefusedError(f"{where}.{unknown[0]}: unknown key")
    for key in ("name", "kind", "target"):
        if not isinstance(value.get(key), str) or not value[key].strip():
            raise RefusedError(f"{where}.{key}: expected a text")
    if not isinstance(value.get("expect", True), bool):
        raise RefusedError(f"{where}.expect: expected true or false")
    found = Probe(value["name"], value["kind"], value["target"], expect=value.get("expect", True))
    _check(found, where)
    return found


def parse_option(text: str) -> Probe:
    """Return the probe of ``name=kind:target[:expect=true|false]``.

    Raises:
        RefusedError: It is none.

    """
    name, equals, rest = text.partition("=")
    kind, colon, target = rest.partition(":")
    expect = True
    for word, value in ((":expect=true", True), (":expect=false", False)):
        if target.endswith(word):
            target, expect = target[: -len(word)], value
    if not (name and equals and colon and target):
        raise RefusedError(f"--probe: {text!r}: expected name=kind:target[:expect=true|false]")
    found = Probe(name, kind, target, expect=expect)
    _check(found, f"--probe {name}")
    return found


def probe(asked: Probe, root: str) -> bool | None:
    """Return whether it holds; None when that could not be found out."""
    return {"cmd": _cmd, "http": _http, "glob": _glob}[asked.kind](asked.target, root)


def label(*, expect: bool, holds: bool | None) -> str:
    """Return what a result means."""
    if holds is None:
        return INSTRUMENT
    if expect:
        return BY_DESIGN if holds else BUG
    return UNEXPECTED if holds else ASPIRATIONAL


def _check(asked: Probe, where: str) -> None:
    if asked.kind not in KINDS:
        raise RefusedError(f"{where}.kind: expected one of {', '.join(KINDS)}")
    if asked.kind == "cmd":
        from _lib.commandtext import split

        split(asked.target, f"{where}.target")
    elif asked.kind == "http":
        _checked_url(asked.target, where)
    else:
        from hpp.core.portable.fsread import relative_fault

        fault = relative_fault(asked.target)
        if fault:
            raise RefusedError(f"{where}.target: {fault}")


def _checked_url(url: str, where: str) -> Any:  # noqa: ANN401 -- what urllib splits it into
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        is_good = False
    if not is_good or any(char.isspace() for char in url):
        raise RefusedError(f"{where}.target: expected an http or https URL")
    if parts.username is not None or parts.password is not None:
        raise RefusedError(f"{where}.target: a URL holds no credentials here")
    return parts


def _cmd(target: str, root: str) -> bool | None:
    from _lib.commandtext import Declared, split
    from _lib.measure import NOT_STARTED, measure

    found = measure(Declared(target, split(target, "target")), root, _CMD_S)
    is_unknown = found.timed_out or found.exit == NOT_STARTED
    return None if is_unknown else found.passed


def _glob(target: str, root: str) -> bool | None:
    from _lib.plan import is_there

    return is_there(target, root)


def _http(target: str, _: str) -> bool | None:
    """Ask once; a redirect is followed on the same host alone."""
    import http.client
    import urllib.error
    import urllib.request

    host = _checked_url(target, "probe").netloc

    class SameHost(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *args: Any, **more: Any) -> Any:  # noqa: ANN401 -- as there
            request = super().redirect_request(*args, **more)
            return request if request is not None and request.host == host else None

    opener = urllib.request.build_opener(SameHost)
    try:
        with opener.open(target, timeout=_HTTP_S) as answer:
            return bool(answer.status == _FOUND)
    except urllib.error.HTTPError as error:
        error.close()
        return False
    except (OSError, http.client.HTTPException, ValueError):
        return None
