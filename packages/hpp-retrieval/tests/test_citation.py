from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.retrieval.citation import check_texts
from hpp.retrieval.citecontext import Context
from hpp.retrieval.citedtext import Text
from hpp.retrieval.finding import RULES, excerpt_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from hpp.retrieval.citation import Check

    Checker = Callable[..., Check]

IDS = ["a", "b", "doc-1", "1", "2", "3"]
CONTEXT = Context(IDS, "0" * 64)


def codes(check: Check) -> list[str]:
    return [finding.code for finding in check.findings]


def test_the_worked_example(check: Checker) -> None:
    text = "Sales grew 12% in 2025 [ID:a]. Churn fell [ID:z]. Costs were 3."
    found = check(text, ["a", "b"])

    assert found.counts == {
        "sentences": 3,
        "quantitative_sentences": 2,
        "markers": 2,
        "cited_ids": 1,
        "unique_cited_ids": 1,
        "context_ids": 2,
        "unused_context_ids": 1,
    }
    assert [(each.code, each.sentence) for each in found.findings] == [
        ("UNKNOWN_ID", 2),
        ("UNCITED_CLAIM", 3),
    ]
    assert found.findings[0].details["marker"] == "[ID:z]"
    assert found.findings[1].details == {"token": "3"}
    assert (found.verdict, found.exit_code) == ("block", 2)

    milder = check(text.replace(" Churn fell [ID:z].", ""), ["a", "b"])
    assert (codes(milder), milder.exit_code) == (["UNCITED_CLAIM"], 1)
    clean = check("Sales grew 12% in 2025 [ID:a]. Costs were 3 [ID:b].", ["a", "b"])
    assert (clean.verdict, clean.exit_code, clean.findings) == ("ok", 0, [])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Fine [ID:a].", []),
        ("All [ID:1-3].", ["RANGE"]),
        ("All [ID:].", ["EMPTY_MARKER"]),
        ("All [ID: ] 12%.", ["EMPTY_MARKER"]),
        ("No marker at all.", ["NO_MARKERS"]),
        ("12 and nothing else.", ["UNCITED_CLAIM"]),
        ("All [ID:a][ID:b][ID:doc-1][ID:1].", []),
        ("All [ID:a][ID:b][ID:doc-1][ID:1][ID:2].", ["TOO_MANY"]),
        (
            "All [ID:a][ID:x][ID:1-3][ID:][ID:a].",
            ["UNKNOWN_ID", "RANGE", "EMPTY_MARKER", "TOO_MANY"],
        ),
        ("# 12 things\n\nFine [ID:a].", []),
        ("# 12 things [ID:x]\n\nFine.", ["UNKNOWN_ID"]),
        ("| 12 |\n|---|\n| 3 [ID:a] |", ["UNCITED_CLAIM"]),
        ("1. Open it [ID:a].\n2. Save it.\n10. Close it.", []),
        ("Fine [ID:a]. Run `make test-42`.", []),
        ("Fine [ID:a].\n\n```\n42 [ID:zz]\n", []),
        ("Fine [ID:a]. See https://x.example/2026.", []),
        ("Fine [ID:a]. As noted[^1].", []),
        ("2026 results\n============\n\nFine [ID:a].", []),
        ("Rose to 7.25 million units.", ["UNCITED_CLAIM"]),
        ("Grew 12%.\n[ID:a] Flat.", ["UNCITED_CLAIM"]),
    ],
)
def test_findings_stand_in_their_order(check: Checker, text: str, wanted: list[str]) -> None:
    assert codes(check(text, IDS)) == wanted


def test_markers_of_two_digits_are_two_ids(check: Checker) -> None:
    assert codes(check("See [ID:12] and [ID:1].", ["1"])) == ["UNKNOWN_ID"]


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("Costs fell 4% [id:cost].", "[id:cost]"),
        ("Costs fell 4% [ ID x ].", "[ ID x ]"),
        ("Costs fell 4% [3].", "[3]"),
        ("Costs fell 4% (ID:x).", "(ID:x)"),
        ("Costs fell 4% [1, 2].", "[1, 2]"),
        ("Costs fell 4% \u3010ID:x\u3011.", "\u3010ID:x\u3011"),
    ],
)
def test_what_looks_like_a_marker_is_quoted(check: Checker, text: str, near: str) -> None:
    (finding,) = check(text, IDS).findings

    assert finding.code == "UNCITED_CLAIM"
    assert near in str(finding.details["hint"])


@pytest.mark.parametrize("text", ["Costs fell 4%.", "Fell 4% [^3].", "Fell 4% `[3]`.", "4 [see x]"])
def test_what_does_not_is_not(check: Checker, text: str) -> None:
    (finding,) = check(text, IDS).findings

    assert "hint" not in finding.details


@pytest.mark.parametrize(
    ("identity", "near"),
    [
        ("glossary-v2", "glossary"),
        ("Glossary", "glossary"),
        ("run book 7", "runbook-7"),
        ("runbok-7", "runbook-7"),
        ("entirely-other", None),
    ],
)
def test_an_unknown_id_is_told_what_it_may_mean(
    check: Checker, identity: str, near: str | None
) -> None:
    (finding,) = check(f"Fine [ID:{identity}].", ["glossary", "runbook-7"]).findings

    assert finding.details.get("hint") == (near and f'did you mean "{near}"?')


def test_a_custom_marker_replaces_the_default(check: Checker) -> None:
    pattern = r"\{cite:([^}]*)\}"

    assert codes(check("Grew 12% {cite:a}.", IDS, marker=pattern)) == []
    (finding,) = check("Grew 12% [ID:a].", IDS, marker=pattern).findings
    assert "--marker" in str(finding.details["hint"])


@pytest.mark.parametrize("text", ["```\nx = 12\n```", "---\n\n***", "`x = 1`", "|---|"])
def test_a_text_without_a_sentence_outside_code_is_refused(check: Checker, text: str) -> None:
    with pytest.raises(RefusedError, match="no sentence outside code"):
        check(text, IDS)


def test_an_excerpt_is_one_short_line() -> None:
    assert excerpt_of("a\n  b\t c") == "a b c"
    assert excerpt_of("x" * 120) == "x" * 120
    assert excerpt_of("x" * 121) == "x" * 117 + "..."
    assert len(excerpt_of(" y" * 100_000)) == 120


def test_several_texts_are_checked_at_once() -> None:
    texts = [Text("Fine [ID:a].", "one"), Text("12.", "two")]
    found = check_texts(texts, CONTEXT)

    assert [check.verdict for check in found] == ["ok", "warn"]


WORDS = [
    "Sales", "grew", "12%", "3.5", "R$ 1.500,00", "2026-09-24", "24/09/2026", "e.g.", "et al.",
    "Sra.", "no. 5", "No.", "a\u00e7\u00e3o", "n\u00e3o", "[ID:a]", "[ID:z]", "[ID:a, b]", "[ID:]",
    "[ID:", "]", "`x. y`", "`", "``", "```\n", "~~~\n", "\n", "\n\n", "\r\n", "\r", "# ", "## T\n",
    "- ", "1. ", "| a | 5 |\n", "---\n", "===\n", "...", "\u2026", ".", "!", "?", "\u3002",
    "\u201d", ")", "(", '"', "[^1]", "[^nota]:", "https://x.example/1?a=2", "v2.5.8", "\u00a0",
    "\u2028",
    "\U0001f600", "\u0661", "> ", "<!-- 5 -->", "\x00", "**5.**", "*x*", "\ufeff", "\t", "    ",
]  # fmt: skip


def judged(text: str) -> Check | None:
    try:
        return check_texts([Text(text, "t")], CONTEXT)[0]
    except RefusedError:
        return None


def test_any_text_has_an_answer(schema_faults: Callable[[str, object], list[str]]) -> None:
    """Texts of English and Portuguese scraps, in every order that a seed gives."""
    source = random.Random(6)
    for number in range(600):
        glue = source.choice(["", " "])
        text = glue.join(source.choices(WORDS, k=source.randint(1, 60)))
        found = judged(text)
        if found is None:
            continue
        for finding in found.findings:
            assert finding.severity in {"warn", "block"}
            assert (
                finding.line is None or 1 <= finding.line <= text.count("\n") + text.count("\r") + 1
            )
        assert found.counts["cited_ids"] <= found.counts["markers"]
        if number % 20 == 0:
            assert schema_faults("citation-check", found.report()) == []


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200))
def test_any_characters_have_an_answer(text: str) -> None:
    judged(text)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=30))
def test_how_lines_end_changes_nothing(words: list[str]) -> None:
    text = " ".join(words).replace("\r\n", "\n").replace("\r", "\n")
    reports: list[Any] = []
    for end in ("\n", "\r\n", "\r"):
        found = judged(text.replace("\n", end))
        reports.append(found and {**found.report(), "text_sha256": None})

    assert reports[0] == reports[1] == reports[2]


def test_every_code_has_a_rule_with_words() -> None:
    assert all(rule.summary.endswith(".") and rule.advice.endswith(".") for rule in RULES.values())


def test_control_a_marker_taken_away_is_noticed(check: Checker) -> None:
    assert codes(check("Grew 12% [ID:a].", IDS)) == []
    assert codes(check("Grew 12%.", IDS)) == ["UNCITED_CLAIM"]
