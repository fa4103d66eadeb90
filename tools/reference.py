"""Write the reference: commands, exit statuses and records, from what the program itself reads.

python tools/reference.py            say which pages are stale, exit 1
python tools/reference.py --write    write docs/reference
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hpp.core.errors
from hpp.cli.registry import installed_commands
from hpp.core.help import command_help
from hpp.core.schema import Schema, installed_schemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hpp.core.command import Command

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "reference"
DEEPEST = 3
NOTE = "<!-- Written by tools/reference.py; do not edit. -->\n\n"
MEANINGS = {
    "ok": "done; in the mode `audit` always",
    "warn": "a person or a gate has to act, or a measurement missed its gate",
    "block": "refused or blocked",
    "error": "the command line cannot be understood, or a fault of ours",
}


def commands() -> str:
    """Return the page of every command with its help."""
    found = installed_commands()
    listed = "".join(
        f"| [`hpp {each.name}`](#hpp-{each.name}) | {each.summary} |\n" for each in found
    )
    head = "# Commands\n\nThe help of every command, as it is printed.\n\n"
    table = f"| command | what for |\n| --- | --- |\n{listed}"
    return NOTE + head + table + "".join(_command(each, f"hpp {each.name}") for each in found)


def _command(command: Command, program: str, level: int = 2) -> str:
    text = f"\n{'#' * level} {program}\n\n"
    if command.subcommands:
        text += f"{command.summary[0].upper()}{command.summary[1:]}.\n"
        for name, inner in command.subcommands.items():
            text += _command(inner, f"{program} {name}", level + 1)
        return text
    return f"{text}```text\n{command_help(command, program)}```\n"


def statuses() -> str:
    """Return the page of exit statuses and of the errors that lead to them."""
    manifest = json.loads((ROOT / "hpp.manifest.json").read_bytes())
    text = NOTE + "# Exit statuses\n\nThe same for every command and module.\n\n"
    text += "| status | name | means |\n| --- | --- | --- |\n"
    codes = sorted(manifest["exit_codes"].items(), key=lambda pair: pair[1])
    text += "".join(f"| `{code}` | {name} | {MEANINGS[name]} |\n" for name, code in codes)
    text += (
        "\nA guard that stands before a call of a tool (`hpp policy hook`) ends in 0 or 2 alone, "
    )
    text += "since hosts stop at 2 alone.\n\n## Errors of the library\n\n"
    text += "A program that imports `hpp.core` matches these.\n\n"
    text += "| class | code | status | when |\n| --- | --- | --- | --- |\n"
    for error in _errors():
        when = inspect.cleandoc(error.__doc__ or "").split("\n")[0]
        text += f"| `{error.__name__}` | `{error.code}` | `{error.exit_code}` | {when} |\n"
    return text


def _errors() -> list[type[hpp.core.errors.HppError]]:
    found = [
        value
        for value in vars(hpp.core.errors).values()
        if isinstance(value, type) and issubclass(value, hpp.core.errors.HppError)
    ]
    return sorted(found, key=lambda error: (error.exit_code, error.__name__))


def records() -> str:
    """Return the page of every record and document that has a schema."""
    found = installed_schemas()
    text = NOTE + "# Records and documents\n\nEvery JSON document that is read or written has a "
    text += "schema: `hpp schema show NAME` prints it, `hpp schema check` holds a file to it. Here "
    text += f"each is shown to a depth of {DEEPEST}; `*` marks what is required.\n"
    return text + "".join(_record(schema) for schema in found)


def _record(schema: Schema) -> str:
    document = schema.document()
    text = f"\n## {schema.name}\n\n{_sentence(document)}\n\n"
    text += f"`{document['$id']}`, published by {schema.distribution}.\n"
    rows = list(_rows(document, document, "", 1))
    if rows:
        text += "\n| path | type | what |\n| --- | --- | --- |\n" + "".join(rows)
    return text


def _sentence(document: dict[str, Any]) -> str:
    title, said = document.get("title", ""), document.get("description", "")
    return f"**{title}.** {said}".strip()


def _rows(node: dict[str, Any], root: dict[str, Any], path: str, depth: int) -> Iterator[str]:
    node = _resolved(node, root)
    required = node.get("required", [])
    for name, inner in node.get("properties", {}).items():
        part = _resolved(inner, root) if isinstance(inner, dict) else {}
        here = f"{path}.{name}" if path else name
        mark = " *" if name in required else ""
        said = str(part.get("description") or part.get("title") or "").replace("|", "\\|")
        yield f"| `{here}`{mark} | {_type(part)} | {said} |\n"
        if depth < DEEPEST:
            yield from _rows(part, root, here, depth + 1)
    items = node.get("items")
    if isinstance(items, dict) and depth <= DEEPEST:
        yield from _rows(items, root, f"{path}[]", depth)


def _resolved(node: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    reference = node.get("$ref", "")
    if not reference.startswith("#/"):
        return node
    found: Any = root
    for step in reference[2:].split("/"):
        found = found[step]
    return {**found, **{key: value for key, value in node.items() if key != "$ref"}}


def _type(node: dict[str, Any]) -> str:
    """Return the type of a value, its choices or the document that it is."""
    if "const" in node:
        return f"`{_json(node['const'])}`"
    if "enum" in node:
        return ", ".join(f"`{_json(value)}`" for value in node["enum"]).replace("|", "\\|")
    if "$ref" in node:
        return f"[{node['$ref'].split(':')[-2]}](#{node['$ref'].split(':')[-2]})"
    kind = node.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else kind


def _json(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def overview() -> str:
    """Return the first page."""
    return (
        NOTE + "# Reference\n\n"
        "- [Commands](commands.md): what each accepts.\n"
        "- [Exit statuses](exit-statuses.md): what each means.\n"
        "- [Records and documents](records.md): what is read and written.\n"
    )


def pages() -> dict[Path, str]:
    """Return the text of every generated page by its place."""
    return {
        FOLDER / "README.md": overview(),
        FOLDER / "commands.md": commands(),
        FOLDER / "exit-statuses.md": statuses(),
        FOLDER / "records.md": records(),
    }


def main(words: list[str]) -> int:
    """Say which pages are stale, or write them."""
    wanted = pages()
    strays = set(FOLDER.glob("*")) - set(wanted)
    stale = [p for p, text in wanted.items() if not p.is_file() or p.read_text("utf-8") != text]
    if "--write" not in words:
        for path in sorted([*stale, *strays]):
            print(f"{path.relative_to(ROOT).as_posix()}: stale; run tools/reference.py --write")
        return 1 if stale or strays else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in strays:
        path.unlink()
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
