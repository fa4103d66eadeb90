"""A project's own policy file: it may only harden what the built-in rules say.

The file comes from a repository, so its patterns are hostile input. Here everything but
them is checked; whether they are sound is seen where they are searched (`search`), which
never waits for one.
"""

from __future__ import annotations

import os

from hpp.core.errors import RefusedError
from hpp.core.policy.rule import ORDER, RAISABLE, RESERVED
from hpp.core.text import printable, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["OwnRule", "ProjectPolicy", "find_policy", "load_policy"]

SCHEMA = "hpp.policy/v1"
_NAME = os.path.join(".hpp", "policy.json")
_KEYS = {"schema", "rules", "raise"}
_RULE_KEYS = {"id", "action", "pattern", "reason"}
_ACTIONS = ("BLOCK", "MANUAL")
_ID = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_LONGEST_ID = 64
_LONGEST_PATTERN = 1000
_LARGEST = 1024 * 1024  # read before every call of a tool


class OwnRule:
    """A rule of a project.

    Attributes:
        place: The file and the rule's path in it, for messages.
        id, action, pattern, reason: As in the file, the reason trimmed.

    """

    __slots__ = ("action", "id", "pattern", "place", "reason")

    def __init__(self, raw: dict[str, str], place: str) -> None:
        self.place = place
        self.id = raw["id"]
        self.action = raw["action"]
        self.pattern = raw["pattern"]
        self.reason = raw["reason"].strip()


class ProjectPolicy:
    """A policy file that keeps every rule.

    Attributes:
        path: Where it was read.
        rules: In file order.
        raised: Built-in rules that block here.

    """

    __slots__ = ("path", "raised", "rules")

    def __init__(self, path: str, rules: list[OwnRule], raised: frozenset[str]) -> None:
        self.path = path
        self.rules = rules
        self.raised = raised


def find_policy(folder: str) -> str | None:
    """Return the nearest policy file from a folder upwards to the first one with ``.git``.

    Whatever exists under the name counts, be it a folder or a dangling link, and is
    refused later; a policy that cannot be read is not the same as none.
    """
    folder = os.path.abspath(folder)
    while True:
        candidate = os.path.join(folder, _NAME)
        if _exists(candidate):
            return candidate
        parent = os.path.dirname(folder)
        if _exists(os.path.join(folder, ".git")) or parent == folder:
            return None
        folder = parent


def load_policy(path: str) -> ProjectPolicy:
    """Return the policy of a file.

    Raises:
        RefusedError: It cannot be read or breaks a rule; the key's path is named.

    """
    from hpp.core.document import read_state
    from hpp.core.strictjson import parse_bytes

    shown = printable(path)
    data = read_state(path, limit=_LARGEST)
    if data is None:
        raise RefusedError(f"{shown}: there is no such file")
    document: dict[str, Any] = parse_bytes(data, shown, root=dict)
    if document.get("schema") != SCHEMA:
        raise RefusedError(f"{shown}: schema: expected {SCHEMA}")
    for key in document:
        if key not in _KEYS:
            raise RefusedError(f"{shown}: {shorten(key)}: no such key in a policy")
    rules = _rules(document.get("rules", []), shown)
    return ProjectPolicy(path, rules, _raised(document.get("raise", {}), shown))


def _exists(path: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:
        return True  # it is there and will not be shown
    return True


def _rules(listed: object, shown: str) -> list[OwnRule]:
    if not isinstance(listed, list):
        raise RefusedError(f"{shown}: rules: expected a list")
    rules: list[OwnRule] = []
    seen: set[str] = set()
    for number, raw in enumerate(listed):
        place = f"{shown}: rules[{number}]"
        if not isinstance(raw, dict):
            raise RefusedError(f"{place}: expected an object")
        for key in sorted(_RULE_KEYS ^ set(raw)):
            what = "it is missing" if key in _RULE_KEYS else "no such key in a rule"
            raise RefusedError(f"{place}.{shorten(key)}: {what}")
        _check_id(raw["id"], place, seen)
        if raw["action"] not in _ACTIONS:
            raise RefusedError(f"{place}.action: expected BLOCK or MANUAL")
        if not isinstance(raw["reason"], str) or not raw["reason"].strip():
            raise RefusedError(f"{place}.reason: expected a non-blank text")
        _check_pattern(raw["pattern"], f"{place}.pattern")
        rules.append(OwnRule(raw, place))
    return rules


def _check_id(identity: object, place: str, seen: set[str]) -> None:
    is_form = (
        isinstance(identity, str)
        and 0 < len(identity) <= _LONGEST_ID
        and _ID.issuperset(identity)
        and identity[0] != "-"
    )
    if not is_form:
        raise RefusedError(
            f"{place}.id: expected a small letter or digit, then at most 63 of those and dashes"
        )
    if identity in RESERVED:
        raise RefusedError(f"{place}.id: {identity} is a name of the built-in rules")
    if identity in seen:
        raise RefusedError(f"{place}.id: {identity} is repeated")
    seen.add(str(identity))


def _check_pattern(pattern: object, place: str) -> None:
    if not isinstance(pattern, str) or not pattern:
        raise RefusedError(f"{place}: expected a regular expression")
    if len(pattern) > _LONGEST_PATTERN:
        raise RefusedError(f"{place}: longer than {_LONGEST_PATTERN} characters")


def _raised(listed: object, shown: str) -> frozenset[str]:
    if not isinstance(listed, dict):
        raise RefusedError(f"{shown}: raise: expected an object")
    for rule, action in listed.items():
        if rule not in ORDER:
            raise RefusedError(f"{shown}: raise.{shorten(rule)}: no such built-in rule")
        if action != "BLOCK" or rule not in RAISABLE:
            raise RefusedError(
                f"{shown}: raise.{rule}: a policy only hardens: a rule that asks may be raised to"
                " BLOCK"
            )
    return frozenset(listed)
