"""A panel's sealed session beside a checker's verdict: it can make an attestation stricter."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QUESTION = {
    "id": "release.verdict",
    "kind": "choice",
    "options": ["approved", "revise", "blocked"],
    "ladder": True,
}
JUDGE = ("j", "judge", "green")
SEATS = {
    "release-gate": [("a", "examiner", "red"), ("b", "dissent", "blue"), JUDGE],
    "incident": [("a", "proponent", "red"), ("b", "proponent", "blue"), JUDGE],
}
STATE = "ab" * 32
WRITE = "open('out.txt', 'w').write('done')"


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgSign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def put(folder: Path, name: str, value: object) -> str:
    (folder / name).write_text(json.dumps(value), encoding="utf-8")
    return name


@pytest.fixture
def tree(workspace: Path) -> Path:
    (workspace / "SPEC.md").write_text("# spec\n", encoding="utf-8")
    (workspace / ".gitignore").write_text("*.json\nout.txt\n", encoding="utf-8")
    git(workspace, "init", "-q")
    git(workspace, "add", ".")
    git(workspace, "commit", "-q", "-m", "one")
    return workspace


@pytest.fixture
def seal(tree: Path, hpp: Callable[..., Any]) -> Callable[..., str]:
    """Return a maker of a sealed session; `value` is what its judge says."""

    def ok(*words: str) -> Any:  # noqa: ANN401 -- JSON
        done = hpp(*words)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)

    def make(value: str | None, *, kind: str = "release-gate", evidence: bool = True) -> str:
        run = ["--artifact", "out.txt", "--out", "runs", "--", sys.executable, "-c", WRITE]
        ok("evidence", "run", "--id", "unit", *run)
        draft = {
            "schema": "hpp.panel/v1",
            "id": "gate",
            "session_type": kind,
            "question": QUESTION,
            "state_sha256": STATE,
            "seats": [
                {"id": one, "role": role, "provider": f"p{one}", "model_served": f"m{one}",
                 "family": family, "lane": f"l{one}"}
                for one, role, family in SEATS[kind]
            ],
            "budget": {"max_rounds": 1, "max_chars": 1000},
        }  # fmt: skip
        record = min((tree / "runs").glob("*.json"))
        words = ["--evidence", f"runs/{record.name}"] if evidence else []
        if not evidence:
            draft["evidence"] = {"ids": ["unit"]}
        panel = ok("deliberate", "plan", put(tree, "panel.json", draft), *words,
                   "--out", "planned.json")["panel"]  # fmt: skip
        turns = [
            {"schema": "hpp.turn/v1", "panel_sha256": panel["sha256"], "seat": seat["id"],
             "round": 1, "position": value or "revise", "confidence": None,
             "claims": [{"kind": "fact", "refs": [panel["evidence"]["ids"][0]]}],
             "text_sha256": "cd" * 32, "chars": 10, "seen_turns": []}
            for seat in panel["seats"] if seat["role"] != "judge"
        ]  # fmt: skip
        outcome = (
            {"status": "recommendation", "value": value} if value else {"status": "abstention"}
        )
        judge = {"schema": "hpp.decision/v1", "question": QUESTION, "state_sha256": STATE,
                 "method": "external-model", "authority": "advisory", "direction": "informational",
                 "outcome": outcome, "provider": {"id": "pj", "model_served": "mj"},
                 "raw_response_sha256": "ef" * 32}  # fmt: skip
        ok("deliberate", "record", "--panel", "planned.json", "--turns",
           put(tree, "turns.json", turns), "--judge", put(tree, "judge.json", judge),
           "--out", "sealed.json")  # fmt: skip
        return "sealed.json"

    return make


@pytest.fixture
def attest(tree: Path, hpp: Callable[..., Any]) -> Callable[..., Any]:
    del tree

    def call(declared: str, *words: str) -> Any:  # noqa: ANN401 -- a finished process
        return hpp("attest", "create", "--spec", "SPEC.md", "--maker", "m", "--checker", "c",
                   "--session", "s", "--verdict", declared, "--output", ".hpp/a.json",
                   *words)  # fmt: skip

    return call


@pytest.mark.parametrize(
    "verdicts",
    [
        ("approved", "approved", "approved"),
        ("approved", "revise", "revise"),
        ("approved", "blocked", "blocked"),
        ("blocked", "approved", "blocked"),
        ("revise", "approved", "revise"),
        ("approved", None, "revise"),
        ("blocked", None, "blocked"),
    ],
)
def test_the_stricter_verdict_is_recorded(
    seal: Callable[..., str],
    attest: Callable[..., Any],
    hpp: Callable[..., Any],
    verdicts: tuple[str, str | None, str],
) -> None:
    declared, said, recorded = verdicts
    done = attest(declared, "--deliberation", seal(said), "--maker-family", "yellow")

    answer = json.loads(done.stdout)
    assert answer["verdict"] == recorded
    assert done.returncode == (0 if recorded == "approved" else 2)
    held = answer["deliberation"]
    assert (held["value"], held["judge_family"]) == (said, "green")
    assert held["status"] == ("recommendation" if said else "abstention")
    verified = json.loads(hpp("attest", "verify", ".hpp/a.json").stdout)
    assert verified["mismatches"] == ([] if recorded == "approved" else ["verdict"])


@pytest.mark.parametrize("family", ["green", "GREEN ", "\uff47reen"])
def test_a_judge_of_the_makers_family_is_refused(
    seal: Callable[..., str], attest: Callable[..., Any], tree: Path, family: str
) -> None:
    done = attest("approved", "--deliberation", seal("approved"), "--maker-family", family)

    assert done.returncode == 2
    assert b"sealed.json: its judge is of family green" in done.stderr
    assert not (tree / ".hpp" / "a.json").exists()


def test_other_sessions_are_refused(seal: Callable[..., str], attest: Callable[..., Any]) -> None:
    sealed = seal("approved", kind="incident")
    done = attest("approved", "--deliberation", sealed, "--maker-family", "yellow")
    assert (done.returncode, b"panel.session_type: expected release-gate" in done.stderr) == (
        2,
        True,
    )

    sealed = seal("approved", evidence=False)
    done = attest("approved", "--deliberation", sealed, "--maker-family", "yellow")
    assert (done.returncode, b"evidence_gate: expected resolved" in done.stderr) == (2, True)


def test_a_session_that_was_edited_is_refused(
    seal: Callable[..., str], attest: Callable[..., Any], tree: Path
) -> None:
    record = json.loads((tree / seal("revise")).read_bytes())
    record["verdict"]["value"] = "approved"
    put(tree, "sealed.json", record)

    done = attest("approved", "--deliberation", "sealed.json", "--maker-family", "yellow")

    assert done.returncode == 2
    assert b"the record is broken" in done.stderr


def test_one_option_without_the_other_is_refused(attest: Callable[..., Any]) -> None:
    alone = attest("approved", "--maker-family", "yellow")
    missing = attest("approved", "--deliberation", "sealed.json")

    assert (alone.returncode, missing.returncode) == (2, 2)
    assert b"--deliberation needs --maker-family" in missing.stderr
