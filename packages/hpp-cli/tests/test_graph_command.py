from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from hpp.cli import main
from hpp.core.graph import VIEWS
from hpp.core.schema import faults, find_schema

Capture = pytest.CaptureFixture[str]
MANIFEST = str(Path(__file__).parent / "data" / "manifest.json")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def out(capfd: Capture, *words: str) -> str:
    assert main(["graph", *words]) == 0
    captured = capfd.readouterr()
    assert captured.err == ""
    return captured.out


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_keeps_to_the_published_schema(capfd: Capture, view: str) -> None:
    document = json.loads(out(capfd, "--view", view, "--manifest", MANIFEST))

    assert document["view"] == view
    assert document["protocol_version"] == "2.1"
    assert faults(find_schema("graph").document(), document) == []


@pytest.mark.parametrize("view", VIEWS)
def test_each_form_has_the_same_bytes_on_repetition(capfd: Capture, here: Path, view: str) -> None:
    for form in ("json", "mermaid", "svg"):
        shown = out(capfd, "--view", view, "--format", form)
        assert out(capfd, f"--format={form}", f"--view={view}") == shown
        if form == "json":
            assert out(capfd, "--view", view) == shown
            pretty = json.dumps(json.loads(shown), indent=2, sort_keys=True, ensure_ascii=False)
            assert shown == pretty + "\n"
        elif form == "mermaid":
            assert shown.startswith("flowchart LR\n")
        else:
            root = ET.fromstring(shown)  # noqa: S314 -- our own bytes
            assert root.findtext("{http://www.w3.org/2000/svg}title") == f"{view} graph"
    assert list(here.iterdir()) == []


def test_the_agent_view_is_drawn(capfd: Capture) -> None:
    assert out(capfd, "--view", "agent", "--format", "mermaid") == (
        'flowchart LR\n  n0["checker (read-only)"]\n  n1["human gate"]\n  n2["maker"]\n'
        "  n0 -->|reports| n1\n  n1 -->|approves-or-returns| n2\n  n2 -->|submits| n0\n"
    )


def test_a_manifest_in_the_folder_is_the_one_that_is_drawn(capfd: Capture, here: Path) -> None:
    document = json.loads(Path(MANIFEST).read_text(encoding="utf-8"))
    document["modules"][0]["components"] = ['<b> "x" | y']
    (here / "m.json").write_text(json.dumps(document), encoding="utf-8")

    words = ["--view", "code", "--manifest", "m.json", "--format"]
    assert '["#lt;b#gt; #quot;x#quot; #124; y"]' in out(capfd, *words, "mermaid")
    assert "&lt;b&gt; &quot;x&quot; | y" in out(capfd, *words, "svg")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], 3),
        (["--view", "other"], 3),
        (["--view", "code", "x"], 3),
        (["--view", "code", "--format", "png"], 3),
        (["--view", "code", "--view", "code"], 3),
        (["--view", "code", "--manifest", ""], 2),
        (["--view", "code", "--manifest", "absent.json"], 2),
        (["--view", "agent", "--manifest", "nan.json"], 2),
    ],
)
def test_what_is_refused_writes_nothing_out(
    capfd: Capture, here: Path, words: list[str], code: int
) -> None:
    (here / "nan.json").write_text('{"protocol_version": NaN}', encoding="utf-8")

    assert main(["graph", *words]) == code

    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("hpp: ")
    if code == 2:
        assert len(captured.err.splitlines()) == 1
