"""Licence and notices of a module."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["THIRD_PARTY", "third_party_text"]

THIRD_PARTY = "THIRD-PARTY.md"


def third_party_text(notices: Sequence[dict[str, str]]) -> bytes:
    """Return the document that names what others wrote."""
    lines = ["# Third-party notices", "", "Parts of this module come from others:", ""]
    for notice in notices:
        name, url = notice["name"], notice["url"]
        lines.append(f"- [{name}]({url}), {notice['license']}; notice: `{notice['notice']}`")
    return ("\n".join(lines) + "\n").encode()
