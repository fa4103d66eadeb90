"""Let one seat of a panel speak, and prove that it only spoke.

The seat's repository is measured before and after its program. A seat that changed anything
has no turn; one that failed has not judged.
"""

from __future__ import annotations

import os
import tempfile

from _lib.fingerprint import changed, fingerprint
from _lib.harness import ask
from _lib.paths import same_path, worktree_top
from _lib.refusal import Refusal

from hpp.core.canonical import sha256_hex
from hpp.core.errors import RefusedError
from hpp.core.output import pretty_json
from hpp.core.strictjson import parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

__all__ = ["NotJudgedError", "seat"]

_MOST_OUTPUT = 1024 * 1024
_KEYS = {"position", "claims", "text"}
_SHOWN = 10


class NotJudgedError(Refusal):
    """The seat's program did not answer; that is no vote."""

    def __init__(self, why: str) -> None:
        super().__init__("NOT_JUDGED", f"not judged: {why}")


def seat(args: argparse.Namespace, command: list[str]) -> dict[str, Any]:
    """Run a seat and return what was written.

    Raises:
        RefusedError: Something about the request or the answer is refused; nothing was written.
        Refusal: The harness is missing, or the seat has not judged.

    """
    root = os.path.realpath(args.root or os.getcwd())
    panel = _panel(args.panel, root)
    names = _check(args, command, panel, root)
    before = fingerprint(root)
    stdout = _run(args, command, panel, root)
    touched = changed(before, fingerprint(root))
    if touched:
        more = f" and {len(touched) - _SHOWN} more" if len(touched) > _SHOWN else ""
        raise RefusedError(f"the seat changed {', '.join(touched[:_SHOWN])}{more}; it has no turn")
    answer = _answer(stdout)
    _check_findings(answer["text"], args.subject, root)
    text = answer["text"].encode()
    turn = {
        "schema": "hpp.turn/v1",
        "panel_sha256": panel["sha256"],
        "seat": args.seat,
        "round": args.round,
        "position": answer["position"],
        "confidence": answer.get("confidence"),
        "claims": answer["claims"],
        "text_sha256": sha256_hex(text),
        "chars": len(answer["text"]),
        "seen_turns": list(args.seen or ()),
    }
    _check_turn(turn, args.panel, root)
    _write(names, text, pretty_json(turn))
    return {"seat": args.seat, "round": args.round, "position": turn["position"],
            "files": [os.path.basename(name) for name in names]}  # fmt: skip


def _panel(path: str, root: str) -> dict[str, Any]:
    code, out, said = ask(["deliberate", "plan", os.path.abspath(path)], root)
    if code != 0:
        raise RefusedError(f"{path}: {said or 'it is no panel'}")
    panel: dict[str, Any] = parse_bytes(out, path, root=dict)["panel"]
    return panel


def _check(
    args: argparse.Namespace, command: list[str], panel: dict[str, Any], root: str
) -> tuple[str, str]:
    """Refuse what can be refused before anything runs, and return the files to write."""
    seats = {each["id"]: each for each in panel["seats"]}
    if args.seat not in seats or args.seat == panel["judge"]:
        raise RefusedError(f"--seat: {args.seat} is no participant of the panel")
    most = panel["budget"]["max_rounds"]
    if not 1 <= args.round <= most:
        raise RefusedError(f"--round: expected 1 to {most}, got {args.round}")
    if args.round == 1 and args.seen:
        raise RefusedError("--seen: the first round is blind")
    if not command:
        raise RefusedError("no command was given behind --")
    if args.subject is not None and not os.path.isfile(args.subject):
        raise RefusedError(f"--subject: {args.subject}: no such file")
    return _free_names(args, worktree_top(root))


def _free_names(args: argparse.Namespace, top: str) -> tuple[str, str]:
    """Return the files to write, outside of the seat's worktree and not there yet."""
    maker = args.worktree_of_maker
    if maker is not None and same_path(worktree_top(maker), top):
        raise RefusedError("--worktree-of-maker: the seat needs a worktree of its own")
    out = os.path.realpath(args.out)
    if not os.path.isdir(out):
        raise RefusedError(f"--out: {args.out}: no such folder")
    if out == top or out.startswith(top + os.sep):
        raise RefusedError(f"--out: {args.out} lies in the seat's worktree")
    base = os.path.join(out, f"{_safe(args.seat)}-r{args.round}")
    names = (f"{base}.txt", f"{base}.turn.json")
    for name in names:
        if os.path.lexists(name):
            raise RefusedError(f"{os.path.basename(name)}: it is there already")
    return names


def _safe(seat_id: str) -> str:
    plain = "".join(char if char.isalnum() or char in "-_." else "-" for char in seat_id)
    return plain.strip(".") or "seat"


def _run(args: argparse.Namespace, command: list[str], panel: dict[str, Any], root: str) -> bytes:
    from hpp.core.git import git_environment
    from hpp.core.runner import EXITED, run

    context = {"panel": panel, "seat": args.seat, "round": args.round,
               "seen_turns": list(args.seen or ())}  # fmt: skip
    outcome = run(
        command, timeout_s=args.timeout, cwd=root, environment=git_environment(),
        input_bytes=pretty_json(context), keep_stdout=_MOST_OUTPUT,
    )  # fmt: skip
    if outcome.ending != EXITED:
        raise NotJudgedError(outcome.reason or "it took longer than it may")
    if outcome.exit_code:
        raise NotJudgedError(f"its command left with {outcome.exit_code}")
    if outcome.stdout.overflow:
        raise RefusedError("the answer is larger than 1 MiB")
    return outcome.stdout.kept


def _answer(stdout: bytes) -> dict[str, Any]:
    answer: dict[str, Any] = parse_bytes(stdout, "answer", root=dict)
    keys = set(answer) - {"confidence"}
    if keys != _KEYS:
        wrong = sorted(keys ^ _KEYS)
        raise RefusedError(f"answer: expected position, claims and text; see {', '.join(wrong)}")
    if not isinstance(answer["text"], str) or not answer["text"].strip():
        raise RefusedError("answer: text: expected a text that says something")
    return answer


def _check_findings(text: str, subject: str | None, root: str) -> None:
    """Hold a text that is a document of findings to the harness's own check."""
    if '"hpp.findings/v1"' not in text:
        return
    with tempfile.TemporaryDirectory(prefix="hpp-seat-") as folder:
        path = os.path.join(folder, "findings.json")
        with open(path, "wb") as file:
            file.write(text.encode())
        about = [] if subject is None else ["--subject", os.path.abspath(subject)]
        code, _, said = ask(["findings", "check", *about, path], root)
    if code != 0:
        raise RefusedError(f"answer: text: the findings do not hold: {said or f'exit {code}'}")


def _check_turn(turn: dict[str, Any], panel: str, root: str) -> None:
    with tempfile.TemporaryDirectory(prefix="hpp-seat-") as folder:
        path = os.path.join(folder, "turn.json")
        with open(path, "wb") as file:
            file.write(pretty_json(turn))
        words = ["deliberate", "validate", "--panel", os.path.abspath(panel), path]
        code, _, said = ask(words, root)
    if code != 0:
        raise RefusedError(f"answer: {said or 'it is no turn of this panel'}")


def _write(names: tuple[str, str], text: bytes, turn: bytes) -> None:
    for name, data in zip(names, (text, turn), strict=True):
        try:
            handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise RefusedError(f"{os.path.basename(name)}: it is there already") from None
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
