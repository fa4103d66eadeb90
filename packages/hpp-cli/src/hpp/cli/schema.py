"""``hpp schema``: the published schemas, and whether a file keeps to one."""

from __future__ import annotations

from hpp.core.command import Command
from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values

__all__ = ["COMMAND"]


def _list_arguments(declared: Arguments) -> None:
    declared.flag("--json", help="print the list as JSON")


def _list(values: Values) -> int:
    from hpp.core.output import write_json, write_text
    from hpp.core.schema import installed_schemas

    rows = []
    for schema in installed_schemas():
        document = schema.document()
        rows.append(
            {
                "name": schema.name,
                "id": document["$id"],
                "title": document["title"],
                "distribution": schema.distribution,
            }
        )
    if values.json:
        write_json(rows)
    else:
        write_text("".join(f"{row['name']}\t{row['id']}\n" for row in rows))
    return 0


def _show_arguments(declared: Arguments) -> None:
    declared.positional("NAME", help="name of the schema, as listed", is_input=False)


def _show(values: Values) -> int:
    from hpp.core.output import write_bytes
    from hpp.core.schema import find_schema

    write_bytes(find_schema(values.name).published())
    return 0


def _check_arguments(declared: Arguments) -> None:
    declared.positional("NAME", help="name of the schema, as listed", is_input=False)
    declared.positional("FILE", help="document to check")


def _check(values: Values) -> int:
    from hpp.core.document import read_document, shown_name
    from hpp.core.output import write_text
    from hpp.core.schema import faults, find_schema

    schema = find_schema(values.name)
    found = faults(schema.document(), read_document(values.file))
    if found:
        further = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise RefusedError(f"{shown_name(values.file)}: {found[0]}{further}")
    write_text(f"{shown_name(values.file)}: keeps to {schema.name}\n")
    return 0


COMMAND = Command(
    "schema",
    "list, show and apply the published schemas",
    subcommands=[
        Command("list", "list every schema", arguments=_list_arguments, run=_list),
        Command("show", "print one schema", arguments=_show_arguments, run=_show),
        Command("check", "check a file against one", arguments=_check_arguments, run=_check),
    ],
)
