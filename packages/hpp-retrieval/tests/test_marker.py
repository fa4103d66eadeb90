from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.retrieval import markersearch
from hpp.retrieval.marker import DEFAULT_PATTERN, Finder, classify

KNOWN = {"a", "b", "doc-1", "1", "2", "3"}


@pytest.mark.parametrize(
    ("identity", "kind"),
    [
        ("doc-1", "RESOLVED"),
        ("1", "RESOLVED"),
        ("1-3", "RANGE"),
        ("1 - 3", "RANGE"),
        ("1,2", "RANGE"),
        ("1..3", "RANGE"),
        ("1...3", "RANGE"),
        ("1\u20133", "RANGE"),
        ("1\u20143", "RANGE"),
        ("1\u20263", "RANGE"),
        ("7-9", "RANGE"),
        ("7, 8", "RANGE"),
        ("a, b", "RANGE"),
        ("a;b", "RANGE"),
        ("a,,b", "RANGE"),
        ("a-b", "RANGE"),
        ("a,zz", "RANGE"),
        ("doc-1-a", "RANGE"),
        ("zz", "UNKNOWN_ID"),
        ("zz,yy", "UNKNOWN_ID"),
        ("a,", "UNKNOWN_ID"),
        ("1-3-5", "UNKNOWN_ID"),
        ("2026-09-24", "UNKNOWN_ID"),
        ("report-final", "UNKNOWN_ID"),
        ("12", "UNKNOWN_ID"),
        ("A", "UNKNOWN_ID"),
        ("", "EMPTY_MARKER"),
    ],
)
def test_an_id_is_told_from_a_range_by_what_is_known(identity: str, kind: str) -> None:
    assert classify(identity, KNOWN) == kind


def test_an_id_that_looks_like_a_range_or_a_list_resolves() -> None:
    assert classify("a-b", {"a", "b", "a-b"}) == "RESOLVED"
    assert classify("a, b", {"a", "b", "a, b"}) == "RESOLVED"


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="[ID:]`a \n", max_size=60))
def test_the_default_marker_is_found_as_its_expression_finds_it(text: str) -> None:
    code = [found.span() for found in re.finditer("`[^`]*`", text)]
    pattern = re.compile(DEFAULT_PATTERN)
    wanted = markersearch.search(pattern, text, code)
    (found,) = Finder(DEFAULT_PATTERN).find([(text, code)])

    assert [(each.start, each.end) for each in found] == [place[:2] for place in wanted]
    assert [each.id for each in found] == [text[a:b].strip() for _, _, a, b in wanted]


@pytest.mark.parametrize(
    ("pattern", "text", "ids"),
    [
        (r"\{cite:([^}]*)\}", "x {cite:a} {cite: b }", ["a", "b"]),
        (r"\[(\d+)\]", "x [1][2]", ["1", "2"]),
        (r"@(\w+)?!", "x @a! @!", ["a", ""]),
        (r"(?=x)()|<(?:a)>", "x <a>", [""]),
        ("\u3010(.*?)\u3011", "\u3010\u00e9\u3011", ["\u00e9"]),
    ],
)
def test_another_expression_runs_in_a_process_of_its_own(
    pattern: str, text: str, ids: list[str]
) -> None:
    (found,) = Finder(pattern).find([(text, [])])

    assert [each.id for each in found] == ids


@pytest.mark.parametrize(
    "pattern",
    ["", "(", r"\[(ID):(\w+)\]", r"\[ID:\w+\]", r"(\d*)", "(a{99999999999999999999})", "(" * 5000],
)
def test_an_unfit_expression_is_refused(pattern: str) -> None:
    with pytest.raises(RefusedError, match=r"^--marker: "):
        Finder(pattern)


def test_an_expression_that_takes_for_ever_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hpp.retrieval.marker._LIMIT_S", 0.5)

    with pytest.raises(RefusedError, match="takes longer"):
        Finder(r"((?:a+)+)!").find([("a" * 60, [])])


def test_the_search_needs_the_standard_library_alone() -> None:
    """It is run by its path, where nothing that is installed can be imported."""
    source = Path(markersearch.__file__).read_text(encoding="utf-8")
    imported = set(re.findall(r"^(?:import|from) (\w+)", source, re.MULTILINE))

    assert imported == {"__future__", "json", "re", "sys"}


def test_control_a_marker_in_code_is_none() -> None:
    (found,) = Finder(r"<(\w)>").find([("<a> `<b>` <c>", [(4, 9)])])

    assert [each.id for each in found] == ["a", "c"]
