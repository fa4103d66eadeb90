from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.arguments import Arguments, Values
from hpp.core.errors import RefusedError, UsageError


@pytest.fixture
def declared() -> Arguments:
    arguments = Arguments()
    arguments.option("--now", "T", help="a time", kind="integer")
    arguments.option("--wait", "S", help="a while", kind="number", default=1.5)
    arguments.option("--command", "TEXT", help="a text")
    arguments.option("--glob", "G", help="some", repeat=True)
    arguments.option("--tests", "PATH", help="many", many=True)
    arguments.option("--mode", "M", help="a choice", choices=("a", "b"))
    arguments.option("-k", "N", help="a number", kind="integer", default=3)
    arguments.flag("--json", help="a switch")
    arguments.positional("FILE", help="input", required=False)
    arguments.remainder("PROGRAM", help="a program")
    return arguments


def parsed(declared: Arguments, *words: str) -> Values:
    return declared.parse(words)


def test_what_is_not_given_has_its_default(declared: Arguments) -> None:
    values = parsed(declared)

    assert (values.now, values.wait, values.k, values.glob, values.json) == (
        None,
        1.5,
        3,
        [],
        False,
    )
    assert (values.file, values.rest) == (None, None)
    assert not values.given("k")


@pytest.mark.parametrize("words", [["--now", "7"], ["--now=7"]])
def test_a_value_stands_beside_its_option_or_after_it(
    declared: Arguments, words: list[str]
) -> None:
    assert parsed(declared, *words).now == 7


@pytest.mark.parametrize("words", [["-k", "5"], ["-k5"], ["-k=5"]])
def test_a_short_option_has_three_forms(declared: Arguments, words: list[str]) -> None:
    assert parsed(declared, *words).k == 5


@pytest.mark.parametrize("text", ["-rf x", "--json", "-1", "", "--traceback", "--"])
def test_the_word_after_an_option_is_its_value_whatever_it_looks_like(
    declared: Arguments, text: str
) -> None:
    values = parsed(declared, "--command", text)

    assert (values.command, values.json) == (text, False)


def test_negative_numbers_are_values(declared: Arguments) -> None:
    assert parsed(declared, "--now", "-1").now == -1


@pytest.mark.parametrize("text", ["1_000", "1e3", " 5", "+5", "5.0", "", "-", "٥", "0x1", "--1"])
def test_an_integer_is_ascii_digits_and_no_more(declared: Arguments, text: str) -> None:
    with pytest.raises(UsageError, match="--now"):
        parsed(declared, "--now", text)


@pytest.mark.parametrize("text", ["9007199254740992", "-9007199254740992", "9" * 5000])
def test_an_integer_beyond_every_reader_is_refused(declared: Arguments, text: str) -> None:
    with pytest.raises(RefusedError, match="--now"):
        parsed(declared, "--now", text)


@pytest.mark.parametrize("zeros", [0, 3, 5000])
@pytest.mark.parametrize(("sign", "factor"), [("", 1), ("-", -1)])
def test_the_largest_integer_is_read_whatever_zeros_lead_it(
    declared: Arguments, zeros: int, sign: str, factor: int
) -> None:
    text = sign + "0" * zeros + "9007199254740991"

    assert parsed(declared, "--now", text).now == factor * (2**53 - 1)
    assert parsed(declared, "--now", sign + "0" * (zeros + 1)).now == 0


@given(st.integers(-(2**53) + 1, 2**53 - 1), st.sampled_from(["--now", "-k"]), st.booleans())
def test_every_integer_that_all_readers_share_is_read(number: int, name: str, beside: bool) -> None:
    arguments = Arguments()
    arguments.option(name, "N", help="a number", kind="integer")

    words = [f"{name}={number}"] if beside else [name, str(number)]
    values = arguments.parse(words)
    assert getattr(values, name.lstrip("-")) == number
    assert values.given(name.lstrip("-"))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_is_read(number: float) -> None:
    arguments = Arguments()
    arguments.option("--wait", "S", help="a while", kind="number")

    assert arguments.parse(["--wait", repr(number)]).wait == number


@given(st.lists(st.text(st.characters(exclude_characters="\0"), max_size=6), max_size=6))
def test_every_command_line_is_read_or_refused_by_name(words: list[str]) -> None:
    arguments = Arguments()
    arguments.option("--now", "T", help="a time", kind="integer")
    arguments.option("-k", "N", help="a number", kind="number")
    arguments.flag("--json", help="a switch")
    arguments.positional("FILE", help="input", required=False)

    with contextlib.suppress(UsageError, RefusedError):
        arguments.parse(["-k", *words])
    with contextlib.suppress(UsageError, RefusedError):
        arguments.parse(words)


@pytest.mark.parametrize("text", ["abc", "1_0", " 1", "1,5", "", "٥"])
def test_a_number_has_the_form_of_one(declared: Arguments, text: str) -> None:
    with pytest.raises(UsageError, match="--wait"):
        parsed(declared, "--wait", text)


@pytest.mark.parametrize("text", ["nan", "inf", "-Infinity", "1e999"])
def test_a_number_is_finite(declared: Arguments, text: str) -> None:
    with pytest.raises(RefusedError, match="finite"):
        parsed(declared, "--wait", text)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--comm", "x"], "unknown option --comm .*--command"),
        (["--bogus"], "unknown option --bogus"),
        (["-x"], "unknown option -x"),
        (["--json=1"], "--json takes no value"),
        (["--json", "--json"], "--json is given twice"),
        (["--now", "1", "--now", "1"], "--now is given twice"),
        (["--now"], "--now needs a value"),
        (["--mode", "c"], "'c' is not one of a, b"),
        (["one", "two"], "unexpected argument two"),
        (["--tests", "a", "--json", "--tests", "b"], "--tests is given twice"),
    ],
)
def test_what_cannot_be_understood_is_a_usage_error(
    declared: Arguments, words: list[str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        parsed(declared, *words)


def test_a_repeatable_option_collects(declared: Arguments) -> None:
    assert parsed(declared, "--glob", "a", "--glob=b").glob == ["a", "b"]


def test_an_option_of_many_values_ends_at_the_next_option(declared: Arguments) -> None:
    values = parsed(declared, "--tests", "a", "b", "--json")

    assert (values.tests, values.json) == (["a", "b"], True)


def test_words_of_many_are_given_only_when_there_are_some() -> None:
    arguments = Arguments()
    arguments.positional("FILE", help="inputs", required=False, many=True)

    assert (arguments.parse([]).file, arguments.parse([]).given("file")) == ([], False)
    assert (arguments.parse(["a"]).file, arguments.parse(["a"]).given("file")) == (["a"], True)


def test_an_attribute_that_was_never_declared_is_none_of_the_values(declared: Arguments) -> None:
    with pytest.raises(AttributeError, match="bogus"):
        _ = parsed(declared).bogus


def test_the_first_dashes_end_our_options(declared: Arguments) -> None:
    assert parsed(declared, "f", "--", "sh", "--", "--json").rest == ["sh", "--", "--json"]


def test_without_a_program_dashes_end_the_options_all_the_same() -> None:
    arguments = Arguments()
    arguments.positional("FILE", help="input")

    assert arguments.parse(["--", "--odd"]).file == "--odd"


def test_required_things_are_asked_for() -> None:
    arguments = Arguments()
    arguments.option("--id", "ID", help="a name", required=True)
    arguments.positional("FILE", help="input")

    with pytest.raises(UsageError, match="FILE is required"):
        arguments.parse(["--id", "x"])
    with pytest.raises(UsageError, match="--id is required"):
        arguments.parse(["f"])
    arguments.positional("MORE", help="inputs", many=True)
    with pytest.raises(UsageError, match="MORE is required"):
        arguments.parse(["--id", "x", "f"])


def test_standard_input_is_read_once() -> None:
    arguments = Arguments()
    arguments.positional("A", help="input")
    arguments.positional("B", help="input")

    with pytest.raises(UsageError, match="only once"):
        arguments.parse(["-", "-"])


def test_the_values_of_one_option_may_be_equal() -> None:
    arguments = Arguments()
    arguments.option("--tests", "PATH", help="paths", many=True)

    # One-letter texts are the same object in CPython.
    assert arguments.parse(["--tests", "t", "t"]).tests == ["t", "t"]
    with pytest.raises(UsageError, match="twice"):
        arguments.parse(["--tests", "t", "--tests", "t"])


def test_the_usage_line_shows_everything(declared: Arguments) -> None:
    usage = declared.usage("hpp x")

    assert usage.startswith("usage: hpp x ")
    for part in ("[--now T]", "[--glob G]...", "[--mode a|b]", "[--json]", "[FILE]", "-- PROGRAM"):
        assert part in usage


def test_control_a_reader_that_knew_no_options_would_be_seen() -> None:
    with pytest.raises(UsageError):
        Arguments().parse(["--anything"])
