"""SHA-256 for a hook: the interpreter's own, without what `hashlib` loads beside it.

`hashlib` loads OpenSSL, which costs a hook as much as the rest of its start.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["text_digest"]

# Where interpreters keep it: since 3.12, before that, and one that is built without both.
_HOLDERS = ("_sha2", "_sha256", "hashlib")


def text_digest(text: str) -> str:
    """Return the lower-case hexadecimal SHA-256 of a text; a lone surrogate has a digest too."""
    digest: str = _holder().sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return digest


def _holder() -> Any:  # noqa: ANN401 -- a module
    for name in _HOLDERS:
        try:
            # By name: no one version's standard library has all of them.
            return __import__(name)
        except ImportError:  # noqa: PERF203 -- three at most
            continue
    raise ImportError("no SHA-256 in this interpreter")
