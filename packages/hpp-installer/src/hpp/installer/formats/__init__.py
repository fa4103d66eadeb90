"""Formats that a module is made of and installed by, each read and written in one place.

Nothing here needs more than the standard library and hpp.core, so that every module of a
distribution can carry a copy of what it uses.
"""
