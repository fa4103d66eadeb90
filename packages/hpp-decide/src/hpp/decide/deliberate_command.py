"""``hpp deliberate``: plan a panel, count its turns, seal what its judge made of them."""

from __future__ import annotations

from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.decide.panel import Panel
    from hpp.decide.place import Place
    from hpp.decide.session import Session

__all__ = ["DELIBERATE"]

_BROKEN = 2


def _plan_arguments(declared: Arguments) -> None:
    declared.positional("FILE", help="panel; - is stdin")
    declared.option("--context", "FILE", help="citation context whose ids may be cited")
    declared.option("--evidence", "RECORD", help="evidence record that may be cited", repeat=True)
    declared.option("--out", "FILE", help="file that the normalised panel is written to")


def _plan(values: Values) -> int:
    from hpp.core.document import check_stdin
    from hpp.core.output import write_json
    from hpp.decide.citable import with_context, with_record
    from hpp.decide.panel import SCHEMA
    from hpp.decide.target import Target

    check_stdin([values.file, values.context, *values.evidence])
    target = None if values.out is None else Target(values.out, SCHEMA)
    panel = _panel(values.file)
    if values.context is not None:
        panel = with_context(panel, values.context)
    for record in values.evidence:
        panel = with_record(panel, record)
    if target is not None:
        target.write(panel.document())
    write_json({"status": "valid", "panel": panel.document()})
    return 0


def _validate_arguments(declared: Arguments) -> None:
    declared.positional("FILE", help="panel, turn or record; - is stdin")
    declared.option("--panel", "FILE", help="panel that it belongs to; a turn needs it")


def _validate(values: Values) -> int:
    from hpp.core.document import check_stdin
    from hpp.core.output import write_json
    from hpp.decide import panel as panels
    from hpp.decide import turn as turns
    from hpp.decide.reading import read_place
    from hpp.decide.seal import SCHEMAS

    check_stdin([values.file, values.panel])
    place = read_place(values.file)
    schema = place.at("schema").choice((panels.SCHEMA, turns.SCHEMA, *SCHEMAS))
    owner = None if values.panel is None else _panel(values.panel)
    if schema == turns.SCHEMA:
        if owner is None:
            place.refuse("a turn is checked with its panel: --panel FILE")
        write_json({"status": "valid", "turn": turns.read_turn(place, owner).document()})
        return 0
    if schema == panels.SCHEMA:
        panel = panels.read_panel(place)
        _check_owner(place.at("sha256"), panel.sha256, owner)
        write_json({"status": "valid", "panel": panel.document()})
        return 0
    if owner is not None:
        _check_owner(place.at("panel"), place.at("panel").at("sha256").value, owner)
    return _show_seal(place)


def _session_arguments(declared: Arguments) -> None:
    declared.option("--panel", "FILE", help="panel of the session", required=True)
    declared.option(
        "--turns", "FILE", help="list of turns, or one turn", required=True, repeat=True
    )


def _tally(values: Values) -> int:
    from hpp.core.document import check_stdin
    from hpp.core.output import write_json

    check_stdin([values.panel, *values.turns])
    rounds = [each.document() for each in _session(values).rounds]
    write_json({"schema": "hpp.deliberation-tally/v1", "rounds": rounds})
    return 0


def _stop(values: Values) -> int:
    from hpp.core.document import check_stdin
    from hpp.core.output import write_json

    check_stdin([values.panel, *values.turns])
    write_json(_session(values).stop.document())
    return 0


def _record_arguments(declared: Arguments) -> None:
    _session_arguments(declared)
    declared.option("--judge", "FILE", help="the judge's decision record")
    declared.option("--rationale", "FILE", help="the judge's answer to grounded dissent")
    declared.option("--out", "FILE", help="file of the sealed record", required=True)


def _record(values: Values) -> int:
    from hpp.core.document import check_stdin
    from hpp.core.output import write_json
    from hpp.core.text import utf8_path
    from hpp.decide.deliberation import SCHEMA, conclude
    from hpp.decide.target import Target

    check_stdin([values.panel, *values.turns, values.judge, values.rationale])
    target = Target(values.out, SCHEMA)
    session = _session(values)
    judge, rationale = _word(values.judge, "--judge"), _word(values.rationale, "--rationale")
    deliberation = conclude(session, *_asked(session, judge, rationale))
    record = deliberation.document()
    target.write(record)
    write_json(
        {
            "status": "recorded",
            "record": utf8_path(values.out),
            "record_sha256": record["record_sha256"],
            "stop": record["stop"],
            "verdict": record["verdict"],
            "dissent": record["dissent"],
            "decision": deliberation.decision().document(),
        }
    )
    return 0 if deliberation.is_answered else 1


def _verify_arguments(declared: Arguments) -> None:
    declared.positional("RECORD", help="record to derive again; - is stdin")


def _verify(values: Values) -> int:
    from hpp.decide.reading import read_place

    return _show_seal(read_place(values.record))


def _show_seal(place: Place) -> int:
    from hpp.core.output import write_json
    from hpp.decide.seal import SCHEMAS, broken_reason

    record = place.mapping()
    place.at("schema").choice(SCHEMAS)
    reason = broken_reason(record)
    if reason is not None:
        write_json({"status": "broken", "reason": reason})
        return _BROKEN
    shown = {key: record[key] for key in ("schema", "record_sha256", "verdict", "stop")}
    write_json({"status": "intact", **shown})
    return 0


def _panel(path: str) -> Panel:
    from hpp.decide.panel import read_panel
    from hpp.decide.reading import read_place

    return read_panel(read_place(path))


def _session(values: Values) -> Session:
    from hpp.decide.reading import read_place
    from hpp.decide.session import read_session

    panel = _panel(values.panel)
    places: list[Place] = []
    for path in values.turns:
        place = read_place(path, root=None)
        places += [place] if isinstance(place.value, dict) else place.items(of="turns")
    return read_session(places, panel)


def _word(path: str | None, option: str) -> Place:
    from hpp.decide.place import ABSENT, Place
    from hpp.decide.reading import read_place

    return Place(ABSENT, option) if path is None else read_place(path)


def _asked(session: Session, *words: Place) -> tuple[Any, ...]:
    """Return the judge's words, without any after a session in which nobody is asked."""
    from hpp.core.command import say
    from hpp.decide.place import ABSENT, Place
    from hpp.decide.stop import NOT_JUDGED

    if session.stop.reason != NOT_JUDGED:
        return words
    for word in words:
        if not word.is_absent:
            say(f"{word.name}: left out, since a seat is missing in the last round")
    return tuple(Place(ABSENT, word.name) for word in words)


def _check_owner(place: Place, found: object, owner: Panel | None) -> None:
    if owner is not None and found != owner.sha256:
        place.refuse(f"it is another panel than --panel, which is {owner.sha256}")


DELIBERATE = Command(
    "deliberate",
    "check, count, stop and seal a deliberation of several models",
    subcommands=[
        Command("plan", "check a panel", arguments=_plan_arguments, run=_plan),
        Command(
            "validate",
            "check a panel, a turn or a record",
            arguments=_validate_arguments,
            run=_validate,
        ),
        Command("tally", "count every round", arguments=_session_arguments, run=_tally),
        Command("stop", "say whether to go on", arguments=_session_arguments, run=_stop),
        Command("record", "seal an ended session", arguments=_record_arguments, run=_record),
        Command("verify", "derive a record again", arguments=_verify_arguments, run=_verify),
    ],
)
