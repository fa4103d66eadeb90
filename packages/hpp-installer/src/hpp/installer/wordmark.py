"""The name in blocks, and the line under it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.installer.terminal import Terminal

__all__ = ["wordmark"]

_BLOCKS = (
    "██   ██  ██████   ██████ ",
    "██   ██  ██   ██  ██   ██",
    "███████  ██████   ██████ ",
    "▓▓   ▓▓  ▓▓       ▓▓     ",
    "░░   ░░  ░░       ░░     ",
)
# From gold to red, one for each line.
_SHADES = ((242, 193, 78), (233, 160, 62), (222, 124, 56), (210, 90, 58), (190, 60, 60))
_NAME, _MOTTO = "House Party Protocol", "state on disk decides"
_MARGIN = "  "


def wordmark(terminal: Terminal) -> list[str]:
    """Return the lines: blocks where they fit beside the name, else one line."""
    paint = terminal.paint
    needed = len(_MARGIN) * 3 + len(_BLOCKS[0]) + len(_MOTTO)
    if terminal.width <= needed:
        return [f"{paint.accent('HPP')} {paint.muted('·')} {paint.strong(_NAME)}"]
    beside = {1: paint.strong(_NAME), 2: paint.muted(_MOTTO)}
    lines = []
    for number, (blocks, shade) in enumerate(zip(_BLOCKS, _SHADES, strict=True)):
        drawn = blocks if number in beside else blocks.rstrip()
        name = f"{_MARGIN * 2}{beside[number]}" if number in beside else ""
        lines.append(f"{_MARGIN}{paint.rgb(drawn, shade)}{name}")
    return lines
