from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.retrieval.citedtext import Text
from hpp.retrieval.marker import DEFAULT_PATTERN, Finder

if TYPE_CHECKING:
    from hpp.retrieval.sentence import Sentence


def sentences(text: str) -> list[Sentence]:
    made = Text(text, "t")
    return made.sentences(Finder(DEFAULT_PATTERN).find(made.regions()))


def told(text: str) -> list[str]:
    plain = Text(text, "t").plain
    return [plain[each.start : each.end] for each in sentences(text)]


def markers(text: str) -> list[list[str]]:
    return [[marker.id for marker in each.markers] for each in sentences(text)]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It fell from 3.5 s to 2.1 s [ID:a].", 1),
        ("It fell. It is 2 s now [ID:a]!  Good?", 3),
        ("Sales grew 12%. [ID:a] Costs were flat.", 2),
        ("Sales grew 12%.\n[ID:a] Costs were flat.", 2),
        ("One Ph.D. student wrote 3 papers [ID:a].", 1),
        ("The effect was 4% [ID:Report vol. 2]. It held.", 2),
        ("See e.g. this (cf. that, i.e. Fig. 3, vs. Dr. Who et al. there).", 1),
        ("(E.g. this.) That.", 2),
        ("It is no. 5 of No. 7 here.", 1),
        ("Is it? No. It is not. No. Five.", 5),
        ("As shown by Smith et al.\n\nNext.", 2),
        ('He said "Stop." Then (he left.) She stayed.', 3),
        ("Wait... what?! Yes.", 3),
        ("a.b.c 1.2.3 x.y", 1),
        ("Run `a. b. c` now. Then stop.", 2),
        ("\u58f2\u4e0a\u306f12%\u3002\u8cbb\u7528\u306f5%\uff01\u306f\u3044\uff1f", 3),
        ("**Sales grew 12%.** Costs fell.", 2),
        ("A Sra. Silva viu 3 casos em 5 de jan. de 2026, art. 7. Fim.", 2),
        ("O total foi R$ 1.500,00 em 24.09.2026. Caiu 3,5%.", 2),
        ("...", 1),
        ("Approx. 5 vol. 2 pp. 3-4 Inc. x.", 1),
    ],
)
def test_sentences_are_counted_as_a_reader_would(text: str, count: int) -> None:
    assert len(told(text)) == count, told(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Sales grew 12%. [ID:a] Costs were flat.", [["a"], []]),
        ("Sales grew 12%.\n[ID:a] Costs were flat.", [[], ["a"]]),
        ("Grew. [ID:a], [ID:b]. Fell [ID:c].", [["a", "b"], ["c"]]),
        ("\u58f2\u4e0a\u3002[ID:a]\u8cbb\u7528 [ID:b]\u3002", [["a"], ["b"]]),
        ("# Title [ID:a]\n\n| x [ID:b] |\n", [["a"], ["b"]]),
        ("[ID:a]", [["a"]]),
        ("Grew.[ID:a] Fell.", [["a"]]),
        ("A `[ID:x]` and `[ID: b` then [ID:c].", [["c"]]),
        ("A [ID:`b`].", [["`b`"]]),
    ],
)
def test_a_marker_belongs_to_the_sentence_before_it_on_its_line(
    text: str, wanted: list[list[str]]
) -> None:
    assert markers(text) == wanted


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='aA1 .!?\n`[]ID:)"\u3002-#|>*', max_size=120))
def test_no_text_is_lost_and_every_marker_has_a_sentence(text: str) -> None:
    made = Text(text, "t")
    found = Finder(DEFAULT_PATTERN).find(made.regions())
    split = made.sentences(found)

    kept = "".join(made.plain[each.start : each.end] for each in split)
    inside = "".join(region for region, _ in made.regions())
    assert "".join(kept.split()) == "".join(inside.split())
    assert sum(len(each.markers) for each in split) == sum(map(len, found))
    assert [each.start for each in split] == sorted(each.start for each in split)


def test_lines_end_as_an_editor_shows_them() -> None:
    made = Text("a.\r\nb.\rc.\nd\u2028e.", "t")
    split = made.sentences([[] for _ in made.regions()])

    assert [made.line_and_column(each.start) for each in split] == [(1, 1), (2, 1), (3, 1), (4, 1)]


def test_control_an_abbreviation_that_is_not_listed_splits() -> None:
    assert len(told("The abbr. is unknown.")) == 2
