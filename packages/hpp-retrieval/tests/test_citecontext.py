from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.retrieval.citecontext import read_context

if TYPE_CHECKING:
    from collections.abc import Callable

    Put = Callable[[str, object], str]


def test_ids_come_bare_or_with_their_text(put: Put) -> None:
    assert list(read_context(put("c.json", ["a", "b"])).ids) == ["a", "b"]
    objects = [{"id": "a", "text": "", "source": {"page": 3}}, {"id": "b", "text": "x"}]
    assert list(read_context(put("c.json", objects)).ids) == ["a", "b"]


def test_layout_and_key_order_do_not_change_the_hash(put: Put) -> None:
    one = read_context(put("1.json", '[{"id":"a","text":"\u00e9"}]'))
    other = read_context(put("2.json", '\ufeff[\n {"text": "\\u00e9",\n "id": "a"}\n]'))
    third = read_context(put("3.json", '[{"id":"a","text":"e"}]'))

    assert one.sha256 == other.sha256 != third.sha256


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ([], "expected a non-empty list"),
        ({"id": "a"}, "expected an array"),
        ([1], r"\[0\]: expected an object with id and text, got an integer"),
        (["a", {"id": "b", "text": "x"}], r"\[1\]: expected an id like the first"),
        ([{"id": "b", "text": "x"}, "a"], r"\[1\]: expected an object"),
        ([{"id": "a"}], r"\[0\]\.text: expected a text, got nothing"),
        ([{"id": 1, "text": "x"}], r"\[0\]\.id: expected a text, got an integer"),
        ([{"id": "a", "text": None}], r"\[0\]\.text: expected a text, got null"),
        (["a", "a"], r'\[1\]: id "a" is that of \[0\] too'),
        ([""], r"\[0\]: an id is empty"),
        ([" a"], r"\[0\]: an id begins or ends"),
        (["a\n"], r"\[0\]: an id begins or ends"),
        (["a\nb"], r"\[0\]: an id spans lines"),
        (["a\u2028b"], r"\[0\]: an id spans lines"),
        ([{"id": "a ", "text": "x"}], r"\[0\]\.id: an id begins or ends"),
    ],
)
def test_anything_else_is_refused_with_its_place(put: Put, document: object, fault: str) -> None:
    with pytest.raises(RefusedError, match=rf"^c\.json: {fault}"):
        read_context(put("c.json", document))


@pytest.mark.parametrize(
    "item",
    [
        {"id": "b", "text": "the password: hunter2"},
        {"id": "password: hunter2", "text": "x"},
        {"id": "b", "text": "x", "meta": [{"note": "line one\npassword: hunter2"}]},
        {"id": "b", "text": "x", "client_secret": "hunter2abc123"},
        {"id": "b", "text": "x", "password: hunter2": 1},
    ],
)
def test_a_secret_anywhere_is_refused_by_position_and_not_shown(put: Put, item: object) -> None:
    document = [{"id": "a", "text": "x"}, item]

    with pytest.raises(RefusedError, match=r"^c\.json: \[1\]: .*secret-like") as caught:
        read_context(put("c.json", document))

    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("data", [b"{not", b"[" * 100_000, b"\xff\xfe[\x00", b'["caf\xe9"]'])
def test_what_is_no_json_is_refused(put: Put, data: bytes) -> None:
    with pytest.raises(RefusedError, match=r"^c\.json: "):
        read_context(put("c.json", data))


TEXTS = st.text(alphabet="ab \n\t\u2028\x1c\x85\u00a0", max_size=4)
ITEMS = st.one_of(
    TEXTS,
    st.integers(),
    st.fixed_dictionaries({}, optional={"id": st.one_of(TEXTS, st.none()), "text": TEXTS}),
)


@settings(max_examples=200, deadline=None)
@given(document=st.lists(ITEMS, max_size=3))
def test_schema_and_reader_agree(
    document: list[Any],
    tmp_path_factory: pytest.TempPathFactory,
    schema_faults: Callable[[str, object], list[str]],
) -> None:
    path = tmp_path_factory.mktemp("context") / "c.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    try:
        read_context(str(path))
        refused = None
    except RefusedError as error:
        refused = str(error)

    if refused is not None and " too" in refused:
        return  # ids that are repeated, which no schema can say
    assert bool(refused) == bool(schema_faults("citation-context", document)), refused


def test_control_a_text_about_secrets_is_none(put: Put) -> None:
    document = [{"id": "a", "text": "rotate the api key every year"}]

    assert list(read_context(put("c.json", document)).ids) == ["a"]
