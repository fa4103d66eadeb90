"""Judge one plain command by the rules that need to know nothing else."""

from __future__ import annotations

from hpp.core.policy.advisor import names_advisor
from hpp.core.policy.mention import mentions_advisor, mentions_sql
from hpp.core.policy.push import push_rule
from hpp.core.policy.removal import REMOVERS, removes_recursively
from hpp.core.policy.rule import ADVISOR, EXTERNAL_SEND, RECURSIVE_DELETE, SQL, TOO_DEEP
from hpp.core.policy.sql import destroyed_by
from hpp.core.shell.call import program_name
from hpp.core.shell.model import is_unknown
from hpp.core.shell.wrapper import unwrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.policy.classifier import Judge
    from hpp.core.shell.call import Call
    from hpp.core.shell.model import Simple

__all__ = ["DOWNLOADERS", "judge_command", "judge_plain"]

DOWNLOADERS = frozenset({"curl", "wget"})
_SCHEMES = ("http://", "https://")
_LONGEST_PIECE = 4096
_MOST_UNKNOWN = 8


def judge_command(
    judge: Judge, words: list[str], piece: Simple | str, call: Call | None = None
) -> str:
    """Judge a command and return the name of its program.

    Args:
        judge: Takes the hits.
        words: Program and arguments.
        piece: Where they come from.
        call: How they came about, if they were read as shell text.

    """
    name = program_name(words[0])
    rule = _plain_rule(name, words)
    if rule is not None:
        judge.hit(rule, piece)
    elif is_unknown(words[0]):
        _judge_rest(judge, words, piece)
    if call is not None and call.scripts:
        words = _without_scripts(call, words)
    low = " ".join(words).lower()
    if ("drop" in low or "truncate" in low) and not mentions_sql(name, words):
        found = destroyed_by(words)
        if found:
            judge.hit(SQL, found)
    if judge.may_name_advisor:
        _judge_advisor(judge, name, words, piece)
    return name


def _judge_rest(judge: Judge, words: list[str], piece: Simple | str) -> None:
    """Judge ``$SUDO rm -rf x``: what the variable holds may be a wrapper, or nothing."""
    for _ in range(_MOST_UNKNOWN):
        at = next((n for n, word in enumerate(words) if not is_unknown(word)), len(words))
        calls = unwrap(words[at:]) if at < len(words) else []
        for call in calls:
            rule = judge_plain(call.command) if call.command else None
            if rule is not None:
                judge.hit(rule, piece)
        words = calls[0].command if calls else []
        if not words or not is_unknown(words[0]):
            return
    judge.hit(TOO_DEEP, piece)


def judge_plain(words: Sequence[str]) -> str | None:
    """Return the rule that a program and its arguments fall under, SQL and advisor apart."""
    return _plain_rule(program_name(words[0]), words)


def _plain_rule(name: str, words: Sequence[str]) -> str | None:
    if name in DOWNLOADERS:
        return EXTERNAL_SEND if any(map(_is_url, words)) else None
    if name == "git":
        return push_rule(words)
    if name.lower() in REMOVERS and removes_recursively(name, words):
        return RECURSIVE_DELETE
    return None


def _is_url(word: str) -> bool:
    low = word[: len("--url=https://")].lower()
    return low.removeprefix("--url=").startswith(_SCHEMES)


def _without_scripts(call: Call, words: list[str]) -> list[str]:
    """Return the words of a command but for the texts that are judged by themselves."""
    taken = {n for script in call.scripts for n in range(script.first, script.last)}
    return [word for number, word in enumerate(words, call.first) if number not in taken]


def _judge_advisor(judge: Judge, name: str, words: list[str], piece: Simple | str) -> None:
    """Judge a command that may name the advisor's file, as Windows writes it as well."""
    names = words
    if not isinstance(piece, str):
        names = words + piece.sources
        text = piece.source[piece.start : min(piece.end, piece.start + _LONGEST_PIECE)]
        if "\\" in text and "decide.py" in text:
            names = [*names, *text.split()]
    if any(map(names_advisor, names)) and not mentions_advisor(name, words):
        judge.hit(ADVISOR, piece)
