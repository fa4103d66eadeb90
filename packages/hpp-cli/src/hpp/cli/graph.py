"""``hpp graph``: the views of the manifest."""

from __future__ import annotations

from hpp.cli.drawing import format_argument, write_drawing
from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values

__all__ = ["COMMAND"]


def _arguments(declared: Arguments) -> None:
    from hpp.core.graph import VIEWS

    declared.option("--view", "VIEW", help="what is shown", required=True, choices=VIEWS)
    format_argument(declared)
    declared.option("--manifest", "FILE", help="manifest that is drawn")


def _run(values: Values) -> int:
    from hpp.core.graph import manifest_graph
    from hpp.core.manifest import find_manifest, load_manifest

    manifest = load_manifest(find_manifest(values.manifest))
    graph = manifest_graph(manifest, values.view)

    def document() -> dict[str, Any]:
        head = {"protocol_version": manifest.protocol_version, "view": values.view}
        return {**head, **graph.document()}

    return write_drawing(values.format, document, graph, f"{values.view} graph")


COMMAND = Command("graph", "draw a view of the manifest", arguments=_arguments, run=_run)
