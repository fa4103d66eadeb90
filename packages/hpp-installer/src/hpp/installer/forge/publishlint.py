"""The publication linter: what in a tree must not be published, without showing it."""

from __future__ import annotations

from hpp.core.canonical import sha256_hex
from hpp.installer.forge.forbiddenname import forbidden_name
from hpp.installer.forge.notice import THIRD_PARTY
from hpp.installer.forge.publishpattern import Match, built_in_matches
from hpp.installer.forge.textform import is_binary
from hpp.installer.formats.problem import BLOCK, Problem, block, warn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from hpp.installer.forge.publishrule import RuleSet

__all__ = ["Finding", "LintResult", "lint_tree"]


class Finding:
    """What was found, told by place, length and digest: never by its characters.

    Attributes:
        rule: Id of the rule.
        category: Its category.
        severity: ``block`` or ``warn``.
        path: The file.
        line: Its line, from 1; 0 where the name itself is what was found.
        length: Characters that matched.
        sha256: Digest of what matched, by which it can be allowed.

    """

    __slots__ = ("category", "length", "line", "path", "rule", "severity", "sha256")

    def __init__(self, match: Match, path: str, text: str) -> None:
        matched = text[match.start : match.end]
        self.rule = match.rule
        self.category = match.category
        self.severity = match.severity
        self.path = path
        self.line = text.count("\n", 0, match.start) + 1 if text is not path else 0
        self.length = len(matched)
        self.sha256 = sha256_hex(matched.encode("utf-8", "surrogatepass"))

    @property
    def key(self) -> tuple[str, str, str]:
        """Return what stays the same when lines move."""
        return self.rule, self.path, self.sha256

    def document(self) -> dict[str, str | int]:
        """Return the object of a report."""
        return {name: getattr(self, name) for name in self.__slots__}

    def problem(self) -> Problem:
        """Return the problem of a report."""
        is_block = self.severity == BLOCK
        place = f"{self.path}:{self.line}" if self.line else self.path
        return (block if is_block else warn)(
            "publish-block" if is_block else "publish-warn",
            place,
            f"{self.rule}: {self.length} characters",
            expected="nothing of that kind in what is published",
            next_step=f"remove it, or allow sha256 {self.sha256} with a reason and an end",
        )


class LintResult:
    """What the linter says of a tree.

    Attributes:
        findings: What nothing allows.
        problems: The same as problems, and what is wrong with the allowances.
        unscanned: Binary files, of which only the names were looked at.

    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.problems: list[Problem] = []
        self.unscanned: list[str] = []


def lint_tree(
    files: Mapping[str, bytes],
    rules: RuleSet,
    *,
    today: str,
    baseline: Collection[tuple[str, str, str]] = (),
) -> LintResult:
    """Look at every file of a tree.

    Args:
        files: Bytes by path.
        rules: What to go by, besides what is built in.
        today: The day, ``YYYY-MM-DD``, that allowances are held to.
        baseline: Keys of findings that are known and not told again.

    """
    result = LintResult()
    used: set[tuple[str, str, str]] = set()
    allowed = {(entry.rule, entry.path, entry.sha256): entry for entry in rules.allowed}
    for finding in _findings(files, rules, result):
        entry = allowed.get(finding.key)
        if entry is not None:
            used.add(finding.key)
            if entry.expires >= today:
                continue
            result.problems.append(_expired(finding, entry.expires))
        elif finding.key not in baseline:
            result.findings.append(finding)
            result.problems.append(finding.problem())
    result.problems += [_unused(key) for key in allowed if key not in used]
    return result


def _findings(files: Mapping[str, bytes], rules: RuleSet, result: LintResult) -> Iterator[Finding]:
    notices = files.get(THIRD_PARTY, b"").decode("utf-8", "replace")
    for path in sorted(files):
        yield from _name_findings(path, files[path])
        for rule in rules.rules:
            if rule.category in ("foreign-code", "private-term"):
                for found in rule.expression.finditer(path):
                    match = Match(rule.identity, rule.category, rule.severity, *found.span())
                    yield Finding(match, path, path)
        if is_binary(path, files[path]):
            result.unscanned.append(path)
            continue
        text = files[path].decode("utf-8", "surrogateescape")
        is_program = path.endswith((".py", ".sh"))
        matches = list(built_in_matches(text, rules.emails, notices, program=is_program))
        for rule in rules.rules:
            matches += [
                Match(rule.identity, rule.category, rule.severity, *found.span())
                for found in rule.expression.finditer(text)
            ]
        for match in sorted(matches, key=lambda match: (match.start, match.rule, match.end)):
            yield Finding(match, path, text)


def _name_findings(path: str, data: bytes) -> Iterator[Finding]:
    told = forbidden_name(path)
    if told:
        is_settings = told.startswith("settings")
        severity = BLOCK if is_settings and data.strip() else "warn"
        yield Finding(Match("forbidden-name", "hygiene", severity, 0, len(path)), path, path)


def _expired(finding: Finding, day: str) -> Problem:
    return block(
        "allow-expired",
        f"{finding.path}:{finding.line}",
        f"{finding.rule} was allowed until {day}",
        expected="an allowance that has not ended",
        next_step="remove what was allowed, or decide anew",
    )


def _unused(key: tuple[str, str, str]) -> Problem:
    rule, path, digest = key
    return warn(
        "allow-unused",
        path,
        f"nothing there matches {rule} with sha256 {digest}",
        expected="allowances for what is there",
        next_step="remove the entry",
    )
