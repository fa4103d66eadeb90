"""The published schemas of inputs say what their loaders say, and results fit their own."""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from hpp.core.context import compile_blocks, parse_blocks
from hpp.core.control import Control
from hpp.core.coverage import citation_coverage
from hpp.core.errors import RefusedError
from hpp.core.evalshard import Shard, check_shard
from hpp.core.evaluation import Evaluation, Run, run_cases
from hpp.core.schema import find_schema
from hpp.core.suite import parse_suite
from hpp.core.taskfile import parse_tasks
from hpp.core.testsource import Source
from hpp.core.workgraph import compile_spec
from hpp.core.workspec import parse_spec

if TYPE_CHECKING:
    from collections.abc import Callable

SPEC = {
    "done_gate": ["clean_worktree"],
    "work": [
        {"id": "a", "acceptance": ["one", {"text": "two", "id": "x.1"}], "tier": "economy"},
        {
            "id": "b",
            "depends_on": ["a"],
            "acceptance": ["é"],
            "tier": "frontier",
            "gate": ["review_ready"],
        },
    ],
}
BLOCKS = [
    {"source": "a", "priority": 1, "content": "x"},
    {"source": "b", "priority": -1, "content": ""},
]
SUITE = {
    "version": "1",
    "name": "n",
    "cases": [
        {"id": "a", "runner": "replay", "outcomes": [True, False]},
        {"id": "b", "runner": "command", "command": ["x", ""], "timeout": 2.5},
        {"id": "known", "runner": "hpp-control"},
    ],
}
KNOWN = {"known": Control(lambda: lambda: True)}
JUNK = st.sampled_from(
    [None, True, 0, -1, 1, 2**53, 1.5, "", " ", "a", "a b", "é", "x/y", "economy", "replay", [], {},
     [""], ["a"], ["a", "a"], [1], [True], [["a"]], ["review_ready"], {"text": "t"}, {"text": " "},
     {"text": "t", "id": "ok"}, {"text": "t", "id": "a b"}, {"id": "b"}, "command", "a\0", ["a\0"]]
)  # fmt: skip
# What a schema cannot say: it holds between places of a document, or in another one.
BEYOND = re.compile(
    r"duplicate|exists already|unknown dependency|dependency cycle|no letter or digit|"
    r"no control is named|secret-like|expected a list of \d|contradicts|index <= count"
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:  # noqa: ANN401
    found = [path]
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        found += places(inner, (*path, key))
    return found


@st.composite
def mutated(draw: st.DrawFn, document: Any) -> Any:  # noqa: ANN401 -- any JSON
    value = copy.deepcopy(document)
    for _ in range(draw(st.integers(0, 2))):
        path = draw(st.sampled_from([place for place in places(value) if place]))
        parent = value
        for step in path[:-1]:
            parent = parent[step]
        if isinstance(parent, dict) and draw(st.booleans()):
            del parent[path[-1]]
        else:
            parent[path[-1]] = copy.deepcopy(draw(JUNK))
        if not any(places(value)):
            break
    return value


def refusal(load: Callable[[Any], object], document: Any) -> str | None:  # noqa: ANN401
    try:
        load(document)
    except RefusedError as error:
        return str(error)
    return None


def agree(name: str, document: Any, load: Callable[[Any], object]) -> None:  # noqa: ANN401
    accepted = Draft202012Validator(find_schema(name).document()).is_valid(document)

    refused = refusal(load, document)

    assert accepted == (refused is None) or (refused and BEYOND.search(refused)), refused


@given(mutated(SPEC))
def test_a_work_spec_has_one_verdict(document: Any) -> None:  # noqa: ANN401
    agree("work-spec", document, lambda spec: compile_spec(parse_spec(spec, "s")))


@given(mutated(BLOCKS))
def test_context_blocks_have_one_verdict(document: Any) -> None:  # noqa: ANN401
    agree("context-input", document, lambda blocks: parse_blocks(blocks, "c"))


@given(mutated(SUITE))
def test_an_eval_suite_has_one_verdict(document: Any) -> None:  # noqa: ANN401
    agree(
        "eval-suite",
        document,
        lambda suite: parse_suite(json.dumps(suite).encode(), "s", "s", KNOWN),
    )


def shard() -> dict[str, Any]:
    suite = parse_suite(json.dumps({**SUITE, "cases": SUITE["cases"][:1]}).encode(), "s", "s", {})
    results = run_cases(suite.cases, 2, lambda *_: None)
    return Shard(1, 1).document(Run.here(suite, 2, "both"), results, 1)


@given(mutated(shard()))
def test_a_shard_has_one_verdict(document: Any) -> None:  # noqa: ANN401
    agree("eval-shard", document, lambda found: check_shard(found, "s"))


def test_results_fit_their_schemas() -> None:
    graph = compile_spec(parse_spec(copy.deepcopy(SPEC), "s"))
    suite = parse_suite(json.dumps({**SUITE, "cases": SUITE["cases"][:1]}).encode(), "s", "s", {})
    run = Run.here(suite, 2, "both")
    results = run_cases(suite.cases, 2, lambda *_: None)
    documents = {
        "work-plan": graph.plan_document(),
        "work-waves": graph.waves_document(),
        "work-import": parse_tasks("- [x] T1 [US1] a\n- [ ] x\n").document("economy"),
        "spec-coverage": citation_coverage(graph.spec, [Source("t.py", "t.py", 0)]),
        "context": compile_blocks(parse_blocks(BLOCKS, "c"), 1).document(),
        "eval-result": Evaluation(run, results).document(),
        "eval-shard": Shard(1, 1).document(run, results, 1),
    }

    for name, document in documents.items():
        schema = find_schema(name).document()
        found = [error.message for error in Draft202012Validator(schema).iter_errors(document)]
        assert found == [], name
        assert not Draft202012Validator(schema).is_valid(
            {**document, "schema": 1, "k": 0, "used": -1}
        )


@pytest.mark.parametrize("name", ["work-spec", "eval-suite"])
def test_control_an_empty_document_fits_no_input(name: str) -> None:
    assert not Draft202012Validator(find_schema(name).document()).is_valid({})
