"""The six stages of an installation, which read and compute and write nothing."""

from __future__ import annotations

from hpp.core.errors import RefusedError
from hpp.core.strictjson import JsonRefusedError
from hpp.installer.formats.installmanifest import NAME as MANIFEST
from hpp.installer.formats.inventory import NAME as INVENTORY
from hpp.installer.formats.problem import Problem, block, exit_code, warn
from hpp.installer.kit.anchor import MATCHED, MISMATCH, find_anchor, find_distribution
from hpp.installer.kit.answer import resolve, seeds_of
from hpp.installer.kit.detection import detect, read_receipt, relation
from hpp.installer.kit.layout import LAYOUTS
from hpp.installer.kit.place import leftovers, open_target, target_problems
from hpp.installer.kit.prerequisite import (
    channel_of,
    integrity,
    is_blocked,
    machine_problems,
    room_problems,
)
from hpp.installer.kit.productmanifest import CATALOGUE, NAME, read_beside
from hpp.installer.kit.profile import Profile, decide
from hpp.installer.kit.smoke import run_smokes
from hpp.installer.kit.source import open_source
from hpp.installer.kit.wanted import wanted_files
from hpp.installer.kit.wiring import suggest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.request import Request
    from hpp.installer.kit.wanted import Wanted

__all__ = ["STAGES", "Plan"]

STAGES = ("detect", "prereqs", "profile", "configure", "wire-suggest", "smoke")
_STATUSES = ("ok", "warn", "blocked")

Found = "tuple[dict[str, Any], list[Problem]]"


class Plan:
    """An installation, stage by stage.

    Attributes:
        request: What was asked for.
        facts: The machine.
        source: The module.
        target: Where it goes.
        layout: The host's folders in it.
        channel: ``plugin`` or ``copy``; empty until it is known.
        receipt: What is installed of it now, or None.
        relation: How the module relates to that.
        anchored: Whether its inventory is known to be the published one.
        profile: What would happen to every file.
        answers: The resolved answers.
        smokes: A record per proof.
        stages: The report of each stage.
        problems: Of all stages.

    """

    def __init__(self, request: Request, facts: Facts) -> None:
        self.request = request
        self.facts = facts
        self.layout = LAYOUTS[request.host]
        self.target = open_target(request.target, facts)
        self.source = open_source(facts.absolute(request.kit))
        self.channel = ""
        self.receipt: dict[str, Any] | None = None
        self.relation = "none"
        self.anchored = False
        self.profile = Profile()
        self.answers: dict[str, dict[str, Any]] = {}
        self.smokes: list[dict[str, Any]] = []
        self.stages: list[dict[str, Any]] = []
        self.problems: list[Problem] = []
        self._wanted: list[Wanted] = []
        self._run()

    @property
    def is_blocked(self) -> bool:
        """Say whether a stage stops the installation."""
        return is_blocked(self.problems)

    def _run(self) -> None:
        stages = (
            self._detect,
            self._prereqs,
            self._profile,
            self._configure,
            self._suggest,
            self._smoke,
        )
        for name, stage in zip(STAGES, stages, strict=True):
            if self.is_blocked:
                self.stages.append(_stage(name, "not-run", {}, []))
                continue
            detail, problems = stage()
            self.problems += problems
            status = _STATUSES[exit_code(problems)]
            if name == "smoke" and self.request.no_smoke:
                status = "not-run"
            self.stages.append(_stage(name, status, detail, problems))

    def _detect(self) -> tuple[dict[str, Any], list[Problem]]:
        sources = [self.source.path] if self.source.kind == "dir" else []
        try:
            distribution = find_distribution(self.source.path)
        except RefusedError:
            distribution = None  # the anchor's to tell
        sources += [distribution[0]] if distribution else []
        problems = target_problems(self.target, self.facts, self.layout, sources)
        if problems:
            return {}, problems
        if self.source.id:
            self.receipt, problems = read_receipt(self.target, self.layout, self.source.id)
            exists = self.target.exists(self.layout.runtime(self.source.id))
            self.relation = relation(self.receipt, self.source.version, runtime_exists=exists)
        detail, found = detect(self.target, self.layout, self.facts, self.receipt)
        detail["installed"] = {
            "version": self.receipt["version"] if self.receipt else None,
            "relation": self.relation,
        }
        return detail, [*problems, *found, *leftovers(self.target, self.layout, self.facts)]

    def _prereqs(self) -> tuple[dict[str, Any], list[Problem]]:
        problems = integrity(self.source)
        anchor = self._anchor(problems)
        detail = {"anchor": anchor, "checksums_sha256": self.source.checksums_sha256}
        if is_blocked(problems):
            return detail, problems
        self.channel, found = channel_of(self.source, self.request.host, self.request.channel)
        problems += found + machine_problems(self.source, self.facts)
        if self.channel:
            self._wanted = wanted_files(self.source, self.layout) if self.channel == "copy" else []
            places = [one.path for one in self._wanted]
            size = sum(len(one.data) for one in self._wanted)
            problems += room_problems(self.target, self.layout, self.facts, places, size)
        return detail, problems

    def _anchor(self, problems: list[Problem]) -> dict[str, str]:
        request = self.request
        anchor = find_anchor(self.source, expect=request.expect, anchor=request.anchor)
        self.anchored = anchor.status == MATCHED
        if anchor.problem is not None and (anchor.status == MISMATCH or not is_blocked(problems)):
            problems.append(anchor.problem)
        return {"status": anchor.status, "source": anchor.source}

    def _profile(self) -> tuple[dict[str, Any], list[Problem]]:
        problems = []
        if self.relation == "downgrade" and not self.request.allow_downgrade and self.receipt:
            problems.append(
                block(
                    "downgrade",
                    self.source.id,
                    f"{self.source.version} is older than {self.receipt['version']}",
                    expected="the installed version or a newer one",
                    next_step="--allow-downgrade installs it all the same",
                )
            )
        # Seeds are judged with the answers in them; a wrong answer is the next stage's to tell.
        manifest = self.source.manifest or {}
        answers = resolve(manifest["questions"], self.request.answers)
        self.answers = {} if answers.problems else answers.values
        try:
            seeds = seeds_of(self.source, self.answers)
        except RefusedError as error:
            step = "correct the module at its source"
            wanted = "a seed that takes the answer"
            told = block(
                "install-manifest-invalid", MANIFEST, str(error), expected=wanted, next_step=step
            )
            return {}, [*problems, told]
        self.profile = decide(
            self.target,
            self.layout,
            self.source.id,
            self.receipt,
            wanted=self._wanted,
            seeds=seeds,
            edits=self.request.edits,
        )
        problems += self.profile.problems + self._changed_in_place()
        return {"channel": self.channel, "actions": self.profile.actions}, problems

    def _changed_in_place(self) -> list[Problem]:
        """Tell that a version's bytes changed while its number did not."""
        if self.relation != "same" or self.receipt is None:
            return []
        before = self.receipt["source"].get("checksums_sha256")
        if before == self.source.checksums_sha256:
            return []
        told = f"{self.source.version} has other files than the {self.source.version} installed"
        step = "the new files are copied; ask the module's maker for a new version number"
        return [warn("checksum-mismatch", INVENTORY, told, expected=str(before), next_step=step)]

    def _configure(self) -> tuple[dict[str, Any], list[Problem]]:
        manifest = self.source.manifest or {}
        answers = resolve(manifest["questions"], self.request.answers)
        return {"answers": answers.values}, answers.problems

    def _suggest(self) -> tuple[dict[str, Any], list[Problem]]:
        beside = {name: read_beside(self.source.path, name) for name in (NAME, CATALOGUE)}
        try:
            return suggest(self.source, self.target, self.layout, self.channel, beside)
        except (JsonRefusedError, UnicodeDecodeError) as error:
            step = "correct the module at its source"
            told = block(
                "hooks-file-invalid", "install", str(error), expected="strict JSON", next_step=step
            )
            return {}, [told]

    def _smoke(self) -> tuple[dict[str, Any], list[Problem]]:
        manifest = self.source.manifest or {}
        if self.request.no_smoke:
            if not manifest["smokes"]:
                return {"smokes": []}, []
            told = "--no-smoke leaves the module's proofs out"
            step = "run it again without --no-smoke"
            return {"smokes": []}, [
                warn("smoke-none-ran", "", told, expected="every proof", next_step=step)
            ]
        runtime = self.layout.runtime(self.source.id)
        self.smokes, problems = run_smokes(
            self.source, runtime, self.facts, self.request.smoke_timeout
        )
        return {"smokes": self.smokes}, problems


def _stage(
    name: str, status: str, detail: dict[str, Any], problems: list[Problem]
) -> dict[str, Any]:
    return {
        "stage": name,
        "status": status,
        "detail": detail,
        "problems": [problem.document() for problem in problems],
    }
