"""History documents and the mirror: what is written, and what never is."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = subprocess.CompletedProcess[bytes]
    Roll = Callable[..., Run]

ROLLUP, MIRROR = "scripts/doc_rollup.py", "scripts/state_mirror.py"


@pytest.fixture
def roll(run: Callable[..., Run], project: Path) -> Roll:
    """Return a caller of doc_rollup for one target, `LOG.md` unless it says otherwise."""

    def call(verb: str = "apply", marker: str = "s-1", more: object = None, **target: Any) -> Run:  # noqa: ANN401
        entry = {
            "path": "LOG.md", "role": "changelog", "mode": "append-section",
            "template": ["## {date}", "{summary}"], **target,
        }  # fmt: skip
        repos = [{"name": "here", "root": ".", "targets": [entry]}]
        config = {"schema": "hpp.rollup-config/v1", "repos": repos}
        (project / "rollup.json").write_text(json.dumps(config), encoding="utf-8")
        payload = {"session_marker": marker, "summary": "Done.", "date": "2026-05-01"}
        payload |= more if isinstance(more, dict) else {}
        words = (verb, "--stdin", "--config", "rollup.json", "--json")
        return run(ROLLUP, *words, stdin=json.dumps(payload))

    return call


def status(done: Run) -> str:
    found: str = json.loads(done.stdout)["targets"][0]["status"]
    return found


def test_a_session_is_written_once(roll: Roll, project: Path) -> None:
    assert status(roll("plan")) == "would-create"
    assert not (project / "LOG.md").exists()
    assert status(roll()) == "created"
    assert status(roll()) == "skipped-collision"
    assert status(roll(marker="s-12")) == "applied:append"

    text = (project / "LOG.md").read_text(encoding="utf-8")
    assert text.startswith("<!-- rollup:s-1 -->\n## 2026-05-01\nDone.\n")
    assert text.count("<!-- rollup:") == 2


def test_the_newest_goes_first_below_the_header(roll: Roll, project: Path) -> None:
    (project / "LOG.md").write_text("# Title\nintro\n\nold\n", encoding="utf-8")
    roll(mode="prepend-after-header")
    roll(mode="prepend-after-header", marker="s-2")

    lines = (project / "LOG.md").read_text(encoding="utf-8").splitlines()

    assert lines[:4] == ["# Title", "intro", "", "<!-- rollup:s-2 -->"]
    assert lines.index("<!-- rollup:s-1 -->") > 3
    assert lines[-1] == "old"


def test_line_ends_and_byte_order_mark_stay(roll: Roll, project: Path) -> None:
    (project / "LOG.md").write_bytes(b"\xef\xbb\xbf# T\r\n\r\nold\r\n")

    roll(mode="prepend-after-header")

    data = (project / "LOG.md").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf# T\r\n\r\n<!-- rollup:s-1 -->\r\n")
    assert b"\n" not in data.replace(b"\r\n", b"")


def test_only_the_snapshot_between_its_marks_is_replaced(roll: Roll, project: Path) -> None:
    begin, end = "<!-- ROLLUP:SNAPSHOT:BEGIN -->", "<!-- ROLLUP:SNAPSHOT:END -->"
    (project / "LOG.md").write_text(f"a\n{begin}\nold\n{end}\nz\n", encoding="utf-8")

    assert status(roll(mode="header-and-section")) == "applied:update-section"

    text = (project / "LOG.md").read_text(encoding="utf-8")
    assert text == f"a\n{begin}\n<!-- rollup:s-1 -->\n## 2026-05-01\nDone.\n{end}\nz\n"
    (project / "LOG.md").write_text(f"{begin}\n", encoding="utf-8")
    done = roll(mode="header-and-section")
    assert (status(done), done.returncode) == ("error", 1)


def test_a_full_document_gets_stamps_and_then_nothing(roll: Roll, project: Path) -> None:
    (project / "LOG.md").write_text("x" * 3000 + "\n", encoding="utf-8")
    done = roll(max_bytes=1000, pointer="docs/OLD.md")
    assert status(done) == "applied:stamp"
    text = (project / "LOG.md").read_text(encoding="utf-8")
    assert "- 2026-05-01: Done. (see docs/OLD.md) <!-- rollup-stamp -->\n" in text

    stamps = "".join(f"- {n} <!-- rollup-stamp -->\n" for n in range(200))
    (project / "LOG.md").write_text("x" * 3000 + "\n" + stamps, encoding="utf-8")
    done = roll(max_bytes=1000, marker="s-9")
    assert (status(done), done.returncode) == ("full", 1)


def test_entries_are_counted_by_their_mark(roll: Roll, project: Path) -> None:
    (project / "LOG.md").write_text("## a\n## b\n", encoding="utf-8")

    assert status(roll("plan", entry_marker="^## ", max_entries=2)) == "would-stamp"
    assert status(roll("plan", entry_marker="^## ", max_entries=3)) == "would-append"


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"a\x80"])
def test_an_unreadable_document_keeps_its_bytes(roll: Roll, project: Path, data: bytes) -> None:
    (project / "LOG.md").write_bytes(data)

    done = roll()

    assert (status(done), done.returncode) == ("unreadable", 1)
    assert (project / "LOG.md").read_bytes() == data


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_link_is_not_written_through(roll: Roll, project: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("x", encoding="utf-8")
    (project / "LOG.md").symlink_to(tmp_path / "outside.md")

    assert status(roll()) == "unreadable"
    assert (tmp_path / "outside.md").read_text(encoding="utf-8") == "x"


def test_what_was_there_is_saved_and_ten_are_kept(roll: Roll, project: Path) -> None:
    for number in range(13):
        done = roll(marker=f"s-{number:02}")

    row = json.loads(done.stdout)["targets"][0]
    assert (project / row["backup"]).is_file()
    kept = [path for path in (project / ".claude/rollup-backups").iterdir() if "LOG" in path.name]
    assert len(kept) == 10
    assert (project / ".claude/rollup-backups/.gitignore").read_bytes() == b"*\n"


def test_a_value_forges_no_line_and_no_mark(roll: Roll, project: Path) -> None:
    forged = "x\n<!-- rollup:s-2 -->\n## Now\n<!-- ROLLUP:SNAPSHOT:BEGIN -->"
    roll(more={"summary": forged, "shipments": [forged, "## Now"]},
         template=["{summary}", "{shipments_bullets}", "{unknown}"])  # fmt: skip

    text = (project / "LOG.md").read_text(encoding="utf-8")
    assert text.count("<!--") == 1
    assert not any(line.startswith("## ") for line in text.splitlines())
    assert "{unknown}" in text


def test_a_table_keeps_its_cells(roll: Roll, project: Path) -> None:
    metric = {"name": "a|b", "before": 1, "after": "2\n3", "re_derive_cmd": "ls | wc -l"}
    roll(more={"metrics": [metric]}, template="{metrics_table}")

    text = (project / "LOG.md").read_text(encoding="utf-8")
    assert "| a\\|b | 1 | 2 3 | ls \\| wc -l |" in text


@pytest.mark.parametrize(
    "more",
    [{"date": "../../x"}, {"date": "2026-02-30"}, {"surprise": 1}, {"summary": " "},
     {"session_marker": "a b"}, {"metrics": [{"name": "n", "before": 1, "after": 2}]},
     {"shipments": "x"}, {"learnings": ["token ghp_" + "a1B2" * 9]}],
)  # fmt: skip
def test_a_bad_payload_is_refused_in_one_line(
    roll: Roll, project: Path, more: dict[str, Any]
) -> None:
    done = roll(more=more)

    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1), done.stderr
    assert not (project / "LOG.md").exists()


@pytest.mark.parametrize(
    "target",
    [{"path": "../x"}, {"path": "/x"}, {"path": "C:/x"}, {"mode": "x"}, {"role": "x"},
     {"max_bytes": 0}, {"entry_marker": "(a+)+$"}, {"entry_marker": "("}, {"template": ""},
     {"extra": 1}],
)  # fmt: skip
def test_a_bad_configuration_is_refused_in_one_line(roll: Roll, target: dict[str, Any]) -> None:
    done = roll(**target)

    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1), done.stderr
    assert b"repos[0].targets[0]" in done.stderr


def test_controle_a_passive_target_is_never_written(roll: Roll, project: Path) -> None:
    assert status(roll(passive=True)) == "skipped-passive"
    assert not (project / "LOG.md").exists()
    roll()
    assert (project / "LOG.md").exists()


@pytest.fixture
def mirror(run: Callable[..., Run], project: Path) -> Callable[..., Run]:
    """Return a caller of state_mirror with one rule, all files below `state`."""

    def call(*words: str, rule: str = "glob: state/**\n      dest_subdir: s") -> Run:
        profile = f"paths:\n  mirror_globs:\n    - {rule}\n"
        (project / "operator-profile.yaml").write_text(profile, encoding="utf-8")
        return run(MIRROR, *words)

    return call


def test_the_mirror_takes_text_and_keeps_secrets_out(
    mirror: Callable[..., Run], project: Path
) -> None:
    (project / "state/deep").mkdir(parents=True)
    (project / "state/a.txt").write_text("a\n", encoding="utf-8")
    (project / "state/deep/a.txt").write_text("b\n", encoding="utf-8")
    (project / "state/env.txt").write_text("DB_PASSWORD=hunter2hunter2\n", encoding="utf-8")
    (project / "state/b.bin").write_bytes(b"\0\1")
    (project / "state/big.txt").write_bytes(b"x\n" * 600_000)

    planned, done = mirror("plan"), mirror("apply", "--json")

    assert planned.returncode == done.returncode == 1
    assert {row["source"]: row["status"] for row in json.loads(done.stdout)["files"]} == {
        "state/a.txt": "copied", "state/b.bin": "binary", "state/big.txt": "too-large",
        "state/deep/a.txt": "copied", "state/env.txt": "refused-secret",
    }  # fmt: skip
    folder = project / "docs/_state-mirror"
    assert sorted(path.name for path in folder.rglob("*.*")) == ["_manifest.json", "a.txt", "a.txt"]
    assert not (folder / "s/env.txt").exists()


def test_prune_removes_what_is_gone_unless_somebody_changed_it(
    mirror: Callable[..., Run], project: Path
) -> None:
    (project / "state").mkdir()
    for name in ("a", "b", "c"):
        (project / f"state/{name}.txt").write_text(name, encoding="utf-8")
    assert mirror("apply").returncode == 0
    (project / "docs/_state-mirror/s/b.txt").write_text("changed", encoding="utf-8")
    (project / "docs/_state-mirror/s/foreign.txt").write_text("x", encoding="utf-8")
    for name in ("a", "b"):
        (project / f"state/{name}.txt").unlink()

    mirror("apply", "--prune")

    left = sorted(path.name for path in (project / "docs/_state-mirror/s").iterdir())
    assert left == ["b.txt", "c.txt", "foreign.txt"]


@pytest.mark.parametrize(
    "rule",
    ["glob: ../x\n      dest_subdir: s", "glob: /etc/*\n      dest_subdir: s",
     "glob: a\n      dest_subdir: ../s", "glob: a", "glob: a\n      dest_subdir: s\n      odd: 1"],
)  # fmt: skip
def test_a_bad_rule_is_refused(mirror: Callable[..., Run], rule: str) -> None:
    done = mirror("plan", rule=rule)

    assert (done.returncode, b"paths.mirror_globs[0]" in done.stderr) == (2, True), done.stderr


def test_the_newest_of_a_kind_are_kept(mirror: Callable[..., Run], project: Path) -> None:
    import os

    (project / "state").mkdir()
    for number in range(4):
        path = project / f"state/{number}.txt"
        path.write_text("x", encoding="utf-8")
        os.utime(path, (1000 + number, 1000 + number))

    mirror("apply", rule="glob: state/*.txt\n      dest_subdir: s\n      keep_latest: 2")

    assert sorted(path.name for path in (project / "docs/_state-mirror/s").iterdir()) == [
        "2.txt", "3.txt",
    ]  # fmt: skip


def test_a_long_state_document_gets_an_index(run: Callable[..., Run], project: Path) -> None:
    state = project / "STATE.md"
    state.write_text("## Now\nfocus\n## OPEN ITEMS\n- [ ] a\n## Log\n" + "old\n" * 20_000)

    assert run(MIRROR, "index", "--state-file", "STATE.md").returncode == 0
    assert not (project / "STATE.md.index.json").exists()
    run(MIRROR, "index", "--state-file", "STATE.md", "--apply")

    index = json.loads((project / "STATE.md.index.json").read_bytes())
    assert index["sections"] == {"## Now": ["focus"], "## OPEN ITEMS": ["- [ ] a"]}
    assert index["size"] == state.stat().st_size
    assert run(MIRROR, "index", "--state-file", "../x").returncode == 2


def test_the_boot_text_shows_state_and_handoff(
    run: Callable[..., Run], write: Callable[..., Run], project: Path
) -> None:
    assert run("scripts/session_boot.py").returncode == 1
    (project / "docs/plans/execution").mkdir(parents=True)
    (project / "docs/plans/execution/00-STATE.md").write_text("## Now\nfocus\n", encoding="utf-8")
    write()

    done = run("scripts/session_boot.py")

    text = done.stdout.decode()
    assert done.returncode == 0
    assert "## Now\nfocus" in text
    assert "next step 1: Write the printer." in text
    assert text.rstrip().endswith("starting the other.")
    assert json.loads(run("scripts/session_boot.py", "--json").stdout)["handoff"]
