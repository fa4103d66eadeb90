"""The operator's profile: where it is, and its values with their types and ranges checked."""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.core.strictjson import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

__all__ = ["NAMES", "find", "flag", "get", "integer", "load", "text", "texts"]

NAMES = ("operator-profile.yaml", "operator-profile.json")
_WHERE = "operator-profile"


def find(start: str, root: str, env: Mapping[str, str] | None = None) -> str | None:
    """Return the path of the profile that counts for a folder, or None.

    ``OPERATOR_PROFILE`` names it, relative to the root; else it is the nearest one from
    `start` upward, the root's last. Nothing above the root is looked at.

    Raises:
        RefusedError: ``OPERATOR_PROFILE`` names a file that is not there.

    """
    named = (os.environ if env is None else env).get("OPERATOR_PROFILE")
    if named:
        path = os.path.join(root, named)
        if not os.path.isfile(path):
            raise RefusedError(f"OPERATOR_PROFILE: {named}: there is no such file")
        return path
    top = os.path.realpath(root)
    folder = os.path.realpath(start)
    if not _is_below(folder, top):
        folder = top
    while True:
        for name in NAMES:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                return path
        if folder == top:
            return None
        folder = os.path.dirname(folder)


def load(start: str, root: str, env: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the profile that counts for a folder; empty when there is none.

    Raises:
        RefusedError: It is missing although named, or cannot be read as a mapping.

    """
    path = find(start, root, env)
    if path is None:
        return {}
    from hpp.core.portable.minicfg import load_file  # most projects have no profile

    where = os.path.basename(path)
    value = load_file(path, where)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RefusedError(f"{where}: expected a mapping, got {kind_of(value)}")
    return value


def get(profile: Mapping[str, Any], path: str, default: object = None) -> Any:  # noqa: ANN401 -- any value
    """Return the value at ``a.b.c``, or the default when a part of the way is not there."""
    value: Any = profile
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            return default
        value = value[name]
    return value


def text(profile: Mapping[str, Any], path: str, default: str, choices: Collection[str] = ()) -> str:
    """Return a text, one of `choices` when there are any."""
    value = get(profile, path, default)
    if not isinstance(value, str) or (choices and value not in choices):
        wanted = f"one of {', '.join(sorted(choices))}" if choices else "a text"
        raise _refusal(path, wanted, value)
    return value


def integer(
    profile: Mapping[str, Any], path: str, default: int, low: int = 0, high: int | None = None
) -> int:
    """Return a whole number in a range, both ends included."""
    value = get(profile, path, default)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if not is_number or value < low or (high is not None and value > high):
        upper = f"from {low} to {high}" if high is not None else f"of at least {low}"
        raise _refusal(path, f"a whole number {upper}", value)
    return int(value)


def flag(profile: Mapping[str, Any], path: str, *, default: bool) -> bool:
    """Return a truth value."""
    value = get(profile, path, default)
    if not isinstance(value, bool):
        raise _refusal(path, "true or false", value)
    return value


def texts(profile: Mapping[str, Any], path: str, default: Collection[str] = ()) -> list[str]:
    """Return a list of texts."""
    value = get(profile, path, list(default))
    if not isinstance(value, list):
        raise _refusal(path, "a list of texts", value)
    for number, item in enumerate(value):
        if not isinstance(item, str):
            raise _refusal(f"{path}[{number}]", "a text", item)
    return list(value)


def _refusal(path: str, wanted: str, value: object) -> RefusedError:
    got = kind_of(value) if not isinstance(value, (str, int, float)) else repr(value)
    return RefusedError(f"{_WHERE}: {path}: expected {wanted}, got {got}")


def _is_below(folder: str, top: str) -> bool:
    try:
        return os.path.commonpath([folder, top]) == top
    except ValueError:  # another drive
        return False
