"""The journal of a transaction: what is about to change, written before anything does."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from hpp.core.errors import RefusedError
from hpp.core.output import pretty_json
from hpp.core.strictjson import parse_bytes
from hpp.installer.formats.destination import name_fault
from hpp.installer.formats.identifier import is_module_id
from hpp.installer.formats.relativepath import path_fault
from hpp.installer.kit.layout import LAYOUTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Journal", "Operation", "parse_journal"]

SCHEMA = "hpp.install-journal/v1"
_DIGITS = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Operation:
    """One file that changes.

    Attributes:
        path: Relative to the target.
        before: SHA-256 of what is there, or None when nothing is.
        after: SHA-256 of what will be there, or None when nothing will.
        staged: Name of the new bytes below the transaction's folder, or None.
        backup: Name that the old bytes get below it, or None.
        mode: Permission bits of the new file.

    """

    path: str
    before: str | None
    after: str | None
    staged: str | None
    backup: str | None
    mode: int = 0o644


@dataclass(frozen=True, slots=True)
class Journal:
    """What a transaction does.

    Attributes:
        verb: The command that it belongs to.
        module: Whose files change.
        host: On which host.
        operations: In order; the receipt is last.
        made: Folders that are not there before, outermost first.
        dropped: Folders that go if they are empty afterwards.
        keep_backup: Whether the old bytes stay as the module's rollback point.

    """

    verb: str
    module: str
    host: str
    operations: list[Operation]
    made: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    keep_backup: bool = False

    def data(self) -> bytes:
        """Return the file of the journal."""
        return pretty_json({"schema": SCHEMA, **asdict(self)})


def parse_journal(data: bytes, where: str) -> Journal:
    """Return the journal of a file; nothing that it says may lead out of the target.

    Raises:
        RefusedError: It is none.

    """
    document: dict[str, Any] = parse_bytes(data, where, root=dict)
    if document.pop("schema", None) != SCHEMA:
        raise RefusedError(f'{where}: schema: expected the text "{SCHEMA}"')
    try:
        operations = [Operation(**entry) for entry in document.pop("operations")]
        journal = Journal(operations=operations, **document)
    except (TypeError, KeyError):
        raise RefusedError(f"{where}: it is no journal of an installation") from None
    names = [name for op in operations for name in (op.staged, op.backup) if name is not None]
    places: list[object] = [op.path for op in operations]
    digests: list[object] = [d for op in operations for d in (op.before, op.after) if d is not None]
    is_sound = all(map(_is_place, [*places, *journal.made, *journal.dropped, *names]))
    is_sound = is_sound and journal.host in LAYOUTS and is_module_id(str(journal.module))
    # A repository may carry what looks like a journal; nothing of git or a host is in one.
    runtime = LAYOUTS[journal.host].runtime(journal.module) if is_sound else ""
    is_sound = is_sound and not any(name_fault(op.path, runtime) for op in operations)
    is_sound = is_sound and all(map(_is_digest, digests))
    if not is_sound or any(op.mode not in (0o644, 0o755) for op in operations):
        raise RefusedError(f"{where}: it names what no installation writes")
    return journal


def _is_place(value: object) -> bool:
    return isinstance(value, str) and not path_fault(value)


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and not set(value) - _DIGITS
