from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hpp.cli import main
from hpp.core.control import Control
from hpp.core.schema import faults, find_schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[..., None]

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(workspace: Path) -> Write:
    """Return a writer of ``s.json``: a replay for each list of outcomes."""

    def suite(*outcomes: list[bool]) -> None:
        cases = [
            {"id": f"c{number}", "runner": "replay", "outcomes": runs}
            for number, runs in enumerate(outcomes)
        ]
        document = {"version": "1", "cases": cases}
        (workspace / "s.json").write_text(json.dumps(document), encoding="utf-8")

    return suite


def answer(capfd: Capture, *words: str, status: int = 0, schema: str = "") -> Any:  # noqa: ANN401
    assert main(words) == status
    document = json.loads(capfd.readouterr().out)
    if schema:
        assert faults(find_schema(schema).document(), document) == []
    return document


def refused(capfd: Capture, *words: str, status: int = 2) -> str:
    assert main(words) == status
    captured = capfd.readouterr()
    assert captured.out == ""
    return captured.err


def test_the_gate_decides_the_status(capfd: Capture, write: Write) -> None:
    write([True, False])

    result = answer(capfd, "eval", "run", "s.json", schema="eval-result")
    assert (result["k"], result["gate"]["name"], result["suite"]["name"]) == (3, "capability", "s")
    answer(capfd, "eval", "run", "s.json", "--gate", "both", status=1)
    answer(capfd, "eval", "run", "s.json", "-k1", "--gate", "both")


@pytest.mark.parametrize(("k", "status"), [("0", 2), ("-1", 2), ("x", 3), ("1.0", 3)])
def test_fewer_runs_than_one_are_refused(capfd: Capture, write: Write, k: str, status: int) -> None:
    write([True])

    assert "-k" in refused(capfd, "eval", "run", "s.json", "-k", k, status=status)


def test_nothing_runs_for_a_suite_that_is_refused(capfd: Capture, workspace: Path) -> None:
    code = f"open({str(workspace / 'ran')!r}, 'w')"
    cases = [
        {"id": "a", "runner": "command", "command": [sys.executable, "-c", code]},
        {"id": "b", "runner": "nonsense"},
    ]
    (workspace / "s.json").write_text(json.dumps({"version": "1", "cases": cases}), "utf-8")

    assert "cases[1].runner" in refused(capfd, "eval", "run", "s.json")
    assert not (workspace / "ran").exists()


def test_shards_merge_to_the_unsharded_run(capfd: Capture, write: Write, workspace: Path) -> None:
    write([True], [False, True], [True], [True])
    whole = answer(capfd, "eval", "run", "s.json", "--gate", "both", "-k", "2", status=1)
    for index in "321":
        words = ("--gate", "both", "-k", "2", "--shard", f"{index}/3")
        shard = answer(capfd, "eval", "run", "s.json", *words, schema="eval-shard")
        (workspace / f"{index}.json").write_text(json.dumps(shard), encoding="utf-8")

    merged = answer(
        capfd, "eval", "merge", "2.json", "1.json", "3.json", status=1, schema="eval-result"
    )

    assert merged == whole
    assert "2 of 3 shards are missing" in refused(capfd, "eval", "merge", "1.json")
    assert "FILE is required" in refused(capfd, "eval", "merge", status=3)


@pytest.mark.parametrize("text", ["0/1", "2/1", "x", "1"])
def test_a_shard_that_is_none_is_refused(capfd: Capture, write: Write, text: str) -> None:
    write([True])

    assert "--shard" in refused(capfd, "eval", "run", "s.json", "--shard", text)


def test_benchmark_passes_every_installed_control(capfd: Capture) -> None:
    document = answer(capfd, "benchmark", "-k", "2", "--json", schema="benchmark")

    ran = {case["id"] for case in document["cases"]}
    left_out = {entry["id"] for entry in document["not_run"]}
    assert ran | left_out == set(find_owners())
    assert not ran & left_out
    assert document["gate"]["passed"]
    assert all("--index" in entry["install"] for entry in document["not_run"])


def find_owners() -> dict[str, str]:
    from hpp.core.control import OWNERS

    return OWNERS


def test_benchmark_tells_shares_with_their_numbers(capfd: Capture) -> None:
    assert main(["benchmark", "-k", "1"]) == 0

    line = capfd.readouterr().out
    assert line.count("\n") == 1
    assert "pass@k=1.00 (" in line
    assert "gate=PASS" in line


def test_a_failing_control_fails_benchmark_and_self_test_by_name(
    capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hpp.core.coreproof.workgraph_waves", lambda: False)

    assert main(["benchmark", "-k", "1"]) == 1
    line = capfd.readouterr().out
    assert "gate=FAIL failed=workgraph-waves" in line
    assert "=1.00" not in line
    assert "self-test: failed: workgraph-waves" in refused(capfd, "--self-test")


def test_a_control_that_has_to_be_here_and_is_not_fails(
    capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "hpp.core.control.installed_controls",
        lambda: {"routing-risk-floor": Control(lambda: lambda: True)},
    )
    monkeypatch.setattr("hpp.cli.benchmark.is_installed", lambda name: name != "hpp-evidence")

    document = answer(capfd, "benchmark", "-k", "1", "--json", status=1)

    failed = {case["id"] for case in document["cases"] if not case["pass_at_k"]}
    owners = find_owners()
    assert failed == {name for name, owner in owners.items() if owner in ("hpp-core", "hpp-cli")}
    assert [entry["id"] for entry in document["not_run"]] == ["evidence-attestation"]


def test_the_self_test_needs_no_manifest_and_leaves_nothing(
    capfd: Capture, workspace: Path
) -> None:
    (workspace / "hpp.manifest.json").write_text("broken", encoding="utf-8")

    assert main(["--self-test"]) == 0

    assert capfd.readouterr().out == "hpp self-test OK\n"
    assert [path.name for path in workspace.iterdir()] == ["hpp.manifest.json"]


def test_the_self_test_takes_no_argument(capfd: Capture) -> None:
    assert "--self-test takes no argument" in refused(capfd, "--self-test", "x", status=3)


def test_control_a_gate_that_holds_ends_with_zero(capfd: Capture, write: Write) -> None:
    write([True])

    answer(capfd, "eval", "run", "s.json", "--gate", "both")


def test_a_quiet_benchmark_asks_for_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from hpp.cli.benchmark import run_benchmark

    def asked(_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("hpp.core.progress.terminal", asked)
    evaluation, _ = run_benchmark(1, quiet=True)
    assert evaluation.cases

    with pytest.raises(AssertionError):
        run_benchmark(1)
