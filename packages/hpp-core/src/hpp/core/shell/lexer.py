"""Read a text the way a shell does, as far as it decides what would run.

Covers words, quotes and escapes, comments, lists, pipes, groups, compound commands,
functions, substitutions, redirections, here-documents and here-strings (POSIX Shell Command
Language, and what bash, zsh and ksh add). The reader is total: a text that is malformed is
read as far as it goes, and the reading says so.
"""

from __future__ import annotations

from hpp.core.shell.brace import unmask
from hpp.core.shell.frame import COMMANDS, DATA, HEADER, PATTERN, Frame
from hpp.core.shell.linelexer import LineLexer
from hpp.core.shell.listlexer import ListLexer
from hpp.core.shell.model import END, MARKS, PIPE, Input, Reading
from hpp.core.shell.word import is_assignment
from hpp.core.shell.wordlexer import WordLexer

__all__ = ["read_document", "read_text", "without_marks"]

_SPECIAL = frozenset(" \t\n\r\\'\"`$#;&|()<>{")
_NO_MARKS = dict.fromkeys(map(ord, MARKS), "\ufffd")


def without_marks(text: str) -> str:
    """Return a text free of the characters that stand for expansions."""
    for mark in MARKS:
        if mark in text:
            return text.translate(_NO_MARKS)
    return text


def read_text(text: str, *, raw: bool = False) -> Reading:
    """Return the events of a text; every text has a reading, in linear time.

    Args:
        text: Shell text; where an outer reading has left `OPAQUE`, it is an opaque part.
        raw: Take comments and tests for commands as well; for a text that
            could not be read otherwise.

    """
    return Lexer(text, raw=raw).run()


def read_document(body: str, depth: int = 0) -> tuple[Input, Reading]:
    """Return a here-document whose delimiter was not quoted, its expansions read."""
    lexer = Lexer(body, depth)
    frame = lexer.frame
    frame.modes.append("<")
    frame.doubles = 1  # a single quote means nothing there, inside "${…}" neither
    lexer.read()
    while len(lexer.frames) > 1:
        lexer.reading.malformed = True
        lexer.abandon()
    text = "".join(frame.pieces or ())
    return Input(unmask(text) if frame.masked else text, frame.subs), lexer.reading


class Lexer(ListLexer):
    """The whole reader; commands, lines and words are its bases' parts."""

    def run(self) -> Reading:
        """Read the whole text."""
        self.read()
        self.finish()
        return self.reading

    def read(self) -> None:
        """Read up to the end of the text, and leave open what is open."""
        while self.at < self.length:
            if self.frame.modes:
                self.quoted()
            else:
                self.step()

    def step(self) -> None:
        """Read on outside quotes: a run of ordinary characters, or one that means something."""
        text, at = self.text, self.at
        char = text[at]
        if char in _SPECIAL:
            _HANDLERS[char](self)
            return
        end = at + 1
        length = self.length
        while end < length and text[end] not in _SPECIAL:
            end += 1
        pieces = self.frame.pieces
        if pieces is None:
            pieces = self.begin(bare=True)
        pieces.append(text[at:end])
        self.at = end

    def finish(self) -> None:
        """End whatever is open at the end of the text."""
        if not self.frame.modes:
            self.end_word()  # it may be the word that closes the last list
        frame = self.frame
        if frame.modes or len(self.frames) > 1 or self.documents or frame.in_test:
            self.reading.malformed = True
        while len(self.frames) > 1:
            self.abandon()
        self.frame.modes.clear()
        self.frame.doubles = self.frame.parameters = 0
        self.separator()

    # Characters that mean something.

    def on_blank(self) -> None:
        """Read a blank or a tab."""
        if self.frame.pieces is not None:
            self.end_word()
        self.at += 1

    def on_brace(self) -> None:
        """Read an opening brace: a word of its own, or a part of one."""
        self.add("{")
        self.frame.braces = True
        self.at += 1

    def on_dollar(self) -> None:
        """Read a dollar sign; the delimiter of a here-document does not expand."""
        if self.frame.redirect in ("<<", "<<-"):
            self.add("$")
            self.at += 1
        else:
            self.dollar(in_quotes=False)

    def on_hash(self) -> None:
        """Read a comment, at the start of a word only."""
        frame = self.frame
        if frame.pieces is not None or frame.is_arithmetic or self.raw:
            self.add("#")
            self.at += 1
            return
        end = self.text.find("\n", self.at)
        self.at = self.length if end < 0 else end

    def on_return(self) -> None:
        """Read a carriage return, which is no part of the line that it ends."""
        following = self.at + 1
        if following == self.length or self.text.startswith("\n", following):
            self.end_word()
        else:
            self.add("\r")
        self.at = following

    def on_newline(self) -> None:
        """Read the end of a line."""
        frame = self.frame
        if frame.in_test or frame.state == DATA:
            self.end_word()
            self.at += 1
            return
        self.end_simple()
        if not self.events or self.events[-1][0] != PIPE:  # after a pipe, the line goes on
            self.separator()
        self.at += 1
        if self.documents:
            self.take_documents()

    def on_operator(self) -> None:
        """Read ``;``, ``&``, ``|`` and what they are part of."""
        text, at = self.text, self.at
        char = text[at]
        frame = self.frame
        if char == "&" and text.startswith(">", at + 1) and not frame.is_arithmetic:
            self.end_word()
            self.redirect("&>>" if text.startswith(">>", at + 1) else "&>")
        elif frame.state == DATA or (frame.in_test and char != ";"):
            self.end_word()
            self.at += 1
        elif char == "|" and not text.startswith("||", at):
            self.on_pipe()
        else:
            self.separator()
            length = 2 if text.startswith(char, at + 1) or text.startswith(";&", at) else 1
            self.at += 3 if text.startswith(";;&", at) else length
            if char == ";" and length > 1 and self.frame.closer == "esac":
                self.frame.state = PATTERN

    def on_pipe(self) -> None:
        """Read ``|`` or ``|&``; between the patterns of a case it is no pipe."""
        if self.frame.state == PATTERN:
            self.end_word()
            self.frame.simple = None
            self.at += 1
        else:
            self.separator(PIPE)
            self.at += 2 if self.text.startswith("|&", self.at) else 1

    def on_open(self) -> None:
        """Read ``(``: a subshell, a function, an array, a pattern."""
        frame = self.frame
        word = "".join(frame.pieces) if frame.pieces is not None and frame.bare else ""
        if frame.in_test:
            self.end_word()
            self.at += 1
        elif frame.state in (HEADER, DATA) or self.begins_data(word):
            self.open_data()
        elif frame.state == PATTERN and frame.pieces is None:
            self.at += 1  # the optional opening of a pattern
        elif not self.begins_function(word):
            self.end_simple()
            is_arithmetic = self.text.startswith("((", self.at) or self.frame.is_arithmetic
            self.at += 1
            if self.open_list(")"):
                self.frame.is_arithmetic = is_arithmetic

    def begins_data(self, word: str) -> bool:
        """Say whether a parenthesis opens an array's values or an extended pattern."""
        if word.endswith("="):
            return is_assignment(word)
        is_first = self.frame.simple is None or not self.frame.simple.words
        return word != "" and word[-1] in "?*+@!" and not is_first

    def open_data(self) -> None:
        """Open a parenthesis whose words run nothing."""
        frame = self.frame
        if frame.state == HEADER and frame.closer != "esac":
            frame.state = COMMANDS  # "for ((…))" and zsh's "for x (…)" end their heads
            frame.pieces = frame.simple = None
        elif frame.pieces is None:
            self.begin(bare=False)
        self.at += 1
        if self.is_room():
            data = Frame(")", DATA)
            data.is_arithmetic = True
            self.push(data)

    def begins_function(self, word: str) -> bool:
        """Read ``NAME ()``; False when it is something else."""
        frame = self.frame
        simple = frame.simple
        rest = self.skip_blanks(self.at + 1)
        if not self.text.startswith(")", rest):
            return False
        if simple is None and frame.function:  # "function NAME ()"
            self.at = rest + 1
            return True
        if simple is None or simple.closes:
            return False
        if len(simple.words) + bool(word) != 1:
            return False
        frame.function = word or simple.words[0]
        frame.pieces = frame.simple = None
        frame.lead = ""
        self.at = rest + 1
        return True

    def on_close(self) -> None:
        """Read ``)``: it ends a subshell, a substitution, data or the patterns of a case."""
        frame = self.frame
        if frame.in_test:
            self.end_word()
            self.at += 1
            return
        if frame.closer == "esac" and frame.state == PATTERN:
            self.end_word()
            if self.frame is frame:  # "esac)" closes the case, and what is around it
                frame.state, frame.simple = COMMANDS, None
                self.at += 1
                return
        self.end_simple()
        self.at += 1
        if not self.parens:
            self.events.append((END, None))
            self.reading.malformed = True
            return
        while self.frame.closer != ")":
            self.reading.malformed = True
            self.close()
            self.end_simple()
        self.close()


_HANDLERS = {
    " ": Lexer.on_blank, "\t": Lexer.on_blank, "\n": Lexer.on_newline, "\r": Lexer.on_return,
    "\\": WordLexer.escape, "'": WordLexer.open_single, '"': WordLexer.open_double,
    "`": WordLexer.open_backquote, "$": Lexer.on_dollar, "#": Lexer.on_hash,
    ";": Lexer.on_operator, "&": Lexer.on_operator, "|": Lexer.on_operator,
    "(": Lexer.on_open, ")": Lexer.on_close, "<": LineLexer.on_angle, ">": LineLexer.on_angle,
    "{": Lexer.on_brace,
}  # fmt: skip
