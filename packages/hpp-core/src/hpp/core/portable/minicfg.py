"""The one reader of the YAML that people write: a strict subset with one meaning.

Block mappings and sequences, one-line ``[...]`` and ``{...}``, quoted and plain scalars and
comments. What it accepts means what YAML 1.2 says (core schema), so ``yes``, ``on``, dates and
``12:30`` are texts; what the versions of YAML read differently (``017``, ``0x1f``, ``True``)
and everything else is refused with line and column.
"""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.portable.cfgscalar import Fault, plain, read_inline, read_quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["DEEPEST", "LARGEST", "MOST_NODES", "ConfigError", "load_file", "load_yaml"]

LARGEST = 256 * 1024
MOST_NODES = 5000
DEEPEST = 12
_LONGEST_KEY = 1000
# Controls, what YAML 1.1 took for line ends, halves of pairs, marks of byte order, no characters.
_UNREAD = (
    (0x00, 0x1F),
    (0x7F, 0x9F),
    (0x2028, 0x2029),
    (0xD800, 0xDFFF),
    (0xFEFF, 0xFEFF),
    (0xFFFE, 0xFFFF),
)


class ConfigError(RefusedError):
    """A configuration that is outside of the subset, or means more than one thing."""

    code = "core.config"


def load_yaml(text: str, where: str) -> Any:  # noqa: ANN401 -- any value of the subset
    """Return the value of a text: mappings, lists, texts, numbers, truth values, None.

    A text without content is None.

    Args:
        text: The whole document.
        where: Its name for messages.

    Raises:
        ConfigError: It is refused; the message names line and column.

    """
    try:
        return _Reader(text.removeprefix("\ufeff")).document()
    except Fault as fault:
        raise ConfigError(
            f"{where}: line {fault.line}, column {fault.column}: {fault.why}"
        ) from None


def load_file(path: str, where: str | None = None) -> Any:  # noqa: ANN401 -- as `load_yaml`
    """Return the value of a configuration file; ``.json`` is read as strict JSON.

    Raises:
        RefusedError: It is absent, unreadable, too large or refused.

    """
    name = path if where is None else where
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise RefusedError(f"{name}: cannot be read: {said}") from None
    if len(data) > LARGEST:
        raise ConfigError(f"{name}: larger than 256 KiB")
    if path.lower().endswith(".json"):
        from hpp.core.strictjson import parse_bytes

        return parse_bytes(data, name)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{name}: line {line}: not UTF-8") from None
    return load_yaml(text, name)


class _Line:
    """A line that holds something: its number, its indentation and its text behind that."""

    __slots__ = ("indent", "number", "text")

    def __init__(self, number: int, indent: int, text: str) -> None:
        self.number = number
        self.indent = indent
        self.text = text


class _Reader:
    """Reads the lines of one document from the first to the last."""

    def __init__(self, text: str) -> None:
        if len(text.encode("utf-8", "surrogatepass")) > LARGEST:
            raise Fault(1, 1, "larger than 256 KiB")
        self.lines = _lines(text)
        self.at = 0
        self.nodes = 0

    def document(self) -> Any:  # noqa: ANN401
        """Return the value of the document."""
        if not self.lines:
            return None
        value = self._block(-1, 1)
        line = self._line()
        if line is not None:
            raise self._fault(line, 0, "expected the end of the document here")
        return value

    def _line(self) -> _Line | None:
        return self.lines[self.at] if self.at < len(self.lines) else None

    def _fault(self, line: _Line, offset: int, why: str) -> Fault:
        return Fault(line.number, line.indent + offset + 1, why)

    def _count(self, line: _Line, depth: int) -> None:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise self._fault(line, 0, "more than 5,000 values")
        if depth > DEEPEST:
            raise self._fault(line, 0, "nested more than 12 deep")

    def _block(self, parent: int, depth: int, *, sequence_at_parent: bool = False) -> Any:  # noqa: ANN401
        """Return the value that begins on the next line, indented more than its parent."""
        line = self._line()
        if line is None:
            return None
        if line.indent <= parent:
            is_own = sequence_at_parent and line.indent == parent and _is_item(line.text)
            if not is_own:
                return None
        if _is_item(line.text):
            return self._sequence(line.indent, depth)
        if self._key_end(line) >= 0:
            return self._mapping(line.indent, depth)
        self.at += 1
        return self._inline(line, 0, depth)

    def _sequence(self, indent: int, depth: int) -> list[Any]:
        made: list[Any] = []
        while (line := self._line()) is not None and line.indent >= indent:
            if line.indent > indent:
                raise self._fault(line, 0, "indented more than the line before it allows")
            if not _is_item(line.text):
                break
            self._count(line, depth)
            rest = line.text[1:].lstrip(" ")
            if not rest or rest.startswith("#"):
                self.at += 1
                made.append(self._block(indent, depth + 1))
                continue
            # What stands behind the dash is a block of its own that begins in its column.
            offset = len(line.text) - len(rest)
            self.lines[self.at] = _Line(line.number, line.indent + offset, rest)
            made.append(self._block(indent, depth + 1))
        return made

    def _mapping(self, indent: int, depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        while (line := self._line()) is not None and line.indent >= indent:
            if line.indent > indent:
                raise self._fault(line, 0, "indented more than the line before it allows")
            end = -1 if _is_item(line.text) else self._key_end(line)
            if end < 0:
                if _is_item(line.text):
                    break
                raise self._fault(line, 0, "expected 'key: value'")
            self._count(line, depth)
            key = self._key(line, end)
            if key in made:
                raise self._fault(line, 0, f"the key {key!r} is given twice")
            self.at += 1
            rest = line.text[end + 1 :]
            value = rest.lstrip(" ")
            if not value or (value.startswith("#") and rest != value):
                made[key] = self._block(indent, depth + 1, sequence_at_parent=True)
            else:
                made[key] = self._inline(line, len(line.text) - len(value), depth + 1)
        return made

    def _inline(self, line: _Line, offset: int, depth: int) -> Any:  # noqa: ANN401
        value, count = read_inline(
            line.text, offset, line.number, line.indent, depth=depth, deepest=DEEPEST
        )
        self.nodes += count - 2  # the entry it is the value of was counted
        self._count(line, depth)
        return value

    def _key_end(self, line: _Line) -> int:
        """Return the place of the colon behind a line's key, or -1 when it has none."""
        text = line.text
        if text.startswith(("? ", "?\t")) or text == "?":
            raise self._fault(line, 0, "a key is one text on one line")
        if text[0] in "\"'":
            end = read_quoted(text, 0, line.number, line.indent)[1]
            while text[end : end + 1] == " ":
                end += 1
            return (
                end if text[end : end + 1] == ":" and text[end + 1 : end + 2] in ("", " ") else -1
            )
        at = text.find(":")
        comment = text.find(" #")
        while at >= 0 and (comment < 0 or at < comment):
            if text[at + 1 : at + 2] in ("", " "):
                return -1 if text[0] in "[{" else at
            at = text.find(":", at + 1)
        return -1

    def _key(self, line: _Line, end: int) -> str:
        text = line.text
        if end > _LONGEST_KEY:
            raise self._fault(line, 0, "a key is at most 1,000 characters")
        if text[0] in "\"'":
            return read_quoted(text, 0, line.number, line.indent)[0]
        name = text[:end].rstrip(" ")
        if name == "<<":
            raise self._fault(line, 0, "merge keys are not read")
        value = plain(name, line.number, line.indent + 1) if name else None
        if not isinstance(value, str):
            raise self._fault(line, 0, "a key is a text; put it in quotes")
        return value


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    for number, raw in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        content = raw.lstrip(" ")
        indent = len(raw) - len(content)
        _check_characters(raw, number)
        if not content or content.startswith("#"):
            continue
        if content.startswith("\t"):
            if not content.strip(" \t") or content.strip(" \t").startswith("#"):
                continue
            raise Fault(number, indent + 1, "a tab in the indentation; use blanks")
        if indent == 0 and (content[:3] in ("---", "...")) and content[3:4] in ("", " ", "\t"):
            if not found and content.rstrip(" ") == "---" and not _marked(text, number):
                continue
            raise Fault(number, 1, "one document a file, and no markers inside it")
        if indent == 0 and content.startswith("%"):
            raise Fault(number, 1, "directives are not read")
        found.append(_Line(number, indent, content.rstrip(" ")))
    return found


def _marked(text: str, number: int) -> bool:
    """Say whether a document was begun before this line."""
    return any(line.rstrip(" \r") == "---" for line in text.split("\n")[: number - 1])


def _check_characters(raw: str, number: int) -> None:
    if raw.isprintable():
        return
    for column, char in enumerate(raw, 1):
        code = ord(char)
        if char != "\t" and any(low <= code <= high for low, high in _UNREAD):
            raise Fault(number, column, f"the character U+{code:04X}; write it as an escape")


def _is_item(text: str) -> bool:
    return text == "-" or text.startswith("- ")
