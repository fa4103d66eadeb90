"""``hpp work``: compile a spec into waves, and hold it against tests and events."""

from __future__ import annotations

from hpp.core.command import Command

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
    ],
)
