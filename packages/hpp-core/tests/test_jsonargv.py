from __future__ import annotations

import pytest

from hpp.core.errors import RefusedError
from hpp.core.jsonargv import parse_argv


def test_words_are_taken_as_they_are() -> None:
    words = ["python", "-c", "print(1)\n", "é", " "]

    assert parse_argv("--x", '["python", "-c", "print(1)\\n", "\\u00e9", " "]') == words


@pytest.mark.parametrize(
    "text",
    ["", " ", "python x", "[]", '["a", 1]', '{"a": 1}', '[""]', '"a"', '["a\\u0000"]', "null", "["],
)
def test_anything_else_is_refused_under_the_name_of_the_option(text: str) -> None:
    with pytest.raises(RefusedError, match=r"^--retriever-command: "):
        parse_argv("--retriever-command", text)


@pytest.mark.parametrize(
    "text",
    [
        '["x", "--token", "hunter2abc"]',
        '["x", "api_key=hunter2abc"]',
        '["sh", "-c", "export GITHUB_TOKEN=hunter2abc; run"]',
    ],
)
def test_a_secret_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(RefusedError, match="secret-like") as caught:
        parse_argv("--x", text)

    assert "hunter2" not in str(caught.value)


def test_control_a_harmless_option_is_no_secret() -> None:
    assert len(parse_argv("--x", '["x", "--password-file", "f", "--tb=short"]')) == 4
