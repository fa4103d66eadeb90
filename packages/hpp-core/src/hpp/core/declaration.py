"""What a manifest declares, as objects that cannot be changed.

They are made of a document that keeps every rule, so they check nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["Bundle", "Hook", "LoopDeclaration", "Manifest", "Module", "Monitor", "Transition"]

_put = object.__setattr__


class _Entry:
    """One object of the manifest, its keys as attributes that cannot be set.

    A frozen dataclass would say it shorter; importing it costs more than reading the file.
    """

    __slots__: tuple[str, ...] = ()

    def __init__(self, values: Mapping[str, Any]) -> None:
        for name in self.__slots__:
            _put(self, name, values.get(name))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} is read-only")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} is read-only")


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
    capabilities: Sequence[str]
    components: Sequence[str]
    hosts: Mapping[str, str]
    id: str
    integrates_with: Sequence[str]
    path: str
    requires: Sequence[str]
    version: str

    def __init__(self, raw: Mapping[str, Any]) -> None:
        super().__init__({"components": [], **raw})


class Hook(_Entry):
    """A hook that a module may run on a host's events; `script` is relative to the module."""

    __slots__ = ("capabilities", "events", "exit_policy", "id", "module", "script")
    capabilities: Sequence[str]
    events: Sequence[str]
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


class Bundle(_Entry):
    """A named set of modules and the capabilities it is expected to give."""

    __slots__ = ("capabilities", "modules", "name")
    capabilities: Sequence[str]
    modules: Sequence[str]
    name: str

    def __init__(self, name: str, raw: Mapping[str, Any]) -> None:
        super().__init__({**raw, "name": name})


class Transition(_Entry):
    """A move of the loop and the gate it passes."""

    __slots__ = ("event", "from_state", "gate", "to_state")
    event: str
    from_state: str
    gate: str
    to_state: str

    def __init__(self, raw: Mapping[str, str]) -> None:
        super().__init__({**raw, "from_state": raw["from"], "to_state": raw["to"]})


class LoopDeclaration(_Entry):
    """The loop as it is declared."""

    __slots__ = ("initial", "transitions")
    initial: str
    transitions: Sequence[Transition]

    def __init__(self, raw: Mapping[str, Any]) -> None:
        moves = [Transition(move) for move in raw["transitions"]]
        super().__init__({"initial": raw["initial"], "transitions": moves})


class Manifest(_Entry):
    """A manifest that keeps every rule; everything in document order.

    Attributes:
        bundles: By name.
        installer_path: Relative to the manifest, with either slash.
        raw: The document it was made from, with the keys that no rule knows.

    """

    __slots__ = (
        "bundles",
        "hook_capabilities",
        "hooks",
        "hosts",
        "installer_path",
        "invariants",
        "loop",
        "maps",
        "modules",
        "monitors",
        "name",
        "product_version",
        "protocol_version",
        "raw",
        "roles",
    )
    bundles: Mapping[str, Bundle]
    hook_capabilities: Sequence[str]
    hooks: Sequence[Hook]
    hosts: Sequence[str]
    installer_path: str
    invariants: Sequence[str]
    loop: LoopDeclaration
    maps: Sequence[str]
    modules: Sequence[Module]
    monitors: Sequence[Monitor]
    name: str
    product_version: str
    protocol_version: str
    raw: Mapping[str, Any]
    roles: Sequence[str]

    def __init__(self, raw: Mapping[str, Any]) -> None:
        super().__init__(
            {
                "invariants": [],
                **raw,
                "bundles": {name: Bundle(name, entry) for name, entry in raw["bundles"].items()},
                "hooks": [Hook(entry) for entry in raw["hooks"]],
                "installer_path": raw["installer"]["path"],
                "loop": LoopDeclaration(raw["loop"]),
                "modules": [Module(entry) for entry in raw["modules"]],
                "monitors": [Monitor(entry) for entry in raw["monitors"]],
                "raw": raw,
            }
        )
