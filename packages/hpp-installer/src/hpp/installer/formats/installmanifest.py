"""``install/kit.install.json``: what a module needs, copies, asks and proves."""

from __future__ import annotations

import re

from hpp.core.fault import Faults
from hpp.core.secret import find as find_secrets
from hpp.installer.formats.destination import name_fault
from hpp.installer.formats.identifier import LONGEST_ID, is_module_id, is_version
from hpp.installer.formats.question import question_faults
from hpp.installer.formats.relativepath import path_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hpp.core.fault import Path

__all__ = ["NAME", "SCHEMA", "check_install_manifest", "python_fits"]

NAME = "install/kit.install.json"
SCHEMA = "hpp.kit-install/v1"
HOSTS = ("claude-code", "codex")
CHANNELS = ("plugin", "copy", "unsupported")
PROGRAMS = ("{python}", "{bash}")
DEFAULT_TIMEOUT_S = 30
LONGEST_TIMEOUT_S = 300

_KEYS = ("schema", "kit", "version", "requires", "seeds", "questions", "smokes", "hosts", "docs")
_OPTIONAL = ("wiring",)
_GATE = re.compile(r"hooks|statusLine|[A-Z][A-Za-z]{0,63}")
_COMMAND = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
_SMOKE_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_COMPARISON = re.compile(r"(>=|<=|==|!=|>|<) ?([0-9]{1,4}(?:\.[0-9]{1,4}){0,2})")


def check_install_manifest(document: dict[str, Any]) -> list[str]:
    """Return every fault as ``path: what``, in the order of the document.

    What depends on the module's other files is the caller's: smoke scripts and documents
    that exist, components that ask for a smoke, coverage that agrees.
    """
    found = Faults(document)
    found.keys(document, (), _KEYS, _OPTIONAL)
    if "schema" in document:
        found.exactly(document, ("schema",), SCHEMA, f'the text "{SCHEMA}"')
    kit = found.given_text(document, ("kit",))
    if kit is not None and not is_module_id(kit):
        found.add(("kit",), f"expected lower-case words with hyphens, at most {LONGEST_ID}")
    version = found.given_text(document, ("version",))
    if version is not None and not is_version(version):
        found.add(("version",), "expected MAJOR.MINOR.PATCH, with a pre-release at most")
    _requires(found, document)
    _each(found, document, "seeds", _seed)
    _each(found, document, "questions", question_faults)
    _each(found, document, "smokes", _smoke)
    _unique(found, document, "questions", "id")
    _unique(found, document, "smokes", "id")
    _unique(found, document, "seeds", "to")
    _hosts(found, document)
    _wiring(found, document)
    _file(found, document, ("docs",))
    return found.in_order()


def python_fits(requirement: str, version: tuple[int, ...]) -> bool:
    """Say whether a Python version fits a comparison such as ``>=3.10``; several by commas."""
    for part in requirement.split(","):
        matched = _COMPARISON.fullmatch(part.strip())
        if matched is None:
            return False
        wanted = tuple(int(number) for number in matched[2].split("."))
        # Only what is written is compared: 3.12.4 is == 3.12 and not > 3.12.
        have = tuple(version[: len(wanted)])
        fits = {
            ">=": have >= wanted,
            "<=": have <= wanted,
            "==": have == wanted,
            "!=": have != wanted,
            ">": have > wanted,
            "<": have < wanted,
        }
        if not fits[matched[1]]:
            return False
    return True


def _requires(found: Faults, document: dict[str, Any]) -> None:
    requires = found.mapping(document, ("requires",)) if "requires" in document else None
    if requires is None:
        return
    keys = ("python", "external_services")
    found.keys(requires, ("requires",), keys, ("commands", "optional_commands"))
    python = found.given_text(requires, ("requires", "python"))
    if python is not None and not all(
        _COMPARISON.fullmatch(part.strip()) for part in python.split(",")
    ):
        found.add(("requires", "python"), 'expected a comparison such as ">=3.10"')
    for key in ("commands", "optional_commands"):
        if key in requires:
            for name, place in found.texts(requires, ("requires", key), empty=True).items():
                if not _COMMAND.fullmatch(name):
                    found.add(("requires", key, place), "expected the bare name of a program")
    _services(found, requires)


def _services(found: Faults, requires: dict[str, Any]) -> None:
    path: Path = ("requires", "external_services")
    services = requires.get("external_services")
    if not isinstance(services, list):
        if "external_services" in requires:
            found.add(path, "expected a list, also when it is empty")
        return
    for number, service in enumerate(services):
        where = (*path, number)
        if not isinstance(service, dict):
            found.add(where, "expected an object")
            continue
        keys = ("name", "via", "needs")
        found.keys(service, where, keys)
        for key in keys:
            value = found.given_text(service, (*where, key))
            if value is not None and find_secrets(value):
                found.add((*where, key), "it looks like a secret")


def _seed(found: Faults, seed: dict[str, Any], path: Path) -> None:
    found.keys(seed, path, ("from", "to"))
    _file(found, seed, (*path, "from"))
    to = found.given_text(seed, (*path, "to"))
    fault = name_fault(to) if to is not None else ""
    if fault:
        found.add((*path, "to"), fault)


def _smoke(found: Faults, smoke: dict[str, Any], path: Path) -> None:
    found.keys(smoke, path, ("id", "argv"), ("timeout",))
    identity = found.given_text(smoke, (*path, "id"))
    if identity is not None and not _SMOKE_ID.fullmatch(identity):
        found.add((*path, "id"), "expected lower-case words with hyphens")
    timeout = smoke.get("timeout", DEFAULT_TIMEOUT_S)
    if type(timeout) is not int or not 0 < timeout <= LONGEST_TIMEOUT_S:
        told = f"expected a whole number of seconds from 1 to {LONGEST_TIMEOUT_S}"
        found.add((*path, "timeout"), told)
    argv = smoke.get("argv")
    if "argv" not in smoke:
        return
    if not isinstance(argv, list) or len(argv) < 2:  # noqa: PLR2004 -- program and script
        found.add((*path, "argv"), "expected a program and a script")
        return
    for number, word in enumerate(argv):
        if not isinstance(word, str) or not word or "\0" in word:
            found.add((*path, "argv", number), "expected a non-empty text")
    if isinstance(argv[0], str) and argv[0] not in PROGRAMS:
        found.add((*path, "argv", 0), f"expected {' or '.join(PROGRAMS)}")
    if isinstance(argv[1], str) and argv[1] and path_fault(argv[1]):
        found.add((*path, "argv", 1), path_fault(argv[1]))


def _hosts(found: Faults, document: dict[str, Any]) -> None:
    hosts = found.mapping(document, ("hosts",)) if "hosts" in document else None
    if hosts is None:
        return
    if not hosts:
        found.add(("hosts",), "expected an entry per host")
    for host, entry in hosts.items():
        path: Path = ("hosts", host)
        if host not in HOSTS:
            found.add(path, f"unknown host; there are {', '.join(HOSTS)}")
        if not isinstance(entry, dict):
            found.add(path, "expected an object")
            continue
        found.keys(entry, path, ("channel", "manual_gates"))
        if "channel" in entry:
            found.choice(entry, (*path, "channel"), CHANNELS)
        if "manual_gates" in entry:
            gates = found.texts(entry, (*path, "manual_gates"), empty=True)
            for gate, place in gates.items():
                if not _GATE.fullmatch(gate):
                    told = "expected hooks, statusLine or the name of an event"
                    found.add((*path, "manual_gates", place), told)


def _wiring(found: Faults, document: dict[str, Any]) -> None:
    if "wiring" not in document:
        return
    wiring = found.mapping(document, ("wiring",))
    if wiring is None:
        return
    found.keys(wiring, ("wiring",), (), HOSTS)
    for host in HOSTS:
        if host in wiring:
            _file(found, wiring, ("wiring", host))


def _file(found: Faults, parent: dict[str, Any], path: Path) -> None:
    value = found.given_text(parent, path)
    if value is not None and path_fault(value):
        found.add(path, path_fault(value))


def _each(
    found: Faults,
    document: dict[str, Any],
    key: str,
    check: Callable[[Faults, dict[str, Any], Path], None],
) -> None:
    if key not in document:
        return
    items = document[key]
    if not isinstance(items, list):
        found.add((key,), "expected a list")
        return
    for number, item in enumerate(items):
        if isinstance(item, dict):
            check(found, item, (key, number))
        else:
            found.add((key, number), "expected an object")


def _unique(found: Faults, document: dict[str, Any], key: str, name: str) -> None:
    items = document.get(key)
    seen: set[str] = set()
    for number, item in enumerate(items if isinstance(items, list) else []):
        value = item.get(name) if isinstance(item, dict) else None
        if isinstance(value, str):
            if value in seen:
                found.add((key, number, name), "it is repeated")
            seen.add(value)
