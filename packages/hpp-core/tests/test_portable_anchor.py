from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from hpp.core.errors import RefusedError
from hpp.core.portable import anchor, anchor_write, gitproc
from hpp.core.portable.fswrite import BusyError, locked

if TYPE_CHECKING:
    from pathlib import Path

IDENTITY = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]


def git(folder: Path, *argv: str) -> str:
    done = subprocess.run(["git", *IDENTITY, *argv], cwd=folder, capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo é"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", ".")
    git(root, "commit", "-q", "--allow-empty", "-m", "one")
    return root


def test_head_and_branch_are_read_without_a_process(repository: Path) -> None:
    assert anchor.head(str(repository)) == git(repository, "rev-parse", "HEAD")
    assert anchor.branch(str(repository)) == "main"

    git(repository, "pack-refs", "--all")
    assert anchor.head(str(repository)) == git(repository, "rev-parse", "HEAD")
    git(repository, "commit", "-q", "--allow-empty", "-m", "two")
    assert anchor.head(str(repository)) == git(repository, "rev-parse", "HEAD")

    git(repository, "checkout", "-q", "--detach")
    assert anchor.branch(str(repository)) is None
    assert anchor.head(str(repository)) == git(repository, "rev-parse", "HEAD")


def test_a_worktree_and_a_folder_below_share_the_trust(repository: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    git(repository, "worktree", "add", "-q", "-b", "side", str(tree))
    (tree / "deep").mkdir()

    assert anchor.branch(str(tree / "deep")) == "side"
    assert anchor.common_dir(str(tree / "deep")) == os.path.realpath(repository / ".git")
    assert anchor_write.add_handoff(str(tree), "h1", "0" * 64)
    trust = anchor.read(str(repository))
    assert trust is not None
    assert trust["handoffs"] == {"h1": "0" * 64}


def test_without_git_there_is_no_trust(tmp_path: Path) -> None:
    assert anchor.read(str(tmp_path)) is None
    assert anchor.head(str(tmp_path)) is None
    assert not anchor_write.add_gotcha_store(str(tmp_path), "s")


def test_only_the_newest_handoffs_are_kept(repository: Path) -> None:
    anchor_write.add_handoff(str(repository), "h0", "0" * 64)
    path = anchor.anchor_path(str(repository))
    assert path is not None
    trust = {"schema": anchor.SCHEMA, "handoffs": {f"h{n}": "0" * 64 for n in range(200)},
             "gotcha_stores": [], "health_probes": []}  # fmt: skip
    with open(path, "w", encoding="utf-8") as file:
        json.dump(trust, file)

    anchor_write.add_handoff(str(repository), "h0", "1" * 64)  # known: it becomes the newest
    anchor_write.add_handoff(str(repository), "new", "2" * 64)

    found = anchor.read(str(repository))
    assert found is not None
    assert len(found["handoffs"]) == 200
    assert list(found["handoffs"])[-2:] == ["h0", "new"]
    assert "h1" not in found["handoffs"]


def test_stores_and_probes_are_kept_once(repository: Path) -> None:
    root = str(repository)
    for _ in range(2):
        anchor_write.add_gotcha_store(root, "s")
        anchor_write.add_health_probe(root, "a" * 64, "2026-01-01T00:00:00Z")

    found = anchor.read(root)
    assert found is not None
    assert found["gotcha_stores"] == ["s"]
    assert found["health_probes"] == [{"sha256": "a" * 64, "approved_at": "2026-01-01T00:00:00Z"}]


@pytest.mark.parametrize("text", ["", "x", "[]", '{"schema": "other"}',
                                  '{"schema": "module-trust/v1", "handoffs": []}'],
                         ids=range(5))  # fmt: skip
def test_trust_that_is_not_ours_is_refused_and_kept(repository: Path, text: str) -> None:
    path = anchor.anchor_path(str(repository))
    assert path is not None
    os.mkdir(os.path.dirname(path))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)

    with pytest.raises(RefusedError, match=r"hpp/module-trust\.json"):
        anchor.read(str(repository))
    with pytest.raises(RefusedError):
        anchor_write.add_gotcha_store(str(repository), "s")
    with open(path, encoding="utf-8") as file:
        assert file.read() == text


def test_a_busy_lock_writes_nothing(repository: Path) -> None:
    anchor_write.add_gotcha_store(str(repository), "s")
    path = anchor.anchor_path(str(repository))
    assert path is not None

    with locked(path), pytest.raises(BusyError):
        anchor_write.add_gotcha_store(str(repository), "t", timeout=0.05)


def test_a_ref_that_climbs_is_not_followed(repository: Path) -> None:
    (repository / ".git" / "HEAD").write_text("ref: refs/../../secret\n")
    (repository / "secret").write_text("a" * 40)

    assert anchor.head(str(repository)) is None


def test_git_is_asked_and_its_failure_told(repository: Path) -> None:
    soon = time.monotonic() + 30

    assert gitproc.git(
        str(repository), ["rev-parse", "HEAD"], soon
    ).decode().strip() == anchor.head(str(repository))
    with pytest.raises(gitproc.GitError, match="git rev-parse: ") as caught:
        gitproc.git(str(repository), ["rev-parse", "--verify", "nothing"], soon)
    assert (caught.value.fault, caught.value.status) == ("failed", 128)


def test_git_ends_at_the_deadline_with_what_it_started(repository: Path) -> None:
    with pytest.raises(gitproc.GitError) as caught:
        gitproc.git(str(repository), ["status"], time.monotonic() - 1)
    assert caught.value.fault == "timeout"

    with pytest.raises(gitproc.GitError) as caught:
        gitproc.git(str(repository), ["-c", "alias.wait=!sleep 30", "wait"], time.monotonic() + 0.3)
    assert caught.value.fault == "timeout"


def test_the_callers_variables_and_the_repositorys_programs_do_not_count(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(repository / "nowhere"))
    marker = repository / "ran"
    git_config = f"[core]\n fsmonitor = \"touch '{marker}'\"\n"
    with open(repository / ".git" / "config", "a", encoding="utf-8") as file:
        file.write(git_config)

    gitproc.git(str(repository), ["status", "--porcelain", "-z"], time.monotonic() + 30)

    assert not marker.exists()
