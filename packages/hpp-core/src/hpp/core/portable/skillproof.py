"""The commands of a skill: how they are read, what makes one prove nothing, and running it.

A command is an argument list: nothing reads it as a shell would, so that a skill from
anywhere can be read, and run by its own module's files alone.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from hpp.core.runner import Outcome

__all__ = ["command_argv", "expanded", "module_file", "run_command", "vacuous_reason"]

TIMEOUT_S = 30
SLOW_S = 5
_ROOTS = ("${CLAUDE_PLUGIN_ROOT}", "$CLAUDE_PLUGIN_ROOT")
_PYTHONS = ("python", "python3")
_SHELLS = ("bash", "sh")
_SAYS_NOTHING = ("echo", "printf", "true", ":", "exit", "set", "#")


def command_argv(command: str) -> list[str] | None:
    """Return the words of a command, or None when a shell would be needed."""
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        words = list(lexer)
    except ValueError:
        return None
    if any(word and set(word) <= set("();<>|&") for word in words) or "`" in command:
        return None
    return None if "$(" in command else words


def expanded(words: Sequence[str], root: str, folder: str) -> list[str]:
    """Return the words with the module's root and the skill's folder filled in."""
    found = []
    for word in words:
        for root_token in _ROOTS:
            word = word.replace(root_token, root)  # noqa: PLW2901 -- one word, step by step
        found.append(word.replace("${CLAUDE_SKILL_DIR}", folder))
    return found


def module_file(path: str, root: str) -> bool:
    """Say whether a path is a regular file below the module's root."""
    real, base = os.path.realpath(path), os.path.realpath(root)
    return os.path.isfile(real) and real.startswith(base + os.sep)


def vacuous_reason(command: str, root: str, folder: str) -> str:
    """Return why a proof would pass with the skill deleted, or an empty text."""
    words = command_argv(command)
    if not words:
        return "it needs a shell; a proof is one program and its arguments"
    words = expanded(words, root, folder)
    script = _script(words)
    if script is None:
        return "it runs no file of this module"
    if not module_file(script, root):
        return f"{os.path.basename(script)} is no file of this module"
    return "its script only prints a constant" if _says_a_constant(script) else ""


def _script(words: Sequence[str]) -> str | None:
    """Return the file that a command runs, or None for a program's text or another program."""
    program = os.path.basename(words[0]).removesuffix(".exe")
    if program not in (*_PYTHONS, *_SHELLS):
        return words[0] if "/" in words[0] or os.sep in words[0] else None
    for word in words[1:]:
        if not word.startswith("-"):
            return word
        if set(word[1:]) & set("cm"):  # -c TEXT, -m MODULE
            return None
    return None


def _says_a_constant(path: str) -> bool:
    with open(path, "rb") as stream:
        text = stream.read().decode("utf-8", "replace")
    if path.endswith(".py"):
        return _is_constant_python(text)
    lines = [line.strip() for line in text.split("\n")]
    return all(not line or line.startswith(_SAYS_NOTHING) for line in lines)


def _is_constant_python(text: str) -> bool:
    import ast

    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return False  # running it tells
    return all(_does_nothing(statement) for statement in tree.body)


def _does_nothing(statement: ast.stmt) -> bool:
    import ast

    if isinstance(statement, ast.Pass):
        return True
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return not _is_private(statement)
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    if isinstance(value, ast.Constant):
        return True
    return isinstance(value, ast.Call) and all(
        isinstance(each, ast.Constant)
        for each in (*value.args, *(keyword.value for keyword in value.keywords))
    )


def _is_private(statement: ast.Import | ast.ImportFrom) -> bool:
    """Say whether an import is of the module's own code, which may do something."""
    import ast

    if isinstance(statement, ast.ImportFrom):
        names = [statement.module or "."]
    else:
        names = [each.name for each in statement.names]
    return any(name.split(".")[0] not in sys.stdlib_module_names for name in names)


def run_command(words: Sequence[str], cwd: str) -> Outcome:
    """Run a command whose words are filled in, in a folder, for at most 30 seconds."""
    from hpp.core.runner import run

    argv = list(words)
    if argv[0] in _PYTHONS:
        argv[0] = sys.executable
    elif argv[0] in _SHELLS:
        argv[0] = shutil.which(argv[0]) or argv[0]
    return run(argv, timeout_s=TIMEOUT_S, cwd=cwd, keep_stdout=64 * 1024)
