from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hpp.retrieval.example import example_path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., tuple[int, Any, str]]
    Put = Callable[[str, object], str]
    Suite = Callable[..., dict[str, Any]]
    Argv = Callable[[str], str]

RECALLS = {"one": (["a"], ["a"]), "half": (["a", "b"], ["a"]), "none": (["a"], ["x"])}


def example(*more: str) -> list[str]:
    argv = json.dumps([sys.executable, example_path("retrieval", "keyword_retriever.py")])
    suite = example_path("retrieval", "suite.json")
    return ["eval", suite, "--retriever-command", argv, *more]


@pytest.mark.parametrize("protocol", ["process", "jsonl"])
def test_the_shipped_suite_proves_the_ruler_and_not_the_retriever(
    program: Call, protocol: str
) -> None:
    code, report, _ = program(*example("--protocol", protocol))

    assert code == 1
    counts = [report["metrics"][key] for key in ("total", "measured", "failed")]
    assert counts == [7, 7, 0]
    assert report["metrics"]["recall_at_k"] == 5.5 / 7
    assert report["metrics"]["hit_at_k"] == 6 / 7
    assert "0.786" in report["gate"]["reason"]
    assert "0.800" in report["gate"]["reason"]
    assert report["retriever"].get("protocol", "process") == protocol


def test_both_ways_of_asking_give_the_same_figures(program: Call) -> None:
    reports = [
        program(*example("--protocol", protocol, "--jobs", jobs))[1]
        for protocol in ("process", "jsonl")
        for jobs in ("1", "3")
    ]
    for report in reports:
        del report["retriever"]

    assert all(report == reports[0] for report in reports)


def test_the_shipped_suite_passes_a_lower_gate(program: Call) -> None:
    assert program(*example("--min-recall", "0.75"))[0] == 0


def test_a_retriever_that_only_fails_has_no_figures(program: Call, python_argv: Argv) -> None:
    suite = example_path("retrieval", "suite.json")
    argv = python_argv("import sys; sys.exit(3)")
    code, report, _ = program("eval", suite, "--retriever-command", argv)

    assert code == 1
    assert report["metrics"] == {
        "total": 7,
        "measured": 0,
        "failed": 7,
        **dict.fromkeys(("hit_at_k", "recall_at_k", "precision_at_k", "mrr", "ndcg_at_k")),
    }
    assert "7 instrument failures" in report["gate"]["reason"]
    assert "0.0" not in report["gate"]["reason"]
    assert all("exit code 3" in case["error"] for case in report["cases"])


def test_the_recall_gate_is_exact(program: Call, put: Put, suite_of: Suite) -> None:
    """The mean of 1/3 and four times 2/3 is 3/5, which a sum of doubles misses."""
    cases = [(["a", "b", "c"], ["a"])] + [(["a", "b", "c"], ["a", "b"])] * 4
    name = put("s.json", suite_of(*cases))

    assert program("eval", name, "--min-recall", "0.6")[0] == 0
    assert program("eval", name, "--min-recall", "0.60000000000000000001")[0] == 1


@pytest.mark.parametrize(
    ("names", "options", "passed", "reason"),
    [
        (["one", "one"], [], True, "1.000"),
        (["one", "half"], [], False, "0.750"),
        (["one", "half"], ["--min-recall", "0.75"], True, "0.750"),
        (["none"], ["--min-recall", "0"], True, "0.000"),
        (["none"], ["--min-recall", "1e-9"], False, "0.000"),
    ],
)
def test_the_gate_compares_the_mean_recall(  # noqa: PLR0913, PLR0917 -- a table
    program: Call,
    put: Put,
    suite_of: Suite,
    names: list[str],
    options: list[str],
    passed: bool,
    reason: str,
) -> None:
    suite = put("s.json", suite_of(*(RECALLS[name] for name in names)))
    code, report, _ = program("eval", suite, *options)

    assert (code, report["gate"]["passed"]) == (0 if passed else 1, passed)
    assert reason in report["gate"]["reason"]


def test_failures_are_counted_apart_and_leave_the_mean(
    program: Call, put: Put, suite_of: Suite
) -> None:
    document = suite_of((["a"], ["a"]), (["a"], ["a", "a"]), (["a"], None))
    del document["cases"][2]["results"]
    name = put("s.json", document)
    code, report, _ = program("eval", name)

    assert code == 1
    assert report["gate"]["reason"] == "2 instrument failures, at most 0 allowed"
    assert report["metrics"]["recall_at_k"] == 1
    assert [case["status"] for case in report["cases"]] == ["measured"] + ["instrument-failure"] * 2
    assert "records no results" in report["cases"][2]["error"]
    assert program("eval", name, "--max-failures", "2")[0] == 0


def test_an_empty_answer_is_a_measured_zero(program: Call, put: Put, suite_of: Suite) -> None:
    _, report, _ = program("eval", put("s.json", suite_of((["a"], []), (["a"], ["a"]))))

    assert report["metrics"]["measured"] == 2
    assert report["metrics"]["recall_at_k"] == 0.5


def test_several_cuts_stand_under_by_k_and_the_first_is_the_gate_s(
    program: Call, put: Put, suite_of: Suite
) -> None:
    suite = put("s.json", suite_of((["a", "b"], ["x", "a", "b"])))
    code, report, _ = program("eval", suite, "-k", "2,1,3", "--min-recall", "0.5")

    assert (code, report["k"]) == (0, 2)
    assert list(report["by_k"]) == ["1", "2", "3"]
    assert [report["by_k"][k]["recall_at_k"] for k in "123"] == [0, 0.5, 1]
    (case,) = report["cases"]
    assert case["returned"] == ["x", "a"]
    assert case["relevant_hits"] == ["a"]
    assert case["metrics"] == case["by_k"]["2"]
    assert report["metrics"] == {"total": 1, "measured": 1, "failed": 0, **report["by_k"]["2"]}


def test_a_retriever_is_asked_for_the_largest_cut_and_told_nothing_else(
    program: Call, put: Put, suite_of: Suite, python_argv: Argv, workspace: Path
) -> None:
    document = suite_of((["a"], None))
    document["cases"][0].update(id="secret-id", query="caf\u00e9 \U0001f600\n?")
    argv = python_argv("import sys; open('seen', 'wb').write(sys.stdin.buffer.read()); print('[]')")
    program("eval", put("s.json", document), "--retriever-command", argv, "-k", "2,7")

    wanted = b'{"query": "caf\\u00e9 \\ud83d\\ude00\\n?", "k": 7}\n'
    assert (workspace / "seen").read_bytes() == wanted


HOSTILE = {
    "html": "print('<html><body>Sign in</body></html>')",
    "megabytes": "print('x' * 9_000_000)",
    "partial": "import sys; sys.stdout.write('[\"a\"')",
    "nothing": "pass",
    "blank": "print()",
    "crash": "import os; os._exit(9)",
    "two answers": "print('[\"a\"]'); print('[\"a\"]')",
    "chatter": "print('loading the index'); print('[\"a\"]')",
    "not utf-8": r"import sys; sys.stdout.buffer.write(b'[\"\xff\"]\n')",
    "deep": "print('[' * 100_000)",
}


@pytest.mark.parametrize("protocol", ["process", "jsonl"])
@pytest.mark.parametrize("code", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_retriever_is_counted_and_named(  # noqa: PLR0913, PLR0917 -- fixtures
    program: Call, put: Put, suite_of: Suite, python_argv: Argv, protocol: str, code: str
) -> None:
    suite = put("s.json", suite_of((["a"], None), (["a"], None)))
    if protocol == "jsonl":
        code = f"import sys\nfor line in sys.stdin:\n    {code}\n    sys.stdout.flush()"
    words = ["--retriever-command", python_argv(code), "--protocol", protocol]
    # One that stays and says nothing can only be told by its silence.
    timeout = "1" if protocol == "jsonl" else "20"
    status, report, problem = program("eval", suite, *words, "--timeout", timeout)

    assert (status, problem) == (1, "")
    assert report["metrics"]["failed"] == 2
    assert all(case["error"] and "\n" not in case["error"] for case in report["cases"])


@pytest.mark.parametrize("protocol", ["process", "jsonl"])
def test_a_retriever_that_never_ends_is_stopped(
    program: Call, put: Put, suite_of: Suite, python_argv: Argv, protocol: str
) -> None:
    suite = put("s.json", suite_of((["a"], None)))
    words = ["--retriever-command", python_argv("import time; time.sleep(60)")]
    _, report, _ = program("eval", suite, *words, "--protocol", protocol, "--timeout", "0.4")

    assert report["cases"][0]["error"] == "no answer within 0.4 s"


def test_control_a_retriever_that_answers_is_measured(
    program: Call, put: Put, suite_of: Suite, python_argv: Argv
) -> None:
    suite = put("s.json", suite_of((["a"], None)))

    assert program("eval", suite, "--retriever-command", python_argv("print('[\"a\"]')"))[0] == 0


def test_a_secret_on_standard_error_is_withheld(
    program: Call, put: Put, suite_of: Suite, python_argv: Argv
) -> None:
    argv = python_argv("import sys; sys.exit('x' + '_' + 'key=' + 'hunter2'.upper() * 3)")
    argv = argv.replace("'x' + '_'", "'api' + '_'")
    suite = put("s.json", suite_of((["a"], None)))
    _, report, _ = program("eval", suite, "--retriever-command", argv)

    assert "stderr withheld: secret-like text" in report["cases"][0]["error"]


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["-k", "0"], 2),
        (["-k", "-1"], 2),
        (["-k", "3,0"], 2),
        (["-k", "3,3"], 2),
        (["-k", "9" * 30], 2),
        (["-k", "abc"], 3),
        (["-k", ""], 3),
        (["-k", "3,"], 3),
        (["-k", "2.0"], 3),
        (["--min-recall", "nan"], 2),
        (["--min-recall", "1.1"], 2),
        (["--min-recall", "-0.1"], 2),
        (["--min-recall", "x"], 3),
        (["--max-failures", "-1"], 2),
        (["--max-failures", "1.5"], 3),
        (["--timeout", "0"], 2),
        (["--timeout", "inf"], 2),
        (["--timeout", "86401"], 2),
        (["--timeout", "abc"], 3),
        (["--jobs", "0"], 2),
        (["--protocol", "jsonl"], 2),
        (["--protocol", "grpc"], 3),
        (["--confidence", "1"], 2),
        (["--confidence", "0"], 2),
        (["--seed", "1"], 2),
        (["--resamples", "10"], 2),
        (["--confidence", "0.9", "--resamples", "0"], 2),
        (["--per-case", "absent/cases.jsonl"], 2),
        (["--per-case", "."], 2),
        (["--retriever-command", "python x"], 2),
        (["--retriever-command", ""], 2),
        (["--retriever-command", '["a", 1]'], 2),
        (["--bogus"], 3),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_bad_option_is_refused_before_anything_runs(
    program: Call, put: Put, suite_of: Suite, options: list[str], status: int
) -> None:
    code, report, problem = program("eval", put("s.json", suite_of((["a"], ["a"]))), *options)

    assert (code, report) == (status, None)
    assert problem.startswith("hpp: ")


def test_a_secret_in_the_command_is_refused_and_not_shown(
    program: Call, put: Put, suite_of: Suite
) -> None:
    argv = '["sh", "-c", "touch ran", "--token", "hunter2"]'
    suite = put("s.json", suite_of((["a"], None)))
    code, _, problem = program("eval", suite, "--retriever-command", argv)

    assert code == 2
    assert "hunter2" not in problem


def test_no_case_runs_when_the_suite_is_refused(
    program: Call, put: Put, suite_of: Suite, python_argv: Argv, workspace: Path
) -> None:
    document = suite_of((["a"], None), (["a", "a"], None))
    argv = python_argv("open('ran', 'w')")

    assert program("eval", put("s.json", document), "--retriever-command", argv)[0] == 2
    assert not (workspace / "ran").exists()


def test_intervals_are_added_on_request_and_state_their_seed(program: Call) -> None:
    words = example("-k", "3,1", "--confidence", "0.9", "--seed", "7", "--resamples", "200")
    report = program(*words)[1]
    again = program(*words)[1]

    assert report == again
    stated = report["confidence"]
    assert (stated["level"], stated["seed"], stated["resamples"]) == (0.9, 7, 200)
    for k in ("1", "3"):
        for name, (low, high) in stated["by_k"][k].items():
            assert low <= report["by_k"][k][name] <= high
    assert "confidence" not in program(*example())[1]


def test_intervals_without_a_measured_case_are_null(
    program: Call, put: Put, suite_of: Suite
) -> None:
    suite = put("s.json", suite_of((["a"], None)))
    report = program("eval", suite, "--confidence", "0.9")[1]

    assert report["confidence"]["by_k"] == {"3": None}


def test_every_case_can_be_written_as_a_line(program: Call, workspace: Path) -> None:
    report = program(*example("--per-case", "cases.jsonl"))[1]
    lines = (workspace / "cases.jsonl").read_bytes().decode().splitlines()

    assert [json.loads(line) for line in lines] == report["cases"]


@pytest.mark.parametrize(
    "options",
    [[], ["-k", "3,1"], ["--confidence", "0.9", "--resamples", "9"], ["--protocol", "jsonl"]],
    ids=" ".join,
)
def test_a_report_keeps_the_published_schema(
    program: Call, schema_faults: Callable[[str, object], list[str]], options: list[str]
) -> None:
    report = program(*example(*options))[1]

    assert schema_faults("retrieval-eval", report) == []
    report["metrics"]["mrr"] = 2
    assert schema_faults("retrieval-eval", report)


def test_a_report_of_failures_keeps_the_schema(
    program: Call,
    put: Put,
    suite_of: Suite,
    schema_faults: Callable[[str, object], list[str]],
) -> None:
    report = program("eval", put("s.json", suite_of((["a"], None))), "--confidence", "0.9")[1]

    assert schema_faults("retrieval-eval", report) == []


def test_the_name_of_the_command_may_be_written_out(
    program: Call, put: Put, suite_of: Suite
) -> None:
    suite = put("s.json", suite_of((["a"], ["a"])))

    assert program("retrieval", "eval", suite)[0] == program("eval", suite)[0] == 0
