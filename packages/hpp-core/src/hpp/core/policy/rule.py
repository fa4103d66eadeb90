"""The rules: their ids, what each asks for, and why; the order in which they decide."""

from __future__ import annotations

__all__ = [
    "ADVISOR",
    "ALLOW",
    "BLOCK",
    "EXTERNAL_PUSH",
    "EXTERNAL_SEND",
    "FORCE_PUSH",
    "MAIN_PUSH",
    "MANUAL",
    "ORDER",
    "PIPE_TO_SHELL",
    "RAISABLE",
    "RECURSIVE_DELETE",
    "RESERVED",
    "RULES",
    "SQL",
    "TOO_DEEP",
]

ALLOW, MANUAL, BLOCK = "ALLOW", "MANUAL", "BLOCK"

RECURSIVE_DELETE = "recursive-delete"
FORCE_PUSH = "force-push"
MAIN_PUSH = "main-push"
PIPE_TO_SHELL = "pipe-to-shell"
SQL = "destructive-sql"
EXTERNAL_PUSH = "external-push"
EXTERNAL_SEND = "external-send"
ADVISOR = "decision-advisor"
TOO_DEEP = "nested-too-deep"  # not one of the eight: what could not be read is not allowed

RULES = {
    RECURSIVE_DELETE: (BLOCK, "removes a folder and everything below it without asking"),
    FORCE_PUSH: (BLOCK, "overwrites history that others may have fetched"),
    MAIN_PUSH: (BLOCK, "pushes to main or master"),
    PIPE_TO_SHELL: (BLOCK, "runs a script straight from the network"),
    SQL: (BLOCK, "drops or empties a table or a database"),
    EXTERNAL_PUSH: (MANUAL, "publishes commits; a person decides"),
    EXTERNAL_SEND: (MANUAL, "sends a request to a URL; a person decides"),
    ADVISOR: (MANUAL, "names the decision advisor, which may send text; a person decides"),
    TOO_DEEP: (MANUAL, "nests commands deeper than they are read; a person decides"),
}
ORDER = tuple(RULES)
RAISABLE = (EXTERNAL_PUSH, EXTERNAL_SEND, ADVISOR)
RESERVED = (*ORDER, "allow", "empty")  # names that no rule of a project may have
