"""SHA-256 for a hook: the interpreter's own, without what `hashlib` loads beside it.

`hashlib` loads OpenSSL, which costs a hook as much as the rest of its start.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # 3.12 and newer
    except ImportError:
        try:
            from _sha256 import sha256  # 3.10 and 3.11
        except ImportError:  # an interpreter that is built without it
            from hashlib import sha256

__all__ = ["text_digest"]


def text_digest(text: str) -> str:
    """Return the lower-case hexadecimal SHA-256 of a text; a lone surrogate has a digest too."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
