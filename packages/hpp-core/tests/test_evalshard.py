from __future__ import annotations

import json
import os
import tempfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.evalshard import Shard, merge_shards
from hpp.core.evaluation import Evaluation, Run, run_cases
from hpp.core.suite import Suite, parse_suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., list[str]]


def replayed(outcomes: list[list[bool]]) -> Suite:
    cases = [
        {"id": f"c{number}", "runner": "replay", "outcomes": runs}
        for number, runs in enumerate(outcomes)
    ]
    return parse_suite(json.dumps({"version": "1", "cases": cases}).encode(), "s", "s", {})


def whole(suite: Suite, k: int, gate: str) -> dict[str, Any]:
    return Evaluation(
        Run.here(suite, k, gate), run_cases(suite.cases, k, lambda *_: None)
    ).document()


def part(suite: Suite, k: int, gate: str, shard: Shard) -> dict[str, Any]:
    results = run_cases(shard.pick(suite.cases), k, lambda *_: None)
    return shard.document(Run.here(suite, k, gate), results, len(suite.cases))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a writer of the shards of a suite of five cases, some of them changed."""

    def shards(count: int, **changes: Any) -> list[str]:  # noqa: ANN401 -- any JSON
        suite = replayed([[True], [False], [True, False], [True], [True]])
        paths = []
        for index in range(1, count + 1):
            document = part(suite, 2, "both", Shard(index, count))
            if index == count:
                for dotted, value in changes.items():
                    place: Any = document
                    *steps, last = dotted.split("__")
                    for step in steps:
                        place = place[int(step)] if isinstance(place, list) else place[step]
                    if isinstance(place, list):
                        place[int(last)] = value
                    else:
                        place[last] = value
            path = tmp_path / f"{index}.json"
            path.write_text(json.dumps(document), encoding="utf-8")
            paths.append(str(path))
        return paths

    return shards


@pytest.mark.parametrize("text", ["1/1", "2/5", "5/5", "10000/10000"])
def test_a_shard_is_named_by_two_numbers(text: str) -> None:
    shard = Shard.parse(text)

    assert f"{shard.index}/{shard.count}" == text


@pytest.mark.parametrize(
    "text", ["", "1", "/", "0/2", "3/2", "-1/2", "1/0", "a/b", "1/2/3", "1 /2", "1/10001", "²/3"]
)
def test_other_texts_name_none(text: str) -> None:
    with pytest.raises(RefusedError, match="--shard"):
        Shard.parse(text)


@given(st.integers(1, 40), st.integers(1, 50))
def test_every_case_is_in_one_shard_and_shards_are_of_one_size(total: int, count: int) -> None:
    places = [list(Shard(index, count).places(total)) for index in range(1, count + 1)]

    assert sorted(place for one in places for place in one) == list(range(total))
    assert max(map(len, places)) - min(map(len, places)) <= 1


@given(
    st.lists(st.lists(st.booleans(), min_size=1, max_size=4), min_size=1, max_size=8),
    st.permutations(range(1, 6)),
    st.integers(1, 4),
    st.sampled_from(["capability", "regression", "both"]),
)
def test_a_merge_is_an_unsharded_run(
    outcomes: list[list[bool]], order: list[int], k: int, gate: str
) -> None:
    suite, count = replayed(outcomes), len(order)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{index}.json") for index in order]
        for index, path in zip(order, paths, strict=True):
            with open(path, "w", encoding="utf-8") as stream:
                json.dump(part(suite, k, gate, Shard(index, count)), stream)

        assert merge_shards(paths).document() == whole(suite, k, gate)


def test_shards_of_several_platforms_name_them_all(write: Write) -> None:
    merged = merge_shards(write(2, platform__python="3.9.9")).document()

    assert merged["platform"]["python"].startswith("3.")
    assert "3.9.9" in merged["platform"]["python"].split(", ")


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"schema": "x"}, "2.json: schema: expected hpp.eval-shard/v1"),
        ({"k": 3}, "cases[0].outcomes: expected a list of 3"),
        ({"k": True}, "k: expected an integer"),
        ({"gate": "capability"}, "gate: it differs from that of"),
        ({"gate": "none"}, "gate: expected one of"),
        ({"suite__sha256": "0" * 64}, "suite: it differs from that of"),
        ({"suite__sha256": "0"}, "suite.sha256: expected 64 hex digits"),
        ({"suite": 1}, "suite: expected an object"),
        ({"platform": {}}, "platform: expected an object"),
        ({"platform__system": 1}, "platform.system: expected a text"),
        ({"shard": 1}, "shard: expected an object"),
        ({"shard__index": 1}, "cases: expected a list of 3"),
        ({"shard__index": 0}, "shard.index: expected an integer"),
        ({"shard__index": 3}, "shard: expected index <= count"),
        ({"shard__count": 20000}, "shard: expected index <= count"),
        ({"shard__total_cases": 4}, "shard.total_cases: it differs"),
        ({"cases": []}, "cases: expected a list of 2"),
        ({"cases__0": 1}, "cases[0]: expected an object"),
        ({"cases__0__id": " "}, "cases[0].id: expected a non-blank"),
        ({"cases__0__id": "c0"}, 'the case "c0" is in two shards'),
        ({"cases__0__outcomes": [True]}, "cases[0].outcomes: expected a list of 2"),
        ({"cases__0__outcomes": [True, 1]}, "cases[0].outcomes[1]: expected true or false"),
        ({"cases__0__reasons": ["passed"]}, "cases[0].reasons: expected a list of 2"),
        ({"cases__0__reasons": ["passed", 1]}, "cases[0].reasons[1]: expected a reason"),
        ({"cases__0__pass_at_k": True}, "cases[0].pass_at_k: it contradicts"),
        ({"cases__0__pass_caret_k": None}, "cases[0].pass_caret_k: it contradicts"),
    ],
)
def test_shards_that_do_not_belong_together_are_refused(
    write: Write, changes: dict[str, Any], what: str
) -> None:
    with pytest.raises(RefusedError) as refused:
        merge_shards(write(2, **changes))

    assert what in str(refused.value)


def test_a_missing_shard_and_one_that_is_given_twice_are_refused(write: Write) -> None:
    paths = write(3)

    with pytest.raises(RefusedError, match="1 of 3 shards are missing: 2"):
        merge_shards([paths[0], paths[2]])
    with pytest.raises(RefusedError, match=r"1\.json already"):
        merge_shards([*paths, paths[0]])


def test_control_whole_shards_are_merged(write: Write) -> None:
    assert len(merge_shards(write(5)).cases) == 5
