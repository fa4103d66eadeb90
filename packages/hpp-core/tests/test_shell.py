from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.shell.call import program_name
from hpp.core.shell.lexer import read_document, read_text, without_marks
from hpp.core.shell.model import (
    CLOSE,
    END,
    FUNCTION,
    MARKS,
    OPAQUE,
    OPEN,
    PIPE,
    PRINTED,
    SIMPLE,
    SUB_CLOSE,
    SUB_OPEN,
    Simple,
)  # fmt: skip
from hpp.core.shell.windows import read_cmd, read_powershell
from hpp.core.shell.word import ansi_c, is_assignment, printed_texts, quoted
from hpp.core.shell.wrapper import unwrap

SHAPE = {
    PIPE: "|", END: ";", OPEN: "(", CLOSE: ")", SUB_OPEN: "$(", SUB_CLOSE: "$)", FUNCTION: "f",
}  # fmt: skip


def simples(text: str) -> list[Simple]:
    return [value for kind, value in read_text(text).events if kind == SIMPLE]


def words(text: str) -> list[list[str]]:
    return [simple.words for simple in simples(text)]


def shape(text: str) -> str:
    """Return the events of a text, a program's name for each command."""
    events = read_text(text).events
    return " ".join(v.words[0] if k == SIMPLE else SHAPE[k] for k, v in events)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b  c\td", ["a", "b", "c", "d"]),
        ("'a b'c\"d e\"\\ f", ["a bcd e f"]),
        ("a '' \"\"", ["a", "", ""]),
        ('a \'b\\c\' "b\\c" "b\\"c\\$"', ["a", "b\\c", "b\\c", 'b"c$']),
        ("a\\\nb \\\r\nc", ["ab", "c"]),
        ("$'a\\tb\\x41\\101\\u00e9\\'' $\"b\"", ["a\tbA\u0041\u00e9'", "b"]),
        ("a $x ${y} ${z:-'}'} $((1+2)) $1a", ["a", OPAQUE, OPAQUE, OPAQUE, PRINTED, OPAQUE + "a"]),
        ('a "$x b"$y', ["a", f"{OPAQUE} b{OPAQUE}"]),
        ("a $ $, '$x'", ["a", "$", "$,", "$x"]),
        ("a$IFS'b c'${IFS}d${IFS%x}e", ["a", "b c", "d", "e"]),
        ('a "b${IFS}c"', ["a", "b c"]),
        ("{a,b c}", ["{a,b", "c}"]),
        ("{a,b} x{c,'d,e'}y {f} {g,{h,i}}", ["a", "b", "xcy", "xd,ey", "{f}", "g", "h", "i"]),
        ("a '{b,c}' \\{d,e}", ["a", "{b,c}", "{d,e}"]),
        ("A=1 B+=2 c[3]=4 a D=5", ["a", "D=5"]),
        ("A='x y' \"B=1\" a", ["B=1", "a"]),
        ("2>&1 >f <g a b 3>h &>i >|j", ["a", "b"]),
        ("a#b '#' \\# # c", ["a#b", "#", "#"]),
        ("a=(b 'c d' $(e)) f", ["f"]),
        ("a\r\n", ["a"]),
        ('C:\\Windows\\a.exe "D:\\b c"', ["C:\\Windows\\a.exe", "D:\\b c"]),
    ],
)
def test_words_are_those_of_a_shell(text: str, expected: list[str]) -> None:
    assert words(text)[-1] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a; b && c || d & e\nf", "a ; b ; c ; d ; e ; f ;"),
        ("a | b |& c |\n# x\n d", "a | b | c | d ;"),
        ("(a; b) | { c; }", "( a ; b ) | ( c ; ) ;"),
        ("if a; then b; elif c; then d; else e; fi", "( a ; b ; c ; d ; e ; ) ;"),
        ("for x in a b; do c; done; for x do d; done", "( ; c ; ) ; ( d ; ) ;"),
        ("for ((i=0; i<3; i++)); do c; done", "( ; c ; ) ;"),
        ("while a; do b; done <f | c", "( a ; b ; ) | c ;"),
        ("case $x in a|b) c;; (d) e;& *) f; esac; g", "( c ; e ; f ; ) ; g ;"),
        ("f() { a; }; f", "f a ; ) ; f ;"),
        ("function f { a; }\nfunction g() (b)", "f a ; ) ; f b ) ;"),
        ("f() a; b", "f a ) ; b ;"),
        ("time -p a | ! b; time { c; }", "a | b ; ( c ; ) ;"),
        ("coproc d; coproc N { e; }", "d ; ( e ; ) ;"),
        ("a $(b; c) `d`", "$( b ; c $) $( d ; $) a ;"),
        ("a <(b) >(c)", "$( b $) $( c $) a ;"),
        ("x=$(a)", "$( a $) ;"),
        ("[[ a && (b || c) < d ]] && e", "[[ ; e ;"),
        ('a ${x:-$(b)} "`c`"', "$( b $) $( c ; $) a ;"),
        ("echo if then { }", "echo ;"),
    ],
)  # fmt: skip
def test_lists_are_those_of_a_shell(text: str, expected: str) -> None:
    assert shape(text) == expected
    assert not read_text(text).malformed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a <<E\nb\n$x\nE\nc", [("a", ["b\n$x\n"]), ("c", [])]),
        ("a <<'E' | b\nx\nE", [("a", ["x\n"]), ("b", [])]),
        ("a <<A <<-B\nx\nA\n\ty\n\tB\nc", [("a", ["x\n", "y\n"]), ("c", [])]),
        ("a <<E\r\nb\r\nE\r\nc", [("a", ["b\r\n"]), ("c", [])]),
        ("(a <<E)\nx\nE", [("a", ["x\n"])]),
        ('a <<\\E"F"\nx\nEF', [("a", ["x\n"])]),
        ("a <<$E\nx\n$E", [("a", ["x\n"])]),
        ("a <<< 'b c'", [("a", ["b c\n"])]),
        ("a <<E; b <<F\n1\nE\n2\nF", [("a", ["1\n"]), ("b", ["2\n"])]),
    ],
)
def test_here_documents_belong_to_their_command(
    text: str, expected: list[tuple[str, list[str]]]
) -> None:
    found = [(s.words[0], [given.text for given in s.inputs]) for s in simples(text)]

    assert found == expected
    assert not read_text(text).malformed


def test_a_here_document_in_a_substitution_ends_before_it() -> None:
    assert shape("a \"$(b <<'E'\n) \" '\nE\n)\"; c") == "$( b ; $) a ; c ;"


def test_only_substitutions_mean_something_in_a_document() -> None:
    given, reading = read_document("a 'b' \"c\" \\$d $e ${f:-'} `g` $(h i) \\\nj\n")

    assert given.text == f"a 'b' \"c\" $d {OPAQUE} {OPAQUE} {PRINTED} {PRINTED} j\n"
    assert [v.words for k, v in reading.events if k == SIMPLE] == [["g"], ["h", "i"]]
    assert len(given.subs) == 2


@pytest.mark.parametrize(
    "text",
    ["'", '"', "`", "$(", "(", "{", "if a", "case x in", "a <<E\nb", ")", "}", "fi", "[[ a", "${a",
     "$'a", 'a "$(b"'],
)  # fmt: skip
def test_what_is_left_open_or_closed_too_often_is_malformed(text: str) -> None:
    assert read_text(text).malformed


def test_where_output_goes_is_noted() -> None:
    saved = {text: simples(text)[0].is_saved for text in (
        "a > f", "a >> f", "a &> f", "a >& f", "a 1> f", "a > /dev/null", "a > $f",
        "a 2> f", "a >&2", "a > /dev/stdout", "a > >(b)", "a < f",
    )}  # fmt: skip

    assert [text for text, is_saved in saved.items() if not is_saved] == [
        "a 2> f", "a >&2", "a > /dev/stdout", "a > >(b)", "a < f",
    ]  # fmt: skip


def test_nobody_can_write_what_stands_for_an_expansion() -> None:
    assert without_marks(f"a{MARKS}b") == "a" + "\ufffd" * len(MARKS) + "b"


@pytest.mark.parametrize(
    ("text", "through", "command"),
    [
        ("sudo -u a env -i B=1 nice -n 5 rm x", ["sudo", "env", "nice"], ["rm", "x"]),
        ("timeout -k 5 9 stdbuf -oL rm", ["timeout", "stdbuf"], ["rm"]),
        ("xargs -0 -I{} -P 4 rm {}", ["xargs"], ["rm", "{}"]),
        ("docker run --rm -v a:b -e C=d img rm x", ["docker"], ["rm", "x"]),
        ("kubectl -n a exec -it pod -c b -- rm x", ["kubectl"], ["rm", "x"]),
        ("uv run --with x rm", ["uv"], ["rm"]),
        ("/usr/bin/time -f %e RM.EXE x", ["time"], ["RM.EXE", "x"]),
        ("command -v rm", ["command"], []),
        ("sudo -l rm", ["sudo"], []),
        ("nohup", ["nohup"], []),
    ],
)
def test_wrappers_are_seen_through(text: str, through: list[str], command: list[str]) -> None:
    (call,) = unwrap(words(text)[0])

    assert (call.through, call.command) == (through, command)


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("bash -euo pipefail -c 'a b' c", ["a b"]),
        ("sh -c -- a", ["a"]),
        ("eval a 'b c'", ["a b c"]),
        ("ssh -p 22 h -t a 'b c'", ["a b c"]),
        ("su - u -c 'a b'", ["a b"]),
        ("env -S 'a b' 'c d'", ["env a b 'c d'"]),
        ("flock -n f -c 'a b'", ["a b"]),
        ("cmd /d /c a b", ["a b"]),
        ("pwsh -NoProfile -c a b", ["a b"]),
        ("git submodule foreach --recursive 'a b'", ["a b "]),
        ("git -c alias.x='!a b' x c", ["a b c"]),
        ("trap 'a b' EXIT", ["a b"]),
        ("parallel a ::: b", ["a", "a b"]),
        ("bash a.sh", []),
        ("trap - EXIT", []),
    ],
)
def test_texts_that_are_executed_are_found(text: str, scripts: list[str]) -> None:
    (call,) = unwrap(words(text)[0])

    assert [script.text for script in call.scripts] == scripts


def test_find_runs_each_of_its_commands() -> None:
    calls = unwrap(words("find . -exec a {} \\; -execdir sudo b + {} + -ok c \\;")[0])

    assert sorted(call.command[0] for call in calls) == ["a", "b", "c", "find"]


@pytest.mark.parametrize(
    ("word", "name"),
    [("/bin/rm", "rm"), ("rm.exe", "rm"), ("C:\\x\\CMD.EXE", "cmd"), ("RMDIR", "rmdir"),
     ("RM", "RM"), (".exe", ".exe"), ("a/", ""), ("rm.sh", "rm.sh")],
)  # fmt: skip
def test_a_program_has_its_base_name(word: str, name: str) -> None:
    assert program_name(word) == name


def test_cmd_has_words_of_its_own() -> None:
    def read(text: str) -> list[list[str]]:
        return [value.words for kind, value in read_cmd(text).events if kind == SIMPLE]

    assert read('r^d /s/q "a b" & @echo x | c') == [
        ["rd", "/s", "/q", "a b"], ["echo", "x"], ["c"],
    ]  # fmt: skip
    assert read("if not exist a (rd/s b) else c") == [["rd", "/s", "b"], ["c"]]
    assert read("for %i in (a b) do d %i")[-1] == ["d", "%i"]
    assert read("if a==b c") == [["c"]]
    assert read("if %x% equ 1 c") == [["c"]]
    assert read_cmd('"').malformed


def test_powershell_has_words_of_its_own() -> None:
    def read(text: str) -> list[list[str]]:
        return [value.words for kind, value in read_powershell(text).events if kind == SIMPLE]

    assert read("a 'b''c' \"d`\"e\" f`g # h\n& {i}") == [["a", "b'c", 'd"e', "fg"], ["i"]]
    assert read("$x = a b; c | d") == [["a", "b"], ["c"], ["d"]]
    assert read("a @'\nb'\n'@") == [["a", "\nb'"]]
    assert read_powershell("'").malformed


@pytest.mark.parametrize(
    ("words", "texts"),
    [
        (["echo", "-n", "a", "b"], ["a b\n"]),
        (["echo", "a\\nb"], ["a\\nb\n", "a\nb\n"]),
        (["printf", "a\\nb"], ["a\nb"]),
        (["printf", "%s-%d\\n", "a", "1", "b"], ["a-1\nb-\n"]),
        (["printf", "%5.2f%%", "a"], ["a%"]),
        (["printf", "-v", "x", "a"], []),
        (["printf", "--", "a"], ["a"]),
        (["printf"], []),
    ],
)
def test_printers_print_what_a_shell_prints(words: list[str], texts: list[str]) -> None:
    assert printed_texts(words) == texts


@pytest.mark.parametrize(
    ("text", "decoded"),
    [("a\\x41", "aA"), ("\\0101", "\b1"), ("\\e\\cA", "\x1b\x01"), ("a\\0b", "a"),
     ("\\q\\", "\\q\\"), ("\\U110000", "?"), ("\\x", "\\x")],
)  # fmt: skip
def test_escapes_are_decoded(text: str, decoded: str) -> None:
    assert ansi_c(text) == decoded


def test_assignments_are_told_from_programs() -> None:
    yes = ["a=", "a=b", "_A1+=b", "a[1]=b"]
    no = ["=b", "1a=b", "a-b=c", "a", "a b=c"]

    assert [is_assignment(word) for word in yes + no] == [True] * 4 + [False] * 5


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(alphabet=st.characters(exclude_characters=MARKS)), min_size=1, max_size=5))
def test_quoted_words_are_read_as_they_were(given: list[str]) -> None:
    assert words("a " + quoted(given)) == [["a", *given]]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_every_list_that_opens_closes(text: str) -> None:
    depth = 0
    for kind, _ in read_text(text).events:
        depth += kind in (OPEN, FUNCTION, SUB_OPEN)
        depth -= kind in (CLOSE, SUB_CLOSE)
        assert depth >= 0
    assert depth == 0


def test_control_a_reader_that_kept_quotes_would_be_seen() -> None:
    assert words("r'm'") != [["r'm'"]]
