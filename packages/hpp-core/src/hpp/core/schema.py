"""The published JSON Schemas of every installed distribution, and checking against them.

A distribution names its package under the entry-point group ``hpp.schemas``; the files of
that package's folder ``schemas`` are its schemas (draft 2020-12), named as the files are.
"""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.core.strictjson import parse_bytes
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["GROUP", "Schema", "faults", "find_schema", "installed_schemas"]

GROUP = "hpp.schemas"
_ENDING = ".json"


class Schema:
    """One published schema.

    Attributes:
        name: Its file name without the ending.
        path: Where it lies.
        distribution: Who publishes it.

    """

    __slots__ = ("distribution", "name", "path")

    def __init__(self, name: str, path: str, distribution: str) -> None:
        self.name = name
        self.path = path
        self.distribution = distribution

    def published(self) -> bytes:
        """Return its bytes as they were released."""
        with open(self.path, "rb") as stream:
            return stream.read()

    def document(self) -> dict[str, Any]:
        """Return it parsed."""
        parsed: dict[str, Any] = parse_bytes(self.published(), self.name, root=dict)
        return parsed


def installed_schemas() -> list[Schema]:
    """Return the schemas of every installed distribution, sorted by name."""
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    found: dict[str, Schema] = {}
    for point in entry_points(group=GROUP):
        spec = find_spec(point.value)
        places = list(spec.submodule_search_locations or []) if spec else []
        distribution = point.dist.name if point.dist is not None else "unknown"
        for place in places:
            folder = os.path.join(place, "schemas")
            names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
            for file in names:
                name = file.removesuffix(_ENDING)
                if name != file:
                    found.setdefault(name, Schema(name, os.path.join(folder, file), distribution))
    return [found[name] for name in sorted(found)]


def find_schema(name: str) -> Schema:
    """Return the schema of that name.

    Raises:
        RefusedError: There is none; near names are suggested.

    """
    schemas = {schema.name: schema for schema in installed_schemas()}
    if name not in schemas:
        from hpp.core.suggestion import suggestion

        raise RefusedError(f"no schema is named {shorten(name)!r}{suggestion(name, schemas)}")
    return schemas[name]


def faults(schema: dict[str, Any], document: object) -> list[str]:
    """Return every fault of a document as ``path: what``, sorted by path; none when it fits.

    Args:
        schema: A schema of draft 2020-12.
        document: A strict JSON value.

    """
    from jsonschema import Draft202012Validator

    from hpp.core.jsonfault import shown_path

    errors = Draft202012Validator(schema).iter_errors(document)
    ordered = sorted(errors, key=lambda error: [str(step) for step in error.absolute_path])
    return [
        f"{shown_path(list(error.absolute_path)) or 'the document'}: {shorten(error.message, 200)}"
        for error in ordered
    ]
