"""Modules verified, installed, upgraded and removed; the standard library and hpp.core suffice."""

from hpp.installer.kit.command import main

__all__ = ["main"]
