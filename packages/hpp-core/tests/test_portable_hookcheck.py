from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hpp.core.portable.hookcheck import COMMAND, PATH, check
from hpp.core.portable.payload import Malformed, Payload
from hpp.core.portable.verdict import ALLOW, ASK, BLOCK, WARN, Verdict

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "ghp_" + "a1B2" * 9


def judge(payload: Payload) -> Verdict | None:
    word = payload.command() or payload.subjects()[0][1] or "warn"
    if word == "odd":
        raise Malformed("tool_input: odd")
    if word == "mode":
        return Verdict(WARN, "mode", payload.environ.get("HPP_POLICY_MODE", "none"))
    return None if word == ALLOW else Verdict(word, f"a-{word}", f"it is {word} {SECRET}")


@pytest.mark.parametrize(
    ("word", "status"), [(ALLOW, 0), (WARN, 1), (ASK, 1), (BLOCK, 2), ("odd", 2)]
)
def test_the_status_tells_the_verdict(word: str, status: int) -> None:
    assert check("h", judge, ["--command", word], (COMMAND,)) == status


def test_json_tells_the_four_keys_and_no_secret(capfd: pytest.CaptureFixture[str]) -> None:
    check("h", judge, ["--command", BLOCK, "--json"], (COMMAND,))

    said = capfd.readouterr().out
    document = json.loads(said)
    assert sorted(document) == ["hook", "reason", "rule", "verdict"]
    assert (document["hook"], document["rule"], document["verdict"]) == ("h", "a-block", "block")
    assert SECRET not in said


@pytest.mark.parametrize(
    "words",
    [[], ["--command", "a", "--path", "b"], ["--mode", "off", "--command", "a"], ["--x"], ["a"]],
    ids=["nothing", "both", "no mode", "no option", "a word"],
)
def test_a_command_line_that_asks_nothing_is_a_usage_error(words: list[str]) -> None:
    assert check("h", judge, words, (COMMAND, PATH)) == 3


def test_a_path_is_judged_with_the_content_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "new text").write_bytes(b"block")
    words = ["--path", "a.py", "--content-file", str(tmp_path / "new text")]

    assert check("h", judge, words, (PATH,)) == 2
    assert check("h", judge, ["--path", "a.py"], (PATH,)) == 1
    assert check("h", judge, ["--path", "a", "--content-file", str(tmp_path / "no")], (PATH,)) == 2


def test_the_mode_that_is_asked_for_reaches_the_judgement(
    capfd: pytest.CaptureFixture[str],
) -> None:
    check("h", judge, ["--command", "mode", "--mode", "audit"], (COMMAND,))

    assert capfd.readouterr().out == "warn: audit\n"


def test_a_project_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    words = ["--command", "a", "--project-dir", str(tmp_path / "no")]
    assert check("h", judge, words, (COMMAND,)) == 2
