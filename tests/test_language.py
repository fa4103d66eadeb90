"""What is written in two languages says the same: headings, tables, commands, code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAIRS = sorted(ROOT.glob("docs/**/*.pt-BR.md"))
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def prose(text: str) -> list[str]:
    return FENCE.sub("", text).split("\n")


def code(line: str) -> list[str]:
    """Return what a line holds between backticks, without the names of languages."""
    return sorted(re.findall(r"`([^`]+)`", line))


def shape(text: str) -> dict[str, object]:
    """Return what both languages must have in common."""
    lines = prose(text)
    rows = [line for line in lines if line.startswith("|")]
    heads = [line for line in lines if re.match(r"#+ ", line)]
    sections = re.split(r"^#+ .*$", "\n".join(lines), flags=re.MULTILINE)
    return {
        "fences": FENCE.findall(text),
        "headings": [(line.split(" ")[0], code(line)) for line in heads],
        "tables": [(line.count("|"), code(line)) for line in rows],
        "code": [code(" ".join(part.split())) for part in sections],
        "links": [
            link.replace(".pt-BR.md", ".md")
            for link in re.findall(r"\]\(([^)]+)\)", "".join(lines))
        ],
        "terms": [len(re.findall(r"^\*\*(?:Is|É)\*\*", part, re.MULTILINE)) for part in sections],
        "limits": [
            len(re.findall(r"^\*\*(?:Is not|Não é)\*\*", part, re.MULTILINE)) for part in sections
        ],
    }


def english(path: Path) -> Path:
    return path.with_name(path.name.replace(".pt-BR.md", ".md"))


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: path.name)
def test_both_languages_have_the_same_shape(path: Path) -> None:
    here = shape(path.read_text(encoding="utf-8"))
    there = shape(english(path).read_text(encoding="utf-8"))

    for part in here:
        assert here[part] == there[part], part


def test_concepts_architecture_and_graphs_are_in_both() -> None:
    assert [path.name for path in PAIRS] == [
        "architecture.pt-BR.md",
        "concepts.pt-BR.md",
        "graph-model.pt-BR.md",
    ]


def test_each_concept_says_what_it_is_what_it_is_not_and_shows_it() -> None:
    text = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8")
    for part in text.split("\n### ")[1:]:
        title = part.split("\n")[0]
        assert part.count("\n**Is** ") == 1, title
        assert part.count("\n**Is not** ") == 1, title
        assert "```console\n$ hpp " in part or "\n$ hpp " in part, title


def test_control_a_table_row_a_heading_or_a_command_that_one_lacks_is_seen() -> None:
    text = "# One\n\n| a | b |\n| --- | --- |\n| `x` | y |\n\n```console\n$ hpp doctor\n```\n"

    for changed in (
        text.replace("| `x` | y |\n", ""),
        text.replace("# One", "## One"),
        text.replace("hpp doctor", "hpp status"),
        text.replace("`x`", "`z`"),
    ):
        assert shape(changed) != shape(text)
    assert shape(text.replace("# One", "# Um")) == shape(text)
