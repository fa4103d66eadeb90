"""A run of the forge: planned, written, repeated, compared, refused."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import Any

import pytest

Tree = Any
Forge = Any

LANE = "modules/lane-kit"


def test_a_tree_is_emitted_once_and_a_second_run_has_nothing_to_do(forge: Forge) -> None:
    assert forge("--apply").status == 0

    second = forge("--apply")

    assert second.status == 0
    assert second.report["actions"] == []


def test_a_plan_writes_nothing(source_tree: Tree, forge: Forge) -> None:
    planned = forge()

    assert planned.status == 0
    assert {"action": "add", "path": "distribution.json"} in planned.report["actions"]
    assert not (source_tree.root.parent / "out").exists()


def test_a_check_of_a_fresh_emission_finds_nothing(emitted: Tree, forge: Forge) -> None:
    assert emitted.snapshot()

    assert forge("--check").status == 0


def test_one_changed_byte_of_a_source_is_drift_at_its_place(
    source_tree: Tree, emitted: Tree, forge: Forge
) -> None:
    before = emitted.snapshot()
    source_tree.put(f"{LANE}/README.md", "# lane-kit\n\nOther text.\n")

    answer = forge("--check")

    assert answer.status == 2
    assert "multi-session/lane-kit-0.1.0/README.md" in answer.paths("emission-drift")
    assert emitted.snapshot() == before


@pytest.mark.parametrize("damage", ["delete", "append", "extra", "stray"])
def test_a_damaged_tree_is_found_and_mended(emitted: Tree, forge: Forge, damage: str) -> None:
    before = emitted.snapshot()
    archive = emitted.root / "installers" / "kit-forge-0.1.0.zip"
    if damage == "delete":
        archive.unlink()
    elif damage == "append":
        archive.write_bytes(archive.read_bytes() + b"x")
    elif damage == "extra":
        emitted.put("installers/kit-forge-0.1.0/scripts/evil.py", "x = 1\n")
    else:
        emitted.put(".forge-left/new/0", "x")

    found = forge("--check")
    mended = forge("--apply")

    assert found.status == 2
    assert len(found.paths("emission-drift")) == 1
    assert mended.status == 0
    assert emitted.snapshot() == before


def test_the_module_that_is_emitted_no_more_is_removed_and_nothing_else(
    source_tree: Tree, emitted: Tree, forge: Forge
) -> None:
    emitted.put("notes.txt", "mine")
    emitted.put("frameworks/own.txt", "mine")

    def raise_version(document: dict[str, Any]) -> None:
        for module in document["modules"]:
            if module["id"] == "lane-kit":
                module["version"] = "0.2.0"

    source_tree.change("hpp.manifest.json", raise_version)
    for path, key in (
        ("module.build.json", "module"),
        ("install/kit.install.json", ""),
        (".claude-plugin/plugin.json", ""),
    ):
        source_tree.change(
            f"{LANE}/{path}",
            lambda value, key=key: (value[key] if key else value).update(version="0.2.0"),
        )

    answer = forge("--apply")

    assert answer.status == 0, answer.report
    assert not (emitted.root / "multi-session/lane-kit-0.1.0").exists()
    assert not (emitted.root / "multi-session/lane-kit-0.1.0.zip").exists()
    assert (emitted.root / "multi-session/lane-kit-0.2.0.zip").exists()
    assert (emitted.root / "notes.txt").read_text() == "mine"
    assert (emitted.root / "frameworks/own.txt").read_text() == "mine"


def test_a_list_of_an_old_tree_cannot_remove_what_lies_elsewhere(
    source_tree: Tree, emitted: Tree, forge: Forge
) -> None:
    outside = source_tree.root.parent / "outside"
    outside.mkdir()
    emitted.put("files/a.whl", b"PK")

    def lie(document: dict[str, Any]) -> None:
        document["modules"] += [
            {"path": "../outside", "zip": "files"},
            {"path": "frameworks/..", "zip": "frameworks/../../outside"},
            {"path": str(outside), "zip": 7},
        ]

    emitted.change("distribution.json", lie)
    emitted.root.joinpath("files/a.whl").unlink()  # no wheel, but the folder stays

    assert forge("--apply").status == 0
    assert outside.is_dir()
    assert (emitted.root / "files").is_dir()


def test_two_places_times_zones_masks_seeds_and_folders_give_the_same_bytes(
    source_tree: Tree, environment: dict[str, str]
) -> None:
    if os.name == "nt":
        pytest.skip("a mask of modes is for systems that have one")
    program = (
        "import os,sys; os.umask(int(sys.argv[1], 8)); "
        "from hpp.installer.command import main; raise SystemExit(main(sys.argv[2:]))"
    )
    trees = []
    for mask, zone, seed, stamp in (("022", "UTC", "1", 1), ("077", "Asia/Kathmandu", "2", 2**30)):
        source = source_tree.root.parent / f"source-{mask}"
        shutil.copytree(source_tree.root, source)
        for path in source.rglob("*"):
            os.utime(path, (stamp, stamp))
        out = source_tree.root.parent / f"out-{mask}"
        words = ["forge", "--all", "--root", str(source), "--out", str(out), "--apply"]
        subprocess.run(
            [sys.executable, "-c", program, mask, *words],
            check=True,
            capture_output=True,
            cwd=source if mask == "022" else out.parent,
            env={**environment, "TZ": zone, "PYTHONHASHSEED": seed, "LC_ALL": "C"},
        )
        trees.append(
            {
                path.relative_to(out).as_posix(): (path.read_bytes(), path.stat().st_mode)
                for path in out.rglob("*")
                if path.is_file()
            }
        )

    assert trees[0] == trees[1]
    assert len(trees[0]) > 30


def test_a_source_that_changes_meanwhile_stops_the_emission(
    source_tree: Tree, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hpp.installer.forge import moduleforge, publishlint

    real = publishlint.lint_tree
    written: list[int] = []

    def meddle(*words: Any, **named: Any) -> Any:  # noqa: ANN401 -- stands in for the linter
        written.append(len(written))
        source_tree.put(f"{LANE}/AGENTS.md", f"# {written}\n")
        return real(*words, **named)

    monkeypatch.setattr(moduleforge, "lint_tree", meddle)

    answer = forge("--apply")

    assert answer.status == 2
    assert answer.paths("source-drift") == [f"{LANE}/AGENTS.md"]
    assert not any((source_tree.root.parent / "out").iterdir())


def test_a_disk_that_refuses_in_the_middle_leaves_the_old_tree(
    source_tree: Tree, emitted: Tree, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = emitted.snapshot()
    for name in ("kit-forge", "claude-dev-kit", "lane-kit"):
        source_tree.put(f"modules/{name}/README.md", "# other\n")
    real = os.rename
    moves = []

    def rename(source: str, target: str) -> None:
        moves.append(target)
        if len(moves) == 6:
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "rename", rename)
    answer = forge("--apply")
    monkeypatch.undo()

    assert answer.status == 3
    assert emitted.snapshot() == before
    assert forge("--apply").status == 0
    assert emitted.snapshot() != before


@pytest.mark.parametrize("out", ["source/modules/out", "source"])
def test_the_sources_are_no_place_to_write_to(forge: Forge, out: str) -> None:
    answer = forge("--apply", out=out)

    assert answer.status == 2
    assert answer.err.startswith("hpp: --out:")


@pytest.mark.parametrize(
    "words",
    [
        ["forge", "--out", "x"],
        ["forge", "--all", "--module", "a", "--out", "x"],
        ["forge", "--module", "a", "--check", "--out", "x"],
        ["forge", "--all", "--apply", "--check", "--out", "x"],
        ["forge", "--all"],
    ],
)
def test_a_command_line_that_contradicts_itself_is_a_usage_error(words: list[str]) -> None:
    from hpp.installer.command import main

    assert main(words) == 3


def test_a_module_alone_is_emitted_without_the_product(source_tree: Tree, forge: Forge) -> None:
    answer = forge("--module", "lane-kit", "--module", "kit-forge", "--apply")

    out = source_tree.root.parent / "out"
    assert answer.status == 0
    assert sorted(path.name for path in out.iterdir()) == ["installers", "multi-session"]


def test_a_module_without_a_folder_is_refused_by_name(source_tree: Tree, forge: Forge) -> None:
    shutil.rmtree(source_tree.root / LANE)

    answer = forge("--apply")

    assert answer.status == 2
    assert answer.paths("build-manifest-invalid") == [f"{LANE}/module.build.json"]
    assert not (source_tree.root.parent / "out").exists()


def test_a_module_that_nobody_declared_is_refused(forge: Forge) -> None:
    answer = forge("--module", "no-kit")

    assert answer.status == 2
    assert "no-kit" in answer.err


def test_the_emitted_manifest_differs_in_paths_alone(source_tree: Tree, emitted: Tree) -> None:
    source = source_tree.read("hpp.manifest.json")
    made = emitted.read("hpp.manifest.json")

    assert made["installer"] == {"path": "installers/kit-forge-0.1.0/kit_doctor.py"}
    for module in made["modules"]:
        assert module["path"] == f"{module['area']}/{module['id']}-0.1.0"
        module["path"] = f"modules/{module['id']}"
    made["installer"] = source["installer"]
    assert made == source
    assert list(made) == list(source)


def test_the_program_finds_the_tree_sound(emitted: Tree) -> None:
    from hpp.core.distribution import check_distribution
    from hpp.core.manifest import load_manifest

    path = str(emitted.root / "hpp.manifest.json")

    assert check_distribution(load_manifest(path), path)["codex_marketplace"] == {
        "checked": True,
        "plugins": 1,
    }


def test_the_installer_finds_the_catalogues_and_digests_sound(
    emitted: Tree, capfd: pytest.CaptureFixture[str]
) -> None:
    from hpp.installer.command import main

    assert main(["kit", "marketplace", str(emitted.root)]) == 0, capfd.readouterr().out
    for module in emitted.read("distribution.json")["modules"]:
        assert main(["kit", "verify", str(emitted.root / module["path"])]) == 0
        assert main(["kit", "verify", str(emitted.root / module["zip"])]) == 0

    emitted.put("docs/other.md", "x")
    emitted.put("installers/kit-forge-0.1.0/README.md", "# other\n")
    assert main(["kit", "verify", str(emitted.root / "installers/kit-forge-0.1.0")]) == 2
    capfd.readouterr()
