"""``hpp decide``: check a decision, measure a decider, compare two."""

from __future__ import annotations

from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values
    from hpp.decide.gate import Demands
    from hpp.decide.suite import Suite
    from hpp.decide.verdict import Verdict

__all__ = ["DECIDE"]


def _validate_arguments(declared: Arguments) -> None:
    declared.positional("RECORD", help="decision record; - is stdin")


def _validate(values: Values) -> int:
    from hpp.core.output import write_json
    from hpp.decide.decision import read_decision
    from hpp.decide.reading import read_place

    decision = read_decision(read_place(values.record))
    value, action = decision.effective()
    effective = {"value": value, "action": action, "declared": decision.declared}
    write_json({"status": "valid", "effective": effective, "record": decision.document()})
    return 0


def _eval_arguments(declared: Arguments) -> None:
    declared.positional("SUITE", help="labelled suite; - is stdin")
    declared.option(
        "--decider-command", "JSON", help="program to ask, a JSON array; else records are replayed"
    )
    declared.option(
        "--protocol",
        "WORD",
        help="a process for each case, or one that answers line by line",
        choices=("process", "jsonl"),
        default="process",
    )
    declared.option("--timeout", "S", help="seconds for each answer", kind="number", default=10.0)
    declared.option(
        "--min-selective-accuracy",
        "A",
        help="least share of right ones among recommendations",
        default="0.9",
    )
    declared.option(
        "--min-coverage",
        "C",
        help="least share of answerable cases that are answered",
        default="0.5",
    )
    declared.option(
        "--max-confident-errors",
        "N",
        help="most wrong ones at or above the suite's floor (default 0)",
        kind="integer",
        default=0,
    )
    declared.option(
        "--max-failures",
        "N",
        help="most instrument failures (default 0)",
        kind="integer",
        default=0,
    )


def _eval(values: Values) -> int:
    from hpp.core.output import write_json
    from hpp.decide.decider import replay
    from hpp.decide.evaluation import REPLAY, Evaluation
    from hpp.decide.suite import read_suite

    demands = _demands(values)
    command = _command(values)
    suite = read_suite(values.suite)
    if command is None:
        evaluation = Evaluation(suite, replay(suite), demands, mode=REPLAY)
    else:
        mode = "jsonl" if values.protocol == "jsonl" else "command"
        verdicts = _ask(suite, command, values)
        evaluation = Evaluation(suite, verdicts, demands, mode=mode, command=command)
    write_json(evaluation.document())
    return 0 if evaluation.is_passed else 1


def _demands(values: Values) -> Demands:
    from hpp.core.threshold import parse_share
    from hpp.decide.gate import Demands

    return Demands(
        min_selective_accuracy=parse_share(
            "--min-selective-accuracy", values.min_selective_accuracy
        ),
        min_coverage=parse_share("--min-coverage", values.min_coverage),
        max_confident_errors=values.max_confident_errors,
        max_failures=values.max_failures,
    )


def _command(values: Values) -> list[str] | None:
    """Return the declared program, or None when records are replayed."""
    from hpp.core.bound import check_timeout
    from hpp.core.errors import RefusedError
    from hpp.core.jsonargv import parse_argv

    check_timeout(values.timeout)
    if values.decider_command is not None:
        return parse_argv("--decider-command", values.decider_command)
    if values.given("protocol"):
        raise RefusedError("--protocol says how a program is asked; it needs --decider-command")
    return None


def _ask(suite: Suite, command: list[str], values: Values) -> list[Verdict]:
    import os

    from hpp.core.interview import Interview
    from hpp.core.progress import Progress, terminal
    from hpp.decide.decider import ask

    interview = Interview(command, timeout_s=values.timeout, protocol=values.protocol)
    with Progress(terminal(os.environ), unit="cases") as progress:
        return ask(suite, interview, progress.tell)


def _compare_arguments(declared: Arguments) -> None:
    declared.positional("FIRST", help="report of `decide eval`")
    declared.positional("SECOND", help="report on the same cases")
    declared.option(
        "--max-broken", "N", help="cases that only the first may have right", kind="integer"
    )


def _compare(values: Values) -> int:
    from hpp.core.bound import check_count
    from hpp.core.output import write_json
    from hpp.core.strictjson import LARGE_LIMIT
    from hpp.decide.comparison import Comparison, read_report
    from hpp.decide.reading import read_place

    if values.max_broken is not None:
        check_count("--max-broken", values.max_broken)
    first, second = (
        read_report(read_place(path, limit=LARGE_LIMIT)) for path in (values.first, values.second)
    )
    comparison = Comparison(first, second)
    write_json(comparison.document())
    is_worse = values.max_broken is not None and len(comparison.broken) > values.max_broken
    return 1 if is_worse else 0


DECIDE = Command(
    "decide",
    "check a typed decision, measure a decider",
    subcommands=[
        Command("validate", "check a record", arguments=_validate_arguments, run=_validate),
        Command("eval", "measure a decider on a suite", arguments=_eval_arguments, run=_eval),
        Command(
            "compare",
            "compare two measurements case by case",
            arguments=_compare_arguments,
            run=_compare,
        ),
    ],
)
