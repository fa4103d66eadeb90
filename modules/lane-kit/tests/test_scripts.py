"""The smaller scripts, and the page."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = subprocess.CompletedProcess[str]
    Call = Callable[..., Run]

MAKER = ("--lane", "exec-a", "--model", "claude-opus-4")
CHECKER = ("--lane", "rev-g", "--model", "gemini-2.5-pro")


class _Reader(HTMLParser):
    """Collects the elements and what they refer to."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.values: list[str] = []
        self.commands: list[str] = []
        self._is_command = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.values += [f"{name}={value}" for name, value in attrs]
        self._is_command = tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        del tag
        self._is_command = False

    def handle_data(self, data: str) -> None:
        if self._is_command:
            self.commands.append(data)


def read_page(path: Path) -> _Reader:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader


@pytest.mark.parametrize(
    "script",
    ["lanes", "lane_effects", "lane_rescue", "lane_mail", "checker_router", "lane_dashboard"],
)
def test_each_self_test_holds(run: Call, script: str) -> None:
    done = run(f"scripts/{script}.py", "--self-test")

    assert done.returncode == 0, done.stdout
    assert re.search(r"self-test: \d+ checks, 0 failed", done.stdout)


def test_the_page_runs_and_fetches_nothing(board: Call, project: Path) -> None:
    board("claim", "I-1", *MAKER, "--tag", "red")
    board("build", "I-1", *MAKER)
    evil = "<script>alert(1)</script><img src=x onerror=y> http://x.invalid"
    board("checkpoint", "I-1", *MAKER, "--evidence", evil)
    board("claim", "I-2", *CHECKER)

    assert board("render", "--html", "--out", "p.html").returncode == 0
    page = read_page(project / "p.html")

    assert not {"script", "img", "form", "link", "iframe", "object"} & set(page.tags)
    assert not [value for value in page.values if value.startswith(("src=", "on", "href="))]
    assert "&lt;script&gt;" in (project / "p.html").read_text()
    assert "content=default-src 'none'; style-src 'unsafe-inline'" in page.values


def test_each_command_of_the_page_is_one_that_the_board_understands(
    board: Call, project: Path
) -> None:
    for number, verbs in enumerate(
        [[], ["build"], ["build", "checkpoint"], ["build", "checkpoint", "review"]]
    ):
        board("claim", f"I-{number}", *MAKER)
        for verb in verbs:
            who = CHECKER if verb == "review" else MAKER
            more = ("--evidence", "x") if verb == "checkpoint" else ()
            board(verb, f"I-{number}", *who, *more)
    board("render", "--html", "--out", "p.html")

    commands = read_page(project / "p.html").commands

    assert len(commands) == 4
    for command in commands:
        _, script, *words = command.split()
        assert script == "scripts/lane_board.py"
        assert board(*words, CLAUDECODE="1").returncode in (0, 1), command


def test_the_same_time_gives_the_same_page(board: Call, project: Path) -> None:
    board("claim", "I-1", *MAKER)
    now = 4_000_000_000

    for name in ("a.html", "b.html"):
        board("render", "--html", "--out", name, "--now", now)

    assert (project / "a.html").read_bytes() == (project / "b.html").read_bytes()


def test_a_page_replaces_no_file_of_a_persons_own(board: Call, project: Path) -> None:
    (project / "p.html").write_text("mine")

    assert board("render", "--html", "--out", "p.html").returncode == 2
    assert (project / "p.html").read_text() == "mine"


def test_the_dashboard_changes_no_source(board: Call, run: Call, project: Path) -> None:
    board("claim", "I-1", *MAKER)
    folder = project / ".claude" / "lanes"
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    assert run("scripts/lane_dashboard.py", "--out", "d.html").returncode == 0
    assert not (project / "d.html").exists()
    assert run("scripts/lane_dashboard.py", "--out", "d.html", "--apply").returncode == 0
    assert (project / "d.html").exists()
    assert before == {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_the_router_takes_no_program_of_the_project(
    run: Call, project: Path, tmp_path: Path
) -> None:
    for folder in (project / "bin", tmp_path / "bin"):
        folder.mkdir()
        program = folder / "codex"
        program.write_text("")
        program.chmod(0o700)
    ask = ("scripts/checker_router.py", "--maker", "claude", "--require", "--json")

    assert run(*ask, PATH="").returncode == 2
    assert run(*ask, PATH=str(project / "bin")).returncode == 2
    found = run(*ask, PATH=str(tmp_path / "bin"))
    assert found.returncode == 0
    assert json.loads(found.stdout)["checker"] == "codex"
    assert run("scripts/checker_router.py", "--maker", "acme").returncode == 3


def test_the_example_settings_are_read_and_are_the_defaults(
    board: Call, module_root: Path, project: Path
) -> None:
    defaults = json.loads(board("config").stdout)
    (project / ".claude" / "lanes").mkdir(parents=True, exist_ok=True)
    example = (module_root / "templates" / "lanes.example.yaml").read_text()
    (project / ".claude" / "lanes" / "lanes.yaml").write_text(example)

    done = board("config")

    assert (done.returncode, json.loads(done.stdout)) == (0, defaults)


@pytest.mark.parametrize(
    "text",
    ["liveness:\n  dead_after: 1\n", "git_guard:\n  mode: off\n", "families: [a]\n", "a: [\n",
     "territories:\n  x: src\n", "board:\n  require_commit: 1\n", "liveness:\n  dead_after: -1\n"],
)  # fmt: skip
def test_settings_that_mean_nothing_are_refused(board: Call, project: Path, text: str) -> None:
    board("init")
    (project / ".claude/lanes/lanes.yaml").write_text(text)

    done = board("claim", "I", *MAKER)

    assert (done.returncode, "[CONFIG] lanes.yaml" in done.stderr) == (2, True)
    assert board("list").returncode == 0


def test_an_unknown_key_of_the_settings_is_told(board: Call, project: Path) -> None:
    board("init")
    (project / ".claude/lanes/lanes.yaml").write_text("colour: red\n")

    done = board("config")

    assert (done.returncode, "colour" in done.stderr) == (1, True)


def test_control_a_script_in_the_page_would_be_seen(tmp_path: Path) -> None:
    (tmp_path / "p.html").write_text("<script>x</script><a href='http://x'>y</a>")

    page = read_page(tmp_path / "p.html")

    assert page.tags == ["script", "a"]
    assert page.values == ["href=http://x"]
