"""The catalogues of a distribution: one that Claude Code reads, one that Codex reads."""

from __future__ import annotations

import json

from hpp.installer.forge.codexplugin import CATEGORY, is_in_channel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.installer.forge.moduleforge import Emission
    from hpp.installer.forge.product import Product

__all__ = ["CLAUDE", "CODEX", "COPY", "claude_catalogue", "codex_catalogue", "laid_out"]

CLAUDE = "marketplace.json"
COPY = ".claude-plugin/marketplace.json"
CODEX = ".agents/plugins/marketplace.json"


def laid_out(document: dict[str, Any]) -> bytes:
    """Return JSON with its keys in the order given, two-space indent and a final newline."""
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def claude_catalogue(product: Product, emissions: Sequence[Emission]) -> bytes:
    """Return ``marketplace.json``; `emissions` are in the catalogue's order."""
    plugins = [
        {
            "name": emission.module.id,
            "displayName": emission.plugin.get("displayName", emission.module.id),
            "source": f"./{emission.folder}",
            "description": emission.plugin["description"],
            "version": emission.module.version,
            "category": product.category(emission.module.id),
            "keywords": emission.plugin["keywords"],
            "license": emission.plugin["license"],
        }
        for emission in emissions
    ]
    return laid_out(
        {
            "name": product.name,
            "description": product.build["description"],
            "version": product.manifest.product_version,
            "owner": {"name": product.build["owner"]},
            "repository": product.build["repository"],
            "plugins": plugins,
        }
    )


def codex_catalogue(product: Product, emissions: Sequence[Emission]) -> bytes:
    """Return ``.agents/plugins/marketplace.json``: the modules that Codex is served."""
    plugins = [
        {
            "name": emission.module.id,
            "source": {"source": "local", "path": f"./{emission.folder}"},
            "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
            "category": CATEGORY,
        }
        for emission in emissions
        if is_in_channel(emission.module)
    ]
    return laid_out(
        {
            "name": product.name,
            "interface": {"displayName": product.build["displayName"]},
            "plugins": plugins,
        }
    )
