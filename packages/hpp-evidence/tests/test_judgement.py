"""What a gate asks of records that it does not trust."""

from __future__ import annotations

import json
import pathlib
import shutil
import sys
from typing import Any

import pytest

from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.core.errors import RefusedError
from hpp.core.git import git
from hpp.core.schema import find_schema
from hpp.core.service import OWNERS, find_service
from hpp.evidence import snapshot
from hpp.evidence.attestation import create_attestation
from hpp.evidence.attestverify import verify_attestation
from hpp.evidence.judgement import judge_attestation, judge_record

Call = Any
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def _git(folder: pathlib.Path, *words: str) -> None:
    told = git(["-c", "user.name=t", "-c", "user.email=t@e.x", *words], cwd=str(folder))
    assert told.ok, told.stderr


@pytest.fixture
def tree(workspace: pathlib.Path) -> pathlib.Path:
    (workspace / "SPEC.md").write_bytes(b"# spec\n")
    _git(workspace, "init", "-q")
    _git(workspace, "add", "SPEC.md")
    _git(workspace, "commit", "-q", "-m", "one")
    return workspace


def _attested(output: str) -> pathlib.Path:
    create_attestation(
        repo=".",
        spec="SPEC.md",
        maker="m",
        checker="c",
        session="s",
        verdict="approved",
        output=output,
    )
    return pathlib.Path(output)


def _rehashed(source: pathlib.Path, target: pathlib.Path, **changes: object) -> str:
    record = {**json.loads(source.read_bytes()), **changes}
    covered = {k: v for k, v in record.items() if k not in ("record_sha256", "signature")}
    record["record_sha256"] = sha256_hex(canonical_bytes(covered))
    target.write_bytes(json.dumps(record).encode())
    return str(target)


def test_the_services_are_offered() -> None:
    for name, function in (
        ("attestation-judgement", judge_attestation),
        ("evidence-judgement", judge_record),
    ):
        assert OWNERS[name] == "hpp-evidence"
        assert find_service(name, "a test") is function


def test_a_record_may_hold_what_its_schema_knows() -> None:
    known = find_schema("evidence-attestation").document()["properties"]

    assert set(known) == snapshot._KEYS  # two lists that must agree


@pytest.mark.parametrize("place", [".hpp/package.json", "review.json"])
def test_a_file_that_is_more_than_a_record_is_part_of_the_snapshot(
    tree: pathlib.Path, tmp_path: pathlib.Path, place: str
) -> None:
    """Records are left out of it; one with a script in it would go unseen."""
    kept = tree / "review.json" if place == "review.json" else tree / ".hpp" / "review.json"
    kept = _attested(str(kept))
    copy = pathlib.Path(shutil.copy(kept, tmp_path.parent / f"{tmp_path.name}-kept.json"))
    assert verify_attestation(str(copy), repo=".")["status"] == "valid"
    pathlib.Path(".hpp").mkdir(exist_ok=True)

    _rehashed(copy, tree / place, session="other")
    assert verify_attestation(str(copy), repo=".")["status"] == "valid"
    _rehashed(copy, tree / place, scripts={"postinstall": "evil"})
    report = verify_attestation(str(copy), repo=".")

    copy.unlink()
    assert report["status"] == "blocked"
    assert "snapshot_digest" in report["mismatches"]
    assert place in report["added"]


def test_a_good_attestation_is_worth_its_report(tree: pathlib.Path) -> None:
    found = judge_attestation(str(_attested(".hpp/a.json")), str(tree))

    assert (found["status"], found["mismatches"]) == ("valid", [])
    assert (found["verdict"], found["checker"], found["spec"]) == ("approved", "c", "SPEC.md")


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"scripts": {}}, "keys"),
        ({"verdict": "revise"}, "verdict"),
        ({"actors": []}, "actors"),
        ({"spec": "SPEC.md"}, "spec_sha256"),
    ],
)
def test_what_is_wrong_is_named(tree: pathlib.Path, changes: dict[str, object], name: str) -> None:
    record = _attested(".hpp/a.json")

    found = judge_attestation(_rehashed(record, record, **changes), str(tree))

    assert found["status"] == "blocked"
    assert name in found["mismatches"]


def test_a_part_of_the_tree_is_not_the_tree(tree: pathlib.Path) -> None:
    record = _attested(".hpp/a.json")
    part = {**json.loads(record.read_bytes())["snapshot"], "paths": ["SPEC.md"]}

    found = judge_attestation(_rehashed(record, record, snapshot=part), str(tree))

    assert "scope" in found["mismatches"]


def test_a_record_tells_what_its_event_must_say(workspace: pathlib.Path, evidence: Call) -> None:
    words = ("--artifact", "x", "--", sys.executable, "-c", "open('x', 'w').close()")
    _, record, _ = evidence("run", "--id", "a", *words)
    path = str(workspace / record["record_path"])

    found = judge_record(path, str(workspace))

    assert (found["status"], found["files"]) == ("valid", 1)
    for name in ("id", "record_path", "record_sha256", "base_commit"):
        assert found[name] == record[name]
    pathlib.Path("x").write_bytes(b"y")
    assert judge_record(path, str(workspace))["status"] == "blocked"


def test_what_is_no_record_is_refused(workspace: pathlib.Path) -> None:
    (workspace / "a.json").write_bytes(b"{}")

    with pytest.raises(RefusedError, match="schema"):
        judge_record("a.json", str(workspace))
