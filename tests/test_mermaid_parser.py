"""What the real Mermaid understands of our diagrams is what we meant, whatever the ids are."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

from hpp.core.mermaid import flowchart

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Read = Callable[[Sequence[str]], list[dict[str, Any]]]

PIECES = [
    *'"#;|<>`%{}[]()/\\:&$@=-_.,·',
    *("\n", "\r\n", "\t", "\x00", "\x07", "\u2028", "\u0085", " ", "é", "日", "\U0001f980"),
    *("%%", "%%{init: {}}%%", "-->", "---", "end", "subgraph x", "click n0", "style n0 fill:"),
    *(
        "classDef a fill:#fff;",
        "#quot;",
        "#35;",
        "<br>",
        "<script>",
        "flowchart LR",
        "x",
        "o",
        "1.",
    ),
]


def hostile(random_: random.Random) -> str:
    return "".join(random_.choices(PIECES, k=random_.randint(1, 5)))


def as_shown(text: str) -> str:
    """Return a label as Mermaid keeps it: one line, trimmed."""
    return re.sub(r"\r\n|\r|\n", " ", text).strip()


def test_the_parser_reads_hostile_labels_as_they_are(read_mermaid: Read) -> None:
    chance = random.Random(7)
    texts = [hostile(chance) for _ in range(600)]

    answers = read_mermaid(
        [flowchart({"a": text, "b": "b"}, [("a", "b", text)], [(text, ["a"])]) for text in texts]
    )

    wrong = [
        (text, answer)
        for text, answer in zip(texts, answers, strict=True)
        if "error" in answer
        or answer["nodes"]["n0"].strip() != as_shown(text)
        or answer["edges"][0][1].strip() != as_shown(text)
        or answer["groups"][0][1].strip() != as_shown(text)
    ]
    assert not wrong


def test_braces_and_angle_brackets_are_shown_as_written(read_mermaid: Read) -> None:
    (answer,) = read_mermaid([flowchart({"lane": "{svc}-<name>"}, [])])

    assert answer["nodes"] == {"n0": "{svc}-<name>"}


def test_groups_and_edges_keep_their_places(read_mermaid: Read) -> None:
    nodes = {"a": "a", "b": "b", "c": "c"}
    groups = [("wave 1", ["a", "b"]), ("wave 2", ["c"])]
    (answer,) = read_mermaid([flowchart(nodes, [("a", "c", "depends-on")], groups)])

    assert answer["edges"] == [["n0", "depends-on", "n2"]]
    assert sorted(answer["groups"]) == [["c0", "wave 1", ["n0", "n1"]], ["c1", "wave 2", ["n2"]]]


def test_control_the_parser_refuses_a_label_that_is_not_escaped(read_mermaid: Read) -> None:
    answers = read_mermaid(['flowchart LR\n  n0["a"b"]\n', "flowchart LR\n  n0 -->|a(b)| n1\n"])

    assert all("error" in answer for answer in answers)
