"""The settings of continuity-kit, from the operator's profile."""

from __future__ import annotations

from hpp.core.errors import HppError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["DEFAULT_STATE_DOC", "Config", "read", "settle"]

DEFAULT_STATE_DOC = "docs/plans/execution/00-STATE.md"
_DAY_S = 86400


class Config:
    """Settings, the defaults unless `read` found others.

    Attributes:
        enforcement: ``block-once`` or ``remind``.
        fresh_seconds: How long a handoff counts as fresh.
        block_interval_seconds: How long after asking for a handoff nobody is asked again.
        boot_state: Whether an excerpt of the state document is shown at the start.
        checkpoint: ``on`` or ``off``.
        state_doc: Where the state document is.
        fault: What is wrong with the profile; the defaults stand then.

    """

    __slots__ = (
        "block_interval_seconds", "boot_state", "checkpoint", "enforcement", "fault",
        "fresh_seconds", "state_doc",
    )  # fmt: skip

    def __init__(self) -> None:
        self.enforcement = "block-once"
        self.fresh_seconds = 900
        self.block_interval_seconds = 3600
        self.boot_state = False
        self.checkpoint = "on"
        self.state_doc = DEFAULT_STATE_DOC
        self.fault = ""


def read(start: str, root: str, env: Mapping[str, str] | None = None) -> Config:
    """Return the settings for a folder; a profile that cannot be read leaves the defaults."""
    from hpp.core.portable.profile_loader import load

    try:
        return settle(load(start or root, root, env))
    except (HppError, OSError) as error:
        config = Config()
        config.fault = str(error)
        return config


def settle(profile: Mapping[str, Any]) -> Config:
    """Return the settings of a profile.

    Raises:
        RefusedError: A value has the wrong type or is out of range.

    """
    from hpp.core.portable.profile_loader import flag, integer, text

    config = Config()
    if not profile:
        return config
    name = "continuity.enforcement"
    config.enforcement = text(profile, name, "block-once", ("remind", "block-once"))
    config.fresh_seconds = integer(profile, "continuity.fresh_seconds", 900, 60, _DAY_S)
    name = "continuity.block_interval_seconds"
    config.block_interval_seconds = integer(profile, name, 3600, 0, _DAY_S)
    config.boot_state = flag(profile, "continuity.boot_state", default=False)
    config.checkpoint = text(profile, "continuity.checkpoint", "on", ("on", "off"))
    config.state_doc = text(profile, "paths.state_doc", DEFAULT_STATE_DOC)
    return config
