from __future__ import annotations

import copy
import json
import pathlib
from typing import Any

import pytest

from hpp.core.errors import RefusedError
from hpp.core.service import find_service
from hpp.evidence.pathname import stored, unstored
from hpp.evidence.record import self_hash
from hpp.evidence.verification import valid_record

WRITE = (
    "import os; os.makedirs('out'); open('out/a', 'w').write('x'); open('out/b', 'w').write('y')"
)
Call = Any


@pytest.fixture
def record(criterion: Call) -> dict[str, Any]:
    """Return the record of a pass with two artifacts."""
    printed = criterion(WRITE, "--artifact", "out/*")[1]
    made: dict[str, Any] = json.loads(pathlib.Path(printed["record_path"]).read_text("utf-8"))
    return made


@pytest.fixture
def verify(evidence: Call) -> Call:
    """Return a verifier of a record's object."""

    def call(document: dict[str, Any], *, rehash: bool = True) -> tuple[int, Any]:
        document = copy.deepcopy(document)
        if rehash:
            document["record_sha256"] = self_hash(document)
        pathlib.Path("r.json").write_text(json.dumps(document), encoding="utf-8")
        code, report, _ = evidence("verify", "r.json")
        return code, report

    return call


def test_a_copy_of_a_record_holds(record: dict[str, Any], verify: Call) -> None:
    assert verify(record, rehash=False)[0] == 0


def test_what_is_printed_beside_it_changes_nothing(record: dict[str, Any], verify: Call) -> None:
    extra = {"event": {"type": "x"}, "event_error": "y"}

    assert verify({**record, **extra}, rehash=False)[0] == 0


def test_every_field_is_covered_by_the_hash(record: dict[str, Any], verify: Call) -> None:
    for key in record.keys() - {"record_sha256", "schema"}:
        code, report = verify({**record, key: "edited"}, rehash=False)
        assert (code, report["changed"], report["missing"]) == (2, [], []), key
    for digest in (None, "", "0" * 64):
        assert verify({**record, "record_sha256": digest}, rehash=False)[0] == 2


def entry(**changes: object) -> list[dict[str, Any]]:
    base = {"path": "out/a", "size": 1, "sha256": "0" * 64}
    return [{"pattern": "out/*", "files": [{**base, **changes}]}]


CONTRADICTIONS: list[dict[str, Any]] = [
    {"verdict": "great"}, {"verdict": None}, {"verdict": ["passed"]}, {"exit_code": 1},
    {"exit_code": False}, {"exit_code": 0.0}, {"exit_code": None}, {"verdict": "timeout"},
    {"verdict": "failed"}, {"verdict": "failed", "exit_code": None},
    {"verdict": "could-not-start", "exit_code": 0}, {"verdict": "missing-artifacts"},
    {"missing": ["out/*"]}, {"missing": [1, "a"]}, {"missing": None}, {"missing": "x"},
    {"artifacts": None}, {"artifacts": [1]}, {"artifacts": [{}]}, {"artifacts": [{"pattern": 1}]},
    {"artifacts": [{"pattern": "p", "files": "x"}]},
    {"artifacts": [{"pattern": "p", "files": [1]}]},
    {"artifacts": [{"pattern": "p", "files": []}]}, {"artifacts": entry(size=-1)},
    {"artifacts": entry(size=True)}, {"artifacts": entry(size="1")}, {"artifacts": entry(size=1.0)},
    {"artifacts": entry(sha256="A" * 64)}, {"artifacts": entry(sha256="0" * 63)},
    {"artifacts": entry(sha256=None)}, {"artifacts": entry(path=1)}, {"artifacts": entry(path="")},
    {"artifacts": entry(path="/etc/hostname")}, {"artifacts": entry(path="../x")},
    {"artifacts": entry(path="a/../../x")}, {"artifacts": entry(path="a\\..\\x")},
    {"artifacts": entry(path="C:\\x")}, {"artifacts": entry(path="\\\\host\\x")},
    {"artifacts": entry(path="a\0b")}, {"artifacts": entry(path="x" * 5000)},
    {"artifacts": entry(path="x" * 256)}, {"artifacts": entry(path_encoding="other")},
    {"artifacts": entry(path="a\\q", path_encoding="escaped")},
]  # fmt: skip


@pytest.mark.parametrize("change", CONTRADICTIONS, ids=range(len(CONTRADICTIONS)))
def test_a_record_that_contradicts_itself_is_blocked(
    record: dict[str, Any], verify: Call, change: dict[str, Any]
) -> None:
    code, report = verify({**record, **change})

    assert (code, report["status"]) == (2, "blocked")
    assert report["problems"]
    assert (report["changed"], report["missing"]) == ([], [])


def test_each_artifact_is_measured_again(record: dict[str, Any], verify: Call) -> None:
    pathlib.Path("out/a").write_text("z", encoding="utf-8")  # of the same size
    pathlib.Path("out/b").unlink()

    code, report = verify(record)

    assert (code, report["changed"], report["missing"]) == (2, ["out/a"], ["out/b"])


def test_a_size_that_lies_is_seen(record: dict[str, Any], verify: Call) -> None:
    record["artifacts"][0]["files"][0]["size"] = 99

    assert verify(record)[1]["changed"] == ["out/a"]


def test_a_folder_in_place_of_an_artifact_is_missing(record: dict[str, Any], verify: Call) -> None:
    pathlib.Path("out/a").unlink()
    pathlib.Path("out/a").mkdir()

    assert verify(record)[1]["missing"] == ["out/a"]


@pytest.mark.parametrize("text", ["[]", "{", '{"schema":"other"}', "{}", '{"a":1,"a":1}', ""])
def test_what_is_no_record_is_refused_without_a_report(evidence: Call, text: str) -> None:
    pathlib.Path("r.json").write_text(text, encoding="utf-8")

    code, report, err = evidence("verify", "r.json")

    assert (code, report) == (2, None)
    assert "r.json" in err


def test_a_signature_is_named_and_claimed_by_nobody(record: dict[str, Any], verify: Call) -> None:
    _, report = verify({**record, "signature": {"signer": "anna"}})

    assert report["signature"] == {"status": "not-verified", "signer": "anna"}
    assert verify(record)[1]["signature"] == {"status": "not-signed"}


@pytest.mark.parametrize(
    ("path", "name", "is_escaped"),
    [("a/é", "a/é", False), ("a\\b", "a\\b", False), ("a\udce9\\", "a\\xe9\\\\", True)],
)
def test_a_name_survives_the_way_into_a_record_and_back(
    path: str, name: str, is_escaped: bool
) -> None:
    assert stored(path) == (name, is_escaped)
    assert unstored(name, escaped=is_escaped) == path


def test_control_a_verifier_that_read_nothing_would_be_seen(
    record: dict[str, Any], verify: Call
) -> None:
    pathlib.Path("out/a").write_text("changed", encoding="utf-8")

    assert verify(record)[0] == 2


def test_another_family_gets_a_record_that_is_valid_now_and_no_other(
    record: dict[str, Any],
) -> None:
    assert valid_record(record["record_path"], ".") == record

    pathlib.Path("out/a").write_text("edited", encoding="utf-8")
    with pytest.raises(RefusedError, match=r"it verifies as blocked: .*out/a"):
        valid_record(record["record_path"], ".")


def test_the_service_is_offered_by_this_distribution() -> None:
    assert find_service("evidence-record", "--evidence") is valid_record


def test_a_failed_run_is_no_record_for_another_family(criterion: Call) -> None:
    printed = criterion("raise SystemExit(3)")[1]

    with pytest.raises(RefusedError, match="it verifies as not-evidence"):
        valid_record(printed["record_path"], ".")
