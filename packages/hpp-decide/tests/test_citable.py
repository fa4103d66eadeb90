from __future__ import annotations

import importlib.metadata
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.errors import RefusedError
from hpp.decide import citable
from hpp.decide.evidence import Evidence, gate_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., tuple[int, Any, str]]
    Make = Callable[..., Any]
    Put = Callable[[str, object], str]

CONTEXT = SimpleNamespace(ids=["page-2", "page-1"], sha256="c" * 64)


@pytest.fixture
def families(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put made-up families in the place of installed ones."""

    def record(path: str, root: str) -> dict[str, str]:
        assert root
        if path == "stale.json":
            raise RefusedError("stale.json: it verifies as blocked: out/a: changed")
        return {"id": path.removesuffix(".json"), "record_sha256": "e" * 64}

    services = {"citation-context": lambda _path: CONTEXT, "evidence-record": record}
    monkeypatch.setattr(citable, "find_service", lambda name, _wanted_by: services[name])


@pytest.mark.usefixtures("families")
def test_what_other_families_vouch_for_may_be_cited(program: Call, put: Put, panel: Make) -> None:
    made = put("p.json", panel(evidence={"ids": ["own"]}))
    words = ["--context", "c.json", "--evidence", "unit.json", "--evidence", "smoke.json"]

    code, printed, _ = program("deliberate", "plan", made, *words)

    assert code == 0
    assert printed["panel"]["evidence"] == {
        "ids": ["own", "page-1", "page-2", "smoke", "unit"],
        "sources": [
            {"kind": "context", "sha256": "c" * 64},
            {"kind": "evidence-record", "sha256": "e" * 64, "id": "unit"},
            {"kind": "evidence-record", "sha256": "e" * 64, "id": "smoke"},
        ],
    }
    plain = program("deliberate", "plan", made)[1]["panel"]["sha256"]
    assert printed["panel"]["sha256"] != plain
    written = put("again.json", printed["panel"])
    assert program("deliberate", "plan", written)[1] == printed


@pytest.mark.usefixtures("families")
def test_what_is_named_twice_is_there_once(program: Call, put: Put, panel: Make) -> None:
    words = ["--evidence", "unit.json", "--evidence", "unit.json"]

    printed = program("deliberate", "plan", put("p.json", panel()), *words)[1]

    assert printed["panel"]["evidence"]["ids"] == ["unit"]
    assert len(printed["panel"]["evidence"]["sources"]) == 1


@pytest.mark.usefixtures("families")
def test_a_record_that_does_not_hold_now_is_refused_and_nothing_written(
    program: Call, put: Put, panel: Make, workspace: Path
) -> None:
    made = put("p.json", panel())

    code, _, told = program(
        "deliberate", "plan", made, "--evidence", "stale.json", "--out", "o.json"
    )

    assert (code, "stale.json: it verifies as blocked" in told) == (2, True)
    assert not (workspace / "o.json").exists()


@pytest.mark.usefixtures("families")
def test_the_panel_is_checked_before_anything_is_added(
    program: Call, put: Put, panel: Make
) -> None:
    made = put("p.json", panel(id=""))

    code, _, told = program("deliberate", "plan", made, "--evidence", "stale.json")

    assert (code, "p.json: id:" in told) == (2, True)


@pytest.mark.parametrize(
    ("option", "owner"), [("--context", "hpp-retrieval"), ("--evidence", "hpp-evidence")]
)
def test_an_absent_family_is_named_with_its_install_line(  # noqa: PLR0913, PLR0917 -- fixtures
    program: Call,
    put: Put,
    panel: Make,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    owner: str,
) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: [])

    code, _, told = program("deliberate", "plan", put("p.json", panel()), option, "x.json")

    assert code == 3
    assert f"{option} needs {owner}, which is not installed" in told
    assert f"simple {owner} (PATH" in told


def test_the_gate_of_the_evidence() -> None:
    source = {"kind": "context", "sha256": "0" * 64}

    assert gate_of(None) == "not-declared"
    assert gate_of(Evidence(["a"])) == "declared-unsourced"
    assert gate_of(Evidence(["a"], [source])) == "resolved"


def test_standard_input_is_read_once(program: Call) -> None:
    code, _, told = program("deliberate", "plan", "-", "--context", "-")

    assert (code, "standard input (-) can be read only once" in told) == (3, True)
