"""``verify`` and ``marketplace``: what is wrong with a module or a distribution is found."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from hpp.installer.formats.archive import zip_bytes
from hpp.installer.formats.inventory import inventory_bytes, sha256_hex
from hpp.installer.formats.problem import CODES
from hpp.installer.kit import fixture
from hpp.installer.kit.command import main
from hpp.installer.kit.marketplace import marketplace
from hpp.installer.kit.verification import verify

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Shop = Any  # the class lives in conftest.py
INVENTORY = "CHECKSUMS.txt"


def codes(report: dict[str, Any]) -> set[str]:
    found = {problem["code"] for problem in report["problems"]}
    assert found <= CODES
    return found


def can_link(place: Path) -> bool:
    try:
        (place / "link-probe").symlink_to(place)
    except OSError:
        return False
    return True


def test_a_module_of_a_distribution_is_intact_and_anchored(shop: Shop) -> None:
    module = shop.distribution()

    report = verify(str(module))

    assert (report["status"], report["exit_code"]) == ("ok", 0)
    assert report["anchor"] == {"status": "matched", "source": "distribution.json"}
    assert (report["module"], report["version"]) == (fixture.ID, "0.1.0")
    assert report["total_tracked"] == len(shop.files()) - 1
    assert verify(f"{module}.zip")["anchor"]["status"] == "matched"
    assert verify(f"{module}.zip")["exit_code"] == 0


def test_a_bare_module_is_intact_without_an_anchor(shop: Shop) -> None:
    report = verify(str(shop.bare(shop.files())))

    assert (report["exit_code"], report["anchor"]["status"]) == (0, "absent")


def line(path: str) -> Callable[[dict[str, bytes]], dict[str, bytes]]:
    added = f"{'0' * 64}  {path}\n".encode()
    return lambda files: {**files, INVENTORY: files[INVENTORY] + added}


def without(path: str) -> Callable[[dict[str, bytes]], dict[str, bytes]]:
    return lambda files: {name: data for name, data in files.items() if name != path}


BROKEN: dict[str, tuple[Callable[[dict[str, bytes]], dict[str, bytes]], int, str, str]] = {
    "tampered": (lambda f: {**f, "README.md": b"x"}, 2, "checksum-mismatch", "corrupt"),
    "more": (lambda f: {**f, "hooks/evil.py": b"x"}, 1, "unlisted-file", "warn"),
    "less": (without("README.md"), 2, "file-missing", "corrupt"),
    "empty": (lambda f: {**f, INVENTORY: b""}, 2, "inventory-empty", "error"),
    "none": (without(INVENTORY), 2, "file-missing", "error"),
    "dots": (line("../x"), 2, "unsafe-path", "corrupt"),
    "absolute": (line("/etc/hosts"), 2, "unsafe-path", "corrupt"),
    "drive": (line("C:/x"), 2, "unsafe-path", "corrupt"),
    "malformed": (line(""), 2, "inventory-malformed", "corrupt"),
    "twice": (line("README.md"), 2, "inventory-malformed", "corrupt"),
    "device": (line("scripts/nul.py"), 2, "unsafe-path", "corrupt"),
    "case": (line("readme.md"), 2, "case-collision", "corrupt"),
    "no manifest": (without("install/kit.install.json"), 2, "file-missing", "error"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_copy_is_told_by_its_fault(shop: Shop, name: str) -> None:
    change, code, problem, status = BROKEN[name]

    report = verify(str(shop.bare(change(shop.files()))))

    assert (report["exit_code"], report["status"]) == (code, status)
    assert problem in codes(report)
    if problem == "unsafe-path":
        assert len(report["unsafe_paths"]) == 1


def test_a_link_to_identical_content_is_unsafe(shop: Shop) -> None:
    if not can_link(shop.place):
        pytest.skip("this Windows account may not make links")
    module = shop.bare(shop.files())
    (module / "README.md").rename(shop.place / "README.md")
    (module / "README.md").symlink_to(shop.place / "README.md")

    report = verify(str(module))

    assert report["exit_code"] == 2
    assert "link-in-module" in codes(report)
    assert "README.md" in report["unsafe_paths"]


def test_a_folder_that_is_a_link_is_found_and_not_followed(shop: Shop) -> None:
    if not can_link(shop.place):
        pytest.skip("this Windows account may not make links")
    module = shop.bare(shop.files())
    (module / "docs").symlink_to(shop.place)

    assert "link-in-module" in codes(verify(str(module)))


def test_an_inventory_that_was_rewritten_contradicts_the_anchor(shop: Shop) -> None:
    module = shop.distribution()
    files = {**fixture.module_files(), "README.md": b"# other\n"}
    digests = {path: sha256_hex(data) for path, data in files.items()}
    (module / "README.md").write_bytes(b"# other\n")
    (module / INVENTORY).write_bytes(inventory_bytes(digests))

    report = verify(str(module))

    assert report["exit_code"] == 2
    assert codes(report) == {"anchor-mismatch"}
    assert report["anchor"]["status"] == "mismatch"


def test_line_ends_that_git_rewrote_are_told_as_such(shop: Shop) -> None:
    files = shop.files()
    rewritten = {**files, "README.md": files["README.md"].replace(b"\n", b"\r\n")}

    report = verify(str(shop.bare(rewritten)))

    (problem,) = report["problems"]
    assert "content equal after CRLF->LF: line ends were rewritten by git" in problem["measured"]
    assert ".gitattributes" in problem["next"]


def test_bytecode_of_the_module_s_own_scripts_is_no_extra(shop: Shop) -> None:
    module = shop.bare(shop.files())
    cache = module / "scripts" / "__pycache__"
    cache.mkdir()
    (cache / "greet.cpython-312.pyc").write_bytes(b"x")
    assert verify(str(module))["exit_code"] == 0

    (cache / "other.cpython-312.pyc").write_bytes(b"x")
    assert verify(str(module))["extras"] == ["scripts/__pycache__/other.cpython-312.pyc"]


@pytest.mark.parametrize("given", ["expect", "anchor"])
def test_an_anchor_that_is_given_has_to_hold(shop: Shop, given: str) -> None:
    module, other = shop.distribution(), shop.distribution("0.2.0")
    digest = sha256_hex((module / INVENTORY).read_bytes())
    good = {"expect": digest, "anchor": str(module.parent.parent / "distribution.json")}
    bad = {"expect": digest[::-1], "anchor": str(other.parent.parent / "distribution.json")}

    assert verify(str(module), **{given: good[given]})["anchor"]["status"] == "matched"
    assert verify(str(module), **{given: bad[given]})["exit_code"] == 2


def test_another_version_in_the_plugin_s_file_or_the_folder_s_name_is_found(shop: Shop) -> None:
    other = json.dumps({"name": fixture.ID, "version": "0.1.1"}).encode()
    plugin = {".claude-plugin/plugin.json": other}

    files = fixture.sealed_files(fixture.module_files(extra=plugin))

    assert codes(verify(str(shop.bare(files)))) == {"version-mismatch"}
    assert codes(verify(str(shop.bare(shop.files(), "0.3.0")))) == {"version-mismatch"}


def test_a_zip_with_a_foreign_or_missing_member_is_found(shop: Shop) -> None:
    files = shop.files()
    place = shop.place / "m.zip"

    place.write_bytes(zip_bytes({**files, "more.py": b""}))
    assert verify(str(place))["extras"] == ["more.py"]
    place.write_bytes(zip_bytes({p: d for p, d in files.items() if p != "README.md"}))
    assert verify(str(place))["missing"] == ["README.md"]
    place.write_bytes(zip_bytes({**files, "../x": b""}))
    assert verify(str(place))["unsafe_paths"] == ["../x"]
    assert not (shop.place.parent / "x").exists()


def test_the_command_takes_a_module_by_itself(
    shop: Shop, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = shop.distribution()
    monkeypatch.chdir(shop.place)

    assert main([str(module)]) == 0
    alone = capfd.readouterr().out
    assert main(["verify", str(module), "--json", "report.json"]) == 0

    assert capfd.readouterr().out == alone == (shop.place / "report.json").read_text("utf-8")
    assert main(["verify", str(shop.place / "absent")]) == 2
    assert main(["verify"]) == 3
    assert main([]) == 3
    assert main(["verify", str(module), "--expect", "abc"]) == 2


def test_a_sound_distribution_keeps_the_contract(shop: Shop) -> None:
    report = marketplace(str(shop.distribution().parent.parent), "D")

    assert (report["status"], report["exit_code"], report["problems"]) == ("ok", 0, [])


def edit(path: str, change: Callable[[Any], object]) -> Callable[[Path], None]:
    def apply(root: Path) -> None:
        place = root / path
        document = json.loads(place.read_bytes())
        change(document)
        place.write_bytes(json.dumps(document).encode())

    return apply


def on_both(change: Callable[[Any], object]) -> Callable[[Path], None]:
    def apply(root: Path) -> None:
        for path in ("marketplace.json", ".claude-plugin/marketplace.json"):
            edit(path, change)(root)

    return apply


MODULE = f"wizards/{fixture.ID}-0.1.0"
BREACHES: dict[str, tuple[Callable[[Path], object], str, int]] = {
    "no catalogue": (
        lambda r: (r / ".claude-plugin/marketplace.json").unlink(), "manifest-out-of-place", 2,
    ),
    "no root copy": (lambda r: (r / "marketplace.json").unlink(), "marketplace-drift", 2),
    "version": (
        edit(f"{MODULE}/.claude-plugin/plugin.json", lambda d: d.update(version="9.9.9")),
        "version-mismatch", 2,
    ),
    "codex version": (
        edit(f"{MODULE}/.codex-plugin/plugin.json", lambda d: d.update(version="9.9.9")),
        "version-mismatch", 2,
    ),
    "hooks twice": (
        edit(f"{MODULE}/.claude-plugin/plugin.json", lambda d: d.update(hooks="hooks/hooks.json")),
        "hooks-listed-twice", 2,
    ),
    "codex hooks": (
        edit(f"{MODULE}/.codex-plugin/plugin.json", lambda d: d.pop("hooks")),
        "codex-hooks-not-empty", 2,
    ),
    "no plugin file": (
        lambda r: (r / MODULE / ".claude-plugin/plugin.json").unlink(),
        "plugin-manifest-missing", 1,
    ),
    "source": (
        on_both(lambda d: d["plugins"][0].update(source="./wizards/other-0.1.0")),
        "source-unresolved", 2,
    ),
    "source outside": (
        on_both(lambda d: d["plugins"][0].update(source="./../x")), "source-unresolved", 2,
    ),
    "codex omits": (
        edit(".agents/plugins/marketplace.json", lambda d: d["plugins"].clear()), "codex-omits", 2,
    ),
    "codex unqualified": (
        edit("hpp.manifest.json", lambda d: d["modules"][0].update(components=["hooks"])),
        "codex-unqualified", 2,
    ),
    "digest": (lambda r: (r / MODULE / INVENTORY).write_bytes(b"x\n"), "digest-mismatch", 2),
    "no digests": (lambda r: (r / "distribution.json").unlink(), "digest-mismatch", 2),
    "no zip": (lambda r: (r / f"{MODULE}.zip").unlink(), "zip-invalid", 2),
    "damaged zip": (lambda r: (r / f"{MODULE}.zip").write_bytes(b"x"), "zip-invalid", 2),
    "stray": (lambda r: (r / f"wizards/{fixture.ID}-0.0.9").mkdir(), "stray-version", 2),
    "uncatalogued": (lambda r: (r / "wizards/other-0.1.0").mkdir(), "uncatalogued-module", 2),
}  # fmt: skip


@pytest.mark.parametrize("name", BREACHES)
def test_a_breach_of_the_distribution_is_told_by_its_code(shop: Shop, name: str) -> None:
    change, code, status = BREACHES[name]
    root = shop.distribution().parent.parent
    change(root)

    report = marketplace(str(root), "D")

    assert code in codes(report)
    assert report["exit_code"] >= status
    if name == "no plugin file":
        assert report["exit_code"] == 1


def test_a_module_folder_that_is_a_link_is_no_source(shop: Shop) -> None:
    if not can_link(shop.place):
        pytest.skip("this Windows account may not make links")
    root = shop.distribution().parent.parent
    os.rename(root / MODULE, shop.place / "elsewhere")
    (root / MODULE).symlink_to(shop.place / "elsewhere")

    assert "source-unresolved" in codes(marketplace(str(root), "D"))


def test_the_self_test_holds(capfd: pytest.CaptureFixture[str], shop: Shop) -> None:
    before = shop.tree(shop.place)

    assert main(["--self-test"]) == 0

    out = capfd.readouterr().out.splitlines()
    assert out[-1].endswith(", 0 failed")
    assert not [one for one in out if one.startswith("FAIL")]
    assert shop.tree(shop.place) == before


@pytest.mark.skipif(os.name == "nt", reason="Windows has no names that are no text")
def test_names_that_are_no_text_and_folders_without_end_are_told(
    shop: Shop, capfd: pytest.CaptureFixture[str]
) -> None:
    module = shop.bare(shop.files())
    try:
        open(os.fsencode(str(module)) + b"/\xff.py", "wb").close()
    except OSError:
        pytest.skip("this file system takes text alone")
    deep = module
    for _ in range(130):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "file").write_bytes(b"")

    assert main(["verify", str(module)]) == 2

    report = json.loads(capfd.readouterr().out)
    assert "\\xff.py" in report["extras"]
    assert "unsafe-path" in codes(report)
