"""The questions of ``hpp init`` and where the answer of each comes from.

Per question the first that is there: a flag, the answers file, a person at a terminal, the
default.
"""

from __future__ import annotations

from dataclasses import dataclass

from hpp.core.document import read_document, shown_name
from hpp.core.errors import RefusedError, UsageError
from hpp.core.fault import Faults
from hpp.core.text import shorten
from hpp.installer.profile import ADVISORS, POLICY_MODES, SCHEMA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from hpp.core.manifest import Manifest

    # Takes the question, its options and the default; returns the answer and its source.
    Ask = Callable[[str, Sequence[str], str], tuple[str, str]]

__all__ = [
    "CUSTOM",
    "QUESTIONS",
    "Answers",
    "Resolver",
    "answers_faults",
    "module_list",
    "read_answers",
]

QUESTIONS = ("host", "bundle", "modules", "policy_mode", "decision_advisor")
CUSTOM = "custom"
FLAG, FILE, DEFAULT = "flag", "file", "default"
_TEXTS = ("host", "bundle", "policy_mode", "decision_advisor")


@dataclass(frozen=True)
class Answers:
    """Every question answered, by names that the manifest has.

    Attributes:
        bundle: ``custom`` when the modules were named one by one.
        modules: Ids, in the order of the bundle or of the person.
        sources: Question to ``flag``, ``file``, ``human``, ``default-accepted``, ``default``.

    """

    host: str
    bundle: str
    modules: tuple[str, ...]
    policy_mode: str
    decision_advisor: str
    sources: Mapping[str, str]

    @property
    def pending_defaults(self) -> list[str]:
        """Return the questions that nobody answered, the optional one not among them."""
        return [
            name
            for name in QUESTIONS
            if self.sources.get(name) == DEFAULT and name != "decision_advisor"
        ]

    def document(self) -> dict[str, Any]:
        """Return the answers as reports list them."""
        return {
            "host": self.host,
            "bundle": self.bundle,
            "modules": list(self.modules),
            "policy_mode": self.policy_mode,
            "decision_advisor": self.decision_advisor,
        }

    def profile(self, manifest: Manifest) -> dict[str, Any]:
        """Return the profile that records them."""
        chosen = {
            key: value
            for key, value in self.document().items()
            if (key, value) != ("decision_advisor", ADVISORS[0])
        }
        return {
            "schema": SCHEMA,
            "protocol_version": manifest.protocol_version,
            "product_version": manifest.product_version,
            **chosen,
        }


def module_list(names: Iterable[str]) -> list[str]:
    """Return the ids without blanks around them, each once, in order of first mention."""
    return list(dict.fromkeys(name.strip() for name in names if name.strip()))


def read_answers(path: str) -> dict[str, Any]:
    """Return the answers of a file.

    Raises:
        UsageError: It cannot be read, is not strict JSON, or answers what is not asked.

    """
    try:
        document: dict[str, Any] = read_document(path, root=dict)
    except RefusedError as error:
        raise UsageError(f"--profile: {error}") from None
    faults = answers_faults(document)
    if faults:
        further = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise UsageError(f"--profile: {shown_name(path)}: {faults[0]}{further}")
    return document


def answers_faults(document: dict[str, Any]) -> list[str]:
    """Return every fault of an answers file as ``path: what``."""
    found = Faults(document)
    for key, value in document.items():
        if key not in QUESTIONS:
            found.add((key,), f"unknown question; there are {', '.join(QUESTIONS)}")
        elif key in _TEXTS and not isinstance(value, str):
            found.add((key,), "expected a text")
    if "modules" in document:
        modules = document["modules"]
        if not isinstance(modules, list) or not modules:
            found.add(("modules",), "expected a non-empty list of module ids")
        else:
            for number, name in enumerate(modules):
                if not isinstance(name, str) or not name.strip():
                    found.add(("modules", number), "expected the id of a module")
    return found.in_order()


class Resolver:
    """Takes each question to its answer.

    Args:
        manifest: What there is to choose from.
        flags: Answers of the command line; None where there is none.
        file: Answers of the file.
        ask: Asks a person, or None when there is nobody to ask.

    """

    def __init__(
        self,
        manifest: Manifest,
        flags: Mapping[str, Any],
        file: Mapping[str, Any],
        ask: Ask | None = None,
    ) -> None:
        self.manifest = manifest
        self.given = {
            **{name: (value, FILE) for name, value in file.items()},
            **{name: (value, FLAG) for name, value in flags.items() if value is not None},
        }
        self.ask = ask
        self.sources: dict[str, str] = {}

    def answers(self) -> Answers:
        """Return every answer.

        Raises:
            RefusedError: One names what is not there; the message lists what is.

        """
        self._check()
        host = self._one("host", self.manifest.hosts, "claude-code")
        bundle, modules = self._modules()
        return Answers(
            host,
            bundle,
            modules,
            self._one("policy_mode", POLICY_MODES, "audit"),
            self._one("decision_advisor", ADVISORS, "off"),
            self.sources,
        )

    def _check(self) -> None:
        """Refuse what was given before a person is asked for the rest."""
        known = {
            "host": ("host", self.manifest.hosts),
            "bundle": ("bundle", sorted(self.manifest.bundles)),
            "policy_mode": ("policy mode", POLICY_MODES),
            "decision_advisor": ("decision advisor", ADVISORS),
        }
        for name, (label, there_are) in known.items():
            is_ignored = name == "bundle" and "modules" in self.given
            if name in self.given and not is_ignored:
                _known(label, self.given[name][0], there_are)
        for module in module_list(self.given.get("modules", ([],))[0]):
            _known("module", module, [each.id for each in self.manifest.modules])

    def _one(self, name: str, options: Sequence[str], preferred: str) -> str:
        default = preferred if preferred in options else options[0]
        if name in self.given:
            value, self.sources[name] = self.given[name]
            return str(value)
        if self.ask is None:
            self.sources[name] = DEFAULT
            return default
        value, self.sources[name] = self.ask(name, options, default)
        return value

    def _modules(self) -> tuple[str, tuple[str, ...]]:
        if "modules" in self.given:
            named, source = self.given["modules"]
            self.sources.update(bundle=source, modules=source)
            return CUSTOM, tuple(module_list(named))
        bundle = self._one("bundle", sorted(self.manifest.bundles), "reliable-coding")
        return bundle, tuple(self.manifest.bundles[bundle].modules)


def _known(label: str, value: str, there_are: Sequence[str]) -> None:
    if value not in there_are:
        listed = ", ".join(shorten(each) for each in there_are)
        raise RefusedError(f"unknown {label} {shorten(value)!r}; there are {listed}")
