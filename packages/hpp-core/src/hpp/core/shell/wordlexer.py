"""Read words: quotes, escapes, expansions, substitutions. What words make up is `lexer`'s."""

from __future__ import annotations

from hpp.core.shell.brace import mask
from hpp.core.shell.frame import Frame
from hpp.core.shell.model import OPAQUE, PRINTED, SUB_CLOSE, SUB_OPEN, Reading, Simple, Substitution
from hpp.core.shell.word import NAME, ansi_c

TYPE_CHECKING = False

__all__ = ["WordLexer"]

_DEEPEST_BACKQUOTES = 8
_PARAMETERS = frozenset("@*#?$!-")
_LONGEST_SHOWN = 80
_IN_DOUBLE = frozenset('"\\`$')
_IN_BRACES = frozenset("}\"'\\`$")
_IN_DOCUMENT = frozenset("\\`$")
_STOPS = {'"': _IN_DOUBLE, "}": _IN_BRACES, "<": _IN_DOCUMENT}


class WordLexer:
    """The part of the reader that knows quotes; `lexer.Lexer` is the whole.

    Args:
        text: Shell text without the characters of `MARKS`.
        depth: How many backquotes it was taken out of.
        raw: Take comments and tests for commands as well.

    """

    def __init__(self, text: str, depth: int = 0, *, raw: bool = False) -> None:
        self.text = text
        self.length = len(text)
        self.at = 0
        self.depth = depth
        self.raw = raw
        self.reading = Reading()
        self.events = self.reading.events
        self.frames = [Frame("")]
        self.frame = self.frames[0]
        self.scope = 0  # how many substitutions are open
        self.parens = 0  # how many of the frames end at a parenthesis

    if TYPE_CHECKING:  # what `listlexer` and `lexer` add

        def end_word(self) -> None:
            """End the word that is being read."""

        def push(self, frame: Frame) -> None:
            """Open a list in this one."""

        def is_room(self) -> bool:
            """Say whether a list may nest in this one."""
            return True

        def run(self) -> Reading:
            """Read the whole text."""
            return self.reading

    # Pieces of a word.

    def begin(self, *, bare: bool) -> list[str]:
        """Begin a word, and a command if none is being read."""
        frame = self.frame
        pieces: list[str] = []
        frame.pieces = pieces
        frame.plain = True
        frame.bare = bare
        frame.braces = frame.masked = False
        if frame.spans:  # a word that was given up, or one whose lists somebody keeps
            frame.subs, frame.spans = [], []
        if frame.simple is None:
            frame.simple = Simple(self.text, self.at)
        return pieces

    def add(self, piece: str) -> None:
        """Add unquoted text."""
        pieces = self.frame.pieces
        if pieces is None:
            pieces = self.begin(bare=True)
        pieces.append(piece)

    def quote(self, piece: str) -> None:
        """Add quoted text; inside ``${…}`` it is no part of the word."""
        frame = self.frame
        if frame.parameters:
            return
        pieces = frame.pieces
        if pieces is None:
            pieces = self.begin(bare=False)
        if "{" in piece or "," in piece or "}" in piece:
            piece = mask(piece)
            frame.masked = True
        pieces.append(piece)
        frame.plain = False

    def expansion(self, mark: str, shown: str) -> None:
        """Add a part whose value the text does not tell."""
        frame = self.frame
        if frame.parameters:
            return
        pieces = frame.pieces
        if pieces is None:
            pieces = self.begin(bare=False)
        frame.spans.append((len(pieces), shown))
        pieces.append(mark)
        frame.plain = False

    # Quotes.

    def quoted(self) -> None:
        """Read on inside double quotes, inside ``${…}`` or in a here-document."""
        text, frame, at = self.text, self.frame, self.at
        mode = frame.modes[-1]
        stops = _STOPS[mode]
        end = at
        while end < self.length and text[end] not in stops:
            end += 1
        if end > at:
            self.quote(text[at:end])
            self.at = end
            if end == self.length:
                return
        char = text[end]
        if char == "\\":
            self.quoted_escape(mode)
        elif char == "`":
            self.backquote(in_quotes=True)
        elif char == "$":
            self.dollar(in_quotes=True)
        elif char == "'":
            self.quote_in_braces(end)
        else:
            self.switch(char, mode)

    def switch(self, char: str, mode: str) -> None:
        """Open or close double quotes, or close ``${…}``."""
        frame = self.frame
        self.at += 1
        if char == mode:
            frame.modes.pop()
            if char == '"':
                frame.doubles -= 1
            else:
                frame.parameters -= 1
        else:
            frame.modes.append('"')
            frame.doubles += 1

    def quote_in_braces(self, at: int) -> None:
        """Pass a single quote inside ``${…}``, which quotes unless a double quote does."""
        if self.frame.doubles:
            self.at = at + 1
        else:
            self.single(at + 1)

    def quoted_escape(self, mode: str) -> None:
        """Read a backslash inside double quotes, ``${…}`` or a here-document."""
        text, at = self.text, self.at
        following = text[at + 1 : at + 2]
        if following == "\n":
            self.at += 2
        elif following == "\r" and text.startswith("\n", at + 2):
            self.at += 3
        elif following and (following in "$`\\" or (following == '"' and mode != "<")):
            self.quote(following)
            self.at += 2
        else:
            self.quote("\\" + following)
            self.at += 1 + len(following)

    def open_double(self) -> None:
        """Read the quote that opens double quotes."""
        frame = self.frame
        self.quote("")
        frame.modes.append('"')
        frame.doubles += 1
        self.at += 1

    def open_single(self) -> None:
        """Read the quote that opens single quotes, and all up to the other."""
        self.single(self.at + 1)

    def single(self, start: int, *, decode: bool = False) -> None:
        """Read from behind the opening quote of ``'…'`` or ``$'…'``."""
        text = self.text
        end = text.find("'", start)
        while decode and end > 0 and is_escaped(text, start, end):
            end = text.find("'", end + 1)
        if end < 0:
            self.reading.malformed = True
            end = self.length
        inner = text[start:end]
        self.quote(ansi_c(inner) if decode else inner)
        self.at = end + 1

    def escape(self) -> None:
        """Read a backslash outside quotes."""
        text, at = self.text, self.at
        if text.startswith("\n", at + 1):
            self.at += 2
        elif text.startswith("\r\n", at + 1):
            self.at += 3
        elif at + 1 < self.length:
            self.quote(text[at + 1])
            self.at += 2
        else:
            self.add("\\")
            self.at += 1

    # Expansions.

    def dollar(self, *, in_quotes: bool) -> None:
        """Read what a dollar sign begins."""
        text, at = self.text, self.at
        following = text[at + 1 : at + 2]
        if following == "(":
            self.at += 2
            self.open_sub("$", is_arithmetic=text.startswith("(", at + 2))
        elif following == "{":
            self.parameter(at, in_quotes=in_quotes)
        elif following in NAME and following:
            self.variable(at, in_quotes=in_quotes)
        elif following == "'" and not in_quotes:
            self.single(at + 2, decode=True)
        elif following == '"' and not in_quotes:
            self.at += 1
        elif following and (following in _PARAMETERS or following == "["):
            self.expansion(OPAQUE, text[at : at + 2])
            self.at += 2
        else:
            self.quote("$") if in_quotes else self.add("$")
            self.at += 1

    def parameter(self, at: int, *, in_quotes: bool) -> None:
        """Read ``${``; what stands in it is looked through for substitutions alone."""
        text = self.text
        end = text.find("}", at, at + _LONGEST_SHOWN)
        if text.startswith("IFS", at + 2) and text[at + 5 : at + 6] not in NAME and end > 0:
            self.blank(in_quotes=in_quotes)
            self.at = end + 1
            return
        self.expansion(OPAQUE, text[at : end + 1] if end > 0 else "${...}")
        self.frame.modes.append("}")
        self.frame.parameters += 1
        self.at += 2

    def variable(self, at: int, *, in_quotes: bool) -> None:
        """Read ``$NAME`` or ``$1``; ``$IFS`` is a blank."""
        text = self.text
        end = at + 2
        if not text[at + 1].isdigit():
            while end < self.length and text[end] in NAME:
                end += 1
        if text[at + 1 : end] == "IFS":
            self.blank(in_quotes=in_quotes)
        else:
            self.expansion(OPAQUE, text[at : min(end, at + _LONGEST_SHOWN)])
        self.at = end

    def blank(self, *, in_quotes: bool) -> None:
        """Put ``$IFS``: it parts words, or stands as a blank in one."""
        if in_quotes:
            self.quote(" ")
        else:
            self.end_word()

    def open_sub(self, kind: str, *, is_arithmetic: bool = False) -> None:
        """Open a substitution whose commands end at a parenthesis."""
        if not self.is_room():
            return
        frame = Frame(")")
        frame.sub = Substitution(kind)
        frame.is_arithmetic = is_arithmetic
        if self.frame.pieces is None and not self.frame.parameters:
            self.begin(bare=False)
        self.events.append((SUB_OPEN, frame.sub))
        self.scope += 1
        self.push(frame)

    def close_sub(self, sub: Substitution) -> None:
        """End a substitution whose frame is closed; it is a part of the word outside."""
        self.events.append((SUB_CLOSE, sub))
        self.scope -= 1
        self.expansion(PRINTED, f"{sub.kind}(...)")
        if not self.frame.parameters:
            self.frame.subs.append(sub)

    def open_backquote(self) -> None:
        """Read a backquote outside double quotes."""
        self.backquote(in_quotes=False)

    def backquote(self, *, in_quotes: bool) -> None:
        """Read a backquote substitution: a text of its own, with a level of escapes less."""
        text, at = self.text, self.at
        end = text.find("`", at + 1)
        while end > 0 and is_escaped(text, at + 1, end):
            end = text.find("`", end + 1)
        if end < 0:
            self.reading.malformed = True
            end = self.length
        inner = unescaped(text[at + 1 : end], '$`\\"' if in_quotes else "$`\\")
        sub = Substitution("$")
        if self.frame.pieces is None and not self.frame.parameters:
            self.begin(bare=False)
        self.events.append((SUB_OPEN, sub))
        self.splice(inner)
        self.scope += 1
        self.at = end + 1
        self.close_sub(sub)

    def splice(self, inner: str) -> None:
        """Add the events of another text."""
        if self.depth >= _DEEPEST_BACKQUOTES:
            self.reading.too_deep.append(inner)
            return
        reading = type(self)(inner, self.depth + 1, raw=self.raw).run()
        self.events += reading.events
        self.reading.malformed = self.reading.malformed or reading.malformed
        self.reading.too_deep += reading.too_deep


def is_escaped(text: str, start: int, at: int) -> bool:
    """Say whether an odd number of backslashes stands before a place."""
    count = 0
    while at - count > start and text[at - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def unescaped(text: str, chars: str) -> str:
    """Return a text in which a backslash before one of `chars` is dropped."""
    if "\\" not in text:
        return text
    out: list[str] = []
    at = 0
    while True:
        found = text.find("\\", at)
        if found < 0:
            out.append(text[at:])
            return "".join(out)
        out.append(text[at:found])
        following = text[found + 1 : found + 2]
        out.append(following if following and following in chars else "\\" + following)
        at = found + 2
