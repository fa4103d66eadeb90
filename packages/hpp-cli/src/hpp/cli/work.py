"""``hpp work``: compile a spec into waves, and hold it against tests and events."""

from __future__ import annotations

from hpp.cli.view import manifest_argument
from hpp.core.command import Command
from hpp.core.tier import TIERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values
    from hpp.core.workgraph import WorkGraph

__all__ = ["COMMAND"]


def _graph_arguments(declared: Arguments) -> None:
    declared.positional("FILE", help="spec: an object with a list `work`; - is standard input")
    declared.option(
        "--format", "FORMAT", help="form of the result", default="json", choices=("json", "mermaid")
    )


def _plan(values: Values) -> int:
    graph = _read(values)
    return _show(graph.diagram() if values.format == "mermaid" else graph.plan_document())


def _waves(values: Values) -> int:
    graph = _read(values)
    return _show(graph.diagram() if values.format == "mermaid" else graph.waves_document())


def _coverage_arguments(declared: Arguments) -> None:
    declared.positional("FILE", help="spec: an object with a list `work`; - is standard input")
    declared.option(
        "--tests", "PATH", help="Python tests, or folders of them", required=True, many=True
    )
    declared.option("--junit", "FILE", help="JUnit reports of a run of these tests", many=True)


def _coverage(values: Values) -> int:
    from hpp.core.coverage import citation_coverage, execution_coverage
    from hpp.core.junit import read_report
    from hpp.core.testsource import find_sources, read_source

    spec = _read(values).spec
    sources = [read_source(path) for path in find_sources(values.tests)]
    reports = [read_report(path) for path in values.junit]
    if reports:
        result = execution_coverage(spec, sources, reports)
    else:
        result = citation_coverage(spec, sources)
    _show(result)
    return 0 if result["complete"] else 1


def _import_arguments(declared: Arguments) -> None:
    declared.positional("FILE", help="Markdown with checkbox tasks; - is standard input")
    declared.option(
        "--tier",
        "TIER",
        help="tier of every unit",
        default="balanced",
        choices=TIERS,
    )


def _import(values: Values) -> int:
    from hpp.core.document import shown_name
    from hpp.core.taskfile import read_tasks
    from hpp.core.workgraph import compile_spec
    from hpp.core.workspec import parse_spec

    spec = read_tasks(values.file).document(values.tier)
    compile_spec(parse_spec(spec, shown_name(values.file)))  # a list can contradict itself
    _show(spec)
    return 1 if spec["unread"] else 0


def _ready_arguments(declared: Arguments) -> None:
    declared.positional("FILE", help="spec: an object with a list `work`; - is standard input")
    declared.option("--events", "LOG", help="event log; that of this workspace when not given")
    manifest_argument(declared)


def _ready(values: Values) -> int:
    from hpp.core.loop import Loop
    from hpp.core.manifest import find_manifest, load_manifest
    from hpp.core.readiness import read_history, readiness

    graph = _read(values)
    loop = Loop.of(load_manifest(find_manifest(values.manifest)))
    return _show(readiness(graph, read_history(values.events, loop)))


def _read(values: Values) -> WorkGraph:
    from hpp.core.workgraph import read_graph

    return read_graph(values.file)


def _show(result: str | dict[str, object]) -> int:
    from hpp.core.output import write_json, write_text

    if isinstance(result, str):
        write_text(result)
    else:
        write_json(result)
    return 0


COMMAND = Command(
    "work",
    "order work from its spec, and see which criteria tests cite",
    subcommands=[
        Command("plan", "print the compiled spec", arguments=_graph_arguments, run=_plan),
        Command(
            "waves", "print which units may begin together", arguments=_graph_arguments, run=_waves
        ),
        Command(
            "coverage",
            "see which criteria tests cite, and which of them ran",
            arguments=_coverage_arguments,
            run=_coverage,
        ),
        Command(
            "ready",
            "see which units may begin by the event log",
            arguments=_ready_arguments,
            run=_ready,
        ),
        Command(
            "import",
            "read a task list in Markdown into a spec",
            arguments=_import_arguments,
            run=_import,
        ),
    ],
)
