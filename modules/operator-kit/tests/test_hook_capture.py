"""The hooks that write for the next session: captured prompts and the page to begin with."""

from __future__ import annotations

import hashlib
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

CAPTURE, RESUME = "rule_capture", "autoprompt_resume"
TOKEN = "ghp_" + "a1B2" * 9
STATE = "docs/plans/execution/00-STATE.md"


@pytest.fixture
def prompt(hook: Callable[..., Run], event: Callable[..., dict[str, Any]]) -> Callable[..., Run]:
    """Return a sender of prompts."""
    return lambda text, **more: hook(CAPTURE, event("UserPromptSubmit", prompt=text), **more)


def kept(project: Path) -> str:
    path = project / ".claude" / "memory" / "_captured-rules.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("NEVER push on a Friday", True),
        ("from  now\non use tabs", True),
        ("(always) so", True),
        ("I ALREADY TOLD YOU", True),
        ("nevertheless", False),
        ("an always_on flag", False),
        ("please fix it", False),
        ("", False),
    ],
)
def test_a_marker_counts_as_whole_words(
    prompt: Callable[..., Run], project: Path, text: str, is_kept: bool
) -> None:
    done = prompt(text)

    assert (done.returncode, done.stdout) == (0, b"")
    assert bool(kept(project)) == is_kept


def test_a_prompt_is_kept_word_for_word_and_once(prompt: Callable[..., Run], project: Path) -> None:
    prompt("never  do\n## that")
    prompt("never do ## that")

    text = kept(project)
    assert "> never  do\n> ## that\n" in text
    assert text.count("\n## ") == 1
    assert "Nothing here is a\nrule" in text
    assert hashlib.sha256(b"never do ## that").hexdigest() in text


def test_a_prompt_with_a_secret_is_withheld(prompt: Callable[..., Run], project: Path) -> None:
    prompt(f"never use {TOKEN}")

    text = kept(project)
    assert "text withheld: secret-like" in text
    assert TOKEN[4:] not in text
    assert hashlib.sha256(f"never use {TOKEN}".encode()).hexdigest() in text


def test_a_long_prompt_is_cut_with_a_count(prompt: Callable[..., Run], project: Path) -> None:
    prompt("never " + "word " * 1000)

    assert "more characters)" in kept(project)
    assert len(kept(project)) < 3000


def test_old_entries_move_to_the_archive(prompt: Callable[..., Run], project: Path) -> None:
    folder = project / ".claude" / "memory"
    folder.mkdir(parents=True)
    entries = "".join(f"\n## 2020\n\n- sha256: {number}\n\n> x{number}\n" for number in range(500))
    (folder / "_captured-rules.md").write_text("# Captured prompts\n" + entries)

    prompt("never again")

    assert kept(project).count("\n## ") == 500
    assert "> x0\n" not in kept(project)
    assert "> x0\n" in (folder / "_captured-rules.archive.md").read_text()


def test_markers_and_folder_come_from_the_profile(
    prompt: Callable[..., Run], project: Path
) -> None:
    (project / "operator-profile.yaml").write_text(
        "memory: {emphasis_markers: ['NÃO']}\npaths: {memory_dir: notes}\n", encoding="utf-8"
    )

    prompt("não faça isso")
    prompt("never")

    text = (project / "notes" / "_captured-rules.md").read_text(encoding="utf-8")
    assert text.count("\n## ") == 1
    assert "não faça isso" in text


@pytest.mark.parametrize("place", ["../out", "/tmp/hpp-out", "link"])
def test_a_folder_outside_of_the_project_is_refused_and_told(
    prompt: Callable[..., Run],
    link: Callable[[Path, Path], None],
    project: Path,
    tmp_path: Path,
    place: str,
) -> None:
    (tmp_path / "elsewhere").mkdir()
    link(project / "link", tmp_path / "elsewhere")
    (project / "operator-profile.yaml").write_text(f"paths:\n  memory_dir: {place}\n")

    done = prompt("never do that")

    assert "not kept" in json.loads(done.stdout)["systemMessage"]
    assert not list((tmp_path / "elsewhere").iterdir())
    assert not (tmp_path / "out").exists()


def test_a_file_that_cannot_be_read_is_kept_as_it_is(
    prompt: Callable[..., Run], project: Path
) -> None:
    path = project / ".claude" / "memory" / "_captured-rules.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff")

    done = prompt("never do that")

    assert "not UTF-8" in json.loads(done.stdout)["systemMessage"]
    assert path.read_bytes() == b"\xff"


def test_it_can_be_off(prompt: Callable[..., Run], project: Path) -> None:
    (project / "operator-profile.yaml").write_text("memory: {rule_capture: off}\n")

    prompt("never do that")

    assert kept(project) == ""


def test_a_profile_that_cannot_be_read_is_told_once(
    prompt: Callable[..., Run], project: Path
) -> None:
    (project / "operator-profile.yaml").write_text("a: [\n")

    first, second = prompt("never do that"), prompt("never do this")

    assert "operator-profile.yaml" in json.loads(first.stdout)["systemMessage"]
    assert second.stdout == b""
    assert kept(project).count("\n## ") == 2


def test_it_is_a_command_too(run: Callable[..., Run], tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("never do that", encoding="utf-8")
    words = ["add", "--text-file", str(tmp_path / "a file")]

    first, second = (run(f"hooks/{CAPTURE}.py", *words) for _ in range(2))

    assert (first.returncode, first.stdout) == (0, b"kept\n")
    assert (second.returncode, second.stdout) == (0, b"known already\n")
    assert run(f"hooks/{CAPTURE}.py", "add").returncode == 3
    assert run(f"hooks/{CAPTURE}.py", "add", "--text-file", "absent").returncode == 2


def test_eight_prompts_at_once_are_all_kept(
    module_root: Path,
    environment: dict[str, str],
    event: Callable[..., dict[str, Any]],
    project: Path,
) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, str(module_root / "hooks" / f"{CAPTURE}.py")],
            cwd=project,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(8)
    ]
    for number, child in enumerate(children):
        given = event("UserPromptSubmit", prompt=f"never {number}")
        assert child.communicate(json.dumps(given).encode())[0] == b""

    assert kept(project).count("\n## ") == 8


@pytest.fixture
def repository(project: Path, environment: dict[str, str]) -> Path:
    """Return the project as a repository with a commit."""
    for path in sorted((project / ".git").iterdir()):
        path.unlink()
    (project / ".git").rmdir()
    (project / "a.txt").write_text("x\n")
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "Begin"]):
        subprocess.run(
            ["git", *identity, *words], cwd=project, env=environment, check=True, timeout=60
        )
    return project


@pytest.fixture
def stop(hook: Callable[..., Run], event: Callable[..., dict[str, Any]]) -> Callable[..., Run]:
    """Return a sender of stops."""
    return lambda **more: hook(RESUME, event("Stop"), **more)


def page(project: Path) -> str:
    return (project / ".claude" / "RESUME-NEXT.md").read_text(encoding="utf-8")


def test_the_page_holds_what_files_and_git_say(stop: Callable[..., Run], repository: Path) -> None:
    (repository / STATE).parent.mkdir(parents=True)
    items = [f"- [ ] item {number}" for number in range(30)]
    (repository / STATE).write_text("\n".join(["# State", "- [x] done", *items]))

    done = stop()

    text = page(repository)
    assert (done.returncode, done.stdout) == (0, b"")
    assert "- [ ] item 0 (line 3)" in text
    assert "- [ ] item 24 " in text
    assert "- [ ] item 25 " not in text
    assert "and 5 more" in text
    assert "done" not in text.partition("## Open items")[2].partition("##")[0]
    assert "- branch: main" in text
    assert "- commit: Begin" in text
    assert "missing: docs/plans/execution/00-READ-FIRST.md" in text
    assert "Measure again" in text


def test_the_same_page_is_not_written_again(stop: Callable[..., Run], repository: Path) -> None:
    stop()
    stop()
    path = repository / ".claude" / "RESUME-NEXT.md"
    before = path.stat().st_mtime_ns

    stop()

    assert path.stat().st_mtime_ns == before
    (repository / "b.txt").write_text("x\n")
    stop()
    assert path.stat().st_mtime_ns != before


def test_git_does_not_see_the_page(
    stop: Callable[..., Run], repository: Path, environment: dict[str, str]
) -> None:
    stop()

    told = subprocess.run(
        ["git", "status", "--porcelain", "-uall"],
        cwd=repository, env=environment, capture_output=True, check=True, timeout=60,
    ).stdout  # fmt: skip
    assert told.split() == [b"??", b".claude/.gitignore"]


def test_a_tracked_page_is_left_alone_and_told_once(
    stop: Callable[..., Run], repository: Path, environment: dict[str, str]
) -> None:
    path = repository / ".claude" / "RESUME-NEXT.md"
    path.parent.mkdir()
    path.write_text("mine\n")
    subprocess.run(
        ["git", "add", "-f", str(path)], cwd=repository, env=environment, check=True, timeout=60
    )

    first, second = stop(), stop()

    assert "git tracks it" in json.loads(first.stdout)["systemMessage"]
    assert second.stdout == b""
    assert path.read_text() == "mine\n"


@pytest.mark.parametrize("place", ["../out.md", "/tmp/hpp-out.md", "link.md"])
def test_a_page_outside_or_through_a_link_is_refused(
    stop: Callable[..., Run],
    link: Callable[[Path, Path], None],
    project: Path,
    tmp_path: Path,
    place: str,
) -> None:
    (tmp_path / "target.md").write_text("theirs\n")
    link(project / "link.md", tmp_path / "target.md")
    (project / "operator-profile.yaml").write_text(f"paths:\n  resume_pointer: {place}\n")

    done = stop()

    assert "not written" in json.loads(done.stdout)["systemMessage"]
    assert (tmp_path / "target.md").read_text() == "theirs\n"
    assert not (tmp_path / "out.md").exists()


def test_a_new_commit_is_told_and_a_secret_in_its_subject_is_not(
    stop: Callable[..., Run], repository: Path, environment: dict[str, str]
) -> None:
    stop()
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"]
    words = ["commit", "-q", "--allow-empty", "-m", f"Use {TOKEN}"]
    subprocess.run(
        ["git", *identity, *words], cwd=repository, env=environment, check=True, timeout=60
    )

    stop()
    first = page(repository)
    (repository / "b.txt").write_text("x\n")
    stop()

    for text in (first, page(repository)):
        assert "- commit: Use [secret-like text, 40 characters]\n- commit: Begin\n" in text
    assert first != page(repository)


def test_a_secret_in_an_item_is_masked(stop: Callable[..., Run], repository: Path) -> None:
    (repository / STATE).parent.mkdir(parents=True)
    (repository / STATE).write_text(f"- [ ] use {TOKEN}\n")

    stop()

    assert TOKEN not in page(repository)
    assert "[secret-like text, 40 characters]" in page(repository)


def test_it_prints_the_page_and_writes_nothing(run: Callable[..., Run], project: Path) -> None:
    done = run(f"hooks/{RESUME}.py", "--print")

    assert done.returncode == 0
    assert done.stdout.startswith(b"# Resume here\n")
    assert not (project / ".claude").exists()
    assert run(f"hooks/{RESUME}.py", "--prin").returncode == 3


@pytest.mark.parametrize("script", [CAPTURE, RESUME])
def test_a_claude_folder_that_cannot_be_written_is_told(
    hook: Callable[..., Run], event: Callable[..., dict[str, Any]], project: Path, script: str
) -> None:
    (project / ".claude").write_text("a file in its place")
    name = "UserPromptSubmit" if script == CAPTURE else "Stop"

    done = hook(script, event(name, prompt="never do that"))

    assert done.returncode == 0
    assert "systemMessage" in json.loads(done.stdout)
    assert b"Traceback" not in done.stderr
    assert (project / ".claude").read_text() == "a file in its place"


@pytest.mark.skipif(os.name == "nt", reason="the limit on a file's size is one of POSIX")
@pytest.mark.parametrize("script", [CAPTURE, RESUME, "fact_force_gate"])
def test_a_full_disk_is_told_and_leaves_no_part_of_a_file(
    module_root: Path,
    environment: dict[str, str],
    event: Callable[..., dict[str, Any]],
    project: Path,
    script: str,
) -> None:
    name = {CAPTURE: "UserPromptSubmit", RESUME: "Stop"}.get(script, "PreToolUse")
    given = event(name, prompt="never do that", tool_name="Bash", tool_input={"command": "rm -r a"})
    code = (
        "import os, resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "os.execv(sys.executable, [sys.executable, '-B', *sys.argv[1:]])\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(module_root / "hooks" / f"{script}.py")],
        input=json.dumps(given).encode(),
        cwd=project,
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert "systemMessage" in json.loads(done.stdout)
    left = [path for path in project.rglob("*") if path.is_file() and path.stat().st_size == 0]
    assert not [path for path in left if path.suffix != ".lock"]
    assert not list(project.rglob("*.tmp"))
