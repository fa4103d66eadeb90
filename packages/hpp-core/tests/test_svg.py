from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.graph import VIEWS, Graph, manifest_graph
from hpp.core.lanemap import LaneMap, parse_lanes
from hpp.core.manifest import load_manifest, packaged_manifest_path
from hpp.core.svg import picture

NS = "{http://www.w3.org/2000/svg}"
ALLOWED = {"svg", "title", "style", "rect", "g", "path", "text"}
HOSTILE = [
    "</text><script>alert(1)</script>",
    '"><image href="//x.example/a"/>',
    "]]>",
    "<!-- -->",
    "&amp;&lt;&#0;",
    "a\x00b\x1b[31m\x7f\ufffe\uffff",
    "\ud800",
    "line\nbreak\r\t",
    "' onload='x",
    "\u202eright to left",
]


def read(data: bytes) -> ET.Element:
    return ET.fromstring(data.decode())  # noqa: S314 -- our own bytes


def check(data: bytes) -> ET.Element:
    """Hold a picture to what every picture owes, and return its root."""
    root = read(data)
    assert {element.tag.removeprefix(NS) for element in root.iter()} <= ALLOWED
    for element in root.iter():
        for name, value in element.attrib.items():
            assert "href" not in name.lower()
            assert not name.lower().startswith("on")
            assert "url(" not in value
            assert "//" not in value
    style = root.find(f"{NS}style")
    assert style is not None
    assert not re.search(r"url\(|@import|@font-face|//", style.text or "")
    assert b"<!DOCTYPE" not in data
    assert b"\r" not in data
    assert data.endswith(b"</svg>\n")
    return root


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{NS}text")]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_a_sound_picture(view: str) -> None:
    graph = manifest_graph(load_manifest(packaged_manifest_path()), view)
    data = picture(graph, view)
    root = check(data)

    assert root.attrib["role"] == "img"
    assert root.findtext(f"{NS}title") == view
    assert len(root.findall(f".//{NS}rect[@class='box']")) == len(graph.nodes)
    curves = [e for e in root.iter(f"{NS}path") if e.find(f"{NS}title") is not None]
    assert len(curves) == len(graph.edges)
    again = manifest_graph(load_manifest(packaged_manifest_path()), view)
    assert picture(again, view) == data


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_stays_a_text(text: str) -> None:
    graph = Graph()
    graph.edge(graph.node("kind", text), graph.node("kind", "other"), text)

    root = check(picture(graph, text))

    assert root.find(f".//{NS}script") is None
    kept = re.sub("[\x00-\x1f\ud800-\udfff\ufffe\uffff]", " ", text)
    assert root.findtext(f"{NS}title") == kept
    assert sorted(texts(root)[1:4:2]) == sorted([kept[:34], "other"])
    assert texts(root)[-1] == kept


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_gives_sound_xml(label: str, relation: str) -> None:
    graph = Graph()
    graph.edge(graph.node("a", label), graph.node("b", label), relation)

    check(picture(graph, label))


def test_a_long_label_is_cut_in_the_box_and_whole_in_its_title() -> None:
    graph = Graph()
    graph.node("kind", "x" * 80)

    root = check(picture(graph, "t"))

    assert texts(root)[1] == "x" * 33 + "…"
    assert root.findtext(f"{NS}g/{NS}g/{NS}title") == "kind:" + "x" * 80


def test_colours_follow_the_scheme_of_who_looks() -> None:
    data = picture(Graph(), "t").decode()
    light, _, dark = data.partition("@media (prefers-color-scheme:dark)")

    names = re.findall(r"(--\w+):(#[0-9a-f]{6})", light)
    night = dict(re.findall(r"(--\w+):(#[0-9a-f]{6})", dark))
    assert len(names) == 13
    assert {name for name, _ in names} == set(night)
    assert all(night[name] != colour for name, colour in names)
    used = set(re.findall(r"var\((--\w+)\)", data))
    assert used <= set(night)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_what_is_written_can_be_read_and_what_is_drawn_seen(scheme: int) -> None:
    style = picture(Graph(), "t").decode().split("@media (prefers-color-scheme:dark)")[scheme]
    colour = dict(re.findall(r"(--\w+):(#[0-9a-f]{6})", style))

    for ground in ("--bg", "--box"):
        for ink in ("--ink", "--mute"):
            assert contrast(colour[ink], colour[ground]) >= 4.5
    for number in range(8):
        assert contrast(colour[f"--c{number}"], colour["--bg"]) >= 3


def test_an_empty_graph_says_so() -> None:
    assert texts(check(picture(Graph(), "t"))) == ["nothing to draw"]


def test_collisions_share_a_line_of_the_legend() -> None:
    lanes = [{"id": n, "territory": ["a", "b"][:s]} for n, s in (("x", 1), ("y", 2), ("z", 2))]
    drawn = LaneMap(
        parse_lanes(lanes, "l"), now=None, suspect_after=1, dead_after=2, where="l"
    ).drawn()

    assert texts(check(picture(drawn, "t")))[-2:] == ["collides", "owns:declared"]


@pytest.mark.parametrize("size", [2, 50])
def test_curves_stay_inside_the_picture(size: int) -> None:
    graph = Graph()
    nodes = [graph.node("lane", f"{n:02}") for n in range(size)]
    home = graph.node("area", "z")
    for node in nodes:
        graph.edge(home, node, "has")
    graph.edge(nodes[0], nodes[-1], "collides:z")
    root = check(picture(graph, "t"))
    width, height = int(root.attrib["width"]), int(root.attrib["height"])

    for element in root.iter(f"{NS}path"):
        if element.attrib.get("class", "").startswith("edge") and "C" in element.attrib["d"]:
            pairs = re.findall(r"(-?\d+) (-?\d+)", element.attrib["d"])
            assert all(-24 <= int(x) <= width - 24 for x, _ in pairs)
            assert all(-24 <= int(y) <= height - 24 for _, y in pairs)
