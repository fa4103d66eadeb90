"""The gate of hpp-cli alone: the log and the boundary; records are hpp-evidence's to judge."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.cli import main
from hpp.cli.gateanswer import Answer, status_of, worst
from hpp.cli.gatejudge import Tree, find_tree
from hpp.cli.gatelog import read_tree_log
from hpp.core.canonical import canonical_bytes
from hpp.core.errors import RefusedError
from hpp.core.loop import Loop
from hpp.core.manifest import load_manifest, packaged_manifest_path
from hpp.core.service import install_line

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]
GENESIS = hashlib.sha256(b"").hexdigest()
LOOP = Loop.of(load_manifest(packaged_manifest_path()))
WHOLE = ("work_started", "evidence_recorded", "check_passed", "human_approved", "verified")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def write_log(root: Path, events: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """Write a chained log and return the head after each event, that of no event first."""
    heads, lines = [GENESIS], []
    for number, (kind, data) in enumerate(events, 1):
        event = {"seq": number, "id": f"event:{number}", "type": kind, "data": data}
        lines.append(canonical_bytes({**event, "prev_sha256": heads[-1]}))
        heads.append(hashlib.sha256(lines[-1]).hexdigest())
    (root / ".hpp").mkdir(exist_ok=True)
    (root / ".hpp" / "events.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    return heads


def of(work: str, *kinds: str) -> list[tuple[str, dict[str, Any]]]:
    return [(kind, {"work": work}) for kind in kinds or WHOLE]


def asked(root: Path, head: str | None = None, *names: str) -> tuple[list[str], list[str | None]]:
    log, answers = read_tree_log(str(root), LOOP, head, list(names))
    return [each.answer for each in answers], [claim.work.name for claim in log.judged]


def test_no_log_and_an_empty_one_are_no_pass(tmp_path: Path) -> None:
    assert asked(tmp_path) == (["no", "no"], [])
    write_log(tmp_path, [])
    assert asked(tmp_path) == (["no", "no"], [])


def test_every_piece_must_be_verified(tmp_path: Path) -> None:
    write_log(tmp_path, [*of("a"), *of("b")])
    assert asked(tmp_path) == (["yes", "yes"], ["a", "b"])

    write_log(tmp_path, [*of("a"), *of("b", *WHOLE[:4])])
    assert asked(tmp_path) == (["yes", "no"], ["a", "b"])


def test_a_step_left_out_is_blocked(tmp_path: Path) -> None:
    write_log(tmp_path, of("a", *WHOLE[:2], *WHOLE[3:]))

    assert asked(tmp_path)[0] == ["yes", "blocked"]


def test_names_choose_what_is_judged_unless_a_head_was_kept(tmp_path: Path) -> None:
    heads = write_log(tmp_path, [*of("a"), *of("b"), *of("c", "work_started")])

    assert asked(tmp_path, None, "b") == (["yes", "yes"], ["b"])
    assert asked(tmp_path, heads[5], "b") == (["yes", "no"], ["b", "c"])
    assert asked(tmp_path, heads[5], "a") == (["yes", "no"], ["b", "c", "a"])
    assert asked(tmp_path, heads[11], "b") == (["yes", "no"], ["b"])


def test_a_head_of_no_line_is_blocked(tmp_path: Path) -> None:
    write_log(tmp_path, of("a"))

    assert asked(tmp_path, "0" * 64)[0] == ["blocked", "blocked"]


@settings(max_examples=40, deadline=None)
@given(before=st.integers(0, 4), after=st.integers(0, 4), kept=st.integers(0, 40))
def test_what_moved_since_the_head_is_judged_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, before: int, after: int, kept: int
) -> None:
    root = tmp_path_factory.mktemp("log")
    works = [f"w{number}" for number in range(before + after)]
    heads = write_log(root, [event for work in works for event in of(work)])
    at = min(kept, len(heads) - 1)

    answers, judged = asked(root, heads[at])

    first = at // len(WHOLE)  # the piece that the head's event belongs to, or the one after it
    assert judged == works[first:]
    assert answers == ["yes" if works else "no", "yes" if judged else "no"]


def test_control_a_cut_log_is_not_intact(tmp_path: Path) -> None:
    write_log(tmp_path, of("a"))
    path = tmp_path / ".hpp" / "events.jsonl"
    path.write_bytes(path.read_bytes()[:-9])

    assert asked(tmp_path)[0] == ["blocked", "blocked"]


@needs_git
def test_a_family_that_is_missing_is_named_with_its_install_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    def nothing(**_: str) -> list[object]:
        return []

    subprocess.run(["git", "init", "-q", "--template=", "."], cwd=tmp_path, check=True)
    monkeypatch.setattr(importlib.metadata, "entry_points", nothing)

    assert main(["gate", "--repo", str(tmp_path)]) == 3

    captured = capfd.readouterr()
    assert captured.out == ""
    assert install_line("hpp-evidence") in captured.err


@needs_git
def test_code_in_the_judged_tree_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", "--template=", "."], cwd=tmp_path, check=True)
    assert find_tree(str(tmp_path)).top == str(tmp_path.resolve())
    monkeypatch.syspath_prepend(str(tmp_path / "not" / "there" / "yet"))

    with pytest.raises(RefusedError, match="would judge itself"):
        find_tree(str(tmp_path))


def test_a_folder_is_known_however_it_is_spelled(tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "a").mkdir(parents=True)
    tree = Tree(str(top), str(top))

    assert tree.holds(str(top))
    assert tree.holds(f"{tmp_path}/x/../top/a/absent")
    assert not tree.holds(f"{tmp_path}/topper")
    assert not tree.holds(str(tmp_path))


def test_answers_are_shown_in_one_line_each() -> None:
    many = Answer("work", "no", "", ["a: open", "b: open"])

    assert many.line() == "work: no: a: open (and 1 more, see --json)\n"
    assert json.loads(json.dumps(many.document()))["problems"] == ["a: open", "b: open"]
    assert [status_of(word) for word in ("yes", "no", "blocked")] == [0, 1, 2]
    assert worst(["yes", "no", "yes"]) == "no"
    assert worst(["no", "blocked", "yes"]) == "blocked"
