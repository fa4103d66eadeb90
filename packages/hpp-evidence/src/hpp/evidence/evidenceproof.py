"""The control of this distribution: an attestation holds for its bytes and for no others.

The repository it works in is a temporary one of its own. What a user's git configuration
could change about a commit is settled on the command line.
"""

from __future__ import annotations

import os
import tempfile

from hpp.core.git import git

__all__ = ["evidence_attestation"]

_SETTINGS = (
    "user.name=control",
    "user.email=control@localhost",
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "core.autocrlf=false",
    f"core.attributesFile={os.devnull}",
)
_BEFORE = b"alpha\n"
_AFTER = b"alphb\n"  # of the same size


class EvidenceAttestation:
    """Attest a tree and find it valid; find it blocked once a byte is another."""

    needs = ("git",)

    def __call__(self) -> bool:
        """Say whether both parts hold."""
        with tempfile.TemporaryDirectory(prefix="hpp-control-") as folder:
            return _holds(folder)


evidence_attestation = EvidenceAttestation()


def _holds(folder: str) -> bool:
    from hpp.evidence.attestation import create_attestation
    from hpp.evidence.attestverify import verify_attestation

    spec, record = os.path.join(folder, "SPEC.md"), os.path.join(folder, ".hpp", "review.json")
    work = os.path.join(folder, "work.txt")
    _put(spec, b"# spec\n")
    _put(work, _BEFORE)
    if not _committed(folder):
        return False
    create_attestation(
        repo=folder,
        spec=spec,
        maker="maker",
        checker="checker",
        session="control",
        verdict="approved",
        output=record,
    )
    sound = verify_attestation(record, repo=folder)
    _put(work, _AFTER)
    edited = verify_attestation(record, repo=folder)
    is_valid = (sound["status"], sound["mismatches"]) == ("valid", [])
    is_blocked = (edited["status"], edited["mismatches"]) == ("blocked", ["snapshot_digest"])
    return is_valid and is_blocked


def _committed(folder: str) -> bool:
    """Say whether the folder has become a repository with one commit."""
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    calls = (
        ["init", "--quiet", "--template="],
        ["add", "--all"],
        ["commit", "--quiet", "--no-verify", "--message", "control"],
    )
    return all(git([*settings, *words], cwd=folder).ok for words in calls)


def _put(path: str, data: bytes) -> None:
    with open(path, "wb") as stream:
        stream.write(data)
