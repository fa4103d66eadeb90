"""The wrapper that stands in a repository's hooks folder and runs two hooks in turn.

Its first lines say whose it is, what it runs and the digest of its other lines, so that an
edit is seen. It is plain `sh`: git runs it with whatever `sh` the system has, on Windows
with the one that came with git.
"""

from __future__ import annotations

import hashlib

__all__ = ["Wrapper", "read_wrapper"]

_MARK = "# hpp-git-hook v1 "
_TEMPLATE = """\
# It runs the hook that stood here before it, then the one named below; the first status
# that is not 0 ends it. Both get all arguments and the whole standard input. To take it
# out: install_git_hook.py --undo --repo . --hook-name {name} --apply
here=$(dirname "$0")
before={before}
payload={payload}
input=$(mktemp "${{TMPDIR:-/tmp}}/hpp-hook.XXXXXX") || exit 1
trap 'rm -f "$input"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
if [ ! -t 0 ]; then cat >"$input"; fi
if [ -n "$before" ] && [ -x "$here/$before" ]; then
  "$here/$before" "$@" <"$input" || exit $?
fi
if [ ! -f "$payload" ]; then
  echo "{name}: $payload is missing; put it back, or take this hook out as its first lines say" >&2
  exit 1
fi
if [ -x "$payload" ]; then
  "$payload" "$@" <"$input" || exit $?
else
  sh "$payload" "$@" <"$input" || exit $?
fi
"""


class Wrapper:
    """A wrapper of ours.

    Attributes:
        name: The git hook.
        before: Name of the preserved hook in the same folder, or an empty text.
        payload: Full path of what is run after it, with `/`.
        edited: Whether its bytes are not those that were written.

    """

    __slots__ = ("before", "edited", "name", "payload")

    def __init__(self, name: str, before: str, payload: str, *, edited: bool = False) -> None:
        self.name = name
        self.before = before
        self.payload = payload
        self.edited = edited

    def data(self) -> bytes:
        """Return the bytes of the file."""
        body = _TEMPLATE.format(
            name=self.name, before=_quoted(self.before), payload=_quoted(self.payload)
        ).encode("utf-8", "surrogateescape")
        return b"#!/bin/sh\n" + f"{_MARK}{_digest(body)}\n".encode() + body


def read_wrapper(data: bytes, name: str) -> Wrapper | None:
    """Return the wrapper that bytes are, or None when the hook is somebody else's."""
    lines = data.split(b"\n", 2)
    if len(lines) < len(("#!", "mark", "body")) or not lines[1].startswith(_MARK.encode()):
        return None
    values = _assignments(lines[2])
    found = Wrapper(name, values.get("before", ""), values.get("payload", ""))
    found.edited = found.data() != data
    if found.edited and lines[1] == f"{_MARK}{_digest(lines[2])}".encode():
        found.edited = False  # an older form of ours, whole
    return found


def _assignments(body: bytes) -> dict[str, str]:
    values = {}
    for line in body.decode("utf-8", "surrogateescape").split("\n"):
        key, _, value = line.partition("=")
        if key in ("before", "payload") and key not in values:
            values[key] = value[1:-1].replace("'\\''", "'")
    return values


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
