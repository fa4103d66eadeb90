"""A request to run a criterion, checked before anything runs or is written."""

from __future__ import annotations

import os

from hpp.core.bound import check_timeout
from hpp.core.errors import HppError, RefusedError
from hpp.core.folder import Folder, is_link
from hpp.core.secretmark import may_hold_secret
from hpp.core.text import shorten
from hpp.evidence.pathname import climbs, has_drive
from hpp.evidence.pattern import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["DEFAULT_OUT", "DEFAULT_TIMEOUT_S", "Request", "open_record_folder"]

DEFAULT_OUT = ".hpp/evidence"
DEFAULT_TIMEOUT_S = 600.0
_LONGEST_ID = 80


class Request:
    """One criterion to run in a workspace.

    Args:
        identity: Names the criterion; letters, digits, ``.``, ``_``, ``-``, at most 80.
        argv: Program and arguments, run as given with no shell.
        root: The workspace; an absolute path.
        artifacts: Patterns of the files it is expected to write.
        timeout_s: Seconds, above 0 and at most 86,400.
        out: Folder of the record, inside the workspace, with ``/``.
        record_event: Whether a pass is appended to the event log.
        work: Piece of work that the event names.

    Raises:
        RefusedError: Any of them breaks a rule; the message never shows a secret.

    """

    def __init__(  # noqa: PLR0913 -- the options of the command, all but two with a default
        self,
        identity: str,
        argv: Sequence[str],
        *,
        root: str,
        artifacts: Sequence[str] = (),
        timeout_s: float = DEFAULT_TIMEOUT_S,
        out: str = DEFAULT_OUT,
        record_event: bool = False,
        work: str | None = None,
    ) -> None:
        self.argv = list(argv)
        self.identity = identity
        _check_secrets(identity, self.argv, artifacts, out, work)
        if not _is_id(identity):
            raise RefusedError(
                f"--id {shorten(identity)!r}: expected a letter or digit, then at most 79 letters,"
                " digits, dots, underscores or dashes"
            )
        _check_argv(self.argv)
        self.root = root
        self.patterns = [Pattern(text) for text in dict.fromkeys(artifacts)]
        check_timeout(timeout_s)
        self.timeout_s = float(timeout_s)
        if record_event and not self.patterns:
            raise RefusedError(
                "--record-event needs an --artifact: an event without one proves nothing"
            )
        if work is not None and not record_event:
            raise RefusedError(
                "--work names the piece of work of an event; it needs --record-event"
            )
        self.record_event = record_event
        self.work = None if work is None else _checked_work(work)
        self.out = _out_parts(out)


def open_record_folder(request: Request) -> Folder:
    """Return the record folder, created when it is not there.

    Raises:
        RefusedError: It leads outside through a link, is no folder, or cannot be created.

    """
    try:
        folder = Folder(request.root, _resolved(request.root, request.out), create=True)
    except HppError as error:
        raise RefusedError(f"--out: {error}") from None
    if not os.access(folder.path, os.W_OK | os.X_OK):
        folder.close()
        raise RefusedError(f"--out {'/'.join(request.out)}: nothing can be written there")
    return folder


def _resolved(root: str, parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the components of the folder that `parts` leads to, without links.

    A link to another folder of the workspace is followed, since a person named it. What
    lies below ``.hpp`` is ours alone, and no link is followed there.
    """
    if parts[0] == ".hpp" or not any(
        is_link(os.path.join(root, *parts[:count])) for count in range(1, len(parts) + 1)
    ):
        return parts
    top = os.path.realpath(root)
    real = os.path.realpath(os.path.join(root, *parts))
    if not real.startswith(top.rstrip(os.sep) + os.sep):
        raise RefusedError("/".join(parts) + " leads outside the workspace through a link")
    return tuple(os.path.relpath(real, top).split(os.sep))


def _out_parts(out: str) -> tuple[str, ...]:
    if not out.strip():
        raise RefusedError("--out: an empty value names no folder")
    if climbs(out) or has_drive(out) or "\0" in out:
        raise RefusedError(f"--out {shorten(out)}: expected a folder inside the workspace")
    if not _is_text(out):
        raise RefusedError("--out: it is not valid UTF-8")
    parts = tuple(part for part in out.replace("\\", "/").split("/") if part not in ("", "."))
    if not parts:
        raise RefusedError(f"--out {shorten(out)}: it names the workspace itself")
    if ".git" in parts:
        raise RefusedError(f"--out {shorten(out)}: records do not belong inside .git")
    return parts


def _check_argv(argv: Sequence[str]) -> None:
    if not argv:
        raise RefusedError("no program: write it after --, as in `-- python -m pytest -q`")
    for number, argument in enumerate(argv):
        place = "the program" if number == 0 else f"argument {number}"
        if not argument:
            raise RefusedError(f"{place}: it is empty")
        if "\0" in argument:
            raise RefusedError(f"{place}: it holds a NUL character")
        if not _is_text(argument):
            raise RefusedError(f"{place}: it is not valid UTF-8")


def _check_secrets(
    identity: str, argv: Sequence[str], artifacts: Sequence[str], out: str, work: str | None
) -> None:
    named = [("--id", identity), ("--out", out), ("--work", work or "")]
    named += [(f"--artifact {n}", text) for n, text in enumerate(artifacts, 1)]
    if not any(may_hold_secret(text) for text in (" ".join(argv), *(text for _, text in named))):
        return
    from hpp.core.secret import find_in_argv, first_kind  # with a reason: it costs a start

    hit = find_in_argv(argv)
    if hit is not None:
        place = "the program" if hit[0] == 0 else f"argument {hit[0]}"
        raise _secret(place, hit[1])
    for place, text in named:
        kind = first_kind(text)
        if kind is not None:
            raise _secret(place, kind)


def _secret(place: str, kind: str) -> RefusedError:
    return RefusedError(
        f"{place}: secret-like text ({kind}) would be recorded; pass it through the environment"
    )


def _is_id(text: str) -> bool:
    """Say whether a text names a criterion; without `re`, as every run asks."""
    plain = text.replace(".", "0").replace("_", "0").replace("-", "0")
    is_plain = plain.isascii() and plain.isalnum() and len(text) <= _LONGEST_ID
    return is_plain and text[0].isalnum()


def _checked_work(work: str) -> str:
    from hpp.core.loop import check_work_name

    return check_work_name(work)


def _is_text(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
