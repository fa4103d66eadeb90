"""``hpp retrieval eval``: measure a retriever and judge it by its gate."""

from __future__ import annotations

import os

from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from hpp.core.arguments import Arguments, Values
    from hpp.retrieval.bootstrap import Bootstrap
    from hpp.retrieval.evaluation import Evaluation, Retriever

__all__ = ["EVAL"]

_PROTOCOLS = ("process", "jsonl")
_MOST_JOBS = 256
_MOST_RESAMPLES = 1_000_000


def _arguments(declared: Arguments) -> None:
    declared.positional("SUITE", help="labelled suite, hpp.retrieval-suite/v1")
    declared.option(
        "--retriever-command",
        "JSON_ARGV",
        help="program to ask, as a JSON array; without it recorded results are replayed",
    )
    declared.option("-k", "N[,N...]", help="cuts; the first is the gate's (default: the suite's)")
    declared.option("--timeout", "S", help="seconds for an answer", kind="number", default=10.0)
    declared.option("--min-recall", "R", help="least mean recall (default 0.8)", default="0.8")
    declared.option(
        "--max-failures", "N", help="most instrument failures", kind="integer", default=0
    )
    declared.option(
        "--protocol",
        "P",
        help="a process for each query, or one that stays and answers line by line",
        choices=_PROTOCOLS,
        default="process",
    )
    declared.option("--jobs", "N", help="queries asked at once", kind="integer", default=1)
    declared.option("--confidence", "C", help="add intervals of that level, such as 0.95")
    declared.option("--resamples", "N", help="draws of an interval", kind="integer", default=1000)
    declared.option("--seed", "N", help="seed of the intervals", kind="integer", default=0)
    declared.option("--per-case", "FILE", help="write one line of JSON for each case")


def _run(values: Values) -> int:
    from hpp.core.collector import Paused

    with Paused():  # a suite is a million small objects; looking at them takes a fifth of the time
        return _evaluate(values)


def _evaluate(values: Values) -> int:
    from hpp.core.bound import check_count
    from hpp.core.output import write_json
    from hpp.core.progress import Progress, terminal
    from hpp.core.threshold import parse_share
    from hpp.retrieval.evaluation import evaluate
    from hpp.retrieval.gate import Gate
    from hpp.retrieval.outfile import OutFile
    from hpp.retrieval.suite import read_suite

    cuts = _cuts(values.k)
    check_count("--max-failures", values.max_failures)
    gate = Gate(parse_share("--min-recall", values.min_recall), values.max_failures)
    bootstrap = _bootstrap(values)
    per_case = OutFile(values.per_case, "--per-case") if values.per_case is not None else None
    progress = Progress(terminal(os.environ), unit="queries")
    retriever = _retriever(values, progress.tell)
    suite = read_suite(values.suite)
    with progress:
        evaluation = evaluate(suite, retriever, cuts or [suite.k])
    del suite  # the memory is better used for the report
    report = evaluation.report(gate)
    if bootstrap is not None:
        report["confidence"] = bootstrap.document(
            {str(k): bootstrap.intervals(evaluation.values(k)) for k in evaluation.cuts}
        )
    if per_case is not None:
        per_case.write(_lines(evaluation))
    write_json(report)
    return 0 if report["gate"]["passed"] else 1


def _cuts(text: str | None) -> list[int]:
    """Return the ks that were typed; none when the suite's is meant."""
    from hpp.core.arguments import LARGEST_INTEGER
    from hpp.core.errors import RefusedError, UsageError
    from hpp.core.text import shorten

    if text is None:
        return []
    cuts: list[int] = []
    for part in text.split(","):
        digits = part.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()):
            raise UsageError(f"-k: {shorten(text)!r} is not an integer, or several with commas")
        if part != digits or not digits.strip("0"):
            raise RefusedError(f"-k: expected 1 or more, got {shorten(part)}")
        if len(digits.lstrip("0")) > len(str(LARGEST_INTEGER)) or int(part) > LARGEST_INTEGER:
            raise RefusedError(f"-k: {shorten(part)} is beyond {LARGEST_INTEGER}")
        if int(part) in cuts:
            raise RefusedError(f"-k: {int(part)} is given twice")
        cuts.append(int(part))
    return cuts


def _bootstrap(values: Values) -> Bootstrap | None:
    from hpp.core.errors import RefusedError
    from hpp.core.threshold import parse_share
    from hpp.retrieval.bootstrap import Bootstrap

    if values.confidence is None:
        for key in ("resamples", "seed"):
            if values.given(key):
                raise RefusedError(f"--{key}: it is of use with --confidence alone")
        return None
    level: Fraction = parse_share("--confidence", values.confidence)
    if not 0 < level < 1:
        raise RefusedError("--confidence: expected more than 0 and less than 1, such as 0.95")
    if not 1 <= values.resamples <= _MOST_RESAMPLES:
        raise RefusedError(f"--resamples: expected 1 to {_MOST_RESAMPLES}, got {values.resamples}")
    return Bootstrap(level, values.resamples, values.seed)


def _retriever(values: Values, tell: Callable[[int, int], None]) -> Retriever:
    """Return what is measured, every option of it checked."""
    from hpp.core.bound import check_timeout
    from hpp.core.errors import RefusedError
    from hpp.core.interview import Interview
    from hpp.core.jsonargv import parse_argv
    from hpp.retrieval.retriever import CommandRetriever, Replay

    check_timeout(values.timeout)
    if not 1 <= values.jobs <= _MOST_JOBS:
        raise RefusedError(f"--jobs: expected 1 to {_MOST_JOBS}, got {values.jobs}")
    if values.retriever_command is None:
        if values.protocol != "process":
            raise RefusedError("--protocol: it is of use with --retriever-command alone")
        return Replay()
    interview = Interview(
        parse_argv("--retriever-command", values.retriever_command),
        timeout_s=values.timeout,
        protocol=values.protocol,
        jobs=values.jobs,
        tell=tell,
    )
    return CommandRetriever(interview)


def _lines(evaluation: Evaluation) -> bytes:
    from hpp.core.canonical import canonical_bytes

    return b"".join(canonical_bytes(case) + b"\n" for case in evaluation.cases)


EVAL = Command("eval", "measure a retriever against a suite", arguments=_arguments, run=_run)
