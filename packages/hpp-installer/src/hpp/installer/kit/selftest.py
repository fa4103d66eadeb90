"""``--self-test``: every refusal beside a control that passes, in a folder that goes again."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace

from hpp.core.output import write_text
from hpp.installer.formats.archive import read_zip, zip_bytes
from hpp.installer.kit import disk, fixture, transaction
from hpp.installer.kit.facts import Facts
from hpp.installer.kit.install import install
from hpp.installer.kit.layout import LAYOUTS
from hpp.installer.kit.lock import Lock
from hpp.installer.kit.place import open_target
from hpp.installer.kit.recovery import recover
from hpp.installer.kit.removal import uninstall
from hpp.installer.kit.request import Request
from hpp.installer.kit.rollback import rollback
from hpp.installer.kit.status import status
from hpp.installer.kit.verification import verify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["self_test"]

_HOST = "codex"


def self_test() -> int:
    """Run every check, print a line each, and return 0 when all hold."""
    place = tempfile.mkdtemp(prefix="hpp-self-test-")
    try:
        checks = _Checks(os.path.realpath(place))
        checks.run()
    finally:
        shutil.rmtree(place, ignore_errors=True)
    failed = sum(not held for _, held in checks.results)
    lines = [f"{'ok' if held else 'FAIL'} {name}\n" for name, held in checks.results]
    lines.append(f"self-test: {len(lines)} checks, {failed} failed\n")
    write_text("".join(lines))
    return 2 if failed else 0


class _KilledError(BaseException):
    """Stands for a process that ends between two operations."""


class _Checks:
    def __init__(self, place: str) -> None:
        self.place = place
        self.facts = replace(Facts(), homes=())
        self.results: list[tuple[str, bool]] = []
        self.number = 0

    def run(self) -> None:
        self._modules()
        self._archives()
        self._life()
        self._edits()
        self._interruption()

    def expect(self, name: str, report: dict[str, Any], code: int, problem: str = "") -> None:
        """Note whether a report has a status and, where one is named, a problem."""
        codes = {found["code"] for found in report["problems"]}
        held = report["exit_code"] == code and (not problem or problem in codes)
        self.results.append((name, held))

    def check(self, name: str, files: dict[str, bytes], code: int, problem: str = "") -> None:
        """Note whether the verification of a module has a status and a problem."""
        self.expect(name, verify(self.module(files)), code, problem)

    def hold(self, name: str, *, held: bool) -> None:
        self.results.append((name, held))

    def folder(self, name: str) -> str:
        self.number += 1
        path = os.path.join(self.place, f"{self.number:02}-{name}")
        os.mkdir(path)
        return path

    def module(self, files: dict[str, bytes], *, version: str = "0.1.0") -> str:
        path = os.path.join(self.folder("module"), f"{fixture.ID}-{version}")
        fixture.write_files(path, files)
        return path

    def sound(self, version: str = "0.1.0", **rules: Any) -> dict[str, bytes]:  # noqa: ANN401 -- of module_files
        return fixture.sealed_files(fixture.module_files(version, **rules))

    def install(self, module: str, target: str, **rules: Any) -> dict[str, Any]:  # noqa: ANN401 -- of Request
        rules = {"apply": True, "no_smoke": True, **rules}
        request = Request(kit=module, target=target, host=_HOST, **rules)
        return install(request, self.facts, "kit_doctor.py")

    def _modules(self) -> None:
        sound = self.sound()
        self.expect("an intact module verifies", verify(self.module(sound)), 0)
        tampered = {**sound, "README.md": b"# other\n"}
        self.expect(
            "a byte that differs is found", verify(self.module(tampered)), 2, "checksum-mismatch"
        )
        unlisted = {**sound, "hooks/more.py": b"\n"}
        self.expect("a file more is found", verify(self.module(unlisted)), 1, "unlisted-file")
        target = self.folder("target")
        report = self.install(self.module(unlisted), target)
        self.expect("a file more stops the installation", report, 2, "unlisted-file")
        for path in ("../x", "/etc/hosts", "C:/x"):
            line = f"{'0' * 64}  {path}\n".encode()
            lying = {**sound, "CHECKSUMS.txt": sound["CHECKSUMS.txt"] + line}
            self.expect(
                f"{path} in an inventory is refused", verify(self.module(lying)), 2, "unsafe-path"
            )
        self._link(sound)
        report = verify(self.module(sound), expect="0" * 64)
        self.expect("another anchor is refused", report, 2, "anchor-mismatch")
        failing = self.sound(smoke="raise SystemExit(1)\n")
        for apply in (False, True):
            report = self.install(self.module(failing), target, apply=apply, no_smoke=False)
            told = "apply" if apply else "plan"
            self.expect(f"a failing proof stops the {told}", report, 2, "smoke-failed")
        self.hold("a refused installation leaves nothing", held=os.listdir(target) == [])

    def _link(self, sound: dict[str, bytes]) -> None:
        module = self.module(sound)
        place = os.path.join(module, "README.md")
        os.rename(place, f"{place}.real")
        try:
            os.symlink(f"{place}.real", place)
        except OSError:  # Windows without the privilege
            return
        self.expect("a link to the same content is refused", verify(module), 2, "link-in-module")

    def _archives(self) -> None:
        sound = self.sound()
        data = zip_bytes(sound)
        self.hold("the archive of a module is read", held=read_zip(data, "zip").files == sound)
        for name in ("../x", "/x", "C:x", "a\\x"):
            found = read_zip(zip_bytes({name: b"x"}), "zip")
            self.hold(f"the member {name} is refused", held=bool(found.problems))
        encrypted = bytearray(zip_bytes({"a": b"x"}))
        encrypted[encrypted.index(b"PK\x01\x02") + 8] |= 1
        self.hold(
            "an encrypted member is refused", held=bool(read_zip(bytes(encrypted), "zip").problems)
        )

    def _life(self) -> None:
        first = self.module(self.sound())
        second = self.module(self.sound("0.2.0"), version="0.2.0")
        target = self.folder("target")
        report = self.install(first, target, no_smoke=False)
        self.expect("an installation without an anchor warns", report, 1, "not-anchored")
        self.expect("what was installed is intact", status(target, _HOST, self.facts), 0)
        before = _tree(target)
        self.hold("an upgrade is applied", held=self.install(second, target)["status"] == "applied")
        self.expect("a downgrade is refused", self.install(first, target), 2, "downgrade")
        report = rollback(fixture.ID, target, _HOST, self.facts, apply=True)
        self.expect("a rollback is done", report, 0)
        self.hold("a rollback brings the bytes back", held=_tree(target) == before)
        entry = '{"hooks": [{"command": "bash .agents/hpp/demo-kit/hooks/guard.py"}]}'
        wired = f'{{"hooks": {{"Stop": [{entry}]}}}}'.encode()
        fixture.write_files(target, {".codex/hooks.json": wired})
        report = uninstall(fixture.ID, target, _HOST, self.facts, apply=True)
        self.expect("a module that is wired stays", report, 2, "still-wired")
        shutil.rmtree(os.path.join(target, ".codex"))
        report = uninstall(fixture.ID, target, _HOST, self.facts, apply=True)
        self.expect("a removal is done", report, 0)
        self.hold(
            "a removal leaves the configuration alone",
            held=set(_tree(target)) == {"config/greet.json"},
        )

    def _edits(self) -> None:
        first = self.module(self.sound())
        second = self.module(self.sound("0.2.0"), version="0.2.0")
        target = self.folder("target")
        self.install(first, target)
        edited = {".agents/hpp/demo-kit/README.md": b"mine\n"}
        fixture.write_files(target, edited)
        before = _tree(target)
        self.expect("an edited file stops an upgrade", self.install(second, target), 2, "conflict")
        self.hold("the edit is left alone", held=_tree(target) == before)
        lock = Lock(open_target(target, self.facts), LAYOUTS[_HOST], self.facts)
        lock.take([])
        report = self.install(second, target, edits="keep")
        self.expect("a second installer is kept out", report, 2, "lock-held")
        lock.release([])

    def _interruption(self) -> None:
        target = self.folder("target")
        module = self.module(self.sound())
        genuine, left = disk.move, [7]

        def killed(source: str, place: str, **rules: Any) -> None:  # noqa: ANN401 -- of move
            left[0] -= 1
            if left[0] == 0:
                raise _KilledError
            genuine(source, place, **rules)

        back = transaction._roll_back  # noqa: SLF001 -- a process that is gone undoes nothing
        disk.move = killed  # type: ignore[assignment]
        transaction._roll_back = lambda *_: None  # noqa: SLF001 -- as above
        try:
            self.install(module, target)
        except _KilledError:
            pass
        finally:
            disk.move, transaction._roll_back = genuine, back  # noqa: SLF001 -- as above
        later = replace(self.facts, now=lambda: self.facts.now() + 3600)
        request = Request(kit=module, target=target, host=_HOST, no_smoke=True)
        self.expect(
            "a killed installation is noticed", install(request, later, ""), 2, "journal-pending"
        )
        self.expect("it is recovered", recover(target, _HOST, later, apply=True), 0)
        self.hold("the target is as before", held=os.listdir(target) == [])


def _tree(root: str) -> dict[str, bytes]:
    """Return every file below a folder but for the installer's own state of this machine."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            place = os.path.join(folder, name)
            path = os.path.relpath(place, root).replace(os.sep, "/")
            if "/.backups/" not in path:
                with open(place, "rb") as stream:
                    found[path] = stream.read()
    return found
