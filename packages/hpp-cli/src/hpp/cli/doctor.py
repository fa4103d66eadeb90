"""``hpp doctor``: whether the manifest, and the tree it stands in, keep their contract."""

from __future__ import annotations

from hpp.core.command import Command
from hpp.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.manifest import Manifest

__all__ = ["COMMAND"]

# The known distributions, sorted: what is missing is told, not left out.
DISTRIBUTIONS = (
    "hpp-cli",
    "hpp-core",
    "hpp-decide",
    "hpp-evidence",
    "hpp-installer",
    "hpp-retrieval",
)


def _arguments(declared: Arguments) -> None:
    declared.option("--manifest", "FILE", help="manifest to check in place of the one in force")
    declared.flag("--json", help="print what was checked as JSON")
    declared.flag("--report", help="print a document to paste into a problem report")
    declared.flag("--matrix", help="print which host supports which module, as a table")


def _run(values: Values) -> int:
    from hpp.core.distribution import check_distribution
    from hpp.core.manifest import find_manifest, load_manifest
    from hpp.core.output import write_json, write_text

    if values.matrix and (values.report or values.json):
        raise UsageError("--matrix prints a table; it goes with neither --report nor --json")
    path = find_manifest(values.manifest)
    manifest = load_manifest(path)
    distribution = check_distribution(manifest, path)
    if values.matrix:
        from hpp.cli.matrix import support_table

        write_text(support_table(manifest))
    elif values.report:
        write_json(_report(manifest, distribution))
    elif values.json:
        write_json(_document(manifest, path, distribution))
    else:
        write_text(_line(manifest))
    return 0


def _line(manifest: Manifest) -> str:
    from hpp.core.text import printable

    groups = _census(manifest)["by_capability"]
    hosts = printable(",".join(manifest.hosts))
    return (
        f"doctor ok: modules={len(manifest.modules)} hosts={hosts} hooks={len(manifest.hooks)} "
        f"(permission-gates={groups['automatic-permission-gates']}, "
        f"llm-egress={groups['transcript-derived-llm-egress']})\n"
    )


def _document(manifest: Manifest, path: str, distribution: dict[str, Any]) -> dict[str, Any]:
    from hpp.cli.program import version
    from hpp.core.text import utf8_path

    return {
        "status": "ok",
        "version": version(),
        "manifest": utf8_path(path),
        "modules": len(manifest.modules),
        "bundles": sorted(manifest.bundles),
        "hosts": manifest.hosts,
        "hooks": _census(manifest),
        "distribution": distribution,
        "families": _families(),
    }


def _report(manifest: Manifest, distribution: dict[str, Any]) -> dict[str, Any]:
    """Return what a problem report needs and nothing that tells whose machine it was."""
    import platform

    from hpp.cli.program import version

    return {
        "schema": "hpp.doctor-report/v1",
        "version": version(),
        "protocol_version": manifest.protocol_version,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "modules": len(manifest.modules),
        "hosts": manifest.hosts,
        "hooks": _census(manifest),
        "distribution": {key: distribution[key] for key in ("checked", "status")},
        "families": _families(),
    }


def _census(manifest: Manifest) -> dict[str, Any]:
    """Count the hooks by what they may do; a group without a hook counts zero."""
    from hpp.core.manifestrule import EXIT_POLICIES, HOOK_CAPABILITIES

    by_capability = dict.fromkeys(HOOK_CAPABILITIES, 0)
    by_exit_policy = dict.fromkeys(EXIT_POLICIES, 0)
    for hook in manifest.hooks:
        by_exit_policy[hook.exit_policy] += 1
        for group in hook.capabilities:
            by_capability[group] += 1
    return {
        "declared": len(manifest.hooks),
        "by_capability": by_capability,
        "by_exit_policy": by_exit_policy,
    }


def _families() -> list[dict[str, str | None]]:
    from importlib.metadata import PackageNotFoundError, version

    def installed(name: str) -> str | None:
        try:
            return version(name)
        except PackageNotFoundError:
            return None

    return [{"name": name, "version": installed(name)} for name in DISTRIBUTIONS]


COMMAND = Command(
    "doctor", "check this installation and its manifest", arguments=_arguments, run=_run
)
