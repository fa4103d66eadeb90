"""A run of ``hpp init``: six stages in a fixed order, each looking before anything is written."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hpp.core.loop import Loop
from hpp.core.text import utf8_path
from hpp.installer.configuration import chosen_modules, configure, module_rows
from hpp.installer.detection import detect, look
from hpp.installer.host import host_row
from hpp.installer.prerequisite import measured_tools, prereqs
from hpp.installer.profilestage import Writer
from hpp.installer.smoke import smoke
from hpp.installer.stage import FAIL, STAGES, Stage
from hpp.installer.wiring import Wiring, wire_suggest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hpp.core.manifest import Manifest
    from hpp.installer.answer import Answers
    from hpp.installer.detection import Findings
    from hpp.installer.place import Place
    from hpp.installer.prerequisite import Tools

    # Called with a stage's name before it runs, and with the stage after it.
    Begin = Callable[[str], object]
    End = Callable[[Stage], object]

__all__ = ["Request", "run_stages"]


@dataclass(frozen=True)
class Request:
    """What a run is about.

    Attributes:
        target: As the person typed it.
        root: The same folder, as it is opened.
        manifest_path: Absolute.
        manifest_option: `` --manifest "FILE"`` when one was given, else an empty text.
        slug: What a marketplace is added by.

    """

    target: str
    root: str
    manifest: Manifest
    manifest_path: str
    manifest_option: str
    place: Place
    answers: Answers
    apply: bool
    benchmark: bool
    slug: str
    slug_given: bool


def run_stages(
    request: Request, begin: Begin, end: End, tools: Tools | None = None
) -> dict[str, Stage]:
    """Run every stage that may run and return them all by name, in order.

    Args:
        request: What is asked.
        begin: Told of a stage before it runs.
        end: Told of a stage after it ran.
        tools: What this machine has; None measures it.

    """
    run = _Run(request, tools)
    stages: dict[str, Stage] = {}
    halted = ""
    for name in STAGES:
        if halted:
            stages[name] = Stage.skipped(name, halted)
            end(stages[name])
            continue
        begin(name)
        stages[name] = run.stage(name)
        end(stages[name])
        if stages[name].halts:
            halted = name
    return stages


class _Run:
    def __init__(self, request: Request, tools: Tools | None) -> None:
        self.request = request
        self.tools = tools
        self.modules = chosen_modules(request.manifest, request.answers.modules)

    @cached_property
    def found(self) -> Findings:
        """What is in the target, looked at once."""
        return look(self.request.root, Loop.of(self.request.manifest))

    @cached_property
    def configured(self) -> Stage:
        """The stage `configure`, measured early: the profile waits for its answer."""
        answers = self.request.answers
        rows = module_rows(self.modules, answers.host, self.request.place.root)
        return configure(answers, rows)

    def stage(self, name: str) -> Stage:
        stages: dict[str, Callable[[], Stage]] = {
            "detect": lambda: detect(self.found, utf8_path(self.request.target)),
            "prereqs": self._prereqs,
            "profile": self._profile,
            "configure": lambda: self.configured,
            "wire-suggest": self._wire,
            "smoke": self._smoke,
        }
        return stages[name]()

    def _prereqs(self) -> Stage:
        request = self.request
        tools = self.tools or measured_tools(request.root)
        doctor = f"hpp doctor{request.manifest_option}"
        return prereqs(request.manifest, request.manifest_path, tools, doctor)

    def _profile(self) -> Stage:
        request = self.request
        profile = request.answers.profile(request.manifest)
        return Writer(request.root, request.answers, profile).stage(
            self.found.profile,
            write=request.apply,
            possible=self.configured.status != FAIL,
        )

    def _wire(self) -> Stage:
        request = self.request
        wiring = Wiring(
            request.manifest,
            self.modules,
            host_row(request.answers.host),
            request.place,
            request.target,
            request.slug,
        )
        return wire_suggest(wiring, request.answers)

    def _smoke(self) -> Stage:
        request = self.request
        return smoke(
            request.manifest,
            request.manifest_option,
            request.target,
            self.found,
            benchmark=request.benchmark,
        )
