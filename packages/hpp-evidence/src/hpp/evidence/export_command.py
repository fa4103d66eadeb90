"""``hpp evidence export`` and ``hpp attest export``: records in the formats of others."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values
    from hpp.evidence.signing import Key

__all__ = ["declare_attestation", "declare_evidence", "export_attestation", "export_evidence"]

IN_TOTO, JUNIT, SARIF = "in-toto", "junit", "sarif"


def declare_evidence(declared: Arguments) -> None:
    """Declare what ``hpp evidence export`` accepts."""
    declared.positional("RECORD", help="evidence record; one for in-toto", many=True)
    declared.option(
        "--format", "WORD", help="format", required=True, choices=(IN_TOTO, JUNIT, SARIF)
    )
    declared.option("--sign-key", "FILE", help="key that ssh-keygen signs the envelope with")


def export_evidence(values: Values) -> int:
    """Print evidence records in another format."""
    from hpp.core.errors import RefusedError
    from hpp.core.output import write_json, write_text
    from hpp.evidence.verification import sound_record

    key = _key(values.sign_key)
    if key is not None and values.format != IN_TOTO:
        raise RefusedError(f"--sign-key: the format {values.format} has no place for a signature")
    if values.format == IN_TOTO and len(values.record) > 1:
        raise RefusedError("the format in-toto takes one record")
    records = [sound_record(path) for path in values.record]
    if values.format == JUNIT:
        from hpp.evidence.junitreport import junit_report

        write_text(junit_report(records))
    elif values.format == SARIF:
        from importlib.metadata import version

        from hpp.evidence.evidencesarif import sarif_log

        write_json(sarif_log(records, version("hpp-evidence")))
    else:
        from hpp.evidence.statement import envelope, evidence_statement

        write_json(envelope(evidence_statement(records[0]), key))
    return 0


def declare_attestation(declared: Arguments) -> None:
    """Declare what ``hpp attest export`` accepts."""
    declared.positional("FILE", help="attestation")
    declared.option("--format", "WORD", help="format", required=True, choices=(IN_TOTO,))
    declared.option("--sign-key", "FILE", help="key that ssh-keygen signs the envelope with")


def export_attestation(values: Values) -> int:
    """Print an attestation in another format."""
    from hpp.core.output import write_json
    from hpp.evidence.statement import attestation_statement, envelope, sound_attestation

    key = _key(values.sign_key)
    write_json(envelope(attestation_statement(sound_attestation(values.file)), key))
    return 0


def _key(path: str | None) -> Key | None:
    if path is None:
        return None
    from hpp.evidence.signing import Key

    return Key(path)
