"""What the real Mermaid understands of our diagrams is what we meant, whatever the ids are."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, Any

from hpp.core.mermaid import flowchart

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Program = Callable[..., subprocess.CompletedProcess[bytes]]
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


MANIFEST = "hpp.manifest.json"
HOSTILE = 'a "b" (c|d) <e> {f} [g] `h` #quot; @i %%{j}%% end'


def test_the_parser_accepts_every_view_of_a_hostile_manifest(
    read_mermaid: Read, hpp: Program, root: Path, workspace: Path
) -> None:
    document = json.loads((root / MANIFEST).read_text(encoding="utf-8"))
    document["modules"][0]["capabilities"].append(HOSTILE)
    document["modules"][0]["components"] = [*document["modules"][0]["components"], HOSTILE, ""]
    document["roles"].append(HOSTILE)
    last = document["loop"]["transitions"][-1]
    document["loop"]["transitions"].append({**last, "event": HOSTILE, "to": HOSTILE})
    (workspace / MANIFEST).write_text(json.dumps(document), encoding="utf-8")
    drawn = [
        drawing(hpp, "graph", "--view", view)
        for view in ("capability", "operational", "agent", "evidence", "code")
    ]
    drawn.append(drawing(hpp, "map", "agent"))

    answers = read_mermaid(drawn)

    assert [answer.get("error") for answer in answers] == [None] * len(drawn)
    assert HOSTILE in {label for answer in answers for label in answer["nodes"].values()}
    assert HOSTILE in {text for answer in answers for _, text, _ in answer["edges"]}


def test_the_parser_accepts_every_map_of_hostile_inputs(
    read_mermaid: Read, hpp: Program, workspace: Path
) -> None:
    path = HOSTILE.replace("/", "-")
    monitor = dict.fromkeys(("id", "target", "type", "severity", "cost", "consumer_gate"), HOSTILE)
    inputs: dict[str, Any] = {
        "lanes": [{"id": HOSTILE, "territory": [path]}, {"id": "b", "territory": [f"{path}/x"]}],
        "monitors": [{**monitor, "cadence": 1, "freshness": 1}],
        "context": [{"source": HOSTILE, "priority": 1, "content": "x"}],
        "work": {"work": [{"id": HOSTILE, "acceptance": ["x"], "tier": "economy"}]},
        "events": [{"type": HOSTILE}, {"type": "b"}],
    }
    for name, value in inputs.items():
        (workspace / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    drawn = [
        drawing(hpp, "map", "lane", "lanes.json"),
        drawing(hpp, "map", "monitor", "monitors.json", "--now", "1"),
        drawing(hpp, "map", "context", "context.json", "--budget", "9"),
        drawing(hpp, "map", "agent", "--events", "events.json"),
        drawing(hpp, "work", "plan", "work.json"),
    ]

    answers = read_mermaid(drawn)

    assert [answer.get("error") for answer in answers] == [None] * len(drawn)
    for answer in answers:
        assert any(label.startswith(HOSTILE) for label in answer["nodes"].values())
    assert f"collides:{path}, {path}/x" in {text for _, text, _ in answers[0]["edges"]}


def drawing(hpp: Program, *words: str) -> str:
    done = hpp(*words, "--format", "mermaid")
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_control_the_parser_refuses_a_label_that_is_not_escaped(read_mermaid: Read) -> None:
    answers = read_mermaid(['flowchart LR\n  n0["a"b"]\n', "flowchart LR\n  n0 -->|a(b)| n1\n"])

    assert all("error" in answer for answer in answers)
