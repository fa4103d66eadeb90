from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.retrieval.suite import parse_suite, read_suite

if TYPE_CHECKING:
    from collections.abc import Callable

GOOD: dict[str, Any] = {
    "schema": "hpp.retrieval-suite/v1",
    "version": "1",
    "name": "n",
    "k": 3,
    "cases": [
        {"id": "a", "query": "q", "relevant": ["x"], "results": ["x"]},
        {"id": "b", "query": "q", "relevant": ["x", "y"]},
    ],
}
MISSING = object()


def parsed(document: object) -> Any:  # noqa: ANN401 -- a suite, whose parts are looked at
    return parse_suite(json.dumps(document).encode(), "s.json", default_name="s")


def changed(path: str, value: object) -> dict[str, Any]:
    document = copy.deepcopy(GOOD)
    holder: Any = document
    *steps, last = path.split(".")
    for step in steps:
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]
    key = int(last) if isinstance(holder, list) else last
    if value is MISSING:
        holder.pop(key)
    else:
        holder[key] = value
    return document


def test_a_suite_is_read() -> None:
    suite = parsed(GOOD)

    assert (suite.name, suite.version, suite.k) == ("n", "1", 3)
    assert [case.is_recorded for case in suite.cases] == [True, False]


def test_defaults_are_the_file_s_name_and_5(put: Callable[[str, object], str]) -> None:
    document = changed("name", MISSING)
    del document["k"]
    suite = read_suite(put("over/there.v2.json", document))

    assert (suite.name, suite.k) == ("there.v2", 5)


def test_other_keys_are_ignored_at_every_level() -> None:
    document = changed("cases.0.note", {"any": 1})

    assert parsed({**document, "more": [1]}).cases[0].id == "a"


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        ("schema", "x", "schema: expected hpp.retrieval-suite/v1"),
        ("schema", MISSING, "schema: expected"),
        ("version", 1, "version: expected a non-empty text, got an integer"),
        ("version", "", "version: expected a non-empty text, got an empty text"),
        ("version", MISSING, "version: expected a non-empty text, it is missing"),
        ("name", "", "name: expected"),
        ("name", None, "name: expected a non-empty text, got null"),
        ("k", 0, "k: expected an integer from 1 to 9007199254740991"),
        ("k", True, "k: expected an integer from 1 to 9007199254740991, got true"),
        ("k", 2.0, "k: expected an integer from 1 to 9007199254740991, got a number"),
        ("k", 2**53, "k: expected an integer from 1 to 9007199254740991"),
        ("k", None, "k: expected"),
        ("cases", [], "cases: expected a non-empty list, got an empty list"),
        ("cases", {}, "cases: expected"),
        ("cases.1", 7, "cases[1]: expected an object"),
        ("cases.1.id", "", "cases[1].id: expected a non-empty text"),
        ("cases.1.id", 7, "cases[1].id: expected"),
        ("cases.1.id", "a", 'cases[1].id: "a" is the id of cases[0] too'),
        ("cases.1.query", " \t\n", "cases[1].query: expected a text with a visible character"),
        ("cases.1.query", MISSING, "cases[1].query: expected"),
        ("cases.1.relevant", [], "cases[1].relevant: expected a non-empty list of ids"),
        ("cases.1.relevant", MISSING, "cases[1].relevant: expected"),
        ("cases.1.relevant", {"x": 2}, "cases[1].relevant: expected"),
        ("cases.1.relevant", ["x", "x"], 'cases[1].relevant[1]: "x" is repeated'),
        ("cases.1.relevant", ["x", 1], "cases[1].relevant[1]: expected a non-empty id"),
        ("cases.1.relevant", ["x", ""], "cases[1].relevant[1]: expected a non-empty id"),
        ("cases.1.relevant", [{"id": "x", "grade": 2}], "cases[1].relevant[0]: expected"),
    ],
)
def test_a_broken_rule_is_refused_with_its_place(path: str, value: object, fault: str) -> None:
    with pytest.raises(RefusedError) as caught:
        parsed(changed(path, value))

    assert str(caught.value).startswith(f"s.json: {fault}")


def test_a_secret_is_refused_under_the_case_s_name_and_not_shown() -> None:
    with pytest.raises(RefusedError, match=r'cases\[1\]\.query: .* in case "b"') as caught:
        parsed(changed("cases.1.query", "the password: hunter2"))

    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("query", ["how to reset a password", "token bucket", "key of C"])
def test_control_a_query_about_secrets_is_none(query: str) -> None:
    assert parsed(changed("cases.1.query", query))


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"\xff\xfe{\x00}\x00", b"[" * 100_000, b'{"schema": "x", "schema": "x"}'],
)
def test_what_is_no_json_object_is_refused(data: bytes) -> None:
    with pytest.raises(RefusedError, match=r"^s\.json: "):
        parse_suite(data, "s.json", default_name="s")


def test_a_byte_order_mark_is_skipped() -> None:
    assert parse_suite(b"\xef\xbb\xbf" + json.dumps(GOOD).encode(), "s", default_name="s").k == 3


VALUES: st.SearchStrategy[Any] = st.sampled_from(
    ["", " ", "x", "y", 0, 1, 2.0, True, None, [], ["x"], ["x", "x"], ["", "x"], [1], {}]
)
PATHS = st.sampled_from(
    [
        "schema",
        "version",
        "name",
        "k",
        "cases",
        "cases.0",
        "cases.0.id",
        "cases.1.query",
        "cases.1.relevant",
    ]
)


@settings(max_examples=150, deadline=None)
@given(path=PATHS, value=st.one_of(VALUES, st.just(MISSING)))
def test_schema_and_reader_agree(
    path: str, value: object, schema_faults: Callable[[str, object], list[str]]
) -> None:
    document = changed(path, value)
    try:
        parsed(document)
        refused = None
    except RefusedError as error:
        refused = str(error)

    if refused is not None and "is the id of" in refused:
        return  # which no schema can say
    assert bool(refused) == bool(schema_faults("retrieval-suite", document)), refused
