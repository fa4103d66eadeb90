"""Where the memory is and when a failure counts as recurring: arguments, variables, profile."""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.core.portable.fsread import contain, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["DEFAULT_STORE", "Settings", "lenient_settings", "read_settings"]

DEFAULT_STORE = ".claude/gotchas"
_PROFILES = ("operator-profile.yaml", "operator-profile.json")
_LONGEST_WINDOW = 24 * 366


class Settings:
    """What the person set.

    Attributes:
        root: The project's folder.
        store: Absolute path of the memory's folder; it may not exist.
        window_hours: How far back failures are looked at.
        min_count: From so many on a failure is a lesson.
        top: Most lessons at a time.
        min_gap_seconds: Failures of one session closer together count once.
        fault: Why the configuration was passed over, or an empty text.

    """

    __slots__ = ("fault", "min_count", "min_gap_seconds", "root", "store", "top", "window_hours")

    def __init__(self, root: str, store: str) -> None:
        self.root = root
        self.store = store
        self.window_hours = 24
        self.min_count = 3
        self.top = 5
        self.min_gap_seconds = 0
        self.fault = ""


def read_settings(
    root: str, start: str, env: Mapping[str, str], store: str | None = None
) -> Settings:
    """Return the settings that count for a folder.

    Args:
        root: The project's folder.
        start: Where the work is done; the nearest profile from here up to the root counts.
        env: Variables.
        store: The memory's folder, named by a person on the command line.

    Raises:
        RefusedError: A value is not what it has to be.

    """
    profile = _profile(root, start, env)
    settings = Settings(root, "")
    if profile:
        from hpp.core.portable.profile_loader import integer

        settings.window_hours = integer(profile, "gotchas.window_hours", 24, 1, _LONGEST_WINDOW)
        settings.min_count = integer(profile, "gotchas.min_count", 3, 1, 1000)
        settings.top = integer(profile, "gotchas.top", 5, 1, 50)
        settings.min_gap_seconds = integer(profile, "gotchas.min_gap_seconds", 0, 0, 86400)
    settings.store = os.path.abspath(store) if store else _store(root, env, profile)
    return settings


def lenient_settings(root: str, start: str, env: Mapping[str, str]) -> Settings:
    """Return settings for a hook: the defaults, with the fault, where they cannot be read."""
    try:
        if not env.get("OPERATOR_PROFILE") and not _speaks_of_us(root, start or root):
            return _without_profile(root, env)
        return read_settings(root, start, env)
    except RefusedError as error:
        try:
            settings = Settings(root, contain(DEFAULT_STORE, root))
        except RefusedError:
            settings = Settings(root, "")
        settings.fault = str(error)
        return settings


def _without_profile(root: str, env: Mapping[str, str]) -> Settings:
    return Settings(root, _store(root, env, {}))


def _speaks_of_us(root: str, start: str) -> bool:
    """Say whether the profile that counts can hold a key of ours, without loading its reader.

    All of them hold one word; where a letter may be spelled by an escape, it is read.
    """
    top = os.path.realpath(root)
    folder = os.path.realpath(start)
    if folder != top and not folder.startswith(top.rstrip(os.sep) + os.sep):
        folder = top
    while True:
        for name in _PROFILES:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                return _holds_word(path)
        if folder == top:
            return False
        folder = os.path.dirname(folder)


def _holds_word(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return True
    return b"gotcha" in data or b"\\" in data


def _profile(root: str, start: str, env: Mapping[str, str]) -> dict[str, Any]:
    from hpp.core.portable.profile_loader import load

    return load(start or root, root, env)


def _store(root: str, env: Mapping[str, str], profile: Mapping[str, Any]) -> str:
    named = env.get("GOTCHA_STORE_DIR")
    if named:
        return _contained(named, root, "GOTCHA_STORE_DIR")
    if not profile:
        return contain(DEFAULT_STORE, root)
    from hpp.core.portable.profile_loader import text

    return _contained(text(profile, "paths.gotcha_store", DEFAULT_STORE), root, "gotcha_store")


def _contained(path: str, root: str, where: str) -> str:
    try:
        if os.path.isabs(path):
            # A variable often holds a whole path; below the project it is as good.
            path = inside(path, root) or path
        return contain(path, root)
    except RefusedError as error:
        raise RefusedError(f"{where}: {error}") from None
