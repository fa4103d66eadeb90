"""A judge's answer ``hpp.rationale/v1`` to grounded dissent, of which only hashes are kept."""

from __future__ import annotations

from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hpp.decide.panel import Panel
    from hpp.decide.place import Place

__all__ = ["SCHEMA", "read_rationale"]

SCHEMA = "hpp.rationale/v1"
_KEYS = ("schema", "panel_sha256", "author", "steelman", "would_change_if")


def read_rationale(place: Place, panel: Panel, positions: Iterable[str]) -> dict[str, Any]:
    """Return the rationale that stands at a place.

    Args:
        place: Where it stands.
        panel: Whose judge wrote it.
        positions: Those that dissent, each of which is put at its strongest, and no other.

    Raises:
        RefusedError: It breaks a rule, or has a key that is none of its own.

    """
    place.mapping(only=_KEYS)
    place.at("schema").exactly(SCHEMA)
    digest = place.at("panel_sha256")
    if digest.digest() != panel.sha256:
        digest.refuse(f"it answers another panel; this one is {panel.sha256}")
    place.at("author").exactly(panel.judge.id)
    return {
        "schema": SCHEMA,
        "panel_sha256": panel.sha256,
        "author": panel.judge.id,
        "steelman": _steelman(place.at("steelman"), list(dict.fromkeys(positions))),
        "would_change_if": [
            _text(item) for item in place.at("would_change_if").items(1, of="texts")
        ],
    }


def _steelman(place: Place, positions: list[str]) -> list[dict[str, Any]]:
    answered: list[dict[str, Any]] = []
    left = list(positions)
    for item in place.items(of="texts"):
        text = _text(item, "position")
        position = item.at("position").string()
        if position not in left:
            is_known = position in positions
            item.at("position").refuse(
                "the position is answered twice" if is_known else "nobody dissents with it"
            )
        left.remove(position)
        answered.append({"position": position, **text})
    if left:
        place.refuse(f'the dissenting position "{shorten(left[0], 40)}" is not answered')
    return answered


def _text(place: Place, *more: str) -> dict[str, Any]:
    place.mapping(only=("text_sha256", "chars", *more))
    return {
        "text_sha256": place.at("text_sha256").digest(),
        "chars": place.at("chars").integer(1),
    }
