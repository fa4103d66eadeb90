"""``hpp schema``: the published JSON Schemas, and a document held against one."""

from __future__ import annotations

from hpp.core.command import Command, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values

__all__ = ["COMMAND"]


def _list_arguments(declared: Arguments) -> None:
    declared.flag("--json", help="print names, identifiers, titles and distributions as JSON")


def _list(values: Values) -> int:
    from hpp.core.output import write_json, write_text
    from hpp.core.schema import installed_schemas
    from hpp.core.text import printable

    schemas = installed_schemas()
    if values.json:
        write_json(
            [
                {
                    "name": schema.name,
                    "id": schema.text("$id"),
                    "title": schema.text("title"),
                    "distribution": schema.distribution,
                }
                for schema in schemas
            ]
        )
    else:
        lines = [f"{printable(s.name)}\t{printable(s.text('$id'))}\n" for s in schemas]
        write_text("".join(lines))
    return 0


def _show_arguments(declared: Arguments) -> None:
    declared.positional("NAME", help="name that `hpp schema list` shows", is_input=False)


def _show(values: Values) -> int:
    from hpp.core.output import write_bytes
    from hpp.core.schema import find_schema

    write_bytes(find_schema(values.name).published())
    return 0


def _check_arguments(declared: Arguments) -> None:
    _show_arguments(declared)
    declared.positional("FILE", help="JSON document, or - for standard input")


def _check(values: Values) -> int:
    from hpp.core.document import read_document, shown_name
    from hpp.core.output import write_text
    from hpp.core.schema import faults, find_schema
    from hpp.core.strictjson import LARGE_LIMIT

    schema = find_schema(values.name)
    found = faults(schema.document(), read_document(values.file, limit=LARGE_LIMIT))
    for fault in found:
        say(f"{shown_name(values.file)}: {fault}")
    if found:
        return 2
    write_text(f"schema ok: {schema.text('$id')}\n")
    return 0


COMMAND = Command(
    "schema",
    "show the published JSON Schemas, or hold a document against one",
    subcommands=[
        Command("list", "name every published schema", arguments=_list_arguments, run=_list),
        Command("show", "print one schema", arguments=_show_arguments, run=_show),
        Command(
            "check",
            "name every fault of a document against a schema",
            arguments=_check_arguments,
            run=_check,
        ),
    ],
)
