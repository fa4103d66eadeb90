"""Modules of House Party Protocol: their formats, their installation, their emission."""
