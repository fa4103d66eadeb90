from __future__ import annotations

import json
import os
import pathlib
import sys
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.git import git
from hpp.core.schema import faults, find_schema
from hpp.evidence.mutant import Source, read_mutants
from hpp.evidence.mutation import _names
from hpp.evidence.record import self_hash
from hpp.evidence.tokenmutant import token_mutants
from hpp.evidence.treecopy import _cloner, copy_tree

Call = Any
CODE = "def f(a):\n    return a > 10 and True\n"
STRONG = "import m\nassert m.f(11) and not m.f(10) and not m.f(9)\n"
WEAK = "import m\nassert m.f(50)\n"
posix = pytest.mark.skipif(os.name == "nt", reason="links, modes and pipes of POSIX")


@pytest.fixture
def code(workspace: pathlib.Path) -> pathlib.Path:
    for name, text in (("m.py", CODE), ("strong.py", STRONG), ("weak.py", WEAK)):
        (workspace / name).write_text(text, encoding="utf-8", newline="\n")
    return workspace


@pytest.fixture
def mutate(evidence: Call) -> Call:
    """Return a caller of `mutate` with a Python program; records are held to their schema."""

    def call(program: str, *options: str) -> tuple[int, Any, str]:
        words = ["mutate", "--id", "m", *options, "--", sys.executable, program]
        status, record, message = evidence(*words)
        if record is not None:
            assert faults(find_schema("mutation").document(), record) == []
            written = json.loads(pathlib.Path(record["record_path"]).read_bytes())
            assert written == record
            assert record["record_sha256"] == self_hash(record)
        return status, record, message

    return call


def _declare(folder: pathlib.Path, *mutants: dict[str, Any]) -> str:
    filled = [{"id": f"m{n}", "file": "m.py", **each} for n, each in enumerate(mutants)]
    document = {"schema": "hpp.mutants/v1", "mutants": filled}
    assert faults(find_schema("mutants").document(), document) == []
    (folder / "mm.json").write_text(json.dumps(document), encoding="utf-8")
    return "mm.json"


def _files(folder: pathlib.Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and ".hpp" not in path.parts)
    return {str(path): path.read_bytes() for path in found}


def test_a_criterion_that_notices_everything_is_sensitive(code: pathlib.Path, mutate: Call) -> None:
    before = _files(code)

    status, record, message = mutate("strong.py", "--generate", "m.py")

    assert (status, record["verdict"], message) == (0, "sensitive", "")
    assert record["clean"]["verdict"] == "passed"
    assert [each["id"] for each in record["mutants"]] == [
        "m.py:2:13:>->>=",
        "m.py:2:18:and->or",
        "m.py:2:22:True->False",
    ]
    assert record["metrics"] == {
        "total": 3, "killed": 3, "survived": 0, "not_applied": 0, "errors": 0, "score": 1.0,
    }  # fmt: skip
    assert _files(code) == before


def test_control_a_weak_criterion_has_blind_spots(code: pathlib.Path, mutate: Call) -> None:
    assert code.is_dir()
    status, record, _ = mutate("weak.py", "--generate", "m.py")

    assert (status, record["verdict"]) == (1, "blind-spots")
    assert record["metrics"]["score"] == pytest.approx(0.3333)
    assert record["survivors"] == ["m.py:2 > -> >=", "m.py:2 and -> or"]


def test_jobs_change_nothing_but_the_time(code: pathlib.Path, mutate: Call) -> None:
    assert code.is_dir()
    alone = mutate("weak.py", "--generate", "m.py")[1]

    together = mutate("weak.py", "--generate", "m.py", "--jobs", "3")[1]

    assert together["mutants"] == alone["mutants"]
    assert together["metrics"] == alone["metrics"]


def test_a_criterion_that_fails_on_the_clean_copy_controls_nothing(
    code: pathlib.Path, mutate: Call
) -> None:
    (code / "bad.py").write_text("raise SystemExit(3)\n", encoding="utf-8")

    status, record, message = mutate("bad.py", "--generate", "m.py")

    assert (status, record["verdict"], record["mutants"]) == (2, "no-control", [])
    assert record["clean"]["exit_code"] == 3
    assert record["metrics"]["score"] is None
    assert set(record["metrics"].values()) == {0, None}
    assert "clean copy" in message


def test_a_program_that_is_absent_controls_nothing(code: pathlib.Path, evidence: Call) -> None:
    assert code.is_dir()
    status, record, _ = evidence("mutate", "--id", "m", "--generate", "m.py", "--", "./absent")

    assert (status, record["verdict"]) == (2, "no-control")
    assert record["clean"]["verdict"] == "could-not-start"


def test_a_mutant_that_stops_the_criterion_is_killed_with_a_note(
    code: pathlib.Path, mutate: Call
) -> None:
    (code / "w.py").write_text("import m\nwhile not m.f(11):\n    pass\n", encoding="utf-8")
    mutants = _declare(code, {"find": "True", "replace": "False"})

    status, record, _ = mutate("w.py", "--mutants", mutants, "--timeout", "1.5")

    (mutant,) = record["mutants"]
    assert (status, mutant["outcome"], mutant["exit_code"]) == (0, "killed", None)
    assert mutant["note"] == "it timed out"


def test_a_run_that_cannot_start_makes_the_result_incomplete(
    code: pathlib.Path, evidence: Call
) -> None:
    if os.name == "nt":
        pytest.skip("execute bits of POSIX")
    tool = code / "tool.sh"
    tool.write_text("#!/bin/sh\ngrep -q 10 m.py\n", encoding="utf-8")
    tool.chmod(0o755)
    edits = [
        {"find": "10", "replace": "12"},
        {"file": "tool.sh", "find": "#!/bin/sh", "replace": "#!/absent/sh"},
    ]
    mutants = _declare(code, *edits)

    status, record, _ = evidence("mutate", "--id", "m", "--mutants", mutants, "--", "./tool.sh")

    assert [each["outcome"] for each in record["mutants"]] == ["killed", "error"]
    assert (status, record["verdict"], record["metrics"]["errors"]) == (1, "incomplete", 1)
    assert "could not start" in record["mutants"][1]["note"]


@pytest.mark.parametrize(
    ("edit", "place"),
    [
        ({"find": "a"}, (1, 6)),
        ({"find": "a", "occurrence": 2}, (2, 11)),
        ({"find": "a", "occurrence": 4}, None),
        ({"find": "a", "line": 2, "column": 11}, (2, 11)),
        ({"find": "a", "line": 2, "column": 10}, None),
        ({"find": "a", "line": 9, "column": 0}, None),
        ({"find": "a", "line": 1, "column": 29}, None),
        ({"find": "zzz"}, None),
    ],
)
def test_a_mutant_is_applied_where_it_says_or_not_at_all(
    code: pathlib.Path, mutate: Call, edit: dict[str, Any], place: tuple[int, int] | None
) -> None:
    mutants = _declare(code, {**edit, "replace": "?"})

    status, record, _ = mutate("strong.py", "--mutants", mutants)

    (mutant,) = record["mutants"]
    assert (mutant["line"], mutant["column"]) == (place or (None, None))
    assert mutant["outcome"] == ("not-applied" if place is None else "killed")
    assert (status, record["verdict"]) == ((1, "no-mutants") if place is None else (0, "sensitive"))


def test_lines_end_at_three_marks_and_no_other(workspace: pathlib.Path) -> None:
    (workspace / "t.txt").write_bytes("a\u2028b\x0cc\rd\r\ne\nx".encode())

    source = Source(str(workspace), "./t.txt", "t")

    assert source.name == "t.txt"
    places = [source.line_and_column(source.text.index(char)) for char in "bcdex"]
    assert places == [(1, 2), (1, 4), (2, 0), (3, 0), (4, 0)]
    assert [source.position(*place) for place in places] == [2, 4, 6, 9, 11]
    assert source.position(4, 1) == 12
    assert source.position(4, 2) is None


@settings(max_examples=60, deadline=None)
@given(text=st.text("ab\r\n\u00e9", max_size=30), at=st.integers(0, 29))
def test_a_place_leads_back_to_its_index(
    tmp_path_factory: pytest.TempPathFactory, text: str, at: int
) -> None:
    folder = tmp_path_factory.mktemp("t")
    (folder / "t").write_bytes(text.encode())
    source = Source(str(folder), "t", "t")
    index = min(at, len(text))

    assert source.position(*source.line_and_column(index)) == index


def test_tokens_are_never_taken_from_strings_or_comments(workspace: pathlib.Path) -> None:
    text = (
        "x = 'a == b' + f'{a == b} and {c!r:>10}' # True\n"
        "y = a<b, a<=b, a>>b, a>=b, True, android, a!=b, not True\n"
    )
    (workspace / "t.py").write_bytes(text.encode())

    found = [(m.find, m.replace, m.place()) for m in token_mutants("t.py", str(workspace))]

    assert found == [
        ("<", "<=", (2, 5)),
        ("<=", "<", (2, 10)),
        (">=", ">", (2, 22)),
        ("True", "False", (2, 27)),
        ("!=", "==", (2, 43)),
        ("True", "False", (2, 52)),
    ]


def test_a_column_counts_characters_and_bytes_stay_as_they_are(workspace: pathlib.Path) -> None:
    (workspace / "t.py").write_bytes(
        "s = '\u00e9\U0001f600'; y = 1 < 2\r\nz = y and s\r\n".encode()
    )

    first, second = token_mutants("t.py", str(workspace))

    assert (first.place(), second.place()) == ((1, 16), (2, 6))
    assert second.edited() == "s = '\u00e9\U0001f600'; y = 1 < 2\r\nz = y or s\r\n".encode()


BAD_SOURCES = [
    ("t.txt", b"x == y\n", ".py"),
    ("t.py", b"\xef\xbb\xbfx == y\n", "byte-order mark"),
    ("t.py", b"x = '\n", "does not tokenise"),
    ("t.py", b"x = (\n", "does not tokenise"),
    ("t.py", b"if x:\n    y\n  z\n", "does not tokenise"),
    ("t.py", b"x = '\xff' == 1\n", "UTF-8"),
    ("absent.py", None, "no such file"),
    ("../t.py", None, "inside the workspace"),
    ("/t.py", None, "inside the workspace"),
    ("venv/t.py", b"", "not copied"),
]


@pytest.mark.parametrize(("name", "data", "named"), BAD_SOURCES, ids=range(len(BAD_SOURCES)))
def test_a_file_without_tokens_to_swap_is_refused(
    workspace: pathlib.Path, evidence: Call, name: str, data: bytes | None, named: str
) -> None:
    if data is not None:
        (workspace / name).parent.mkdir(exist_ok=True)
        (workspace / name).write_bytes(data)

    words = ["mutate", "--id", "m", "--generate", name, "--", sys.executable, "-c", "pass"]
    status, answer, message = evidence(*words)

    assert (status, answer) == (2, None)
    assert named in message
    assert not (workspace / ".hpp").exists()


GOOD: dict[str, Any] = {"id": "a", "file": "m.py", "find": "10", "replace": "11"}
BAD_MUTANTS: list[tuple[Any, str]] = [
    ([], "expected an object"),
    ({**GOOD, "find": ""}, "mutants[0].find"),
    ({**GOOD, "replace": "10"}, "mutants[0].replace"),
    ({**GOOD, "replace": None}, "mutants[0].replace"),
    ({**GOOD, "id": ""}, "mutants[0].id"),
    ({**GOOD, "id": 1}, "mutants[0].id"),
    ({key: value for key, value in GOOD.items() if key != "file"}, "mutants[0].file"),
    ({**GOOD, "file": "../m.py"}, "mutants[0].file"),
    ({**GOOD, "file": "/m.py"}, "mutants[0].file"),
    ({**GOOD, "file": "C:/m.py"}, "mutants[0].file"),
    ({**GOOD, "file": "absent.py"}, "no such file"),
    ({**GOOD, "file": ".git/config"}, "not copied"),
    ({**GOOD, "file": "bin"}, "UTF-8"),
    ({**GOOD, "file": "."}, "no such file"),
    ({**GOOD, "occurrence": 0}, "mutants[0].occurrence"),
    ({**GOOD, "occurrence": True}, "mutants[0].occurrence"),
    ({**GOOD, "occurrence": 1.0}, "mutants[0].occurrence"),
    ({**GOOD, "line": 1}, "go together"),
    ({**GOOD, "line": 0, "column": 0}, "mutants[0].line"),
    ({**GOOD, "line": 1, "column": -1}, "mutants[0].column"),
    ({**GOOD, "line": 1, "column": 0, "occurrence": 1}, "not both"),
    ({**GOOD, "occurence": 2}, "occurence"),
    ({**GOOD, "replace": "ghp_abcdefghijklmnopqrstuvwxyz"}, "secret-like"),
]


@pytest.mark.parametrize(("mutant", "named"), BAD_MUTANTS, ids=range(len(BAD_MUTANTS)))
def test_a_mutant_that_breaks_a_rule_is_refused_before_anything_runs(
    code: pathlib.Path, mutate: Call, mutant: object, named: str
) -> None:
    (code / "bin").write_bytes(b"\xff\xfe\xfd")
    document = {"schema": "hpp.mutants/v1", "mutants": [mutant]}
    (code / "mm.json").write_text(json.dumps(document), encoding="utf-8")

    status, answer, message = mutate("strong.py", "--mutants", "mm.json")

    assert (status, answer) == (2, None)
    assert message.startswith("hpp: mm.json: ")
    assert named in message
    assert "ghp_" not in message
    assert not (code / ".hpp").exists()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[]", "mm.json"),
        ("{", "mm.json"),
        ('{"schema": "hpp.mutants/v2", "mutants": []}', "schema"),
        ('{"schema": "hpp.mutants/v1"}', "mutants"),
        ('{"schema": "hpp.mutants/v1", "mutants": {}}', "mutants"),
        ('{"schema": "hpp.mutants/v1", "mutants": [], "x": 1}', "x"),
    ],
)
def test_a_document_that_declares_no_mutants_is_refused(
    code: pathlib.Path, mutate: Call, text: str, named: str
) -> None:
    (code / "mm.json").write_text(text, encoding="utf-8")

    status, _, message = mutate("strong.py", "--mutants", "mm.json")

    assert status == 2
    assert named in message


REFUSED = [
    ([], "no mutants"),
    (["--generate", "m.py", "--jobs", "0"], "--jobs"),
    (["--generate", "m.py", "--timeout", "0"], "--timeout"),
    (["--generate", "m.py", "--out", "../x"], "--out"),
    (["--generate", "m.py", "--link", "absent/venv"], "--link"),
    (["--generate", "m.py", "--link", "src"], "--link"),
    (["--generate", "m.py", "--link", "../venv"], "--link"),
    (["--generate", "m.py", "--link", ""], "--link"),
    (["--mutants", "absent.json"], "absent.json"),
    (["--id", "a b", "--generate", "m.py"], "--id"),
]


@pytest.mark.parametrize(("options", "named"), REFUSED, ids=range(len(REFUSED)))
def test_a_bad_request_runs_and_writes_nothing(
    code: pathlib.Path, evidence: Call, options: list[str], named: str
) -> None:
    (code / "src").mkdir()
    before = sorted(code.rglob("*"))
    identity = [] if options[:1] == ["--id"] else ["--id", "m"]
    mark = str(code.parent / f"{code.name}-ran")

    status, answer, message = evidence(
        "mutate", *identity, *options, "--", sys.executable, "-c", f"open({mark!r}, 'w')"
    )

    assert (status, answer) == (2, None)
    assert named in message
    assert sorted(code.rglob("*")) == before
    assert not pathlib.Path(mark).exists()


def test_ids_are_unique_over_every_document(code: pathlib.Path, mutate: Call) -> None:
    _declare(code, {"id": "x", "find": "a", "replace": "b"})
    (code / "mm.json").rename(code / "first.json")
    _declare(code, {"id": "x", "find": "10", "replace": "b"})

    status, _, message = mutate("strong.py", "--mutants", "first.json", "--mutants", "mm.json")

    assert status == 2
    assert "twice" in message


@pytest.mark.parametrize("form", ["{}", "{}/m.py", "--path={}/x", "'{}'"])
def test_an_argument_that_leads_to_the_workspace_is_refused(
    code: pathlib.Path, evidence: Call, form: str
) -> None:
    argument = form.format(code)

    words = ["mutate", "--id", "m", "--generate", "m.py", "--", sys.executable, "-c", argument]
    status, _, message = evidence(*words)

    assert status == 2
    assert "argument 2: it names the workspace" in message


def test_a_path_that_only_begins_like_the_workspace_is_another() -> None:
    path = os.path.join(os.sep, "work", "a")

    assert not _names(f"{path}bc", path)
    assert not _names(f"{path}.venv/x", path)
    assert _names(f"{path}{os.sep}bc", path)


def test_a_temporary_folder_inside_the_workspace_is_refused(
    code: pathlib.Path, mutate: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(code / "tmp"))

    status, _, message = mutate("strong.py", "--generate", "m.py")

    assert status == 2
    assert "temporary folder" in message
    assert list((code / "tmp").iterdir()) == []


def test_every_run_has_a_copy_of_its_own(code: pathlib.Path, mutate: Call) -> None:
    once = "import m, os\nassert not os.path.exists('ran')\nopen('ran', 'w')\n"
    (code / "once.py").write_text(once + "assert m.f(11)\n", encoding="utf-8")

    status, record, _ = mutate("once.py", "--generate", "m.py")

    assert (status, record["metrics"]["killed"]) == (1, 1)
    assert not (code / "ran").exists()


def test_what_is_left_out_can_be_linked(code: pathlib.Path, mutate: Call) -> None:
    if os.name == "nt":
        pytest.skip("links need a privilege there")
    for name in ("venv", "node_modules", "deep/venv"):
        (code / name).mkdir(parents=True)
        (code / name / "x").write_bytes(b"1")
    look = "import os, m\nassert m.f(11) and not m.f(10) and not m.f(9)\n"
    look += "assert os.path.isfile('venv/x') and os.path.isfile('deep/venv/x')\n"
    look += "assert not os.path.exists('node_modules') and not os.path.exists('.hpp')\n"
    (code / "look.py").write_text(look, encoding="utf-8")

    options = ["--link", "venv", "--link", "./deep/venv", "--generate", "m.py"]
    assert mutate("look.py", *options)[0] == 0
    assert mutate("look.py", "--generate", "m.py")[1]["verdict"] == "no-control"


@posix
def test_a_copy_never_leads_back_to_the_original(code: pathlib.Path) -> None:
    (code / "sub").mkdir()
    outside = code.parent / f"{code.name}-outside"
    outside.write_bytes(b"o")
    (code / "absolute").symlink_to(code / "m.py")
    (code / "sub" / "relative").symlink_to("../m.py")
    (code / "sub" / "out").symlink_to(f"../../{outside.name}")
    (code / "dangling").symlink_to("nowhere")
    os.mkfifo(code / "pipe")
    (code / "sub").chmod(0o755)
    (code / "m.py").chmod(0o500)
    os.utime(code / "weak.py", (1, 1))
    copy = code.parent / f"{code.name}-copy"

    copy_tree(str(code), str(copy))

    assert (copy / "absolute").resolve() == copy / "m.py"
    assert (copy / "sub" / "relative").readlink() == pathlib.Path("../m.py")
    assert (copy / "sub" / "out").read_bytes() == b"o"
    assert (copy / "dangling").is_symlink()
    assert not (copy / "pipe").exists()
    assert (copy / "m.py").stat().st_mode & 0o777 == 0o500
    assert (copy / "weak.py").stat().st_mtime == 1
    assert (copy / "strong.py").read_bytes() == (code / "strong.py").read_bytes()


@posix
def test_a_mutant_behind_a_link_is_refused(code: pathlib.Path, mutate: Call) -> None:
    (code / "link").symlink_to(code)
    (code / "l.py").symlink_to("m.py")
    for name in ("link/m.py", "l.py"):
        mutants = _declare(code, {"file": name, "find": "10", "replace": "11"})
        status, _, message = mutate("strong.py", "--mutants", mutants)
        assert status == 2
        assert "through a link" in message


@posix
def test_a_read_only_file_is_mutated_in_the_copy(code: pathlib.Path, mutate: Call) -> None:
    (code / "m.py").chmod(0o400)

    assert mutate("strong.py", "--generate", "m.py")[0] == 0
    assert (code / "m.py").stat().st_mode & 0o777 == 0o400


def test_a_file_that_cannot_be_shared_is_copied(workspace: pathlib.Path) -> None:
    (workspace / "a").write_bytes(b"data")
    for system in {"sunos5", sys.platform}:
        target = workspace / f"b-{system}"
        if not _cloner(system)(str(workspace / "a"), str(target)):
            assert not target.exists()
        else:
            assert target.read_bytes() == b"data"


def test_the_commit_is_recorded(code: pathlib.Path, mutate: Call) -> None:
    assert mutate("strong.py", "--generate", "m.py")[1]["base_commit"] is None
    who = ["-c", "user.name=t", "-c", "user.email=t@e.x", "-c", "commit.gpgSign=false"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "one"]):
        assert git(words, cwd=str(code)).ok

    assert len(mutate("strong.py", "--generate", "m.py")[1]["base_commit"]) == 40


@posix
def test_progress_is_shown_on_a_terminal_alone(code: pathlib.Path) -> None:
    import pty
    import subprocess

    slow = "import time, m\ntime.sleep(0.7)\nassert m.f(11) and not m.f(10) and not m.f(9)\n"
    (code / "slow.py").write_text(slow, encoding="utf-8")
    main = "import sys; from hpp.evidence.command import main; sys.exit(main())"
    words = [sys.executable, "-c", main, "mutate", "--id", "m", "--generate", "m.py"]
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("CI", None)
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [*words, "--", sys.executable, "slow.py"],
            stdout=subprocess.PIPE, stderr=theirs, env=environment, check=True, timeout=60,
        )  # fmt: skip
        shown = os.read(ours, 65536).decode()
    finally:
        os.close(ours)
        os.close(theirs)

    assert "/3 mutants" in shown
    assert json.loads(done.stdout)["verdict"] == "sensitive"


@posix
def test_an_interrupted_round_records_nothing_and_leaves_nothing(
    code: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    import signal
    import subprocess

    temporary = tmp_path_factory.mktemp("tmp")
    (code / "long.py").write_text("import time\ntime.sleep(60)\n", encoding="utf-8")
    main = "import sys; from hpp.evidence.command import main; sys.exit(main())"
    words = [sys.executable, "-c", main, "mutate", "--id", "m", "--generate", "m.py"]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    child = subprocess.Popen([*words, "--", sys.executable, "long.py"], env=environment)
    end = time.monotonic() + 20
    while not list(temporary.glob("hpp-mutate-*/1/*/m.py")) and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.3)
    child.send_signal(signal.SIGTERM)

    assert child.wait(timeout=20) == 3
    assert list(temporary.iterdir()) == []
    assert list((code / ".hpp" / "evidence").iterdir()) == []


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 2), st.just(1.5), st.sampled_from(["", "m.py", "x"])
)
KEYS = st.sampled_from(["id", "file", "find", "replace", "occurrence", "line", "column", "other"])


@settings(max_examples=150, deadline=None)
@given(
    edits=st.dictionaries(KEYS, VALUES, max_size=3),
    gone=st.sets(KEYS, max_size=1),
    top=st.sampled_from([{}, {}, {}, {"schema": "x"}, {"more": 1}, {"mutants": None}]),
)
def test_schema_and_loader_agree(
    tmp_path_factory: pytest.TempPathFactory,
    edits: dict[str, Any],
    gone: set[str],
    top: dict[str, Any],
) -> None:
    folder = tmp_path_factory.mktemp("m")
    for name in ("m.py", "x"):
        (folder / name).write_bytes(b"x = 10\n")
    mutant = {key: value for key, value in {**GOOD, **edits}.items() if key not in gone}
    document = {"schema": "hpp.mutants/v1", "mutants": [mutant], **top}
    (folder / "d.json").write_text(json.dumps(document), encoding="utf-8")
    same = "find" in mutant and mutant["find"] == mutant.get("replace")

    try:
        read_mutants(str(folder / "d.json"), str(folder))
    except RefusedError:
        taken = False
    else:
        taken = True

    sound = faults(find_schema("mutants").document(), document) == []
    assert taken == (sound and not same)
