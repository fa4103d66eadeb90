"""Commands as they come in, and pieces of them as they may be shown."""

from __future__ import annotations

from hpp.core.errors import RefusedError

__all__ = ["bounded", "masked"]

_LONGEST = 1024 * 1024


def bounded(text: str, name: str) -> str:
    """Return a command of at most 1 MiB.

    Args:
        text: The command.
        name: What messages call it.

    Raises:
        RefusedError: It is longer.

    """
    is_longer = len(text) > _LONGEST
    if is_longer or (
        len(text) > _LONGEST // 4 and len(text.encode("utf-8", "surrogatepass")) > _LONGEST
    ):
        raise RefusedError(f"{name}: longer than 1 MiB")
    return text


def masked(piece: str, longest: int = 0) -> str:
    """Return a piece of a command that a terminal, a log and a model may be shown.

    Args:
        piece: As it stands in the command; control characters become escapes, and what
            looks like a secret is taken out.
        longest: Most characters of it; 0 for all.

    """
    from hpp.core.secretmark import may_hold_secret
    from hpp.core.text import printable

    shown = printable(piece if not longest or len(piece) <= longest else piece[:longest] + "...")
    if not may_hold_secret(shown):
        return shown
    from hpp.core.secret import redact

    return redact(shown)
