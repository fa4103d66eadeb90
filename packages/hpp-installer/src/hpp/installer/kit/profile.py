"""The third stage: what would happen to every file, decided without writing any."""

from __future__ import annotations

from dataclasses import dataclass, field

from hpp.core.errors import RefusedError
from hpp.installer.formats.destination import destination_fault
from hpp.installer.formats.inventory import sha256_hex
from hpp.installer.formats.moduletree import is_leftover
from hpp.installer.formats.problem import Problem, block, warn
from hpp.installer.kit.layout import IGNORE_BYTES
from hpp.installer.kit.transaction import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.installer.kit.layout import Layout
    from hpp.installer.kit.target import Target
    from hpp.installer.kit.wanted import Wanted

__all__ = ["KEEP", "REFUSE", "REPLACE", "Profile", "Seed", "decide"]

REFUSE, KEEP, REPLACE = "refuse", "keep", "replace"


@dataclass(frozen=True, slots=True)
class Seed:
    """A configuration file that is created once and then a person's.

    Attributes:
        path: Where it goes.
        data: What it holds, answers included.
        example_sha256: Digest of the file as it was shipped.

    """

    path: str
    data: bytes
    example_sha256: str


@dataclass(slots=True)
class Profile:
    """What was decided.

    Attributes:
        actions: One object per file, for the report.
        changes: What a transaction has to do for it.
        entries: The files of the new receipt.
        problems: What stops it or should be known.
        adopted: Whether the files were there without a receipt.

    """

    actions: list[dict[str, str]] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    entries: list[dict[str, Any]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    adopted: bool = False

    def act(self, action: str, path: str, kind: str) -> None:
        """Note what happens to a file."""
        self.actions.append({"action": action, "path": path, "kind": kind})


class _Decision:
    """One pass over everything that is wanted and everything that was there."""

    def __init__(
        self,
        target: Target,
        layout: Layout,
        module: str,
        receipt: dict[str, Any] | None,
        edits: str,
    ) -> None:
        self.target = target
        self.layout = layout
        self.runtime = layout.runtime(module)
        self.module = module
        self.edits = edits
        self.has_receipt = receipt is not None
        files = receipt["files"] if receipt else []
        self.recorded = {entry["path"]: entry for entry in files if entry["kind"] != "seed"}
        self.seeds = {entry["path"]: entry for entry in files if entry["kind"] == "seed"}
        self.profile = Profile()
        self.others = {
            entry["path"]: other
            for other, theirs in target.receipts(layout).items()
            if other != module
            for entry in theirs["files"]
        }

    def refuse(self, code: str, path: str, measured: str, expected: str, step: str) -> None:
        problem = block(code, path, measured, expected=expected, next_step=step)
        self.profile.problems.append(problem)

    def digest(self, path: str, kind: str) -> tuple[bool, str | None]:
        """Return whether a place may be written, and the digest of what is there."""
        fault = destination_fault(self.target.root, path, self.runtime)
        try:
            found = None if fault else self.target.digest(path)
        except RefusedError as error:
            fault = str(error)
        if fault:
            step = "move what is in the way, or install into another target"
            self.refuse("unsafe-destination", path, fault, "a place of its own in the target", step)
            self.profile.act("conflict", path, kind)
            return False, None
        return True, found

    def change(self, path: str, before: str | None, data: bytes | None, mode: int = 0o644) -> None:
        self.profile.changes.append(Change(path, before, data, mode))

    def owned(self, one: Wanted) -> None:
        """Decide on a file that belongs to the module."""
        is_free, current = self.digest(one.path, one.kind)
        if not is_free:
            return
        entry = self.recorded.get(one.path)
        if entry is None:
            self._unrecorded(one, current)
        elif current is None:
            self._put("restore" if entry["sha256"] == one.sha256 else "update", one, None)
        elif current == one.sha256:
            self._keep("same", one)
        elif current == entry["sha256"]:
            self._put("update", one, current)
        else:
            self._edited(one, current, entry)

    def _unrecorded(self, one: Wanted, current: str | None) -> None:
        if current is None:
            self._put("add", one, None)
        elif current == one.sha256 and one.path not in self.others:
            self._keep("same", one)
        else:
            other = self.others.get(one.path)
            code, told = "conflict", "a file that this installer did not put there is in the way"
            if other is not None:
                code, told = "slug-collision", f"it belongs to the module {other}"
            step = "move it aside and run it again"
            self.refuse(code, one.path, told, "a free name", step)
            self.profile.act("conflict", one.path, one.kind)

    def _edited(self, one: Wanted, current: str, entry: dict[str, Any]) -> None:
        if self.edits == REPLACE:
            self._put("update", one, current)
            self._warn_edited(one.path, "it was edited and is replaced; the edit is backed up")
        elif self.edits == KEEP or entry.get("user_owned"):
            self.profile.act("keep-modified", one.path, one.kind)
            self._record(one, entry["sha256"], user_owned=True)
            self._warn_edited(one.path, "it was edited and is kept")
        else:
            step = "--keep-modified keeps the edit, --replace-modified backs it up and replaces it"
            told = "it differs from its receipt"
            self.refuse("conflict", one.path, told, entry["sha256"], step)
            self.profile.act("conflict", one.path, one.kind)

    def _warn_edited(self, path: str, told: str) -> None:
        step = "compare it with the module's file"
        self.profile.problems.append(
            warn("modified-since", path, told, expected="the module's file", next_step=step)
        )

    def _put(self, action: str, one: Wanted, current: str | None) -> None:
        self.profile.act(action, one.path, one.kind)
        self.change(one.path, current, one.data, one.mode)
        self._record(one, one.sha256)

    def _keep(self, action: str, one: Wanted) -> None:
        self.profile.act(action, one.path, one.kind)
        self._record(one, one.sha256)

    def _record(self, one: Wanted, digest: str, *, user_owned: bool = False) -> None:
        entry: dict[str, Any] = {
            "path": one.path,
            "sha256": digest,
            "kind": one.kind,
            "mode": f"0{one.mode:o}",
        }
        if one.source_sha256 != digest or one.kind != "runtime":
            entry["source"] = one.source
            entry["source_sha256"] = one.source_sha256
        if user_owned:
            entry["user_owned"] = True
        self.profile.entries.append(entry)

    def vanished(self, wanted: set[str]) -> None:
        """Decide on what an earlier version put there and this one does not have."""
        for path, entry in self.recorded.items():
            if path in wanted:
                continue
            is_free, current = self.digest(path, entry["kind"])
            if not is_free or current is None:
                continue
            if current == entry["sha256"]:
                self.profile.act("remove", path, entry["kind"])
                self.change(path, current, None)
            else:
                self.profile.act("keep-modified", path, entry["kind"])
                self._warn_edited(path, "this version does not have it; it was edited and is kept")

    def seed(self, seed: Seed) -> None:
        """Decide on a file that is created once."""
        is_free, current = self.digest(seed.path, "seed")
        if not is_free:
            return
        before = self.seeds.get(seed.path)
        is_theirs = bool(before and before.get("user_owned"))
        if current is None:
            action = "copy"
            self.change(seed.path, None, seed.data)
            is_theirs = False
        else:
            action = "skip-same" if current == sha256_hex(seed.data) else "skip-exists"
            is_theirs = is_theirs or before is None
        self.profile.act(action, seed.path, "seed")
        if before is not None and before.get("source_sha256") != seed.example_sha256 and current:
            told = "the example that is shipped changed since it was copied"
            step = "compare your file with the example"
            self.profile.problems.append(
                warn("seed-changed", seed.path, told, expected="the same", next_step=step)
            )
        kept = before["sha256"] if before and current is not None else sha256_hex(seed.data)
        entry: dict[str, Any] = {
            "path": seed.path,
            "sha256": kept,
            "kind": "seed",
            "mode": "0644",
            "source_sha256": seed.example_sha256,
        }
        if is_theirs:
            entry["user_owned"] = True
        self.profile.entries.append(entry)

    def former_seeds(self, seeds: set[str]) -> None:
        """Keep the record of seeds that this version does not ship: they are a person's now."""
        for path, entry in self.seeds.items():
            if path not in seeds:
                self.profile.entries.append(entry)

    def unmanaged(self, wanted: list[Wanted]) -> bool:
        """Look at a folder of the module's name that no receipt tells of."""
        if self.has_receipt or not self.target.exists(self.runtime):
            return False
        runtime = {one.path: one.sha256 for one in wanted if one.kind == "runtime"}
        listed = {path.removeprefix(f"{self.runtime}/"): "" for path in runtime}
        try:
            there = {
                path: self.target.digest(path)
                for path in self.target.walk(self.runtime)
                if not is_leftover(path.removeprefix(f"{self.runtime}/"), listed)
            }
        except (RefusedError, OSError):
            there = {}
        if there and there == runtime:
            return True
        self.refuse(
            "unmanaged-runtime",
            self.runtime,
            "it is there without a receipt and is not this version",
            "no such folder, or exactly the files of this version",
            "move it aside and run it again",
        )
        return False


def decide(  # noqa: PLR0913 -- everything that the decision depends on
    target: Target,
    layout: Layout,
    module: str,
    receipt: dict[str, Any] | None,
    *,
    wanted: list[Wanted],
    seeds: list[Seed],
    edits: str,
) -> Profile:
    """Return what would happen to every file.

    Args:
        target: Where.
        layout: The host's folders in it.
        module: Id of the module.
        receipt: What is installed of it now, or None.
        wanted: The files of the new version.
        seeds: Its configuration files.
        edits: `REFUSE`, `KEEP` or `REPLACE` what a person edited.

    """
    decision = _Decision(target, layout, module, receipt, edits)
    profile = decision.profile
    profile.adopted = decision.unmanaged(wanted)
    if profile.problems:
        return profile
    places: dict[str, str] = {}
    for one in wanted:
        first = places.setdefault(one.path.casefold(), one.source)
        if first != one.source:
            step = "rename one of them at the module's source"
            told = f"{first} and {one.source} have one destination"
            decision.refuse("slug-collision", one.path, told, "a destination of its own", step)
            continue
        decision.owned(one)
    decision.vanished({one.path for one in wanted})
    for seed in seeds:
        if f"{seed.path}/".startswith((f"{layout.runtime_root}/", f"{layout.skills}/hpp-")):
            step = "correct the module at its source"
            told = "a seed may not lie among the installer's files"
            decision.refuse("unsafe-destination", seed.path, told, "another place", step)
            continue
        decision.seed(seed)
    decision.former_seeds({seed.path for seed in seeds})
    profile.entries.sort(key=lambda entry: str(entry["path"]))
    if not target.receipts(layout) and not target.exists(layout.ignore_file):
        profile.changes.insert(0, Change(layout.ignore_file, None, IGNORE_BYTES))
    return profile
