"""What is to be probed: the `health.probes` of the profile, held to their rules."""

from __future__ import annotations

from _lib.target import target_fault

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["DATA", "FILES", "SERVICES", "Probe", "parse_probes"]

SERVICES = ("http", "tcp", "cmd")
DATA = ("file-mtime", "json-timestamp", "http-timestamp", "cmd-timestamp")
FILES = ("file-mtime", "json-timestamp")  # what may be looked at without a person's yes
_NETWORK = ("http", "tcp", "http-timestamp")
_HTTP = ("http", "http-timestamp")
_MOST = 50
_LONGEST_NAME = 40
_SHORTEST_S, _LONGEST_S = 0.1, 15
_FIRST = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
_REST = _FIRST | frozenset("._-")
_TOKEN = _FIRST | frozenset("!#$%&'*+-.^_`|~")
_LARGEST = 10**12
_LAST_STATUS = 599
_KEYS = frozenset(
    ["name", "type", "target", "timeout", "freshness", "skew_tolerance", "field", "expect_status",
     "headers_env", "severity", "cadence", "cost", "consumer_gate", "allow_link_local"]
)  # fmt: skip
_UNAPPROVED = ("severity", "cadence", "cost", "consumer_gate")


class Probe:
    """One probe.

    Attributes:
        given: As it stands in the profile.
        target: A text, or for commands a list of words.
        timeout: Seconds.
        freshness: Most seconds that a signal may be old; 0 for services.
        expect: Ranges of HTTP statuses that count as up, both ends included.
        headers_env: Header to the variable that holds its value.

    """

    __slots__ = (
        "allow_link_local", "cadence", "consumer_gate", "cost", "expect", "field", "freshness",
        "given", "headers_env", "name", "severity", "skew_tolerance", "target", "timeout", "type",
    )  # fmt: skip

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.name: str = given["name"]
        self.type: str = given["type"]
        self.target: Any = given["target"]
        self.timeout = float(given.get("timeout", 5 if self.type.startswith("cmd") else 3))
        self.freshness = float(given.get("freshness", 0))
        self.skew_tolerance = float(given.get("skew_tolerance", 5))
        self.field: str = given.get("field", "")
        spans = (_span(each) for each in given.get("expect_status", ["200-399"]))
        self.expect = [span for span in spans if span is not None]
        self.headers_env: dict[str, str] = given.get("headers_env", {})
        self.severity: str = given.get("severity", "warn")
        self.cadence: int = given.get("cadence", 300)
        self.cost: str = given.get("cost", "low")
        self.consumer_gate: str = given.get("consumer_gate", "resume")
        self.allow_link_local: bool = given.get("allow_link_local", False)

    @property
    def is_service(self) -> bool:
        """Say whether the probe asks for a service, and not for data."""
        return self.type in SERVICES

    @property
    def needs_approval(self) -> bool:
        """Say whether a person has to have allowed what it does."""
        return self.type not in FILES

    def binding(self) -> dict[str, Any]:
        """Return what an approval is about: everything that decides what is done."""
        return {key: value for key, value in self.given.items() if key not in _UNAPPROVED}


def parse_probes(value: object, where: str) -> list[Probe]:
    """Return the probes of a list.

    Raises:
        RefusedError: A value breaks a rule; its place is named.

    """
    if not isinstance(value, list) or len(value) > _MOST:
        raise RefusedError(f"{where}: expected a list of at most {_MOST} probes")
    probes: list[Probe] = []
    names: set[str] = set()
    for number, given in enumerate(value):
        place = f"{where}[{number}]"
        if not isinstance(given, dict):
            raise RefusedError(f"{place}: expected a mapping")
        fault = _fault(given)
        if fault:
            raise RefusedError(f"{place}.{fault}")
        if given["name"] in names:
            raise RefusedError(f"{place}.name: {given['name']} is there already")
        names.add(given["name"])
        probes.append(Probe(given))
    return probes


def _fault(given: dict[str, Any]) -> str | None:
    unknown = sorted(str(key) for key in given.keys() - _KEYS)
    if unknown:
        return f"{unknown[0]}: no such key is known"
    name, kind = given.get("name"), given.get("type")
    if not isinstance(name, str) or not _is_name(name):
        return f"name: expected 1 to {_LONGEST_NAME} of A-Z a-z 0-9 . _ -, a letter or digit first"
    if kind not in SERVICES and kind not in DATA:
        return f"type: expected one of {', '.join((*SERVICES, *DATA))}"
    return (
        target_fault(str(kind), given.get("target"))
        or _number_fault(given, str(kind))
        or _field_fault(given, str(kind))
        or _http_fault(given, str(kind))
        or _passed_fault(given)
    )


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_NAME and name[0] in _FIRST and _REST.issuperset(name)


def _number_fault(given: dict[str, Any], kind: str) -> str | None:
    if not _is_number(given.get("timeout", 3), _SHORTEST_S, _LONGEST_S):
        return f"timeout: expected seconds from {_SHORTEST_S} to {_LONGEST_S}"
    if kind in SERVICES:
        extra = [key for key in ("freshness", "skew_tolerance") if key in given]
        return f"{extra[0]}: only a probe of data has it" if extra else None
    if not _is_number(given.get("freshness"), 1, _LARGEST):
        return "freshness: expected seconds of at least 1"
    if not _is_number(given.get("skew_tolerance", 5), 0, _LARGEST):
        return "skew_tolerance: expected seconds of at least 0"
    return None


def _field_fault(given: dict[str, Any], kind: str) -> str | None:
    if kind not in ("json-timestamp", "http-timestamp"):
        return f"field: {kind} has none" if "field" in given else None
    from _lib.timestamp import field_steps

    field = given.get("field")
    if not isinstance(field, str):
        return "field: expected the place of the time, such as meta.updated or rows[0].at"
    if field.startswith("header:"):
        name = field[len("header:") :]
        is_sound = kind == "http-timestamp" and bool(name) and _TOKEN.issuperset(name)
        return None if is_sound else "field: expected header: and the name of a header, over http"
    return None if field_steps(field) else "field: expected a path such as meta.rows[0].at"


def _http_fault(given: dict[str, Any], kind: str) -> str | None:
    if "allow_link_local" in given:
        if kind not in _NETWORK:
            return f"allow_link_local: {kind} has none"
        if not isinstance(given["allow_link_local"], bool):
            return "allow_link_local: expected true or false"
    if "expect_status" in given:
        if kind != "http":
            return f"expect_status: {kind} has none"
        spans = given["expect_status"]
        if not isinstance(spans, list) or not spans or any(_span(each) is None for each in spans):
            return "expect_status: expected a list of codes such as 200 or 200-299"
    if "headers_env" in given:
        return _headers_fault(given["headers_env"], kind)
    return None


def _headers_fault(headers: object, kind: str) -> str | None:
    if kind not in _HTTP:
        return f"headers_env: {kind} has none"
    if not isinstance(headers, dict):
        return "headers_env: expected header names and the variables that hold their values"
    for header, variable in headers.items():
        if not isinstance(header, str) or not header or not _TOKEN.issuperset(header):
            return "headers_env: expected the name of a header"
        if not isinstance(variable, str) or not variable.isidentifier():
            return f"headers_env.{header}: expected the name of a variable"
    return None


def _passed_fault(given: dict[str, Any]) -> str | None:
    if given.get("severity", "warn") not in ("block", "warn"):
        return "severity: expected block or warn"
    cadence = given.get("cadence", 300)
    if type(cadence) is not int or not 0 < cadence <= _LARGEST:
        return "cadence: expected whole seconds above 0"
    for key in ("cost", "consumer_gate"):
        text = given.get(key, "-")
        if not isinstance(text, str) or not text.strip() or not text.isprintable():
            return f"{key}: expected a text"
    return None


def _is_number(value: object, low: float, high: float) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and low <= value <= high  # type: ignore[operator] # it is a number


def _span(given: object) -> tuple[int, int] | None:
    if isinstance(given, bool) or not isinstance(given, (int, str)):
        return None
    low, dash, high = str(given).partition("-")
    parts = (low, high) if dash else (low, low)
    if not all(part.isascii() and part.isdigit() and len(part) == len("200") for part in parts):
        return None
    first, last = int(parts[0]), int(parts[1])
    return (first, last) if 100 <= first <= last <= _LAST_STATUS else None  # noqa: PLR2004 -- the first status
