"""The tiers of a provider, from the least capable to the most."""

from __future__ import annotations

__all__ = ["TIERS"]

TIERS = ("economy", "balanced", "frontier")
