from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.retrieval.trec import qrels_bytes, read_qrels, read_run, run_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., tuple[int, Any, str]]
    Put = Callable[[str, object], str]
    Faults = Callable[[str, object], list[str]]

QRELS = "q1 0 d1 2\nq1 0 d2 1\nq1 0 d3 0\n\nq2\t0\td4\t1\nq3 0 d1 -1\n"
RUN = "q1 Q0 d2 1 7.5 t\nq1 Q0 d1 2 9 t\nq1 Q0 d9 3 1e-3 t\nq7 Q0 d1 1 1 t\n"


def suite(path: Path) -> dict[str, list[str]]:
    cases = json.loads((path / "s.json").read_text())["cases"]
    return {case["id"]: case["relevant"] for case in cases}


def test_grades_become_relevant_from_a_grade_on(
    program: Call, put: Put, workspace: Path, schema_faults: Faults
) -> None:
    words = ["import", "--qrels", put("q.txt", QRELS), "--out", "s.json"]
    code, told, _ = program(*words)

    assert code == 0
    assert suite(workspace) == {"q1": ["d1", "d2"], "q2": ["d4"]}
    counts = {"total": 5, "relevant": 3, "left_out": 2, "left_out_above_zero": 0}
    assert told["judgements"] == counts
    assert (told["queries_without_relevant"], told["query_texts"], told["run"]) == (1, "ids", None)
    assert schema_faults("retrieval-import", told) == []

    told = program(*words, "--min-grade", "2")[1]
    assert suite(workspace) == {"q1": ["d1"]}
    counts = {"total": 5, "relevant": 1, "left_out": 4, "left_out_above_zero": 2}
    assert told["judgements"] == counts


def test_a_run_is_ordered_by_its_scores(
    program: Call, put: Put, workspace: Path, schema_faults: Faults
) -> None:
    words = ["--qrels", put("q.txt", QRELS), "--run", put("r.txt", RUN), "--out", "s.json"]
    told = program("import", *words)[1]
    cases = json.loads((workspace / "s.json").read_text())["cases"]

    assert [case["results"] for case in cases] == [["d1", "d2", "d9"], []]
    assert told["run"] == {
        "queries": 2,
        "cases_without_results": 1,
        "queries_without_case": 1,
        "ties": 0,
    }
    assert schema_faults("retrieval-import", told) == []
    assert program("eval", "s.json")[1]["metrics"]["recall_at_k"] == 0.5


def test_of_equal_scores_the_rank_decides_and_not_the_name(put: Put) -> None:
    names = ["zz", "aa", "mm"]
    lines = [f"q Q0 {name} {rank} 1.0 t\n" for rank, name in enumerate(names)]
    run = read_run(put("r.txt", "".join(reversed(lines))))

    assert run.rankings == {"q": names}
    assert run.ties == 2


def test_texts_come_from_a_table_or_from_json_lines(
    program: Call, put: Put, workspace: Path
) -> None:
    words = ["import", "--qrels", put("q.txt", QRELS), "--out", "s.json", "--queries"]
    table = put("t.tsv", "q1\twhat is \u00e9?\r\nq2\ttwo\tparts\n".encode())
    lines = put("t.jsonl", '{"_id": "q1", "text": "one"}\n\n{"_id": "q2", "text": "two"}\n')

    assert program(*words, table)[1]["query_texts"] == "given"
    cases = json.loads((workspace / "s.json").read_text())["cases"]
    assert [case["query"] for case in cases] == ["what is \u00e9?", "two\tparts"]
    program(*words, lines)
    cases = json.loads((workspace / "s.json").read_text())["cases"]
    assert [case["query"] for case in cases] == ["one", "two"]


def test_a_no_break_space_is_part_of_an_id(put: Put) -> None:
    assert read_qrels(put("q.txt", "q 0 a\u00a0b 1\n")) == {"q": {"a\u00a0b": 1}}


@pytest.mark.parametrize(
    ("qrels", "fault"),
    [
        ("q1 0 d1\n", "q.txt: line 1: expected 4 fields"),
        ("q1 0 d1 1\nq1 0 d1 0\n", "q.txt: line 2: d1 is judged twice"),
        ("q1 0 d1 1.5\n", "q.txt: line 1: grade: expected an integer, got '1.5'"),
        ("q1 0 d1 -+5\n", "q.txt: line 1: grade: expected an integer, got '-+5'"),
        ("q1 0 d1 --5\n", "q.txt: line 1: grade: expected an integer"),
        ("q1 0 d1 +\n", "q.txt: line 1: grade: expected an integer"),
        ("q1 0 d1 1_0\n", "q.txt: line 1: grade: expected an integer"),
        ("q1 0 d1 x\n", "q.txt: line 1: grade: expected an integer"),
        (b"q1 0 d\xff 1\n", "q.txt: line 1: not UTF-8"),
        ("q1 0 d1 0\n", "no query has a document of grade 1 or more"),
        ("", "no query has a document"),
    ],
)
def test_bad_judgements_are_refused_with_their_line(
    program: Call, put: Put, workspace: Path, qrels: object, fault: str
) -> None:
    code, told, problem = program("import", "--qrels", put("q.txt", qrels), "--out", "s.json")

    assert (code, told) == (2, None)
    assert problem.startswith(f"hpp: {fault}")
    assert not (workspace / "s.json").exists()


@pytest.mark.parametrize(
    ("run", "fault"),
    [
        ("q1 Q0 d1 1 0.5\n", "r.txt: line 1: expected 6 fields"),
        ("q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n", "r.txt: line 2: d1 stands twice"),
        ("q1 Q0 d1 1 nan t\n", "r.txt: line 1: score: expected a number, got 'nan'"),
        ("q1 Q0 d1 1 1_000 t\n", "r.txt: line 1: score: expected a number, got '1_000'"),
        ("q1 Q0 d1 1 \u0663 t\n", "r.txt: line 1: score: expected a number"),
        ("q1 Q0 d1 one 1 t\n", "r.txt: line 1: rank: expected an integer"),
    ],
)
def test_a_bad_run_is_refused_with_its_line(
    program: Call, put: Put, run: object, fault: str
) -> None:
    words = ["--qrels", put("q.txt", QRELS), "--run", put("r.txt", run), "--out", "s.json"]
    code, _, problem = program("import", *words)

    assert code == 2
    assert problem.startswith(f"hpp: {fault}")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["--out", "s.json"], 3),
        (["--qrels", "q.txt"], 3),
        (["--qrels", "q.txt", "--beir", ".", "--out", "s.json"], 3),
        (["--qrels", "q.txt", "--split", "dev", "--out", "s.json"], 3),
        (["--beir", ".", "--queries", "q.txt", "--out", "s.json"], 3),
        (["--qrels", "-", "--queries", "-", "--out", "s.json"], 3),
        (["--qrels", "q.txt", "--queries", "-", "--run", "-", "--out", "s.json"], 3),
        (["--qrels", "q.txt", "--min-grade", "0", "--out", "s.json"], 2),
        (["--qrels", "q.txt", "-k", "0", "--out", "s.json"], 2),
        (["--qrels", "q.txt", "--out", "absent/s.json"], 2),
        (["--qrels", "q.txt", "--out", "."], 2),
        (["--qrels", "q.txt", "--out", ""], 2),
        (["--qrels", "absent.txt", "--out", "s.json"], 2),
        (["--qrels", "q.txt", "--name", "", "--out", "s.json"], 2),
        (["--qrels", "q.txt", "--queries", "few.tsv", "--out", "s.json"], 2),
        (["--qrels", "q.txt", "--queries", "secret.tsv", "--out", "s.json"], 2),
        (["--qrels", "q.txt", "--queries", "bad.tsv", "--out", "s.json"], 2),
        (["--beir", ".", "--out", "s.json"], 2),
        (["--beir", "absent", "--out", "s.json"], 2),
        (["--beir", ".", "--split", "../x", "--out", "s.json"], 2),
    ],
)
def test_a_bad_request_writes_nothing(
    program: Call, put: Put, workspace: Path, words: list[str], status: int
) -> None:
    put("q.txt", QRELS)
    put("few.tsv", "q1\tone\n")
    put("bad.tsv", "q1 one\n")
    put("secret.tsv", "q1\tone\nq2\tthe password: hunter2\n")
    code, told, problem = program("import", *words)

    assert (code, told) == (status, None)
    assert "hunter2" not in problem
    assert not (workspace / "s.json").exists()


BEIR = {
    "queries.jsonl": '{"_id": "1", "text": "one", "metadata": {}}\n{"_id": "2", "text": "two"}\n',
    "corpus.jsonl": '{"_id": "d1", "title": "", "text": "x"}\n',
    "qrels/test.tsv": 'query-id\tcorpus-id\tscore\n1\td1\t2\n1\t"d\t""2"\t1\n2\td1\t0\n',
    "qrels/dev.tsv": "query-id\tcorpus-id\tscore\r\n2\td1\t1\r\n",
}


@pytest.fixture
def beir(put: Put) -> str:
    for name, text in BEIR.items():
        put(f"set/{name}", text)
    return "set"


def test_a_folder_of_beir_is_read_by_split(program: Call, beir: str, workspace: Path) -> None:
    assert program("import", "--beir", beir, "--out", "s.json")[0] == 0
    assert suite(workspace) == {"1": ["d1", 'd\t"2']}
    assert program("import", "--beir", beir, "--split", "dev", "--out", "s.json")[0] == 0
    assert suite(workspace) == {"2": ["d1"]}


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("queries.jsonl", '{"_id": 1, "text": "x"}\n', "line 1: _id: expected a text"),
        ("queries.jsonl", '{"_id": "1"}\n', "line 1: text: expected a text"),
        ("queries.jsonl", "[]\n", "line 1: expected an object"),
        ("queries.jsonl", '{"_id": "9", "text": "x"}\n', 'query "1" is judged and has no text'),
        ("queries.jsonl", BEIR["queries.jsonl"] * 2, 'line 3: _id: "1" is repeated'),
        ("qrels/test.tsv", "1\td1\n", "line 1: expected 3 fields, got 2"),
        ("qrels/test.tsv", "1\td1\tx\n", "line 1: score: expected an integer"),
        ("qrels/test.tsv", "1\td1\t1\n1\td1\t1\n", "line 2: d1 is judged twice"),
        ("qrels/test.tsv", b"1\td\xff\t1\n", "line 1: not UTF-8"),
    ],
)
def test_a_bad_folder_is_refused(  # noqa: PLR0913, PLR0917 -- a table
    program: Call, put: Put, beir: str, name: str, text: object, fault: str
) -> None:
    put(f"{beir}/{name}", text)
    code, _, problem = program("import", "--beir", beir, "--out", "s.json")

    assert code == 2
    assert fault in problem


SUITE: dict[str, Any] = {
    "schema": "hpp.retrieval-suite/v1",
    "version": "1",
    "k": 3,
    "cases": [
        {"id": "q1", "query": "one \u00e9", "relevant": ["d1", "d2"], "results": ["d9", "d1"]},
        {"id": "q2", "query": 'a\n"two"', "relevant": ["d1"], "results": []},
        {"id": "q3", "query": "three", "relevant": ["d3"]},
    ],
}


def test_a_suite_goes_out_and_comes_back(
    program: Call, put: Put, workspace: Path, schema_faults: Faults
) -> None:
    name = put("suite.json", SUITE)
    words = ["--qrels", "q.txt", "--run", "r.txt", "--beir", "set", "--split", "dev"]
    code, told, _ = program("export", name, *words)

    assert code == 0
    assert (workspace / "q.txt").read_bytes() == b"q1 0 d1 1\nq1 0 d2 1\nq2 0 d1 1\nq3 0 d3 1\n"
    assert (workspace / "r.txt").read_bytes() == b"q1 Q0 d9 1 2 hpp\nq1 Q0 d1 2 1 hpp\n"
    assert told["run"] == {
        "queries": 1,
        "results": 2,
        "cases_without_results": 1,
        "cases_with_nothing_found": 1,
    }
    assert schema_faults("retrieval-export", told) == []
    program("import", "--beir", "set", "--split", "dev", "--out", "s.json")
    again = json.loads((workspace / "s.json").read_text())["cases"]
    wanted = [{key: case[key] for key in ("id", "query", "relevant")} for case in SUITE["cases"]]
    assert again == wanted


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ({"id": "q 4", "query": "x", "relevant": ["d"]}, ["--qrels", "q.txt"]),
        ({"id": "q4", "query": "x", "relevant": ["d 1"]}, ["--qrels", "q.txt"]),
        ({"id": "q4", "query": "x", "relevant": ["d"], "results": ["d\n"]}, ["--run", "r.txt"]),
        ({"id": "q4", "query": "x", "relevant": ["d"], "results": ["d", "d"]}, ["--run", "r.txt"]),
    ],
)
def test_what_a_format_cannot_carry_is_refused(
    program: Call, put: Put, workspace: Path, case: dict[str, Any], words: list[str]
) -> None:
    name = put("suite.json", {**SUITE, "cases": [case]})

    assert program("export", name, *words, "--beir", "set")[0] == 2
    assert sorted(path.name for path in workspace.iterdir()) == ["suite.json"]


def test_an_export_without_a_target_is_a_usage_error(program: Call, put: Put) -> None:
    assert program("export", put("suite.json", SUITE))[0] == 3


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1)
RANKINGS = st.dictionaries(NAMES, st.lists(NAMES, min_size=1, unique=True), min_size=1)


@settings(max_examples=60, deadline=None)
@given(rankings=RANKINGS)
def test_files_of_trec_come_back_as_they_went(
    rankings: dict[str, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("trec")
    (folder / "q").write_bytes(qrels_bytes(rankings.items()))
    (folder / "r").write_bytes(run_bytes(rankings.items()))

    assert read_run(str(folder / "r")).rankings == rankings
    judged = read_qrels(str(folder / "q"))
    assert judged == {topic: dict.fromkeys(ids, 1) for topic, ids in rankings.items()}
    # The reader of trec_eval's binding agrees.
    with open(folder / "r", encoding="utf-8") as stream:
        theirs = pytrec_eval.parse_run(stream)
    assert {
        topic: sorted(scores, key=scores.__getitem__, reverse=True)
        for topic, scores in theirs.items()
    } == rankings


def test_control_a_field_too_many_is_seen(program: Call, put: Put) -> None:
    words = ["import", "--out", "s.json", "--qrels"]

    assert program(*words, put("q.txt", QRELS))[0] == 0
    assert program(*words, put("q.txt", QRELS + "q1 0 d7 1 x\n"))[0] == 2


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="this system has no links")
@pytest.mark.parametrize(
    "words",
    [
        ["import", "--qrels", "q.txt", "--out", "link"],
        ["export", "good.json", "--qrels", "link"],
        ["export", "good.json", "--run", "link"],
        ["eval", "good.json", "--per-case", "link"],
    ],
)
@pytest.mark.parametrize("target", ["kept", "absent"])
def test_nothing_is_written_over_a_link(  # noqa: PLR0913, PLR0917 -- fixtures
    program: Call,
    put: Put,
    suite_of: Callable[..., object],
    workspace: Path,
    words: list[str],
    target: str,
) -> None:
    put("q.txt", QRELS)
    put("kept", "as it was")
    put("good.json", suite_of((["a"], ["a"])))
    (workspace / "link").symlink_to(target)
    code, told, problem = program(*words)

    assert (code, told) == (2, None)
    assert problem.endswith("link: it is a link\n")
    assert (workspace / "link").is_symlink()
    assert (workspace / "kept").read_text() == "as it was"
    assert not (workspace / "absent").exists()
