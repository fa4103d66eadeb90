from __future__ import annotations

import json
import pathlib
import shlex
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.policy.classifier import DEEPEST, Step, classify
from hpp.core.policy.verdict import judge
from hpp.core.shell.lexer import read_text

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = pathlib.Path(__file__).parent / "data"
RANK = {"ALLOW": 0, "MANUAL": 1, "BLOCK": 2}


def lines(name: str) -> list[dict[str, Any]]:
    text = (DATA / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


CORPUS = lines("policy.jsonl")
FIELD = lines("policy-field.jsonl")
NEIGHBOURS = lines("policy-neighbours.jsonl")
FAULTS = list(dict.fromkeys(line["fault"] for line in FIELD))
RULES = list(dict.fromkeys(line["rule"] for line in NEIGHBOURS))


def differing(labelled: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Return the commands whose rule is another one: command, want, got."""
    told = [(line["cmd"], line["rule"], judge(line["cmd"]).rule) for line in labelled]
    return [(cmd, want, got) for cmd, want, got in told if want != got]


@pytest.mark.parametrize("case", CORPUS, ids=[case["id"] for case in CORPUS])
def test_a_labelled_line_has_its_verdict(case: dict[str, Any]) -> None:
    verdict = judge(case["cmd"])

    right = [(case["verdict"], case["rule"])]
    if case["debatable"]:
        right.append((case.get("alt_verdict"), case.get("alt_rule")))
    assert (verdict.action, verdict.rule) in right, case["why"]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_other_guards_is_none_of_ours(fault: str) -> None:
    """Each fault seen in the field stands beside at least three neighbours."""
    labelled = [line for line in FIELD if line["fault"] == fault]

    assert len(labelled) > 3
    assert differing(labelled) == []


@pytest.mark.parametrize("rule", RULES)
def test_other_spellings_fall_under_the_same_rule(rule: str) -> None:
    assert differing([line for line in NEIGHBOURS if line["rule"] == rule]) == []


def test_an_allowed_command_is_not_called_safe() -> None:
    verdict = judge("find . -delete")

    assert (verdict.rule, verdict.reason, verdict.piece) == ("allow", "no rule matched", None)


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("ls && rm -rf 'a b'; git push", "rm -rf 'a b'"),
        ("sudo sh -c 'ls; rm -rf x' >log", "rm -rf x"),
        ("ls; curl -s u |\n tee f | sudo sh -x; ls", "curl -s u |\n tee f | sudo sh -x"),
        ("psql -c 'select 1; DROP /* old */ TABLE t'", "DROP /* old */ TABLE"),
        ("git push origin\\\n main", "git push origin\\\n main"),
        ("echo 'git push -f' | sh", "git push -f"),
    ],
)
def test_the_piece_that_decided_is_shown_as_it_was_written(text: str, piece: str) -> None:
    assert judge(text).piece == piece


def test_a_long_piece_is_cut() -> None:
    piece = judge("rm -rf " + "x" * 5000).piece

    assert piece is not None
    assert (len(piece), piece[-3:]) == (403, "...")


def test_blank_text_is_empty() -> None:
    assert [judge(text).rule for text in ("", " ", "\t\r\n", "\n#")] == [
        "empty", "empty", "empty", "allow",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        'rm -rf "build', "echo $(rm -rf x", "cat <<E\n`rm -rf x", "( rm -rf x",
        "if a; then rm -rf x",
        "ls ) ; rm -rf x", "[[ -d x; rm -rf x", "bash -c 'ls \"; rm -rf x'", "f() { rm -rf x",
    ],
)  # fmt: skip
def test_text_that_cannot_be_read_only_becomes_stricter(text: str) -> None:
    assert judge(text).rule == "recursive-delete"


def nested(text: str, times: int) -> str:
    for _ in range(times):
        text = f"eval {shlex.quote(text)}"
    return text


def test_what_nests_deeper_than_it_is_read_is_never_allowed() -> None:
    assert judge(nested("ls", DEEPEST)).rule == "allow"
    assert judge(nested("ls", DEEPEST + 1)).rule == "nested-too-deep"
    assert judge(nested("rm -rf x", DEEPEST)).rule == "recursive-delete"
    assert judge(nested("rm -rf x", DEEPEST + 1)).rule == "recursive-delete"
    assert judge("find . -exec " * 20 + "ls").rule == "nested-too-deep"
    assert judge("$a sudo " * 20 + "ls").rule == "nested-too-deep"
    assert judge("$a $b " * 5000 + "rm -rf x").rule == "recursive-delete"
    assert judge("docker " + "run --entrypoint docker x " * 20).rule == "nested-too-deep"


@pytest.mark.parametrize(
    ("opening", "closing"), [("(", ")"), ("$(", ")"), ("{ ", "; }"), ("<(", ")"), ("(( ", "))")]
)
def test_lists_are_followed_however_deep(opening: str, closing: str) -> None:
    assert judge(opening * 10_000 + "rm -rf x" + closing * 10_000).rule == "recursive-delete"
    assert judge("a; " + opening * 30_000).action != "ALLOW"


@pytest.mark.parametrize("text", ["\0", "rm\0 -rf x", "\ud800", "rm -rf \udcff", "\ufdd0 -rf x"])
def test_odd_characters_are_ordinary_ones(text: str) -> None:
    assert judge(text).rule == ("recursive-delete" if text.startswith("rm -rf") else "allow")


def test_a_long_line_is_read_to_its_end() -> None:
    assert judge("x " * 100_000 + "; rm -rf build").rule == "recursive-delete"
    assert judge("ls; " * 50_000 + "rm -rf build").rule == "recursive-delete"


def test_the_steps_tell_how_a_text_was_read() -> None:
    steps: list[Step] = []
    judge("sudo sh -c 'r\\m -rf $X' | curl u | sh", None, steps)

    told = [(s.depth, s.kind, " ".join(s.words), s.through, s.rules) for s in steps]
    assert told == [
        (0, "reads", "", [], []),
        (0, "runs", "sh -c r\\m -rf $X", ["sudo"], []),
        (1, "reads", "", [], []),
        (1, "runs", "rm -rf \ufdd0", [], ["recursive-delete"]),
        (0, "runs", "curl u", [], []),
        (0, "runs", "sh", [], []),
        (0, "feeds", "", [], ["pipe-to-shell"]),
    ]


def test_commands_are_told_as_they_would_run() -> None:
    found = classify("sudo env A=1 dock'er' push \"$IMG\"", with_commands=True).commands

    assert found == [("sudo", "env", "A=1", "docker", "push", "$IMG"), ("docker", "push", "$IMG")]
    assert classify("ls").commands == []


# Each puts a whole text where a shell would run it.
QUOTED: dict[str, Callable[[str], str]] = {
    "sh -c": lambda text: f"sh -c {shlex.quote(text)}",
    "sudo bash -lc": lambda text: f"sudo bash -lc {shlex.quote(text)}",
    "eval": lambda text: f"eval {shlex.quote(text)}",
    "su -c": lambda text: f"su -c {shlex.quote(text)}",
    "ssh": lambda text: f"ssh host {shlex.quote(text)}",
    "docker": lambda text: f"docker exec web sh -c {shlex.quote(text)}",
    "find": lambda text: f"find . -exec sh -c {shlex.quote(text)} \\;",
    "xargs": lambda text: f"ls | xargs -n1 sh -c {shlex.quote(text)}",
    "trap": lambda text: f"trap {shlex.quote(text)} EXIT",
    "here-string": lambda text: f"bash <<< {shlex.quote(text)}",
    "two levels": lambda text: f"bash -c {shlex.quote('bash -c ' + shlex.quote(text))}",
}
PLACED: dict[str, Callable[[str], str]] = {
    "subshell": lambda text: f"(\n{text}\n)",
    "group": lambda text: f"ls && {{\n{text}\n}}",
    "if": lambda text: f"if true; then\n{text}\nfi",
    "while": lambda text: f"while\n{text}\ndo ls; done",
    "function": lambda text: f"f() {{\n{text}\n}}; f",
    "substitution": lambda text: f"x=$(\n{text}\n)",
    "quoted substitution": lambda text: f'echo "$(\n{text}\n)"',
    "process substitution": lambda text: f"cat <(\n{text}\n)",
    "case": lambda text: f"case x in (x)\n{text}\n;; esac",
    "here-document": lambda text: f"bash <<'END-OF-IT'\n{text}\nEND-OF-IT",
    "piped here-document": lambda text: f"cat <<'END-OF-IT' | sudo sh\n{text}\nEND-OF-IT",
}
TOKENS: list[str] = [
    token
    for line in (
        "rm -rf x git push -f main curl https://a | sh bash -c \" ' $( ) ` ( { } ; && <<E <<<",
        "<( >( \\ if then fi do done for in while function f() $ ${ $' = A= (( )) [[ ]] eval xargs",
        "sudo env -S # find -exec \\; {a,b} $IFS ssh > 2>&1 & echo cat psql drop table f coproc",
        "time ! true cmd /c powershell -I{} {} trap alias a= %s printf tee decide.py run exec",
        "typed-decisions/ docker kubectl -- at . source",
    )
    for token in line.split(" ")
]
TEXTS = st.lists(
    st.tuples(
        st.sampled_from([*TOKENS, "\nE\n", "\r\n", "\x00", "\ud800", "rm -rf x", "git push -f"]),
        st.sampled_from([" ", "", "\n"]),
    ),
    max_size=30,
).map(lambda pairs: "".join(token + glue for token, glue in pairs))


def lowered(text: str) -> list[str]:
    """Return the wrappings under which a text is judged less strictly than alone."""
    before = RANK[judge(text).action]
    wraps: dict[str, Callable[[str], str]] = {}
    if not text.lstrip().startswith("-"):  # there it would be an option
        wraps |= QUOTED
    ends_elsewhere = read_text(text).malformed or ";;" in text or text.endswith("\\")
    if not ends_elsewhere:
        wraps |= PLACED
    return [name for name, wrap in wraps.items() if RANK[judge(wrap(text)).action] < before]


def test_wrapping_never_lowers_the_verdict_of_a_labelled_line() -> None:
    texts = [line["cmd"] for line in [*CORPUS[::3], *NEIGHBOURS[::7]]]

    assert [(text, names) for text in texts if (names := lowered(text))] == []


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_wrapping_never_lowers_a_verdict(text: str) -> None:
    assert lowered(text) == []


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_every_text_has_a_verdict(text: str) -> None:
    assert judge(text).action in RANK


UNITS = [
    "(", "$(", "`", "{ ", "<<A ", "a|", "((", "${", "find -exec ", "curl ", "rm ", "git push ",
    "x=( ", "case x in ", "f(){ ", "f(){ f|f; };", "eval ", "'", '"', '"${a:-', "\\", "$'\\'",
    "{a,", "<(", ") ", "cat <<E\n$(", "echo x|sh|", "(echo x;", "sudo ", "kubectl exec a ",
    "bash -c '", "drop/*", "drop /**/", "$a ", "$a sudo ", "decide.py/", "/./", "echo $(echo ",
    "sh <(cat ", "parallel ", "p <(", "[[ ( ", "alias a=b;a;", "printf %s ", "git -c alias.a=a ",
    "env -S ", "cmd /c ^", "\0", "\n",
]  # fmt: skip


def work(text: str) -> int:
    """Return how many Python and built-in functions a verdict takes."""
    count = 0

    def profile(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(profile)
    try:
        judge(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("unit", UNITS)
def test_work_grows_with_the_length_and_not_faster(unit: str) -> None:
    small, large = (work(unit * (size // len(unit))) for size in (1500, 6000))

    assert large < 6 * small + 1000


def test_so_does_it_for_pipes_in_pipes() -> None:
    small, large = (work("(" * n + "echo x" + "|sh)" * n) for n in (200, 800))

    assert large < 6 * small


def test_control_work_that_grows_with_the_square_would_be_seen() -> None:
    def squares(n: int) -> int:
        return sum(len("x" * i) for i in range(n))

    assert squares(800) > 6 * squares(200)


def test_control_a_guard_that_allowed_everything_would_be_seen() -> None:
    assert differing([{"cmd": "rm -rf /", "rule": "allow"}]) == [
        ("rm -rf /", "allow", "recursive-delete")
    ]
