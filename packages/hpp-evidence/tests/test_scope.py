from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.git import git
from hpp.core.schema import faults, find_schema
from hpp.evidence.attestation import self_hash
from hpp.evidence.scope import Scope, digest_of

if TYPE_CHECKING:
    import pathlib

Call = Any
WHO = ["-c", "user.name=t", "-c", "user.email=t@e.x", "-c", "commit.gpgSign=false"]
FILES = ("SPEC.md", "api/a.py", "api/deep/b.py", "api-docs/c.md", "web/d.js")
WORDS = ["--spec", "SPEC.md", "--maker", "m", "--checker", "c", "--session", "s"]
WORDS += ["--verdict", "approved", "--output", ".hpp/a.json"]


def _commit(folder: pathlib.Path) -> None:
    for words in (["add", "."], [*WHO, "commit", "-q", "-m", "more"]):
        assert git(words, cwd=str(folder)).ok


@pytest.fixture
def tree(workspace: pathlib.Path) -> pathlib.Path:
    for name in FILES:
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_bytes(name.encode())
    assert git(["init", "-q"], cwd=str(workspace)).ok
    _commit(workspace)
    return workspace


@pytest.fixture
def create(evidence: Call) -> Call:
    def call(*paths: str) -> tuple[int, Any, str]:
        answer: tuple[int, Any, str] = evidence("attest", "create", *WORDS, "--paths", *paths)
        return answer

    return call


@pytest.fixture
def report(evidence: Call) -> Call:
    def call() -> dict[str, Any]:
        code, answer, _ = evidence("attest", "verify", ".hpp/a.json")
        assert code == (0 if answer["status"] == "valid" else 2)
        assert faults(find_schema("attestation-verification").document(), answer) == []
        found: dict[str, Any] = answer
        return found

    return call


def test_a_scope_holds_its_files_and_knows_the_rest(
    tree: pathlib.Path, create: Call, report: Call
) -> None:
    code, answer, _ = create("api", "./web/../web/d.js")

    assert code == 0
    assert answer["snapshot"]["paths"] == ["api", "web/d.js"]
    assert "entries" not in answer["snapshot"]
    assert "entries" not in answer["snapshot"]["outside"]
    record = json.loads((tree / ".hpp/a.json").read_bytes())
    assert faults(find_schema("evidence-attestation").document(), record) == []
    snapshot = record["snapshot"]
    inside = [entry["path"] for entry in snapshot["entries"]]
    assert inside == ["api/a.py", "api/deep/b.py", "web/d.js"]
    assert [e["path"] for e in snapshot["outside"]["entries"]] == ["SPEC.md", "api-docs/c.md"]
    assert report()["status"] == "valid"


def test_control_a_change_inside_blocks_and_one_outside_is_only_told(
    tree: pathlib.Path, create: Call, report: Call
) -> None:
    create("api")
    (tree / "api-docs/c.md").write_bytes(b"changed")
    (tree / "api.txt").write_bytes(b"new")
    (tree / "web/d.js").unlink()

    found = report()
    assert (found["status"], found["mismatches"]) == ("valid", [])
    assert (found["changed"], found["added"], found["removed"]) == ([], [], [])
    assert found["scope"]["paths"] == ["api"]
    assert found["scope"]["outside"] == {
        "changed": ["api-docs/c.md"],
        "added": ["api.txt"],
        "removed": ["web/d.js"],
    }

    (tree / "api/deep/b.py").write_bytes(b"changed")
    (tree / "api/new.py").write_bytes(b"new")
    (tree / "api/a.py").unlink()
    found = report()
    assert found["mismatches"] == ["snapshot_digest"]
    assert found["changed"] == ["api/deep/b.py"]
    assert (found["added"], found["removed"]) == (["api/new.py"], ["api/a.py"])
    assert found["scope"]["outside"]["changed"] == ["api-docs/c.md"]


def test_the_spec_is_bound_wherever_it_lies(tree: pathlib.Path, create: Call, report: Call) -> None:
    create("api")
    (tree / "SPEC.md").write_bytes(b"# another\n")

    assert report()["mismatches"] == ["spec_sha256"]


def test_a_commit_of_others_does_not_undo_a_scoped_verdict(
    tree: pathlib.Path, create: Call, report: Call, evidence: Call
) -> None:
    create("api")
    base = report()["base_commit"]
    evidence("attest", "create", *WORDS[:-1], ".hpp/whole.json")
    (tree / "web/d.js").write_bytes(b"changed")
    _commit(tree)

    found = report()
    assert (found["status"], found["scope"]["attested_commit"]) == ("valid", base)
    assert found["base_commit"] != base
    whole = evidence("attest", "verify", ".hpp/whole.json")[1]
    assert whole["mismatches"] == ["base_commit", "snapshot_digest"]


def test_paths_are_relative_to_the_current_folder(
    tree: pathlib.Path, evidence: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree / "api")
    words = [word.replace("SPEC.md", "../SPEC.md") for word in WORDS]

    code, answer, message = evidence(
        "attest", "create", *words, "--paths", ".", "--paths", "../web"
    )

    assert (code, message) == (0, "")
    assert answer["snapshot"]["paths"] == ["api", "web"]


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("absent", "no file of the repository is there"),
        ("ap", "no file of the repository is there"),
        ("", "--paths"),
        (".", "whole repository"),
        ("..", "not inside"),
        ("../elsewhere", "not inside"),
        (os.devnull, "not inside"),
    ],
)
def test_a_scope_that_binds_nothing_is_refused(
    tree: pathlib.Path, create: Call, path: str, named: str
) -> None:
    code, answer, message = create("api", path)

    assert (code, answer) == (2, None)
    assert named in message
    assert message.count("\n") == 1
    assert not (tree / ".hpp").exists()


def test_a_path_below_another_adds_nothing() -> None:
    assert Scope(["a/b", "a", "a-b", "a/b/c", "c"]).paths == ["a", "a-b", "c"]


def _forged(snapshot: dict[str, Any]) -> list[dict[str, Any]]:
    outside = snapshot["outside"]
    everything = snapshot["entries"] + outside["entries"]
    nothing: dict[str, Any] = {"entries": [], "digest": digest_of([]), "file_count": 0}
    return [
        {"paths": []},
        {"paths": ["absent"], **nothing},
        {"paths": ["absent"], **nothing, "outside": {"entries": everything}},
        {"paths": [""]},
        {"paths": ["../x"]},
        {"paths": "api"},
        {"paths": [7]},
        {"paths": ["web"]},
        {"paths": ["api", "api/deep"]},
        {"outside": None},
        {"outside": {**outside, "entries": []}},
        {"outside": {**outside, "digest": "0" * 64}},
    ]


@pytest.mark.parametrize("number", range(12))
def test_a_scope_that_was_edited_and_hashed_anew_is_blocked(
    tree: pathlib.Path, create: Call, evidence: Call, number: int
) -> None:
    create("api")
    path = tree / ".hpp/a.json"
    record = json.loads(path.read_bytes())
    record["snapshot"].update(_forged(record["snapshot"])[number])
    record["record_sha256"] = self_hash(record)
    path.write_text(json.dumps(record), encoding="utf-8")

    code, answer, _ = evidence("attest", "verify", ".hpp/a.json")

    assert code == 2
    assert "snapshot_digest" in answer["mismatches"]


def test_a_scoped_attestation_is_exported_with_the_files_inside(
    tree: pathlib.Path, create: Call, evidence: Call
) -> None:
    import base64

    create("web")
    code, envelope, _ = evidence("attest", "export", ".hpp/a.json", "--format", "in-toto")

    assert code == 0
    statement = json.loads(base64.b64decode(envelope["payload"]))
    assert [each["name"] for each in statement["subject"]] == ["web/d.js"]
    record = json.loads((tree / ".hpp/a.json").read_bytes())
    record["snapshot"]["outside"]["entries"] = [7]
    (tree / ".hpp/a.json").write_text(json.dumps(record), encoding="utf-8")
    code, _, message = evidence("attest", "export", ".hpp/a.json", "--format", "in-toto")
    assert code == 2
    assert "outside.entries[0]" in message
