"""Stage ``wire-suggest``: the lines that a person pastes; nothing is run and nothing written."""

from __future__ import annotations

from dataclasses import dataclass

from hpp.core.text import printable
from hpp.installer.advisor import advisor_block
from hpp.installer.host import CLAUDE, CODEX, NATIVE
from hpp.installer.place import ELSEWHERE, PLACEHOLDER_SLUG
from hpp.installer.shellword import folder_word, path_word, word
from hpp.installer.stage import OK, Stage, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.core.manifest import Manifest, Module
    from hpp.installer.answer import Answers
    from hpp.installer.host import Host
    from hpp.installer.place import Place

__all__ = ["Wiring", "hook_rows", "is_to_paste", "wire_suggest"]


@dataclass(frozen=True)
class Wiring:
    """What the lines depend on; `target` and `slug` as they are written into them."""

    manifest: Manifest
    modules: Sequence[Module]
    host: Host
    place: Place
    target: str
    slug: str

    def module_lines(self) -> list[str]:
        """Return the lines that bring the modules to the host."""
        if self.host.id == CLAUDE:
            return self._claude()
        if self.host.id == CODEX:
            return [*self._codex(), *map(self.installer_line, self.modules)]
        return [self.installer_line(module) for module in self.modules]

    def installer_line(self, module: Module) -> str:
        """Return the line that copies a module after its digests were checked."""
        if self.place.has_installer:
            program = f"python {path_word(self.place.installer)} install"
        else:
            program = "hpp kit install"
        kit, target = path_word(self.place.module(module)), folder_word(self.target)
        return f"{program} --kit {kit} --host {word(self.host.id)} --target {target} --apply"

    def plugin_line(self, module: Module) -> str:
        """Return the line that installs a module as a plugin of the host."""
        name = f"{module.id}@{self.manifest.name}"
        if self.host.id == CLAUDE:
            return f"/plugin install {printable(name)}"
        return f"codex plugin add {word(name)}"

    def marketplace_line(self) -> str:
        """Return the line that makes the plugins known to the host."""
        if self.host.id == CLAUDE:
            return f"/plugin marketplace add {printable(self.slug)}"
        return f"codex plugin marketplace add {word(self.slug)}"

    def _claude(self) -> list[str]:
        native = [module for module in self.modules if module.hosts[CLAUDE] == NATIVE]
        copied = [module for module in self.modules if module.hosts[CLAUDE] != NATIVE]
        plugins = [self.marketplace_line(), *map(self.plugin_line, native)] if native else []
        return [*plugins, *map(self.installer_line, copied)]

    def _codex(self) -> list[str]:
        skilled = [module for module in self.modules if "skills" in module.components]
        return [self.marketplace_line(), *map(self.plugin_line, skilled)] if skilled else []

    def missing(self, lines: Sequence[str]) -> list[str]:
        """Return one comment for each placeholder of some lines, saying what goes there."""
        comments = []
        if any(PLACEHOLDER_SLUG in line for line in lines):
            comments.append(
                f"# {PLACEHOLDER_SLUG}: the repository that you take this distribution from; "
                "--marketplace names it"
            )
        if any(f'"{ELSEWHERE}/' in line for line in lines):
            version = printable(self.manifest.product_version)
            comments.append(
                f"# {ELSEWHERE}: is not here; unpack hpp-distribution-{version}.zip of a release, "
                "or take the folder that `nox -s forge` writes in a checkout"
            )
        return comments

    def gate_comments(self) -> list[str]:
        """Return the comments that say what a person still decides."""
        hooked = [module.id for module in self.modules if "hooks" in module.components]
        names = printable(", ".join(hooked))
        if self.host.id == CODEX:
            return _codex_comments(self.host, names)
        gates = " and ".join(self.host.manual_gates)
        where = self.host.settings_path or "the host's settings"
        told = f"modules with hooks: {names}" if hooked else "no chosen module declares a hook"
        return [f"# human gate: {gates} in {where} are yours; hpp writes no settings", f"# {told}"]


def _codex_comments(host: Host, hooked: str) -> list[str]:
    pasted = (
        f"# to have them ({hooked}), a person pastes the module's install/codex-hooks.json into "
        ".codex/hooks.json and accepts both trust questions of the host; before that no hook runs"
    )
    return [
        "# hooks stay off: none fires from a plugin or a copy; the scripts are explicit commands",
        f"# skills go to {host.skills_path}, files to {host.runtime_path}",
        f"# {host.instructions} is read by the host; hpp does not write it",
        *([pasted] if hooked else ["# no chosen module declares a hook"]),
    ]


def hook_rows(manifest: Manifest, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row for each hook of the modules, in the order of the manifest."""
    return [
        {
            "id": hook.id,
            "module": hook.module,
            "events": list(hook.events),
            "capabilities": list(hook.capabilities),
            "exit_policy": hook.exit_policy,
        }
        for hook in manifest.hooks
        if hook.module in ids
    ]


def is_to_paste(line: str) -> bool:
    """Say whether a line is neither blank nor a comment."""
    return bool(line.strip()) and not line.startswith("#")


def wire_suggest(wiring: Wiring, answers: Answers) -> Stage:
    """Return the stage."""
    lines = wiring.module_lines()
    count = sum(map(is_to_paste, lines))
    policy = (
        "# command policy as configured: "
        f'hpp policy check --mode {answers.policy_mode} --command "<cmd>"'
    )
    lines = [
        *lines,
        *wiring.missing(lines),
        *wiring.gate_comments(),
        *advisor_block(answers.decision_advisor, wiring.place),
        policy,
    ]
    return Stage(
        "wire-suggest",
        OK,
        f"{counted(count, 'line')} to paste, 0 files written",
        {
            "host": wiring.host.id,
            "settings_path": wiring.host.settings_path,
            "manual_gates": list(wiring.host.manual_gates),
            "installer": wiring.place.installer,
            "installer_present": wiring.place.has_installer,
            "lines": lines,
            "writes": 0,
            "hook_capabilities": hook_rows(wiring.manifest, answers.modules),
        },
    )
