"""Which vendor's family a model belongs to, by its id.

What the table does not know has no family, and so neither builds nor judges: two models that
nobody can tell apart must not count as two opinions.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["BUILT_IN", "family_of"]

BUILT_IN: dict[str, tuple[str, ...]] = {
    "claude": ("claude", "anthropic", "sonnet", "opus", "haiku"),
    "gpt": ("gpt", "codex", "openai", "chatgpt"),
    "gemini": ("gemini", "google"),
    "llama": ("llama", "meta", "meta-llama"),
    "mistral": ("mistral", "mixtral", "codestral", "devstral", "magistral"),
    "qwen": ("qwen", "qwq"),
    "deepseek": ("deepseek",),
    "grok": ("grok", "xai", "x-ai"),
    "kimi": ("kimi", "moonshot"),
    "glm": ("glm", "zai", "z-ai"),
}
_NOBODY = frozenset({"", "auto", "default", "unknown"})


def family_of(model: str, extra: Mapping[str, Iterable[str]] | None = None) -> str | None:
    """Return the family of a model id, or None when nobody can tell.

    Args:
        model: As a host names it, with or without region, vendor and router in front.
        extra: More prefixes by family; they never change what the built-in table says.

    """
    plain = model.strip().lower()
    if plain in _NOBODY:
        return None
    tokens = plain.replace("/", ".").split(".")
    for table in (BUILT_IN, extra or {}):
        for token in tokens:
            found = _of_token(token.strip(), table)
            if found is not None:
                return found
    return None


def _of_token(token: str, table: Mapping[str, Iterable[str]]) -> str | None:
    if not token:
        return None
    if table is BUILT_IN and token[0] == "o" and token[1:2].isdigit():
        return "gpt"
    for family, prefixes in table.items():
        if any(prefix and token.startswith(prefix.strip().lower()) for prefix in prefixes):
            return family
    return None
