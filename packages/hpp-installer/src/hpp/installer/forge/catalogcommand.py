"""``catalog.py``: write, or compare, the catalogue document of an emitted tree."""

from __future__ import annotations

import os

from hpp.core.errors import UsageError
from hpp.installer.forge.catalogdocument import NAME, tree_catalog
from hpp.installer.forge.tool import run_tool, write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.arguments import Arguments, Values
    from hpp.core.portable.selftest import Checks

__all__ = ["main"]


def main(words: Sequence[str]) -> int:
    """Run the script and return its exit status."""
    return run_tool(
        "catalog.py",
        "Say what the modules of a distribution hold",
        words,
        declare=_declare,
        answer=_answer,
        self_test=_self_test,
    )


def _declare(arguments: Arguments) -> None:
    arguments.option("--root", "DIR", help="an emitted tree", required=True)
    arguments.flag("--write", help="write docs/CATALOG.md, with --apply")
    arguments.flag("--check", help="say whether docs/CATALOG.md is what would be written")
    arguments.flag("--apply", help="write; without it the document is printed")


def _answer(values: Values) -> int:
    from hpp.core.output import write_bytes, write_text

    if values.check and (values.write or values.apply):
        raise UsageError("--check goes without --write and --apply")
    if values.apply and not values.write:
        raise UsageError("--apply goes with --write")
    data = tree_catalog(values.root)
    place = os.path.join(values.root, *NAME.split("/"))
    if values.check:
        is_same = _read(place) == data
        write_text(f"{NAME}: {'as the tree says' if is_same else 'not what the tree says'}\n")
        return 0 if is_same else 1
    if values.apply:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        write_file(place, data)
        write_text(f"{NAME}: written\n")
    else:
        write_bytes(data)
    return 0


def _read(place: str) -> bytes | None:
    if not os.path.isfile(place):
        return None
    with open(place, "rb") as stream:
        return stream.read()


def _self_test(checks: Checks, folder: str) -> None:
    from hpp.core.errors import RefusedError
    from hpp.installer.forge.fixture import emit, write_sources

    write_sources(folder)
    out = emit(folder)
    place = os.path.join(out, *NAME.split("/"))
    checks.equal("the forge writes what the tree says", _read(place), tree_catalog(out))
    checks.check("it names a script", b"scripts/tool.py" in tree_catalog(out))
    before = tree_catalog(out)
    os.unlink(os.path.join(out, "frameworks", "small-kit-0.1.0", "scripts", "tool.py"))
    checks.check("a file that is gone is not counted", tree_catalog(out) != before)
    checks.raises("no tree is refused", RefusedError, lambda: tree_catalog(folder + "/none"))
