"""``hpp eval``: run the cases of a suite k times and let a gate judge them."""

from __future__ import annotations

import os

from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.arguments import Arguments, Values
    from hpp.core.evaluation import CaseResult, Evaluation
    from hpp.core.suite import Case, Suite

__all__ = ["COMMAND", "check_k", "evaluate"]


def _run_arguments(declared: Arguments) -> None:
    from hpp.core.evaluation import GATES

    declared.positional("FILE", help="suite: an object with version and cases; - is stdin")
    declared.option("-k", "N", help="runs of each case", kind="integer", default=3)
    declared.option("--gate", "GATE", help="what has to hold", default="capability", choices=GATES)
    declared.option("--shard", "I/N", help="run only part I of N; `eval merge` judges them all")


def _run(values: Values) -> int:
    from hpp.core.control import installed_controls
    from hpp.core.evalshard import Shard
    from hpp.core.evaluation import Run
    from hpp.core.output import write_json
    from hpp.core.suite import read_suite

    check_k(values.k)
    shard = Shard.parse(values.shard) if values.shard is not None else None
    suite = read_suite(values.file, installed_controls())
    if shard is None:
        return _show(evaluate(suite, values.k, values.gate))
    run = Run.here(suite, values.k, values.gate)
    results = _results(shard.pick(suite.cases), values.k)
    write_json(shard.document(run, results, len(suite.cases)))
    return 0


def evaluate(suite: Suite, k: int, gate: str, *, quiet: bool = False) -> Evaluation:
    """Run a suite on this machine and return the judged result."""
    from hpp.core.evaluation import Evaluation, Run

    return Evaluation(Run.here(suite, k, gate), _results(suite.cases, k, quiet=quiet))


def check_k(k: int) -> None:
    """Refuse a number of runs that is none.

    Raises:
        RefusedError: It is less than 1.

    """
    from hpp.core.errors import RefusedError

    if k < 1:
        raise RefusedError(f"-k: expected 1 or more runs, got {k}")


def _results(cases: Sequence[Case], k: int, *, quiet: bool = False) -> list[CaseResult]:
    from hpp.core.evaluation import run_cases
    from hpp.core.progress import Progress, terminal

    with Progress(None if quiet else terminal(os.environ)) as progress:
        return run_cases(cases, k, progress.tell)


def _merge_arguments(declared: Arguments) -> None:
    declared.positional("FILE", help="results of `hpp eval run --shard`, all of them", many=True)


def _merge(values: Values) -> int:
    from hpp.core.evalshard import merge_shards

    return _show(merge_shards(values.file))


def _show(evaluation: Evaluation) -> int:
    from hpp.core.output import write_json

    write_json(evaluation.document())
    return 0 if evaluation.passed else 1


COMMAND = Command(
    "eval",
    "run a suite k times and let a gate judge it",
    subcommands=[
        Command("run", "run the cases of a suite", arguments=_run_arguments, run=_run),
        Command(
            "merge",
            "put the shards of a suite together and judge them",
            arguments=_merge_arguments,
            run=_merge,
        ),
    ],
)
