from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from hpp.cli import main
from hpp.core.schema import faults, find_schema

if TYPE_CHECKING:
    from pathlib import Path

Hpp = Callable[..., tuple[int, Any, str]]
ZERO = "0" * 64


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def hpp(capfdbinary: pytest.CaptureFixture[bytes]) -> Hpp:
    """Return a caller of the program: exit status, parsed or plain output, messages."""

    def call(*words: str) -> tuple[int, Any, str]:
        code = main(list(words))
        captured = capfdbinary.readouterr()
        out = captured.out.decode()
        return code, json.loads(out) if out.startswith(("{", "[")) else out, captured.err.decode()

    return call


def test_an_append_prints_where_the_work_stands(hpp: Hpp) -> None:
    code, answer, _ = hpp("event", "append", "--type", "work_started", "--work", "A")

    assert code == 0
    assert answer == {
        "event": {"seq": 1, "id": "event:1"},
        "work": "A",
        "state": "active",
        "event_count": 1,
        "evidence_count": 0,
        "history": ["work_started"],
        "next_step": "record fresh evidence",
    }
    assert faults(find_schema("event-appended").document(), answer) == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--type", "verified"], 2),
        (["--type", ""], 2),
        (["--type", "work_started", "--data", ""], 2),
        (["--type", "work_started", "--data", "[]"], 2),
        (["--type", "work_started", "--data", "null"], 2),
        (["--type", "work_started", "--data", '{"x":1e999}'], 2),
        (["--type", "work_started", "--data", '{"x":"\\ud800"}'], 2),
        (["--type", "work_started", "--data", '{"work":7}'], 2),
        (["--type", "work_started", "--work", ""], 2),
        (["--type", "work_started", "--work", "A", "--data", '{"work":"B"}'], 2),
        (["--type", "work_started", "--manifest", ""], 2),
        (["--type", "work_started", "--manifest", "absent.json"], 2),
        (["--type"], 3),
        ([], 3),
        (["--type", "a", "--type", "b"], 3),
        (["--typ", "a"], 3),
        (["--type", "a", "b"], 3),
    ],
)
def test_what_is_refused_creates_nothing(
    hpp: Hpp,
    workspace: Path,
    words: list[str],
    code: int,
) -> None:
    got, out, err = hpp("event", "append", *words)

    assert (got, out) == (code, "")
    assert err.startswith("hpp: ")
    assert list(workspace.iterdir()) == []


def test_status_and_resume_tell_of_every_piece_of_work(hpp: Hpp, workspace: Path) -> None:
    hpp("event", "append", "--type", "work_started", "--work", "A", "--data", '{"actor":"m"}')
    hpp("event", "append", "--type", "work_started", "--work", "B")

    _, status, _ = hpp("status", "--json")
    _, resume, _ = hpp("resume")
    _, text, _ = hpp("status")

    assert (status["work"], status["total_events"]) == ("B", 2)
    assert [(w["work"], w["actors"]) for w in status["works"]] == [("A", ["m"]), ("B", [])]
    assert status["event_log"] == os.path.join(os.path.realpath(workspace), ".hpp", "events.jsonl")
    assert status["chain"]["status"] == "intact"
    assert [w["work"] for w in resume["open"]] == ["A", "B"]
    assert text == (
        'work=B state=active events=1 next="record fresh evidence" chain=intact\n'
        'work=A state=active events=1 next="record fresh evidence"\n'
    )
    assert faults(find_schema("status").document(), status) == []
    assert faults(find_schema("resume").document(), resume) == []


def test_a_fresh_workspace_is_planned_and_stays_fresh(hpp: Hpp, workspace: Path) -> None:
    assert hpp("status")[1] == 'state=planned events=0 next="start work" chain=empty\n'
    assert hpp("resume")[1]["next_step"] == "start work"
    assert hpp("event", "verify")[1]["status"] == "empty"
    assert list(workspace.iterdir()) == []


def test_a_broken_chain_is_an_answer_with_status_2(hpp: Hpp, workspace: Path) -> None:
    hpp("event", "append", "--type", "work_started")
    hpp("event", "append", "--type", "evidence_recorded")
    log = workspace / ".hpp" / "events.jsonl"
    head = hpp("event", "verify")[1]["head_sha256"]
    log.write_bytes(log.read_bytes().replace(b'"data":{}', b'"data":{"x":1}', 1))

    code, answer, err = hpp("event", "verify", "--head", head)

    assert (code, answer["status"], answer["first_divergent"]) == (2, "broken", "event:2")
    assert "line 2, event:2" in err
    assert faults(find_schema("event-chain").document(), answer) == []
    assert hpp("status")[0] == 2


def test_a_head_kept_elsewhere_shows_an_edit_of_the_last_line(hpp: Hpp, workspace: Path) -> None:
    hpp("event", "append", "--type", "work_started")
    head = hpp("event", "verify")[1]["head_sha256"]
    log = workspace / ".hpp" / "events.jsonl"
    log.write_bytes(log.read_bytes().replace(b"{}", b'{"x":1}'))

    assert hpp("event", "verify")[0] == 0
    code, answer, _ = hpp("event", "verify", "--head", head)
    assert (code, answer["first_divergent"]) == (2, "head")


@pytest.mark.parametrize("head", ["", "x", ZERO[:-1], ZERO.replace("0", "A")])
def test_a_head_is_a_sha_256(hpp: Hpp, head: str) -> None:
    assert hpp("event", "verify", "--head", head)[0] == 2


def test_control_a_kept_head_that_fits_is_no_breach(hpp: Hpp) -> None:
    hpp("event", "append", "--type", "work_started")
    head = hpp("event", "verify")[1]["head_sha256"]

    assert hpp("event", "verify", "--head", head)[0] == 0
