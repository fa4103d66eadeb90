from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.coverage import citation_coverage, execution_coverage
from hpp.core.junit import Case, Report, read_report
from hpp.core.testsource import Citation, Source, find_sources, read_source
from hpp.core.workspec import WorkSpec, parse_spec

if TYPE_CHECKING:
    from pathlib import Path

PASSED = ""


@pytest.fixture
def spec() -> WorkSpec:
    """Return a spec with the criteria p/b and p/m."""
    acceptance = [{"id": "m", "text": "members"}, {"id": "b", "text": "bulk"}]
    unit = {"id": "p", "tier": "economy", "acceptance": acceptance}
    return parse_spec({"work": [unit]}, "s")


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def executed(
    stage: Path, spec: WorkSpec, sources: dict[str, str], cases: list[tuple[str, str, str]]
) -> dict[str, Any]:
    for name, text in sources.items():
        write(stage / name, text)
        os.utime(stage / name, (1000, 1000))
    inner = "".join(
        f'<testcase classname="{where}" name="{name}">{ending}</testcase>'
        for where, name, ending in cases
    )
    write(stage / "j.xml", f"<testsuite>{inner}</testsuite>")
    os.utime(stage / "j.xml", (2000, 2000))
    found = [read_source(path) for path in find_sources(sorted(sources))]
    return execution_coverage(spec, found, [read_report("j.xml")])


def outcome(result: dict[str, Any], criterion: str = "p/m") -> list[str]:
    for verdict in ("executed", "failed", "cited_not_run"):
        for entry in result[verdict]:
            if entry["id"] == criterion:
                return [verdict, *(test["outcome"] for test in entry["tests"])]
    return []


TEST_M = 'def test_m():\n    """[spec: p/m]"""\n'
TEST_B = 'def test_b():\n    """[spec: p/b]"""\n'


def test_what_is_cited_is_told_by_file(stage: Path, spec: WorkSpec) -> None:
    write(stage / "t" / "b.py", TEST_M)
    write(stage / "t" / "a.py", TEST_M + '"""[spec: p/no]"""')
    write(stage / "t" / "c.py", '"""[spec: p/zz] [spec: zz]"""')

    result = citation_coverage(spec, [read_source(path) for path in find_sources(["t"])])

    assert result == {
        "schema": "hpp.spec-coverage/v1",
        "criteria": 2,
        "covered": [{"id": "p/m", "sources": ["t/a.py", "t/b.py"]}],
        "orphans": ["p/b"],
        "unknown": [
            {"id": "malformed:zz", "sources": ["t/c.py"]},
            {"id": "p/zz", "sources": ["t/c.py"]},
        ],
        "sources": 3,
        "complete": False,
    }


def test_a_run_of_every_citing_test_is_complete(stage: Path, spec: WorkSpec) -> None:
    cases = [("t.x", "test_m[1-a]", PASSED), ("t.x", "test_m[2]", PASSED), ("t.x", "test_b", "")]

    result = executed(stage, spec, {"t/x.py": TEST_M + TEST_B}, cases)

    assert result["complete"]
    assert (result["junit_testcases"], result["matched_testcases"]) == (3, 3)
    assert result["reports"][0]["mtime"] == 2000
    assert result["executed"][0] == {
        "id": "p/b",
        "tests": [{"test": "t/x.py::test_b", "outcome": "passed"}],
    }


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        ([("t.x", "test_m", "<failure/>")], ["failed", "failed"]),
        ([("t.x", "test_m", "<error/>")], ["failed", "failed"]),
        ([("t.x", "test_m", ""), ("t.x", "test_m", "<failure/>")], ["failed", "failed"]),
        ([("t.x", "test_m", "<skipped/>")], ["cited_not_run", "skipped"]),
        ([("t.x", "test_m", "<skipped/>"), ("t.x", "test_m[1]", "")], ["executed", "passed"]),
        ([], ["cited_not_run", "not-in-junit"]),
        ([("t.y", "test_m", "")], ["cited_not_run", "not-in-junit"]),
        ([("", "test_m", "")], ["cited_not_run", "not-in-junit"]),
        ([("t.x", "test_mm", "")], ["cited_not_run", "not-in-junit"]),
        ([("tt.x", "test_m", "")], ["cited_not_run", "not-in-junit"]),
        ([("t.x.TestA", "test_m", "")], ["cited_not_run", "not-in-junit"]),
        ([("x", "test_m", "")], ["executed", "passed"]),
        ([("repo.t.x", "test_m", "")], ["executed", "passed"]),
        ([("a.t.x", "test_m", ""), ("b.t.x", "test_m", "")], ["cited_not_run", "ambiguous"]),
        ([("x", "test_m", ""), ("a.t.x", "test_m", "")], ["cited_not_run", "ambiguous"]),
    ],
)
def test_the_outcome_of_a_test_follows_from_its_cases(
    stage: Path, spec: WorkSpec, cases: list[tuple[str, str, str]], expected: list[str]
) -> None:
    assert outcome(executed(stage, spec, {"t/x.py": TEST_M}, cases)) == expected


def test_a_method_is_run_by_cases_of_its_class(stage: Path, spec: WorkSpec) -> None:
    text = 'class TestA:\n  class TestB:\n    def test_m(self):\n      """[spec: p/m]"""\n'
    for where, expected in [
        ("t.x.TestA.TestB", "passed"),
        ("x.TestA.TestB", "passed"),
        ("r.t.x.TestA.TestB", "passed"),
        ("TestA.TestB", "not-in-junit"),
        ("t.x.TestB", "not-in-junit"),
        ("t.x", "not-in-junit"),
    ]:
        result = executed(stage, spec, {"t/x.py": text}, [(where, "test_m", "")])

        assert outcome(result)[1:] == [expected], where


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{TEST_M}{TEST_M.replace('p/m', '')}", "shadowed"),
        ('"""[spec: p/m]"""\ndef test_m(): pass', "not-a-test"),
        ('class test_m:\n    """[spec: p/m]"""', "not-a-test"),
        ('def f():\n    def test_m():\n        """[spec: p/m]"""', "not-in-junit"),
    ],
    ids=["shadowed", "module", "class", "nested"],
)
def test_a_definition_that_no_runner_runs_executes_nothing(
    stage: Path, spec: WorkSpec, text: str, expected: str
) -> None:
    result = executed(stage, spec, {"t/x.py": text}, [("t.x", "test_m", "")])

    assert outcome(result) == ["cited_not_run", expected]
    assert result["matched_testcases"] == 0


def test_one_failure_outweighs_a_pass_elsewhere(stage: Path, spec: WorkSpec) -> None:
    sources = {"t/x.py": TEST_M, "t/y.py": TEST_M}
    cases = [("t.x", "test_m", ""), ("t.y", "test_m", "<failure/>")]

    result = executed(stage, spec, sources, cases)

    assert outcome(result) == ["failed", "passed", "failed"]


def test_a_source_that_is_newer_than_a_report_is_stale(stage: Path, spec: WorkSpec) -> None:
    sources = {"t/x.py": TEST_M + TEST_B, "t/helper.py": ""}
    cases = [("t.x", "test_m", ""), ("t.x", "test_b", "")]
    assert executed(stage, spec, sources, cases)["complete"]
    for name in sources:
        os.utime(stage / name, (3000, 3000))

    found = [read_source(path) for path in find_sources(["t"])]
    result = execution_coverage(spec, found, [read_report("j.xml")])

    assert result["stale_sources"] == ["t/x.py"]  # what cites nothing may change
    assert not result["complete"]


PART = st.sampled_from(["a", "b", "A"])


@given(
    st.lists(st.lists(PART, min_size=1, max_size=3), min_size=1, max_size=4),
    st.lists(st.lists(PART, max_size=4), max_size=5),
)
def test_matching_is_that_of_the_rule_written_out(
    modules: list[list[str]], classnames: list[list[str]]
) -> None:
    sources = []
    for number, module in enumerate(modules):
        source = Source("", "/".join(module) + f"/m{number}.py", 0)
        source.name = "/".join(module) + ".py"
        citation = Citation(source, ["p/m"])
        citation.names, citation.is_function = ("test_m",), True
        source.citations = [citation]
        sources.append(source)
    cases = [Case("test_m", ".".join(parts)) for parts in classnames]
    spec = parse_spec(
        {"work": [{"id": "p", "tier": "economy", "acceptance": [{"id": "m", "text": "m"}]}]}, "s"
    )

    result = execution_coverage(spec, sources, [Report("j", "", 0, cases)])

    told = sorted((s.citations[0].key, _by_the_rule(s.module, cases)) for s in sources)
    tests = [
        t for v in ("executed", "failed", "cited_not_run") for e in result[v] for t in e["tests"]
    ]
    assert [(test["test"], test["outcome"]) for test in tests] == told


def _by_the_rule(module: str, cases: list[Case]) -> str:
    named = {
        case.classname
        for case in cases
        if case.classname
        and (
            case.classname == module
            or case.classname.endswith("." + module)
            or module.endswith("." + case.classname)
        )
    }
    if len(named) > 1:
        return "ambiguous"
    return "passed" if named else "not-in-junit"


def test_control_the_rule_written_out_tells_modules_apart() -> None:
    assert _by_the_rule("a.b", [Case("test_m", "a.b")]) == "passed"
    assert _by_the_rule("a.b", [Case("test_m", "ab")]) == "not-in-junit"
