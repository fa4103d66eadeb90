"""``hpp kit``, and with the same verbs ``kit_doctor.py``."""

from __future__ import annotations

from hpp.core.command import Command, run_program
from hpp.core.errors import RefusedError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.command import Invocation

__all__ = ["KIT", "main"]

_HOSTS = ("claude-code", "codex")
_PROGRAM = ["hpp kit"]  # how the command that applies a plan begins; `main` sets its own


def main(argv: Sequence[str], prog: str = "kit_doctor.py") -> int:
    """Run a verb and return its exit status; both programs come through here.

    Args:
        argv: The words after the program's name.
        prog: The program as a person starts it.

    """
    _PROGRAM[0] = prog
    return run_program(lambda call: KIT.invoke(list(argv), prog, call))


def _verify_arguments(arguments: Arguments) -> None:
    arguments.positional("MODULE", help="folder or zip of a module")
    arguments.option("--anchor", "FILE", help="distribution.json that has its digest")
    arguments.option("--expect", "SHA256", help="digest of its CHECKSUMS.txt or zip")
    _report_options(arguments)


def _run_verify(values: Values) -> int:
    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.verification import verify

    _refuse_empty(values, "module", "anchor")
    place = Facts().absolute(values.module)
    return _print(values, lambda: verify(place, expect=values.expect, anchor=values.anchor))


def _install_arguments(arguments: Arguments) -> None:
    arguments.positional("MODULE", help="as --kit", required=False)
    arguments.option("--kit", "MODULE", help="folder or zip of the module")
    arguments.option("--target", "DIR", help="folder of the project; --apply asks for it")
    _host_option(arguments, "claude-code")
    channels = ("auto", "plugin", "copy")
    arguments.option("--channel", "WORD", help="how it comes in", default="auto", choices=channels)
    arguments.option("--answers", "FILE", help="JSON object of answers to the module's questions")
    _apply_flags(arguments)
    arguments.flag("--no-smoke", help="leave the module's own proofs out")
    arguments.option("--smoke-timeout", "S", help="seconds for each proof", kind="integer")
    arguments.flag("--keep-modified", help="keep what was edited")
    arguments.flag("--replace-modified", help="back up what was edited, and replace it")
    arguments.flag("--allow-downgrade", help="let an older version take a newer one's place")
    arguments.option("--anchor", "FILE", help="distribution.json that has its digest")
    arguments.option("--expect", "SHA256", help="digest of its CHECKSUMS.txt or zip")
    _report_options(arguments)


def _run_install(values: Values) -> int:
    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.install import install
    from hpp.installer.kit.request import Request

    kit = values.module if values.kit is None else values.kit
    _refuse_empty(values, "kit", "module", "target", "anchor", "answers")
    if kit is None or (values.kit is not None and values.module is not None):
        raise UsageError("install: name one module, with --kit or by itself")
    if values.keep_modified and values.replace_modified:
        raise UsageError("install: --keep-modified and --replace-modified exclude each other")
    if values.anchor is not None and values.expect is not None:
        raise UsageError("install: --anchor and --expect exclude each other")
    if values.smoke_timeout is not None and not 0 < values.smoke_timeout <= _LONGEST_SMOKE_S:
        raise UsageError(f"--smoke-timeout: expected 1 to {_LONGEST_SMOKE_S}")
    edits = "keep" if values.keep_modified else "replace" if values.replace_modified else "refuse"
    request = Request(
        kit=kit,
        target=_target(values),
        host=values.host,
        channel=values.channel,
        answers=values.answers,
        apply=_applies(values),
        no_smoke=values.no_smoke,
        smoke_timeout=values.smoke_timeout,
        edits=edits,
        allow_downgrade=values.allow_downgrade,
        anchor=values.anchor,
        expect=values.expect,
    )
    return _print(values, lambda: install(request, Facts(), _PROGRAM[0]))


_LONGEST_SMOKE_S = 300


def _refuse_empty(values: Values, *names: str) -> None:
    """Refuse an empty text where a path is asked for: it would mean the working folder."""
    for name in names:
        if getattr(values, name) == "":
            raise RefusedError(f"{name}: an empty value names no file")


def _target(values: Values) -> str:
    if values.target is None and values.apply:
        raise UsageError("--apply needs an explicit --target")
    return "." if values.target is None else str(values.target)


def _applies(values: Values) -> bool:
    if values.apply and values.dry_run:
        raise UsageError("--apply and --dry-run exclude each other")
    return bool(values.apply)


def _installed_arguments(arguments: Arguments) -> None:
    arguments.option("--module", "ID", help="the module", required=True)
    arguments.option("--target", "DIR", help="folder of the project", required=True)
    _host_option(arguments, None)
    _apply_flags(arguments)


def _uninstall_arguments(arguments: Arguments) -> None:
    _installed_arguments(arguments)
    arguments.flag("--purge-seeds", help="remove configuration that nobody edited, too")
    arguments.flag("--force-wired", help="remove it although settings still run it")
    _report_options(arguments)


def _run_uninstall(values: Values) -> int:
    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.removal import uninstall

    _refuse_empty(values, "target")
    return _print(
        values,
        lambda: uninstall(
            values.module,
            values.target,
            values.host,
            Facts(),
            apply=_applies(values),
            purge_seeds=values.purge_seeds,
            force_wired=values.force_wired,
        ),
    )


def _rollback_arguments(arguments: Arguments) -> None:
    _installed_arguments(arguments)
    _report_options(arguments)


def _run_rollback(values: Values) -> int:
    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.rollback import rollback

    _refuse_empty(values, "target")
    return _print(
        values,
        lambda: rollback(
            values.module, values.target, values.host, Facts(), apply=_applies(values)
        ),
    )


def _recover_arguments(arguments: Arguments) -> None:
    arguments.option("--target", "DIR", help="folder of the project", required=True)
    _host_option(arguments, None)
    _apply_flags(arguments)
    _report_options(arguments)


def _run_recover(values: Values) -> int:
    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.recovery import recover

    _refuse_empty(values, "target")
    return _print(
        values, lambda: recover(values.target, values.host, Facts(), apply=_applies(values))
    )


def _status_arguments(arguments: Arguments) -> None:
    arguments.option("--target", "DIR", help="folder of the project", required=True)
    arguments.option("--host", "HOST", help="this host alone", choices=_HOSTS)
    _report_options(arguments)


def _run_status(values: Values) -> int:
    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.status import status

    _refuse_empty(values, "target")
    return _print(values, lambda: status(values.target, values.host, Facts()))


def _marketplace_arguments(arguments: Arguments) -> None:
    arguments.positional("ROOT", help="root of a distribution tree", is_input=False)
    _report_options(arguments)


def _run_marketplace(values: Values) -> int:
    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.marketplace import marketplace

    _refuse_empty(values, "root")
    return _print(values, lambda: marketplace(Facts().absolute(values.root), values.root))


def _host_option(arguments: Arguments, default: str | None) -> None:
    arguments.option(
        "--host", "HOST", help="which host", choices=_HOSTS, default=default,
        required=default is None,
    )  # fmt: skip


def _apply_flags(arguments: Arguments) -> None:
    arguments.flag("--apply", help="write; without it the plan is printed")
    arguments.flag("--dry-run", help="print the plan, which is what happens anyway")


def _report_options(arguments: Arguments) -> None:
    arguments.flag("--human", help="print text in place of JSON")
    arguments.option("--json", "FILE", help="write the report to a file as well")


def _print(values: Values, make: Callable[[], dict[str, Any]]) -> int:
    from hpp.core.output import write_json, write_text
    from hpp.installer.kit.reportfile import check_place, write_report
    from hpp.installer.kit.text import human

    if values.json is not None:
        check_place(values.json)
    report = make()
    if values.json is not None:
        write_report(values.json, report)
    if values.human:
        write_text(human(report))
    else:
        write_json(report)
    return int(report["exit_code"])


class _Kit(Command):
    """The group, which takes a module's path for a verification, and checks itself."""

    def invoke(self, words: Sequence[str], program: str, call: Invocation) -> int:
        """Run a verb; see the class."""
        first = words[0] if words else ""
        if first == "--self-test":
            if len(words) > 1:
                raise UsageError("--self-test takes no argument", f"usage: {program} --self-test")
            from hpp.installer.kit.selftest import self_test

            return self_test()
        if first and not first.startswith("-") and first not in self.subcommands:
            import os

            if os.path.exists(first) or "/" in first or os.sep in first:
                words = ["verify", *words]
        return super().invoke(words, program, call)


def _run_plan(values: Values) -> int:
    if values.apply:
        raise UsageError("plan: it never writes; install --apply does")
    return _run_install(values)


KIT = _Kit(
    "kit",
    "verify, install, upgrade and remove modules",
    subcommands=[
        Command(
            "verify",
            "hold a module's files to its inventory, and that to its anchor",
            arguments=_verify_arguments,
            run=_run_verify,
        ),
        Command(
            "plan",
            "as install without --apply",
            arguments=_install_arguments,
            run=_run_plan,
        ),
        Command(
            "install",
            "put a module into a project, once it is proved; plans without --apply",
            arguments=_install_arguments,
            run=_run_install,
        ),
        Command(
            "upgrade",
            "as install, of a module that is installed",
            arguments=_install_arguments,
            run=_run_install,
        ),
        Command(
            "uninstall",
            "take a module out again; what was edited stays",
            arguments=_uninstall_arguments,
            run=_run_uninstall,
        ),
        Command(
            "rollback",
            "go back to the version before",
            arguments=_rollback_arguments,
            run=_run_rollback,
        ),
        Command(
            "recover",
            "finish or undo what a killed process left",
            arguments=_recover_arguments,
            run=_run_recover,
        ),
        Command(
            "status",
            "hold what is installed to its receipts",
            arguments=_status_arguments,
            run=_run_status,
        ),
        Command(
            "registry",
            "as status",
            arguments=_status_arguments,
            run=_run_status,
        ),
        Command(
            "marketplace",
            "check the catalogues and digests of a distribution tree",
            arguments=_marketplace_arguments,
            run=_run_marketplace,
        ),
    ],
)
