from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.retrieval.block import read_blocks
from hpp.retrieval.codespan import code_spans


def blocks(text: str) -> list[tuple[str, str]]:
    return [(block.kind, text[block.start : block.end]) for block in read_blocks(text)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("one\ntwo\n\nthree", [("text", "one\ntwo"), ("text", "three")]),
        ("# Title\ntext", [("heading", " Title"), ("text", "text")]),
        ("   ###### deep", [("heading", " deep")]),
        ("####### seven", [("text", "####### seven")]),
        ("#no blank", [("text", "#no blank")]),
        ("    # indented", [("text", "    # indented")]),
        ("Title\n===\ntext", [("heading", "Title"), ("text", "text")]),
        ("two\nlines\n---\ntext", [("heading", "two\nlines"), ("text", "text")]),
        ("a\n\n---\n\nb", [("text", "a"), ("text", "b")]),
        ("a\n- - -\nb", [("text", "a"), ("text", "b")]),
        ("a\n***\nb", [("text", "a"), ("text", "b")]),
        ("- item\n---\nb", [("text", "item"), ("text", "b")]),
        ("> quoted 12%\n---\nb", [("text", "> quoted 12%"), ("text", "b")]),
        ("===\n", [("text", "===")]),
        ("It was\n12.\n-", [("text", "It was\n12.\n-")]),
        ("|a|b|\n|---|:-:|\n| c | d |", [("table", "|a|b|"), ("table", "| c | d |")]),
        (
            "- one\n  more\n* two\n+ three",
            [("text", "one\n  more"), ("text", "two"), ("text", "three")],
        ),
        ("1. one\n123456789) two", [("text", "one"), ("text", "two")]),
        ("1234567890. ten digits", [("text", "1234567890. ten digits")]),
        ("- 1. nested", [("text", "nested")]),
        ("1.5 kg\n-5 degrees", [("text", "1.5 kg\n-5 degrees")]),
        ("a\n```py\n# code\n```\nb", [("text", "a"), ("text", "b")]),
        ("~~~\n```\n~~~~\nb", [("text", "b")]),
        ("````\n```\nx\n````\nb", [("text", "b")]),
        ("```\n~~~\n``` x\n```\nb", [("text", "b")]),
        ("```\nopen to the end\n# x", []),
        ("- ```\n  x\n  ```\nb", [("text", "b")]),
        ("```x``` is code", [("text", "```x``` is code")]),
        ("> quote\n    indented", [("text", "> quote\n    indented")]),
        ("", []),
        ("\n \n\t\n", []),
    ],
)
def test_lines_make_blocks(text: str, wanted: list[tuple[str, str]]) -> None:
    assert blocks(text) == wanted


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab1 \n`~-=#|*.>[]:", max_size=80))
def test_blocks_are_in_order_and_do_not_overlap(text: str) -> None:
    end = 0
    for block in read_blocks(text):
        assert end <= block.start <= block.end <= len(text)
        end = block.end


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a `b` c", ["`b`"]),
        ("a ``b ` c`` d", ["``b ` c``"]),
        ("a ` b", []),
        ("`a``b`", ["`a``b`"]),
        ("`` a ` b `c` d", ["` b `"]),
        ("`a` `b`", ["`a`", "`b`"]),
        ("`a\nb`", ["`a\nb`"]),
        ("```` ``` `` `", []),
    ],
)
def test_a_code_span_ends_at_a_run_of_the_same_length(text: str, wanted: list[str]) -> None:
    assert [text[start:end] for start, end in code_spans(text, 0, len(text))] == wanted


def test_a_code_span_does_not_leave_its_block() -> None:
    assert code_spans("a ` b ` c", 0, 5) == []


def test_control_a_fence_hides_what_a_paragraph_shows() -> None:
    assert blocks("12 [ID:a]")
    assert not blocks("```\n12 [ID:a]\n```")
