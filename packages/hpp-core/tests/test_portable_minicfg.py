from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.portable import profile_loader
from hpp.core.portable.minicfg import ConfigError, load_file, load_yaml

if TYPE_CHECKING:
    from pathlib import Path


class CoreLoader(yaml.SafeLoader):
    """PyYAML with the words of YAML 1.2's core schema in place of those of 1.1."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 -- the base keeps it on the class


def _resolvers() -> None:
    import re

    tables = (
        ("tag:yaml.org,2002:bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
        ("tag:yaml.org,2002:null", r"~|null|Null|NULL|", "~nN"),
        ("tag:yaml.org,2002:int", r"[-+]?[0-9]+", "-+0123456789"),
        (
            "tag:yaml.org,2002:float",
            r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?",
            "-+.0123456789",
        ),
        ("tag:yaml.org,2002:merge", r"<<", "<"),
    )
    for tag, expression, first in tables:
        CoreLoader.add_implicit_resolver(tag, re.compile(f"(?:{expression})\\Z"), list(first))
    CoreLoader.yaml_implicit_resolvers.setdefault("", []).append(
        ("tag:yaml.org,2002:null", re.compile(r"\Z"))
    )


_resolvers()

WORDS = [
    "a",
    "b c",
    "yes",
    "no",
    "on",
    "off",
    "true",
    "false",
    "null",
    "~",
    "1",
    "-7",
    "+3",
    "1.5",
    ".5",
    "1e3",
    "2026-01-01",
    "12:30",
    "1_000",
    "a#b",
    "a:b",
    "http://x/y",
    "-x",
    "?x",
    "x - y",
    "'q'",
    "'it''s'",
    '"d\\n\\u00e9"',
    '"a: b # c"',
    "''",
    "a'b",
    "v1.2.3",
    "[1, two, 'three']",
    "{}",
    "[]",
    "{a: 1, 'b c': [x, y]}",
    '{"k":1}',
    "[[1], {a: b}]",
    "é",
    "017",
    "0x1f",
    "True",
    "&a",
    "*a",
    "!t",
    "|",
    ">",
    "a: b",
    "@x",
    "`x",
    "%x",
    "[a",
    "{a}",
    "- a",
    "",
    "x #comment",
    "x#no",
    "'a' 'b'",
    ":x",
    "---",
    "<<",
    "a:",
    "[a,]",
    "[a: b]",
    "{a:1}",
    "1.",
    "-",
    "?",
    "!!str a",
    "x\ty",
]
KEYS = ["a", "b", "key one", "'q'", '"d"', "a.b", "x-y", "1", "true", "<<", "? a", "k:v", "é", "~"]


@st.composite
def documents(draw: st.DrawFn) -> str:
    lines = []
    for _ in range(draw(st.integers(1, 6))):
        indent = " " * draw(st.sampled_from([0, 0, 0, 2, 2, 4, 1]))
        kind = draw(
            st.sampled_from(["pair", "pair", "item", "item pair", "open", "bare", "comment"])
        )
        word, key = draw(st.sampled_from(WORDS)), draw(st.sampled_from(KEYS))
        lines.append(
            indent
            + {
                "pair": f"{key}: {word}",
                "item": f"- {word}",
                "item pair": f"- {key}: {word}",
                "open": f"{key}:",
                "bare": word,
                "comment": "# c",
            }[kind]
        )
    return "\n".join(lines) + draw(st.sampled_from(["", "\n", "\n\n", "\r\n"]))


def _same(ours: object, theirs: object) -> bool:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return list(ours) == list(theirs) and all(_same(ours[k], theirs[k]) for k in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(_same, ours, theirs))
    return type(ours) is type(theirs) and ours == theirs


@settings(max_examples=400)
@given(documents())
def test_what_pyyaml_reads_as_well_means_the_same(text: str) -> None:
    try:
        ours = load_yaml(text, "x.yaml")
    except ConfigError:
        return
    theirs = yaml.load(text, Loader=CoreLoader)  # noqa: S506 -- a SafeLoader

    assert _same(ours, theirs), (text, ours, theirs)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-9999, 9999) | st.text(max_size=8).map(str),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=100)
@given(PLAIN)
def test_json_on_one_line_is_read_as_json(value: object) -> None:
    text = json.dumps(value)

    if "\\ud8" in text or "\\udf" in text:  # pairs of surrogates are JSON's own way
        text = json.dumps(value, ensure_ascii=True).encode().decode("ascii")
    try:
        read = load_yaml(text, "x.yaml")
    except ConfigError as error:
        assert "escape" in str(error)  # noqa: PT017 -- refusing half a pair is the rule
        return
    assert _same(read, value)


def test_the_comparison_sees_a_difference() -> None:
    assert not _same({"a": 1}, {"a": "1"})
    assert not _same([True], [1])
    assert _same({"a": [1, None]}, {"a": [1, None]})


def test_a_profile_is_read() -> None:
    text = (
        "# mine\nproject: demo\npaths:\n  mirror_globs:\n  - docs/*.md\n  - 'a b'\n"
        "lanes:\n  - id: a\n    paths: [src, docs]\n  -\n    id: b\nflag: yes\nnothing:\n"
    )

    assert load_yaml(text, "x") == {
        "project": "demo",
        "paths": {"mirror_globs": ["docs/*.md", "a b"]},
        "lanes": [{"id": "a", "paths": ["src", "docs"]}, {"id": "b"}],
        "flag": "yes",
        "nothing": None,
    }


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a:\n\tb: 1\n", "line 2, column 1"),
        ("a: &x 1\n", "line 1, column 4"),
        ("a: *x\n", "line 1, column 4"),
        ("a: !t 1\n", "line 1, column 4"),
        ("a: |\n  x\n", "line 1, column 4"),
        ("a: >\n  x\n", "line 1, column 4"),
        ("<<: {a: 1}\n", "line 1, column 1"),
        ("a: 1\n---\nb: 2\n", "line 2, column 1"),
        ("? a\n", "line 1, column 1"),
        ("a: 1\na: 2\n", "line 2, column 1"),
        ("a: {b: 1, b: 2}\n", "line 1, column 11"),
        ("a: [1, 2\n", "line 1, column 9"),
        ("a: 'x\n", "line 1, column 4"),
        ("a: b: c\n", "line 1, column 4"),
        ("a: 1\n   b: 2\n", "line 2, column 4"),
        ("a: 017\n", "line 1, column 4"),
        ("a: True\n", "line 1, column 4"),
        ("1: a\n", "line 1, column 1"),
        ("[" * 13 + "]" * 13, "line 1, column 13"),
        ("".join(" " * n + "a:\n" for n in range(14)), "line 13"),
        ("- a\n" * 5001, "line 5001"),
        ("a: \x01\n", "line 1, column 4"),
    ],
)
def test_what_is_outside_of_the_subset_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(ConfigError, match=rf"^f\.yaml: {place}"):
        load_yaml(text, "f.yaml")


def test_a_large_text_is_refused() -> None:
    with pytest.raises(ConfigError, match="256 KiB"):
        load_yaml("a: " + "x" * 256 * 1024, "f")


def test_a_json_file_is_read_as_strict_json(tmp_path: Path) -> None:
    path = tmp_path / "operator-profile.json"
    path.write_text('{"a": 1, "a": 2}', encoding="utf-8")

    with pytest.raises(RefusedError, match="a"):
        load_file(str(path))

    path.write_text('{"a": 1}', encoding="utf-8")
    assert load_file(str(path)) == {"a": 1}


def test_the_nearest_profile_counts_and_none_above_the_root(tmp_path: Path) -> None:
    root = tmp_path / "outer" / "root"
    deep = root / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "outer" / "operator-profile.yaml").write_text("x: outer\n")

    assert profile_loader.find(str(deep), str(root), {}) is None
    assert profile_loader.load(str(deep), str(root), {}) == {}

    (root / "operator-profile.yaml").write_text("x: root\n")
    (root / "a" / "operator-profile.json").write_text('{"x": "a"}')
    assert profile_loader.load(str(deep), str(root), {}) == {"x": "a"}
    assert profile_loader.load(str(root), str(root), {}) == {"x": "root"}
    assert profile_loader.load(str(tmp_path), str(root), {}) == {"x": "root"}


def test_a_named_profile_that_is_missing_has_no_fallback(tmp_path: Path) -> None:
    (tmp_path / "operator-profile.yaml").write_text("x: 1\n")

    with pytest.raises(RefusedError, match=r"OPERATOR_PROFILE: other\.yaml"):
        profile_loader.find(str(tmp_path), str(tmp_path), {"OPERATOR_PROFILE": "other.yaml"})


def test_getters_check_type_and_range() -> None:
    profile = {"a": {"n": 5, "t": "x", "b": True, "l": ["p", 1]}}

    assert profile_loader.get(profile, "a.n") == 5
    assert profile_loader.get(profile, "a.n.z", "d") == "d"
    assert profile_loader.integer(profile, "a.n", 1, 0, 9) == 5
    assert profile_loader.text(profile, "a.t", "d", ["x"]) == "x"
    assert profile_loader.flag(profile, "a.b", default=False)
    assert profile_loader.texts(profile, "a.none", ["q"]) == ["q"]
    for call in (
        lambda: profile_loader.integer(profile, "a.n", 1, 6, 9),
        lambda: profile_loader.integer(profile, "a.b", 1),
        lambda: profile_loader.text(profile, "a.n", "d"),
        lambda: profile_loader.flag(profile, "a.t", default=True),
        lambda: profile_loader.texts(profile, "a.l"),
    ):
        with pytest.raises(RefusedError, match=r"operator-profile: a\."):
            call()
