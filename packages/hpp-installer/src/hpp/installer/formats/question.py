"""Questions of a module, ``hpp.questions/v1``: declared, given a default, answered."""

from __future__ import annotations

import re

from hpp.core.text import shorten
from hpp.installer.formats.relativepath import path_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.fault import Faults, Path

__all__ = ["KEYS", "TYPES", "answer_fault", "question_faults"]

TYPES = ("choice", "bool", "string", "list")
KEYS = ("id", "prompt", "type", "options", "many", "pattern", "default", "effect")
_ID = re.compile(r"[a-z][a-z0-9_]{0,63}")
_ABSENT = object()


def question_faults(found: Faults, question: dict[str, Any], path: Path) -> None:
    """Add every fault of one question of sound JSON."""
    found.keys(question, path, (), KEYS)
    identity = found.text(question, (*path, "id"))
    if identity is not None and not _ID.fullmatch(identity):
        found.add((*path, "id"), "expected lower-case letters, digits and _, a letter first")
    found.text(question, (*path, "prompt"))
    found.choice(question, (*path, "type"), TYPES)
    before = len(found.found)
    _choice_rules(found, question, path)
    _pattern_rules(found, question, path)
    if question.get("type") in TYPES and len(found.found) == before:
        fault = answer_fault(question, question.get("default", _ABSENT))
        if fault:
            found.add((*path, "default"), fault)
    _effect(found, question, path)


def _choice_rules(found: Faults, question: dict[str, Any], path: Path) -> None:
    is_choice = question.get("type") == "choice"
    if is_choice:
        found.texts(question, (*path, "options"))
    elif question.get("options", []) != []:
        found.add((*path, "options"), "only a choice has options")
    many = question.get("many", False)
    if not isinstance(many, bool):
        found.add((*path, "many"), "expected true or false")
    elif many and not is_choice:
        found.add((*path, "many"), "only a choice takes several")


def _pattern_rules(found: Faults, question: dict[str, Any], path: Path) -> None:
    if "pattern" not in question:
        return
    pattern = question["pattern"]
    if question.get("type") != "string":
        found.add((*path, "pattern"), "only a string has a pattern")
    elif not isinstance(pattern, str):
        found.add((*path, "pattern"), "expected a text")
    else:
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError) as error:
            found.add((*path, "pattern"), f"it is no regular expression: {error}")


def _effect(found: Faults, question: dict[str, Any], path: Path) -> None:
    """Check that an answer changes something: one that does not wastes a person's time."""
    effect = question.get("effect")
    where = (*path, "effect")
    if not isinstance(effect, dict) or set(effect) not in ({"seed", "key"}, {"next_command"}):
        found.add(where, "expected a seed and a key, or a next_command")
    elif "next_command" in effect:
        _words(found, effect["next_command"], (*where, "next_command"))
    else:
        seed = found.text(effect, (*where, "seed"))
        if seed is not None and path_fault(seed):
            found.add((*where, "seed"), path_fault(seed))
        key = found.text(effect, (*where, "key"))
        if key is not None and not all(key.split(".")):
            found.add((*where, "key"), "expected keys joined by dots")


def _words(found: Faults, value: object, path: Path) -> None:
    if not isinstance(value, list) or not value:
        found.add(path, "expected a non-empty list of texts")
        return
    for number, word in enumerate(value):
        if not isinstance(word, str) or not word:
            found.add((*path, number), "expected a non-empty text")


def answer_fault(question: dict[str, Any], value: object) -> str:
    """Return why a value does not answer a question of sound form, or an empty text."""
    kind = question["type"]
    if value is _ABSENT:
        return "it is missing"
    if kind == "bool":
        return "" if isinstance(value, bool) else "expected true or false"
    if kind == "list":
        return "" if isinstance(value, list) else "expected a list"
    if kind == "string":
        return _string_fault(question, value)
    return _choice_fault(question, value)


def _string_fault(question: dict[str, Any], value: object) -> str:
    if not isinstance(value, str):
        return "expected a text"
    pattern = question.get("pattern")
    if pattern is not None and re.fullmatch(pattern, value) is None:
        return f"expected a text that matches {shorten(pattern)}"
    return ""


def _choice_fault(question: dict[str, Any], value: object) -> str:
    options = question["options"]
    told = ", ".join(map(shorten, options))
    if not question.get("many", False):
        is_option = isinstance(value, str) and value in options
        return "" if is_option else f"expected one of {told}"
    if not isinstance(value, list):
        return f"expected a list of {told}"
    for item in value:
        if not isinstance(item, str) or item not in options:
            return f"expected a list of {told}"
    return "" if len(set(value)) == len(value) else "expected each option once"
