"""The verbs of `health_probe.py`; each takes the parsed words and returns the exit status."""

from __future__ import annotations

import os
import sys
import time

from _lib.approval import approval_of, described, is_approved
from _lib.health_core import LONGEST_TTL_S
from _lib.healthrun import Judged, judge_cache, monitors
from _lib.setting import Settings, project_root, read_settings

from hpp.core.errors import RefusedError
from hpp.core.portable.scriptcli import Parser, make_parser, write_report
from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    Probing = Callable[..., Judged]

__all__ = ["make_verbs"]

_NONE = "no probe is configured"


def make_verbs(probing: Probing) -> tuple[Parser, Callable[[argparse.Namespace], int]]:
    """Return the parser of the command line, and what runs it.

    Args:
        probing: Probes what settings name and returns what it comes to.

    """
    parser = make_parser("health_probe.py", "Ask services and data how they are.", json=False)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    run = verbs.add_parser("run", help="probe, write the cache, report")
    run.add_argument("--quiet", action="store_true", help="print nothing when all is well")
    run.add_argument("--json", action="store_true", help="print one JSON object")
    run.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these probes alone")
    run.add_argument(
        "--allow-unanchored", action="store_true",
        help="where there is no git folder: run what the profile names, unapproved",
    )  # fmt: skip
    check = verbs.add_parser("check", help="judge the cache; nothing is probed")
    check.add_argument("--json", action="store_true", help="print one JSON object")
    check.add_argument("--max-age", type=_seconds, metavar="S", help="most age of the cache")
    approve = verbs.add_parser("approve", help="show what would be run and asked")
    approve.add_argument("--apply", action="store_true", help="allow exactly that")
    export = verbs.add_parser("export-monitors", help="the probes as monitors")
    export.add_argument("--out", metavar="F", help="a file that is not there yet")
    export.add_argument("--apply", action="store_true", help="write it")
    verbs.add_parser("validate", help="check the configuration")

    def answer(words: argparse.Namespace) -> int:
        here = os.getcwd()
        settings = read_settings(project_root(os.environ), here, os.environ)
        if words.verb == "run":
            return _run(words, settings, probing)
        return _VERBS[words.verb](words, settings)

    return parser, answer


def _run(words: argparse.Namespace, settings: Settings, probing: Probing) -> int:
    if not settings.probes and not words.only:
        return _none(as_json=words.json)
    judged = probing(settings, only=words.only, allow_unanchored=words.allow_unanchored)
    if words.quiet and not judged.status and not words.json:
        return 0
    return _said(judged, as_json=words.json)


def _check(words: argparse.Namespace, settings: Settings) -> int:
    if not settings.probes:
        return _none(as_json=words.json)
    return _said(judge_cache(settings, time.time(), words.max_age), as_json=words.json)


def _approve(words: argparse.Namespace, settings: Settings) -> int:
    digest = approval_of(settings.probes)
    if digest is None:
        _lines("nothing needs an approval")
        return 0
    _lines(*(described(probe) for probe in settings.probes if probe.needs_approval))
    known = is_approved(settings.probes, settings.root)
    if known is None:
        raise RefusedError("there is no git folder that could hold an approval")
    if not words.apply:
        _lines("approved already" if known else "nothing was written; --apply allows exactly this")
        return 0
    from hpp.core.portable.anchor_write import add_health_probe

    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    add_health_probe(settings.root, digest, at)
    _lines("approved; any edit of these probes voids it")
    return 0


def _export(words: argparse.Namespace, settings: Settings) -> int:
    listed = monitors(settings, time.time())
    if words.apply and words.out is None:
        raise RefusedError("--apply: expected --out and the name of a file")
    if words.out is None:
        write_report(listed)
        return 0
    if os.path.lexists(words.out):
        raise RefusedError(f"{words.out}: it is there already")
    if not words.apply:
        _lines(f"would write {len(listed)} monitors", "nothing was written; --apply writes it")
        return 0
    from _lib.cache_store import write_new

    write_new(words.out, listed)
    _lines(f"wrote {len(listed)} monitors")
    return 0


def _validate(words: argparse.Namespace, settings: Settings) -> int:
    del words
    services = sum(probe.is_service for probe in settings.probes)
    data = len(settings.probes) - services
    needing = sum(probe.needs_approval for probe in settings.probes)
    _lines(f"services {services}, data {data}, to be approved {needing}")
    return 0


_VERBS = {
    "check": _check,
    "approve": _approve,
    "export-monitors": _export,
    "validate": _validate,
}


def _none(*, as_json: bool) -> int:
    if as_json:
        write_report({"schema": "health.report/v1", "status": 0, "line": _NONE,
                      "services": {}, "feeds": {}, "correctness": "not-measured"})  # fmt: skip
    else:
        _lines(_NONE)
    return 0


def _said(judged: Judged, *, as_json: bool) -> int:
    if as_json:
        write_report(
            {
                "schema": "health.report/v1",
                "status": judged.status,
                "line": judged.line,
                "cache": judged.state,
                "services": judged.services,
                "feeds": judged.feeds,
                "correctness": "not-measured",
            }
        )
    else:
        _lines(judged.line)
    return judged.status


def _lines(*lines: str) -> None:
    sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))


def _seconds(text: str) -> float:
    from argparse import ArgumentTypeError

    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= LONGEST_TTL_S:
        raise ArgumentTypeError(f"expected seconds from 0 to {LONGEST_TTL_S}")
    return value
