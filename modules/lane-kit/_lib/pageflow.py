"""Who waits for whom, as arcs between lanes, and as a card for each with its next steps."""

from __future__ import annotations

from _lib.markup import chip, esc, face, state_class

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _lib.board import Board
    from _lib.identity import Scene
    from _lib.outlook import Wait

__all__ = ["cards", "drawing"]

_LONGEST = 24  # characters of a name
_ROW, _TOP, _LEFT, _WIDTH = 46, 26, 16, 420
# Where arcs begin, how far the first one reaches, how much farther each next one, and the end.
_FROM, _REACH, _STEP, _FARTHEST = 178, 24, 24, 320


def drawing(board: Board, scene: Scene, waits: list[Wait]) -> str:
    """Return the arcs from each owner to who can take the step, one for each pair."""
    arcs: dict[tuple[str, str], list[Wait]] = {}
    for wait in waits:
        for owner in _owners(board, wait):
            if owner != wait.who:
                arcs.setdefault((owner, wait.who), []).append(wait)
    parties = list(dict.fromkeys(name for pair in arcs for name in pair))
    if not parties:
        return '<p class="soft">Nobody waits for anybody else.</p>'
    rows = {name: _TOP + number * _ROW for number, name in enumerate(parties)}
    height = _TOP * 2 + (len(parties) - 1) * _ROW
    nodes = "".join(_node(scene, name, rows[name]) for name in parties)
    drawn = [
        _arc(rows[one], rows[other], listed, number)
        for number, ((one, other), listed) in enumerate(
            sorted(arcs.items(), key=lambda arc: abs(rows[arc[0][0]] - rows[arc[0][1]]))
        )
    ]
    # The names last, so that no line runs over one.
    lines = "".join(line for line, _ in drawn) + "".join(name for _, name in drawn)
    heads = "".join(
        f'<marker id="{name}" class="{kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker>'
        for name, kind in (("to", ""), ("to-stuck", "stuck"))
    )
    return (
        f'<svg class="flow" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="Who waits for whom"><defs>{heads}</defs>{lines}{nodes}</svg>'
    )


def _owners(board: Board, wait: Wait) -> list[str]:
    item, task = board.item(wait.item), board.task(wait.item)
    if item is not None:
        return [item.owner]
    return [board.known(each).owner for each in task.remaining] if task is not None else []


def _node(scene: Scene, name: str, place: int) -> str:
    known = scene.registry.lanes.get(name)
    word = scene.liveness(name) if known is not None else "role"
    below = f"{word}, {known.model}" if known is not None else ""
    shown = name if len(name) <= _LONGEST else name[: _LONGEST - 3] + "..."
    sub = (
        f'<text class="sub" x="{_LEFT + 14}" y="{place + 15}">{esc(below[:30])}</text>'
        if below
        else ""
    )
    rise = place + (0 if below else 5)
    return (
        f'<circle class="n {esc(word)}" cx="{_LEFT}" cy="{place}" r="6"/>'
        f'<text x="{_LEFT + 14}" y="{rise}">{esc(shown)}</text>{sub}'
    )


def _arc(start: int, end: int, waits: list[Wait], number: int) -> tuple[str, str]:
    """Return a line from one row to another, and the name of what waits beside it."""
    stuck = any(wait.is_stuck for wait in waits)
    reach = min(_FARTHEST, _FROM + _REACH + _STEP * number)
    turn = 12 if end > start else -12
    path = (
        f"M{_FROM} {start} H{reach - 12} Q{reach} {start} {reach} {start + turn} "
        f"V{end - turn} Q{reach} {end} {reach - 12} {end} H{_FROM + 2}"
    )
    ids = [wait.item for wait in waits]
    tag = ids[0] + (f" +{len(ids) - 1}" if len(ids) > 1 else "")
    kind, head = (' class="stuck"', "to-stuck") if stuck else ("", "to")
    title = esc("; ".join(f"{wait.item}: {wait.why}" for wait in waits))
    line = f'<path{kind} d="{path}" marker-end="url(#{head})"><title>{title}</title></path>'
    middle = (start + end) // 2 + 4
    return line, f'<text class="tag" x="{reach + 7}" y="{middle}">{esc(tag[:14])}</text>'


def cards(board: Board, scene: Scene, waits: list[Wait]) -> str:
    """Return a card for each party that can take a step, those with most steps first."""
    groups: dict[str, list[Wait]] = {}
    for wait in waits:
        groups.setdefault(wait.who, []).append(wait)
    ranked = sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return "".join(_card(board, scene, who, listed) for who, listed in ranked)


def _card(board: Board, scene: Scene, who: str, listed: list[Wait]) -> str:
    known = scene.registry.lanes.get(who) if listed[0].is_lane else None
    word = scene.liveness(who) if listed[0].is_lane else ""
    family = known.family if known is not None else None
    below = "a lane that is not registered" if listed[0].is_lane else "whoever comes first"
    if known is not None:
        below = f"{known.role}, {known.model}"
    stuck = chip(f"{word}: take over or reroute", "stuck") if listed[0].is_stuck else ""
    framed = f'<div class="chips">{stuck}</div>' if stuck else ""
    rows = "".join(_step(board, wait) for wait in listed)
    return (
        f'<section class="card"><div class="head">{face(who, family, word)}<div><h3>{esc(who)}</h3>'
        f'<p class="soft small">{esc(below)}</p></div></div>'
        f'{framed}<ul class="steps">{rows}</ul></section>'
    )


def _step(board: Board, wait: Wait) -> str:
    item = board.item(wait.item)
    kind = state_class(item.state) if item is not None else "s-work"
    state = item.state if item is not None else "competition"
    return (
        f'<li class="{kind}"><div class="row"><span><span class="id">{esc(wait.item)}</span> '
        f"{esc(wait.why)}</span>{chip(state.lower().replace('-', ' '))}</div>"
        f"<details><summary>command</summary><pre>{esc(wait.command)}</pre></details></li>"
    )
