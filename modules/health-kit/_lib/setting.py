"""What the person set about health: probes, cache, status line."""

from __future__ import annotations

import os

from _lib.health_core import DEFAULT_CACHE, LONGEST_TTL_S

from hpp.core.errors import RefusedError
from hpp.core.portable.fsread import contain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from _lib.probe import Probe

__all__ = ["Settings", "cache_path", "read_profile", "read_settings"]

_WHERE = "operator-profile: health.probes"


class Settings:
    """What counts for one run.

    Attributes:
        root: The project's folder.
        cache: Absolute path of the cache.
        ttl_s: How long the cache is current.
        probes: In the order of the profile.

    """

    __slots__ = ("cache", "probes", "root", "ttl_s")

    def __init__(self, root: str, cache: str, ttl_s: int, probes: list[Probe]) -> None:
        self.root = root
        self.cache = cache
        self.ttl_s = ttl_s
        self.probes = probes


def read_profile(root: str, start: str, env: Mapping[str, str]) -> dict[str, Any]:
    """Return the profile of the project; empty without one.

    Raises:
        RefusedError: It cannot be read.

    """
    from hpp.core.portable.profile_loader import load

    return load(start or root, root, env)


def read_settings(root: str, start: str, env: Mapping[str, str]) -> Settings:
    """Return the settings of the project.

    Raises:
        RefusedError: A value is not what it has to be; its place is named.

    """
    profile = read_profile(root, start, env)
    if not profile:
        return Settings(root, contain(DEFAULT_CACHE, root), 900, [])
    from _lib.probe import parse_probes

    from hpp.core.portable.profile_loader import get, integer

    ttl_s = integer(profile, "health.cache_ttl_seconds", 900, 1, LONGEST_TTL_S)
    probes = parse_probes(get(profile, "health.probes", []), _WHERE)
    return Settings(root, cache_path(profile, root), ttl_s, probes)


def cache_path(profile: Mapping[str, Any], root: str) -> str:
    """Return the absolute path of the cache.

    Raises:
        RefusedError: It leads out of the project.

    """
    from hpp.core.portable.profile_loader import text

    named = text(profile, "paths.health_cache", DEFAULT_CACHE)
    try:
        return contain(named, root)
    except RefusedError as error:
        raise RefusedError(f"operator-profile: paths.health_cache: {error}") from None


def project_root(env: Mapping[str, str]) -> str:
    """Return the folder of the project around the working folder."""
    from hpp.core.portable.hookio import Payload
    from hpp.core.portable.hookio import project_root as root_of

    return root_of(Payload({}, env)) or os.getcwd()
