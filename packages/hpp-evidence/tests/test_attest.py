from __future__ import annotations

import json
import os
import pathlib
import stat
import tempfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.git import git
from hpp.core.schema import faults, find_schema
from hpp.evidence.attestation import create_attestation
from hpp.evidence.attestverify import verify_attestation

Call = Any
FILES = {"SPEC.md": b"# spec\n", "a.txt": b"alpha\n", "staged.txt": b"beta\n", "new.txt": b"c\n"}
posix = pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")


def _git(folder: pathlib.Path, *words: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@e.x", "-c", "commit.gpgSign=false")
    told = git([*who, *words], cwd=str(folder))
    assert told.ok, told.stderr


def _build(folder: pathlib.Path) -> None:
    """Lay out one committed, one staged and one untracked file beside the spec."""
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    _git(folder, "init", "-q")
    _git(folder, "add", "SPEC.md", "a.txt")
    _git(folder, "commit", "-q", "-m", "one")
    _git(folder, "add", "staged.txt")


@pytest.fixture
def tree(workspace: pathlib.Path) -> pathlib.Path:
    _build(workspace)
    return workspace


@pytest.fixture
def attest(evidence: Call) -> Call:
    """Return a caller of `attest create` whose options can be replaced."""

    def call(**options: str) -> tuple[int, Any, str]:
        given_options = {
            "spec": "SPEC.md",
            "maker": "m",
            "checker": "c",
            "session": "s:1",
            "verdict": "approved",
            "output": ".hpp/a.json",
            **options,
        }
        words = [word for key, value in given_options.items() for word in (f"--{key}", value)]
        answer: tuple[int, Any, str] = evidence("attest", "create", *words)
        return answer

    return call


@pytest.fixture
def report(evidence: Call) -> Call:
    def call() -> dict[str, Any]:
        code, answer, _ = evidence("attest", "verify", ".hpp/a.json")
        assert code == (0 if answer["status"] == "valid" else 2)
        found: dict[str, Any] = answer
        return found

    return call


def test_a_swap_of_two_files_of_one_size_is_found(
    tree: pathlib.Path, attest: Call, report: Call
) -> None:
    (tree / "b.txt").write_bytes(b"ahpla\n")
    assert attest()[0] == 0

    (tree / "a.txt").write_bytes(b"ahpla\n")
    (tree / "b.txt").write_bytes(b"alpha\n")

    found = report()
    assert found["mismatches"] == ["snapshot_digest"]
    assert found["changed"] == ["a.txt", "b.txt"]


def test_a_renamed_file_is_one_removed_and_one_added(
    tree: pathlib.Path, attest: Call, report: Call
) -> None:
    attest()

    (tree / "new.txt").rename(tree / "newer.txt")

    found = report()
    assert (found["added"], found["removed"]) == (["newer.txt"], ["new.txt"])


@posix
def test_the_execute_bit_is_part_of_the_snapshot(
    tree: pathlib.Path, attest: Call, report: Call
) -> None:
    attest()

    (tree / "a.txt").chmod((tree / "a.txt").stat().st_mode | stat.S_IXUSR)

    assert report()["changed"] == ["a.txt"]


@posix
def test_a_link_is_its_text_and_never_its_target(
    tree: pathlib.Path, attest: Call, report: Call
) -> None:
    outside = tree.parent / f"{tree.name}-outside"
    outside.write_bytes(b"1")
    (tree / "link").symlink_to(outside)
    attest()
    outside.write_bytes(b"2")
    assert report()["status"] == "valid"

    (tree / "link").unlink()
    (tree / "link").symlink_to("a.txt")

    assert report()["changed"] == ["link"]


def test_a_change_inside_a_nested_repository_is_found(
    tree: pathlib.Path, attest: Call, report: Call
) -> None:
    inner = tree / "inner"
    inner.mkdir()
    _build(inner)
    attest()
    assert report()["status"] == "valid"

    (inner / "new.txt").write_bytes(b"d\n")

    assert report()["mismatches"] == ["snapshot_digest"]


@settings(max_examples=12, deadline=None)
@given(name=st.sampled_from(sorted(FILES)), at=st.integers(0, 63), bit=st.integers(0, 7))
def test_any_changed_byte_is_found(name: str, at: int, bit: int) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        _build(folder)
        record = str(folder / ".hpp" / "a.json")
        create_attestation(
            repo=made,
            spec=str(folder / "SPEC.md"),
            maker="m",
            checker="c",
            session="s",
            verdict="approved",
            output=record,
        )
        data = bytearray(FILES[name])
        data[at % len(data)] ^= 1 << bit
        (folder / name).write_bytes(data)

        found = verify_attestation(record, repo=made)

        assert found["status"] == "blocked"
        assert found["changed"] == [name]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"checker": " M "}, "maker and checker"),
        ({"checker": "\u200bm"}, "maker and checker"),
        ({"checker": "m\ufe0f"}, "maker and checker"),
        ({"checker": "\u3164m\u2800"}, "maker and checker"),
        ({"checker": "m\x08"}, "maker and checker"),
        ({"checker": "m\U000e0041"}, "maker and checker"),
        ({"maker": "\u3164"}, "maker and checker"),
        ({"maker": ""}, "maker and checker"),
        ({"session": "a b"}, "--session a b"),
        ({"session": "s\n"}, "--session"),
        ({"spec": "none.md"}, "--spec none.md"),
        ({"output": "a.txt"}, "--output a.txt"),
        ({"output": ".git/a.json"}, "--output .git/a.json"),
        ({"repo": "none"}, "none"),
    ],
)
def test_a_refusal_is_one_line_and_writes_nothing(
    tree: pathlib.Path, attest: Call, options: dict[str, str], named: str
) -> None:
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}

    code, answer, message = attest(**options)

    assert (code, answer) == (2, None)
    assert message.count("\n") == 1
    assert named in message.replace("'", "")
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("verdict", ["revise", "blocked"])
def test_a_verdict_that_is_no_approval_is_recorded_and_blocks(
    tree: pathlib.Path, attest: Call, report: Call, verdict: str
) -> None:
    assert attest(verdict=verdict)[0] == 2
    assert (tree / ".hpp/a.json").is_file()

    assert report()["mismatches"] == ["verdict"]


def test_an_approval_by_the_maker_does_not_verify(
    tree: pathlib.Path, attest: Call, report: Call
) -> None:
    attest()
    path = tree / ".hpp/a.json"
    record = json.loads(path.read_bytes())

    record["actors"]["checker"] = "M"
    path.write_text(json.dumps(record), encoding="utf-8")

    assert report()["mismatches"] == ["actors", "record_sha256"]


def test_one_tree_gives_one_record_byte_for_byte(tree: pathlib.Path, attest: Call) -> None:
    attest()
    first = (tree / ".hpp/a.json").read_bytes()

    attest()

    assert (tree / ".hpp/a.json").read_bytes() == first
    assert b"\r" not in first
    pretty = json.dumps(json.loads(first), ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    assert first.decode() == pretty


@pytest.mark.parametrize("text", ["[]", "{", '{"schema":"other"}', '{"a":1,"a":1}', ""])
def test_what_is_no_record_is_refused_by_name(
    tree: pathlib.Path, evidence: Call, text: str
) -> None:
    (tree / "x.json").write_text(text, encoding="utf-8")

    code, answer, message = evidence("attest", "verify", "x.json")

    assert (code, answer) == (2, None)
    assert "x.json" in message
    assert message.count("\n") == 1


def test_real_records_and_reports_satisfy_their_schemas(
    tree: pathlib.Path, attest: Call, report: Call
) -> None:
    (tree / "staged.txt").unlink()
    for number in range(101):
        (tree / f"many{number}").write_bytes(b"")
    attest()
    record = json.loads((tree / ".hpp/a.json").read_bytes())
    reports = [report()]
    for number in range(101):
        (tree / f"many{number}").write_bytes(b"x")
    reports.append(report())

    assert faults(find_schema("evidence-attestation").document(), record) == []
    for found in reports:
        assert faults(find_schema("attestation-verification").document(), found) == []
    assert reports[1]["truncated"] == {"changed": {"more": 1}}


@pytest.mark.parametrize("key", ["schema", "verdict", "snapshot", "actors", "record_sha256"])
def test_a_record_that_lacks_a_part_breaks_its_schema(
    tree: pathlib.Path, attest: Call, key: str
) -> None:
    attest()
    record = json.loads((tree / ".hpp/a.json").read_bytes())

    del record[key]

    assert faults(find_schema("evidence-attestation").document(), record)


def test_a_session_without_the_family_that_reads_it_is_a_usage_error(
    tree: pathlib.Path, attest: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())

    code, _, told = attest(**{"deliberation": "s.json", "maker-family": "red"})

    assert code == 3
    assert "--deliberation needs hpp-decide, which is not installed" in told
    assert not (tree / ".hpp").exists()
