"""A git hook of ours, chained behind whatever stood there."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from functools import partial
from typing import TYPE_CHECKING

import pytest

from hpp.core.portable.githook import GitHook
from hpp.core.portable.report import ToolRefusedError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

IDENTITY = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"]


def git(repo: Path, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    return subprocess.run(
        ["git", *IDENTITY, *words], cwd=repo, env=environment, capture_output=True, text=True,
        check=check, timeout=60,
    )  # fmt: skip


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "a repo"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    shutil.rmtree(folder / ".git/hooks", ignore_errors=True)
    return folder


def script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(f"#!/bin/sh\n{body}\n".encode())
    path.chmod(0o755)
    return path


@pytest.fixture
def payload(tmp_path: Path) -> Path:
    return script(
        tmp_path / "it's mine" / "payload.sh", 'echo payload >>"$HPP_TRACE"; cat >>"$HPP_TRACE"'
    )


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "trace"
    monkeypatch.setenv("HPP_TRACE", str(path))
    return path


def install(repo: Path, payload: Path, name: str = "pre-commit") -> str:
    return GitHook(str(repo), name).install(str(payload))


def undo(repo: Path, name: str = "pre-commit") -> str:
    return GitHook(str(repo), name).undo(apply=True)[0]


def commit(repo: Path) -> int:
    return git(repo, "commit", "-q", "--allow-empty", "-m", "more", check=False).returncode


def snapshot(folder: Path) -> dict[str, tuple[bytes | str, int]]:
    if not folder.exists():
        return {}
    return {
        each.name: (os.readlink(each), 0)
        if each.is_symlink()
        else (each.read_bytes(), stat.S_IMODE(each.stat().st_mode))
        for each in folder.iterdir()
    }


def test_it_is_installed_once_runs_and_goes_without_a_trace(
    repo: Path, payload: Path, trace: Path
) -> None:
    assert install(repo, payload) == "installed"
    assert install(repo, payload) == "no-op"

    assert commit(repo) == 0
    assert trace.read_text() == "payload\n"

    assert undo(repo) == "undone"
    assert undo(repo) == "no-op"
    assert snapshot(repo / ".git/hooks") == {}


def test_a_failing_payload_stops_the_commit(repo: Path, tmp_path: Path) -> None:
    install(repo, script(tmp_path / "no.sh", "exit 7"))

    assert commit(repo) == 1


@pytest.mark.parametrize("mode", [0o755, 0o644], ids=["executable", "switched-off"])
def test_the_hook_that_was_there_runs_first_and_comes_back(
    repo: Path, payload: Path, trace: Path, mode: int
) -> None:
    script(repo / ".git/hooks/pre-commit", 'echo theirs >>"$HPP_TRACE"').chmod(mode)
    before = snapshot(repo / ".git/hooks")

    assert install(repo, payload) == "chained"
    assert commit(repo) == 0
    assert trace.read_text() == ("theirs\npayload\n" if mode == 0o755 else "payload\n")
    undo(repo)

    assert snapshot(repo / ".git/hooks") == before


def test_a_status_of_the_first_hook_ends_it(repo: Path, payload: Path, trace: Path) -> None:
    script(repo / ".git/hooks/pre-commit", "exit 3")
    install(repo, payload)

    assert commit(repo) == 1
    assert not trace.exists()


def test_both_hooks_get_arguments_and_the_whole_standard_input(
    repo: Path, tmp_path: Path, trace: Path
) -> None:
    tell = 'echo "$# $1" >>"$HPP_TRACE"; cat >>"$HPP_TRACE"'
    script(repo / ".git/hooks/pre-push", tell)
    install(repo, script(tmp_path / "second.sh", tell), "pre-push")
    remote = tmp_path / "remote.git"
    git(repo, "init", "-q", "--bare", str(remote))

    git(repo, "push", "-q", str(remote), "HEAD:refs/heads/one", "HEAD:refs/heads/two")

    lines = trace.read_text().splitlines()
    assert len(lines) == 6
    assert lines[:3] == lines[3:]
    assert lines[0] == f"2 {remote}"


def test_a_hook_that_replaced_the_wrapper_is_kept_as_well(
    repo: Path, payload: Path, trace: Path
) -> None:
    hooks = repo / ".git/hooks"
    script(hooks / "pre-commit", 'echo one >>"$HPP_TRACE"')
    install(repo, payload)
    script(hooks / "pre-commit", 'echo two >>"$HPP_TRACE"')
    two = (hooks / "pre-commit").read_bytes()

    assert install(repo, payload) == "chained"
    commit(repo)

    assert trace.read_text() == "two\npayload\n"
    kept = {name: data for name, (data, _) in snapshot(hooks).items() if "before" in name}
    assert sorted(kept) == ["pre-commit.hpp-before", "pre-commit.hpp-before-2"]
    assert b"echo one" in kept["pre-commit.hpp-before"]
    undo(repo)
    assert (hooks / "pre-commit").read_bytes() == two
    assert b"echo one" in (hooks / "pre-commit.hpp-before").read_bytes()


def test_a_hook_manager_that_moves_our_wrapper_aside_makes_no_loop(
    repo: Path, payload: Path, trace: Path
) -> None:
    hooks = repo / ".git/hooks"
    script(hooks / "pre-commit", 'echo one >>"$HPP_TRACE"')
    install(repo, payload)
    (hooks / "pre-commit").rename(hooks / "pre-commit.legacy")
    script(
        hooks / "pre-commit",
        'echo manager >>"$HPP_TRACE"; "$(dirname "$0")/pre-commit.legacy" "$@"',
    )

    install(repo, payload)

    assert commit(repo) == 0
    assert trace.read_text() == "manager\none\npayload\npayload\n"


@pytest.mark.skipif(os.name == "nt", reason="making a link needs a privilege there")
def test_a_linked_hook_is_kept_as_a_link(repo: Path, payload: Path, trace: Path) -> None:
    script(repo / "tools/check", 'echo linked >>"$HPP_TRACE"')
    (repo / ".git/hooks").mkdir()
    (repo / ".git/hooks/pre-commit").symlink_to("../../tools/check")
    before = snapshot(repo / ".git/hooks")

    install(repo, payload)
    commit(repo)

    assert trace.read_text() == "linked\npayload\n"
    assert b"echo linked" in (repo / "tools/check").read_bytes()
    undo(repo)
    assert snapshot(repo / ".git/hooks") == before


def test_a_linked_worktree_takes_the_hook_of_its_repository(
    repo: Path, tmp_path: Path, payload: Path, trace: Path
) -> None:
    tree = tmp_path / "tree"
    git(repo, "worktree", "add", "-q", str(tree))

    assert install(tree, payload) == "installed"

    assert commit(tree) == 0
    assert trace.read_text() == "payload\n"
    assert not GitHook(str(tree), "pre-commit").tracked
    assert (repo / ".git/hooks/pre-commit").exists()


def test_a_hooks_path_is_followed_and_one_in_the_tree_is_told(
    repo: Path, tmp_path: Path, payload: Path, trace: Path
) -> None:
    outside = tmp_path / "own hooks"
    git(repo, "config", "core.hooksPath", str(outside))
    assert not GitHook(str(repo), "pre-commit").tracked
    assert install(repo, payload) == "installed"
    assert commit(repo) == 0
    assert trace.read_text() == "payload\n"
    assert (outside / "pre-commit").exists()

    git(repo, "config", "core.hooksPath", ".githooks")
    assert GitHook(str(repo), "pre-commit").tracked
    assert GitHook(str(repo), "pre-commit").present == "none"


def test_a_subfolder_and_a_bare_repository_work(repo: Path, tmp_path: Path, payload: Path) -> None:
    (repo / "sub").mkdir()
    assert install(repo / "sub", payload) == "installed"
    assert (repo / ".git/hooks/pre-commit").exists()
    bare = tmp_path / "bare.git"
    git(repo, "clone", "-q", "--bare", str(repo), str(bare))
    assert install(bare, payload, "pre-receive") == "installed"


def test_an_edited_wrapper_is_refused_and_left(repo: Path, payload: Path) -> None:
    install(repo, payload)
    hook = repo / ".git/hooks/pre-commit"
    hook.write_bytes(hook.read_bytes() + b"echo mine\n")
    edited = hook.read_bytes()

    for step in (partial(install, repo, payload), partial(undo, repo)):
        with pytest.raises(ToolRefusedError) as refusal:
            step()
        assert refusal.value.problem["code"] == "wrapper-edited"
    assert hook.read_bytes() == edited


def test_another_payload_updates_the_wrapper_and_keeps_the_chain(
    repo: Path, tmp_path: Path, payload: Path, trace: Path
) -> None:
    script(repo / ".git/hooks/pre-commit", 'echo theirs >>"$HPP_TRACE"')
    install(repo, payload)

    assert install(repo, script(tmp_path / "new.sh", 'echo new >>"$HPP_TRACE"')) == "updated"

    commit(repo)
    assert trace.read_text() == "theirs\nnew\n"


def test_a_payload_that_went_away_stops_the_commit_with_the_way_out(
    repo: Path, payload: Path
) -> None:
    install(repo, payload)
    payload.unlink()

    done = git(repo, "commit", "-q", "--allow-empty", "-m", "x", check=False)

    assert done.returncode == 1
    assert "--undo" in (repo / ".git/hooks/pre-commit").read_text()
    assert "is missing" in done.stderr


@pytest.mark.parametrize("name", ["pre-comit", "../pre-commit", ""])
def test_no_other_name_is_a_hook(repo: Path, payload: Path, name: str) -> None:
    with pytest.raises(ToolRefusedError):
        install(repo, payload, name)


def test_what_is_no_repository_or_no_script_is_refused(
    repo: Path, tmp_path: Path, payload: Path
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (tmp_path / "notes.txt").write_text("#!/usr/bin/env python3\npass\n")
    for case in (
        partial(install, plain, payload),
        partial(install, repo, tmp_path / "absent.sh"),
        partial(install, repo, tmp_path / "notes.txt"),
    ):
        with pytest.raises(ToolRefusedError):
            case()
    assert snapshot(repo / ".git/hooks") == {}


def test_a_payload_without_the_executable_bit_is_given_to_sh(
    repo: Path, tmp_path: Path, trace: Path
) -> None:
    plain = tmp_path / "plain"
    plain.write_text('echo plain >>"$HPP_TRACE"\n')

    install(repo, plain)

    assert commit(repo) == 0
    assert trace.read_text() == "plain\n"


def test_control_a_wrapper_that_runs_nothing_would_be_seen(
    repo: Path, payload: Path, trace: Path
) -> None:
    install(repo, payload)
    script(repo / ".git/hooks/pre-commit", "exit 0")

    commit(repo)

    assert not trace.exists()
