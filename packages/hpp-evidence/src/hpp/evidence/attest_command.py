"""``hpp attest``: bind a verdict to the bytes it was given on, and check it later."""

from __future__ import annotations

from hpp.core.command import Command
from hpp.evidence.signoption import declare_allowed_signers, declare_signer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values

__all__ = ["ATTEST"]

VERDICTS = ("approved", "revise", "blocked")


def _create_arguments(declared: Arguments) -> None:
    declared.option("--repo", "DIR", help="any folder of the work tree", default=".")
    declared.option("--spec", "FILE", help="what the verdict is about", required=True)
    declared.option("--maker", "NAME", help="who made the work", required=True)
    declared.option("--checker", "NAME", help="who checked it, somebody else", required=True)
    declared.option("--session", "ID", help="the review", required=True)
    declared.option("--verdict", "WORD", help="verdict", required=True, choices=VERDICTS)
    declared.option("--output", "FILE", help="file of the record", required=True)
    declared.option("--paths", "PATH", help="bind these alone", repeat=True, many=True)
    declared.option("--deliberation", "FILE", help="sealed session that may be stricter")
    declared.option("--maker-family", "NAME", help="family that its judge must not be of")
    declare_signer(declared)


def _create(values: Values) -> int:
    from hpp.core.output import write_json
    from hpp.evidence.attestation import create_attestation

    record = create_attestation(
        repo=values.repo,
        spec=values.spec,
        maker=values.maker,
        checker=values.checker,
        session=values.session,
        verdict=values.verdict,
        output=values.output,
        sign_key=values.sign_key,
        signer=values.signer,
        paths=values.paths,
        deliberation=values.deliberation,
        maker_family=values.maker_family,
    )
    # The file has the entries; a tree of a hundred thousand files would drown the answer.
    snapshot = _without_entries(record["snapshot"])
    if "outside" in snapshot:
        snapshot["outside"] = _without_entries(snapshot["outside"])
    write_json({"status": "recorded", **record, "snapshot": snapshot})
    return 0 if record["verdict"] == "approved" else 2


def _without_entries(snapshot: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in snapshot.items() if key != "entries"}


def _verify_arguments(declared: Arguments) -> None:
    declared.positional("FILE", help="record to check")
    declared.option("--repo", "DIR", help="any folder of the work tree", default=".")
    declared.option("--spec", "FILE", help="spec that the record must be about")
    declare_allowed_signers(declared)


def _verify(values: Values) -> int:
    from hpp.core.output import write_json
    from hpp.evidence.attestverify import verify_attestation

    report = verify_attestation(
        values.file,
        repo=values.repo,
        spec=values.spec,
        allowed_signers=values.allowed_signers,
    )
    write_json(report)
    return 0 if report["status"] == "valid" else 2


def _export_arguments(declared: Arguments) -> None:
    from hpp.evidence.export_command import declare_attestation

    declare_attestation(declared)


def _export(values: Values) -> int:
    from hpp.evidence.export_command import export_attestation

    return export_attestation(values)


ATTEST = Command(
    "attest",
    "bind a checker's verdict to the bytes it was given on",
    subcommands=[
        Command("create", "record a verdict", arguments=_create_arguments, run=_create),
        Command("verify", "check a record again", arguments=_verify_arguments, run=_verify),
        Command(
            "export",
            "write a record as in-toto",
            arguments=_export_arguments,
            run=_export,
        ),
    ],
)
