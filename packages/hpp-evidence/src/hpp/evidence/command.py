"""``hpp evidence``: run a criterion, verify its record, try it on mutants."""

from __future__ import annotations

import os

from hpp.core.command import Command
from hpp.core.family import run_family
from hpp.evidence.signoption import declare_allowed_signers, declare_signer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.arguments import Arguments, Values

__all__ = ["EVIDENCE", "main"]


def _run_arguments(declared: Arguments) -> None:
    declared.option("--id", "ID", help="name of the criterion", required=True)
    declared.option("--artifact", "GLOB", help="file the program is expected to write", repeat=True)
    declared.option("--timeout", "S", help="seconds it may take", kind="number", default=600.0)
    declared.option("--out", "DIR", help="folder of the record", default=".hpp/evidence")
    declared.flag("--record-event", help="append evidence_recorded when it passes")
    declared.option("--work", "ID", help="piece of work that the event names")
    declared.option("--manifest", "FILE", help="manifest whose loop judges the event")
    declare_signer(declared)
    declared.remainder("PROGRAM [ARG ...]", help="the criterion, run with no shell")


def _run(values: Values) -> int:
    from hpp.core.collector import Paused

    with Paused():  # what a short command leaves behind is not worth looking for while it loads
        return _run_criterion(values)


def _run_criterion(values: Values) -> int:
    from hpp.core.output import write_json
    from hpp.evidence.criterion import run_criterion
    from hpp.evidence.request import Request

    request = Request(
        values.id,
        values.rest or [],
        root=os.getcwd(),
        artifacts=values.artifact,
        timeout_s=values.timeout,
        out=values.out,
        record_event=values.record_event,
        work=values.work,
    )
    loop = None
    if request.record_event:
        from hpp.core.loop import Loop
        from hpp.core.manifest import find_manifest, load_manifest

        loop = Loop.of(load_manifest(find_manifest(values.manifest)))
    signer = None
    if values.sign_key is not None or values.signer is not None:
        from hpp.evidence.signing import Signer

        signer = Signer.asked_for(values.sign_key, values.signer)
    result = run_criterion(request, loop=loop, own_children=True, signer=signer)
    write_json(result.printed())
    if result.event_error is not None:
        return 2
    return 0 if result.passed else 1


def _verify_arguments(declared: Arguments) -> None:
    declared.positional("RECORD", help="record to re-derive from the files of this folder")
    declare_allowed_signers(declared)


def _verify(values: Values) -> int:
    from hpp.core.output import write_json
    from hpp.evidence.verification import verify_record

    report = verify_record(values.record, root=os.getcwd(), allowed_signers=values.allowed_signers)
    write_json(report.printed())
    return report.exit_code


def _mutate_arguments(declared: Arguments) -> None:
    from hpp.evidence.mutate_command import declare

    declare(declared)


def _mutate(values: Values) -> int:
    from hpp.evidence.mutate_command import run

    return run(values)


def _export_arguments(declared: Arguments) -> None:
    from hpp.evidence.export_command import declare_evidence

    declare_evidence(declared)


def _export(values: Values) -> int:
    from hpp.evidence.export_command import export_evidence

    return export_evidence(values)


EVIDENCE = Command(
    "evidence",
    "run a criterion and record what was measured",
    subcommands=[
        Command("run", "run a criterion and record it", arguments=_run_arguments, run=_run),
        Command(
            "mutate",
            "run a criterion on edited copies that it must notice",
            arguments=_mutate_arguments,
            run=_mutate,
        ),
        Command(
            "export",
            "write records as in-toto, JUnit or SARIF",
            arguments=_export_arguments,
            run=_export,
        ),
        Command("verify", "re-derive a record from disk", arguments=_verify_arguments, run=_verify),
    ],
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program ``hpp-evidence`` and return its exit status."""
    from hpp.evidence.attest_command import ATTEST

    return run_family("hpp-evidence", [EVIDENCE, ATTEST], argv)
