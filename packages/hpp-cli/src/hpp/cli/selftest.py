"""``hpp --self-test``: every packaged control three times, without touching a workspace."""

from __future__ import annotations

from hpp.core.errors import RefusedError

__all__ = ["check"]

_RUNS = 3


def check() -> None:
    """Check that the installed product tells good from bad.

    Raises:
        RefusedError: A control failed; each is named. The one of the capability graph
            fails when that graph is empty.

    """
    from hpp.cli.benchmark import run_benchmark

    evaluation, _ = run_benchmark(_RUNS)
    failed = [case.id for case in evaluation.cases if not case.pass_caret_k]
    if failed:
        raise RefusedError(f"self-test: failed: {', '.join(failed)}")
