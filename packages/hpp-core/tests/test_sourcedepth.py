from __future__ import annotations

import ast

import pytest

from hpp.core.sourcedepth import DEEPEST, is_too_deep

MANY = DEEPEST + 1


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "1+" * MANY + "1",
        "x = " + "-" * MANY + "1",
        "x = " + "~(" + "not " * MANY + "x)",
        "x = a" + ".b" * MANY,
        "x = f" + "()" * MANY,
        "x = f" + "[0]" * MANY,
        "x = " + "lambda a, b: " * MANY + "0",
        "x = " + "1 if a else " * MANY + "0",
        "if a: pass\n" + "elif b: pass\n" * MANY,
        "x = (\n" + "1 +\n" * MANY + "1)",
    ],
)
def test_a_long_chain_is_deep(text: str) -> None:
    assert is_too_deep(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "x = [" + "-1, " * 5_000 + "]",
        "x = {" + "'a': f(1), " * 5_000 + "}",
        "x = f(1).g + 2\n" * 5_000,
        "x = '" + "1+" * 5_000 + "'",
        "x = " + "1+" * (DEEPEST // 2) + "1\n",
        "",
    ],
)
def test_a_long_table_or_file_is_not(text: str) -> None:
    ast.parse(text)

    assert not is_too_deep(text.encode())


@pytest.mark.parametrize("text", ["x = (" * 3_000, "x = '''" + "a" * 3_000, "\0" * 3_000])
def test_what_is_not_python_is_left_to_the_parser(text: str) -> None:
    assert isinstance(is_too_deep(text.encode()), bool)
