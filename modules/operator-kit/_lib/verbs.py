"""Commands that destroy something for good: one table for every hook that asks about them."""

from __future__ import annotations

from hpp.core.portable.shellwords import git_call
from hpp.core.portable.tokenpattern import first_match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.portable.gitwords import GitCall
    from hpp.core.portable.shellwords import Command

__all__ = ["destructive_verb", "is_snapshot"]

_SQL_CLIENTS = frozenset({"psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "bq", "duckdb"})
_SQL = (("DROP", ("TABLE", "DATABASE", "SCHEMA")), ("TRUNCATE", ("TABLE",)))
_PLAIN = ("docker rm -f", "docker rm --force", "docker volume rm", "docker system prune",
          "kubectl delete", "terraform destroy", "shred")  # fmt: skip


def destructive_verb(  # noqa: PLR0911 -- a table, one return a row
    command: Command,
    own: Sequence[str],
) -> str | None:
    """Return the name of what a command destroys by, or None.

    Args:
        command: One simple command.
        own: The profile's patterns of words.

    """
    name = command.program.lower()
    if not name:
        return None
    words = [name, *command.words[1:]]
    if name == "rm":
        from _lib.deletion import is_recursive

        if is_recursive(command.words):
            return "rm -r"
    if name == "git":
        call = git_call(command)
        verb = _git(call) if call is not None else None
        if verb is not None:
            return verb
    if name == "mkfs" or name.startswith("mkfs."):
        return "mkfs"
    if name == "dd" and any(word.startswith("of=") for word in words):
        return "dd of="
    if name in _SQL_CLIENTS:
        return _sql(" ".join(words[1:]))
    return _docker(words) or first_match(_PLAIN, words) or first_match(own, words)


def is_snapshot(command: Command) -> bool:
    """Say whether a command keeps a copy of something."""
    name, words = command.program.lower(), command.words
    if name == "git":
        call = git_call(command)
        return call is not None and _is_git_copy(call)
    if name == "cp":
        return any(
            word.startswith("--recursive") or word == "--archive"
            or (word[:1] == "-" and word[:2] != "--" and not {"r", "R", "a"}.isdisjoint(word))
            for word in words[1:]
        )  # fmt: skip
    if name == "tar":
        first = words[1] if len(words) > 1 else ""
        return "--create" in words or ("c" in first.lstrip("-") and not first.startswith("--"))
    return name in ("pg_dump", "pg_dumpall", "mysqldump")


def _git(  # noqa: PLR0911 -- a table, one return a row
    call: GitCall,
) -> str | None:
    verb = call.subcommand
    if verb == "reset" and call.has("--hard"):
        return "git reset --hard"
    if verb == "clean":
        from _lib.deletion import is_forced_clean

        return "git clean -f" if is_forced_clean(call) else None
    if verb == "checkout" and (call.has("-f", "--force") or "." in call.operands):
        return "git checkout -f" if call.has("-f", "--force") else "git checkout -- ."
    if verb == "restore" and "." in call.operands:
        is_index = call.has("--staged", "-S") and not call.has("--worktree", "-W")
        return None if is_index else "git restore ."
    if verb == "branch" and (call.has("-D") or (call.has("-d") and call.has("-f", "--force"))):
        return "git branch -D"
    if verb == "push" and _is_forced(call):
        return "git push --force"
    if verb == "stash" and call.operands[:1] in (["drop"], ["clear"]):
        return f"git stash {call.operands[0]}"
    if verb == "worktree" and call.operands[:1] == ["remove"] and call.has("-f", "--force"):
        return "git worktree remove --force"
    return None


def _is_forced(call: GitCall) -> bool:
    from _lib.push import read_push

    push = read_push(call, lambda: None)
    return push is not None and bool(push.forced)


def _is_git_copy(call: GitCall) -> bool:
    if call.subcommand == "stash":
        return call.operands[:1] in ([], ["push"], ["save"])
    if call.subcommand == "branch":
        return bool(call.operands) and not call.has("-D", "-d", "--delete", "-m", "-M")
    return call.subcommand == "worktree" and call.operands[:1] == ["add"]


def _docker(words: Sequence[str]) -> str | None:
    if words[0] != "docker" or words[1:2] != ["rm"]:
        return None
    forced = any(
        word == "--force" or (word[:1] == "-" and word[:2] != "--" and "f" in word)
        for word in words
    )
    return "docker rm -f" if forced else None


def _sql(text: str) -> str | None:
    words = text.upper().replace("(", " ").replace("/**/", " ").split()
    for verb, kinds in _SQL:
        for at, word in enumerate(words[:-1]):
            if word.endswith(verb) and words[at + 1] in kinds:
                return f"{verb} {words[at + 1]}".lower()
    return None
