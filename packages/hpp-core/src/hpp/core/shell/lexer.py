"""Read a text the way a shell does, as far as it decides what would run.

Covers words, quotes and escapes, comments, lists, pipes, groups, compound commands,
functions, substitutions, redirections, here-documents and here-strings. Expansions stay
as they are written. The reader is total: a text that is malformed is read as far as it
goes, and the reading says so.
"""

from __future__ import annotations

from hpp.core.shell.model import (
    CLOSE,
    END,
    FUNCTION,
    OPEN,
    PIPE,
    SIMPLE,
    SUB_CLOSE,
    SUB_OPEN,
    Reading,
    Simple,
    Substitution,
)
from hpp.core.shell.word import ansi_c, braces, is_assignment

__all__ = ["read_text"]

_BLANK = frozenset(" \t")
_SPECIAL = frozenset(" \t\n\r\\'\"`$#;&|()<>{}")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
_OPENERS = {
    "if": "fi", "while": "done", "until": "done", "for": "done", "select": "done", "case": "esac",
    "{": "}",
}  # fmt: skip
_CLOSERS = frozenset({"fi", "done", "esac", "}"})
_BETWEEN = frozenset({"then", "elif", "else", "do", "!", "coproc"})
_HEADED = frozenset({"for", "select", "case"})
_DEEPEST_BACKQUOTES = 8
_DEEPEST_LISTS = 200


def read_text(text: str, *, depth: int = 0) -> Reading:
    """Return the events of a text; every text has a reading.

    Args:
        text: Shell text.
        depth: How many backquotes it was taken out of.

    """
    lexer = _Lexer(text, depth)
    lexer.run()
    return lexer.reading


class _Frame:
    """One open command list: the text, a group, a compound command or a substitution."""

    __slots__ = (
        "closer", "function", "in_pattern", "is_arithmetic", "is_data", "is_header", "modes",
        "pieces", "plain", "redirect", "simple", "sub", "word_subs",
    )  # fmt: skip

    def __init__(self, closer: str) -> None:
        self.closer = closer
        self.sub: Substitution | None = None
        self.simple: Simple | None = None
        self.pieces: list[str] | None = None
        self.plain = True
        self.word_subs: list[Substitution] = []
        self.redirect = ""
        self.modes: list[str] = []
        self.function = ""
        self.is_header = False
        self.in_pattern = False
        self.is_arithmetic = False
        self.is_data = False


class _Lexer:
    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.depth = depth
        self.at = 0
        self.reading = Reading()
        self.events = self.reading.events
        self.frames = [_Frame("")]
        self.frame = self.frames[0]
        self.parens = 0
        self.documents: list[tuple[Simple, str, bool, bool]] = []

    def run(self) -> None:
        text, length = self.text, len(self.text)
        while self.at < length:
            if self.frame.modes:
                self._quoted()
                continue
            char = text[self.at]
            if char not in _SPECIAL:
                end = self.at + 1
                while end < length and text[end] not in _SPECIAL:
                    end += 1
                self._add(text[self.at : end])
                self.at = end
            else:
                self._special(char)
        self._finish()

    # ------------------------------------------------------------ words

    def _add(self, piece: str, *, plain: bool = True) -> None:
        frame = self.frame
        if frame.pieces is None:
            frame.pieces = []
            frame.plain = True
            if frame.simple is None:
                frame.simple = Simple(self.at)
        frame.pieces.append(piece)
        if not plain:
            frame.plain = False

    def _end_word(self) -> None:
        frame = self.frame
        if frame.pieces is None:
            return
        word = "".join(frame.pieces)
        subs, plain = frame.word_subs, frame.plain
        frame.pieces, frame.word_subs = None, []
        if frame.redirect:
            self._target(word, subs)
            return
        simple = frame.simple or Simple(self.at)
        frame.simple = simple
        if frame.is_header:
            self._header_word(word, plain=plain)
            return
        if plain and not simple.words and self._reserved(word):
            return
        if not simple.words and is_assignment(word):
            return
        for made in braces(word) if plain and "{" in word else [word]:
            if subs:
                simple.subs[len(simple.words)] = subs
            simple.words.append(made)

    def _target(self, word: str, subs: list[Substitution]) -> None:
        """Use a word as the target of the redirection before it."""
        frame = self.frame
        operator, frame.redirect = frame.redirect, ""
        simple = frame.simple
        if simple is None:
            return
        if operator == "<<<":
            simple.inputs.append(word)
            simple.input_subs += subs
        elif operator in ("<<", "<<-"):
            self.documents.append((simple, word, not frame.plain, operator == "<<-"))
        elif operator.startswith("<"):
            simple.input_subs += subs

    def _header_word(self, word: str, *, plain: bool) -> None:
        """Pass over the head of `for`, `select` and `case`, which runs nothing."""
        if self.frame.closer == "esac":
            if plain and word == "in":
                self.frame.is_header = False
                self.frame.in_pattern = True
                self.frame.simple = None
        elif plain and word == "do":
            self.frame.is_header = False
            self.frame.simple = None

    def _reserved(self, word: str) -> bool:
        """Act on a reserved word at the start of a command; False for any other word."""
        frame = self.frame
        if frame.in_pattern and word != "esac":
            return False
        if word in _OPENERS:
            self._drop_simple()
            inner = self._open(_OPENERS[word])
            inner.is_header = word in _HEADED
            return True
        if word in _CLOSERS:
            self._drop_simple()
            self._close_compound(word)
            return True
        if word in _BETWEEN:
            self._drop_simple()
            return True
        if word == "function":
            self._drop_simple()
            self._function_name()
            return True
        return False

    def _drop_simple(self) -> None:
        self.frame.simple = None

    def _function_name(self) -> None:
        text = self.text
        while self.at < len(text) and text[self.at] in _BLANK:
            self.at += 1
        end = self.at
        while end < len(text) and text[end] not in " \t\n\r;&|(){}<>":
            end += 1
        self.frame.function = text[self.at : end] or "?"
        while end < len(text) and text[end] in _BLANK:
            end += 1
        self.at = end + 2 if text.startswith("()", end) else end

    # ------------------------------------------------------------ commands

    def _end_simple(self) -> None:
        self._end_word()
        frame = self.frame
        simple, frame.simple = frame.simple, None
        frame.redirect = ""
        if simple is None or frame.is_data or frame.in_pattern or frame.is_header:
            return
        simple.end = self.at
        if simple.words or simple.inputs or simple.input_subs:
            self.events.append((SIMPLE, simple))
            frame.function = ""  # a function's body is a compound command

    def _separator(self, event: int = END) -> None:
        self._end_simple()
        frame = self.frame
        if frame.is_header and frame.closer != "esac":
            frame.is_header = False  # `for x in a b;` ends its head here
        self.events.append((event, None))

    def _open(self, closer: str) -> _Frame:
        function, self.frame.function = self.frame.function, ""
        self.events.append((FUNCTION, function) if function else (OPEN, None))
        frame = _Frame(closer)
        frame.is_arithmetic = self.frame.is_arithmetic
        return self._push(frame)

    def _open_sub(self) -> _Frame:
        frame = _Frame(")")
        frame.sub = Substitution()
        self.events.append((SUB_OPEN, frame.sub))
        return self._push(frame)

    def _push(self, frame: _Frame) -> _Frame:
        if len(self.frames) > _DEEPEST_LISTS:
            # Read on without the list: its commands are judged all the same.
            self.reading.too_deep = True
            if frame.sub is not None:
                self.events.append((SUB_CLOSE, frame.sub))
            elif not frame.is_data:
                self.events.append((CLOSE, None))
            self._end_simple()
            return frame
        self.frames.append(frame)
        self.frame = frame
        self.parens += frame.closer == ")"
        return frame

    def _close(self) -> None:
        """End the current frame, whose last command has ended; its word goes on."""
        frame = self.frames.pop()
        self.frame = self.frames[-1]
        self.parens -= frame.closer == ")"
        if frame.sub is not None:
            self.events.append((SUB_CLOSE, frame.sub))
            self._add(")", plain=False)
            self.frame.word_subs.append(frame.sub)
        elif not frame.is_data:
            self.events.append((CLOSE, None))

    def _close_compound(self, closer: str) -> None:
        if self.frame.closer == closer:
            self._close()
            # Redirections may follow: `done < list`. They belong to nobody we judge.
            self.frame.simple = Simple(self.at)
        else:
            self.reading.malformed = True

    def _close_paren(self) -> None:
        frame = self.frame
        if frame.closer == "esac" and frame.in_pattern:
            self._end_word()
            frame.simple = None
            frame.in_pattern = False
            return
        if not self.parens:
            self._separator()
            self.reading.malformed = True
            return
        self._end_simple()
        while self.frame.closer != ")":
            self._close()
            self._end_simple()
            self.reading.malformed = True
        is_word = self.frame.sub is not None or self.frame.is_data
        self._close()
        if not is_word:
            self.frame.simple = Simple(self.at)

    # ------------------------------------------------------------ characters

    def _special(self, char: str) -> None:  # noqa: C901, PLR0912 -- one case a character
        frame = self.frame
        text = self.text
        if char in _BLANK:
            self._end_word()
            self.at += 1
        elif char == "\\":
            self._escaped()
        elif char == "'":
            self._single(self.at + 1)
        elif char == '"':
            self._add("", plain=False)
            frame.modes.append('"')
            self.at += 1
        elif char == "`":
            self._backquote(in_quotes=False)
        elif char == "$":
            self._dollar(in_quotes=False)
        elif self._in_test(char):
            self._end_word() if char == "\n" else self._add(char)
            self.at += 1
        elif char == "#" and frame.pieces is None and not frame.is_arithmetic:
            end = text.find("\n", self.at)
            self.at = len(text) if end < 0 else end
        elif char == "\n":
            self._newline()
        elif char == "\r":
            if text.startswith("\n", self.at + 1) or self.at + 1 == len(text):
                self._end_word()
            else:
                self._add(char)
            self.at += 1
        elif char in ";&|":
            self._operator(char)
        elif char in "<>":
            self._redirection(char)
        elif char == "(":
            self._paren()
        elif char == ")":
            self.at += 1
            self._close_paren()
        else:
            self._add(char)
            self.at += 1

    def _in_test(self, char: str) -> bool:
        """Say whether an operator is a plain word inside ``[[ … ]]``."""
        simple = self.frame.simple
        if simple is None or not simple.words or char not in "|&;()<>\n#":
            return False
        if simple.words[0] != "[[":
            return False
        self._end_word()
        return simple.words[-1] != "]]"

    def _escaped(self) -> None:
        text, at = self.text, self.at
        if text.startswith("\r\n", at + 1):
            self.at += 3
        elif text.startswith("\n", at + 1):
            self.at += 2
        elif at + 1 < len(text):
            self._add(text[at + 1], plain=False)
            self.at += 2
        else:
            self._add("\\")
            self.at += 1

    def _single(self, start: int, *, decode: bool = False) -> None:
        text = self.text
        end = text.find("'", start)
        while decode and end > 0 and _is_escaped(text, start, end):
            end = text.find("'", end + 1)
        if end < 0:
            self.reading.malformed = True
            end = len(text)
        inner = text[start:end]
        self._add(ansi_c(inner) if decode else inner, plain=False)
        self.at = end + 1

    def _dollar(self, *, in_quotes: bool) -> None:
        text, at = self.text, self.at
        following = text[at + 1 : at + 2]
        if following == "(":
            self._add("$(", plain=False)
            self.at += 2
            is_arithmetic = text.startswith("(", self.at)
            self._open_sub().is_arithmetic = is_arithmetic
        elif following == "{":
            if (
                not in_quotes
                and text.startswith("{IFS", at + 1)
                and text[at + 5 : at + 6] not in _NAME
            ):
                self._end_word()
                end = text.find("}", at)
                self.at = len(text) if end < 0 else end + 1
                return
            self._add("${", plain=False)
            self.frame.modes.append("}")
            self.at += 2
        elif following == "'" and not in_quotes:
            self._single(at + 2, decode=True)
        elif following == '"' and not in_quotes:
            self.at += 1
        elif (
            not in_quotes and text.startswith("IFS", at + 1) and text[at + 4 : at + 5] not in _NAME
        ):
            self._end_word()
            self.at += 4
        else:
            self._add("$", plain=False)
            self.at += 1

    def _quoted(self) -> None:
        """Read on inside double quotes or inside ``${…}``."""
        text, mode = self.text, self.frame.modes[-1]
        stops = '"\\`$' if mode == '"' else "}\"'\\`$"
        end = self.at
        while end < len(text) and text[end] not in stops:
            end += 1
        if end > self.at:
            self._add(text[self.at : end], plain=False)
            self.at = end
            return
        char = text[self.at]
        if char == mode:
            self.frame.modes.pop()
            if mode == "}":
                self._add("}", plain=False)
            self.at += 1
        elif char == "\\":
            self._quoted_escape()
        elif char == "`":
            self._backquote(in_quotes=True)
        elif char == "$":
            self._dollar(in_quotes=True)
        elif char == '"':
            self.frame.modes.append('"')
            self.at += 1
        elif '"' in self.frame.modes:  # a single quote inside "${…}" is literal text
            self._add(char, plain=False)
            self.at += 1
        else:
            self._single(self.at + 1)

    def _quoted_escape(self) -> None:
        text, at = self.text, self.at
        following = text[at + 1 : at + 2]
        if text.startswith("\r\n", at + 1):
            self.at += 3
        elif following == "\n":
            self.at += 2
        elif following and following in '$`"\\':
            self._add(following, plain=False)
            self.at += 2
        else:
            self._add("\\" + following, plain=False)
            self.at += 1 + len(following)

    def _backquote(self, *, in_quotes: bool) -> None:
        text = self.text
        end = text.find("`", self.at + 1)
        while end > 0 and _is_escaped(text, self.at + 1, end):
            end = text.find("`", end + 1)
        if end < 0:
            self.reading.malformed = True
            end = len(text)
        inner = text[self.at + 1 : end]
        self._add("``", plain=False)
        self.at = end + 1
        self._splice(_unescaped(inner, "$`\\" + ('"' if in_quotes else "")))

    def _splice(self, inner: str) -> None:
        """Put the events of another text in a substitution of the current word."""
        sub = Substitution()
        self.events.append((SUB_OPEN, sub))
        if self.depth < _DEEPEST_BACKQUOTES:
            reading = read_text(inner, depth=self.depth + 1)
            self.events += reading.events
            self.reading.malformed = self.reading.malformed or reading.malformed
        else:
            self.reading.malformed = True
        self.events.append((SUB_CLOSE, sub))
        self.frame.word_subs.append(sub)

    # ------------------------------------------------------------ operators

    def _operator(self, char: str) -> None:
        text, at = self.text, self.at
        if char == "&" and text.startswith(">", at + 1):
            self._end_word()
            self._start_redirect("&>>" if text.startswith(">>", at + 1) else "&>")
        elif char == "|" and not text.startswith("||", at):
            self.at += 2 if text.startswith("|&", at) else 1
            if self.frame.in_pattern:
                self._end_word()
                self.frame.simple = None
            else:
                self._separator(PIPE)
        else:
            self._list_operator(char)

    def _list_operator(self, char: str) -> None:
        text, at = self.text, self.at
        length = 2 if text.startswith(char * 2, at) or text.startswith(";&", at) else 1
        if text.startswith(";;&", at):
            length = 3
        self._separator()
        self.at += length
        if char == ";" and length > 1 and self.frame.closer == "esac":
            self.frame.in_pattern = True

    def _redirection(self, char: str) -> None:
        text, at, frame = self.text, self.at, self.frame
        if text.startswith("(", at + 1):
            self._add(char + "(", plain=False)
            self.at += 2
            self._open_sub()
            return
        if frame.is_arithmetic:
            self._add(char)
            self.at += 1
            return
        word = "".join(frame.pieces) if frame.pieces else ""
        if frame.plain and (word.isdigit() or (word[:1] == "{" and word[-1:] == "}")):
            frame.pieces = None  # the number of a descriptor is no argument
        self._end_word()
        for operator in ("<<<", "<<-", "<<", "<>", "<&", ">>", ">&", ">|", "<", ">"):
            if text.startswith(operator, at):
                self._start_redirect(operator)
                return

    def _start_redirect(self, operator: str) -> None:
        if self.frame.simple is None:
            self.frame.simple = Simple(self.at)
        self.frame.redirect = operator
        self.at += len(operator)

    def _paren(self) -> None:
        frame, text = self.frame, self.text
        simple = frame.simple
        if frame.pieces is not None and frame.plain and "".join(frame.pieces).endswith("="):
            self._add("(", plain=False)
            self.at += 1
            array = _Frame(")")
            array.is_data = True
            self._push(array)
            return
        if frame.in_pattern and frame.pieces is None:
            self.at += 1  # the optional opening of a pattern
            return
        word = "".join(frame.pieces or [])
        rest = self.at + 1
        while rest < len(text) and text[rest] in _BLANK:
            rest += 1
        if (
            simple is not None
            and text.startswith(")", rest)
            and len(simple.words) + bool(word) == 1
        ):
            frame.function = word or simple.words[0]
            frame.pieces, frame.simple = None, None
            self.at = rest + 1
            return
        self._end_simple()
        is_arithmetic = text.startswith("((", self.at) or frame.is_arithmetic
        self.at += 1
        self._open(")").is_arithmetic = is_arithmetic

    # ------------------------------------------------------------ lines

    def _newline(self) -> None:
        self._end_simple()
        if not self.events or self.events[-1][0] != PIPE:  # after a pipe, the line goes on
            self._separator()
        self.at += 1
        documents, self.documents = self.documents, []
        for simple, delimiter, is_quoted, strips_tabs in documents:
            body = self._document(delimiter, strips_tabs=strips_tabs)
            simple.inputs.append(body)
            if not is_quoted:
                self._expand(body)

    def _document(self, delimiter: str, *, strips_tabs: bool) -> str:
        text = self.text
        lines: list[str] = []
        while self.at < len(text):
            end = text.find("\n", self.at)
            line = text[self.at :] if end < 0 else text[self.at : end]
            self.at = len(text) if end < 0 else end + 1
            if strips_tabs:
                line = line.lstrip("\t")
            if line.removesuffix("\r") == delimiter:
                return "\n".join(lines)
            lines.append(line)
        self.reading.malformed = True
        return "\n".join(lines)

    def _expand(self, body: str) -> None:
        """Read the substitutions of a here-document whose delimiter is not quoted."""
        if "$(" not in body and "`" not in body:
            return
        inner = _Lexer(body, self.depth)
        inner.frame.modes.append('"')
        text, at = body, 0
        while inner.at < len(text):
            if not inner.frame.modes and len(inner.frames) == 1:
                inner.frame.modes.append('"')  # a double quote is plain text there
            at = inner.at
            if inner.frame.modes:
                inner._quoted()
            elif text[at] not in _SPECIAL:
                inner._add(text[at])
                inner.at += 1
            else:
                inner._special(text[at])
        if len(inner.frames) > 1:
            inner.reading.malformed = True
            inner._close_all()
        self.events += inner.events
        self.reading.malformed = self.reading.malformed or inner.reading.malformed

    def _finish(self) -> None:
        if not self.frame.modes:
            self._end_word()  # it may be the word that closes the last frame
        if self.frame.modes or len(self.frames) > 1 or self.documents:
            self.reading.malformed = True
        simple = self.frame.simple
        if simple is not None and simple.words[:1] == ["[["] and self._in_test("|"):
            self.reading.malformed = True
        for simple, _, _, _ in self.documents:
            simple.inputs.append("")
        self._close_all()
        self._separator()

    def _close_all(self) -> None:
        """End whatever is still open."""
        self.frame.modes.clear()
        self._end_simple()
        while len(self.frames) > 1:
            self._close()
            self.frame.modes.clear()
            self._end_simple()


def _is_escaped(text: str, start: int, at: int) -> bool:
    """Say whether an odd number of backslashes stands before a place."""
    count = 0
    while at - count > start and text[at - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def _unescaped(text: str, chars: str) -> str:
    """Return a text in which a backslash before one of `chars` is dropped."""
    if "\\" not in text:
        return text
    out, at = [], 0
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 2] and text[at + 1] in chars:
            at += 1
        out.append(text[at])
        at += 1
    return "".join(out)
