"""``hpp tour``: the whole loop, with the real commands, in a repository that is thrown away."""

from __future__ import annotations

from hpp.core.command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.cli.tour_run import Transcript
    from hpp.core.arguments import Arguments, Values

__all__ = ["COMMAND"]

_WIDTH = 78


def _arguments(declared: Arguments) -> None:
    declared.flag("--json", help="print the transcript as JSON")


def _run(values: Values) -> int:
    from hpp.cli.tour_run import take_tour
    from hpp.core.output import write_json, write_text

    transcript = take_tour()
    if values.json:
        write_json(transcript.document())
    else:
        write_text(_text(transcript))
    return 0 if transcript.passed else 1


def _text(transcript: Transcript) -> str:
    lines = [
        "The loop of one piece of work, in a throw-away git repository.",
        "Every command is real, and so is what it prints.",
        "",
    ]
    for number, step in enumerate(transcript.steps, 1):
        lines += [f"{number}. {step.title}", f"   $ {step.shown_command()}"]
        lines += [f"   {line}" for line in (step.stdout + step.stderr).splitlines()]
        mark = "" if step.as_expected else f" (expected {step.expected_exit})"
        lines += [f"   exit {step.exit}{mark}", ""]
    verdict = "as it should" if transcript.passed else "otherwise than it should"
    lines.append(f"The work ended {transcript.state}; every step was judged: {verdict}.")
    lines.append("Nothing is left behind. Next: hpp status, in a repository of yours.")
    return "\n".join(lines) + "\n"


COMMAND = Command(
    "tour", "see the whole loop run in a throw-away repository", arguments=_arguments, run=_run
)
