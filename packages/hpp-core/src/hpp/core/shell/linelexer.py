"""Read redirections and here-documents; the commands they belong to are `lexer`'s part."""

from __future__ import annotations

from hpp.core.shell.brace import unmask
from hpp.core.shell.model import Input, Simple, Substitution
from hpp.core.shell.wordlexer import WordLexer

__all__ = ["Document", "LineLexer"]

_REDIRECTIONS = ("<<<", "<<-", "<<", "<>", "<&", ">>", ">&", ">|", "<", ">")
_TO_FILES = frozenset({">", ">>", ">|", "&>", "&>>", ">&"})


class Document(Input):
    """A here-document whose expansions are not read yet; `lexer.read_document` does."""

    __slots__ = ()

    def __init__(self, text: str) -> None:
        super().__init__(text, [])


class LineLexer(WordLexer):
    """Adds what stands between the words of a line."""

    def __init__(self, text: str, depth: int = 0, *, raw: bool = False) -> None:
        super().__init__(text, depth, raw=raw)
        # Here-documents that begin after this line: scope, command, delimiter, whether it
        # was quoted, whether tabs are stripped.
        self.documents: list[tuple[int, Simple, str, bool, bool]] = []

    def on_angle(self) -> None:
        """Read a redirection or a process substitution."""
        text, at, frame = self.text, self.at, self.frame
        if text.startswith("(", at + 1):
            self.at += 2
            self.open_sub(text[at])
            return
        if frame.is_arithmetic or frame.in_test:
            self.end_word()
            self.at += 1
            return
        descriptor = ""
        if frame.plain and frame.pieces is not None:
            word = "".join(frame.pieces)
            if word.isdigit() or (word[0] == "{" and word[-1] == "}"):
                descriptor, frame.pieces = word, None  # a descriptor is no argument
        self.end_word()
        self.redirect(next(each for each in _REDIRECTIONS if text.startswith(each, at)))
        self.frame.descriptor = descriptor

    def redirect(self, operator: str) -> None:
        """Note a redirection; the next word is its target."""
        frame = self.frame
        if frame.simple is None:
            frame.simple = Simple(self.text, self.at)
        frame.redirect = operator
        frame.descriptor = ""
        self.at += len(operator)

    def target(self, word: str) -> None:
        """Use a word as the target of the redirection before it."""
        frame = self.frame
        operator, frame.redirect = frame.redirect, ""
        subs, plain = frame.subs, frame.plain
        if frame.masked:
            word = unmask(word)
        simple = frame.simple
        if simple is None:
            return
        if operator in ("<<", "<<-"):
            self.documents.append((self.scope, simple, word, not plain, operator == "<<-"))
        elif operator == "<<<" or (subs and operator == "<" and subs[0].kind == "<"):
            simple.inputs.append(Input(word + "\n", subs))
        elif operator == "<":
            simple.sources.append(word)
        elif operator in _TO_FILES:
            self.output(simple, word, subs, is_both=operator == ">&")

    def output(self, simple: Simple, word: str, subs: list[Substitution], *, is_both: bool) -> None:
        """Note where a command's output goes."""
        simple.sinks += [sub for sub in subs if sub.kind == ">"]
        if self.frame.descriptor not in ("", "1") or subs:
            return
        is_descriptor = is_both and (word == "-" or word.isdigit())
        is_terminal = word.startswith("/dev/") and word != "/dev/null"
        if not is_descriptor and not is_terminal:
            simple.is_saved = True

    def take_documents(self) -> None:
        """Read the here-documents of the line that has ended."""
        taken = [each for each in self.documents if each[0] >= self.scope]
        self.documents = [each for each in self.documents if each[0] < self.scope]
        for _, simple, delimiter, is_quoted, strips_tabs in taken:
            body = self.document(delimiter, strips_tabs=strips_tabs)
            simple.inputs.append(Input(body, []) if is_quoted else Document(body))

    def document(self, delimiter: str, *, strips_tabs: bool) -> str:
        """Return the lines up to the delimiter; without one, the rest of the text."""
        text = self.text
        lines: list[str] = []
        while self.at < self.length:
            end = text.find("\n", self.at)
            end = self.length if end < 0 else end
            line = text[self.at : end]
            self.at = min(end + 1, self.length)
            if strips_tabs:
                line = line.lstrip("\t")
            if line == delimiter or (line.endswith("\r") and line[:-1] == delimiter):
                return "".join(lines)
            lines.append(line + "\n")
        self.reading.malformed = True
        return "".join(lines)
