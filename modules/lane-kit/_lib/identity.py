"""Who asks: lane, role, model, family and session, held against what else is known."""

from __future__ import annotations

from _lib.families import family_of
from _lib.refusal import no
from _lib.registry import PRESENT, liveness

from hpp.core.portable.lane import is_lane_id, session_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from _lib.config import Config
    from _lib.registry import Registry

__all__ = ["ROLES", "Actor", "Scene", "checked_lane", "human_gate"]

ROLES = ("executor", "reviewer", "coordinator", "operator")
_AGENT_VARIABLES = (
    "CLAUDECODE",
    "CLAUDE_LANE_ID",
    "CLAUDE_SESSION_ID",
    "HPP_SESSION_ID",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
)


class Scene:
    """What a request is judged in, besides the board.

    Attributes:
        env: Variables.
        now: Unix seconds.
        config: The settings.
        registry: The lanes.
        project: Top of the worktree that the request comes from.

    """

    __slots__ = ("config", "env", "now", "project", "registry")

    def __init__(
        self, env: Mapping[str, str], now: int, config: Config, registry: Registry, project: str
    ) -> None:
        self.env = env
        self.now = now
        self.config = config
        self.registry = registry
        self.project = project

    def family(self, model: str) -> str | None:
        """Return the family of a model under these settings."""
        return family_of(model, self.config.families)

    def liveness(self, lane: str) -> str:
        """Return the liveness of a lane; ``absent`` when the registry does not know it."""
        found = self.registry.lanes.get(lane)
        return "absent" if found is None else liveness(found, self.now, self.config)


class Actor:
    """The one who asks.

    Attributes:
        lane, role, model: As they are recorded.
        family: Of the model, or None.
        session: Digest of the session, or an empty text.

    """

    __slots__ = ("family", "lane", "model", "role", "session")

    def __init__(self, lane: str, role: str, model: str, scene: Scene) -> None:
        self.lane = lane
        self.role = role
        self.model = model
        self.family = scene.family(model)
        session = scene.env.get("CLAUDE_SESSION_ID") or scene.env.get("HPP_SESSION_ID") or ""
        self.session = session_key(session) or ""

    def document(self) -> dict[str, Any]:
        """Return the one who asks as an event holds it."""
        return {
            "lane": self.lane,
            "role": self.role,
            "model": self.model,
            "family": self.family,
            "session": self.session,
        }

    def check(self, scene: Scene) -> None:
        """Hold the identity against the environment and the registry.

        Raises:
            Refusal: ``IDENTITY_MISSING`` or ``IDENTITY_MISMATCH``.

        """
        if not self.lane or not self.model.strip():
            missing = "--lane" if not self.lane else "--model"
            raise no("IDENTITY_MISSING", f"{missing} says who asks, and it is empty")
        known = scene.env.get("CLAUDE_LANE_ID", "")
        if known and known != self.lane:
            raise no("IDENTITY_MISMATCH", f"this session is lane {known}, not {self.lane}")
        lane = scene.registry.lanes.get(self.lane)
        if lane is None or scene.liveness(self.lane) not in PRESENT:
            return
        registered = scene.family(lane.model)
        if registered and self.family and registered != self.family:
            raise no(
                "IDENTITY_MISMATCH",
                f"lane {self.lane} is registered with a model of family {registered}, and "
                f"{self.model} is of family {self.family}",
            )

    def check_family(self) -> None:
        """Refuse a model that nobody can place.

        Raises:
            Refusal: ``FAMILY_UNKNOWN``.

        """
        if self.family is None:
            raise no("FAMILY_UNKNOWN", unknown_family(self.model))


def unknown_family(model: str) -> str:
    """Return the sentence about a model without a family."""
    from hpp.core.text import shorten

    return (
        f"model {shorten(model)!r} has no known family; add its prefix under "
        "families.<name> in lanes.yaml"
    )


def checked_lane(lane: str, what: str = "lane") -> str:
    """Return a lane id; an empty one stays.

    Raises:
        Refusal: ``ID_INVALID``; it is none.

    """
    if lane and not is_lane_id(lane):
        from hpp.core.text import shorten

        raise no(
            "ID_INVALID",
            f"{what}: expected 1 to 40 of a-z, 0-9 and '-', a letter or digit first, "
            f"got {shorten(lane)!r}",
        )
    return lane


def human_gate(env: Mapping[str, str], operator: str) -> None:
    """Let a person through and an agent's environment not.

    A process can clear its environment: this stops accident and habit, not intent.

    Raises:
        Refusal: ``HUMAN_GATE``.

    """
    found = next((name for name in _AGENT_VARIABLES if env.get(name)), None)
    if found is not None:
        raise no("HUMAN_GATE", f"a person decides this in a terminal of their own; {found} is set")
    if not operator.strip():
        raise no("HUMAN_GATE", "--operator NAME says which person decides")
