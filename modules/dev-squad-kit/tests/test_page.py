"""The page linter: what it refuses, where, and that it skips nothing."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]
    Lint = Callable[..., tuple[int, set[str]]]

READERS = ("analyst", "architect", "master", "pm", "po", "qa", "sm", "ux-design-expert")
EDITING = ("Write", "Edit", "MultiEdit", "NotebookEdit")
MAKERS = ("data-engineer", "dev", "devops", "squad-creator")


@pytest.fixture
def lint(run: Run, copied: Path) -> Lint:
    """Return a caller of the linter, on a page that it changes or on all; status and rules."""

    def call(page: str = "", old: str = "", new: str = "") -> tuple[int, set[str]]:
        if page:
            path = copied / page
            text = path.read_text(encoding="utf-8")
            assert old in text, f"{page} has nothing to change"
            path.write_text(text.replace(old, new, 1), encoding="utf-8")
        places = [page] if page else ["agents", "commands"]
        done = run("squad_lint.py", *places, "--json", cwd=copied)
        return done.returncode, {each["code"] for each in json.loads(done.stdout)["problems"]}

    return call


@pytest.mark.parametrize(("role", "tool"), [*zip(READERS, EDITING * 2, strict=True)])
def test_no_reader_can_be_given_an_editing_tool(lint: Lint, role: str, tool: str) -> None:
    status, rules = lint(f"agents/{role}.md", "Glob, Bash\n", f"Glob, Bash, {tool}\n")

    assert status == 2
    assert "disallowed" in rules


@pytest.mark.parametrize(
    ("role", "word"), [*zip(MAKERS, ("reviews", "check", "audits", "Verify"), strict=True)]
)
def test_a_maker_that_says_it_judges_is_refused(lint: Lint, role: str, word: str) -> None:
    assert lint(f"agents/{role}.md", "## Procedure", f"It {word} it.\n\n## Procedure") == (
        2, {"judge-edits"},
    )  # fmt: skip


@pytest.mark.parametrize("role", READERS + MAKERS)
def test_no_role_can_lose_a_section(run: Run, copied: Path, role: str) -> None:
    wanted = {"Stop": "stop", "Return": "return", "Not yours": "not-yours",
              "Untrusted input": "untrusted"}  # fmt: skip
    text = (copied / f"agents/{role}.md").read_text(encoding="utf-8")
    for title in wanted:
        folder = copied / "without" / title / "agents"
        folder.mkdir(parents=True)
        (folder / f"{role}.md").write_text(
            text.replace(f"## {title}\n", "## Else\n", 1), encoding="utf-8"
        )

    done = run("squad_lint.py", "without", "--json", cwd=copied)

    found = {(each["path"].split("/")[1], each["code"])
             for each in json.loads(done.stdout)["problems"]}  # fmt: skip
    assert done.returncode == 2
    assert set(wanted.items()) <= found


@pytest.mark.parametrize("role", READERS + MAKERS)
def test_no_role_can_lose_a_point_about_material(run: Run, copied: Path, role: str) -> None:
    page = copied / f"agents/{role}.md"
    head, mark, tail = page.read_text(encoding="utf-8").partition("## Untrusted input\n")
    sentences = re.split(r"(?<=[.!?;])\s+", tail.strip())
    for number in range(len(sentences)):
        folder = copied / "without" / str(number) / "agents"
        folder.mkdir(parents=True)
        left = " ".join(sentences[:number] + sentences[number + 1 :])
        (folder / f"{role}.md").write_text(f"{head}{mark}\n{left}\n", encoding="utf-8")

    done = run("squad_lint.py", "without", "--json", cwd=copied)

    missed = {each["path"].split("/")[1] for each in json.loads(done.stdout)["problems"]
              if each["code"] == "untrusted"}  # fmt: skip
    assert len(missed) >= 6, f"only {missed} of {sentences}"


@pytest.mark.parametrize(
    ("page", "old", "new", "rule"),
    [
        ("agents/dev.md", "Bash, Write", "Bash, Wirte", "tool"),
        ("agents/dev.md", "tools: Read, Grep, Glob, Bash, Write, Edit\n", "", "tool"),
        ("agents/dev.md", "name: squad-dev", "name: squad-qa", "name"),
        ("agents/dev.md", "description:", "color: red\ndescription:", "front-key"),
        ("agents/po.md", "- **Tree state**", "- **Tree**", "return"),
        ("agents/qa.md", "## Stop", "Ask squad-poet first.\n\n## Stop", "reference"),
        ("agents/qa.md", "## Stop", "Call `/poet` first.\n\n## Stop", "reference"),
        ("agents/qa.md", "## Stop", "Run `nothing.py` first.\n\n## Stop", "reference"),
        ("agents/qa.md", "## Stop", "See [it](../docs/no.md).\n\n## Stop", "reference"),
        ("agents/qa.md", "## Stop", "See `references/no.md`.\n\n## Stop", "reference"),
        ("agents/qa.md", "## Stop", "See docs/no.md first.\n\n## Stop", "reference"),
        ("agents/qa.md", "## Stop", "\n" * 50 + "## Stop", "size"),
        ("commands/qa.md", "allowed-tools: Agent, ", "allowed-tools: ", "tool"),
        ("commands/qa.md", "allowed-tools: Agent", "allowed-tools: Agent, Write", "judge-edits"),
        ("commands/qa.md", "Headings: Findings, ", "Headings: ", "return"),
        (
            "commands/qa.md",
            "Headings:",
            "Run `grep $ARGUMENTS src`.\n\nHeadings:",
            "shell-argument",
        ),
        ("commands/qa.md", "Headings:", "```bash\ngrep $1\n```\n\nHeadings:", "shell-argument"),
        ("commands/qa.md", "description:", "argument:", "front-key"),
        ("commands/qa.md", "---\n", "", "unread"),
    ],
)
def test_a_page_with_one_fault_is_refused(
    lint: Lint, page: str, old: str, new: str, rule: str
) -> None:
    status, rules = lint(page, old, new)

    assert status == 2
    assert rule in rules


def test_two_roles_of_one_name_are_refused(lint: Lint, copied: Path) -> None:
    (copied / "agents/more").mkdir()
    (copied / "agents/more/qa.md").write_bytes((copied / "agents/qa.md").read_bytes())

    assert lint() == (2, {"name"})


@pytest.mark.parametrize(
    "content", [b"", b"# no front matter\n", b"---\nname: [\n---\n", b"\xff\xfe"]
)
@pytest.mark.parametrize("name", ["page.md", "notes.txt"])
def test_what_is_not_parsed_is_an_error(
    lint: Lint, copied: Path, name: str, content: bytes
) -> None:
    (copied / "agents" / name).write_bytes(content)

    assert lint() == (2, {"unread"})


def test_a_short_page_is_a_warning(lint: Lint, copied: Path) -> None:
    page = copied / "commands/qa.md"
    front, _, body = page.read_text(encoding="utf-8").partition("\n\n")
    listed = next(line for line in body.splitlines() if line.startswith("Headings:"))
    page.write_text(f"{front}\n\n{listed}\n", encoding="utf-8")

    assert lint() == (1, {"size"})


def test_a_project_has_roles_of_its_own_under_its_own_prefix(
    run: Run, squad_root: Path, project: Path
) -> None:
    text = (squad_root / "agents/sm.md").read_text(encoding="utf-8")
    folder = project / ".claude/agents"
    folder.mkdir(parents=True)
    (folder / "scribe.md").write_text(text.replace("squad-sm", "team-scribe"), encoding="utf-8")

    assert run("squad_lint.py", ".claude/agents", "--prefix", "team-").returncode == 0
    assert run("squad_lint.py", ".claude/agents").returncode == 2


def test_pages_with_carriage_returns_and_a_mark_are_read(lint: Lint, copied: Path) -> None:
    page = copied / "agents/qa.md"
    page.write_bytes(b"\xef\xbb\xbf" + page.read_bytes().replace(b"\n", b"\r\n"))

    assert lint() == (0, set())


@pytest.mark.parametrize("place", ["no-such-folder", "."])
def test_a_place_without_pages_is_refused(run: Run, place: str) -> None:
    done = run("squad_lint.py", place)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_without_a_place_the_module_is_linted_and_named_from_its_root(
    copied: Path, start: Run
) -> None:
    (copied / "agents/notes.txt").write_text("no page")

    done = start(copied / "scripts/squad_lint.py", "--json")

    assert done.returncode == 2
    paths = [each["path"].replace("\\", "/") for each in json.loads(done.stdout)["problems"]]
    assert paths == ["agents/notes.txt:1"]
    assert str(copied) not in done.stdout


def test_an_unknown_option_is_usage(run: Run) -> None:
    assert run("squad_lint.py", "--mood").returncode == 3


def test_no_two_pages_share_their_words(squad_root: Path) -> None:
    """Each page is about its own role: no line of prose stands in two of them."""
    seen: dict[str, str] = {}
    shared = []
    for page in sorted((squad_root / "agents").glob("*.md")):
        told = page.read_text(encoding="utf-8").splitlines()
        for line in told:
            if len(line) > 60 and not line.startswith(("disallowedTools", "- **")):
                shared += [line] if seen.setdefault(line, page.name) != page.name else []

    assert [line for line in shared if "evidence run" not in line] == []
