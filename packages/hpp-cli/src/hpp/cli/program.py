"""What `hpp` answers without a command: its version, its help, its self-test."""

from __future__ import annotations

from hpp.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["run_option", "version"]

FIRST_STEPS = (
    "hpp tour      see the whole loop run in a throw-away repository\n"
    "hpp doctor    check this installation\n"
)


def version() -> str:
    """Return the version of the installed `hpp-cli`."""
    from importlib.metadata import version as installed_version

    return installed_version("hpp-cli")


def run_option(words: Sequence[str]) -> int:
    """Answer a command line that begins with an option, or is empty.

    Raises:
        UsageError: It is empty, or the option is unknown or has words after it.

    """
    from hpp.core.output import write_text

    if not words:
        # The first two lines that a newcomer meets say what to type.
        raise UsageError("", FIRST_STEPS + "usage: hpp COMMAND ...")
    option = words[0]
    if len(words) > 1:
        raise UsageError(f"{option} takes no argument", "usage: hpp COMMAND ...")
    if option == "--version":
        write_text(version() + "\n")
        return 0
    if option in ("--help", "-h"):
        write_text(_help())
        return 0
    if option == "--self-test":
        from hpp.cli.selftest import check

        check()
        write_text("hpp self-test OK\n")
        return 0
    from hpp.core.suggestion import suggestion
    from hpp.core.text import shorten

    known = ("--version", "--help", "--self-test")
    raise UsageError(
        f"unknown option {shorten(option)}{suggestion(option, known)}", "usage: hpp COMMAND ..."
    )


def _help() -> str:
    from hpp.cli.registry import installed_commands
    from hpp.core.help import rows

    listed = [(command.name, command.summary) for command in installed_commands()]
    options = [
        ("--version", "print the version of hpp-cli"),
        ("--self-test", "check that every mechanism tells good from bad"),
        ("--help", "show this text"),
    ]
    return (
        "usage: hpp COMMAND ...\n\n"
        "Decides from measured state on disk whether the work of a coding agent may advance.\n\n"
        f"begin with:\n  {FIRST_STEPS.strip().replace(chr(10), chr(10) + '  ')}\n\n"
        f"commands:\n{rows(listed)}\noptions:\n{rows(options)}\n"
        "`hpp COMMAND --help` shows what a command accepts.\n"
        "Exit: 0 ok, 1 a person or a gate has to act, 2 refused or blocked, 3 usage or a fault.\n"
    )
