r"""The scripts that a wired command runs.

A host hands the command to a shell, on Windows to another one, so the text is read the
way both agree on: quotes are removed, ``\`` before a letter is a path's, and whatever
would be read again (``bash -c TEXT``, ``$(TEXT)``) is.
"""

from __future__ import annotations

import re

from hpp.core.fault import is_relative, normal_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["wired_scripts"]

_ENDINGS = (".py", ".sh", ".js", ".mjs", ".cjs", ".ts", ".ps1")
_LAUNCHERS = {"hooks/pyrun.sh", "hooks/run.py"}
# ${CLAUDE_PLUGIN_ROOT}, $CLAUDE_PLUGIN_ROOT, %CLAUDE_PLUGIN_ROOT%, $env:CLAUDE_PLUGIN_ROOT;
# Codex sets the name without CLAUDE_ as well.
_ROOT = re.compile(
    r"(?:\$\{(?:env:)?(?:CLAUDE_)?PLUGIN_ROOT\}|\$(?:env:)?(?:CLAUDE_)?PLUGIN_ROOT(?!\w)"
    r"|%(?:CLAUDE_)?PLUGIN_ROOT%)(?=/|$)",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(r"-*[\w-]+=")
_SHELL = re.compile(r"(?:ba|z|da|k|a|fi)?sh|cmd|powershell|pwsh")
_SHELL_TEXT = re.compile(r"(?:-[a-z]*c|-command|/[ck])$", re.IGNORECASE)
# Interpreters, and the option after which they read a program's text.
_PYTHON = re.compile(r"(?:python|pypy|py)[\d.]*w?"), re.compile(r"-[bBdEiIOPqsSuvx]*c")
_OTHERS = (
    re.compile(r"node|deno|bun|perl|ruby"),
    re.compile(r"(?:-[a-z]*[ep]|--eval|--print|eval)$"),
)
_DEEPEST = 8


def wired_scripts(command: str) -> list[str]:
    """Return the scripts of a wired command, each once, relative to the plugin where they are.

    A script is a path-like word with a script's ending, or any word below the plugin's
    root. Launchers are not. A command without a script, or with a program's text in it,
    runs what nothing can declare: the answer is empty.
    """
    scripts: dict[str, None] = {}
    try:
        for word in _words(command, 0):
            for path in _paths(word):
                scripts[normal_path(path) if is_relative(path) else path] = None
    except _InlineError:
        return []
    return [script for script in scripts if script and script not in _LAUNCHERS]


class _InlineError(Exception):
    """The command carries the text of a program."""


def _paths(word: str) -> Iterator[str]:
    plain = word.replace("\\", "/")
    below = _ROOT.split(plain)[1:]
    for path in below:
        yield path.lstrip("/").rstrip(":;,")
    if not below:
        path = _ASSIGNED.sub("", plain, count=1)
        if path.lower().endswith(_ENDINGS) and "://" not in path:
            yield path


def _words(text: str, depth: int) -> Iterator[str]:
    """Yield every word of a text, those of texts inside it included."""
    for words in _simple_commands(text):
        inner = _inner_text(words)
        for place, word in enumerate(words):
            if depth < _DEEPEST and (place == inner or _is_text(word)):
                yield from _words(word, depth + 1)
            else:
                yield word


def _is_text(word: str) -> bool:
    """Say whether a word is a text of its own and not one path with a blank in it."""
    if "$(" in word or "`" in word:
        return True
    has_blank = any(char.isspace() for char in word)
    return has_blank and not (_ROOT.match(word.replace("\\", "/")) and word.count("PLUGIN_") == 1)


def _inner_text(words: Sequence[str]) -> int:
    """Return the place of the text that a shell of this command reads, or -1.

    Raises:
        _InlineError: Another interpreter reads one.

    """
    for place, word in enumerate(words):
        program = word.replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".exe")
        if program == "eval":
            return place + 1
        if _SHELL.fullmatch(program):
            flag = _flag(words, place, _SHELL_TEXT)
            if flag > 0:
                return flag + 1
        for interpreter, option in (_PYTHON, _OTHERS):
            if interpreter.fullmatch(program) and _flag(words, place, option) > 0:
                raise _InlineError
    return -1


def _flag(words: Sequence[str], program: int, wanted: re.Pattern[str]) -> int:
    """Return the place of an option among those that follow a program directly, or -1."""
    for place in range(program + 1, len(words)):
        if wanted.match(words[place]):
            return place
        if not words[place].startswith(("-", "/")):
            break
    return -1


def _simple_commands(text: str) -> list[list[str]]:
    """Return the words of each simple command of a text, without their quotes."""
    reader = _Reader(text)
    while reader.at < len(text):
        reader.step()
    reader.end_command()
    return reader.commands


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.quote = ""
        self.word: list[str] | None = None
        self.words: list[str] = []
        self.commands: list[list[str]] = []

    def step(self) -> None:
        char = self.text[self.at]
        following = self.text[self.at + 1 : self.at + 2]
        self.at += 1
        if self.quote:
            self._quoted(char, following)
        elif char in "\"'":
            self.quote = char
            self._put("")
        elif char == "\\" and following and not (following.isalnum() or following in "._-\\"):
            self.at += 1
            self._put("" if following == "\n" else following)
        elif char == "#" and self.word is None:
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        elif char in ";&|()`\n":
            self.end_command()
        elif char.isspace() or char in "<>":
            self._end_word()
        else:
            self._put(char)

    def end_command(self) -> None:
        self._end_word()
        if self.words:
            self.commands.append(self.words)
        self.words = []

    def _quoted(self, char: str, following: str) -> None:
        if char == self.quote:
            self.quote = ""
        elif char == "\\" and self.quote == '"' and following and following in '"\\$`\n':
            self.at += 1
            self._put("" if following == "\n" else following)
        else:
            self._put(char)

    def _put(self, piece: str) -> None:
        if self.word is None:
            self.word = []
        self.word.append(piece)

    def _end_word(self) -> None:
        if self.word:
            self.words.append("".join(self.word))
        self.word = None
