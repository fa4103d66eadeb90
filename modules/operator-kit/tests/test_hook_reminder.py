"""The hooks that remind and never block: copies, sending, first changes, other repositories."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = subprocess.CompletedProcess[bytes]

SNAPSHOT, SEND, FACT, ROOT, SECRET = (
    "snapshot_rollback_gate", "external_send_draft_gate", "fact_force_gate",
    "project_root_confirm", "secret_scan_on_write",
)  # fmt: skip
TOKEN = "ghp_" + "a1B2" * 9
DESTRUCTIVE = {
    "rm -r build": "rm -r", "sudo rm -Rf build": "rm -r", "git reset --hard": "git reset --hard",
    "git -C a clean -fdx": "git clean -f", "git checkout -f": "git checkout -f",
    "git checkout -- .": "git checkout -- .", "git restore .": "git restore .",
    "git branch -D a": "git branch -D", "git push origin +a": "git push --force",
    "git push -f": "git push --force", "git stash drop": "git stash drop",
    "git stash clear": "git stash clear",
    "git worktree remove --force a": "git worktree remove --force",
    "psql -c 'drop table t'": "drop table", "mysql -e 'TRUNCATE TABLE t'": "truncate table",
    "psql -c 'drop schema s cascade'": "drop schema", "docker rm -f a": "docker rm -f",
    "docker volume rm a": "docker volume rm", "docker system prune -a": "docker system prune",
    "kubectl delete pod a": "kubectl delete", "terraform destroy": "terraform destroy",
    "mkfs.ext4 /dev/x": "mkfs", "dd if=a of=b": "dd of=", "shred a": "shred",
}  # fmt: skip
HARMLESS = [
    "rm a.txt", "git reset HEAD~1", "git clean -n", "git checkout main", "git restore --staged .",
    "git branch -d a", "git push origin a", "git stash", "git stash push && rm -r a",
    "git branch backup && git reset --hard", "cp -r src /tmp/x && rm -r src",
    "pg_dump db > d.sql; psql -c 'drop table t'", "tar czf a.tgz a && rm -r a",
    "git worktree add ../w && git clean -fd", "echo 'terraform destroy'",
    "git commit -m 'rm -r build'", "grep 'drop table' a.sql", "docker rm a", "dd if=a",
]  # fmt: skip
SENDS = {
    "curl -X POST https://a.example/x": "a.example",
    "curl -sSd x=1 https://u:p@a.example:8/": "a.example",
    "curl --json '{}' a.example/x": "a.example", "curl -T f ftp://a.example/": "a.example",
    "curl -F a=@b https://[2001:db8::1]:80/x": "2001:db8::1",
    "cd x && curl --request DELETE https://a.example": "a.example",
    "wget --post-data=x https://a.example": "a.example",
    "wget --method=PUT --body-file=f https://a.example": "a.example",
    "http POST a.example/x": "a.example", "http a.example/x k=v": "a.example",
    "xh put https://a.example": "a.example", "scp f me@a.example:/tmp/": "a.example",
    "rsync -a d/ a.example:d/": "a.example", "sftp a.example": "a.example",
    "nc a.example 80 < f": "a.example", "cat f | ssh me@a.example 'cat > f'": "a.example",
    "aws s3 cp f s3://bucket/f": "s3 bucket bucket", "gh api -X POST /repos": "github.com",
    "gh pr create -t x": "github.com", "gh issue comment 1 -b x": "github.com",
    "mail -s x me@a.example < f": "a.example", "true; sendmail me@a.example": "a.example",
    "bash -c 'curl -d x https://a.example'": "a.example",
}  # fmt: skip
KEEPS = [
    "curl -s https://a.example/x", "curl -G -d q=1 https://a.example", "curl -X GET https://a.example",
    "wget https://a.example/x", "http a.example", "scp a.example:f .", "rsync -a a.example:d/ d/",
    "ssh a.example ls", "nc -l 80", "aws s3 cp s3://b/f .", "gh pr list", "gh api /repos",
    "curl -d x http://localhost:8000", "curl -d x http://127.0.0.1", "curl -d x http://[::1]:1/",
    "curl -d x http://10.1.2.3", "curl -d x http://172.20.0.1", "curl -d x http://192.168.0.9",
    "curl -d x https://db.internal/x", "curl -d x http://printer.local", "curl -d x http://[fd00::1]",
    "echo 'curl -d x https://a.example'", "git commit -m 'scp f a.example:'", "python send.py",
]  # fmt: skip


def warned(done: Run) -> str:
    """Return what the model is told; both are told when a warning is given."""
    assert done.returncode == 0
    if not done.stdout:
        return ""
    said = json.loads(done.stdout)
    assert said["systemMessage"]
    context: str = said["hookSpecificOutput"]["additionalContext"]
    return context


def test_each_destructive_verb_is_asked_about(
    judged: Callable[..., dict[str, list[str]]],
) -> None:
    told = judged(SNAPSHOT, DESTRUCTIVE)

    assert {text: each[1] for text, each in told.items()} == DESTRUCTIVE


def test_a_verb_is_asked_about_once_a_session(hook: Callable[..., Run]) -> None:
    assert warned(hook(SNAPSHOT, "rm -r build"))
    assert warned(hook(SNAPSHOT, "sudo rm -R other")) == ""
    assert warned(hook(SNAPSHOT, "git reset --hard && rm -r a")).startswith(
        "snapshot-rollback-gate: git reset --hard goes ahead"
    )


def test_a_command_that_destroys_nothing_or_was_copied_first_says_nothing(
    judged: Callable[..., dict[str, list[str]]],
) -> None:
    told = judged(SNAPSHOT, HARMLESS)

    assert {text: each for text, each in told.items() if each[0] != "allow"} == {}


def test_the_three_questions_are_asked(hook: Callable[..., Run]) -> None:
    said = warned(hook(SNAPSHOT, "rm -r build"))

    assert all(f"({number})" in said for number in (1, 2, 3))


def test_a_person_who_confirmed_is_not_asked_again(hook: Callable[..., Run]) -> None:
    assert hook(SNAPSHOT, "rm -r build", SNAPSHOT_CONFIRMED="1").stdout == b""
    assert warned(hook(SNAPSHOT, "rm -r build", SNAPSHOT_CONFIRMED="0"))


def test_the_profile_adds_verbs_to_both_hooks(hook: Callable[..., Run], project: Path) -> None:
    (project / "operator-profile.yaml").write_text(
        "guardrails:\n  destructive_verbs: ['make wipe']\n"
    )

    assert "make wipe" in warned(hook(SNAPSHOT, "make wipe now"))
    assert "make wipe" in warned(hook(FACT, "make wipe now"))
    assert warned(hook(FACT, "make all")) == ""


def test_what_sends_is_told_with_its_destination(
    judged: Callable[..., dict[str, list[str]]],
) -> None:
    told = judged(SEND, SENDS)

    wanted = {text: f"sends something to {place}." for text, place in SENDS.items()}
    assert {text: told[text] for text in wanted if wanted[text] not in told[text][2]} == {}


def test_what_fetches_or_stays_inside_says_nothing(
    judged: Callable[..., dict[str, list[str]]],
) -> None:
    told = judged(SEND, KEEPS)

    assert {text: each for text, each in told.items() if each[0] != "allow"} == {}


def test_a_destination_is_told_once_a_session(
    hook: Callable[..., Run], event: Callable[..., dict[str, Any]]
) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "curl -d x https://a.example"}}

    assert warned(hook(SEND, event(**call)))
    assert warned(hook(SEND, event(**call))) == ""
    assert warned(hook(SEND, event(**{**call, "session_id": "another"})))
    unnamed = event(**{**call, "session_id": ""})
    assert warned(hook(SEND, unnamed))
    assert warned(hook(SEND, unnamed))


def test_tools_and_hosts_of_the_profile_count(
    hook: Callable[..., Run], event: Callable[..., dict[str, Any]], project: Path
) -> None:
    (project / "operator-profile.yaml").write_text(
        "guardrails:\n"
        "  external_send_tools: ['mcp__*__send*']\n"
        "  internal_hosts: ['*.corp.example']\n"
        "paths: {draft_dir: outbox}\n"
    )

    said = warned(hook(SEND, event(tool_name="mcp__mail__send_it", tool_input={"a": 1})))
    assert "mcp__mail__send_it" in said
    assert "outbox/" in said
    assert hook(SEND, event(tool_name="mcp__mail__list", tool_input={})).stdout == b""
    assert hook(SEND, "curl -d x https://a.corp.example").stdout == b""


def test_the_first_change_of_a_file_is_told_once(
    hook: Callable[..., Run], edit: Callable[..., dict[str, Any]], project: Path
) -> None:
    (project / "a b.py").write_text("x = 1\n")

    assert "a b.py" in warned(hook(FACT, edit("a b.py")))
    assert warned(hook(FACT, edit(project / "a b.py"))) == ""
    assert warned(hook(FACT, edit("./a b.py"))) == ""
    assert warned(hook(FACT, edit("new.py"))) == ""
    assert warned(hook(FACT, edit("a b.py", session_id="other")))


def test_every_file_of_a_patch_is_told_in_one_warning(
    hook: Callable[..., Run], event: Callable[..., dict[str, Any]], project: Path
) -> None:
    for name in ("a.py", "b.py"):
        (project / name).write_text("x\n")
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n"
        "*** Update File: b.py\n@@\n-x\n+rm -rf src\n*** Add File: c.py\n+z\n*** End Patch"
    )
    given = event(codex=True, tool_name="apply_patch", tool_input={"command": patch})

    said = warned(hook(FACT, given, CLAUDE_PROJECT_DIR=None))

    assert "a.py, b.py" in said
    assert "c.py" not in said
    assert "rm" not in said


def test_a_destructive_command_is_told_once_whatever_its_blanks(hook: Callable[..., Run]) -> None:
    assert "rm -r" in warned(hook(FACT, "rm -r build"))
    assert warned(hook(FACT, "  rm   -r  build ")) == ""
    assert warned(hook(FACT, "rm -r other"))


def test_an_exempt_file_is_not_told(
    hook: Callable[..., Run], edit: Callable[..., dict[str, Any]], project: Path
) -> None:
    (project / "notes.md").write_text("x\n")

    assert hook(FACT, edit("notes.md"), HPP_FACT_FORCE_EXEMPT="*.md").stdout == b""
    assert warned(hook(FACT, edit("notes.md"), HPP_FACT_FORCE_EXEMPT="*.txt"))


def test_a_mark_lasts_half_an_hour(
    hook: Callable[..., Run], edit: Callable[..., dict[str, Any]], project: Path, tmp_path: Path
) -> None:
    (project / "a.py").write_text("x\n")
    hook(FACT, edit("a.py"))
    memory = next((tmp_path / "home" / "state").rglob("fact-force-gate-*.json"))
    document = json.loads(memory.read_bytes())
    assert document["v"] == 1
    document["seen"] = {key: at - 1801 for key, at in document["seen"].items()}
    memory.write_text(json.dumps(document))

    assert warned(hook(FACT, edit("a.py")))


def test_twenty_calls_at_once_warn_once(
    module_root: Path,
    environment: dict[str, str],
    edit: Callable[..., dict[str, Any]],
    project: Path,
) -> None:
    (project / "a.py").write_text("x\n")
    data = json.dumps(edit("a.py")).encode()
    children = [
        subprocess.Popen(
            [sys.executable, str(module_root / "hooks" / f"{FACT}.py")],
            cwd=project,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(20)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write(data)
        child.stdin.flush()

    said = [child.communicate()[0] for child in children]

    assert sum(bool(each) for each in said) == 1


@pytest.mark.parametrize("data", [b"", b"{", b'{"v": 2}', b"\xff"])
def test_memory_that_cannot_be_read_warns_says_so_and_is_kept(
    hook: Callable[..., Run],
    edit: Callable[..., dict[str, Any]],
    project: Path,
    tmp_path: Path,
    data: bytes,
) -> None:
    (project / "a.py").write_text("x\n")
    hook(FACT, edit("a.py"))
    memory = next((tmp_path / "home" / "state").rglob("fact-force-gate-*.json"))
    memory.write_bytes(data)

    done = hook(FACT, edit("a.py"))

    assert "cannot be remembered" in json.loads(done.stdout)["systemMessage"]
    assert memory.read_bytes() == data


@pytest.mark.parametrize("text", ["a: [\n", "guardrails: {destructive_verbs: 3}\n"])
def test_a_profile_that_cannot_be_used_is_told_once_a_session(
    hook: Callable[..., Run], project: Path, text: str
) -> None:
    (project / "operator-profile.yaml").write_text(text)

    first, second, other = hook(SNAPSHOT, "ls"), hook(SNAPSHOT, "ls"), hook(FACT, "ls")

    assert "operator-profile" in json.loads(first.stdout)["systemMessage"]
    assert (second.stdout, other.stdout) == (b"", b"")
    assert warned(hook(SNAPSHOT, "rm -r build")), "the defaults apply"


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Return another repository."""
    folder = tmp_path / "another one"
    (folder / ".git").mkdir(parents=True)
    (folder / "sub").mkdir()
    return folder


def test_another_repository_is_told_once(
    hook: Callable[..., Run], edit: Callable[..., dict[str, Any]], other: Path
) -> None:
    assert "another one" in warned(hook(ROOT, edit(other / "sub" / "new" / "a.py")))
    assert warned(hook(ROOT, edit(other / "b.py"))) == ""


@pytest.mark.parametrize(
    "text",
    ["cd '{0}' && git add a", "git -C '{0}' status", "echo x > '{0}/sub/a'", "cd '{0}/sub'; ls >>a",
     'cat a | tee b >| "{0}"/c', "(cd '{0}'; git log)"],
)  # fmt: skip
def test_a_command_that_works_in_another_repository_is_told(
    hook: Callable[..., Run], other: Path, text: str
) -> None:
    assert "another one" in warned(hook(ROOT, text.format(other)))


@pytest.mark.parametrize(
    "text", ["git status", "ls > a.txt", "echo '> {0}/a'", "ls '{0}' 2>/dev/null", "ls 2>&1 | cat"]
)
def test_a_command_that_stays_at_home_says_nothing(
    hook: Callable[..., Run], other: Path, text: str
) -> None:
    assert hook(ROOT, text.format(other)).stdout == b""


def test_a_worktree_of_the_same_repository_is_home(
    hook: Callable[..., Run], edit: Callable[..., dict[str, Any]], project: Path, tmp_path: Path
) -> None:
    own = project / ".git" / "worktrees" / "w"
    own.mkdir(parents=True)
    (own / "commondir").write_text("../..\n")
    tree = tmp_path / "w"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {own}\n")

    assert hook(ROOT, edit(tree / "a.py")).stdout == b""


def test_the_expected_root_can_be_named(
    hook: Callable[..., Run], edit: Callable[..., dict[str, Any]], other: Path, project: Path
) -> None:
    assert hook(ROOT, edit(other / "a"), EXPECTED_ROOT=str(other)).stdout == b""
    assert warned(hook(ROOT, edit("a"), EXPECTED_ROOT=str(other)))
    assert hook(ROOT, edit(other / "a"), ALLOW_CROSS_ROOT="1").stdout == b""
    (project / "operator-profile.yaml").write_text("paths:\n  expected_root: '../another one'\n")
    assert hook(ROOT, edit(other / "a"), session_id="x").stdout == b""


def test_a_place_without_a_repository_is_no_other_one(
    hook: Callable[..., Run], edit: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    assert hook(ROOT, edit(tmp_path / "loose" / "a.txt")).stdout == b""


def test_a_secret_that_is_written_is_told_without_a_part_of_it(
    hook: Callable[..., Run], edit: Callable[..., dict[str, Any]]
) -> None:
    given = edit("a b.py", f"x = 1\nkey = '{TOKEN}'\n")

    first, second = hook(SECRET, given), hook(SECRET, given)

    assert "line 2" in warned(first)
    assert warned(second), "every time, not once"
    assert TOKEN[4:12] not in first.stdout.decode()
    assert hook(SECRET, edit(".env", f"K={TOKEN}")).stdout == b""
    assert hook(SECRET, edit("a.py", "K = '<your-key>'")).stdout == b""


@pytest.mark.parametrize(
    ("script", "words", "status"),
    [
        (SNAPSHOT, ["--command", "rm -r a"], 1),
        (SNAPSHOT, ["--command", "ls"], 0),
        (SEND, ["--command", "curl -d x https://a.example"], 1),
        (FACT, ["--command", "rm -r a"], 1),
        (FACT, ["--path", "there.py"], 1),
        (FACT, ["--path", "absent.py"], 0),
        (ROOT, ["--path", "a.py"], 0),
        (ROOT, ["--command", "git status"], 0),
        (SECRET, ["--path", "there.py"], 0),
        (FACT, ["--command", "ls", "--path", "a"], 3),
        (SNAPSHOT, ["--path", "a"], 3),
        (SEND, ["--nothing"], 3),
    ],
)
def test_each_is_a_command_too(
    run: Callable[..., Run], project: Path, script: str, words: list[str], status: int
) -> None:
    (project / "there.py").write_text("x\n")

    first = run(f"hooks/{script}.py", "check", *words)
    again = run(f"hooks/{script}.py", "check", *words)

    assert (first.returncode, again.returncode) == (status, status)
    assert b"Traceback" not in first.stderr


@pytest.mark.parametrize("script", [SNAPSHOT, SEND, FACT, ROOT])
def test_without_a_home_or_a_place_for_state_nothing_fails(
    hook: Callable[..., Run], other: Path, tmp_path: Path, script: str
) -> None:
    text = f"rm -r a; curl -d x https://a.example; git -C '{other}' status"
    blocked = os.path.join(other, "file")
    open(blocked, "wb").close()

    homeless = {"HOME": None, "HPP_STATE_DIR": None, "XDG_STATE_HOME": str(tmp_path / "state")}
    for more in (homeless, {"HPP_STATE_DIR": blocked + "/state"}):
        done = hook(script, text, USERPROFILE=None, **more)
        assert done.returncode == 0
        assert done.stdout
        assert b"Traceback" not in done.stderr
