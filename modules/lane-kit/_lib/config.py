"""What the operator set in ``lanes.yaml``, with every default and every limit.

The file is repository content: it adds rules and makes a mode stricter. Nothing in it turns
a guard off or names a command that runs.
"""

from __future__ import annotations

import os

from _lib.refusal import no

from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["RED_ZONES", "Config", "read_config"]

RED_ZONES = (".claude/settings*.json", "**/MEMORY.md")
_LONGEST_S = 10 * 365 * 86400
_SECTIONS: dict[str, dict[str, Any]] = {
    "liveness": {
        "suspect_after": 600,
        "dead_after": 1800,
        "heartbeat_throttle": 60,
        "skew_tolerance": 5,
        "forget_after": 604800,
    },
    "git_guard": {"mode": "warn", "extra": [], "recent_commit_minutes": 10},
    "mailbox": {
        "dir": ".claude/lanes/mailbox",
        "check_on_register": True,
        "check_on_heartbeat": True,
        "notify_on_verdict": True,
        "native_doorbell": False,
    },
    "board": {"require_commit": False},
}
_FREE = ("territories", "families")


class Config:
    """The settings of one repository's lanes.

    Attributes:
        values: Sections with their keys, defaults filled in.
        red_zones: Globs, the built-in ones first.
        territories, families: Lists of texts by name.
        unknown: Keys that mean nothing.
        fault: Why the file could not be read and the defaults stand; empty when it could.

    """

    __slots__ = ("families", "fault", "red_zones", "territories", "unknown", "values")

    def __init__(self) -> None:
        self.values = {name: dict(section) for name, section in _SECTIONS.items()}
        self.red_zones = list(RED_ZONES)
        self.territories: dict[str, list[str]] = {}
        self.families: dict[str, list[str]] = {}
        self.unknown: list[str] = []
        self.fault = ""

    def seconds(self, name: str) -> int:
        """Return a time of the section ``liveness``."""
        value: int = self.values["liveness"][name]
        return value

    def flag(self, section: str, name: str) -> bool:
        """Return a yes or no."""
        return bool(self.values[section][name])

    def document(self) -> dict[str, Any]:
        """Return all of it as one JSON value."""
        return {
            **self.values,
            "red_zones": self.red_zones,
            "territories": self.territories,
            "families": self.families,
        }


def read_config(path: str) -> Config:
    """Return the settings; a file that is absent leaves every default.

    Raises:
        Refusal: ``CONFIG``; the file cannot be read, or a value is none of its kind.

    """
    config = Config()
    if not os.path.lexists(path):
        return config
    from hpp.core.portable.minicfg import load_file

    try:
        found = load_file(path, "lanes.yaml")
    except RefusedError as error:
        raise no("CONFIG", str(error)) from None
    if found is None:
        return config
    if not isinstance(found, dict):
        raise no("CONFIG", "lanes.yaml: expected keys with values")
    for name, value in found.items():
        _put(config, name, value)
    if not 0 < config.seconds("suspect_after") < config.seconds("dead_after"):
        raise no("CONFIG", "lanes.yaml: liveness: expected 0 < suspect_after < dead_after")
    return config


def _put(config: Config, name: str, value: Any) -> None:  # noqa: ANN401 -- any value of the file
    if name == "red_zones":
        config.red_zones += _texts(value, name)
    elif name in _FREE:
        if not isinstance(value, dict):
            raise no("CONFIG", f"lanes.yaml: {name}: expected a name with a list of texts each")
        lists = {key: _texts(each, f"{name}.{key}") for key, each in value.items()}
        getattr(config, name).update(lists)
    elif name in _SECTIONS:
        if not isinstance(value, dict):
            raise no("CONFIG", f"lanes.yaml: {name}: expected keys with values")
        for key, each in value.items():
            if key in _SECTIONS[name]:
                config.values[name][key] = _checked(each, _SECTIONS[name][key], f"{name}.{key}")
            else:
                config.unknown.append(f"{name}.{key}")
    else:
        config.unknown.append(name)


def _checked(value: Any, default: Any, where: str) -> Any:  # noqa: ANN401 -- a value of its kind
    if where == "git_guard.mode":
        if value not in ("warn", "block"):
            raise no("CONFIG", f"lanes.yaml: {where}: expected warn or block")
        return value
    if isinstance(default, list):
        return _texts(value, where)
    if type(value) is not type(default):
        kind = {bool: "true or false", int: "a whole number", str: "a text"}[type(default)]
        raise no("CONFIG", f"lanes.yaml: {where}: expected {kind}")
    if type(value) is int and not 0 <= value <= _LONGEST_S:
        raise no("CONFIG", f"lanes.yaml: {where}: expected a whole number from 0 on")
    return value


def _texts(value: Any, where: str) -> list[str]:  # noqa: ANN401 -- any value of the file
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise no("CONFIG", f"lanes.yaml: {where}: expected a list of texts")
    return list(value)
