"""``hpp install``: a receipt of what installing a bundle would take; it installs nothing."""

from __future__ import annotations

from hpp.core.command import Command
from hpp.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values

__all__ = ["INSTALL"]


def _arguments(declared: Arguments) -> None:
    declared.option("--bundle", "B", help="bundle of modules", required=True)
    declared.option("--host", "H", help="host that runs the agent", required=True)
    declared.option("--target", "DIR", help="project; it need not exist", required=True)
    declared.option("--manifest", "FILE", help="manifest to use in place of the one in force")


def _run(values: Values) -> int:
    from hpp.core.manifest import find_manifest, load_manifest
    from hpp.core.output import write_json
    from hpp.installer.installplan import install_plan
    from hpp.installer.place import Place

    if not values.target:
        raise UsageError("--target: an empty value names no folder")
    path = find_manifest(values.manifest)
    manifest = load_manifest(path)
    place = Place(manifest, path, values.manifest)
    write_json(install_plan(manifest, place, values.bundle, values.host, values.target))
    return 0


INSTALL = Command(
    "install",
    "print what installing a bundle takes; installs nothing",
    arguments=_arguments,
    run=_run,
)
