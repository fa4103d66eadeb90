"""One page that shows the lanes of a repository, without a script and without anything else."""

from __future__ import annotations

import os

from _lib.markup import COLUMNS, chip, esc, face, family_chip, state_class, words
from _lib.outlook import PERSON, waits
from _lib.pagefile import HTML_MARK, made_at, told_age
from _lib.pageflow import cards, drawing
from _lib.registry import PRESENT, Registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from _lib.board import Competition, Item
    from _lib.effect import Reservation
    from _lib.mailbox import Message
    from _lib.outlook import Wait
    from _lib.registry import Lane
    from _lib.workplace import Workplace

__all__ = ["Sources", "page"]

_TRAIL = 14


class Sources:
    """What the page is made of; what could not be read is empty and named in `faults`."""

    def __init__(self, work: Workplace) -> None:
        from _lib.board import Board
        from _lib.config import Config
        from _lib.identity import Scene

        self.work = work
        self.board = Board([])
        self.scene = Scene({}, work.now, Config(), Registry(), work.place.project)
        self.pending: list[Reservation] = []
        self.mail: list[Message] = []
        self.rescues: list[dict[str, Any]] = []
        self.ages: list[tuple[str, str]] = []
        self.faults: list[str] = []


def page(sources: Sources) -> str:
    """Return the page."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(os.path.join(root, "templates", "dashboard.html"), encoding="utf-8") as file:
        frame = file.read()
    steps = waits(sources.board, sources.scene)
    title = f"Lanes of {os.path.basename(sources.work.place.root)}"
    body = "\n".join(
        part
        for part in (
            _head(sources, title),
            _figures(sources, steps),
            _alarms(sources),
            _flow(sources, steps),
            _columns(sources),
            _lanes(sources),
            _collisions(sources),
            _competitions(sources),
            _post(sources),
            _foot(sources),
        )
        if part
    )
    # The frame first: nothing in the body is looked at for places to fill.
    return (
        frame.replace("{{mark}}", HTML_MARK)
        .replace("{{title}}", esc(title))
        .replace("{{body}}", body)
    )


def _head(sources: Sources, title: str) -> str:
    return (
        f"<header><h1>{esc(title)}</h1>"
        f'<p class="soft small">as of {made_at(sources.work.now)}</p></header>'
    )


def _figures(sources: Sources, steps: list[Wait]) -> str:
    scene = sources.scene
    present = [lane for lane in scene.registry.lanes if scene.liveness(lane) in PRESENT]
    people = sum(step.who == PERSON for step in steps)
    stuck = sum(step.is_stuck for step in steps)
    clashes = len(_clashes(sources))
    figures = [
        (len(steps), "open steps", ""),
        (people, "wait for a person", "warn" if people else ""),
        (stuck, "wait for a lane that is gone", "bad" if stuck else ""),
        (f"{len(present)}/{len(scene.registry.lanes)}", "lanes present", "good" if present else ""),
        (clashes, "collisions", "bad" if clashes else ""),
    ]
    inner = "".join(
        f'<div class="figure {kind}"><b>{esc(value)}</b><span>{esc(label)}</span></div>'
        for value, label, kind in figures
    )
    return f'<div class="figures">{inner}</div>'


def _alarms(sources: Sources) -> str:
    if not sources.faults:
        return ""
    rows = "".join(f"<p><code>{esc(fault)}</code></p>" for fault in sources.faults)
    return f'<div class="alarm" role="alert"><b>Not everything here can be trusted.</b>{rows}</div>'


def _flow(sources: Sources, steps: list[Wait]) -> str:
    if not steps:
        return '<h2>Who waits for whom</h2><p class="soft">Nothing is open.</p>'
    return (
        '<h2>Who waits for whom</h2><div class="split"><div class="card">'
        f"{drawing(sources.board, sources.scene, steps)}</div>"
        f'<div class="grid">{cards(sources.board, sources.scene, steps)}</div></div>'
    )


def _columns(sources: Sources) -> str:
    board = sources.board
    if not board.items:
        return '<h2>Board</h2><p class="soft">No item was claimed yet.</p>'
    columns = []
    for title, css, states in COLUMNS:
        items = [item for _, item in sorted(board.items.items()) if item.state in states]
        inner = "".join(_item(sources, item) for item in items)
        empty = "" if items else " empty"
        columns.append(
            f'<section class="lane {css}{empty}"><h3><span>{esc(title)}</span>'
            f"<span>{len(items)}</span></h3>{inner}</section>"
        )
    return f'<h2>Board</h2><div class="board">{"".join(columns)}</div>'


def _item(sources: Sources, item: Item) -> str:
    task = sources.board.task_of(item.id)
    families = dict.fromkeys((model, family) for _, model, family in item.builders)
    trail = "".join(
        f'<i class="{state_class(event["state"])}" title="{esc(event["state"])} '
        f'{esc(event["by"]["lane"])}"></i>'
        for event in item.events[-_TRAIL:]
    )
    said = item.last.get("reason") or item.last.get("evidence") or ""
    marks = '<span class="red">red</span>' if item.is_red else ""
    badge = "" if task is None else chip(f"{task.id}{' won' if task.winner == item.id else ''}")
    chips = "".join(family_chip(family, model) for model, family in families)
    quote = f'<p class="words">{words(said)}</p>' if said else ""
    return (
        f'<article class="item {state_class(item.state)}"><div class="top">'
        f'<span class="id">{esc(item.id)}</span>{marks}</div>'
        f'<div class="who"><span>{esc(", ".join(item.lanes))}</span>{chips}{badge}</div>{quote}'
        f'<div class="trail" aria-label="{len(item.events)} events">{trail}</div></article>'
    )


def _lanes(sources: Sources) -> str:
    lanes = sources.scene.registry.lanes.values()
    inner = "".join(_lane(sources, lane) for lane in lanes)
    return f'<h2>Lanes</h2><div class="grid">{inner}</div>' if inner else ""


def _lane(sources: Sources, lane: Lane) -> str:
    scene = sources.scene
    word = scene.liveness(lane.id)
    limit = scene.config.seconds("dead_after")
    age = None if lane.heartbeat_at is None else scene.now - lane.heartbeat_at
    is_active = age is not None and lane.status == "active"
    left = max(0, min(100, 100 - (age or 0) * 100 // limit)) if is_active else 0
    told = "never heard of" if age is None else "clock ahead" if age < 0 else f"{told_age(age)} ago"
    owned = "".join(chip(path, "path") for path in lane.territory)
    held = [item.id for item in sources.board.items.values() if item.owner == lane.id
            and item.state in ("CLAIMED", "BUILDING", "NEEDS-FIX")]  # fmt: skip
    branch = chip(lane.branch) if lane.branch else ""
    sessions = chip(f"{len(lane.sessions)} sessions", "stuck") if len(lane.sessions) > 1 else ""
    holds = f'<p class="small soft">builds {esc(", ".join(held))}</p>' if held else ""
    below = esc(f"{lane.role}, {word}, {told}")
    return (
        f'<section class="card"><div class="head">{face(lane.id, lane.family, word)}<div>'
        f'<h3>{esc(lane.id)}</h3><p class="soft small">{below}</p>'
        f"</div>{family_chip(lane.family, lane.model)}</div>"
        f'<div class="beat"><i class="{esc(word)}" style="width:{left}%"></i></div>'
        f'<div class="chips">{branch}{owned}{sessions}</div>{holds}</section>'
    )


def _clashes(sources: Sources) -> list[dict[str, Any]]:
    from _lib.lanescommand import collisions

    return collisions(sources.scene.registry, sources.work)


def _collisions(sources: Sources) -> str:
    found = _clashes(sources)
    if not found:
        return ""
    cards_ = "".join(
        f'<section class="card clash"><h3>{esc(" and ".join(each["lanes"]))}</h3>'
        f'<p class="soft small">both own</p><div class="chips">'
        f"{''.join(chip(path, 'path') for path in each['territory'])}</div></section>"
        for each in found
    )
    return f'<h2>Collisions</h2><div class="grid">{cards_}</div>'


def _competitions(sources: Sources) -> str:
    rows = []
    for _, task in sorted(sources.board.competitions.items()):
        state = f"won by {task.winner}" if task.winner else "undecided"
        inner = "".join(
            chip(
                each, "family" if each == task.winner else "stuck" if each in task.withdrawn else ""
            )
            for each in task.candidates
        )
        rows.append(
            f'<section class="card"><h3>{esc(task.id)}</h3><p class="soft small">{esc(state)}</p>'
            f'<div class="chips" style="--hue:150">{inner}</div></section>'
        )
    return f'<h2>Competitions</h2><div class="grid">{"".join(rows)}</div>' if rows else ""


def _candidate(item: str, task: Competition) -> str:
    """Return how a candidate is shown: in colour, framed, or plain."""
    if item == task.winner:
        return "family"
    return "stuck" if item in task.withdrawn else ""


def _post(sources: Sources) -> str:
    rows = [
        f'<li><span class="id">{esc(each.about["item_id"])}</span>: {esc(each.about["decision"])} '
        f"was not told to {esc(each.about['target'])}</li>"
        for each in sources.pending
    ]
    rows += [
        f"<li>unread by {esc(each.to)}: {esc(each.header['kind'])} from {esc(each.header['from'])}"
        f" {esc(each.header.get('item', ''))}</li>"
        if each.header
        else f"<li>goes to nobody: {esc(each.name)}</li>"
        for each in sources.mail
    ]
    rows += [
        f"<li>rescued: {esc(each.get('patch', ''))}"
        f" {esc(each.get('fault', '') or str(len(each.get('files', []))) + ' files')}</li>"
        for each in sources.rescues
    ]
    if not rows:
        return ""
    return (
        f'<h2>Post and rescues</h2><div class="card"><ul class="steps">{"".join(rows)}</ul></div>'
    )


def _foot(sources: Sources) -> str:
    ages = "; ".join(f"{name} {age}" for name, age in sources.ages)
    made = f"Made {made_at(sources.work.now)} from {esc(ages)}."
    return f"<footer>{made} Nothing refreshes by itself.</footer>"
