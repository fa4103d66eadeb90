from __future__ import annotations

import pytest

from hpp.core.portable.shellwords import Command, commands, git_call


def words(text: str) -> list[list[str]]:
    return [command.words for command in commands(text) if not command.opaque]


def gits(text: str) -> list[str]:
    calls = [git_call(command) for command in commands(text)]
    return [call.subcommand for call in calls if call is not None]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("git status; git push", ["status", "push"]),
        ("a && git add . || git stash &", ["add", "stash"]),
        ("(git add x; { git commit -m y; })", ["add", "commit"]),
        ("if true; then git stash; else ! git pop; fi", ["stash", "pop"]),
        ("echo $(git log) `git diff` <(git show)", ["log", "diff", "show"]),
        ("sudo -u me env A=1 timeout -k 1 5 nice git push", ["push"]),
        ("A=1 command git push", ["push"]),
        ("xargs -n1 git add", ["add"]),
        ("bash -c 'git reset --hard; eval \"git clean -fd\"'", ["reset", "clean"]),
        ("git submodule foreach 'git clean -fd'", ["submodule", "clean"]),
        ("bash <<EOF\ngit push\nEOF", ["push"]),
        ("cat <<EOF\ngit push $(git status)\nEOF", ["status"]),
        ("cat <<'EOF'\ngit push $(git status)\nEOF", []),
        ("echo 'git push' | sh", ["push"]),
        ("/usr/bin/git.exe push", ["push"]),
        ("gi''t pu\\sh", ["push"]),
        ("git \\\n push", ["push"]),
        ("$'git' push", ["push"]),
        ("echo git push; printf 'git push'; grep 'git push' f # git push", []),
        ("git commit -m 'git push --force'", ["commit"]),
    ],
    ids=range(20),
)
def test_the_calls_of_git_that_a_text_would_run(text: str, wanted: list[str]) -> None:
    assert gits(text) == wanted


def test_a_pipe_says_who_feeds_whom() -> None:
    found = commands("a | (b; c) | d; e")

    assert [(one.program, one.piped_from) for one in found] == [
        ("a", None), ("b", 0), ("c", 0), ("d", 2), ("e", None),
    ]  # fmt: skip


def test_what_cannot_be_told_is_opaque() -> None:
    for text in ("$X push", "'unclosed", "x" * 70_000, "$(which git) push"):
        assert any(one.opaque for one in commands(text))
    deep = "ls"
    for _ in range(6):
        deep = "sh -c " + "'" + deep.replace("'", "'\\''") + "'"
    assert any(one.opaque for one in commands(deep))
    assert not any(one.opaque for one in commands("git push $BRANCH"))
    assert words("git push $BRANCH") == [["git", "push", "$BRANCH"]]


def test_on_windows_the_case_of_a_program_does_not_count() -> None:
    assert commands("GIT.EXE push", system="nt")[0].program == "git"
    assert commands("GIT push", system="posix")[0].program == "GIT"


def test_a_call_of_git_is_taken_apart() -> None:
    call = git_call(
        commands(
            "git -C a --no-pager -c k=v -C b commit -aqm 'the text' --amend --author=x -- f -g"
        )[0]
    )

    assert call is not None
    assert call.directory.replace("\\", "/") == "a/b"
    assert call.settings == ["k=v"]
    assert call.options == ["-a", "-q", "-m", "--amend", "--author"]
    assert call.values == [("-m", "the text"), ("--author", "x")]
    assert call.operands == ["f", "-g"]
    assert call.has("--amend", "-x")
    assert not call.has("-g")


def test_global_options_alone_are_no_subcommand() -> None:
    call = git_call(Command(["git", "--git-dir", "x", "--version"], program="git"))

    assert call is not None
    assert call.subcommand == ""
    assert git_call(Command(["ls"], program="ls")) is None
