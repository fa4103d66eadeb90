"""``hpp graph``: the views of the manifest."""

from __future__ import annotations

from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values

__all__ = ["COMMAND", "FORMATS"]

FORMATS = ("json", "mermaid", "svg")


def _arguments(declared: Arguments) -> None:
    from hpp.core.graph import VIEWS

    declared.option("--view", "VIEW", help="what is shown", required=True, choices=VIEWS)
    declared.option("--format", "FORMAT", help="form", default="json", choices=FORMATS)
    declared.option("--manifest", "FILE", help="manifest that is drawn")


def _run(values: Values) -> int:
    from hpp.core.graph import manifest_graph
    from hpp.core.manifest import find_manifest, load_manifest
    from hpp.core.output import write_bytes, write_json, write_text

    manifest = load_manifest(find_manifest(values.manifest))
    graph = manifest_graph(manifest, values.view)
    if values.format == "mermaid":
        write_text(graph.mermaid())
    elif values.format == "svg":
        from hpp.core.svg import picture

        write_bytes(picture(graph, f"{values.view} graph"))
    else:
        head = {"protocol_version": manifest.protocol_version, "view": values.view}
        write_json({**head, **graph.document()})
    return 0


COMMAND = Command("graph", "draw a view of the manifest", arguments=_arguments, run=_run)
