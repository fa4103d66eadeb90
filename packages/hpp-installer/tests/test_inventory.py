"""``CHECKSUMS.txt``."""

from __future__ import annotations

import pytest

from hpp.installer.formats.inventory import inventory_bytes, parse_inventory, sha256_hex

A = sha256_hex(b"a")
GOOD = f"{A}  a.md\n{A}  b/c.md\n".encode()


def test_what_is_written_is_read_again() -> None:
    files = {"b.md": A, "a/z.md": A, "a-b.md": A}

    data = inventory_bytes(files)

    assert parse_inventory(data).files == files
    assert parse_inventory(data).problems == []
    assert [line[66:] for line in data.decode().splitlines()] == ["a-b.md", "a/z.md", "b.md"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "inventory-empty"),
        (b"\n\n", "inventory-empty"),
        (b"\xef\xbb\xbf" + GOOD, "inventory-malformed"),
        (GOOD.replace(b"\n", b"\r\n"), "inventory-malformed"),
        (GOOD + b"\n", "inventory-malformed"),
        (GOOD[:-1], "inventory-malformed"),
        (GOOD + GOOD[:71], "inventory-malformed"),
        (GOOD.upper(), "inventory-malformed"),
        (GOOD.replace(b"  a", b" *a"), "inventory-malformed"),
        (GOOD + f"{A}  CHECKSUMS.txt\n".encode(), "inventory-malformed"),
        (GOOD + f"{A}  \n".encode(), "inventory-malformed"),
        (GOOD + b"not a line\n", "inventory-malformed"),
        (GOOD + f"{A}  ../x\n".encode(), "unsafe-path"),
        (GOOD + f"{A}  /etc/hosts\n".encode(), "unsafe-path"),
        (GOOD + f"{A}  C:/x\n".encode(), "unsafe-path"),
        (GOOD + f"{A}  caf\u00e9\n".encode(), "unsafe-path"),
        (GOOD + f"{A}  A.md\n".encode(), "case-collision"),
    ],
)
def test_a_broken_inventory_is_refused_by_its_code(data: bytes, code: str) -> None:
    found = parse_inventory(data)

    assert code in {problem.code for problem in found.problems}
    assert code != "unsafe-path" or len(found.unsafe) == 1


def test_line_ends_that_git_rewrote_are_told_as_such() -> None:
    (problem,) = parse_inventory(GOOD.replace(b"\n", b"\r\n")).problems

    assert "line ends were rewritten by git" in problem.measured
    assert "-text" in problem.next
