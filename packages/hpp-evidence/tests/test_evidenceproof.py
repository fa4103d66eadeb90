from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from hpp.core.control import installed_controls
from hpp.evidence import attestverify
from hpp.evidence.evidenceproof import evidence_attestation
from hpp.evidence.snapshot import take_snapshot

if TYPE_CHECKING:
    import pathlib

    import pytest

    from hpp.evidence.repository import Repository
    from hpp.evidence.snapshot import Snapshot


def test_the_control_holds() -> None:
    assert evidence_attestation()


def test_the_control_is_registered_and_says_what_it_runs() -> None:
    assert installed_controls()["evidence-attestation"].run() == (True, "control")
    assert evidence_attestation.needs == ("git",)


def test_a_verification_that_does_not_compare_digests_fails_the_control(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sighted = take_snapshot
    first: list[Snapshot] = []

    def blind(repository: Repository, left_out: set[str]) -> Snapshot:
        first.append(sighted(repository, left_out))
        return first[0]

    monkeypatch.setattr(attestverify, "take_snapshot", blind)

    assert not evidence_attestation()


def test_a_verification_that_refuses_everything_fails_the_control(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attestverify, "is_session", lambda _: False)

    assert not evidence_attestation()


def test_the_control_leaves_nothing_and_knows_no_user(
    workspace: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary, home = workspace / "temporary", workspace / "home"
    temporary.mkdir()
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[commit]\n gpgSign = true\n[gpg]\n program = no-such-program\n"
        f"[init]\n templateDir = {(workspace / 'no-such-folder').as_posix()}\n",
        encoding="utf-8",
    )
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("GIT_DIR", str(workspace / "elsewhere"))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    assert evidence_attestation()
    assert not list(temporary.iterdir())
    assert sorted(path.name for path in workspace.iterdir()) == ["home", "temporary"]
