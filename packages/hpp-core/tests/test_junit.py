from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hpp.core.errors import RefusedError
from hpp.core.junit import Report, read_report

if TYPE_CHECKING:
    from pathlib import Path


def read(tmp_path: Path, text: str | bytes) -> Report:
    path = tmp_path / "j.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_report(str(path))


def outcomes(tmp_path: Path, text: str) -> list[tuple[str, str, str]]:
    return [(case.classname, case.name, case.outcome) for case in read(tmp_path, text).cases]


def test_every_ending_of_a_case_is_read(tmp_path: Path) -> None:
    text = (
        "<testsuites><testsuite><properties/>"
        '<testcase classname="m" name="a" time="1"/>'
        '<testcase classname="m" name="b"><failure>x</failure></testcase>'
        '<testcase classname="m" name="c"><error/></testcase>'
        '<testcase classname="m" name="d"><skipped/></testcase>'
        '<testcase name="e"><system-out><failure/></system-out></testcase>'
        '<testcase classname="m" name="f"><skipped/><failure/></testcase>'
        "</testsuite></testsuites>"
    )

    assert outcomes(tmp_path, text) == [
        ("m", "a", "passed"),
        ("m", "b", "failed"),
        ("m", "c", "error"),
        ("m", "d", "skipped"),
        ("", "e", "passed"),
        ("m", "f", "failed"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        '<testsuite><testcase name="a"/></testsuite>',
        '<testsuites><testsuite><testcase name="a"/></testsuite></testsuites>',
        '<?xml version="1.0"?><testsuite><testcase name="a"/></testsuite>',
        '<?xml version="1.0" encoding="UTF-8"?>\r\n<testsuite><testcase name="a"/></testsuite>',
        '<testsuite><!--<!DOCTYPE x>--><testcase name="a"><![CDATA[<!E>]]></testcase></testsuite>',
    ],
    ids=["one suite", "nested", "no encoding", "declared", "only text"],
)
def test_a_report_may_have_any_of_its_forms(tmp_path: Path, text: str) -> None:
    assert outcomes(tmp_path, text) == [("", "a", "passed")]
    assert len(read(tmp_path, b"\xef\xbb\xbf" + text.encode()).cases) == 1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"", "no element found"),
        (b"<testsuites>", "not well-formed"),
        (b"<testsuites/><testsuites/>", "not well-formed"),
        (b"<report/>", "the root is <report>"),
        (b"<x:testsuite xmlns:x='u'/>", "the root is"),
        (b"<!DOCTYPE x><testsuites/>", "document type"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><testsuites/>', "document type"),
        (b"<testsuites>&a;</testsuites>", "not well-formed"),
        (b'<testsuite><testcase classname="m"/></testsuite>', "testcase 1 has no name"),
        (b'<testsuite><testcase name=" "/></testsuite>', "testcase 1 has no name"),
        (b"<testsuite>\xff</testsuite>", "not UTF-8"),
        ("<testsuite/>".encode("utf-16"), "not UTF-8"),
        (b'<?xml version="1.0" encoding="iso-8859-1"?><testsuite/>', "iso-8859-1"),
    ],
)
def test_what_is_no_report_is_refused(tmp_path: Path, text: bytes, what: str) -> None:
    with pytest.raises(RefusedError, match=r"j\.xml") as refused:
        read(tmp_path, text)

    assert what in str(refused.value)


def test_entities_never_grow(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE b [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><testsuite>&b;</testsuite>'

    with pytest.raises(RefusedError, match="document type"):
        read(tmp_path, bomb)


def test_a_deep_report_is_read_without_recursion(tmp_path: Path) -> None:
    text = "<testsuite>" * 20_000 + '<testcase name="a"/>' + "</testsuite>" * 20_000

    assert len(read(tmp_path, text).cases) == 1


def test_an_absent_report_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"no\.xml"):
        read_report(str(tmp_path / "no.xml"))
