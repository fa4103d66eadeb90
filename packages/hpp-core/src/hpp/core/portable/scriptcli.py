"""The command line of a module's script: statuses, streams and one boundary for errors.

0 done, 1 a warning or a rule that says no, 2 an input that is refused, 3 a command line
that cannot be understood or a fault of ours.
"""

from __future__ import annotations

import argparse
import os
import sys

from hpp.core.errors import HppError
from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

__all__ = ["Parser", "make_parser", "run_script", "utf8_streams", "write_report"]

_USAGE = 3
_INTERNAL = 3
_REFUSED = 2


class Parser(argparse.ArgumentParser):
    """An argument parser that leaves with 3 on a command line it cannot understand."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 -- what argparse takes
        # Verbs have parsers of their own, made from this class.
        settings.setdefault("allow_abbrev", False)
        super().__init__(**settings)

    def error(self, message: str) -> NoReturn:
        """Leave with the usage and one line that says what is wrong."""
        self.print_usage(sys.stderr)
        self.exit(_USAGE, f"{self.prog}: {printable(message)}\n")


def make_parser(name: str, description: str, *, json: bool = True) -> Parser:
    """Return the parser of a script, with the options that every script has.

    Args:
        name: The script's file name.
        description: What it does, one sentence.
        json: It has a report to print, so that ``--json`` makes sense.

    """
    parser = Parser(prog=name, description=description)
    parser.add_argument(
        "--self-test", action="store_true", help="check the script in a folder of its own"
    )
    parser.add_argument(
        "--traceback", action="store_true", help="show where a fault of ours happened"
    )
    if json:
        parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run_script(
    parser: argparse.ArgumentParser,
    main: Callable[[argparse.Namespace], int],
    argv: Sequence[str] | None = None,
    self_test: Callable[[], int] | None = None,
) -> int:
    """Parse the words, run the script and return its status; it never raises.

    Args:
        parser: From `make_parser`.
        main: The script; it raises `HppError` for what is refused.
        argv: Words; None for this process's.
        self_test: What ``--self-test`` runs, before the words are looked at.

    """
    words = sys.argv[1:] if argv is None else list(argv)
    utf8_streams()
    try:
        if self_test is not None and "--self-test" in words[: _end_of_options(words)]:
            status = self_test()
        else:
            status = main(parser.parse_args(words))
        sys.stdout.flush()
    except SystemExit as leaving:  # how argparse says that it is done
        return leaving.code if isinstance(leaving.code, int) else 0
    except BrokenPipeError:
        _forget_output()
        return 0
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 -- the one boundary
        if not isinstance(error, HppError):
            _trace(words)
        return _said(parser.prog, *_line_and_status(error))
    return status


def _line_and_status(error: BaseException) -> tuple[str, int]:
    if isinstance(error, HppError):
        return str(error), error.exit_code
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", _INTERNAL
    if isinstance(error, OSError):
        named = f"{error.filename}: " if error.filename else ""
        return f"{named}{error.strerror or error}", _REFUSED
    return f"internal error ({type(error).__name__}): {error}", _INTERNAL


def utf8_streams() -> None:
    """Make the standard streams carry UTF-8 with line feeds on every system."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="surrogateescape")


def write_report(value: object) -> None:
    """Print one JSON object, keys sorted, two blanks to a level."""
    import json

    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(f"{text}\n")


def _end_of_options(words: Sequence[str]) -> int:
    return words.index("--") if "--" in words else len(words)


def _said(name: str, text: str, status: int) -> int:
    shown = printable(" ".join(text.split()))
    from hpp.core.secretmark import may_hold_secret

    if may_hold_secret(shown):
        from hpp.core.portable.redact import shown as safe

        shown = safe(shown)
    sys.stderr.write(f"{name}: {shown}\n")
    return status


def _trace(words: Sequence[str]) -> None:
    if "--traceback" in words:
        import traceback

        traceback.print_exc()


def _forget_output() -> None:
    """Keep the interpreter from failing once more when it flushes on its way out."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return
