"""The operator's profile as hooks read it: defaults where it is silent, wrong or unreadable.

A profile is content of the repository. A hook takes additions and stricter modes from it; a
value that it cannot use is reported and never means that there is no rule.
"""

from __future__ import annotations

import os

from hpp.core.errors import HppError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from hpp.core.portable.answer import Answer
    from hpp.core.portable.payload import Payload

__all__ = ["Profile", "forget", "read_profile", "told_once"]

# What was wrong with profiles that this process has read, in order.
_faults: dict[str, None] = {}
# What was read for a folder: hooks that share a process ask about the same event.
_read: dict[tuple[str, str, str], tuple[dict[str, Any], str]] = {}
NAMES = ("operator-profile.yaml", "operator-profile.json")


class Profile:
    """Values with defaults, and what was wrong on the way.

    Attributes:
        root: The project's folder.
        values: The whole document; empty without one.
        faults: What was not used, one line each.

    """

    __slots__ = ("faults", "root", "values")

    def __init__(self, root: str, values: Mapping[str, Any]) -> None:
        self.root = root
        self.values = values
        self.faults: list[str] = []

    def text(self, path: str, default: str, choices: Collection[str] = ()) -> str:
        """Return a text, or the default for what is none."""
        if not self.values:
            return default
        from hpp.core.portable import profile_loader

        try:
            return profile_loader.text(self.values, path, default, choices)
        except HppError as error:
            self.faults.append(str(error))
            _faults[str(error)] = None
            return default

    def texts(self, path: str, default: Collection[str] = ()) -> list[str]:
        """Return a list of texts, or the default for what is none."""
        if not self.values:
            return list(default)
        from hpp.core.portable import profile_loader

        try:
            return profile_loader.texts(self.values, path, default)
        except HppError as error:
            self.faults.append(str(error))
            _faults[str(error)] = None
            return list(default)

    def flag(self, path: str, *, default: bool) -> bool:
        """Return a truth value, or the default for what is none."""
        if not self.values:
            return default
        from hpp.core.portable import profile_loader

        try:
            return profile_loader.flag(self.values, path, default=default)
        except HppError as error:
            self.faults.append(str(error))
            _faults[str(error)] = None
            return default

    def raw(self, path: str, default: object = None) -> Any:  # noqa: ANN401 -- any value
        """Return a value as it stands."""
        if not self.values:
            return default
        from hpp.core.portable import profile_loader

        return profile_loader.get(self.values, path, default)


def read_profile(payload: Payload) -> Profile:
    """Return the profile that counts for an event; it never raises for what a file holds."""
    from hpp.core.portable.hookio import project_root

    root = project_root(payload)
    start = payload.cwd or root
    key = (start, root, payload.environ.get("OPERATOR_PROFILE", ""))
    if key not in _read:
        _read[key] = _load(start, root, payload.environ)
    values, fault = _read[key]
    profile = Profile(root, values)
    if fault:
        profile.faults.append(fault)
        _faults[fault] = None
    return profile


def forget() -> None:
    """Forget what was read; for who writes a profile and goes on in the same process."""
    _read.clear()
    _faults.clear()


def told_once(hook: str, payload: Payload) -> Answer | None:
    """Return what is wrong with the profile, once a session whichever hook says it; else None."""
    if not _faults:
        return None
    from hpp.core.portable.answer import message
    from hpp.core.portable.session_store import first_time

    new = first_time("operator-kit/profile", payload, list(_faults))
    return message(hook, "; ".join(new)) if new else None


def _load(start: str, root: str, environ: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    if not _may_exist(start, root, environ):
        return {}, ""
    from hpp.core.portable import profile_loader

    try:
        return profile_loader.load(start, root, environ), ""
    except HppError as error:
        return {}, f"{error}; the defaults apply"


def _may_exist(start: str, root: str, environ: Mapping[str, str]) -> bool:
    """Say whether it is worth looking for a profile; most projects have none."""
    if environ.get("OPERATOR_PROFILE"):
        return True
    folder = os.path.realpath(start)
    top = os.path.realpath(root)
    if folder != top and not folder.startswith(top + os.sep):
        folder = top
    while True:
        if any(os.path.lexists(os.path.join(folder, name)) for name in NAMES):
            return True
        if folder == top or os.path.dirname(folder) == folder:
            return False
        folder = os.path.dirname(folder)
