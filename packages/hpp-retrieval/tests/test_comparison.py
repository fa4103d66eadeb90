from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., tuple[int, Any, str]]
    Put = Callable[[str, object], str]

RELEVANT = ["a", "b"]
BOTH, ONE, NONE, FAILED = ["a", "b"], ["x", "a"], ["x"], ["x", "x"]


@pytest.fixture
def report(program: Call, put: Put) -> Callable[..., str]:
    """Return a maker of reports; the labels are those of one suite, the answers differ."""

    def make(name: str, answers: list[list[str]], k: str = "2,1") -> str:
        cases = [
            {"id": f"c{number}", "query": "q", "relevant": RELEVANT, "results": answer}
            for number, answer in enumerate(answers)
        ]
        document = {"schema": "hpp.retrieval-suite/v1", "version": "1", "cases": cases}
        measured = program("eval", put("s.json", document), "-k", k)[1]
        measured["suite"]["sha256"] = "0" * 64  # one suite, measured through two retrievers
        return put(name, measured)

    return make


def test_what_moved_is_told_with_its_test(program: Call, report: Callable[..., str]) -> None:
    a = report("a.json", [BOTH, ONE, NONE, BOTH])
    b = report("b.json", [BOTH, BOTH, NONE, NONE])
    code, compared, _ = program("compare", a, b)

    assert code == 0
    recall = compared["metrics"]["recall_at_k"]
    assert (recall["a"], recall["b"], recall["difference"]) == (0.625, 0.5, -0.125)
    assert (recall["better"], recall["worse"], recall["equal"]) == (1, 1, 2)
    assert (recall["p_value"], recall["method"]) == (1.0, "exact")
    assert [case["id"] for case in compared["moved"]] == ["c3", "c1"]
    assert compared["moved"][0]["difference"]["recall_at_k"] == -1
    assert compared["verdict"]["worse"] is False


def test_a_loss_beyond_chance_is_a_warning(program: Call, report: Callable[..., str]) -> None:
    a, b = report("a.json", [BOTH] * 6), report("b.json", [NONE] * 6)
    code, compared, _ = program("compare", a, b)

    assert (code, compared["verdict"]["worse"]) == (1, True)
    assert compared["metrics"]["recall_at_k"]["p_value"] == 2 / 64
    assert program("compare", a, b, "--alpha", "0.01")[0] == 0
    assert program("compare", b, a)[0] == 0
    assert program("compare", a, a)[0] == 0


def test_a_failure_on_either_side_leaves_the_pairs(
    program: Call, report: Callable[..., str]
) -> None:
    a = report("a.json", [FAILED, BOTH, BOTH])
    b = report("b.json", [BOTH, FAILED, ONE])
    compared = program("compare", a, b)[1]

    assert (compared["a"]["failed"], compared["b"]["failed"]) == (["c0"], ["c1"])
    assert compared["paired"] == 1
    assert [case["id"] for case in compared["moved"]] == ["c2"]


def test_nothing_in_common_is_a_warning(
    program: Call,
    report: Callable[..., str],
    schema_faults: Callable[[str, object], list[str]],
) -> None:
    code, compared, _ = program("compare", report("a.json", [FAILED]), report("b.json", [BOTH]))

    assert code == 1
    assert compared["metrics"]["mrr"]["p_value"] is None
    assert compared["verdict"]["reason"] == "no case was measured in both"
    assert schema_faults("retrieval-comparison", compared) == []


def test_another_cut_of_both_can_be_compared(program: Call, report: Callable[..., str]) -> None:
    a, b = report("a.json", [BOTH]), report("b.json", [ONE])
    compared = program("compare", a, b, "-k", "1")[1]

    assert compared["k"] == 1
    assert compared["metrics"]["hit_at_k"]["difference"] == -1
    assert program("compare", a, b, "-k", "9")[0] == 2


def test_the_test_is_the_same_every_time(
    program: Call,
    report: Callable[..., str],
    schema_faults: Callable[[str, object], list[str]],
) -> None:
    a = report("a.json", [ONE, BOTH, NONE] * 9)
    b = report("b.json", [BOTH, NONE, ONE] * 9)
    first = program("compare", a, b, "--seed", "3", "--samples", "500")[1]

    assert first == program("compare", a, b, "--seed", "3", "--samples", "500")[1]
    assert first["test"] == {
        "name": "paired randomization test, two-sided",
        "alpha": 0.05,
        "samples": 500,
        "seed": 3,
    }
    assert first["metrics"]["recall_at_k"]["method"] == "sampled"
    assert schema_faults("retrieval-comparison", first) == []


def edited(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"schema": "x"}, "schema: expected hpp.retrieval-eval/v1"),
        ({"cases": {}}, "cases: expected a list"),
        ({"cases": [7]}, r"cases\[0\]: expected an object with an id"),
        ({"cases": [{"id": "c0", "metrics": {}}]}, r"cases\[0\]\.metrics\.hit_at_k: expected"),
        ({"cases": [{"id": "c0", "metrics": 7}]}, r"cases\[0\]\.metrics: expected an object"),
        ({"cases": [{"id": "c0"}, {"id": "c0"}]}, r'cases\[1\]\.id: "c0" is repeated'),
        ({"cases": [{"id": "other"}]}, "cases: they are not those of a.json"),
        ({"suite": 7}, "suite: expected an object"),
        ({"suite": {"sha256": 7}}, "suite.sha256: expected a text"),
        ({"suite": {"sha256": "1"}}, "suite.sha256: it is not the suite of a.json"),
        ({"k": None}, "k: expected an integer"),
        ({"k": 1}, "k: 1, and a.json has 2"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    program: Call,
    report: Callable[..., str],
    workspace: Path,
    changes: dict[str, object],
    fault: str,
) -> None:
    a, b = report("a.json", [BOTH]), report("b.json", [ONE])
    edited(workspace / "b.json", **changes)
    code, compared, problem = program("compare", a, b)

    assert (code, compared) == (2, None)
    assert re.search(rf"^hpp: b\.json: {fault}", problem)


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--alpha", "2"], 2),
        (["--samples", "0"], 2),
        (["-k", "0"], 2),
        (["--alpha", "x"], 3),
        (["absent.json"], 3),
    ],
)
def test_a_bad_option_is_refused(
    program: Call, report: Callable[..., str], options: list[str], status: int
) -> None:
    a = report("a.json", [BOTH])

    assert program("compare", a, a, *options)[0] == status


def test_control_a_missing_report_is_refused(program: Call, report: Callable[..., str]) -> None:
    assert program("compare", report("a.json", [BOTH]), "absent.json")[0] == 2
