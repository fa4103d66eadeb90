"""``hpp context``: fit whole blocks of text under a budget of characters."""

from __future__ import annotations

from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments, Values

__all__ = ["COMMAND"]


def _arguments(declared: Arguments) -> None:
    declared.positional("FILE", help="list of blocks: source, priority, content; - is stdin")
    declared.option(
        "--budget", "N", help="most characters of the text", kind="integer", required=True
    )


def _compile(values: Values) -> int:
    from hpp.core.collector import Paused
    from hpp.core.context import compile_blocks, read_blocks
    from hpp.core.errors import RefusedError
    from hpp.core.output import write_json

    if values.budget < 0:
        raise RefusedError(f"--budget: expected 0 or more characters, got {values.budget}")
    with Paused():
        write_json(compile_blocks(read_blocks(values.file), values.budget).document())
    return 0


COMMAND = Command(
    "context",
    "fit blocks of text under a budget of characters",
    subcommands=[
        Command(
            "compile",
            "print the text that fits and where each block went",
            arguments=_arguments,
            run=_compile,
        )
    ],
)
