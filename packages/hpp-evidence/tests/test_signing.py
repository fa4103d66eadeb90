from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

from hpp.core.git import git
from hpp.core.schema import faults, find_schema
from hpp.evidence.record import self_hash

Call = Any
Keys = Any
WRITE = "open('a.txt', 'w').write('x')"


@pytest.fixture
def signed(criterion: Call, keys: Keys) -> pathlib.Path:
    """Return the path of a record that ``me`` signed."""
    options = ["--artifact", "a.txt", "--sign-key", keys.key, "--signer", "me"]
    code, record, _ = criterion(WRITE, *options)
    assert code == 0
    return pathlib.Path(record["record_path"])


def _verified(evidence: Call, record: pathlib.Path, allowed: str) -> tuple[int, Any]:
    code, report, _ = evidence("verify", str(record), "--allowed-signers", allowed)
    assert faults(find_schema("evidence-verification").document(), report) == []
    return code, report["signature"]


def test_a_signature_is_verified_by_the_key_that_is_listed(
    evidence: Call, keys: Keys, signed: pathlib.Path
) -> None:
    record = json.loads(signed.read_bytes())

    assert faults(find_schema("evidence").document(), record) == []
    assert record["signature"]["sha256"] == record["record_sha256"] == self_hash(record)
    assert _verified(evidence, signed, keys.allowed) == (
        0,
        {"status": "verified", "signer": "me"},
    )


def test_without_a_list_of_signers_nothing_is_claimed(evidence: Call, signed: pathlib.Path) -> None:
    code, report, _ = evidence("verify", str(signed))

    assert code == 0
    assert report["signature"] == {"status": "not-verified", "signer": "me"}


@pytest.mark.parametrize("which", ["others", "wrong"])
def test_control_a_key_that_is_not_listed_for_the_signer_is_refused(
    evidence: Call, keys: Keys, signed: pathlib.Path, which: str
) -> None:
    code, found = _verified(evidence, signed, getattr(keys, which))

    assert (code, found["status"], found["signer"]) == (2, "refused", "me")
    assert found["detail"]


EDITS: list[tuple[dict[str, Any], str]] = [
    ({"scheme": "gpg"}, "scheme"),
    ({"namespace": "git"}, "namespace"),
    ({"signer": "-oProxyCommand=x"}, "signer"),
    ({"signer": None}, "signer"),
    ({"sha256": "0" * 64}, "sha256"),
    ({"signature": "caf\u00e9"}, "armored"),
    ({"signature": 7}, "armored"),
    ({"signature": "x" * 70_000}, "armored"),
    ({"signature": "nothing"}, ""),
    ({"signer": "you"}, "no key that is listed for the signer"),
]


@pytest.mark.parametrize(("edit", "named"), EDITS, ids=range(len(EDITS)))
def test_an_edited_signature_is_refused_and_says_why(
    evidence: Call, keys: Keys, signed: pathlib.Path, edit: dict[str, Any], named: str
) -> None:
    record = json.loads(signed.read_bytes())
    record["signature"].update(edit)
    signed.write_text(json.dumps(record), encoding="utf-8")

    code, found = _verified(evidence, signed, keys.allowed)

    assert (code, found["status"]) == (2, "refused")
    assert named in found["detail"]
    assert found["detail"]


@pytest.mark.parametrize("value", [None, [], "text"])
def test_a_signature_that_is_no_object_is_refused(
    evidence: Call, keys: Keys, signed: pathlib.Path, value: object
) -> None:
    record = json.loads(signed.read_bytes())
    record["signature"] = value
    signed.write_text(json.dumps(record), encoding="utf-8")

    assert _verified(evidence, signed, keys.allowed)[1]["status"] == "refused"


def test_an_unsigned_record_is_refused_where_a_signature_is_demanded(
    evidence: Call, criterion: Call, keys: Keys
) -> None:
    path = criterion("pass")[1]["record_path"]

    assert _verified(evidence, pathlib.Path(path), keys.allowed) == (
        2,
        {"status": "refused", "detail": "the record is not signed"},
    )


def test_an_absent_list_of_signers_is_named(evidence: Call, signed: pathlib.Path) -> None:
    code, found = _verified(evidence, signed, "absent")

    assert (code, found["status"]) == (2, "refused")
    assert "absent" in found["detail"]


def test_a_record_edited_and_hashed_anew_loses_its_signature(
    evidence: Call, keys: Keys, signed: pathlib.Path
) -> None:
    record = json.loads(signed.read_bytes())
    record["command"] = ["true"]
    record["record_sha256"] = record["signature"]["sha256"] = self_hash(record)
    signed.write_text(json.dumps(record), encoding="utf-8")

    assert _verified(evidence, signed, keys.allowed)[1]["status"] == "refused"


REFUSED = [
    (["--signer", "me"], "--sign-key"),
    (["--sign-key", "KEY"], "--signer"),
    (["--sign-key", "absent", "--signer", "me"], "absent"),
    (["--sign-key", "", "--signer", "me"], "--sign-key"),
    (["--sign-key", ".", "--signer", "me"], "--sign-key"),
    (["--sign-key", "junk", "--signer", "me"], "junk: it does not sign"),
    (["--sign-key", "KEY", "--signer", "-me"], "--signer"),
    (["--sign-key", "KEY", "--signer", "m e"], "--signer"),
    (["--sign-key", "KEY", "--signer", ""], "--signer"),
    (["--sign-key", "KEY", "--signer", "me\n"], "--signer"),
    (["--sign-key", "KEY", "--signer", "m" * 129], "--signer"),
    (["--sign-key", "KEY", "--signer", "ghp_abcdefghijklmnopqrstuvwxyz"], "secret-like"),
]


@pytest.mark.parametrize(("options", "named"), REFUSED, ids=range(len(REFUSED)))
def test_a_signer_that_cannot_sign_is_refused_before_the_run(
    evidence: Call, keys: Keys, workspace: pathlib.Path, options: list[str], named: str
) -> None:
    junk = workspace / "junk"
    junk.write_text("no key\n", encoding="utf-8")
    junk.chmod(0o600)
    words = [keys.key if word == "KEY" else word for word in options]

    code, answer, message = evidence(
        "run", "--id", "x", *words, "--", sys.executable, "-c", "open('ran', 'w')"
    )

    assert (code, answer) == (2, None)
    assert named in message
    assert message.count("\n") == 1
    assert [entry.name for entry in workspace.iterdir()] == ["junk"]


def test_a_locked_key_is_refused_and_asks_nobody(
    evidence: Call, keys: Keys, workspace: pathlib.Path
) -> None:
    locked = workspace.parent / f"{workspace.name}-locked"
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "open sesame", "-f", str(locked)]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    assert keys.key

    options = ["--sign-key", str(locked), "--signer", "me"]
    code, _, message = evidence("run", "--id", "x", *options, "--", sys.executable, "-c", "pass")

    assert code == 2
    assert "does not sign" in message


def test_without_ssh_keygen_signing_and_checking_are_refused(
    evidence: Call, keys: Keys, signed: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = pathlib.Path("empty")
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty.absolute()))

    options = ["--sign-key", keys.key, "--signer", "me"]
    code, _, message = evidence("run", "--id", "x", *options, "--", sys.executable, "-c", "pass")
    assert code == 2
    assert "ssh-keygen" in message
    code, found = _verified(evidence, signed, keys.allowed)
    assert (code, found["status"]) == (2, "refused")
    assert "ssh-keygen" in found["detail"]


@pytest.mark.skipif(os.name == "nt", reason="a script stands in for the program")
def test_a_program_of_the_repository_never_signs(
    evidence: Call, keys: Keys, workspace: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = workspace / "ssh-keygen"
    planted.write_text("#!/bin/sh\ntouch planted\n", encoding="utf-8")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", os.environ["PATH"]]))

    options = ["--sign-key", keys.key, "--signer", "me"]
    assert evidence("run", "--id", "x", *options, "--", sys.executable, "-c", "pass")[0] == 0
    assert not (workspace / "planted").exists()


# ------------------------------------------------------------------ attestations


@pytest.fixture
def tree(workspace: pathlib.Path) -> pathlib.Path:
    (workspace / "SPEC.md").write_bytes(b"# spec\n")
    who = ["-c", "user.name=t", "-c", "user.email=t@e.x", "-c", "commit.gpgSign=false"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "one"]):
        assert git(words, cwd=str(workspace)).ok
    return workspace


def _create(evidence: Call, *options: str, checker: str = "me") -> tuple[int, Any, str]:
    words = ["--spec", "SPEC.md", "--maker", "m", "--checker", checker, "--session", "s"]
    words += ["--verdict", "approved", "--output", ".hpp/a.json", *options]
    answer: tuple[int, Any, str] = evidence("attest", "create", *words)
    return answer


def test_the_checker_signs_under_its_own_name(
    evidence: Call, keys: Keys, tree: pathlib.Path
) -> None:
    assert _create(evidence, "--sign-key", keys.key)[0] == 0
    record = json.loads((tree / ".hpp/a.json").read_bytes())
    assert faults(find_schema("evidence-attestation").document(), record) == []

    code, report, _ = evidence("attest", "verify", ".hpp/a.json", "--allowed-signers", keys.allowed)

    assert (code, report["mismatches"]) == (0, [])
    assert report["signature"] == {"status": "verified", "signer": "me"}


def test_an_attestation_of_another_signer_or_of_none_is_blocked(
    evidence: Call, keys: Keys, tree: pathlib.Path
) -> None:
    options = [["--sign-key", keys.key, "--signer", "you"], ["--sign-key", keys.other], []]
    for each in options:
        assert _create(evidence, *each)[0] == 0
        words = ["attest", "verify", ".hpp/a.json", "--allowed-signers", keys.allowed]
        code, report, _ = evidence(*words)
        assert (code, report["mismatches"]) == (2, ["signature"])
        assert faults(find_schema("attestation-verification").document(), report) == []
    assert (tree / ".hpp/a.json").is_file()


def test_a_verdict_edited_after_signing_is_blocked(
    evidence: Call, keys: Keys, tree: pathlib.Path
) -> None:
    _create(evidence, "--sign-key", keys.key)
    path = tree / ".hpp/a.json"
    record = json.loads(path.read_bytes())
    record["session"] = "another"
    path.write_text(json.dumps(record), encoding="utf-8")

    report = evidence("attest", "verify", str(path), "--allowed-signers", keys.allowed)[1]

    assert report["mismatches"] == ["record_sha256", "signature"]


@pytest.mark.parametrize(
    "options", [["--signer", "me"], ["--sign-key", "absent"], ["--sign-key", "SPEC.md"]]
)
def test_an_attestation_that_cannot_be_signed_is_not_written(
    evidence: Call, keys: Keys, tree: pathlib.Path, options: list[str]
) -> None:
    assert keys.key
    code, answer, message = _create(evidence, *options)

    assert (code, answer) == (2, None)
    assert message.count("\n") == 1
    assert not (tree / ".hpp").exists()


def test_a_checker_whose_name_is_no_signer_s_needs_one(
    evidence: Call, keys: Keys, tree: pathlib.Path
) -> None:
    assert _create(evidence, "--sign-key", keys.key, checker="Grace Hopper")[0] == 2
    assert not (tree / ".hpp").exists()
    options = ["--sign-key", keys.key, "--signer", "me"]
    assert _create(evidence, *options, checker="Grace Hopper")[0] == 0
