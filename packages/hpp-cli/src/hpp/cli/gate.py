"""``hpp gate``: whether a change may advance, asked of its tree and judged from outside it."""

from __future__ import annotations

import os

from hpp.core.command import Command
from hpp.core.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.cli.gateanswer import Answer
    from hpp.cli.gatejudge import Judge
    from hpp.cli.gatelog import Log
    from hpp.core.arguments import Arguments, Values

__all__ = ["COMMAND"]

_SHA256_LENGTH = 64
_HEAD_LINES = {
    "yes": "gate: yes: it may advance\n",
    "no": "gate: no: somebody has to act first\n",
    "blocked": "gate: blocked: something is not what it says it is\n",
}


def _arguments(declared: Arguments) -> None:
    declared.option("--repo", "DIR", help="workspace to judge, in its git work tree", default=".")
    declared.option("--work", "NAME", help="piece of work that must be verified", repeat=True)
    declared.option(
        "--attestation", "FILE", help="record that must be valid; else those of .hpp", repeat=True
    )
    declared.option("--head", "SHA256", help="head of the log that was kept before the change")
    declared.option("--manifest", "FILE", help="manifest whose loop judges, outside the tree")
    declared.option("--allowed-signers", "FILE", help="keys that may approve, outside the tree")
    declared.flag("--signed-evidence", help="demand that evidence is signed as well")
    declared.flag("--json", help="print every answer and problem as JSON")


def _run(values: Values) -> int:
    from hpp.cli.gateanswer import status_of, worst
    from hpp.cli.gatejudge import Judge, find_tree
    from hpp.cli.gatelog import read_tree_log
    from hpp.cli.gateproof import attestation_answer, evidence_answer

    _check(values)
    tree = find_tree(values.repo)
    judge = Judge(tree, values.manifest, values.allowed_signers)
    log, answers = read_tree_log(tree.root, judge.loop, values.head, values.work)
    answers += [
        evidence_answer(tree, judge, log, demand_signature=values.signed_evidence),
        attestation_answer(tree, judge, values.attestation),
    ]
    answer = worst(each.answer for each in answers)
    _show(values, judge, log, answers, answer)
    return status_of(answer)


def _check(values: Values) -> None:
    from hpp.core.loop import check_work_name
    from hpp.core.text import shorten

    head = values.head
    if head is not None and (
        len(head) != _SHA256_LENGTH or not set(head) <= set("0123456789abcdef")
    ):
        raise RefusedError("--head: expected 64 lower-case hexadecimal digits")
    if values.signed_evidence and values.allowed_signers is None:
        raise RefusedError("--signed-evidence: it needs --allowed-signers")
    for path in values.attestation:
        if not path or path == "-" or not os.path.isfile(path):
            raise RefusedError(f"--attestation {shorten(path)}: there is no such regular file")
    try:
        for name in values.work:
            check_work_name(name)
    except RefusedError as error:
        raise RefusedError(f"--work: {str(error).removeprefix('data.work: ')}") from None


def _show(values: Values, judge: Judge, log: Log, answers: list[Answer], answer: str) -> None:
    from hpp.core.output import write_json, write_text

    if values.json:
        document: dict[str, Any] = {
            "schema": "hpp.gate/v1",
            "answer": answer,
            "questions": [each.document() for each in answers],
            "judge": judge.document(),
            "works": [claim.work.name for claim in log.judged],
            "log": {"events": log.chain.events, "head_sha256": log.chain.head},
        }
        write_json(document)
    else:
        lines = [each.line() for each in answers]
        write_text("".join([*lines, judge.line(), _HEAD_LINES[answer]]))


COMMAND = Command("gate", "ask whether a change may advance", arguments=_arguments, run=_run)
