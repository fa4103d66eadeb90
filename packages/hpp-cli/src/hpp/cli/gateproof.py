"""Whether the evidence that the log names re-derives, and the attestation fits the bytes.

Every path comes from the judged tree, so each is held to lie in it, and no link is
followed on the way, before anybody reads it.
"""

from __future__ import annotations

import os

from hpp.cli.gateanswer import BLOCKED, NO, YES, Answer, worst
from hpp.core.document import read_document
from hpp.core.errors import HppError, RefusedError
from hpp.core.folder import Folder, is_link
from hpp.core.git import git
from hpp.core.service import find_service
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hpp.cli.gatejudge import Judge, Tree
    from hpp.cli.gatelog import Claim, Log

__all__ = ["attestation_answer", "evidence_answer"]

_ATTESTATION = "hpp.evidence-attestation/v1"
_LARGEST = 64 * 1024 * 1024


def evidence_answer(tree: Tree, judge: Judge, log: Log, *, demand_signature: bool) -> Answer:
    """Return the answer to ``evidence``.

    Raises:
        UsageError: hpp-evidence is not installed.

    """
    service = find_service("evidence-judgement", "gate")

    def weigh(path: str) -> dict[str, Any]:
        found: dict[str, Any] = service(
            path, tree.root, judge.allowed_signers, demand_signature=demand_signature
        )
        return found

    if log.fault is not None:
        return Answer("evidence", BLOCKED, "", ["it is asked of an intact log"])
    if not log.judged:
        return Answer("evidence", NO, "", ["no piece of work is claimed"])
    bench = _Bench(tree, log, weigh)
    for claim in log.judged:
        bench.hear(claim)
    if bench.problems:
        return Answer("evidence", bench.answer, "", bench.problems)
    signed = (
        f"{bench.signed} of them signed"
        if judge.allowed_signers
        else "none of them held to a signature"
    )
    return Answer("evidence", YES, f"re-derived from disk: {bench.records}, {signed}")


class _Bench:
    """Hears the evidence of one claim after the other."""

    def __init__(self, tree: Tree, log: Log, weigh: Callable[[str], dict[str, Any]]) -> None:
        self._tree = tree
        self._weigh = weigh
        self._owners = _owners(log)
        self.problems: list[str] = []
        self.answer = YES
        self.records = 0
        self.signed = 0

    def hear(self, claim: Claim) -> None:
        if not claim.proofs:
            self._object(NO, f"{claim.shown}: no evidence counts for it")
        for data in claim.proofs.values():
            self.records += 1
            place = f"{claim.shown}: {shorten(str(data.get('evidence')), 200)}"
            try:
                self._hear_one(claim, data, place)
            except HppError as error:
                self._object(BLOCKED, f"{claim.shown}: {error}")

    def _hear_one(self, claim: Claim, data: dict[str, Any], place: str) -> None:
        path = _record_path(self._tree.root, data.get("evidence"))
        found = self._weigh(path)
        self.signed += found["signature"]["status"] == "verified"
        wrong = _first_wrong(data, found)
        others = self._owners.get(str(data.get("evidence_sha256")), set()) - {id(claim)}
        if wrong is None and others:
            wrong = "it is the record of another piece of work"
        if wrong is not None:
            self._object(BLOCKED, f"{place}: {wrong}")
        elif not self._is_history(found["base_commit"]):
            self._object(NO, f"{place}: it was made on a commit that is not in this history")

    def _object(self, answer: str, problem: str) -> None:
        self.answer = worst((self.answer, answer))
        self.problems.append(problem)

    def _is_history(self, commit: object) -> bool:
        if commit is None:
            return True  # recorded before the first commit
        if not isinstance(commit, str) or not set(commit) <= set("0123456789abcdef"):
            return False
        words = ["merge-base", "--is-ancestor", commit, "HEAD"]
        return git(words, cwd=self._tree.top, timeout_s=120).ok


def _owners(log: Log) -> dict[str, set[int]]:
    """Return which pieces of work ever named each record, by its hash."""
    owners: dict[str, set[int]] = {}
    for claim in log.claims:
        for data in claim.ever:
            owners.setdefault(str(data.get("evidence_sha256")), set()).add(id(claim))
    return owners


def _record_path(root: str, name: object) -> str:
    """Return the path of a record that an event names, reached through no link.

    Raises:
        RefusedError: It is no plain path below the workspace, or no regular file.

    """
    if not isinstance(name, str) or not name:
        raise RefusedError("its event names no evidence record")
    parts = name.split("/")
    if any(part in ("", ".", "..") or set(part) & set("\\:\0") for part in parts):
        raise RefusedError(f"{shorten(name)}: it is no plain path below the workspace")
    with Folder(root, tuple(parts[:-1]), create=False) as folder:
        try:
            os.close(folder.open_file(parts[-1], os.O_RDONLY))
        except FileNotFoundError:
            raise RefusedError(f"{shorten(name)}: there is no such record") from None
    return os.path.join(root, *parts)


def _first_wrong(data: dict[str, Any], found: dict[str, Any]) -> str | None:
    """Return why a record does not bear out the event that names it, or None."""
    if found["status"] != "valid":
        return str((found["problems"] or [found["status"]])[0])
    if found["record_sha256"] != data.get("evidence_sha256"):
        return "it is not the record that was appended"
    if found["record_path"] != data.get("evidence"):
        return "it says that it was written elsewhere"
    if found["id"] != data.get("id"):
        return "it is the record of another criterion"
    if not found["files"]:
        return "it names no artifact, so nothing can be re-derived"
    return None


def attestation_answer(tree: Tree, judge: Judge, given: list[str]) -> Answer:
    """Return the answer to ``attestation``.

    Args:
        tree: What is judged.
        judge: Whose signatures count.
        given: Records that must each be valid; empty to look at those of ``.hpp``, of
            which one must be valid and none may say otherwise of the same bytes.

    Raises:
        UsageError: hpp-evidence is not installed.

    """
    service = find_service("attestation-judgement", "gate")
    paths = given or _kept(tree.root)
    if not paths:
        return Answer("attestation", NO, "", ["there is none; name one with --attestation"])
    reports: list[dict[str, Any]] = []
    problems: list[str] = []
    answer = YES
    for path in paths:
        try:
            if is_link(path) or not os.path.isfile(path):
                raise RefusedError(f"{shorten(path)}: it is no regular file")
            report = service(path, tree.top, judge.allowed_signers)
        except HppError as error:
            problems.append(str(error))
            answer = BLOCKED
            continue
        if report["status"] == "valid":
            reports.append(report)
        else:
            says_no = set(report["mismatches"]) <= {"scope", "verdict"}
            if given or says_no or not _is_of_others(report):
                answer = worst((answer, NO if says_no else BLOCKED))
            problems.append(f"{_shown(tree, path)}: {_reason(report)}")
    if answer == YES and reports:
        return Answer("attestation", YES, _approved(reports, judge))
    return Answer("attestation", BLOCKED if answer == YES else answer, "", problems)


def _is_of_others(report: dict[str, Any]) -> bool:
    """Say whether a record is about other bytes, as one of an earlier review is."""
    return bool({"base_commit", "snapshot_digest"} & set(report["mismatches"]))


def _kept(root: str) -> list[str]:
    """Return the attestations that lie directly below ``.hpp``, sorted."""
    folder = os.path.join(root, ".hpp")
    if is_link(folder) or not os.path.isdir(folder):
        return []
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    return [path for path in paths if path.endswith(".json") and _is_attestation(path)]


def _is_attestation(path: str) -> bool:
    if is_link(path) or not os.path.isfile(path):
        return False
    try:
        document = read_document(path, root=dict, limit=_LARGEST)
    except RefusedError:
        return False
    return bool(document.get("schema") == _ATTESTATION)


def _shown(tree: Tree, path: str) -> str:
    relative = os.path.relpath(os.path.realpath(path), tree.root).replace(os.sep, "/")
    return shorten(path if relative.startswith("../") else relative, 200)


def _reason(report: dict[str, Any]) -> str:
    if report["mismatches"] == ["verdict"]:
        return f"its verdict on these bytes is {shorten(str(report['verdict']))}"
    reason = "it does not hold: " + ", ".join(report["mismatches"])
    moved = [*report["changed"], *report["added"], *report["removed"]]
    if moved:
        reason += f" ({shorten(str(moved[0]), 200)}"
        reason += f" and {len(moved) - 1} more)" if len(moved) > 1 else ")"
    return reason


def _approved(reports: list[dict[str, Any]], judge: Judge) -> str:
    names = dict.fromkeys(shorten(str(report["checker"])) for report in reports)
    word = "as claimed by" if judge.allowed_signers is None else "signed by"
    commit = str(reports[0]["base_commit"])[:12]
    specs = ", ".join(dict.fromkeys(shorten(str(report["spec"])) for report in reports))
    return f"these bytes on {commit} are approved for {specs}, {word} {', '.join(names)}"
