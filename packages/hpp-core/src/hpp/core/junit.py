"""JUnit XML reports: the cases of a test run and how each one ended.

The format has no standard; what every writer shares is read: ``testcase`` elements with a
name, a class name, and at most one of ``failure``, ``error`` and ``skipped`` below them.
"""

from __future__ import annotations

import os
from xml.parsers import expat

from hpp.core.canonical import sha256_hex
from hpp.core.document import read_input
from hpp.core.errors import RefusedError
from hpp.core.strictjson import LARGE_LIMIT
from hpp.core.text import printable, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["Case", "Report", "read_report"]

_ROOTS = ("testsuites", "testsuite")
_ENDINGS = {"failure": "failed", "error": "error", "skipped": "skipped"}
_WORST = ("failed", "error", "skipped", "passed")


class Case:
    """One run of one test; `outcome` is passed, failed, error or skipped."""

    __slots__ = ("classname", "name", "outcome")

    def __init__(self, name: str, classname: str) -> None:
        self.name = name
        self.classname = classname
        self.outcome = "passed"


class Report:
    """One report file.

    Attributes:
        path: As given.
        sha256: Of its bytes.
        mtime_ns: When it was written.
        cases: In the order of the file.

    """

    __slots__ = ("cases", "mtime_ns", "path", "sha256")

    def __init__(self, path: str, sha256: str, mtime_ns: int, cases: list[Case]) -> None:
        self.path = path
        self.sha256 = sha256
        self.mtime_ns = mtime_ns
        self.cases = cases


def read_report(path: str) -> Report:
    """Return the report of a file.

    Raises:
        RefusedError: It cannot be read, is no UTF-8 XML, declares a document type or an
            entity, or is no JUnit report.

    """
    data = read_input(os.path.join(".", path) if path == "-" else path, limit=LARGE_LIMIT)
    cases = _Reader(printable(path)).read(data)
    return Report(path, sha256_hex(data), os.stat(path).st_mtime_ns, cases)


class _Reader:
    """The handlers of one parse; a refusal leaves through the parser as an exception."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.depth = 0
        self.cases: list[Case] = []
        self.open_at = 0  # depth of the testcase that is open, 0 when none is

    def read(self, data: bytes) -> list[Case]:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            self.refuse(f"not UTF-8 (byte 0x{data[error.start]:02x} at {error.start})")
        parser = expat.ParserCreate("UTF-8")
        parser.XmlDeclHandler = self.declaration
        parser.StartDoctypeDeclHandler = self.doctype
        parser.EntityDeclHandler = self.entity
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        try:
            parser.Parse(data, True)  # noqa: FBT003 -- positional only: this is the end
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            self.refuse(f"line {error.lineno}: not well-formed XML: {reason}")
        return self.cases

    def declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding is not None and encoding.lower() not in ("utf-8", "utf8", "us-ascii", "ascii"):
            self.refuse(f"it declares the encoding {shorten(encoding)}; UTF-8 is read")

    def doctype(self, *_declared: object) -> None:
        self.refuse("it holds a document type declaration, which no report needs")

    def entity(self, *_declared: object) -> None:
        self.refuse("it declares an entity, which no report needs")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth == 1 and name not in _ROOTS:
            self.refuse(f"the root is <{shorten(name)}>, not <testsuites> or <testsuite>")
        if name == "testcase":
            if not attributes.get("name", "").strip():
                self.refuse(f"testcase {len(self.cases) + 1} has no name")
            self.cases.append(Case(attributes["name"], attributes.get("classname", "")))
            self.open_at = self.depth
        elif name in _ENDINGS and self.open_at and self.depth == self.open_at + 1:
            case = self.cases[-1]
            case.outcome = min(case.outcome, _ENDINGS[name], key=_WORST.index)

    def end(self, _name: str) -> None:
        if self.depth == self.open_at:
            self.open_at = 0
        self.depth -= 1

    def refuse(self, what: str) -> NoReturn:
        raise RefusedError(f"{self.name}: {what}") from None
