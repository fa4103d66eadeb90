from __future__ import annotations

import html
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.mermaid import edge_text, flowchart, label

HOSTILE = st.text(st.sampled_from('ab1_#;"|<>\r\n`%{}[]()@ :styleclassDef\\&-\u2028é'), max_size=12)


def read_back(shown: str) -> str:
    """Return what Mermaid shows for a label: its entities resolved, as its encoder finds them."""
    return re.sub(
        r"#(\w+);",
        lambda m: html.unescape(f"&#{m[1]};" if m[1].isdigit() else f"&{m[1]};"),
        shown,
        flags=re.ASCII,
    )


def one_line(text: str) -> str:
    return re.sub(r"\r\n|\r|\n", " ", text)


def test_nodes_are_numbered_by_sorted_id_and_edges_sorted() -> None:
    nodes = {"b": "B", "a": "A", "C": "c"}
    edges = [("b", "a", "then"), ("a", "b", "z"), ("a", "b", "y")]

    assert flowchart(nodes, edges) == (
        'flowchart LR\n  n0["c"]\n  n1["A"]\n  n2["B"]\n'
        "  n1 -->|y| n2\n  n1 -->|z| n2\n  n2 -->|then| n1\n"
    )


def test_an_empty_graph_is_the_first_line_alone() -> None:
    assert flowchart({}, []) == "flowchart LR\n"


def test_groups_stand_between_ungrouped_nodes_and_edges() -> None:
    nodes = {"a": "a", "b": "b", "c": "c", "d": "d"}
    groups = [("wave 1", ["d", "b"]), ("wave 2", ["a"])]

    assert flowchart(nodes, [("d", "a", "depends-on")], groups) == (
        'flowchart LR\n  n2["c"]\n'
        '  subgraph c0["wave 1"]\n    n1["b"]\n    n3["d"]\n  end\n'
        '  subgraph c1["wave 2"]\n    n0["a"]\n  end\n'
        "  n3 -->|depends-on| n0\n"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('say "hi"', "say #quot;hi#quot;"),
        ("build (x|y)", "build (x#124;y)"),
        ("{svc}-<name>", "{svc}-#lt;name#gt;"),
        ("a\r\nb\rc\nd", "a b c d"),
        ("#quot;", "#35;quot;"),
        ("#35;", "#35;35;"),
        ("#1 of 2", "#1 of 2"),
        ("C# and F#; both", "C# and F#; both"),
        ('#"', "##quot;"),
        ("`code` first", "#96;code` first"),
        ("in `code`", "in `code`"),
        ("%%{init: {}}%%", "#37;%{init: {}}%%"),
        ("50 %% off", "50 %% off"),
        ("a\u2028%% b", "a\u2028#37;% b"),
        ('style:"x"', "style#58;#quot;x#quot;"),
        ("", " "),
        ("back\\slash \\n", "back\\slash \\n"),
        ("étape · 日本", "étape · 日本"),
        ("a\u2028b\u0085c", "a\u2028b\u0085c"),
    ],
)
def test_a_label_is_escaped(text: str, shown: str) -> None:
    assert label(text) == shown


def test_an_edge_text_also_escapes_what_would_end_it_or_name_the_edge() -> None:
    assert edge_text("collides:src/(x), [y]") == "collides:src/#40;x#41;, #91;y#93;"
    assert edge_text("collides:node_modules/@types") == "collides:node_modules/#64;types"
    assert edge_text("style a:[") == "style a#58;#91;"
    assert edge_text("supports:native") == "supports:native"


@given(HOSTILE)
def test_mermaid_reads_every_label_back_as_it_was(text: str) -> None:
    assert read_back(label(text)) == (one_line(text) or " ")
    assert read_back(edge_text(text)) == (one_line(text) or " ")


@given(HOSTILE)
def test_no_label_can_end_its_quotes_or_give_an_order(text: str) -> None:
    for shown in label(text), edge_text(text):
        assert not re.search(r'["|<>\r\n]|%%\{', shown)
        assert not shown.startswith("`")
    assert not re.search(r"[\[\](){}@]", edge_text(text))


@given(
    st.dictionaries(st.text(max_size=4), HOSTILE, min_size=1, max_size=8),
    st.data(),
)
def test_the_order_of_the_input_never_changes_the_bytes(
    nodes: dict[str, str], data: st.DataObject
) -> None:
    ids = st.sampled_from(sorted(nodes))
    edges = data.draw(st.lists(st.tuples(ids, ids, HOSTILE), max_size=8))
    shuffled = random.Random(data.draw(st.integers(0, 9)))
    other_nodes, other_edges = list(nodes.items()), [*edges, *edges[:2]]
    shuffled.shuffle(other_nodes)
    shuffled.shuffle(other_edges)

    assert flowchart(dict(other_nodes), other_edges) == flowchart(nodes, edges)


def test_control_the_reader_of_these_tests_sees_an_unescaped_entity() -> None:
    assert read_back("#quot;") != "#quot;"
    assert read_back(label("#quot;")) == "#quot;"
