"""Published JSON Schemas: where they lie, and what a document breaks of one.

A distribution publishes the files of its package's folder ``schemas`` by registering the
package under the entry-point group ``hpp.schemas``. A schema is named for its file; ours
have the ``$id`` ``urn:hpp:<name>:v1``.
"""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.strictjson import parse_bytes
from hpp.core.text import printable, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from typing import Any

    from hpp.core.validation import Checker

__all__ = [
    "GROUP",
    "Schema",
    "check_document",
    "checker",
    "faults",
    "find_schema",
    "installed_schemas",
]

GROUP = "hpp.schemas"
_FOLDER = "schemas"
_SUFFIX = ".json"


class Schema:
    """One published schema.

    Attributes:
        name: File name without ``.json``.
        distribution: The distribution that carries it.

    """

    __slots__ = ("_data", "distribution", "name")

    def __init__(self, name: str, distribution: str, data: bytes) -> None:
        self.name = name
        self.distribution = distribution
        self._data = data

    def published(self) -> bytes:
        """Return its bytes as they were released."""
        return self._data

    def document(self) -> dict[str, Any]:
        """Return the schema.

        Raises:
            RefusedError: It is not a JSON object; whoever published it is named.

        """
        document: dict[str, Any] = parse_bytes(self._data, self.shown(), root=dict)
        return document

    def text(self, key: str) -> str:
        """Return a text such as ``$id`` or ``title``, an empty one when the schema has none."""
        value = self.document().get(key, "")
        return value if isinstance(value, str) else ""

    def shown(self) -> str:
        """Return how messages name it."""
        return f"schema {shorten(self.name)} of {shorten(self.distribution)}"


def installed_schemas() -> list[Schema]:
    """Return every schema of the installed distributions, sorted by name.

    Raises:
        RefusedError: A registered package cannot be read.

    """
    found, unreadable = _gather()
    for error in unreadable:
        raise error
    return found


def find_schema(name: str) -> Schema:
    """Return the schema of that name; a package that cannot be read hides only its own.

    Raises:
        RefusedError: No distribution publishes it, or several do.

    """
    known, unreadable = _gather()
    found = [schema for schema in known if schema.name == name]
    if len(found) > 1:
        owners = ", ".join(shorten(schema.distribution) for schema in found)
        raise RefusedError(f"schema {shorten(name)}: several distributions publish it: {owners}")
    if found:
        return found[0]
    for error in unreadable:
        raise error
    from hpp.core.suggestion import suggestion

    near = suggestion(name, [schema.name for schema in known])
    advice = near or "; `hpp schema list` names all there are"
    raise RefusedError(f"unknown schema {shorten(name)}{advice}")


def checker(schema: dict[str, Any]) -> Checker:
    """Return a schema made ready for any number of documents; see `Checker.faults`.

    Raises:
        RefusedError: It is no JSON Schema.

    """
    from hpp.core.validation import Checker

    return Checker(schema, _by_identifier)


def faults(schema: dict[str, Any], document: object) -> list[str]:
    """Return every fault of a document as ``path: what``, in the order of the document.

    Raises:
        RefusedError: The schema is no JSON Schema, or refers to one that no installed
            distribution publishes; nothing is fetched.

    """
    return checker(schema).faults(document)


def check_document(document: object, name: str, where: str) -> None:
    """Hold a document to a published schema.

    Args:
        document: The value of the document.
        name: Name of the schema.
        where: Name of the document for messages.

    Raises:
        RefusedError: It breaks the schema; the first fault is named, with the number of
            further ones.

    """
    found = faults(find_schema(name).document(), document)
    if found:
        further = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise RefusedError(f"{where}: {found[0]}{further}")


def _gather() -> tuple[list[Schema], list[RefusedError]]:
    """Return the schemas of every package that can be read, and why the others cannot."""
    from importlib.metadata import entry_points

    found: list[Schema] = []
    unreadable: list[RefusedError] = []
    for point in entry_points(group=GROUP):
        try:
            found += _of_package(point)
        except RefusedError as error:  # noqa: PERF203 -- one must not hide the others
            unreadable.append(error)
    return sorted(found, key=lambda schema: (schema.name, schema.distribution)), unreadable


def _of_package(point: EntryPoint) -> list[Schema]:
    from importlib.resources import files

    distribution = point.value if point.dist is None else point.dist.name
    try:
        folder = files(point.value).joinpath(_FOLDER)
        if not folder.is_dir():
            return []
        return [
            Schema(entry.name[: -len(_SUFFIX)], distribution, entry.read_bytes())
            for entry in folder.iterdir()
            if entry.name.endswith(_SUFFIX) and entry.is_file()
        ]
    except (ImportError, OSError) as error:
        reason = printable(str(error))
        raise RefusedError(
            f"{printable(distribution)}: its schemas cannot be read: {reason}"
        ) from None


def _by_identifier(identifier: str) -> dict[str, Any] | None:
    """Return the published schema with that ``$id``."""
    found, _ = _gather()
    for schema in found:
        # The bytes first: one that is torn must not hide the one that is looked for.
        if identifier.encode() in schema.published() and schema.text("$id") == identifier:
            return schema.document()
    return None
