"""Rules of publication, ``hpp.publish-rules/v1``: what must not leave, and what may."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hpp.core.fault import Faults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.fault import Path

__all__ = [
    "CATEGORIES",
    "SCHEMA",
    "Allowance",
    "Rule",
    "RuleSet",
    "publish_rule_faults",
    "rule_set",
]

SCHEMA = "hpp.publish-rules/v1"
CATEGORIES = (
    "secret", "machine-path", "private-term", "personal-data", "foreign-code", "hygiene",
)  # fmt: skip
SEVERITIES = ("block", "warn")
_KEYS = ("schema", "allowed_emails", "rules", "allow")
_RULE = ("id", "category", "severity", "mode", "find")
_ALLOW = ("path", "rule", "sha256", "owner", "reason", "expires")
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_DAY = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")


@dataclass(frozen=True, slots=True)
class Rule:
    """What is looked for; `expression` has the group 1 where only a part of a match counts."""

    identity: str
    category: str
    severity: str
    expression: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Allowance:
    """One occurrence that may stay: this text in this file, until a day."""

    path: str
    rule: str
    sha256: str
    expires: str


@dataclass(frozen=True, slots=True)
class RuleSet:
    """All that one run of the linter goes by.

    Attributes:
        rules: Declared ones, in order.
        emails: Lower-case addresses, or ``@domain`` for a whole domain.
        allowed: Occurrences that may stay.

    """

    rules: tuple[Rule, ...] = ()
    emails: tuple[str, ...] = ()
    allowed: tuple[Allowance, ...] = ()

    def joined(self, other: RuleSet) -> RuleSet:
        """Return both sets as one."""
        return RuleSet(
            self.rules + other.rules, self.emails + other.emails, self.allowed + other.allowed
        )


def rule_set(document: dict[str, Any]) -> RuleSet:
    """Return the rules of a document without faults."""
    return RuleSet(
        tuple(
            Rule(entry["id"], entry["category"], entry["severity"], _compiled(entry))
            for entry in document["rules"]
        ),
        tuple(email.lower() for email in document["allowed_emails"]),
        tuple(
            Allowance(entry["path"], entry["rule"], entry["sha256"], entry["expires"])
            for entry in document["allow"]
        ),
    )


def _compiled(entry: dict[str, Any]) -> re.Pattern[str]:
    text = entry["find"]
    if entry["mode"] == "regex":
        return re.compile(text)
    flags = re.IGNORECASE if entry["mode"] == "word" else 0
    escaped = re.escape(text)
    return re.compile(rf"(?<!\w){escaped}(?!\w)" if entry["mode"] == "word" else escaped, flags)


def publish_rule_faults(document: dict[str, Any]) -> list[str]:
    """Return every fault as ``path: what``, in the order of the document."""
    found = Faults(document)
    found.keys(document, (), _KEYS)
    if "schema" in document:
        found.exactly(document, ("schema",), SCHEMA, f'the text "{SCHEMA}"')
    if "allowed_emails" in document:
        for email, place in found.texts(document, ("allowed_emails",), empty=True).items():
            if email.count("@") != 1:
                found.add(("allowed_emails", place), "expected an address, or @ and a domain")
    for number, entry in found.given_objects(document, ("rules",)):
        _rule(found, entry, ("rules", number))
    for number, entry in found.given_objects(document, ("allow",)):
        _allowance(found, entry, ("allow", number))
    return found.in_order()


def _rule(found: Faults, entry: dict[str, Any], path: Path) -> None:
    found.keys(entry, path, _RULE)
    _pattern(found, entry, (*path, "id"), _ID, "lower-case words with hyphens")
    for key, choices in (
        ("category", CATEGORIES),
        ("severity", SEVERITIES),
        ("mode", ("word", "literal", "regex")),
    ):
        if key in entry:
            found.choice(entry, (*path, key), choices)
    text = found.text(entry, (*path, "find")) if "find" in entry else None
    if text is None or entry.get("mode") != "regex":
        return
    try:
        if re.compile(text).match(""):
            found.add((*path, "find"), "it matches an empty text")
    except (re.error, OverflowError, RecursionError) as error:
        found.add((*path, "find"), f"it is no regular expression: {error}")


def _allowance(found: Faults, entry: dict[str, Any], path: Path) -> None:
    found.keys(entry, path, _ALLOW)
    for key in ("path", "rule", "owner", "reason"):
        if key in entry:
            found.text(entry, (*path, key))
    _pattern(found, entry, (*path, "sha256"), _DIGEST, "64 lower-case hexadecimal digits")
    _pattern(found, entry, (*path, "expires"), _DAY, "a day as YYYY-MM-DD")


def _pattern(
    found: Faults, entry: dict[str, Any], path: Path, expression: re.Pattern[str], told: str
) -> None:
    key = str(path[-1])
    if key not in entry:
        return
    value = found.text(entry, path)
    if value is not None and not expression.fullmatch(value):
        found.add(path, f"expected {told}")
