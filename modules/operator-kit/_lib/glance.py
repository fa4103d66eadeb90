"""A first look at a command's text: whether it is worth reading it command by command.

Most commands hold none of these marks, and then nothing else has to be loaded. A mark says
nothing yet; that none is there says that no rule can match.
"""

from __future__ import annotations

__all__ = ["may_destroy", "may_match", "may_send"]

_UNQUOTED = str.maketrans("", "", "'\"\\\n")
_GUARDED = ("rm", "find", "clean", "shred", "push", "delete", "curl", "wget", "fetch", "iwr", "npm",
            "yarn", "pip", "drop", "truncate", "remove-item", "rd ", "ri ", "irm", "erase", "del ",
            "invoke-webrequest")  # fmt: skip
_DESTRUCTIVE = ("rm", "docker", "kubectl", "terraform", "mkfs", "of=", "shred", "drop", "truncate",
                "reset", "clean", "checkout", "restore", "branch", "push", "stash",
                "worktree")  # fmt: skip
_SENDING = ("curl", "wget", "http", "xh", "scp", "rsync", "ftp", "nc", "ssh", "aws", "gh", "mail",
            "mutt", "netcat")  # fmt: skip


def may_match(text: str) -> bool:
    """Say whether a rule of operation-guard can match."""
    return _holds(text, _GUARDED)


def may_destroy(text: str) -> bool:
    """Say whether a command can be a destructive one."""
    return _holds(text, _DESTRUCTIVE)


def may_send(text: str) -> bool:
    """Say whether a command can send something."""
    return _holds(text, _SENDING)


def _holds(text: str, marks: tuple[str, ...]) -> bool:
    # A mark may be written across lines; an escape such as $'\\x72m' hides its letters.
    if "$'" in text:
        return True
    bare = text.translate(_UNQUOTED).lower()
    return any(mark in bare for mark in marks)
