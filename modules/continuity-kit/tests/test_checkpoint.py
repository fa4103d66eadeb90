"""Checkpoints: what is kept of a turn, and what is never touched."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = subprocess.CompletedProcess[bytes]
    Take = Callable[..., dict[str, Any]]

SCRIPT = "hooks/turn_checkpoint.py"


@pytest.fixture
def take(run: Callable[..., Run]) -> Take:
    """Return a taker of checkpoints."""

    def call(session: str = "s", *words: str) -> dict[str, Any]:
        done = run(SCRIPT, "write", "--session", session, *words)
        assert done.returncode == 0, done.stderr
        made: dict[str, Any] = json.loads(done.stdout)
        return made

    return call


def names(git: Callable[..., Run], folder: Path, commit: str) -> list[str]:
    listed = git(folder, "ls-tree", "-r", "--name-only", "-z", commit).stdout.decode()
    return [name for name in listed.split("\0") if name]


def test_a_turn_keeps_the_tree_and_touches_nothing(
    take: Take, git: Callable[..., Run], repository: Path
) -> None:
    (repository / "a.txt").write_text("two\n", encoding="utf-8")
    (repository / "staged.txt").write_text("s\n", encoding="utf-8")
    git(repository, "add", "staged.txt")
    (repository / "new.txt").write_text("n\n", encoding="utf-8")
    status = git(repository, "status", "--porcelain").stdout
    index = (repository / ".git/index").read_bytes()

    made = take()

    assert names(git, repository, made["commit"]) == ["a.txt", "new.txt", "staged.txt"]
    head = git(repository, "rev-parse", "HEAD").stdout.decode().strip()
    assert (made["turn"], made["parent"], made["unchanged"]) == (1, head, False)
    assert made["ref"].startswith("refs/hpp/checkpoints/s-")
    assert (repository / ".git/index").read_bytes() == index
    assert git(repository, "status", "--porcelain").stdout == status
    assert git(repository, "stash", "list").stdout == b""


def test_an_unchanged_turn_makes_no_ref(take: Take, repository: Path) -> None:
    assert take()["unchanged"]
    (repository / "a.txt").write_text("two\n", encoding="utf-8")
    first = take()
    second = take()

    assert (second["unchanged"], second["turn"], second["ref"]) == (True, 1, first["ref"])


def test_a_change_of_the_same_size_and_second_is_seen(
    take: Take, git: Callable[..., Run], repository: Path
) -> None:
    import os

    git(repository, "config", "core.trustctime", "false")
    path, index, when = repository / "a.txt", repository / ".git/index", 1_700_000_000
    path.write_text("two\n", encoding="utf-8")
    os.utime(path, (when, when))
    git(repository, "add", "a.txt")
    path.write_text("six\n", encoding="utf-8")
    os.utime(path, (when, when))
    os.utime(index, (when, when))

    commit = take()["commit"]

    assert git(repository, "show", f"{commit}:a.txt").stdout == b"six\n"


def test_files_named_like_secrets_and_large_ones_stay_out(
    take: Take, git: Callable[..., Run], repository: Path
) -> None:
    (repository / "deep").mkdir()
    for name in (".env", ".env.local", "deep/x.pem", "deep/ID_RSA", "id_ed25519.pub", "v.kdbx"):
        (repository / name).write_text("x", encoding="utf-8")
    (repository / "large.bin").write_bytes(b"\0" * (10 * 1024 * 1024 + 1))
    (repository / "kept.txt").write_text("x", encoding="utf-8")

    assert names(git, repository, take()["commit"]) == ["a.txt", "kept.txt"]


def test_a_tracked_file_of_such_a_name_keeps_its_version(
    take: Take, git: Callable[..., Run], repository: Path
) -> None:
    (repository / ".env").write_text("OLD=1\n", encoding="utf-8")
    git(repository, "add", ".env")
    git(repository, "commit", "-q", "-m", "tracked")
    (repository / ".env").write_text("NEW=1\n", encoding="utf-8")
    (repository / "a.txt").write_text("two\n", encoding="utf-8")

    commit = take()["commit"]

    assert git(repository, "show", f"{commit}:.env").stdout == b"OLD=1\n"


def test_a_repository_without_a_commit_works(
    take: Take, git: Callable[..., Run], project: Path
) -> None:
    git(project, "init", "-q")
    (project / "a.txt").write_text("x", encoding="utf-8")

    assert (take()["parent"], take()["turn"]) == (None, 1)


def test_a_sparse_checkout_records_no_deletion(
    take: Take, git: Callable[..., Run], repository: Path
) -> None:
    for name in ("one", "two"):
        (repository / name).mkdir()
        (repository / name / "f.txt").write_text(name, encoding="utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "folders")
    git(repository, "sparse-checkout", "set", "one")
    assert not (repository / "two").exists()
    (repository / "one/f.txt").write_text("changed", encoding="utf-8")

    assert names(git, repository, take()["commit"]) == ["a.txt", "one/f.txt", "two/f.txt"]


def test_without_an_index_a_sparse_checkout_has_no_checkpoint(
    run: Callable[..., Run], git: Callable[..., Run], repository: Path
) -> None:
    git(repository, "config", "core.sparseCheckout", "true")
    (repository / ".git/index").unlink()

    done = run(SCRIPT, "write", "--session", "s")

    assert (done.returncode, b"sparse" in done.stderr) == (1, True)


@pytest.mark.skipif(sys.platform == "win32", reason="a hook of a shell script")
def test_no_hook_of_the_repository_runs(take: Take, repository: Path) -> None:
    for name in ("post-index-change", "reference-transaction", "pre-commit", "post-commit"):
        hook = repository / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch '{repository}/ran-{name}'\n", encoding="utf-8")
        hook.chmod(0o755)
    (repository / "a.txt").write_text("two\n", encoding="utf-8")

    take()

    assert not list(repository.glob("ran-*"))


def test_two_writers_of_one_session_give_turns_in_a_row(
    module_root: Path, environment: dict[str, str], git: Callable[..., Run], repository: Path
) -> None:
    code = (
        "import subprocess, sys, os\n"
        "for n in range(4):\n"
        "    open(f'{os.getpid()}-{n}', 'w').close()\n"
        "    subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
    )
    argv = [sys.executable, "-c", code, sys.executable, str(module_root / SCRIPT)]
    running = [
        subprocess.Popen([*argv, "write", "--session", "s"], cwd=repository, env=environment)
        for _ in range(2)
    ]
    assert [one.wait(timeout=120) for one in running] == [0, 0]

    refs = git(repository, "for-each-ref", "--format=%(refname)", "refs/hpp").stdout.decode()
    turns = sorted(int(ref.rpartition("/")[2]) for ref in refs.split())
    assert turns == list(range(1, len(turns) + 1))
    assert len(turns) > 1


def test_the_newest_turns_are_kept(run: Callable[..., Run], take: Take, repository: Path) -> None:
    for number in range(4):
        (repository / "a.txt").write_text(f"{number}\n", encoding="utf-8")
        take("s", "--keep", "2", "--label", "a label")

    turns = json.loads(run(SCRIPT, "list", "--session", "s").stdout)
    assert [turn["turn"] for turn in turns] == [3, 4]
    assert json.loads(run(SCRIPT, "latest", "--session", "s").stdout)["turn"] == 4


def test_old_namespaces_are_named_and_deleted_when_asked(
    run: Callable[..., Run], git: Callable[..., Run], environment: dict[str, str], repository: Path
) -> None:
    dates = {
        "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z",
        "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z",
    }
    tree = git(repository, "rev-parse", "HEAD^{tree}").stdout.decode().strip()
    commit = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.invalid", "commit-tree", tree,
         "-m", "old"],
        cwd=repository, env={**environment, **dates}, capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    git(repository, "update-ref", "refs/hpp/checkpoints/old-12345678/turn/1", commit)

    plan = json.loads(run(SCRIPT, "prune").stdout)
    assert plan["namespaces"] == [{"key": "old-12345678", "turns": 1}]
    assert git(repository, "for-each-ref", "refs/hpp").stdout
    run(SCRIPT, "prune", "--apply")
    assert git(repository, "for-each-ref", "refs/hpp").stdout == b""


def test_sessions_never_share_a_namespace(take: Take, repository: Path) -> None:
    refs = []
    for number, session in enumerate(("A b", "a b", "a/b", "..", "", "x.lock", "é", "-")):
        (repository / "a.txt").write_text(f"{number}\n", encoding="utf-8")
        refs.append(take(session)["ref"].lower())

    assert len(set(refs)) == len(refs)


def test_outside_of_a_repository_there_is_none(run: Callable[..., Run]) -> None:
    done = run(SCRIPT, "write", "--session", "s")

    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)


def test_controle_a_changed_index_of_the_person_would_be_seen(
    take: Take, git: Callable[..., Run], repository: Path
) -> None:
    (repository / "new.txt").write_text("n\n", encoding="utf-8")
    before = git(repository, "ls-files").stdout
    take()
    assert git(repository, "ls-files").stdout == before
    git(repository, "add", "-A")
    assert git(repository, "ls-files").stdout != before
