"""The fourth stage: questions of a module, each with the answer that counts."""

from __future__ import annotations

import json
import os

from hpp.core.document import read_document
from hpp.core.errors import RefusedError
from hpp.core.strictjson import JsonRefusedError, parse_bytes
from hpp.core.text import shorten
from hpp.installer.formats.inventory import sha256_hex
from hpp.installer.formats.problem import Problem, block
from hpp.installer.formats.question import answer_fault
from hpp.installer.kit.profile import Seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.installer.kit.source import Source

__all__ = ["Answers", "resolve", "seeds_of"]

GIVEN, DEFAULT = "given", "default"


class Answers:
    """What was resolved.

    Attributes:
        values: Per question, ``value`` and ``origin`` (``given`` or ``default``).
        problems: Why they are refused.

    """

    def __init__(self) -> None:
        self.values: dict[str, dict[str, Any]] = {}
        self.problems: list[Problem] = []

    def refuse(self, code: str, path: str, measured: str, expected: str) -> None:
        """Add a reason to refuse them."""
        step = "correct the answers file"
        self.problems.append(block(code, path, measured, expected=expected, next_step=step))


def resolve(questions: list[dict[str, Any]], path: str | None) -> Answers:
    """Return the answer of every question: the one given in a file, else its default."""
    found = Answers()
    given: dict[str, Any] = {}
    if path is not None:
        try:
            # Not standard input, whose words could not be looked at twice.
            given = read_document(os.path.join(".", path) if path == "-" else path, root=dict)
        except RefusedError as error:
            found.refuse("answers-unreadable", "", str(error), "a JSON object, one key an answer")
            return found
    ids = [question["id"] for question in questions]
    for identity in given:
        if identity not in ids:
            known = ", ".join(ids) or "none"
            told = "there is no such question"
            found.refuse("answer-invalid", shorten(identity), told, f"one of: {known}")
    for question in questions:
        identity = question["id"]
        if identity in given:
            fault = answer_fault(question, given[identity])
            if fault:
                found.refuse("answer-invalid", identity, "it does not fit the question", fault)
        is_given = identity in given
        value = given[identity] if is_given else question["default"]
        found.values[identity] = {"value": value, "origin": GIVEN if is_given else DEFAULT}
    return found


def seeds_of(source: Source, answers: dict[str, dict[str, Any]]) -> list[Seed]:
    """Return the module's configuration files with the answers in them.

    Raises:
        RefusedError: A seed that an answer goes into is no JSON object, or has a value in
            the way of the answer's key.

    """
    manifest = source.manifest or {}
    found = []
    for seed in manifest.get("seeds", []):
        data = source.files[seed["from"]]
        filled = _filled(source, seed["from"], data, answers)
        found.append(Seed(seed["to"], filled, sha256_hex(data)))
    return found


def _filled(source: Source, name: str, data: bytes, answers: dict[str, dict[str, Any]]) -> bytes:
    manifest = source.manifest or {}
    effects = [
        (question["effect"]["key"], answers[question["id"]]["value"])
        for question in manifest["questions"]
        if question["effect"].get("seed") == name and question["id"] in answers
    ]
    if not effects:
        return data
    try:
        document: dict[str, Any] = parse_bytes(data, name, root=dict)
    except JsonRefusedError as error:
        raise RefusedError(f"{name}: {error.reason}") from None
    before = json.dumps(document)
    for key, value in effects:
        _set(document, name, key, value)
    if json.dumps(document) == before:
        return data
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def _set(document: dict[str, Any], name: str, key: str, value: object) -> None:
    *parents, last = key.split(".")
    place = document
    for part in parents:
        inner = place.setdefault(part, {})
        if not isinstance(inner, dict):
            raise RefusedError(f"{name}: {key}: {part} is no object")
        place = inner
    place[last] = value
