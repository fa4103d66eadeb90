"""Edits of a JSON text that leave the rest of it alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.portable import jsonedit

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYS = st.text(st.characters(codec="utf-8"), max_size=6)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | KEYS
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4)
)
LAYOUTS = st.sampled_from([None, 0, 2, 4, "\t"])


def containers(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, (dict, list)):
        yield path
        steps = value.items() if isinstance(value, dict) else enumerate(value)
        for step, inner in steps:
            yield from containers(inner, (*path, step))


def at(value: Any, path: tuple[Any, ...]) -> Any:  # noqa: ANN401 -- any JSON value
    for step in path:
        value = value[step]
    return value


@given(st.dictionaries(KEYS, VALUES, max_size=4), VALUES, LAYOUTS, st.booleans(), st.data())
def test_what_is_put_in_is_there_and_what_is_cut_out_again_leaves_the_bytes(
    document: dict[str, Any],
    value: object,
    indent: int | str | None,
    is_ascii: bool,
    data: st.DataObject,
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=is_ascii) + "\n"
    path = data.draw(st.sampled_from(list(containers(document))))
    container = at(document, path)
    key = "a new key" if isinstance(container, dict) else None

    edited = jsonedit.insert(text, path, key, value)

    wanted = json.loads(text)
    if key is None:
        at(wanted, path).append(value)
    else:
        at(wanted, path)[key] = value
    assert json.loads(edited) == wanted
    back = jsonedit.remove(edited, (*path, len(container) if key is None else key))
    assert json.loads(back) == json.loads(text)
    assert back == text


@given(st.lists(VALUES, min_size=1, max_size=5), LAYOUTS, VALUES, st.data())
def test_any_element_can_be_cut_out_or_exchanged(
    elements: list[Any], indent: int | str | None, value: object, data: st.DataObject
) -> None:
    text = json.dumps({"list": elements}, indent=indent)
    place = data.draw(st.integers(0, len(elements) - 1))

    shorter = json.loads(jsonedit.remove(text, ["list", place]))
    other = json.loads(jsonedit.replace(text, ["list", place], value))

    assert shorter["list"] == elements[:place] + elements[place + 1 :]
    assert other["list"] == [*elements[:place], value, *elements[place + 1 :]]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{\n    "a": 1.50\n}', '{\n    "a": 1.50,\n    "b": {\n        "c": 2\n    }\n}'),
        ('{\r\n\t"a": "\\u00e9"\r\n}\r\n',
         '{\r\n\t"a": "\\u00e9",\r\n\t"b": {\r\n\t\t"c": 2\r\n\t}\r\n}\r\n'),
        ("{}", '{\n  "b": {\n    "c": 2\n  }\n}'),
    ],
    ids=["four-blanks", "tab-and-crlf", "empty"],
)  # fmt: skip
def test_the_layout_of_the_file_is_taken_up(text: str, wanted: str) -> None:
    assert jsonedit.insert(text, [], "b", {"c": 2}) == wanted


def test_control_a_path_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ValueError, match="not in list"):
        jsonedit.remove('{"a": 1}', ["b"])
