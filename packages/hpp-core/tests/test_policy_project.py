from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.policy.pattern import pattern_fault
from hpp.core.policy.project import OwnRule, ProjectPolicy, find_policy, load_policy
from hpp.core.policy.search import first_match
from hpp.core.policy.verdict import judge
from hpp.core.schema import faults, find_schema

RULE = {
    "id": "image-push",
    "action": "MANUAL",
    "pattern": r"\bdocker\s+push\b",
    "reason": "an image",
}
# Patterns that no list of refused shapes catches, and texts on which they explode.
RUNAWAY = [
    ("(a|a)*b", "a" * 60),
    ("a*a*a*a*a*a*a*a*b", "a" * 2000),
    ("(?:a?){60}a{60}", "a" * 60),
    ("(.|.){1,400}x", "y" * 400),
    ("^(?:a|ab|b)*c", "ab" * 60),
]


def put(folder: Path, document: object) -> str:
    path = folder / ".hpp" / "policy.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = document if isinstance(document, str) else json.dumps(document)
    path.write_text(text, encoding="utf-8")
    return str(path)


def policy(*rules: dict[str, str], raised: tuple[str, ...] = ()) -> ProjectPolicy:
    own = [OwnRule({**RULE, **rule}, f"rules[{n}]") for n, rule in enumerate(rules)]
    return ProjectPolicy("policy.json", own, frozenset(raised))


BROKEN: list[tuple[Any, str]] = [
    ("{", "a key in double quotes"), ("[]", "expected an object"), ({}, "schema: "),
    ({"schema": "hpp.policy/v0"}, "schema: "), ({"schema": 1}, "schema: "),
    ('{"schema":"x","schema":"hpp.policy/v1"}', 'the key "schema" is repeated'),
    ({"extra": 1}, "extra: no such key"), ({"rules": {}}, "rules: expected a list"),
    ({"rules": [1]}, r"rules\[0\]: expected an object"),
    ({"rules": [{"id": "a"}]}, r"rules\[0\]\.action: it is missing"),
    ({"rules": [{**RULE, "x": 1}]}, r"rules\[0\]\.x: no such key"),
    ({"rules": [{**RULE, "id": "Img"}]}, r"rules\[0\]\.id: "),
    ({"rules": [{**RULE, "id": "-a"}]}, r"rules\[0\]\.id: "),
    ({"rules": [{**RULE, "id": "a" * 65}]}, r"rules\[0\]\.id: "),
    ({"rules": [{**RULE, "id": 1}]}, r"rules\[0\]\.id: "),
    ({"rules": [{**RULE, "id": "force-push"}]}, "built-in"),
    ({"rules": [{**RULE, "id": "allow"}]}, "built-in"), ({"rules": [RULE, RULE]}, "repeated"),
    ({"rules": [{**RULE, "action": "ALLOW"}]}, r"rules\[0\]\.action: "),
    ({"rules": [{**RULE, "action": ["BLOCK"]}]}, r"rules\[0\]\.action: "),
    ({"rules": [{**RULE, "reason": " "}]}, r"rules\[0\]\.reason: "),
    ({"rules": [{**RULE, "pattern": ""}]}, r"rules\[0\]\.pattern: "),
    ({"rules": [{**RULE, "pattern": "("}]}, r"rules\[0\]\.pattern: not a regular"),
    ({"rules": [{**RULE, "pattern": "a" * 1001}]}, r"rules\[0\]\.pattern: longer"),
    ({"rules": [{**RULE, "pattern": r"(a)\1"}]}, "a back-reference"),
    ({"rules": [{**RULE, "pattern": "(?P<x>a)(?P=x)"}]}, "a back-reference"),
    ({"rules": [{**RULE, "pattern": "(?P<x>a)(?(x)b|c)"}]}, "a back-reference"),
    ({"rules": [{**RULE, "pattern": "(a+)+"}]}, "unbounded repetition inside"),
    ({"rules": [{**RULE, "pattern": "(?:a*b)*"}]}, "unbounded repetition inside"),
    ({"rules": [{**RULE, "pattern": "(?:(?=a+)b){2,}"}]}, "unbounded repetition inside"),
    ({"raise": []}, "raise: expected an object"), ({"raise": {"ghost": "BLOCK"}}, "raise.ghost"),
    ({"raise": {"external-send": "MANUAL"}}, "only hardens"),
    ({"raise": {"force-push": "BLOCK"}}, "only hardens"),
    ({"raise": {"external-push": None}}, "only hardens"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "message"), BROKEN, ids=range(len(BROKEN)))
def test_a_policy_that_breaks_a_rule_is_refused(
    tmp_path: Path, document: object, message: str
) -> None:
    if isinstance(document, dict) and "schema" not in document and document:
        document = {"schema": "hpp.policy/v1", **document}
    path = put(tmp_path, document)

    for text in ("ls", "rm -rf x", " "):  # a built-in block and a blank are no exception
        with pytest.raises(RefusedError, match=message) as caught:
            judge(text, load_policy(path))
        assert "policy.json" in str(caught.value)


def test_the_schema_refuses_what_it_can_see(tmp_path: Path) -> None:
    """What it cannot: unique and reserved ids, patterns that are no expressions, JSON itself."""
    schema = find_schema("policy").document()
    unseen = ("repeated", "built-in", "not a regular", "back-reference", "inside", "too early",
              "too deep")  # fmt: skip
    for document, message in BROKEN:
        if not isinstance(document, dict) or any(word in message for word in unseen):
            continue
        whole = {"schema": "hpp.policy/v1", **document} if document else document
        assert faults(schema, whole), message
    sound = {"schema": "hpp.policy/v1", "rules": [RULE], "raise": {"external-send": "BLOCK"}}
    assert faults(schema, sound) == []
    assert load_policy(put(tmp_path, sound)).raised == {"external-send"}


def test_the_nearest_policy_up_to_the_repository_is_found(tmp_path: Path) -> None:
    inner = tmp_path / "repo" / "a" / "b"
    inner.mkdir(parents=True)
    outside = put(tmp_path, {})
    assert find_policy(str(inner)) == outside
    (tmp_path / "repo" / ".git").mkdir()
    assert find_policy(str(inner)) is None
    near = put(tmp_path / "repo", {})
    assert find_policy(str(inner)) == near
    assert find_policy(str(tmp_path / "absent" / "folder")) == outside


@pytest.mark.parametrize("kind", ["folder", "dangling link", "pipe"])
def test_whatever_has_the_name_and_cannot_be_applied_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / ".hpp" / "policy.json"
    path.parent.mkdir()
    try:
        if kind == "folder":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("gone")
    except (OSError, AttributeError):
        pytest.skip("this system has no such thing")

    found = find_policy(str(tmp_path))

    assert found == str(path)
    with pytest.raises(RefusedError, match=r"policy\.json"):
        load_policy(found)


@pytest.mark.parametrize(
    ("text", "rules", "raised", "answer"),
    [
        ("docker push x", [{}], (), ("MANUAL", "image-push", "policy")),
        ("DOCKER  PUSH x", [{}], (), ("MANUAL", "image-push", "policy")),
        ("dock'er' pu\\sh x", [{}], (), ("MANUAL", "image-push", "policy")),
        ("bash -c 'sudo docker push x'", [{}], (), ("MANUAL", "image-push", "policy")),
        ("docker pull x", [{}], (), ("ALLOW", "allow", "built-in")),
        ("rm -rf x", [{"pattern": "rm"}], (), ("BLOCK", "recursive-delete", "built-in")),
        ("git push", [{"pattern": "git"}], (), ("MANUAL", "external-push", "built-in")),
        ("git push", [{"pattern": "git", "action": "BLOCK"}], (),
         ("BLOCK", "image-push", "policy")),
        ("git push", [], ("external-push",), ("BLOCK", "external-push", "policy")),
        ("git push -f", [], ("external-push",), ("BLOCK", "force-push", "built-in")),
        ("curl https://x", [], ("external-push",), ("MANUAL", "external-send", "built-in")),
        ("x", [{"pattern": "x"}, {"id": "b", "pattern": "x", "action": "BLOCK"}], (),
         ("BLOCK", "b", "policy")),
        ("  ", [{"pattern": " ", "action": "BLOCK"}], (), ("ALLOW", "empty", "built-in")),
    ],
)  # fmt: skip
def test_a_policy_only_hardens(
    text: str, rules: list[dict[str, str]], raised: tuple[str, ...], answer: tuple[str, str, str]
) -> None:
    verdict = judge(text, policy(*rules, raised=raised))

    assert (verdict.action, verdict.rule, verdict.source) == answer


@given(st.sampled_from(["ls", "git push", "rm -rf x", "curl https://x", "", "echo hi"]))
def test_no_policy_lowers_a_verdict(text: str) -> None:
    rank = {"ALLOW": 0, "MANUAL": 1, "BLOCK": 2}
    hard = policy({"pattern": "h"}, raised=("external-send",))

    assert rank[judge(text, hard).action] >= rank[judge(text).action]


WAYS = pytest.mark.parametrize(
    "fork",
    [
        pytest.param(
            True,
            id="fork",
            marks=pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
        ),
        pytest.param(False, id="spawn"),
    ],
)


def rules_of(*patterns: str) -> list[OwnRule]:
    return [
        OwnRule({**RULE, "id": f"r{n}", "pattern": pattern}, f"p.json: rules[{n}]")
        for n, pattern in enumerate(patterns)
    ]


@WAYS
@pytest.mark.parametrize(("pattern", "text"), RUNAWAY, ids=range(len(RUNAWAY)))
def test_a_pattern_that_does_not_end_is_stopped_and_named(
    pattern: str, text: str, fork: bool
) -> None:
    assert pattern_fault(pattern) is None

    with pytest.raises(RefusedError, match=r"rules\[1\]: the pattern of r1 was not done"):
        first_match(rules_of("z", pattern, "y"), [text], ["MANUAL"], limit_s=0.15, fork=fork)


@WAYS
def test_a_search_that_looks_at_no_signal_is_stopped_as_well(fork: bool) -> None:
    """Each start of this search is quick, and there are too many of them."""
    with pytest.raises(RefusedError, match="the pattern of r0 was not done"):
        first_match(rules_of("a*b"), ["a" * 400_000], ["MANUAL"], limit_s=0.15, fork=fork)


@WAYS
def test_so_is_a_pattern_that_takes_too_long_to_compile(fork: bool) -> None:
    ranges = "".join(f"[\x01-{chr(0x10FFFF - n)}]" for n in range(180))

    with pytest.raises(RefusedError, match="was not done"):
        first_match(rules_of(*[ranges] * 50), [], [], limit_s=0.15, fork=fork)
    assert first_match(rules_of(*[ranges] * 50), [], [], limit_s=0.15, may_wait=False) is None


@WAYS
def test_both_ways_of_searching_have_one_answer(fork: bool) -> None:
    def found(*texts: str) -> str | None:
        match = first_match(rules_of("a", "b", "c"), texts, ["MANUAL"], limit_s=5, fork=fork)
        return None if match is None else match[0].id

    assert found("x", "zBz") == "r1"
    assert found("c b a") == "r0"
    assert found("zzz") is None
    assert found("zzz\udce9\ud800 c") == "r2"


@WAYS
def test_every_pattern_is_checked_before_one_is_searched(fork: bool) -> None:
    with pytest.raises(RefusedError, match=r"rules\[1\]\.pattern: not a regular expression"):
        first_match(rules_of("a", "("), ["a"], ["MANUAL"], fork=fork)


@WAYS
def test_what_a_pattern_matched_is_told(fork: bool) -> None:
    def piece(pattern: str, text: str) -> str | None:
        match = first_match(rules_of(pattern), [text], ["MANUAL"], limit_s=5, fork=fork)
        return None if match is None else match[1]

    assert piece("b.*d", "a\nB\udce9 \u8868d") == "B\udce9 \u8868d"
    assert piece("x*", "a") == ""
    assert judge("sudo docker  push x", policy({})).piece == "docker  push"
    assert judge("ls", policy({"pattern": "x*"})).piece is None


def test_rules_that_block_come_before_those_that_ask() -> None:
    rules = rules_of("a", "a", "a")
    for rule, action in zip(rules, ("MANUAL", "BLOCK", "MANUAL"), strict=True):
        rule.action = action

    def found(*wanted: str) -> str | None:
        match = first_match(rules, ["a"], wanted, limit_s=5)
        return None if match is None else match[0].id

    assert found("BLOCK", "MANUAL") == "r1"
    assert found("MANUAL") == "r0"
    assert found() is None


def test_a_search_that_breaks_off_allows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hpp.core.policy.search._forked", lambda *_: b"c0\n")
    monkeypatch.setattr("hpp.core.policy.search._spawned", lambda *_: b"")

    for fork in (True, False):
        with pytest.raises(RefusedError, match="the pattern of r0 was not done"):
            first_match(rules_of("a"), ["b"], ["MANUAL"], fork=fork)


def test_a_block_never_waits_for_a_pattern() -> None:
    verdict = judge("rm -rf " + "a" * 60, policy({"pattern": "(a|a)*b", "action": "BLOCK"}))

    assert verdict.rule == "recursive-delete"


def test_a_policy_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, json.dumps({"schema": "hpp.policy/v1"}) + " " * 1024 * 1024)

    with pytest.raises(RefusedError, match="larger than 1 MiB"):
        load_policy(path)


SOUND = st.one_of(st.just(RULE), st.just({**RULE, "id": "b", "action": "BLOCK"}))
ODD: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.just(" "), st.integers(0, 1), st.just([]), st.text(max_size=3)
)
RULE_DOCUMENTS = st.one_of(
    SOUND,
    st.dictionaries(st.sampled_from([*RULE, "x"]), ODD, max_size=5).map(lambda d: {**RULE, **d}),
    st.sampled_from(list(RULE)).map(lambda key: {k: v for k, v in RULE.items() if k != key}),
    ODD,
)
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "schema": st.sampled_from(["hpp.policy/v1", "hpp.policy/v2", 1]),
        "rules": st.one_of(st.lists(RULE_DOCUMENTS, max_size=1), ODD),
        "raise": st.one_of(
            st.dictionaries(
                st.sampled_from(
                    ["external-push", "external-send", "decision-advisor", "force-push"]
                ),
                st.sampled_from(["BLOCK", "BLOCK", "MANUAL", None]),
                max_size=2,
            ),
            ODD,
        ),
        "x": ODD,
    },
)


@settings(max_examples=120, deadline=None)
@given(DOCUMENTS)
def test_loader_and_schema_are_of_one_mind(document: dict[str, Any]) -> None:
    """Where both can see: one rule at most, its id nobody else's and its pattern sound."""
    schema = find_schema("policy").document()
    with tempfile.TemporaryDirectory() as folder:
        path = put(Path(folder), document)
        try:
            load_policy(path)
        except RefusedError:
            is_refused = True
        else:
            is_refused = False

    assert is_refused == bool(faults(schema, document)), document


def test_control_a_search_without_a_limit_would_be_seen() -> None:
    with pytest.raises(RefusedError):
        judge("a" * 60, policy({"pattern": "(a|a)*b"}))
