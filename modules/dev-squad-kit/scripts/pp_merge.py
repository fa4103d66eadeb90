#!/usr/bin/env python3
"""Merge what several readers found about one subject, and keep who said what."""

from __future__ import annotations

import os
import sys

if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "_vendor"), ROOT]

from _lib.merging import merge
from _lib.opinion import read_opinion

from hpp.core.errors import RefusedError
from hpp.core.portable.scriptcli import make_parser, run_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

__all__ = ["PARSER"]

_HEX = 64


def _main(arguments: argparse.Namespace) -> int:
    from _lib.mergedtext import merged_text

    outputs = [path for path in (arguments.out, arguments.text, arguments.inputs) if path]
    _refuse_same(outputs, arguments.file)
    opinions = [read_opinion(path) for path in arguments.file]
    made = merge(opinions, _subject(arguments.subject))
    written = [(arguments.out, _json(made))]
    if arguments.text:
        written.append((arguments.text, merged_text(made)))
    if arguments.inputs:
        written.append((arguments.inputs, _json(made["inputs"])))
    from hpp.core.portable.fswrite import atomic_write

    for path, text in written:
        atomic_write(path, text.encode("utf-8", "backslashreplace"))
    told = ((len(made["merged"]), "merged"), (len(made["conflicts"]), "in conflict"),
            (len(made["unsupported"]), "unsupported"))  # fmt: skip
    sys.stdout.write(", ".join(f"{count} {what}" for count, what in told) + "\n")
    return 1 if made["conflicts"] or made["unsupported"] else 0


def _refuse_same(outputs: list[str], inputs: list[str]) -> None:
    """Refuse to write over an input, over another output, or where there is no folder."""
    seen = {os.path.realpath(path) for path in inputs}
    for path in outputs:
        if os.path.realpath(path) in seen:
            raise RefusedError(f"{path}: it would be written over; name another file")
        if os.path.isdir(path) or not os.path.isdir(os.path.dirname(os.path.abspath(path))):
            raise RefusedError(f"{path}: expected a file in a folder that exists")
        seen.add(os.path.realpath(path))


def _subject(given: str | None) -> str:
    """Return the digest that was given, or that of the file that was."""
    if given is None:
        return ""
    if len(given) == _HEX and not set(given) - set("0123456789abcdef"):
        return given
    from hpp.core.canonical import sha256_hex
    from hpp.core.document import read_input
    from hpp.core.strictjson import LARGE_LIMIT

    return sha256_hex(read_input(given, limit=LARGE_LIMIT))


def _json(value: Any) -> str:  # noqa: ANN401 -- any JSON value
    import json

    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return f"{text}\n"


def _self_test() -> int:
    from _lib.mergetest import self_test

    return self_test()


PARSER = make_parser("pp_merge.py", "Merge findings and notes about one subject.", json=False)
PARSER.add_argument("file", nargs="+", metavar="FILE", help="hpp.findings/v1 or hpp.notes/v1")
PARSER.add_argument("--out", required=True, metavar="F", help="the merged document")
PARSER.add_argument("--subject", metavar="S", help="file, or sha256, that all findings are about")
PARSER.add_argument("--text", metavar="F", help="write it as a text with a marker on each sentence")
PARSER.add_argument("--inputs", metavar="F", help="write the list that hpp cite check reads")

if __name__ == "__main__":
    raise SystemExit(run_script(PARSER, _main, self_test=_self_test))
