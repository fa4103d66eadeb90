"""Globs over paths with ``/``: ``**`` any folders, ``*`` and ``?`` within one name, classes."""

from __future__ import annotations

__all__ = ["glob_matches"]


def glob_matches(path: str, pattern: str, *, fold: bool = False) -> bool:
    """Say whether a whole path matches.

    Args:
        path: With ``/`` between names.
        pattern: A glob, likewise; braces mean themselves.
        fold: The case of letters does not count.

    """
    if fold:
        path, pattern = path.casefold(), pattern.casefold()
    return _parts(path.split("/"), [part for part in pattern.split("/") if part != "."])


def _parts(names: list[str], globs: list[str]) -> bool:
    """Match names against globs; a table of what can be reached keeps it from exploding."""
    reached = {0}
    for glob in globs:
        following: set[int] = set()
        for at in reached:
            if glob == "**":
                following.update(range(at, len(names) + 1))
            elif at < len(names) and _name(names[at], glob):
                following.add(at + 1)
        reached = following
    return len(names) in reached


def _name(name: str, glob: str) -> bool:
    tokens = _tokens(glob)
    reached = {0}
    for kind, accepted in tokens:
        following: set[int] = set()
        for at in reached:
            if kind == "*":
                following.update(range(at, len(name) + 1))
            elif at < len(name) and _accepts(kind, accepted, name[at]):
                following.add(at + 1)
        reached = following
    return len(name) in reached


def _accepts(kind: str, accepted: str, char: str) -> bool:
    if kind == "?":
        return True
    if kind == "[":
        is_not = accepted[:1] in ("!", "^")
        return _in_class(accepted[1:] if is_not else accepted, char) != is_not
    return accepted == char


def _in_class(members: str, char: str) -> bool:
    at = 0
    while at < len(members):
        if members[at + 1 : at + 2] == "-" and at + 2 < len(members):
            if members[at] <= char <= members[at + 2]:
                return True
            at += 3
            continue
        if members[at] == char:
            return True
        at += 1
    return False


def _tokens(glob: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(glob):
        char = glob[at]
        end = glob.find("]", at + 2) if char == "[" else -1
        if end > 0:
            found.append(("[", glob[at + 1 : end]))
            at = end + 1
            continue
        found.append((char, "") if char in "*?" else ("=", char))
        at += 1
    return found
