"""The gate, and every way known to us in which a change could try to pass it unseen."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.canonical import canonical_bytes
from hpp.core.manifest import packaged_manifest_path
from hpp.core.schema import faults, find_schema

if TYPE_CHECKING:
    from collections.abc import Callable

    Program = Callable[..., subprocess.CompletedProcess[bytes]]

CRITERION = Path(__file__).parent.parent / "examples" / "evidence" / "smoke_page.py"
GENESIS = hashlib.sha256(b"").hexdigest()

IN_PROCESS = "from hpp.cli import main; sys.exit(main({!r}))"

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
needs_keys = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen")
needs_links = pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")


class Change:
    """A repository with one commit, and what a person does in it."""

    def __init__(self, folder: Path, hpp: Program, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment
        self._hpp = hpp
        shutil.copyfile(CRITERION, folder / "smoke_page.py")
        (folder / "SPEC.md").write_bytes(b"a page of orders\n")
        (folder / ".gitignore").write_bytes(b"out/\n")
        self.git("init", "-q", "--template=", ".")
        self.commit("begin")

    def git(self, *words: str) -> str:
        author = ("-c", "user.name=a", "-c", "user.email=a@example.invalid")
        done = subprocess.run(
            ["git", *author, *words],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            check=True,
        )
        return done.stdout.decode().strip()

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def call(self, *words: str, **options: Any) -> subprocess.CompletedProcess[bytes]:  # noqa: ANN401
        return self._hpp(*words, cwd=options.pop("cwd", self.folder), **options)

    def hpp(self, *words: str) -> dict[str, Any]:
        done = self.call(*words)
        assert done.returncode == 0, done.stderr
        shown: dict[str, Any] = json.loads(done.stdout)
        return shown

    def event(self, kind: str, work: str = "A", data: str = "{}") -> None:
        self.hpp("event", "append", "--type", kind, "--work", work, "--data", data)

    def prove(self, work: str = "A", name: str = "unit", *more: str) -> dict[str, Any]:
        options = ["--id", name, "--artifact", "out/*", "--record-event", "--work", work, *more]
        return self.hpp("evidence", "run", *options, "--", sys.executable, "smoke_page.py")

    def finish(self, work: str = "A") -> None:
        for kind in ("check_passed", "human_approved", "verified"):
            self.event(kind, work)

    def verify(self, work: str = "A", *more: str) -> dict[str, Any]:
        self.event("work_started", work)
        record = self.prove(work, "unit", *more)
        self.finish(work)
        return record

    def attest(
        self, output: str = ".hpp/review.json", *more: str, verdict: str = "approved"
    ) -> None:
        actors = ("--maker", "maker", "--checker", "checker", "--session", "s1")
        words = ("attest", "create", "--spec", "SPEC.md", *actors, "--verdict", verdict)
        done = self.call(*words, "--output", output, *more)
        assert done.returncode in (0, 2), done.stderr

    def gate(self, *words: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401 -- for `call`
        done = self.call("gate", "--json", *words, **options)
        assert done.returncode in (0, 1, 2), done.stderr
        shown: dict[str, Any] = json.loads(done.stdout)
        assert faults(find_schema("gate").document(), shown) == []
        assert {"yes": 0, "no": 1, "blocked": 2}[shown["answer"]] == done.returncode
        return shown

    def answers(self, *words: str, **options: Any) -> dict[str, str]:  # noqa: ANN401 -- for `call`
        shown = self.gate(*words, **options)
        return {each["question"]: each["answer"] for each in shown["questions"]}

    def refusal(self, *words: str, **options: Any) -> str:  # noqa: ANN401 -- for `call`
        done = self.call("gate", *words, **options)
        assert (done.returncode, done.stdout) == (2, b"")
        return done.stderr.decode()

    @property
    def log(self) -> Path:
        return self.folder / ".hpp" / "events.jsonl"

    @property
    def head(self) -> str:
        head: str = self.hpp("event", "verify")["head_sha256"]
        return head

    def rewrite(self, change: Callable[[list[dict[str, Any]]], None]) -> None:
        """Change the events and chain them again, as whoever writes the file can."""
        events = [json.loads(line) for line in self.log.read_bytes().splitlines()]
        change(events)
        self.log.write_bytes(chained(events))


def chained(events: list[dict[str, Any]]) -> bytes:
    head, lines = GENESIS, []
    for number, event in enumerate(events, 1):
        event.update(seq=number, id=f"event:{number}", prev_sha256=head)
        lines.append(canonical_bytes(event))
        head = hashlib.sha256(lines[-1]).hexdigest()
    return b"".join(line + b"\n" for line in lines)


def rehashed(path: Path, **changes: object) -> str:
    """Edit a record and give it the hash of what it says now."""
    record = json.loads(path.read_bytes())
    record.update(changes)
    covered = {k: v for k, v in record.items() if k not in ("record_sha256", "signature", "event")}
    record["record_sha256"] = hashlib.sha256(canonical_bytes(covered)).hexdigest()
    path.write_bytes(json.dumps(record).encode())
    return str(record["record_sha256"])


def problems(shown: dict[str, Any], question: str) -> str:
    return "\n".join(
        problem
        for each in shown["questions"]
        if each["question"] == question
        for problem in each["problems"]
    )


@pytest.fixture
def change(workspace: Path, hpp: Program, environment: dict[str, str]) -> Change:
    return Change(workspace, hpp, environment)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the first change that may advance is kept for the tests after it."""
    return tmp_path_factory.mktemp("kept") / "good"


@pytest.fixture
def good(change: Change, kept: Path) -> Change:
    """Return a change that may advance; every one has the same bytes and folder name."""
    if kept.exists():
        shutil.rmtree(change.folder)
        shutil.copytree(kept, change.folder)
    else:
        change.verify()
        change.attest()
        shutil.copytree(change.folder, kept)
    return change


ALL_YES = dict.fromkeys(("log", "work", "evidence", "attestation"), "yes")


def test_a_change_that_is_verified_and_attested_may_advance(good: Change) -> None:
    shown = good.gate()

    assert shown["answer"] == "yes"
    assert shown["works"] == ["A"]
    assert shown["judge"]["approvals"] == "claims"
    assert shown["judge"]["allowed_signers"] is None
    packaged = Path(packaged_manifest_path()).read_bytes()
    manifest = {"file": None, "sha256": hashlib.sha256(packaged).hexdigest()}
    assert shown["judge"]["manifest"] == manifest


def test_each_question_has_one_line_and_the_judge_one(good: Change) -> None:
    done = good.call("gate")

    lines = done.stdout.decode().splitlines()
    names = ["log", "work", "evidence", "attestation", "judge", "gate"]
    assert [line.split(":")[0] for line in lines] == names
    assert "approvals are claims" in lines[4]
    assert str(good.folder) not in done.stdout.decode()


@pytest.mark.parametrize(("more", "status"), [((), 0), (("--break",), 1)])
def test_the_example_writes_both_artifacts_whatever_it_finds(
    change: Change, more: tuple[str, ...], status: int
) -> None:
    patterns = ("--artifact", "out/report.html", "--artifact", "out/*.log")
    done = change.call(
        "evidence", "run", "--id", "x", *patterns, "--", sys.executable, "smoke_page.py", *more
    )

    record = json.loads(done.stdout)
    assert (done.returncode, record["exit_code"], record["missing"]) == (status, status, [])
    files = [entry["path"] for group in record["artifacts"] for entry in group["files"]]
    assert files == ["out/report.html", "out/smoke.log"]


def test_the_gate_writes_nothing(good: Change) -> None:
    before = sorted((p, p.stat().st_mtime_ns) for p in good.folder.rglob("*"))
    good.gate()

    assert sorted((p, p.stat().st_mtime_ns) for p in good.folder.rglob("*")) == before


def test_the_tree_can_be_judged_from_outside_it(good: Change, tmp_path: Path) -> None:
    answers = good.answers("--repo", str(good.folder), cwd=tmp_path)

    assert answers == ALL_YES


def test_nothing_at_all_is_no_pass(change: Change) -> None:
    assert change.answers() == dict.fromkeys(ALL_YES, "no")


def test_an_empty_log_is_no_pass_however_well_attested(change: Change) -> None:
    change.log.parent.mkdir()
    change.log.write_bytes(b"")
    change.attest()

    answers = change.answers()

    assert answers == {"log": "no", "work": "no", "evidence": "no", "attestation": "yes"}


def test_open_work_is_named_with_its_next_step(good: Change) -> None:
    good.event("work_started", "B")

    shown = good.gate()

    assert problems(shown, "work") == "B: it is active, next: record fresh evidence"
    assert problems(shown, "evidence") == "B: no evidence counts for it"


def test_work_that_was_asked_for_and_never_claimed_is_no_pass(good: Change) -> None:
    assert good.answers("--work", "A")["work"] == "yes"
    assert problems(good.gate("--work", "A", "--work", "B"), "work") == "B: it never began"


def test_a_changed_byte_blocks_the_attestation(good: Change) -> None:
    (good.folder / "smoke_page.py").write_bytes(CRITERION.read_bytes() + b"\n")

    shown = good.gate()

    assert shown["answer"] == "blocked"
    assert "snapshot_digest (smoke_page.py)" in problems(shown, "attestation")


def test_a_changed_artifact_blocks_the_evidence(good: Change) -> None:
    (good.folder / "out" / "smoke.log").write_bytes(b"OK: every row is shown\n")

    assert good.answers() == {**ALL_YES, "evidence": "blocked"}


def test_an_edited_event_blocks_everything_that_rests_on_the_log(good: Change) -> None:
    good.log.write_bytes(good.log.read_bytes().replace(b'"work":"A"', b'"work":"B"', 1))

    assert good.answers() == {**dict.fromkeys(ALL_YES, "blocked"), "attestation": "yes"}


def test_an_attestation_for_another_commit_is_blocked(good: Change) -> None:
    good.git("commit", "-q", "--allow-empty", "-m", "later")

    shown = good.gate()

    assert "base_commit" in problems(shown, "attestation")
    assert shown["answer"] == "blocked"


def test_an_attestation_of_another_repository_is_blocked(good: Change, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(good.folder, other)

    shown = good.gate(cwd=other)

    assert "repo" in problems(shown, "attestation")


def test_a_verdict_against_the_same_bytes_outweighs_an_approval(good: Change) -> None:
    good.attest(".hpp/second.json", verdict="revise")

    shown = good.gate()

    assert shown["answer"] == "no"
    assert "verdict on these bytes is revise" in problems(shown, "attestation")


def test_an_attestation_of_an_earlier_state_does_no_harm_beside_a_valid_one(good: Change) -> None:
    (good.folder / "SPEC.md").write_bytes(b"more\n")
    good.attest(".hpp/second.json")

    assert good.answers() == ALL_YES


def test_a_given_attestation_must_hold_whatever_else_does(good: Change, tmp_path: Path) -> None:
    copy = tmp_path / "kept.json"
    shutil.copyfile(good.folder / ".hpp" / "review.json", copy)
    assert good.answers("--attestation", str(copy)) == ALL_YES
    rehashed(copy, session="other", spec={"path": "absent", "sha256": "0" * 64})

    assert good.answers("--attestation", str(copy))["attestation"] == "blocked"


def test_an_attestation_whose_maker_checked_it_is_blocked(good: Change) -> None:
    path = good.folder / ".hpp" / "review.json"
    rehashed(path, actors={"maker": "checker", "checker": "Checker "})

    assert "actors" in problems(good.gate(), "attestation")


def test_a_record_that_is_something_else_as_well_is_no_attestation(good: Change) -> None:
    rehashed(good.folder / ".hpp" / "review.json", scripts={"postinstall": "evil"})

    assert good.answers()["attestation"] != "yes"


def test_an_attestation_of_a_part_is_none_of_the_tree(good: Change) -> None:
    path = good.folder / ".hpp" / "review.json"
    snapshot = json.loads(path.read_bytes())["snapshot"]
    rehashed(path, snapshot={**snapshot, "paths": ["SPEC.md"]})

    shown = good.gate()

    assert "scope" in problems(shown, "attestation")
    assert shown["answer"] != "yes"


# What the change brings along must not judge it.


def test_the_manifest_of_the_judged_tree_is_not_followed(change: Change) -> None:
    """A loop that ends after one event would verify anything."""
    manifest = json.loads(Path(packaged_manifest_path()).read_bytes())
    manifest["loop"]["transitions"] = [
        {"from": "planned", "event": "evidence_recorded", "to": "active"},
        {"from": "active", "event": "verified", "to": "verified"},
    ]
    path = change.folder / "hpp.manifest.json"
    path.write_text(json.dumps(manifest), encoding="utf-8")
    change.commit("a loop of my own")
    events: list[dict[str, Any]] = [
        {"type": kind, "data": {"work": "A"}} for kind in ("evidence_recorded", "verified")
    ]
    change.log.parent.mkdir()
    change.log.write_bytes(chained(events))

    shown = change.gate()

    assert "evidence_recorded is not allowed in state planned" in problems(shown, "work")
    assert shown["answer"] == "blocked"


@pytest.mark.parametrize("option", ["--manifest", "--allowed-signers"])
def test_a_judge_in_the_judged_tree_is_refused(good: Change, option: str, tmp_path: Path) -> None:
    inside = good.folder / "mine"
    shutil.copyfile(packaged_manifest_path(), inside)

    for spelled in ("mine", str(inside), f"../{good.folder.name}/mine"):
        assert "lies in the judged tree" in good.refusal(option, spelled)
    assert "lies in the judged tree" in good.refusal(
        option, str(inside), "--repo", str(good.folder), cwd=tmp_path
    )


@needs_links
@pytest.mark.parametrize("option", ["--manifest", "--allowed-signers"])
def test_a_judge_that_a_link_of_the_tree_chooses_is_refused(
    good: Change, option: str, tmp_path: Path
) -> None:
    shutil.copyfile(packaged_manifest_path(), tmp_path / "outside")
    (good.folder / "link").symlink_to(tmp_path / "outside")
    (good.folder / "inside").write_bytes(b"x")
    (tmp_path / "into").symlink_to(good.folder / "inside")

    assert "lies in the judged tree" in good.refusal(option, "link")
    assert "lies in the judged tree" in good.refusal(option, str(tmp_path / "into"))


def test_a_manifest_from_outside_is_followed_and_named(good: Change, tmp_path: Path) -> None:
    path = tmp_path / "loop.json"
    shutil.copyfile(packaged_manifest_path(), path)

    judge = good.gate("--manifest", str(path))["judge"]

    assert judge["manifest"] == {
        "file": str(path),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }


def run_without_isolation(
    good: Change, *words: str, **more: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=good.folder,
        env={**good.environment, **more},
        capture_output=True,
        check=False,
    )


def test_python_must_not_import_from_the_judged_tree(good: Change) -> None:
    """The entry points of a folder on `sys.path` offer services, and its modules shadow ours."""
    fake = good.folder / "hpp_evidence-9.dist-info"
    fake.mkdir()
    (fake / "METADATA").write_text("Name: hpp-evidence\nVersion: 9\n", encoding="utf-8")
    points = "[hpp.services]\nevidence-judgement = evil:yes\nattestation-judgement = evil:yes\n"
    (fake / "entry_points.txt").write_text(points, encoding="utf-8")
    (good.folder / "evil.py").write_text("open('ran', 'w')\n", encoding="utf-8")

    isolated = good.call("gate")
    by_module = run_without_isolation(good, "-m", "hpp", "gate")
    call = "import sys; from hpp.cli import main; sys.exit(main(['gate']))"
    by_path = run_without_isolation(good, "-c", call)
    by_variable = run_without_isolation(good, "-c", call, PYTHONPATH=str(good.folder))

    assert b"attestation: blocked" in isolated.stdout  # the new files are not attested
    for done in (by_module, by_path, by_variable):
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"lies in the judged tree" in done.stderr
    assert not (good.folder / "ran").exists()


@needs_links
@pytest.mark.parametrize("entry", ["{tree}/bin", "bin", ""])
@pytest.mark.parametrize("name", ["git", "ssh-keygen"])
def test_a_program_of_the_judged_tree_is_not_run(good: Change, name: str, entry: str) -> None:
    folder = good.folder / ("bin" if entry else "")
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("#!/bin/sh\ntouch ran\n", encoding="utf-8")
    (folder / name).chmod(0o755)
    path = entry.format(tree=good.folder) + os.pathsep + good.environment["PATH"]
    call = (sys.executable, "-I", "-m", "hpp", "gate")

    done = run_without_isolation(good, *call[1:], PATH=path)

    assert (done.returncode, done.stdout) == (2, b"")
    assert f"PATH finds this {name}" in done.stderr.decode()
    assert not (good.folder / "ran").exists()


def test_git_settings_cannot_turn_the_gate_to_another_tree(good: Change, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(good.folder, other)
    (good.folder / "smoke_page.py").write_bytes(b"evil\n")
    good.git("config", "core.worktree", str(other))

    assert "work tree" in good.refusal()


def test_settings_and_hooks_of_the_repository_run_nothing(good: Change) -> None:
    ran = good.folder.parent / "ran"
    evil = good.folder.parent / "evil"
    evil.write_text(f"#!/bin/sh\ntouch '{ran}'\n", encoding="utf-8")
    evil.chmod(0o755)
    hooks = good.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    shutil.copy(evil, hooks / "post-index-change")
    for key in (
        "core.fsmonitor",
        "filter.x.clean",
        "diff.external",
        "core.pager",
        "alias.ls-files",
    ):
        good.git("config", key, str(evil))
    (good.folder / ".git" / "info").mkdir(exist_ok=True)
    (good.folder / ".git" / "info" / "attributes").write_bytes(b"* filter=x\n")

    assert good.answers() == ALL_YES
    assert not ran.exists()


def test_a_hidden_file_is_not_hidden_by_settings_outside_the_tree(good: Change) -> None:
    (good.folder / ".git" / "info").mkdir(exist_ok=True)
    (good.folder / ".git" / "info" / "exclude").write_bytes(b"*\n")
    (good.folder / "evil.py").write_bytes(b"evil\n")

    assert "evil.py" in problems(good.gate(), "attestation")


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_change_that_git_was_told_to_overlook_is_seen(good: Change, flag: str) -> None:
    good.git("update-index", flag, "smoke_page.py")
    (good.folder / "smoke_page.py").write_bytes(b"evil\n")

    assert "smoke_page.py" in problems(good.gate(), "attestation")


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"])
def test_variables_do_not_turn_the_gate_to_another_tree(
    good: Change, variable: str, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(good.folder, other)
    (good.folder / "smoke_page.py").write_bytes(b"evil\n")
    value = {"GIT_DIR": ".git", "GIT_WORK_TREE": "", "GIT_INDEX_FILE": ".git/index"}[variable]
    good.environment[variable] = str(other / value)

    assert good.answers()["attestation"] == "blocked"


def test_outside_a_work_tree_nothing_is_judged(good: Change, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()

    assert "no git work tree" in good.refusal("--repo", str(tmp_path / "plain"))
    assert "no such folder" in good.refusal("--repo", "absent")


def test_a_shallow_clone_is_not_judged(good: Change, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    good.git("commit", "-q", "--allow-empty", "-m", "later")
    good.git("clone", "-q", "--depth=1", good.folder.as_uri(), str(shallow))
    shutil.copytree(good.folder / ".hpp", shallow / ".hpp")
    shutil.copytree(good.folder / "out", shallow / "out")

    assert "shallow" in problems(good.gate(cwd=shallow), "attestation")


# What the log says may have been written by the change.


def test_a_log_that_was_rewritten_as_a_whole_is_caught_by_its_kept_head(good: Change) -> None:
    """Consistent in itself, it passes only where nobody kept the head."""
    good.event("work_started", "B")
    head = good.head

    def without_b(events: list[dict[str, Any]]) -> None:
        events.pop()

    assert good.answers()["work"] == "no"
    good.rewrite(without_b)
    assert good.answers() == ALL_YES
    assert "nobody else kept" in good.gate()["questions"][0]["detail"]

    shown = good.gate("--head", head)

    assert "it was rewritten" in problems(shown, "log")
    assert shown["answer"] == "blocked"


def test_a_log_that_grew_from_the_kept_head_is_judged_for_what_is_new(good: Change) -> None:
    head = good.head
    assert "since the given head" in problems(good.gate("--head", head), "work")
    assert "before the given head" in problems(good.gate("--head", head, "--work", "A"), "work")

    good.verify("B")

    shown = good.gate("--head", head)
    assert (shown["answer"], shown["works"]) == ("yes", ["B"])
    assert "grown from the given head at event:5" in shown["questions"][0]["detail"]
    assert good.gate("--head", GENESIS)["works"] == ["A", "B"]


def test_new_work_that_nobody_asked_for_is_judged_as_well(good: Change) -> None:
    head = good.head
    good.verify("B")
    good.event("work_started", "C")

    shown = good.gate("--head", head, "--work", "B")

    assert problems(shown, "work").startswith("C: it is active")


def test_events_without_a_link_are_no_intact_log(good: Change) -> None:
    lines = [json.loads(line) for line in good.log.read_bytes().splitlines()]
    for line in lines:
        del line["prev_sha256"]
    good.log.write_bytes(b"".join(canonical_bytes(line) + b"\n" for line in lines))

    assert good.answers()["log"] == "no"


@needs_links
@pytest.mark.parametrize("name", [".hpp", ".hpp/events.jsonl"])
def test_the_history_of_another_tree_is_not_lent_by_a_link(
    good: Change, name: str, tmp_path: Path
) -> None:
    path = good.folder / name
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")

    shown = good.gate()

    assert "it is a link" in problems(shown, "log")


@needs_links
def test_a_pipe_in_place_of_the_log_does_not_hold_the_gate_up(good: Change) -> None:
    good.log.unlink()
    os.mkfifo(good.log)

    assert "not a regular file" in problems(good.gate(timeout=30), "log")


# Evidence is named by the log, so by the change as well.


def named_evidence(change: Change, **data: object) -> None:
    """Let the first event that names evidence name something else."""

    def edit(events: list[dict[str, Any]]) -> None:
        next(e for e in events if e["type"] == "evidence_recorded")["data"].update(data)

    change.rewrite(edit)


@pytest.mark.parametrize(
    "name", ["../a.json", "/dev/stdin", "-", "", 7, None, "C:/a.json", ".hpp/./a.json", "a\\b", "."]
)
def test_evidence_outside_the_workspace_is_not_read(good: Change, name: object) -> None:
    named_evidence(good, evidence=name)

    assert good.answers() == {**ALL_YES, "evidence": "blocked"}


@needs_links
def test_evidence_behind_a_link_is_not_read(good: Change, tmp_path: Path) -> None:
    folder = good.folder / ".hpp" / "evidence"
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")

    assert "it is a link" in problems(good.gate(), "evidence")


def test_evidence_that_is_gone_is_blocked(good: Change) -> None:
    for path in (good.folder / ".hpp" / "evidence").iterdir():
        path.unlink()

    assert "there is no such record" in problems(good.gate(), "evidence")


def test_evidence_of_another_piece_of_work_counts_once(good: Change) -> None:
    event = json.loads(good.log.read_bytes().splitlines()[1])["data"]
    del event["work"]
    good.event("work_started", "B")
    good.event("evidence_recorded", "B", json.dumps(event))
    good.finish("B")

    shown = good.gate()

    assert "B: " in problems(shown, "evidence")
    assert "the record of another piece of work" in problems(shown, "evidence")
    assert good.answers("--work", "B")["evidence"] == "blocked"


def copied_record(change: Change, *, is_hashed_again: bool) -> None:
    """Finish a second piece of work on a copy of the first one's record."""
    event = json.loads(change.log.read_bytes().splitlines()[1])["data"]
    copy = change.folder / ".hpp" / "evidence" / "copy.json"
    shutil.copyfile(change.folder / event["evidence"], copy)
    name = ".hpp/evidence/copy.json"
    digest = rehashed(copy, record_path=name) if is_hashed_again else event["evidence_sha256"]
    data = {"id": event["id"], "evidence": name, "evidence_sha256": digest}
    change.event("work_started", "B")
    change.event("evidence_recorded", "B", json.dumps(data))
    change.finish("B")


def test_a_copied_record_is_not_a_second_proof(good: Change) -> None:
    copied_record(good, is_hashed_again=False)

    assert "written elsewhere" in problems(good.gate("--work", "B"), "evidence")


def test_a_record_that_was_replaced_after_its_event_is_blocked(good: Change) -> None:
    event = json.loads(good.log.read_bytes().splitlines()[1])["data"]
    rehashed(good.folder / event["evidence"], warnings=[], stdout={})

    assert "not the record that was appended" in problems(good.gate(), "evidence")


def test_a_record_of_another_criterion_is_blocked(good: Change) -> None:
    named_evidence(good, id="integration")

    assert "another criterion" in problems(good.gate(), "evidence")


def test_a_failed_run_is_no_evidence_though_an_event_says_so(change: Change) -> None:
    options = ("--id", "unit", "--artifact", "out/*")
    done = change.call(
        "evidence", "run", *options, "--", sys.executable, "smoke_page.py", "--break"
    )
    assert done.returncode == 1
    record = json.loads(done.stdout)
    data = {
        "id": "unit",
        "evidence": record["record_path"],
        "evidence_sha256": record["record_sha256"],
    }
    change.event("work_started")
    change.event("evidence_recorded", "A", json.dumps(data))
    change.finish()
    change.attest()

    shown = change.gate()

    assert "not a pass" in problems(shown, "evidence")
    assert shown["answer"] == "blocked"


def test_a_record_without_artifacts_has_nothing_to_re_derive(change: Change) -> None:
    record = change.hpp("evidence", "run", "--id", "unit", "--", sys.executable, "-c", "pass")
    data = {
        "id": "unit",
        "evidence": record["record_path"],
        "evidence_sha256": record["record_sha256"],
    }
    change.event("work_started")
    change.event("evidence_recorded", "A", json.dumps(data))
    change.finish()

    assert "names no artifact" in problems(change.gate(), "evidence")


def test_an_artifact_outside_the_workspace_is_blocked(good: Change, tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"x")
    event = json.loads(good.log.read_bytes().splitlines()[1])["data"]
    path = good.folder / event["evidence"]
    entry = {"path": "../outside", "size": 1, "sha256": hashlib.sha256(b"x").hexdigest()}
    digest = rehashed(path, artifacts=[{"pattern": "out/*", "files": [entry], "unchanged": []}])
    named_evidence(good, evidence_sha256=digest)

    assert "not inside the workspace" in problems(good.gate(), "evidence")


def test_evidence_from_another_history_is_no_pass(good: Change) -> None:
    event = json.loads(good.log.read_bytes().splitlines()[1])["data"]
    digest = rehashed(good.folder / event["evidence"], base_commit="0" * 40)
    named_evidence(good, evidence_sha256=digest)

    shown = good.gate()

    assert "not in this history" in problems(shown, "evidence")
    assert shown["answer"] == "no"


@pytest.mark.parametrize("is_sent_back", [True, False])
def test_only_what_was_shown_since_the_work_was_sent_back_counts(
    change: Change, *, is_sent_back: bool
) -> None:
    change.event("work_started")
    first = change.prove(name="first")
    if is_sent_back:
        change.event("check_failed")
    change.prove(name="second")
    (change.folder / first["record_path"]).unlink()
    change.finish()
    change.attest()

    assert change.answers()["evidence"] == ("yes" if is_sent_back else "blocked")


def test_the_last_run_of_a_criterion_is_the_one_that_counts(change: Change) -> None:
    change.event("work_started")
    (change.folder / change.prove()["record_path"]).unlink()
    change.prove()
    change.finish()
    change.attest()

    assert change.answers() == ALL_YES


# Keys: only a list from outside the tree makes an approval more than a claim.


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """Return a folder with a key for the maker and one for the checker, both allowed."""
    folder = tmp_path / "keys"
    folder.mkdir()
    lines = []
    for name in ("maker", "checker"):
        path = folder / name
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(path)]
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
        lines.append(f"{name} {(folder / f'{name}.pub').read_text(encoding='ascii').strip()}\n")
    (folder / "allowed").write_text("".join(lines), encoding="ascii", newline="\n")
    return folder


@needs_keys
def test_a_signed_attestation_is_more_than_a_claim(change: Change, keys: Path) -> None:
    change.verify()
    change.attest(".hpp/review.json", "--sign-key", str(keys / "checker"))

    shown = change.gate("--allowed-signers", str(keys / "allowed"))

    assert shown["answer"] == "yes"
    assert shown["judge"]["approvals"] == "signed"
    assert shown["judge"]["allowed_signers"]["file"] == str(keys / "allowed")
    assert "signed by checker" in shown["questions"][3]["detail"]


@needs_keys
def test_an_unsigned_approval_is_no_pass_where_keys_are_asked_for(good: Change, keys: Path) -> None:
    shown = good.gate("--allowed-signers", str(keys / "allowed"))

    assert "signature" in problems(shown, "attestation")
    assert shown["answer"] == "blocked"


@needs_keys
def test_the_makers_own_key_does_not_sign_for_the_checker(change: Change, keys: Path) -> None:
    change.verify()
    signed = ("--sign-key", str(keys / "maker"), "--signer", "maker")
    change.attest(".hpp/review.json", *signed)

    shown = change.gate("--allowed-signers", str(keys / "allowed"))

    assert problems(shown, "attestation") == ".hpp/review.json: it does not hold: signer"


@needs_keys
def test_evidence_is_signed_only_where_that_is_demanded(change: Change, keys: Path) -> None:
    change.verify()
    change.attest(".hpp/review.json", "--sign-key", str(keys / "checker"))
    allowed = ("--allowed-signers", str(keys / "allowed"))
    assert change.answers(*allowed)["evidence"] == "yes"

    shown = change.gate(*allowed, "--signed-evidence")

    assert "signature" in problems(shown, "evidence")
    assert "needs --allowed-signers" in change.refusal("--signed-evidence")


@needs_keys
def test_a_forged_copy_of_a_signed_record_is_blocked(change: Change, keys: Path) -> None:
    """A hash can be made again by anybody, so a forger is told from a maker by keys alone."""
    change.verify("A", "--sign-key", str(keys / "maker"), "--signer", "maker")
    change.attest(".hpp/review.json", "--sign-key", str(keys / "checker"))
    demands = ("--allowed-signers", str(keys / "allowed"), "--signed-evidence")
    assert change.answers(*demands) == ALL_YES

    copied_record(change, is_hashed_again=True)

    assert change.answers(*demands) == {**ALL_YES, "evidence": "blocked"}


@needs_keys
def test_a_signature_by_a_stranger_is_worse_than_none(change: Change, keys: Path) -> None:
    (keys / "allowed").write_bytes((keys / "allowed").read_bytes().splitlines(keepends=True)[1])
    change.verify("A", "--sign-key", str(keys / "maker"), "--signer", "maker")
    change.attest(".hpp/review.json", "--sign-key", str(keys / "checker"))

    shown = change.gate("--allowed-signers", str(keys / "allowed"))

    assert "signature" in problems(shown, "evidence")
    assert shown["answer"] == "blocked"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--head", "abc"), "64 lower-case"),
        (("--attestation", "absent"), "no such regular file"),
        (("--attestation", "-"), "no such regular file"),
        (("--attestation", ".git"), "no such regular file"),
        (("--work", ""), "--work: expected 1 to 200 characters"),
        (("--work", " A"), "--work: it begins or ends with a blank"),
        (("--manifest", ".."), "not a regular file"),
        (("--manifest", ""), "names no file"),
        (("--allowed-signers", "-"), "names no file"),
        (("--manifest", "../absent"), "no such file"),
        (("--allowed-signers", "../absent"), "no such file"),
    ],
)
def test_an_input_that_is_none_is_refused(
    change: Change, words: tuple[str, ...], said: str
) -> None:
    assert said in change.refusal(*words)


@needs_links
@pytest.mark.parametrize("option", ["--manifest", "--allowed-signers", "--attestation"])
def test_a_pipe_does_not_hold_the_gate_up(change: Change, option: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert "regular file" in change.refusal(option, str(tmp_path / "pipe"), timeout=30)


@needs_links
def test_without_a_working_folder_or_git_the_gate_says_so(change: Change, tmp_path: Path) -> None:
    repo = ("gate", "--repo", str(change.folder))
    call = f"import os, sys; os.rmdir(os.getcwd()); sys.path.append(''); {IN_PROCESS.format(repo)}"
    (tmp_path / "gone").mkdir()
    environment = {**change.environment, "PATH": str(tmp_path / "gone")}
    no_git = subprocess.run(
        [sys.executable, "-I", "-m", "hpp", *repo],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
    )
    no_folder = subprocess.run(
        [sys.executable, "-I", "-c", call],
        cwd=tmp_path / "gone",
        env=change.environment,
        capture_output=True,
        check=False,
    )

    assert (no_git.returncode, no_folder.returncode) == (2, 2)
    assert b"git is not installed" in no_git.stderr
    assert b"the working folder cannot be found" in no_folder.stderr
