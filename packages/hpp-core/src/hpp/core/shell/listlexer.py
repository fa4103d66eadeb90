"""Read commands and the lists they stand in; the characters that end them are `lexer`'s part."""

from __future__ import annotations

from hpp.core.shell.brace import expand, unmask
from hpp.core.shell.frame import COMMANDS, DATA, HEADER, PATTERN, Frame
from hpp.core.shell.linelexer import LineLexer
from hpp.core.shell.model import CLOSE, END, FUNCTION, OPEN, SIMPLE, Simple
from hpp.core.shell.word import is_assignment

__all__ = ["ListLexer"]

_BLANK = " \t"
_OPENERS = {
    "if": "fi", "while": "done", "until": "done", "for": "done", "select": "done", "case": "esac",
    "{": "}",
}  # fmt: skip
_CLOSERS = frozenset({"fi", "done", "esac", "}"})
_BETWEEN = frozenset({"then", "elif", "else", "do", "!"})
_RESERVED = frozenset({*_OPENERS, *_CLOSERS, *_BETWEEN, "time", "coproc", "function", "[["})
_HEADED = frozenset({"for", "select", "case"})
_DEEPEST_LISTS = 12_000


class ListLexer(LineLexer):
    """Adds what words make up: commands, reserved words, functions, lists."""

    # The end of a word.

    def end_word(self) -> None:
        """End the word that is being read, and give it its place."""
        frame = self.frame
        pieces = frame.pieces
        if pieces is None:
            return
        frame.pieces = None
        word = pieces[0] if len(pieces) == 1 else "".join(pieces)
        if frame.redirect:
            self.target(word)
        elif frame.state != COMMANDS:
            self.word_of_head(word)
        elif frame.plain:
            self.plain_word(word)
        else:
            self.other_word(word, pieces)

    def plain_word(self, word: str) -> None:
        """Place a word without quotes and expansions: it may be a reserved one."""
        frame = self.frame
        simple = frame.simple
        if simple is None or simple.closes:
            if word in _RESERVED and self.reserved(word):
                return
            simple = self.open_simple()
        words = simple.words
        if frame.lead and self.led_word(word, words):
            return
        if not words:
            if word in _RESERVED and self.reserved(word):
                return
            if "=" in word and is_assignment(word):
                return
        elif frame.in_test and word == "]]":
            frame.in_test = False
        if frame.braces:
            words += expand(word)
        else:
            words.append(word)

    def other_word(self, word: str, pieces: list[str]) -> None:
        """Place a word with quotes or expansions in it."""
        frame = self.frame
        simple = self.open_simple()
        words = simple.words
        subs, spans = frame.subs, frame.spans
        if frame.lead and self.led_word("", words):
            return
        if not words:
            may_assign = frame.bare and ("=" in pieces[0] or "[" in pieces[0])
            if may_assign and is_assignment(unmask(word)):
                return
            if self.is_drive_path(simple):
                words.append(self.text[simple.start : self.at])
                return
        number = len(words)
        if frame.braces:
            words += expand(word)
        else:
            words.append(unmask(word) if frame.masked else word)
        if spans:
            for place in range(number, len(words)):
                simple.subs[place] = subs
                simple.shown[place] = words[place] if frame.braces else unmask(shown(pieces, spans))

    def is_drive_path(self, simple: Simple) -> bool:
        r"""Say whether the first word is a path such as ``C:\Windows\cmd.exe``, unquoted."""
        start = simple.start
        if not self.text.startswith(":\\", start + 1) or not self.text[start].isalpha():
            return False
        word = self.text[start : self.at]
        return "'" not in word and '"' not in word and "$" not in word

    def open_simple(self) -> Simple:
        """Return the command that the word belongs to; nothing joins a compound command."""
        frame = self.frame
        simple = frame.simple
        if simple is None or simple.closes:
            if simple is not None:
                self.end_tail(simple)
            simple = frame.simple = Simple(self.text, self.at)
        return simple

    def led_word(self, word: str, words: list[str]) -> bool:
        """Place a word behind `time`, `coproc` or `function`; True when it is placed."""
        frame = self.frame
        lead, frame.lead = frame.lead, ""
        if lead == "function":
            frame.function, frame.simple = word or "?", None
            return True
        if lead == "time" and word in ("-p", "--"):
            frame.lead = lead
            return True
        if lead == "time" and word.startswith("-"):
            words.append("time")  # the program of that name
        elif lead == "coproc" and word not in _OPENERS:
            frame.lead = "name"
        elif lead == "name" and word in _OPENERS and len(words) == 1:
            words.clear()  # "coproc NAME {"
        return False

    def word_of_head(self, word: str) -> None:
        """Pass over a word in the head of a loop, in a pattern, in an array."""
        frame = self.frame
        plain = frame.plain
        if frame.state == HEADER and plain:
            if frame.closer == "esac":
                if word == "in":
                    frame.state, frame.simple = PATTERN, None
            elif word == "do":
                frame.state, frame.simple = COMMANDS, None
        elif frame.state == PATTERN and plain and word == "esac":
            frame.state, frame.simple = COMMANDS, None
            self.close_compound(word)

    # Reserved words.

    def reserved(self, word: str) -> bool:
        """Act on a reserved word at the start of a command; False when it stays a word."""
        frame = self.frame
        if word == "[[":
            frame.in_test = not self.raw
            return False
        if frame.simple is not None and frame.simple.closes:
            self.end_tail(frame.simple)
        frame.simple = None
        if word in _OPENERS:
            self.open_list(_OPENERS[word], HEADER if word in _HEADED else COMMANDS)
        elif word in _CLOSERS:
            self.close_compound(word)
        elif word not in _BETWEEN:
            frame.lead = word
        return True

    def skip_blanks(self, at: int) -> int:
        """Return where blanks and tabs end."""
        text = self.text
        while at < self.length and text[at] in _BLANK:
            at += 1
        return at

    # Commands and lists.

    def end_simple(self) -> None:
        """End the command that is being read."""
        if self.frame.pieces is not None:
            self.end_word()
        frame = self.frame
        simple = frame.simple
        frame.redirect = frame.descriptor = frame.lead = ""
        frame.in_test = False
        if simple is None:
            return
        frame.simple = None
        simple.end = self.at
        if simple.closes:
            self.events.append((CLOSE, simple))
        elif frame.state == COMMANDS and (simple.words or simple.inputs or simple.sources):
            self.put(simple)

    def put(self, simple: Simple) -> None:
        """Add a simple command; behind ``f()`` it is the function's body."""
        frame = self.frame
        if frame.function:
            self.events.append((FUNCTION, frame.function))
            frame.function = ""
            self.events.append((SIMPLE, simple))
            self.events.append((CLOSE, Simple(self.text, self.at)))
        else:
            self.events.append((SIMPLE, simple))

    def end_tail(self, simple: Simple) -> None:
        """End a compound command, redirections included."""
        simple.end = self.at
        self.frame.simple = None
        self.events.append((CLOSE, simple))

    def separator(self, event: int = END) -> None:
        """End a command at an operator."""
        self.end_simple()
        frame = self.frame
        if frame.state == HEADER and frame.closer != "esac":
            frame.state = COMMANDS  # "for x in a b;" ends its head here
        self.events.append((event, None))

    def open_list(self, closer: str, state: int = COMMANDS) -> bool:
        """Open a compound command, a group or a subshell, if there is room for it."""
        outer = self.frame
        if not self.is_room():
            return False
        function, outer.function = outer.function, ""
        self.events.append((FUNCTION, function) if function else (OPEN, None))
        frame = Frame(closer, state)
        frame.is_arithmetic = outer.is_arithmetic
        self.push(frame)
        return True

    def is_room(self) -> bool:
        """Say whether a list may nest in this one; if not, it is read on without its borders."""
        if len(self.frames) <= _DEEPEST_LISTS:
            return True
        if not self.reading.too_deep:
            self.reading.too_deep.append("")
        self.end_simple()
        return False

    def push(self, frame: Frame) -> None:
        """Open a list in this one."""
        self.frames.append(frame)
        self.frame = frame
        self.parens += frame.closer == ")"

    def close(self) -> None:
        """End the current list, whose last command has ended; what stood around it goes on."""
        frame = self.frames.pop()
        self.frame = outer = self.frames[-1]
        self.parens -= frame.closer == ")"
        if frame.sub is not None:
            self.close_sub(frame.sub)
        elif frame.state != DATA or frame.closer != ")":
            tail = Simple(self.text, self.at)
            tail.closes = True
            outer.simple = tail
        elif outer.pieces is not None:
            self.quote("")

    def close_compound(self, closer: str) -> None:
        """End the list that a reserved word closes."""
        if self.frame.closer == closer:
            self.close()
        else:
            self.reading.malformed = True

    def abandon(self) -> None:
        """End a list that was not closed."""
        frame = self.frame
        frame.modes.clear()
        frame.doubles = frame.parameters = 0
        self.end_simple()
        if self.frame is frame:
            self.close()


def shown(pieces: list[str], spans: list[tuple[int, str]]) -> str:
    """Return a word with its expansions as they were written."""
    parts = list(pieces)
    for place, text in spans:
        parts[place] = text
    return "".join(parts)
