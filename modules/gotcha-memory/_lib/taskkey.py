"""The two keys of a task, and whether a person's key is about it.

Redaction comes first, since several shapes of secrets depend on letter case, and before
anything is cut, so that no secret is cut in half. Both hooks use these functions, so what
one stores the other finds.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "LONGEST_INPUT",
    "Task",
    "is_about",
    "normalise",
    "safe",
    "skeleton",
]

LONGEST_INPUT = 16 * 1024
_KEY = 80
_TRAILING = " .,;:!?-_'\"`()[]{}<>*/\\"
_MASK = "[redacted:"
_PREFIXES = frozenset({"sudo", "time", "env", "nohup", "command", "exec"})
_ENDS = ("&&", "||", "|&", "|", ";", "\n", "&")
_ALWAYS = "*"
_HEX = frozenset("0123456789abcdef")
_HEX_RUN = 7


class Task:
    """What is about to run, or ran.

    Attributes:
        description: As the agent put it, folded; empty without one.
        command: Folded.
        task_key: Of the description, else of the command.
        cmd_key: The command's skeleton.

    """

    __slots__ = ("cmd_key", "command", "description", "task_key")

    def __init__(self, command: str, description: str = "") -> None:
        safe_command = safe(command)
        self.command = _folded(safe_command)
        self.description = _folded(safe(description)) if description.strip() else ""
        self.task_key = _key(self.description) or _key(self.command)
        self.cmd_key = skeleton(safe_command)


def safe(text: str) -> str:
    """Return the first 16 KiB of a text without secrets; most texts cost no pattern."""
    from hpp.core.portable.answer import is_plainly_safe

    if len(text) <= LONGEST_INPUT and is_plainly_safe(text):
        return text
    from hpp.core.portable.redact import cut, redact

    return redact(cut(text, LONGEST_INPUT))


def normalise(text: str) -> str:
    """Return the form in which texts are compared, at most 80 characters."""
    return _key(_folded(safe(text)))


def skeleton(command: str) -> str:
    """Return what a command is, without what it is done to; the command holds no secrets.

    The program, its subcommand, and the names of its options stay; values, paths, numbers
    and quoted texts are ``_``.
    """
    words = _without_redirections(_program_words(command))
    kept: list[str] = []
    after_option = False
    for word, is_quoted in words:
        if not kept:
            kept.append(word.replace("\\", "/").rstrip("/").rpartition("/")[2] or "_")
        elif word.startswith("-") and not is_quoted and not word.strip("-").isdigit():
            name, equals, _ = word.partition("=")
            kept.append(f"{name}=_" if equals else name)
            after_option = not equals
            continue
        else:
            is_kept = not is_quoted and not after_option and _is_plain(word)
            kept.append(word if is_kept else "_")
        after_option = False
    return _folded(" ".join(kept))[:_KEY]


def is_about(key: str, task: Task) -> bool:
    """Say whether a person's key occurs in what is to be done, from border to border.

    A trailing ``*`` lets the word go on; ``*`` alone is about everything.
    """
    if key.strip() == _ALWAYS:
        return True
    is_open = key.rstrip().endswith(_ALWAYS)
    base = key.rstrip()[:-1] if is_open else key
    form = _folded(base).rstrip(_TRAILING if not is_open else "").lstrip()
    if not form.strip():
        return False
    # "rm *" asks for the blank as well, "migrat*" does not.
    if is_open and base != base.rstrip():
        form, is_open = form.rstrip(), False
    texts = (task.description, task.command)
    return any(_occurs(form, text, is_open=is_open) for text in texts)


def _occurs(form: str, text: str, *, is_open: bool) -> bool:
    at = text.find(form)
    while at >= 0:
        end = at + len(form)
        starts = at == 0 or not (_is_word(form[0]) and _is_word(text[at - 1]))
        ends = is_open or end == len(text) or not (_is_word(form[-1]) and _is_word(text[end]))
        if starts and ends:
            return True
        at = text.find(form, at + 1)
    return False


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _folded(text: str) -> str:
    """Return a text in one case, one line, one blank between words, no control characters."""
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKC", text)
    text = text.casefold()
    if not text.isprintable():
        text = "".join(char if char.isprintable() else " " * char.isspace() for char in text)
    return " ".join(text.split())


def _key(folded: str) -> str:
    return folded.rstrip(_TRAILING)[:_KEY] or folded[:_KEY]


def _is_plain(word: str) -> bool:
    letters = word.replace("-", "").replace("_", "")
    if not (letters.isalnum() and word[0].isalpha()):
        return False
    is_hex = len(word) >= _HEX_RUN and _HEX.issuperset(word.lower())
    return not (is_hex and any(char.isdigit() for char in word))


def _program_words(command: str) -> list[tuple[str, bool]]:
    """Return the words of the first pipeline element, without what only leads to it."""
    words: list[tuple[str, bool]] = []
    for word, is_quoted, mark in _words(command):
        if word or is_quoted:
            words.append((word, is_quoted))
        if not mark:
            continue
        bare = _bare(words)
        # `cd X &&` only says where; so does a line of assignments.
        if bare and not (bare[0][0] == "cd" and mark in ("&&", ";", "\n")):
            return bare
        words = []
    return _bare(words)


def _without_redirections(words: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    kept = []
    takes_next = False
    for word, is_quoted in words:
        operator = word.lstrip("0123456789&")
        if takes_next:
            takes_next = False
        elif not is_quoted and operator[:1] in ("<", ">"):
            takes_next = not operator.strip("<>&|")
        else:
            kept.append((word, is_quoted))
    return kept


def _bare(words: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    at = 0
    after_prefix = False
    while at < len(words):
        word, is_quoted = words[at]
        name = word.rpartition("/")[2]
        is_option = after_prefix and word.startswith("-")
        if name in _PREFIXES and not is_quoted:
            after_prefix = True
        elif not (is_option or _is_assignment(word) or word in ("(", "{", "!")):
            break
        at += 1
    return words[at:]


def _is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _words(command: str) -> Iterator[tuple[str, bool, str]]:
    """Yield word, whether it was quoted, and the mark that ends its command (or nothing)."""
    word: list[str] = []
    is_quoted = False
    at, size = 0, len(command)
    while at < size:
        char = command[at]
        mark = _mark(command, at)
        if char in "'\"":
            end = _closing(command, at)
            word.append(command[at + 1 : end])
            is_quoted = True
            at = end + 1
        elif char == "\\" and at + 1 < size:
            word.append(command[at + 1] if command[at + 1] != "\n" else "")
            at += 2
        elif mark or char.isspace() or char in "()":
            if word or is_quoted or mark:
                yield "".join(word), is_quoted, mark
            word, is_quoted = [], False
            at += len(mark) or 1
        else:
            word.append(char)
            at += 1
    yield "".join(word), is_quoted, ""


def _mark(command: str, at: int) -> str:
    """Return the mark between two commands that stands here, or nothing."""
    if command[at] not in "&|;\n":
        return ""
    is_redirection = command[at - 1 : at] in ("<", ">") or command[at + 1 : at + 2] == ">"
    if command[at] == "&" and is_redirection:
        return ""
    return next(end for end in _ENDS if command.startswith(end, at))


def _closing(command: str, at: int) -> int:
    """Return where the quotation that begins here ends; at the end when nothing closes it."""
    quote = command[at]
    place = at + 1
    while place < len(command):
        if command[place] == quote:
            return place
        place += 2 if command[place] == "\\" and quote == '"' else 1
    return len(command)
