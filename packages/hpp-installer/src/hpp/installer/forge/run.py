"""One run of the forge: what is asked for is put together, compared, written or refused."""

from __future__ import annotations

import os

from hpp.core.document import read_document
from hpp.core.errors import RefusedError
from hpp.installer.forge.emission import (
    difference,
    leftovers,
    module_outputs,
    product_output,
    stale_places,
    stray_places,
)
from hpp.installer.forge.moduleforge import Emission, forge_module
from hpp.installer.forge.product import read_product
from hpp.installer.forge.publishrule import RuleSet, publish_rule_faults, rule_set
from hpp.installer.forge.sourceset import Reader
from hpp.installer.forge.swap import swap_in
from hpp.installer.formats.problem import BLOCK, Problem, block, exit_code, warn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hpp.installer.forge.emission import Output
    from hpp.installer.forge.product import Product

__all__ = ["RULES", "Request", "read_rules", "run_forge"]

SCHEMA = "hpp.forge-report/v1"
RULES = "modules/publish-rules.json"
LOCAL_RULES = "modules/publish-rules.local.json"


class Request:
    """What is asked of the forge.

    Attributes:
        root: The source tree, absolute.
        out: The tree to write or to compare, absolute.
        modules: Ids, or None for all of them and the product's own files.
        mode: ``plan``, ``apply`` or ``check``.
        today: The day that allowances are held to, ``YYYY-MM-DD``.

    """

    __slots__ = ("mode", "modules", "out", "root", "today")

    def __init__(
        self, root: str, out: str, modules: Sequence[str] | None, mode: str, today: str
    ) -> None:
        self.root = root
        self.out = out
        self.modules = modules
        self.mode = mode
        self.today = today


def read_rules(path: str) -> RuleSet:
    """Return the publication rules of a file.

    Raises:
        RefusedError: It cannot be read or breaks its rules.

    """
    document = read_document(path, root=dict)
    faults = publish_rule_faults(document)
    if faults:
        further = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise RefusedError(f"{os.path.basename(path)}: {faults[0]}{further}")
    return rule_set(document)


def run_forge(request: Request) -> dict[str, Any]:
    """Return the report of a run, ``hpp.forge-report/v1``.

    Raises:
        RefusedError: A document of the product, or the place to write to, is refused.
        OSError: The disk refuses; the tree at `out` is as it was.

    """
    _refuse_place(request)
    product = read_product(request.root)
    rules = read_rules(os.path.join(request.root, *RULES.split("/")))
    local = os.path.join(request.root, *LOCAL_RULES.split("/"))
    if os.path.lexists(local):
        rules = rules.joined(read_rules(local))
    reader = Reader(request.root)
    chosen = product.order if request.modules is None else list(request.modules)
    emissions = [
        forge_module(product, identity, reader, rules, request.today) for identity in chosen
    ]
    problems = [problem for emission in emissions for problem in emission.problems]
    problems += _allowance_problems(rules, product)
    outputs: list[Output] = []
    if not _is_refused(problems):
        outputs = [output for emission in emissions for output in module_outputs(emission)]
        if request.modules is None:
            outputs += product_output(product, emissions, request.out)
    run = _Run(request, emissions, outputs, problems)
    run.answer(reader)
    return run.report()


def _refuse_place(request: Request) -> None:
    sources = os.path.realpath(os.path.join(request.root, "modules"))
    place = os.path.realpath(request.out)
    if place == sources or place.startswith(sources + os.sep):
        raise RefusedError("--out: it lies inside modules/, where the sources are")
    if place == os.path.realpath(request.root):
        raise RefusedError("--out: it is the source tree itself")
    if os.path.lexists(request.out) and not os.path.isdir(request.out):
        raise RefusedError("--out: it is no folder")


def _is_refused(problems: Sequence[Problem]) -> bool:
    return any(problem.severity == BLOCK for problem in problems)


def _allowance_problems(rules: RuleSet, product: Product) -> list[Problem]:
    """Tell of allowances for files that no module has."""
    known = tuple(f"{module.path}/" for module in product.manifest.modules)
    return [
        warn(
            "allow-unused",
            RULES,
            f"{entry.path} is no file of a module",
            expected="allowances for what is there",
            next_step="remove the entry",
        )
        for entry in rules.allowed
        if not entry.path.startswith(known)
    ]


class _Run:
    """A run whose modules are put together: what is left is to compare and to write."""

    def __init__(
        self,
        request: Request,
        emissions: Sequence[Emission],
        outputs: Sequence[Output],
        problems: list[Problem],
    ) -> None:
        self.request = request
        self.emissions = emissions
        self.outputs = outputs
        self.problems = problems
        self.actions: list[dict[str, str]] = []
        self.written = False

    def answer(self, reader: Reader) -> None:
        """Compare with the tree, and write what differs when that is asked for."""
        if not self.outputs:
            return
        out = self.request.out
        changes = {output.path: list(difference(out, output)) for output in self.outputs}
        stale = stale_places(out, self.outputs) if self.request.modules is None else []
        if self.request.mode == "check":
            self._check(changes)
            return
        for output in self.outputs:
            if changes[output.path]:
                is_there = os.path.lexists(os.path.join(out, *output.path.split("/")))
                self._act("update" if is_there else "add", output.path)
        for path in [*stale, *leftovers(out)]:
            self._act("remove", path)
        if self.request.mode != "apply" or not self.actions:
            self.problems += reader.drift()
            return
        wanted = [output for output in self.outputs if changes[output.path]]
        self._write(reader, wanted, stale)

    def _write(self, reader: Reader, outputs: Sequence[Output], stale: Sequence[str]) -> None:
        def proceed() -> bool:
            self.problems += reader.drift()
            self.written = not _is_refused(self.problems)
            return self.written

        swap_in(self.request.out, outputs, stale, proceed)

    def _check(self, changes: dict[str, list[tuple[str, str]]]) -> None:
        told = [change for output in self.outputs for change in changes[output.path]]
        if self.request.modules is None:
            told += [
                (path, "the forge does not emit it")
                for path in stray_places(self.request.out, self.outputs)
            ]
        self.problems += [
            block(
                "emission-drift",
                path,
                measured,
                expected="the bytes of a new emission",
                next_step="emit the tree again",
            )
            for path, measured in told
        ]

    def _act(self, action: str, path: str) -> None:
        self.actions.append({"action": action, "path": path})

    def report(self) -> dict[str, Any]:
        """Return the report."""
        code = exit_code(self.problems)
        return {
            "schema": SCHEMA,
            "mode": self.request.mode,
            "status": {0: "ok", 1: "warn", 2: "refused"}[code],
            "exit_code": code,
            "written": self.written,
            "modules": [
                {
                    "id": emission.module.id,
                    "version": emission.module.version,
                    "path": emission.folder,
                    "files": max(len(emission.files) - 1, 0),
                }
                for emission in self.emissions
            ],
            "actions": self.actions,
            "problems": [problem.document() for problem in self.problems],
        }
