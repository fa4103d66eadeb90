"""Lines to paste: one word in, one word out, whatever a name holds."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.installer.shellword import folder_word, forward, path_word, word

NAMES = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0x2FF, exclude_characters="\x7f"), min_size=1
).filter(lambda text: text.isprintable())
# Git brings a bash to Windows, where its words would be converted on the way in.
needs_bash = pytest.mark.skipif(
    os.name == "nt" or shutil.which("bash") is None, reason="a POSIX bash reads the lines"
)


def words_of(line: str) -> list[str]:
    done = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True, timeout=30
    )
    return done.stdout.decode().split("\0")[:-1]


@needs_bash
@settings(max_examples=60, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=8))
def test_a_shell_reads_every_name_as_one_word(names: list[str]) -> None:
    line = " ".join(word(name, windows=False) for name in names)

    assert words_of(line) == names


@needs_bash
@pytest.mark.parametrize(
    ("path", "read"),
    [
        ("C:\\Users\\me\\my repo", "C:/Users/me/my repo"),
        ("\\\\server\\share\\a b", "//server/share/a b"),
        ("/home/me/$HOME/`id`", "/home/me/$HOME/`id`"),
        ("it's", "it's"),
        ('say "x"', 'say "x"'),
        ("wow!", "wow!"),
        ("back\\slash", "back\\slash"),
    ],
)
def test_a_path_is_one_quoted_word_with_forward_slashes(path: str, read: str) -> None:
    assert path_word(path, windows=False).startswith('"')
    assert words_of(path_word(path, windows=False)) == [read]


@needs_bash
def test_a_home_folder_is_left_to_the_shell() -> None:
    (home,) = words_of("~")
    assert words_of(folder_word("~/a b", windows=False)) == [f"{home}/a b"]
    assert folder_word("~/a", windows=True) == '"~/a"'
    assert folder_word("a b", windows=False) == '"a b"'


def test_on_windows_every_backslash_turns() -> None:
    assert path_word("a\\b c", windows=True) == '"a/b c"'
    assert forward("a\\b", windows=False) == "a\\b"


def test_no_name_ends_its_line() -> None:
    assert "\n" not in word("a\nrm -rf ~", windows=False)
    assert "\r" not in path_word("a\rb", windows=True)


def test_control_a_plain_word_is_not_quoted_and_an_option_is() -> None:
    assert word("lane-kit@house-party-protocol") == "lane-kit@house-party-protocol"
    assert word("--apply") == '"--apply"'
    assert word("a b") == '"a b"'
    assert word("a;b") == '"a;b"'
