"""The command-line reader: a declaration of options, and the values of one call.

`argparse` alone costs as much as starting the interpreter, and it abbreviates
names, takes ``-1`` for an option and lets an option be given twice. This reader imports
nothing and has four rules: names are matched whole; the word after an option is its value
whatever it looks like; only an option that is declared repeatable may come twice; an
integer is ASCII digits with at most a minus sign.
"""

from __future__ import annotations

from hpp.core.errors import RefusedError, UsageError
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["LARGEST_INTEGER", "Arguments", "Option", "Positional", "Values"]

LARGEST_INTEGER = 9007199254740991  # 2**53 - 1: exact in every JSON reader
_MOST_DIGITS = 16
_DIGITS = frozenset("0123456789")


class Option:
    """One declared option; `kind` is text, integer, number or flag."""

    __slots__ = (
        "choices",
        "default",
        "help",
        "kind",
        "many",
        "metavar",
        "name",
        "repeat",
        "required",
    )

    def __init__(  # noqa: PLR0913 -- a declaration, always written with keywords
        self,
        name: str,
        metavar: str,
        *,
        help: str,  # noqa: A002 -- the word every argument parser uses
        kind: str = "text",
        default: object = None,
        required: bool = False,
        repeat: bool = False,
        many: bool = False,
        choices: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.metavar = metavar
        self.help = help
        self.kind = kind
        self.default = default
        self.required = required
        self.repeat = repeat
        self.many = many
        self.choices = tuple(choices)

    @property
    def key(self) -> str:
        """Name of the attribute that carries the value."""
        return self.name.lstrip("-").replace("-", "_")

    def usage(self) -> str:
        """Return the option as a usage line shows it."""
        shown = self.name if self.kind == "flag" else f"{self.name} {self.shown_value()}"
        if self.many:
            shown += "..."
        if not self.required:
            shown = f"[{shown}]"
        return shown + "..." if self.repeat else shown

    def shown_value(self) -> str:
        """Return the placeholder, or the closed list of choices."""
        return "|".join(self.choices) if self.choices else self.metavar


class Positional:
    """One declared word without a name; an input file may be ``-``."""

    __slots__ = ("help", "is_input", "many", "metavar", "required")

    def __init__(
        self,
        metavar: str,
        *,
        help: str,  # noqa: A002 -- as in `Option`
        required: bool = True,
        many: bool = False,
        is_input: bool = True,
    ) -> None:
        self.metavar = metavar
        self.help = help
        self.required = required
        self.many = many
        self.is_input = is_input

    @property
    def key(self) -> str:
        """Name of the attribute that carries the value."""
        return self.metavar.lower().replace("-", "_")

    def usage(self) -> str:
        """Return the word as a usage line shows it."""
        shown = self.metavar + ("..." if self.many else "")
        return shown if self.required else f"[{shown}]"


class Values:
    """The values of one call, as attributes; an option that was not given has its default."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 -- options are declared at run time
        raise AttributeError(name)

    def given(self, name: str) -> bool:
        """Say whether `name` was on the command line."""
        return name in self.__dict__["_given"]


class Arguments:
    """What a command accepts.

    Attributes:
        options: Declared options in the order of the help text.
        positionals: Declared positional words in order.
        rest: Placeholder of what follows the first ``--``, or None.

    """

    def __init__(self) -> None:
        self.options: list[Option] = []
        self.positionals: list[Positional] = []
        self.rest: str | None = None
        self.rest_help = ""

    def option(self, name: str, metavar: str, **rules: Any) -> None:  # noqa: ANN401 -- see Option
        """Declare an option with a value; `rules` are those of `Option`."""
        self.options.append(Option(name, metavar, **rules))

    def flag(self, name: str, *, help: str) -> None:  # noqa: A002 -- as in `Option`
        """Declare a switch, False unless given."""
        self.options.append(Option(name, "", help=help, kind="flag", default=False))

    def positional(self, metavar: str, **rules: Any) -> None:  # noqa: ANN401 -- see Positional
        """Declare a positional word; `rules` are those of `Positional`."""
        self.positionals.append(Positional(metavar, **rules))

    def remainder(self, metavar: str, *, help: str) -> None:  # noqa: A002 -- as in `Option`
        """Declare that the words after the first ``--`` belong to another program."""
        self.rest = metavar
        self.rest_help = help

    def usage(self, program: str) -> str:
        """Return the one-line usage."""
        parts = [program]
        parts += [option.usage() for option in self.options if option.required]
        parts += [option.usage() for option in self.options if not option.required]
        parts += [positional.usage() for positional in self.positionals]
        if self.rest is not None:
            parts.append(f"-- {self.rest}")
        return "usage: " + " ".join(parts)

    def parse(self, words: Sequence[str]) -> Values:
        """Read the words of one call.

        Raises:
            UsageError: The words do not fit the declaration.
            RefusedError: A well-formed number is out of every range.

        """
        return _Reader(self, words).read()


class _Reader:
    """One pass over the words of a command line."""

    def __init__(self, declared: Arguments, words: Sequence[str]) -> None:
        self.declared = declared
        self.words = list(words)
        self.at = 0
        self.by_name = {option.name: option for option in declared.options}
        self.values: dict[str, Any] = {}
        self.plain: list[str] = []
        self.rest: list[str] | None = None

    def read(self) -> Values:
        while self.at < len(self.words):
            word = self.words[self.at]
            self.at += 1
            if word == "--":
                self._after_dashes()
            elif word.startswith("-") and word != "-":
                self._option(word)
            else:
                self.plain.append(word)
        self._place_positionals()
        return self._finish()

    def _after_dashes(self) -> None:
        left = self.words[self.at :]
        self.at = len(self.words)
        if self.declared.rest is None:
            self.plain += left
        else:
            self.rest = left

    def _option(self, word: str) -> None:
        name, equals, value = word.partition("=")
        option = self.by_name.get(name)
        if option is None and not word.startswith("--"):
            option = self.by_name.get(word[:2])  # -kN
            name, equals, value = word[:2], "=", word[2:]
        if option is None:
            raise UsageError(f"unknown option {shorten(name)}{self._near(name)}")
        if option.kind == "flag":
            if equals:
                raise UsageError(f"{option.name} takes no value")
            self._store(option, True)  # noqa: FBT003 -- the value of a flag
        elif equals:
            self._store(option, _converted(option, value))
        else:
            self._following(option)

    def _following(self, option: Option) -> None:
        if self.at >= len(self.words):
            raise UsageError(f"{option.name} needs a value")
        taken = [self.words[self.at]]
        self.at += 1
        if option.many:
            while self.at < len(self.words) and not self.words[self.at].startswith("-"):
                taken.append(self.words[self.at])
                self.at += 1
        self._store(option, *[_converted(option, value) for value in taken])

    def _store(self, option: Option, *values: object) -> None:
        """Keep what one mention of an option carries: one value, or several with `many`."""
        if option.key in self.values and not option.repeat:
            raise UsageError(f"{option.name} is given twice")
        if option.repeat or option.many:
            self.values.setdefault(option.key, []).extend(values)
        else:
            (self.values[option.key],) = values

    def _place_positionals(self) -> None:
        plain = self.plain
        for positional in self.declared.positionals:
            if positional.many:
                taken, plain = plain, []
                if not taken and positional.required:
                    raise UsageError(f"{positional.metavar} is required")
                if taken:
                    self.values[positional.key] = taken
            elif plain:
                self.values[positional.key] = plain[0]
                plain = plain[1:]
            elif positional.required:
                raise UsageError(f"{positional.metavar} is required")
        if plain:
            raise UsageError(f"unexpected argument {shorten(plain[0])}")
        if any(p.is_input for p in self.declared.positionals) and self.plain.count("-") > 1:
            raise UsageError("standard input (-) can be read only once")

    def _finish(self) -> Values:
        given = frozenset(self.values)
        missing = [o.name for o in self.declared.options if o.required and o.key not in given]
        if missing:
            raise UsageError(f"{missing[0]} is required")
        for option in self.declared.options:
            several = option.repeat or option.many
            self.values.setdefault(option.key, [] if several else option.default)
        for positional in self.declared.positionals:
            self.values.setdefault(positional.key, [] if positional.many else None)
        self.values["rest"] = self.rest
        self.values["_given"] = given
        return Values(self.values)

    def _near(self, name: str) -> str:
        from hpp.core.suggestion import suggestion

        return suggestion(name, self.by_name)


def _converted(option: Option, text: str) -> object:
    if option.choices and text not in option.choices:
        raise UsageError(
            f"{option.name}: {shorten(text)!r} is not one of {', '.join(option.choices)}"
        )
    if option.kind == "integer":
        return _integer(option.name, text)
    if option.kind == "number":
        return _number(option.name, text)
    return text


def _integer(name: str, text: str) -> int:
    digits = text.removeprefix("-")
    if not digits or not _DIGITS.issuperset(digits):
        raise UsageError(f"{name}: {shorten(text)!r} is not an integer")
    # The length comes first: Python refuses to convert thousands of digits, zeros included.
    significant = digits.lstrip("0") or "0"
    if len(significant) > _MOST_DIGITS or int(significant) > LARGEST_INTEGER:
        raise RefusedError(f"{name}: {shorten(text)} is beyond {LARGEST_INTEGER}")
    return -int(significant) if text.startswith("-") else int(significant)


def _number(name: str, text: str) -> float:
    """Return a finite number; ``nan`` and ``inf`` are numbers that are refused."""
    try:
        value = float(text) if text.isascii() and "_" not in text and text == text.strip() else None
    except ValueError:
        value = None
    if value is None:
        raise UsageError(f"{name}: {shorten(text)!r} is not a number")
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 -- NaN
        raise RefusedError(f"{name}: {shorten(text)} is not a finite number")
    return value
