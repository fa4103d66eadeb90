"""``hpp install``: a receipt that promises nothing it did not do."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from hpp.installer.command import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Refused = Callable[..., tuple[int, str]]

MODULES = ["operator-kit", "kit-forge", "lane-kit", "continuity-kit", "health-kit", "gotcha-memory"]


@pytest.fixture
def plan(capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., dict[str, Any]]:
    def call(host: str, *words: str) -> dict[str, Any]:
        bundle = ("--bundle", "reliable-coding")
        assert main(["install", *bundle, "--host", host, "--target", "t x", *words]) == 0
        out = capfdbinary.readouterr().out
        made: dict[str, Any] = json.loads(out)
        assert out.decode() == json.dumps(made, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        return made

    return call


def test_the_receipt_names_every_module_in_order(
    plan: Callable[..., dict[str, Any]], workplace: Path
) -> None:
    made = plan("codex")

    assert list(workplace.iterdir()) == []
    assert [module["id"] for module in made["modules"]] == MODULES
    assert {module["integration"] for module in made["modules"]} == {"explicit-command"}
    assert made["mode"] == "plan-only"
    assert made["target"] == "t x"
    assert "nothing was installed" in made["instructions"][0]
    lines = [line for line in made["instructions"] if line.startswith("hpp kit install")]
    assert len(lines) == 6
    assert all('--target "t x" --apply' in line for line in lines)
    assert not any(f'"{os.sep}' in line for line in made["instructions"])


def test_native_modules_have_the_host_s_own_line(plan: Callable[..., dict[str, Any]]) -> None:
    made = plan("claude-code")

    lines = [line for line in made["instructions"][1:] if not line.startswith("#")]
    assert lines[0].startswith("/plugin marketplace add ")
    assert lines[1] == "/plugin install operator-kit@house-party-protocol"
    assert lines[2].startswith('hpp kit install --kit "<distribution>/installers/kit-forge-0.1.0"')
    assert len(lines) == 7


@pytest.mark.usefixtures("tree")
def test_an_absolute_path_is_there_only_when_it_was_typed(
    plan: Callable[..., dict[str, Any]], tree: Path
) -> None:
    assert str(tree) not in json.dumps(plan("codex", "--manifest", "dist/hpp.manifest.json"))

    typed = plan("codex", "--manifest", str(tree / "hpp.manifest.json"))
    assert tree.as_posix() in json.dumps(typed, ensure_ascii=False)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--bundle", "reliable-coding"), 3, "--host is required"),
        (("--bundle", "b", "--host", "codex"), 3, "--target is required"),
        (("--bundle", "b", "--host", "codex", "--target", "t", "--yes"), 3, "unknown option"),
        (("--bundle", "b", "--host", "codex", "--target", ""), 3, "an empty value"),
        (("--bundle", "b", "--host", "codex", "--target", "t"), 2, "unknown bundle 'b'"),
        (("--bundle", "reliable-coding", "--host", "vi", "--target", "t"), 2, "unknown host 'vi'"),
    ],
)
def test_what_is_not_there_is_refused(
    refused: Refused, words: tuple[str, ...], code: int, message: str
) -> None:
    found, told = refused("install", *words)

    assert found == code
    assert message in told


@pytest.mark.usefixtures("project")
def test_control_a_module_that_the_host_does_not_run_is_named(refused: Refused, tree: Path) -> None:
    path = tree / "hpp.manifest.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["bundles"]["reliable-coding"]["modules"].append("claude-dev-kit")
    path.write_text(json.dumps(document), encoding="utf-8")

    words = ("--bundle", "reliable-coding", "--host", "codex", "--target", "t")
    code, told = refused("install", *words, "--manifest", str(path))

    assert code == 2
    assert "claude-dev-kit: unsupported on codex" in told
