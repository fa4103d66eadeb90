from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hpp.core.errors import RefusedError
from hpp.core.testsource import find_sources, read_source

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str | bytes = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def cited(folder: Path, text: str | bytes) -> dict[str, list[str]]:
    write(folder / "t.py", text)
    return {one.key: one.criteria for one in read_source("t.py").citations}


def shadowed(folder: Path, text: str) -> list[bool]:
    write(folder / "t.py", text)
    found = sorted(read_source("t.py").citations, key=lambda one: one.criteria)
    return [one.is_shadowed for one in found]


def test_docstrings_of_every_definition_are_read(folder: Path) -> None:
    text = '''
"""[spec: p/module]"""
class A:
    """[spec: p/class]"""
    def m(self):
        """[spec: p/method]"""
        def inner():
            """[spec: p/inner]"""
async def f():
    "[spec: p/async]"
'''

    assert cited(folder, text) == {
        "t.py": ["p/module"],
        "t.py::A": ["p/class"],
        "t.py::A::m": ["p/method"],
        "t.py::A::m::inner": ["p/inner"],
        "t.py::f": ["p/async"],
    }


@pytest.mark.parametrize(
    "frame",
    [
        "if x:\n{}",
        "if x:\n    pass\nelse:\n{}",
        "try:\n{}\nfinally:\n    pass",
        "try:\n    pass\nexcept E:\n{}",
        "try:\n    pass\nexcept E:\n    pass\nelse:\n{}",
        "with x:\n{}",
        "for x in y:\n{}",
        "while x:\n{}",
        "match x:\n  case 1:\n{}",
        "if x:\n  if y:\n{}",
    ],
)
def test_a_definition_may_stand_in_any_statement(folder: Path, frame: str) -> None:
    text = frame.format('    def f():\n        """[spec: p/m]"""')

    assert cited(folder, text) == {"t.py::f": ["p/m"]}


def test_other_texts_are_not_read(folder: Path) -> None:
    text = (
        '# [spec: p/a]\nx = "[spec: p/b]"\n"""[spec: p/c]"""\n'
        'def f():\n    x = 1\n    """[spec: p/d]"""\n    f"[spec: p/e]"\n'
    )

    assert cited(folder, text) == {}


def test_placeholders_and_empty_markers_are_ignored_and_other_texts_are_malformed(
    folder: Path,
) -> None:
    text = '"""[spec: ] [spec:p/a] [spec: <unit>/<x>] [spec: p] [spec: p/a] [spec: p/a b]"""'

    assert cited(folder, text) == {"t.py": ["p/a", "malformed:p", "malformed:p/a b"]}


@pytest.mark.parametrize(
    "text",
    [
        b'\xef\xbb\xbf"""[spec: p/\xc3\xa9]"""',
        b'# -*- coding: latin-1 -*-\n"""[spec: p/\xe9]"""',
        b'"""[spec: p/\xc3\xa9]"""\r\n',
    ],
    ids=["byte-order mark", "coding line", "carriage returns"],
)
def test_sources_are_decoded_as_python_does(folder: Path, text: bytes) -> None:
    assert cited(folder, text) == {"t.py": ["p/é"]}


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("def t(): pass", True),
        ("t = 1", True),
        ("class t: pass", True),
        ("import t", True),
        ("import os.path as t", True),
        ("from m import t", True),
        ("for t in x: pass", True),
        ("with x as t: pass", True),
        ("if x:\n    def t(): pass", True),
        ("try:\n    pass\nexcept E as t:\n    pass", True),
        ("(t := 1)", True),
        ("[u for u in x if (t := u)]", True),
        ("match x:\n  case [1, *t]: pass", True),
        ("match x:\n  case {'a': 1, **t}: pass", True),
        ("match x:\n  case t: pass", True),
        ("t: int = 1", True),
        ("t: int", False),
        ("t()", False),
        ("t.x = 1", False),
        ("[t for t in x]", False),
        ("lambda t: t", False),
        ("def other(t):\n    t = 1", False),
        ("class Other:\n    def t(self): pass", False),
        ("import t.x as y", False),
        ("", False),
    ],
)
def test_a_later_binding_of_the_name_shadows(folder: Path, rest: str, *, expected: bool) -> None:
    assert shadowed(folder, f'def t():\n    """[spec: p/m]"""\n{rest}\n') == [expected]


def test_a_method_of_a_class_that_is_replaced_is_gone_with_it(folder: Path) -> None:
    text = (
        'class T:\n    def m(self):\n        """[spec: p/1]"""\n'
        'class T:\n    def m(self):\n        """[spec: p/2]"""\n'
    )

    assert shadowed(folder, text) == [True, False]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("def (", "line 1: not valid Python"),
        (b"x = '\xff'", "not valid Python"),
        (b"x = 1\0", "not valid Python"),
        ("x = " + "(" * 300 + ")" * 300, "a.py"),
        ("x = " + "1+" * 200_000 + "1", "a.py"),
        ("# -*- coding: nonsense -*-\n", "not valid Python"),
    ],
    ids=["syntax", "encoding", "null", "parentheses", "deep", "coding"],
)
def test_what_is_not_python_is_refused_by_name(folder: Path, text: str | bytes, what: str) -> None:
    write(folder / "a.py", text)

    with pytest.raises(RefusedError, match=r"a\.py") as refused:
        read_source("a.py")

    assert what in str(refused.value)


def test_an_invalid_escape_in_a_test_is_not_our_business(folder: Path) -> None:
    assert cited(folder, '"""\\d [spec: p/m]"""') == {"t.py": ["p/m"]}  # warnings are errors here


def test_sources_are_found_once_and_sorted(folder: Path) -> None:
    names = ["t/b.py", "t/a/x.py", "t/.hidden/y.py", "t/__pycache__/z.py", "t/n.txt", "t/a.py"]
    for name in names:
        write(folder / name)

    found = find_sources(["t/b.py", "t", "./t//", str(folder / "t" / "a.py")])

    names = [read_source(path).name for path in found]
    assert names == ["t/a.py", "t/a/x.py", "t/b.py"]
    assert [read_source(p).name for p in find_sources(["t/.hidden"])] == ["t/.hidden/y.py"]


def test_the_module_of_a_source_is_its_dotted_path(folder: Path) -> None:
    write(folder / "t" / "a.py")

    assert read_source("./t/a.py").module == "t.a"
    assert read_source("t/../t/a.py").module == "t.t.a"
    assert read_source(str(folder / "t" / "a.py")).module.endswith(".t.a")


@pytest.mark.parametrize("given", ["absent", "n.txt", "empty"])
def test_what_is_no_source_is_refused(folder: Path, given: str) -> None:
    write(folder / "n.txt")
    (folder / "empty").mkdir()

    with pytest.raises(RefusedError, match=given):
        find_sources([given])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_refused_and_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "p.py")

    with pytest.raises(RefusedError, match="not a regular file"):
        read_source("p.py")


@pytest.mark.skipif(os.name == "nt", reason="file names are text there")
def test_a_name_that_is_no_utf_8_can_be_printed(folder: Path) -> None:
    try:
        write(folder / os.fsdecode(b"t\xff.py"))
    except OSError:
        pytest.skip("this file system takes UTF-8 names alone")

    (path,) = find_sources(["."])

    assert read_source(path).name == "t\\xff.py"
