"""Pages show what is typed and printed: every session is run, every link is followed."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hpp.cli.registry import find_command
from hpp.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
CONSOLE = ROOT / "tools" / "console.py"
PAGES = sorted(
    path
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "packages/*/*.md",
        "benchmarks/*.md",
        "examples/**/*.md",
    )
    for path in ROOT.glob(pattern)
    if path.name != "CHANGELOG.md" and "forge" not in path.relative_to(ROOT).parts[:1]
)
FENCE = re.compile(r"^ *(`{3,})(.*?)$.*?^ *\1$", re.MULTILINE | re.DOTALL)
TYPED = re.compile(r"^```(?:console|sh)$", re.MULTILINE)
SESSIONS = [path for path in PAGES if TYPED.search(path.read_text(encoding="utf-8"))]
needs_bash = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("bash") is None,
    reason="pages are typed in a POSIX shell",
)


def identity(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if ROOT in path.parents else path.name


def compare(*paths: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(CONSOLE), *map(str, paths)],
        capture_output=True,
        encoding="utf-8",
        timeout=400,
        check=False,
    )


@needs_bash
@pytest.mark.parametrize("path", SESSIONS, ids=identity)
def test_what_a_page_shows_is_what_happens(path: Path) -> None:
    done = compare(path)

    assert done.returncode == 0, done.stdout + done.stderr


@needs_bash
def test_control_another_output_a_failing_line_and_a_saved_file_are_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    good = "```json file=a/b.json\n[1]\n```\n\n```console\n$ cat a/b.json\n[1]\n$ ls a\n...\n```\n"
    page.write_text(good, encoding="utf-8")
    assert compare(page).returncode == 0
    for wrong in (
        good.replace("json\n[1]\n$", "json\n[2]\n$"),
        good.replace("cat a/b", "cat a/c"),
        good + "\n```sh\nhpp doctor --unheard-of\n```\n",
        good + "\n```sh\nhpp doctor # exit 1\n```\n",
    ):
        page.write_text(wrong, encoding="utf-8")
        assert compare(page).returncode == 1, wrong


def prose(text: str) -> str:
    return FENCE.sub("", text)


def anchors(text: str) -> set[str]:
    """Return the anchors of headings, as the usual renderers make them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        kept = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        number = 0
        while (kept if not number else f"{kept}-{number}") in found:
            number += 1
        found.add(kept if not number else f"{kept}-{number}")
    return found


def broken(path: Path) -> Iterator[str]:
    """Yield the links of a page that lead nowhere."""
    without_code = re.sub(r"`[^`\n]*`", "", prose(path.read_text(encoding="utf-8")))
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code):
        if re.match(r"[a-z]+:", target):
            if not target.startswith("https://"):
                yield target
            continue
        name, _, anchor = target.partition("#")
        place = (path.parent / name).resolve() if name else path
        inside = ROOT in place.parents or place.parent == path.parent
        if not place.exists() or not inside or not has_anchor(place, anchor):
            yield target


def has_anchor(page: Path, anchor: str) -> bool:
    return not anchor or anchor in anchors(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", PAGES, ids=identity)
def test_every_link_leads_somewhere(path: Path) -> None:
    assert list(broken(path)) == []


def test_control_a_link_to_nothing_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b` c\n[x](#a-b-c) [y](page.md) [z](#d) [w](gone.md)", encoding="utf-8")

    assert list(broken(page)) == ["#d", "gone.md"]


def unknown(text: str) -> Iterator[str]:
    """Yield the commands in a page's prose and tables that the program would not understand."""
    for quoted in re.findall(r"`(hpp [^`\n]+)`", prose(text).replace("\\|", "|")):
        words = shlex.split(quoted)[1:]
        if not re.fullmatch(r"[a-z-]+", words[0]):
            continue
        try:
            command = find_command(words[0])
        except UsageError:
            yield quoted
            continue
        rest = words[1:]
        while command.subcommands and rest and re.fullmatch(r"[a-z-]+", rest[0]):
            if rest[0] not in command.subcommands:
                yield quoted
                break
            command, rest = command.subcommands[rest[0]], rest[1:]
        known = {option.name for option in command.arguments().options} | {"--help", "--traceback"}
        ours = rest[: rest.index("--")] if "--" in rest else rest
        if any(word.startswith("-") and word not in known for word in ours):
            yield quoted


@pytest.mark.parametrize("path", PAGES, ids=identity)
def test_every_command_that_a_page_names_is_one(path: Path) -> None:
    assert list(unknown(path.read_text(encoding="utf-8"))) == []


def test_control_a_command_or_an_option_that_is_none_is_seen() -> None:
    page = "`hpp doctor` `hpp doctr` `hpp work plan X` `hpp work plans` `hpp gate --repos .`"

    assert list(unknown(page)) == ["hpp doctr", "hpp work plans", "hpp gate --repos ."]
