"""``hpp retrieval import`` and ``export``: suites from and for TREC files and BEIR folders."""

from __future__ import annotations

from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values
    from hpp.retrieval.suite import Suite
    from hpp.retrieval.trec import Judgements

__all__ = ["EXPORT", "IMPORT"]


def _import_arguments(declared: Arguments) -> None:
    declared.option("--qrels", "FILE", help="relevance judgements as TREC has them")
    declared.option("--beir", "FOLDER", help="in place of --qrels: a folder as BEIR has it")
    declared.option("--split", "NAME", help="split of the folder (default test)", default="test")
    declared.option("--queries", "FILE", help="texts: `id TAB text` lines, or BEIR's .jsonl")
    declared.option("--run", "FILE", help="rankings as TREC has them, recorded in the suite")
    declared.option(
        "--min-grade", "N", help="from which grade on relevant", kind="integer", default=1
    )
    declared.option("-k", "N", help="cut of the suite", kind="integer", default=10)
    declared.option("--name", "TEXT", help="name of the suite (default: --out without ending)")
    declared.option("--suite-version", "TEXT", help="version of the suite", default="1")
    declared.option("--out", "FILE", help="suite to write", required=True)


def _import(values: Values) -> int:
    import os

    from hpp.core.canonical import sha256_hex
    from hpp.core.document import check_stdin
    from hpp.core.errors import RefusedError
    from hpp.core.output import write_json
    from hpp.core.text import utf8_path
    from hpp.retrieval.conversion import Conversion
    from hpp.retrieval.outfile import OutFile
    from hpp.retrieval.trec import read_run

    check_stdin([values.qrels, values.queries, values.run])
    out = OutFile(values.out, "--out")
    if values.k < 1:
        raise RefusedError(f"-k: expected 1 or more, got {values.k}")
    queries, judged = _judgements(values)
    run = read_run(values.run) if values.run is not None else None
    conversion = Conversion(judged, min_grade=values.min_grade, queries=queries, run=run)
    name = values.name
    if name is None:
        name = utf8_path(os.path.splitext(os.path.basename(values.out))[0])
    data = conversion.suite_bytes(name, values.suite_version, values.k)
    out.write(data)
    write_json(conversion.report(sha256_hex(data)))
    return 0


def _judgements(values: Values) -> tuple[dict[str, str] | None, Judgements]:
    """Return the text of each query, None where ids stand for them, and the grades."""
    from hpp.core.errors import UsageError
    from hpp.retrieval.beir import read_folder, read_queries
    from hpp.retrieval.trec import read_qrels, read_topics

    if (values.qrels is None) == (values.beir is None):
        raise UsageError("one of --qrels and --beir is required")
    if values.beir is not None:
        if values.queries is not None:
            raise UsageError("--queries: a BEIR folder has its own")
        return read_folder(values.beir, values.split)
    if values.given("split"):
        raise UsageError("--split: it is of use with --beir alone")
    judged = read_qrels(values.qrels)
    if values.queries is None:
        return None, judged
    is_beir = values.queries.lower().endswith(".jsonl")
    return (read_queries if is_beir else read_topics)(values.queries), judged


def _export_arguments(declared: Arguments) -> None:
    declared.positional("SUITE", help="labelled suite, hpp.retrieval-suite/v1")
    declared.option("--qrels", "FILE", help="write the labels as TREC judgements")
    declared.option("--run", "FILE", help="write the recorded results as a TREC run")
    declared.option("--beir", "FOLDER", help="write queries, ids and labels as a BEIR folder")
    declared.option("--split", "NAME", help="split of the folder (default test)", default="test")


def _export(values: Values) -> int:
    from hpp.core.errors import UsageError
    from hpp.core.output import write_json
    from hpp.retrieval.beir import check_split, write_folder
    from hpp.retrieval.outfile import OutFile
    from hpp.retrieval.suite import read_suite
    from hpp.retrieval.trec import qrels_bytes, run_bytes

    if values.qrels is None and values.run is None and values.beir is None:
        raise UsageError("one of --qrels, --run and --beir is required")
    qrels = OutFile(values.qrels, "--qrels") if values.qrels is not None else None
    run = OutFile(values.run, "--run") if values.run is not None else None
    check_split(values.split)
    suite = read_suite(values.suite)
    rankings = _rankings(suite) if run is not None else []
    # Everything is made before anything is written.
    judged = qrels_bytes((case.id, case.relevant) for case in suite.cases) if qrels else b""
    results = run_bytes(rankings)
    if qrels is not None:
        qrels.write(judged)
    if run is not None:
        run.write(results)
    if values.beir is not None:
        write_folder(values.beir, values.split, suite.cases)
    write_json(_export_report(suite, rankings, has_run=run is not None))
    return 0


def _rankings(suite: Suite) -> list[tuple[str, list[str]]]:
    from hpp.core.errors import RefusedError
    from hpp.retrieval.answer import UnfitAnswerError, read_ranking

    found: list[tuple[str, list[str]]] = []
    for number, case in enumerate(suite.cases):
        if not case.is_recorded:
            continue
        try:
            found.append((case.id, list(read_ranking(case.results).ids)))
        except UnfitAnswerError as error:
            raise RefusedError(f"cases[{number}].{error}") from None
    return found


def _export_report(
    suite: Suite, rankings: list[tuple[str, list[str]]], *, has_run: bool
) -> dict[str, object]:
    ran = {
        "queries": sum(bool(documents) for _, documents in rankings),
        "results": sum(len(documents) for _, documents in rankings),
        # A run has no line for either.
        "cases_without_results": len(suite.cases) - len(rankings),
        "cases_with_nothing_found": sum(not documents for _, documents in rankings),
    }
    return {
        "schema": "hpp.retrieval-export/v1",
        "suite_sha256": suite.sha256,
        "cases": len(suite.cases),
        "judgements": sum(len(case.relevant) for case in suite.cases),
        "run": ran if has_run else None,
    }


IMPORT = Command(
    "import",
    "make a suite of TREC files or a BEIR folder",
    arguments=_import_arguments,
    run=_import,
)
EXPORT = Command(
    "export",
    "write a suite as TREC files or a BEIR folder",
    arguments=_export_arguments,
    run=_export,
)
