"""``hpp evidence mutate``: see whether a criterion notices that the code is wrong."""

from __future__ import annotations

import os

from hpp.core.command import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values
    from hpp.evidence.mutant import Mutant

__all__ = ["declare", "run"]


def declare(declared: Arguments) -> None:
    """Declare what the command accepts."""
    declared.option("--id", "ID", help="name of the criterion", required=True)
    declared.option("--mutants", "FILE", help="document that declares mutants", repeat=True)
    declared.option("--generate", "PY_FILE", help="make mutants of its tokens", repeat=True)
    declared.option("--timeout", "S", help="seconds a run may take", kind="number", default=600.0)
    declared.option("--out", "DIR", help="folder of the record", default=".hpp/evidence")
    declared.option("--link", "DIR", help="link this folder, which is not copied", repeat=True)
    declared.option("--jobs", "N", help="runs at a time", kind="integer", default=1)
    declared.remainder("PROGRAM [ARG ...]", help="the criterion, run with no shell")


def run(values: Values) -> int:
    """Run the criterion on copies and print the record."""
    from hpp.core.errors import RefusedError
    from hpp.core.output import write_json
    from hpp.core.progress import Progress, terminal
    from hpp.evidence.mutation import EXIT_CODES, run_mutation
    from hpp.evidence.request import Request

    request = Request(
        values.id, values.rest or [], root=os.getcwd(), timeout_s=values.timeout, out=values.out
    )
    if not values.mutants and not values.generate:
        raise RefusedError("no mutants: declare them with --mutants or make them with --generate")
    mutants = _mutants(values, os.path.realpath(request.root))
    with Progress(terminal(os.environ), unit="mutants") as progress:
        progress.tell(0, len(mutants), "the clean copy")
        record = run_mutation(
            request, mutants, links=values.link, jobs=values.jobs, tell=progress.tell
        )
    write_json(record)
    if record["verdict"] == "no-control":
        say("the criterion does not pass on the clean copy, so it proves nothing about mutants")
    return EXIT_CODES[record["verdict"]]


def _mutants(values: Values, root: str) -> list[Mutant]:
    mutants: list[Mutant] = []
    if values.mutants:
        from hpp.evidence.mutant import read_mutants

        for path in dict.fromkeys(values.mutants):
            mutants += read_mutants(path, root)
    if values.generate:
        from hpp.evidence.tokenmutant import token_mutants

        for path in dict.fromkeys(values.generate):
            mutants += token_mutants(path, root)
    return mutants
