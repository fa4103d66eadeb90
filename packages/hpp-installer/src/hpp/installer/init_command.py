"""``hpp init``: plan what a project needs, write one file when asked, print what to paste."""

from __future__ import annotations

import os

from hpp.core.command import Command
from hpp.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.manifest import Manifest
    from hpp.installer.answer import Answers, Ask
    from hpp.installer.initrun import Request
    from hpp.installer.terminal import Terminal

__all__ = ["INIT"]


def _arguments(declared: Arguments) -> None:
    from hpp.installer.profile import ADVISORS, POLICY_MODES

    declared.option("--target", "DIR", help="project to look at", default=".")
    declared.flag("--apply", help="write .hpp/profile.json, if it is not there")
    declared.option("--host", "H", help="host that runs the agent (default claude-code)")
    declared.option("--bundle", "B", help="bundle of modules (default reliable-coding)")
    declared.option("--modules", "A,B,...", help="modules one by one, in place of a bundle")
    declared.option(
        "--policy-mode", "MODE", help="what the command policy does", choices=POLICY_MODES
    )
    declared.option(
        "--decision-advisor", "NAME", help="advisor to declare; never called", choices=ADVISORS
    )
    declared.option("--profile", "FILE", help="answers as a JSON object; flags come first")
    declared.flag("--yes", help="ask nothing and take the defaults")
    declared.flag("--non-interactive", help="ask nothing and take the defaults")
    declared.flag("--no-animation", help="write each line once")
    declared.flag("--no-benchmark", help="leave the packaged suite out")
    declared.option("--marketplace", "SLUG", help="what the plugin marketplace is added by")
    declared.option("--manifest", "FILE", help="manifest to use in place of the one in force")
    declared.flag("--json", help="print the report as ASCII JSON and nothing else")


def _run(values: Values) -> int:
    from hpp.core.manifest import find_manifest, load_manifest
    from hpp.installer.prompt import may_ask
    from hpp.installer.terminal import Terminal

    flags, file, root = _words(values)
    path = find_manifest(values.manifest)
    manifest = load_manifest(path)
    interactive = may_ask(os.environ, declined=values.yes or values.non_interactive or values.json)
    terminal = Terminal(_stdout(), os.environ, animate=not values.no_animation)
    answers = _answers(manifest, flags, file, _asker(terminal) if interactive else None)
    request = _request(values, manifest, path, root, answers)
    return _show(values, request, terminal, interactive=interactive)


def _words(values: Values) -> tuple[dict[str, Any], dict[str, Any], str]:
    """Return the flags, the answers of the file and the target's folder.

    Raises:
        UsageError: One of them cannot be understood.

    """
    from hpp.core.text import printable
    from hpp.installer.answer import module_list, read_answers

    root = os.path.expanduser(values.target)
    if not os.path.isdir(root):
        there = "is no folder" if os.path.lexists(root) else "there is no such folder"
        raise UsageError(f"--target: {printable(values.target)}: {there}")
    flags = {
        name: getattr(values, name)
        for name in ("host", "bundle", "policy_mode", "decision_advisor")
    }
    if values.modules is not None:
        flags["modules"] = module_list(values.modules.split(","))
        if not flags["modules"]:
            raise UsageError("--modules: expected at least one module id")
    file = read_answers(values.profile) if values.profile is not None else {}
    return flags, file, root


def _stdout() -> Any:  # noqa: ANN401 -- a stream, or None where it was closed
    import sys

    return sys.stdout


def _asker(terminal: Terminal) -> Ask:
    import sys

    from hpp.installer.prompt import Prompt

    return Prompt(terminal, sys.stdin.readline).ask


def _answers(
    manifest: Manifest, flags: dict[str, Any], file: dict[str, Any], ask: Ask | None
) -> Answers:
    from hpp.installer.answer import Resolver

    return Resolver(manifest, flags, file, ask).answers()


def _request(values: Values, manifest: Manifest, path: str, root: str, answers: Answers) -> Request:
    from hpp.installer.initrun import Request
    from hpp.installer.place import Place
    from hpp.installer.shellword import path_word

    place = Place(manifest, path, values.manifest)
    option = f" --manifest {path_word(values.manifest)}" if values.manifest is not None else ""
    return Request(
        target=values.target,
        root=root,
        manifest=manifest,
        manifest_path=path,
        manifest_option=option,
        place=place,
        answers=answers,
        apply=values.apply,
        benchmark=not values.no_benchmark,
        slug=place.slug() if values.marketplace is None else values.marketplace,
        slug_given=values.marketplace is not None,
    )


def _show(values: Values, request: Request, terminal: Terminal, *, interactive: bool) -> int:
    from importlib.metadata import version

    from hpp.core.output import pretty_json, write_bytes
    from hpp.installer.initreport import ascii_json, report
    from hpp.installer.initrun import run_stages
    from hpp.installer.initview import InitView

    own = version("hpp-installer")
    if values.json:
        stages = run_stages(request, lambda _: None, lambda _: None)
        made = report(request, stages, own, interactive=False)
        write_bytes(ascii_json(pretty_json(made)))
        return int(made["exit_code"])
    view = InitView(terminal)
    view.header(own, request.target, apply=request.apply)
    stages = run_stages(request, view.begin, view.end)
    made = report(request, stages, own, interactive=interactive)
    view.report(made)
    return int(made["exit_code"])


INIT = Command(
    "init", "plan a project's profile and print what to paste", arguments=_arguments, run=_run
)
