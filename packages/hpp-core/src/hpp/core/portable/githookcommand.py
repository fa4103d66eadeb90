"""``install_git_hook.py``: chain a script behind a repository's own hook, or take it out."""

from __future__ import annotations

import os
import shutil
import subprocess

from hpp.core.portable.githook import GitHook
from hpp.core.portable.report import WARN, ToolRefusedError, problem, report
from hpp.core.portable.toolscript import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.portable.selftest import Checks

__all__ = ["TOOL", "main"]

SCHEMA = "hpp.git-hook-report/v1"


def main(words: list[str]) -> int:
    """Answer one command line."""
    return TOOL.main(words)


def _declare(arguments: Arguments) -> None:
    arguments.option("--repo", "DIR", required=True, help="a folder of the repository")
    arguments.option("--hook-name", "NAME", required=True, help="for instance pre-commit")
    arguments.option("--payload", "FILE", help="the script that is to run; not with --undo")
    arguments.flag("--undo", help="put back what was there before")
    arguments.flag("--apply", help="write; without it the plan is shown and nothing is written")
    arguments.flag("--allow-tracked", help="write although the hooks lie in the working tree")


def _run(values: Values) -> dict[str, Any]:
    from hpp.core.errors import UsageError

    if (values.payload is None) != values.undo:
        raise UsageError("--payload is needed, except with --undo, which takes none")
    hook = GitHook(values.repo, values.hook_name)
    problems, apply = _tracked(hook, values), values.apply
    if problems:
        apply = False
    if values.undo:
        what, warnings = hook.undo(apply=apply)
        problems += warnings
    else:
        what = hook.install(values.payload) if apply else hook.plan(values.payload)
    return report(
        SCHEMA,
        problems,
        mode="apply" if apply else "plan",
        verb="undo" if values.undo else "install",
        repo=values.repo,
        hook=values.hook_name,
        found=hook.present,
        outcome=what,
    )


def _tracked(hook: GitHook, values: Values) -> list[dict[str, str]]:
    if not hook.tracked or values.allow_tracked:
        return []
    return [
        problem(
            "hooks-path-tracked", severity=WARN, path=values.repo,
            measured="core.hooksPath names a folder of the working tree",
            expected="hooks outside it, which a commit cannot carry to others",
            following="add the hook to the files that the project tracks, or say --allow-tracked",
        )
    ]  # fmt: skip


def _self_test(checks: Checks, folder: str) -> None:
    try:
        GitHook(folder, "pre-commit")
        is_refused = False
    except ToolRefusedError:
        is_refused = True
    checks.check("a folder that is no repository is refused", is_refused)
    if shutil.which("git") is None or shutil.which("sh") is None:
        checks.skip("the chain", "git or sh is not on PATH")
        return
    repo, tree = os.path.join(folder, "repo"), os.path.join(folder, "tree")
    os.mkdir(repo)
    _git(repo, "init", "-q")
    _git(repo, "commit", "-q", "--allow-empty", "-m", "first")
    _git(repo, "worktree", "add", "-q", tree)
    payload = os.path.join(folder, "payload.sh")
    _script(payload, "mine")
    hooks = os.path.join(repo, ".git", "hooks")
    first = _script(os.path.join(hooks, "pre-push"), "one")

    what = GitHook(tree, "pre-push").install(payload)
    checks.check("it is chained from a linked worktree", what == "chained")
    checks.check("standard input and arguments reach both",
                _call(folder, hooks) == "one:a:in|mine:a:in|")  # fmt: skip
    checks.check("a second run does nothing", GitHook(repo, "pre-push").install(payload) == "no-op")
    second = _script(os.path.join(hooks, "pre-push"), "two")
    GitHook(repo, "pre-push").install(payload)
    kept = [_bytes(os.path.join(hooks, f"pre-push.hpp-before{end}")) for end in ("", "-2")]
    checks.check("two hooks of others are preserved", kept == [first, second])
    wrapper = os.path.join(hooks, "pre-push")
    own = _bytes(wrapper)
    _write(wrapper, own + b"# mine\n")
    checks.check("an edited wrapper is refused", _is_edited(repo))
    _write(wrapper, own)
    GitHook(repo, "pre-push").undo(apply=True)
    checks.check("an undo puts back the bytes", _bytes(wrapper) == second)


def _is_edited(repo: str) -> bool:
    try:
        GitHook(repo, "pre-push").undo(apply=True)
    except ToolRefusedError as refusal:
        return refusal.problem["code"] == "wrapper-edited"
    return False


def _call(folder: str, hooks: str) -> str:
    trace = os.path.join(folder, "trace")
    subprocess.run(
        ["sh", os.path.join(hooks, "pre-push"), "a"],  # noqa: S607 -- what git would start
        input=b"in", cwd=folder, env={**os.environ, "HPP_TRACE": trace}, timeout=20, check=False,
    )  # fmt: skip
    return _bytes(trace).decode()


def _script(path: str, name: str) -> bytes:
    """Write a hook that tells its name, its argument and its input; return its bytes."""
    data = (
        f'#!/bin/sh\nprintf "%s" "{name}:$1:" >>"$HPP_TRACE"\n'
        'cat >>"$HPP_TRACE"\nprintf "|" >>"$HPP_TRACE"\n'
    ).encode()
    _write(path, data)
    os.chmod(path, 0o755)  # noqa: S103 -- a hook is run only when it is executable
    return data


def _git(repo: str, *words: str) -> None:
    from hpp.core.git import git_argv, git_environment

    identity = ["-c", "user.name=hpp", "-c", "user.email=hpp@example.invalid"]
    subprocess.run(
        git_argv([*identity, *words]), cwd=repo, env=git_environment(), capture_output=True,
        stdin=subprocess.DEVNULL, timeout=20, check=True,
    )  # fmt: skip


def _write(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as stream:
        stream.write(data)


def _bytes(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read()


TOOL = Tool(
    "install_git_hook.py",
    "Chain a script behind a repository's own git hook, or take it out again.",
    schema=SCHEMA,
    declare=_declare,
    run=_run,
    self_test=_self_test,
)
