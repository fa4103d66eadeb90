from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any

import pytest

from hpp.core.schema import faults, find_schema
from hpp.evidence import Request, run_criterion, verify_record
from hpp.evidence.record import self_hash

WRITE = "import os; os.makedirs('out', exist_ok=True); open('out/a.txt', 'w').write('x')"
links = pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
Call = Any


def test_a_pass_is_recorded_and_holds(criterion: Call, evidence: Call) -> None:
    code, record, _ = criterion(WRITE, "--artifact", "out/*")

    assert (code, record["verdict"], record["exit_code"], record["event"]) == (0, "passed", 0, None)
    digest = hashlib.sha256(b"x").hexdigest()
    assert record["artifacts"] == [
        {
            "pattern": "out/*",
            "files": [{"path": "out/a.txt", "size": 1, "sha256": digest}],
            "unchanged": [],
        }
    ]
    written = json.loads(pathlib.Path(record["record_path"]).read_text(encoding="utf-8"))
    assert {**written, "event": None} == record
    assert self_hash(written) == written["record_sha256"]
    assert faults(find_schema("evidence").document(), written) == []
    code, report, _ = evidence("verify", record["record_path"])
    assert (code, report["status"], report["problems"]) == (0, "valid", [])
    assert faults(find_schema("evidence-verification").document(), report) == []


@pytest.mark.parametrize(
    ("code", "verdict", "exit_code"),
    [
        ("raise SystemExit(3)", "failed", 3),
        (WRITE + "; raise SystemExit(5)", "failed", 5),
        ("pass", "missing-artifacts", 0),
        ("import os; os.makedirs('out/a.txt')", "missing-artifacts", 0),
        ("import time; time.sleep(60)", "timeout", None),
    ],
)
def test_anything_else_is_no_evidence(
    criterion: Call, evidence: Call, code: str, verdict: str, exit_code: int | None
) -> None:
    status, record, _ = criterion(code, "--artifact", "out/*", "--timeout", "1")

    assert (status, record["verdict"], record["exit_code"]) == (1, verdict, exit_code)
    assert faults(find_schema("evidence").document(), record) == []
    assert evidence("verify", record["record_path"])[0] == 1


def test_a_program_that_cannot_start_is_recorded(evidence: Call) -> None:
    code, record, _ = evidence("run", "--id", "x", "--", "./absent")

    assert (code, record["verdict"], record["exit_code"]) == (1, "could-not-start", None)


@pytest.mark.parametrize(
    ("code", "counts"),
    [
        ("pass", False),
        ("open('out/a.txt', 'w').write('old')", True),
        ("open('out/a.txt', 'w').write('new')", True),
        ("import os; os.utime('out/a.txt')", True),
        ("import os; os.chmod('out/a.txt', 0o600)", False),
        (
            (
                "import os; s = os.stat('out/a.txt'); open('out/a.txt', 'w').write('new');"
                "os.utime('out/a.txt', ns=(s.st_atime_ns, s.st_mtime_ns))"
            ),
            True,
        ),
        (
            "import os, shutil; shutil.copy2('out/a.txt', 'b'); os.replace('b', 'out/a.txt')",
            True,
        ),
    ],
)
def test_only_what_the_run_wrote_counts(criterion: Call, code: str, counts: bool) -> None:
    pathlib.Path("out").mkdir()
    pathlib.Path("out/a.txt").write_text("old", encoding="utf-8")
    os.utime("out/a.txt", (1, 1))

    _, record, _ = criterion(code, "--artifact", "out/*")

    (group,) = record["artifacts"]
    assert (bool(group["files"]), group["unchanged"] == ["out/a.txt"]) == (counts, not counts)


REFUSED = [
    (["--id", "a b"], "--id"), (["--id", "a/b"], "--id"), (["--id", ".a"], "--id"),
    (["--id", "a\n"], "--id"), (["--id", ""], "--id"), (["--id", "x" * 81], "--id"),
    (["--artifact", ""], "blank"), (["--artifact", "/etc/x"], "inside"),
    (["--artifact", "C:x"], "inside"), (["--artifact", "..\\x"], "inside"),
    (["--artifact", "a/../b"], "inside"), (["--artifact", "out/"], "slash"),
    (["--artifact", "out\\"], "slash"), (["--artifact", "."], "workspace itself"),
    (["--artifact", "a**"], "alone"), (["--timeout", "0"], "--timeout"),
    (["--timeout", "-1"], "--timeout"), (["--timeout", "nan"], "--timeout"),
    (["--timeout", "86401"], "--timeout"), (["--out", ""], "--out"), (["--out", "/x"], "--out"),
    (["--out", "../x"], "--out"), (["--out", "C:/x"], "--out"), (["--out", "."], "--out"),
    (["--out", "file"], "--out"), (["--out", "file/x"], "--out"), (["--out", ".git/x"], "--out"),
    (["--record-event"], "--artifact"), (["--work", "A"], "--record-event"),
    (["--artifact", "x", "--record-event", "--work", " A"], "work"),
    (["--artifact", "x", "--record-event", "--manifest", "absent"], "absent"),
    (["--artifact", "token=abcdefgh1"], "secret-like"), (["--out", "sk-abcdefgh1234"], "secret"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "message"), REFUSED, ids=range(len(REFUSED)))
def test_a_bad_request_runs_and_writes_nothing(
    evidence: Call, workspace: pathlib.Path, options: list[str], message: str
) -> None:
    (workspace / "file").write_bytes(b"")
    identity = [] if options[0] == "--id" else ["--id", "x"]
    code, answer, err = evidence(
        "run", *identity, *options, "--", sys.executable, "-c", "open('ran', 'w')"
    )

    assert (code, answer) == (2, None)
    assert message in err
    assert err.count("\n") == 1
    assert [entry.name for entry in workspace.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "no program"),
        (["true", ""], "argument 1: it is empty"),
        (["true", "caf\udce9"], "argument 1: it is not valid UTF-8"),
        (["true", "--password", "hunter2"], "argument 2: secret-like"),
        (["sh", "-c", "export GITHUB_TOKEN=abc123def"], "argument 2: secret-like"),
    ],
)
def test_a_bad_command_line_is_refused(
    evidence: Call, workspace: pathlib.Path, argv: list[str], message: str
) -> None:
    code, _, err = evidence("run", "--id", "x", "--", *argv)

    assert code == 2
    assert message in err
    assert "hunter2" not in err
    assert "abc123def" not in err
    assert list(workspace.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [["run"], ["run", "--id", "x", "--bogus"], ["run", "--id", "x", "true"],
     ["run", "--id", "x", "--timeout", "abc", "--", "true"], [], ["walk"], ["verify"],
     ["verify", "a", "b"]],
)  # fmt: skip
def test_what_cannot_be_understood_is_a_usage_error(evidence: Call, words: list[str]) -> None:
    assert evidence(*words)[0] == 3


def test_the_full_form_is_the_same_command(evidence: Call) -> None:
    assert evidence("evidence", "run", "--id", "x", "--", sys.executable, "-c", "pass")[0] == 0


def test_records_of_one_second_do_not_replace_each_other(criterion: Call) -> None:
    paths = {criterion("pass")[1]["record_path"] for _ in range(4)}

    assert len(paths) == 4


def test_an_event_is_appended_for_a_pass_alone(criterion: Call, workspace: pathlib.Path) -> None:
    options = ["--artifact", "out/*", "--record-event", "--work", "A"]
    code, record, _ = criterion(WRITE, *options)
    assert (code, record["event"]) == (2, None)  # no work has begun
    assert "not allowed in state planned" in record["event_error"]
    assert not (workspace / ".hpp" / "events.jsonl").exists()

    log = workspace / ".hpp" / "events.jsonl"
    empty = hashlib.sha256(b"").hexdigest()
    log.write_text(
        f'{{"data":{{"work":"A"}},"id":"event:1","prev_sha256":"{empty}","seq":1,'
        '"type":"work_started"}\n',
        encoding="utf-8",
    )
    assert criterion("raise SystemExit(1)", *options)[1]["event"] is None
    code, record, _ = criterion(WRITE, *options)
    assert (code, record["event"]["type"]) == (0, "evidence_recorded")
    assert record["event"]["data"] == {
        "id": "crit",
        "evidence": record["record_path"],
        "evidence_sha256": record["record_sha256"],
        "work": "A",
    }
    assert len(log.read_text(encoding="utf-8").splitlines()) == 2


@needs_git
def test_the_commit_before_the_run_is_recorded(criterion: Call) -> None:
    def git(*words: str) -> str:
        author = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
        done = subprocess.run(["git", *author, *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert criterion("pass")[1]["base_commit"] is None
    git("init", "-q")
    assert criterion("pass")[1]["base_commit"] is None
    git("commit", "-q", "--allow-empty", "-m", "one")
    head = git("rev-parse", "HEAD")
    author = "['git', '-c', 'user.name=t', '-c', 'user.email=t@e']"
    words = "['commit', '-q', '--allow-empty', '-m', 'two']"
    code = f"import subprocess; subprocess.run({author} + {words}, check=True)"
    assert criterion(code)[1]["base_commit"] == head
    assert criterion("pass")[1]["dirty"] is False
    pathlib.Path("new").write_bytes(b"")
    assert criterion("pass")[1]["dirty"] is True


@links
def test_a_link_that_leads_outside_is_refused_before_and_told_after(
    criterion: Call, workspace: pathlib.Path
) -> None:
    outside = workspace.parent / f"{workspace.name}-outside"
    outside.write_text("x", encoding="utf-8")
    code = f"import os; os.makedirs('out'); os.symlink({str(outside)!r}, 'out/l')"

    _, record, _ = criterion(code, "--artifact", "out/*")
    assert record["artifacts"][0]["outside"] == ["out/l"]
    assert [w["code"] for w in record["warnings"]] == ["LINK_OUTSIDE"]
    assert record["verdict"] == "missing-artifacts"

    status, _, err = criterion("pass", "--artifact", "out/*")
    assert status == 2
    assert "leads outside" in err


@links
@pytest.mark.parametrize("out", [".hpp/evidence", "lnk/x"])
def test_records_are_never_written_through_a_link(
    criterion: Call, workspace: pathlib.Path, out: str
) -> None:
    elsewhere = workspace.parent / f"{workspace.name}-elsewhere"
    elsewhere.mkdir()
    (workspace / out.split("/", maxsplit=1)[0]).symlink_to(elsewhere)

    assert criterion("open('ran', 'w')", "--out", out)[0] == 2
    assert list(elsewhere.iterdir()) == []
    assert not (workspace / "ran").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes there")
def test_a_name_that_is_no_utf_8_is_kept(criterion: Call, evidence: Call) -> None:
    code = "import os; os.mkdir('out'); open(b'out/caf\\xe9\\\\', 'w').write('x')"
    _, record, _ = criterion(code, "--artifact", "out/*")

    (entry,) = record["artifacts"][0]["files"]
    assert (entry["path"], entry["path_encoding"]) == ("out/caf\\xe9\\\\", "escaped")
    assert evidence("verify", record["record_path"])[0] == 0
    pathlib.Path(os.fsdecode(b"out/caf\xe9\\")).write_text("y", encoding="utf-8")
    assert evidence("verify", record["record_path"])[0] == 2


def test_the_library_does_what_the_program_does(workspace: pathlib.Path) -> None:
    request = Request(
        "lib", [sys.executable, "-c", WRITE], root=str(workspace), artifacts=["out/*"]
    )

    result = run_criterion(request)

    assert result.passed
    assert verify_record(result.record["record_path"], root=str(workspace)).status == "valid"


def test_control_a_broken_criterion_never_passes(criterion: Call) -> None:
    assert criterion("raise SystemExit(1)")[0] == 1
