"""The context that a text was written from: ids that its markers may name."""

from __future__ import annotations

import json

from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.core.document import read_input, shown_name
from hpp.core.errors import RefusedError
from hpp.core.secretmark import may_hold_secret
from hpp.core.strictjson import LARGE_LIMIT, kind_of, parse_bytes
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Context", "read_context"]


class Context:
    """The ids of a context.

    Attributes:
        ids: Each once, in order.
        sha256: Of the canonical JSON, so that layout and key order do not count.

    """

    __slots__ = ("ids", "sha256")

    def __init__(self, ids: list[str], sha256: str) -> None:
        self.ids = dict.fromkeys(ids)
        self.sha256 = sha256


def read_context(path: str) -> Context:
    """Return the context of a file.

    Raises:
        RefusedError: It cannot be read, is no list of ids or of objects with an id and a
            text, an id is unfit or repeated, or an item holds secret-like text.

    """
    where = shown_name(path)
    raw = parse_bytes(read_input(path, limit=LARGE_LIMIT), where, root=list)
    if not raw:
        raise RefusedError(f"{where}: expected a non-empty list of ids or of objects")
    ids: dict[str, int] = {}
    for number, item in enumerate(raw):
        place = f"{where}: [{number}]"
        each = _id_of(item, place, bare=isinstance(raw[0], str))
        _check_id(each, place if isinstance(item, str) else f"{place}.id")
        if ids.setdefault(each, number) != number:
            raise RefusedError(f'{place}: id "{shorten(each)}" is that of [{ids[each]}] too')
        _look_for_secrets(item, place)
    return Context(list(ids), sha256_hex(canonical_bytes(raw)))


def _id_of(item: object, place: str, *, bare: bool) -> str:
    if bare:
        if not isinstance(item, str):
            raise RefusedError(f"{place}: expected an id like the first, got {kind_of(item)}")
        return item
    if not isinstance(item, dict):
        raise RefusedError(f"{place}: expected an object with id and text, got {kind_of(item)}")
    for key in ("id", "text"):
        if not isinstance(item.get(key), str):
            got = kind_of(item[key]) if key in item else "nothing"
            raise RefusedError(f"{place}.{key}: expected a text, got {got}")
    identity: str = item["id"]
    return identity


def _check_id(identity: str, place: str) -> None:
    if not identity:
        raise RefusedError(f"{place}: an id is empty")
    if identity != identity.strip():
        raise RefusedError(f"{place}: an id begins or ends with white space")
    if len(identity.splitlines()) > 1:
        raise RefusedError(f"{place}: an id spans lines")


def _look_for_secrets(item: object, place: str) -> None:
    # A name and its value are two texts, which only the item as a whole brings together.
    for text in (*_texts(item), json.dumps(item, ensure_ascii=False)):
        if may_hold_secret(text):
            from hpp.core.secret import first_kind

            kind = first_kind(text)
            if kind is not None:
                raise RefusedError(f"{place}: it holds secret-like text ({kind})")


def _texts(value: object) -> Iterator[str]:
    """Yield every text and key of a value, without recursion."""
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            left += each.keys()
            left += each.values()
        elif isinstance(each, list):
            left += each
