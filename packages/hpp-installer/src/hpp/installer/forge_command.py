"""``hpp forge``: emit modules and the product, or say how a tree differs from that."""

from __future__ import annotations

from hpp.core.command import Command
from hpp.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.core.arguments import Arguments, Values

__all__ = ["FORGE", "answer", "declare", "main"]


def declare(arguments: Arguments) -> None:
    """Declare what both faces of the forge accept."""
    arguments.option("--module", "ID", help="a module to emit; may be repeated", repeat=True)
    arguments.flag("--all", help="every module, the catalogues and the distribution's digests")
    arguments.option("--root", "DIR", help="the source tree (default: the nearest above)")
    arguments.option("--out", "DIR", help="the distribution tree", required=True)
    arguments.flag("--apply", help="write; without it a plan is printed")
    arguments.flag("--check", help="with --all: say whether the tree is what would be emitted")
    arguments.option("--json", "FILE", help="write the report to a file as well")


def answer(values: Values) -> int:
    """Run the forge, print its report and return the exit status."""
    import datetime as dt
    import os

    from hpp.installer.forge.product import find_root
    from hpp.installer.forge.run import Request, run_forge
    from hpp.installer.forge.tool import finish

    if bool(values.module) == values.all:
        raise UsageError("forge: give either --module ID or --all")
    if values.check and (values.apply or not values.all):
        raise UsageError("forge: --check goes with --all and without --apply")
    cwd = os.getcwd()
    mode = "check" if values.check else "apply" if values.apply else "plan"
    request = Request(
        find_root(values.root, cwd),
        os.path.abspath(os.path.join(cwd, values.out)),
        None if values.all else list(dict.fromkeys(values.module)),
        mode,
        dt.datetime.now(dt.timezone.utc).strftime("%Y-%m-%d"),
    )
    return finish(run_forge(request), values.json)


FORGE = Command(
    "forge",
    "emit modules and the distribution that holds them",
    arguments=declare,
    run=answer,
)


def main(words: Sequence[str]) -> int:
    """Run ``kit_assembler.py``, the face of the forge that a distribution carries."""
    from hpp.installer.forge.selftest import self_test
    from hpp.installer.forge.tool import run_tool

    return run_tool(
        "kit_assembler.py",
        FORGE.summary,
        words,
        declare=declare,
        answer=answer,
        self_test=self_test,
    )
