from __future__ import annotations

import hashlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.errors import RefusedError
from hpp.decide.suite import Suite, parse_suite, read_suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Make = Callable[..., dict[str, Any]]
    Put = Callable[[str, object], str]


def parse(document: object) -> Suite:
    return parse_suite(json.dumps(document).encode(), "s.json", "stem")


def test_what_is_absent_has_a_default(suite: Make, case: Make, put: Put, workspace: Path) -> None:
    put("labels.v1.json", suite(case("x", "low", None)))

    read = read_suite("labels.v1.json")

    assert (read.name, read.version, read.confidence_floor) == ("labels.v1", None, 0.6)
    data = (workspace / "labels.v1.json").read_bytes()
    assert read.sha256 == hashlib.sha256(data).hexdigest()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every file name is Unicode")
def test_a_file_name_that_is_no_utf8_gives_a_name_that_is(
    suite: Make, case: Make, workspace: Path
) -> None:
    name = os.fsdecode(b"caf\xe9.json")
    (workspace / name).write_text(json.dumps(suite(case("x", "low", None))))

    assert read_suite(name).name.encode("utf-8")
    with pytest.raises(UnicodeEncodeError):  # the control: as it stands, no report can hold it
        name.encode("utf-8")


def test_what_is_given_is_kept_and_the_rest_ignored(suite: Make, case: Make) -> None:
    entry = {**case("x", "abstain", None), "stratum": "s", "count": 3}
    read = parse(suite(entry, name="", version="2", confidence_floor=None, note="n"))

    assert (read.name, read.version, read.confidence_floor) == ("", "2", None)
    assert [(c.id, c.expected, c.state) for c in read.cases] == [("x", "abstain", "x")]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"schema": "x"}, "schema: expected"),
        ({"question__kind": "score"}, "question.kind: expected"),
        ({"cases": []}, "cases: expected a list of 1 or more cases, got an empty list"),
        ({"cases": {}}, "cases: expected a list of 1 or more cases"),
        ({"cases__0": 7}, r"cases\[0\]: expected an object, got 7"),
        ({"cases__0__id": ""}, r"cases\[0\].id: expected a non-empty text"),
        ({"cases__1__id": "x"}, r'cases\[1\].id: "x" is the id of case 0 already'),
        ({"cases__0__state": 7}, r"cases\[0\].state: expected a text, got 7"),
        ({"cases__1__expected": None}, r"cases\[1\].expected: expected one of low"),
        ({"cases__1__expected": "none"}, r"cases\[1\].expected: expected one of low"),
        ({"cases__1__expected": ["low"]}, r"cases\[1\].expected: expected one of low"),
        ({"name": None}, "name: expected a text"),
        ({"version": 1}, "version: expected a text"),
        ({"confidence_floor": 1.1}, "confidence_floor: expected a number from 0 to 1"),
        ({"confidence_floor": "0.6"}, "confidence_floor: expected a number from 0 to 1"),
    ],
)
def test_a_broken_rule_is_named(
    suite: Make, case: Make, changed: Make, changes: dict[str, Any], told: str
) -> None:
    made = changed(suite(case("x", "low", None), case("y", "high", None)), changes)

    with pytest.raises(RefusedError, match=f"^s.json: {told}"):
        parse(made)


@pytest.mark.parametrize("key", ["id", "state", "expected"])
def test_a_case_has_all_three(
    suite: Make, case: Make, changed: Make, dropped: object, key: str
) -> None:
    made = changed(suite(case("x", "low", None)), {f"cases__0__{key}": dropped})

    with pytest.raises(RefusedError, match=rf"cases\[0\].{key}: .* it is missing"):
        parse(made)


def test_a_state_that_looks_like_a_secret_refuses_all_and_names_the_case(
    suite: Make, case: Make
) -> None:
    secret = {**case("b", "low", None), "state": "then password: hunter2 was typed"}

    with pytest.raises(RefusedError) as caught:
        parse(suite(case("a", "low", None), secret))

    told = str(caught.value)
    assert told == 's.json: cases[1].state: secret-like text (assignment) in case "b"'


def test_control_a_state_about_secrets_is_read(suite: Make, case: Make) -> None:
    parse(suite({**case("b", "low", None), "state": "our secret sauce; no password involved"}))
