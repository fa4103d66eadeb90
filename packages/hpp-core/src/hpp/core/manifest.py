"""The manifest: what the protocol, its modules, its hooks and its loop are.

Read before most commands, so it is checked by plain code that imports nothing heavy; the
published JSON Schema is held to the same verdicts by a test.
"""

from __future__ import annotations

import os

from hpp.core.document import read_document, shown_name
from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "NAME",
    "Bundle",
    "Hook",
    "LoopDeclaration",
    "Manifest",
    "Module",
    "Monitor",
    "Transition",
    "find_manifest",
    "load_manifest",
    "packaged_manifest_path",
    "parse_manifest",
]

NAME = "hpp.manifest.json"
_HERE = os.path.dirname(os.path.abspath(__file__))
_CHECKOUT = os.path.join("packages", "hpp-core", "src", "hpp", "core")


class _Entry:
    """One object of the manifest, its keys as attributes."""

    __slots__: tuple[str, ...] = ()

    def __init__(self, raw: dict[str, Any]) -> None:
        for name in self.__slots__:
            setattr(self, name, raw.get(name))


class Module(_Entry):
    """An installable module; `path` is relative to the manifest, with either slash."""

    __slots__ = (
        "area",
        "capabilities",
        "components",
        "hosts",
        "id",
        "integrates_with",
        "path",
        "requires",
        "version",
    )
    area: str | None
    capabilities: list[str]
    components: list[str]
    hosts: dict[str, str]
    id: str
    integrates_with: list[str]
    path: str
    requires: list[str]
    version: str

    def __init__(self, raw: dict[str, Any]) -> None:
        super().__init__(raw)
        self.components = raw.get("components", [])


class Hook(_Entry):
    """A hook that a module may run on a host's events."""

    __slots__ = ("capabilities", "events", "exit_policy", "id", "module", "script")
    capabilities: list[str]
    events: list[str]
    exit_policy: str
    id: str
    module: str
    script: str


class Monitor(_Entry):
    """A declared observation; `cadence` and `freshness` are seconds."""

    __slots__ = (
        "cadence",
        "consumer_gate",
        "cost",
        "freshness",
        "id",
        "severity",
        "target",
        "type",
    )
    cadence: int
    consumer_gate: str
    cost: str
    freshness: int
    id: str
    severity: str
    target: str
    type: str


class Bundle:
    """A named set of modules and the capabilities it is expected to give."""

    __slots__ = ("capabilities", "modules", "name")

    def __init__(self, name: str, raw: dict[str, Any]) -> None:
        self.name = name
        self.modules: list[str] = raw["modules"]
        self.capabilities: list[str] = raw["capabilities"]


class Transition:
    """A move of the loop and the gate it passes."""

    __slots__ = ("event", "from_state", "gate", "to_state")

    def __init__(self, raw: dict[str, str]) -> None:
        self.from_state = raw["from"]
        self.event = raw["event"]
        self.to_state = raw["to"]
        self.gate = raw["gate"]


class LoopDeclaration:
    """The loop as it is declared."""

    __slots__ = ("initial", "transitions")

    def __init__(self, raw: dict[str, Any]) -> None:
        self.initial: str = raw["initial"]
        self.transitions = [Transition(move) for move in raw["transitions"]]


class Manifest:
    """A manifest that keeps every rule.

    Attributes:
        raw: The document it was made from.
        modules, hooks, monitors, bundles: In document order; bundles by name.

    """

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.protocol_version: str = raw["protocol_version"]
        self.product_version: str = raw["product_version"]
        self.name: str = raw["name"]
        self.invariants: list[str] = raw.get("invariants", [])
        self.hosts: list[str] = raw["hosts"]
        self.roles: list[str] = raw["roles"]
        self.maps: list[str] = raw["maps"]
        self.hook_capabilities: list[str] = raw["hook_capabilities"]
        self.installer_path: str = raw["installer"]["path"]
        self.loop = LoopDeclaration(raw["loop"])
        self.modules = [Module(entry) for entry in raw["modules"]]
        self.hooks = [Hook(entry) for entry in raw["hooks"]]
        self.monitors = [Monitor(entry) for entry in raw["monitors"]]
        self.bundles = {name: Bundle(name, entry) for name, entry in raw["bundles"].items()}


def packaged_manifest_path() -> str:
    """Return the path of the manifest that this distribution carries."""
    return os.path.join(_HERE, NAME)


def find_manifest(given: str | None, cwd: str | None = None) -> str:
    """Return the path of the manifest in force.

    The one given; else the nearest in `cwd` and its parents, broken or not; else the one
    of the checkout that this source lies in; else the packaged copy.

    Raises:
        RefusedError: An empty text was given.

    """
    if given is not None:
        if not given:
            raise RefusedError("--manifest: an empty value names no file")
        return os.path.abspath(given)
    folder = os.getcwd() if cwd is None else cwd
    while True:
        candidate = os.path.join(folder, NAME)
        if os.path.isfile(candidate):
            return candidate
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    if _HERE.endswith(_CHECKOUT):
        candidate = os.path.join(_HERE[: -len(_CHECKOUT)], NAME)
        if os.path.isfile(candidate):
            return candidate
    return packaged_manifest_path()


def load_manifest(path: str) -> Manifest:
    """Return the manifest of a file.

    Raises:
        RefusedError: It cannot be read or breaks a rule; the first fault in document order
            is named, with the number of further ones.

    """
    return parse_manifest(read_document(path, root=dict), shown_name(path))


def parse_manifest(document: dict[str, Any], where: str) -> Manifest:
    """Return the manifest of a parsed document; `where` names it in messages.

    Raises:
        RefusedError: It breaks a rule.

    """
    from hpp.core.manifestrule import manifest_faults

    faults = manifest_faults(document)
    if faults:
        further = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise RefusedError(f"{where}: {faults[0]}{further}")
    return Manifest(document)
