from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from hpp.cli import main
from hpp.cli.doctor import DISTRIBUTIONS
from hpp.core.schema import faults, find_schema

Capture = pytest.CaptureFixture[str]
DATA = Path(__file__).parent / "data"
NAME = "hpp.manifest.json"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder that holds the sample manifest."""
    shutil.copyfile(DATA / "manifest.json", tmp_path / NAME)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(capfd: Capture, *words: str) -> Any:  # noqa: ANN401 -- any JSON value
    assert main(["doctor", *words]) == 0
    captured = capfd.readouterr()
    assert captured.err == ""
    return json.loads(captured.out)


def refusal(capfd: Capture, *words: str, code: int = 2) -> str:
    assert main(["doctor", *words]) == code
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("hpp: ")
    return captured.err


def edit(folder: Path, **values: object) -> None:
    document = json.loads((folder / NAME).read_text(encoding="utf-8"))
    document.update(values)
    (folder / NAME).write_text(json.dumps(document), encoding="utf-8")


def put_tree(folder: Path) -> None:
    """Make the folder a sound distribution tree without the Codex channel."""
    plugins = []
    for name, version in ("alpha", "1.0.0"), ("beta", "2.0.0"), ("gamma", "1.1.0"):
        (folder / "modules" / name).mkdir(parents=True)
        plugins.append({"name": name, "version": version, "source": f"./modules/{name}"})
    catalogue = {"name": "sample", "version": "1.2.0", "plugins": plugins}
    (folder / "marketplace.json").write_text(json.dumps(catalogue), encoding="utf-8")


@pytest.mark.usefixtures("here")
def test_the_text_is_one_line_with_the_two_counts_that_matter_most(capfd: Capture) -> None:
    assert main(["doctor"]) == 0

    assert capfd.readouterr().out == (
        "doctor ok: modules=3 hosts=claude-code,codex hooks=2 (permission-gates=1, llm-egress=0)\n"
    )


def test_the_document_counts_every_group_and_policy(capfd: Capture, here: Path) -> None:
    document = answer(capfd, "--json")

    assert document.pop("families")
    assert document == {
        "status": "ok",
        "version": importlib.metadata.version("hpp-cli"),
        "manifest": str(here / NAME),
        "modules": 3,
        "bundles": ["small"],
        "hosts": ["claude-code", "codex"],
        "hooks": {
            "declared": 2,
            "by_capability": {
                "automatic-source-writes": 1,
                "command-rewrite-and-process-control": 0,
                "transcript-derived-llm-egress": 0,
                "mcp-network-and-process-activity": 0,
                "automatic-permission-gates": 1,
                "session-observation-and-cost-records": 1,
            },
            "by_exit_policy": {"block": 1, "observe": 1, "warn": 0},
        },
        "distribution": {"checked": False, "status": "source-contract"},
    }


def test_bundles_are_sorted_and_hosts_are_not(capfd: Capture, here: Path) -> None:
    bundle = {"modules": ["alpha"], "capabilities": ["guarding"]}
    edit(here, bundles={"z": bundle, "B": bundle, "a": bundle})

    assert answer(capfd, "--json")["bundles"] == ["B", "a", "z"]


@pytest.mark.usefixtures("here")
def test_every_known_distribution_is_named_and_null_when_it_is_not_installed(
    capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = {"hpp-core": "0.1.0", "hpp-cli": "0.1.2"}

    def version(name: str) -> str:
        if name not in installed:
            raise importlib.metadata.PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr(importlib.metadata, "version", version)

    families = answer(capfd, "--json")["families"]
    assert families == [{"name": n, "version": installed.get(n)} for n in sorted(DISTRIBUTIONS)]
    assert len(families) == 6


@pytest.mark.usefixtures("here")
def test_the_report_names_no_place_of_the_machine(capfd: Capture) -> None:
    report = answer(capfd, "--report")

    assert sorted(report) == [
        "distribution", "families", "hooks", "hosts", "modules", "platform", "protocol_version",
        "python", "schema", "version",
    ]  # fmt: skip
    assert report["schema"] == "hpp.doctor-report/v1"
    assert report["python"] == ".".join(map(str, sys.version_info[:3]))
    assert report["platform"] == f"{platform.system()} {platform.machine()}"
    text = json.dumps(report)
    for place in (os.getcwd(), os.path.expanduser("~"), platform.node(), sys.prefix):
        assert place not in text


def test_a_sound_tree_is_told(capfd: Capture, here: Path) -> None:
    put_tree(here)

    assert answer(capfd, "--json")["distribution"] == {
        "checked": True,
        "status": "ok",
        "modules": 3,
        "codex_marketplace": {"checked": False},
    }
    assert answer(capfd, "--report")["distribution"] == {"checked": True, "status": "ok"}


def test_both_documents_keep_to_their_schemas(capfd: Capture, here: Path) -> None:
    for _ in range(2):
        assert faults(find_schema("doctor").document(), answer(capfd, "--json")) == []
        report = answer(capfd, "--report")
        assert faults(find_schema("doctor-report").document(), report) == []
        if not (here / "marketplace.json").exists():
            put_tree(here)
    document = answer(capfd, "--json")
    document["distribution"]["codex_marketplace"] = {"checked": True}
    assert faults(find_schema("doctor").document(), document) == [
        "distribution.codex_marketplace.checked: expected false"
    ]


@pytest.mark.parametrize("words", [[], ["--json"], ["--report"], ["--matrix"]])
def test_a_tree_that_disagrees_is_refused_in_every_form(
    capfd: Capture, here: Path, words: list[str]
) -> None:
    put_tree(here)
    (here / "modules" / "beta").rmdir()

    told = refusal(capfd, *words)
    assert told == "hpp: beta: modules/beta: there is no such folder\n"


@pytest.mark.parametrize("words", [[], ["--json"], ["--report"], ["--matrix"]])
def test_a_manifest_that_breaks_a_rule_is_refused_in_every_form(
    capfd: Capture, here: Path, words: list[str]
) -> None:
    edit(here, hosts=[], monitors=None)

    told = refusal(capfd, *words)
    assert f"{NAME}: hosts: expected a non-empty list of texts" in told
    assert told.endswith(" (and 1 more)\n")


def test_the_nearest_manifest_is_judged_even_if_it_is_broken(
    capfd: Capture, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = here / "a"
    inner.mkdir()
    (inner / NAME).write_bytes(b"\xff\xfe{\x00")
    monkeypatch.chdir(inner)

    assert "UTF-16" in refusal(capfd)
    assert answer(capfd, f"--manifest={here / NAME}", "--json")["modules"] == 3


@pytest.mark.usefixtures("here")
def test_an_empty_name_and_an_absent_file_are_refused(capfd: Capture) -> None:
    assert "--manifest: an empty value" in refusal(capfd, "--manifest", "")
    assert "absent.json: there is no such file" in refusal(capfd, "--manifest", "absent.json")
    assert "it is a folder" in refusal(capfd, "--manifest", ".")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "words",
    [["--report", "--matrix"], ["--matrix", "--report"], ["--json", "--matrix"], ["x"],
     ["--manifest"], ["--json", "--json"], ["--jso"], ["--json=1"]],
)  # fmt: skip
def test_a_line_that_asks_for_two_things_is_a_usage_error(capfd: Capture, words: list[str]) -> None:
    assert "usage: hpp doctor " in refusal(capfd, *words, code=3)


@pytest.mark.usefixtures("here")
def test_a_usage_error_comes_before_the_manifest_is_read(capfd: Capture) -> None:
    refusal(capfd, "--report", "--matrix", "--manifest", "absent.json", code=3)


def test_a_secret_in_a_manifest_is_not_repeated(capfd: Capture, here: Path) -> None:
    edit(here, protocol_version="api_key=secret-value")

    assert "secret-value" not in refusal(capfd)


@pytest.mark.skipif(os.name == "nt", reason="file names are not bytes there")
@pytest.mark.parametrize("words", [["doctor", "--json"], ["status", "--json"], ["event", "verify"]])
def test_a_folder_whose_name_is_no_text_is_told_in_sound_json(
    capfdbinary: pytest.CaptureFixture[bytes],
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
) -> None:
    folder = os.fsencode(here) + b"/\xff"
    try:
        os.mkdir(folder)
    except OSError:
        pytest.skip("this file system takes text only")
    monkeypatch.chdir(os.fsdecode(folder))
    (here / NAME).rename(os.path.join(os.fsdecode(folder), NAME))

    assert main(words) == 0
    assert "/\\xff" in str(json.loads(capfdbinary.readouterr().out)).replace("\\\\", "\\")


def test_control_the_packaged_manifest_is_whole(
    capfd: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["doctor"]) == 0
    assert "modules=10 hosts=claude-code,codex hooks=18" in capfd.readouterr().out
