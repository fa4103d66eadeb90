"""``hpp benchmark``: run the packaged controls, each a good and a bad case."""

from __future__ import annotations

from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.evaluation import Evaluation

__all__ = ["COMMAND", "run_benchmark"]

_LABELS = (("pass_at_k", "pass@k"), ("pass_caret_k", "pass^k"))


def _arguments(declared: Arguments) -> None:
    declared.option("-k", "N", help="runs of each control", kind="integer", default=3)
    declared.flag("--json", help="print every run as JSON")


def _run(values: Values) -> int:
    from hpp.cli.eval import check_k
    from hpp.core.output import write_json, write_text

    check_k(values.k)
    evaluation, not_run = run_benchmark(values.k)
    if values.json:
        write_json({**evaluation.document(), "not_run": not_run})
    else:
        write_text(_line(evaluation, not_run))
    return 0 if evaluation.passed else 1


def run_benchmark(k: int, *, quiet: bool = False) -> tuple[Evaluation, list[dict[str, Any]]]:
    """Return the judged controls, and those of families that are not installed.

    What is not run is in no metric. A control of a distribution that is installed, and does
    not offer it, fails.

    Args:
        k: Runs of each control.
        quiet: Show nothing while they run.

    """
    from hpp.cli.eval import evaluate
    from hpp.cli.example import example_path
    from hpp.core.control import OWNERS, Control, installed_controls
    from hpp.core.service import install_line
    from hpp.core.suite import read_suite

    installed = installed_controls()
    missing = {name: Control(_absent) for name in OWNERS if name not in installed}
    suite = read_suite(example_path("benchmark-suite.json"), {**installed, **missing})
    not_run = [
        {"id": case.id, "distribution": OWNERS[case.id], "install": install_line(OWNERS[case.id])}
        for case in suite.cases
        if case.id in missing and not is_installed(OWNERS[case.id])
    ]
    left_out = {entry["id"] for entry in not_run}
    suite.cases = [case for case in suite.cases if case.id not in left_out]
    return evaluate(suite, k, "both", quiet=quiet), not_run


def is_installed(distribution: str) -> bool:
    """Say whether a distribution is installed, whole or not."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import distribution as installed

    try:
        installed(distribution)
    except PackageNotFoundError:
        return False
    return True


def _absent() -> Any:  # noqa: ANN401 -- it never returns
    raise LookupError


def _line(evaluation: Evaluation, not_run: list[dict[str, Any]]) -> str:
    total = len(evaluation.cases)
    shares = [
        f"{label}={_share(evaluation.counts[name], total)} ({evaluation.counts[name]}/{total})"
        for name, label in _LABELS
    ]
    parts = [f"benchmark k={evaluation.run.k}", *shares]
    parts.append(f"gate={'PASS' if evaluation.passed else 'FAIL'}")
    failed = [case.id for case in evaluation.cases if not case.pass_caret_k]
    if failed:
        parts.append(f"failed={','.join(failed)}")
    if not_run:
        parts.append(
            "not-run=" + ",".join(f"{one['id']}({one['distribution']})" for one in not_run)
        )
    return " ".join(parts) + "\n"


def _share(count: int, total: int) -> str:
    """Return a share with two decimals, rounded down: 1.00 is all of them."""
    hundredths = 100 * count // total
    return f"{hundredths // 100}.{hundredths % 100:02d}"


COMMAND = Command(
    "benchmark",
    "prove that every mechanism tells good from bad",
    arguments=_arguments,
    run=_run,
)
