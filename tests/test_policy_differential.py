"""What the reader says would run, held against what bash really runs.

Each labelled line that is safe runs under bash in an empty folder with a PATH of stub
programs that only note how they were called. What the stubs saw has to be a command that
the reader saw too.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hpp.core.policy.classifier import classify
from hpp.core.policy.verdict import judge

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "packages" / "hpp-core" / "tests" / "data" / "policy.jsonl"
CORPUS = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
BASH = shutil.which("bash")
STUBS = """
rm rmdir git curl wget psql mysql sh zsh dash ksh sudo doas env nohup timeout nice find xargs ssh
docker kubectl python python3 grep rg ls cat tee touch mkdir cp mv chmod tar make npm gh sed awk jq
head tail less wc sort uniq diff man which node perl uv cargo terraform trash rmx farm mycurl curlie
"""
WRAPPERS = {"sudo", "doas", "env", "nohup", "timeout", "nice", "xargs", "docker", "kubectl"}
# A stub notes its words in a file of its own, each ended by NUL, and answers with nothing.
STUB = """#!{bash}
printf '%s\\0' "${{0##*/}}" "$@" > "$HPP_LOG/$$.$RANDOM$RANDOM"
exit 0
"""
# Lines that would not end, or whose stubs cannot stand for the shells they start.
UNFIT = ("while ", "until ", "watch", "bash", "<(", "/usr/", "/bin/", "eval", "exec ", "busybox",
         "\\\\", "nohup", "&", "cmd", "powershell", 'rmdir "C:', "time ", "command ", "trap",
         "setsid", "stdbuf", "ionice", "./", "source", "pushd", "alias", "history")  # fmt: skip
SAFE = [
    case
    for case in CORPUS
    if not any(part in case["cmd"] for part in UNFIT) and "\x00" not in case["cmd"]
]


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stubs")
    for name in STUBS.split():
        path = folder / name
        path.write_text(STUB.format(bash=BASH), encoding="utf-8")
        path.chmod(0o755)
    return folder


def seen_by_bash(text: str, stubs: Path, folder: Path) -> list[list[str]]:
    log, work = folder / "log", folder / "work"
    shutil.rmtree(log, ignore_errors=True)
    log.mkdir()
    work.mkdir(exist_ok=True)
    subprocess.run(
        [BASH or "bash", "--norc", "--noprofile", "-c", text],
        cwd=work,
        env={"PATH": str(stubs), "HPP_LOG": str(log), "HOME": str(work)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    calls = [path.read_bytes().decode("utf-8", "surrogateescape") for path in log.iterdir()]
    return sorted(call.split("\0")[:-1] for call in calls)


@pytest.mark.skipif(BASH is None or os.name == "nt", reason="bash is not installed")
@pytest.mark.parametrize("case", SAFE, ids=[case["id"] for case in SAFE])
def test_what_bash_runs_was_read(case: dict[str, Any], stubs: Path, tmp_path: Path) -> None:
    ran = seen_by_bash(case["cmd"], stubs, tmp_path)

    seen = classify(case["cmd"]).commands
    programs = {word.rpartition("/")[2] for command in seen for word in command.split(" ")}
    for words in ran:
        told = {words[0]} if words[0] not in WRAPPERS else set(words)
        assert told & programs, f"bash ran {words}, the reader saw {seen}"
    if any(words[0] == "rm" and {"-rf", "-fr", "-Rf"} & set(words[1:2]) for words in ran):
        assert judge(case["cmd"]).rule == "recursive-delete"


def test_enough_lines_are_safe_to_run() -> None:
    assert len(SAFE) > 250


@pytest.mark.skipif(BASH is None or os.name == "nt", reason="bash is not installed")
def test_control_a_program_that_was_not_read_would_be_seen(stubs: Path, tmp_path: Path) -> None:
    assert seen_by_bash("r''m -rf x; echo rm", stubs, tmp_path) == [["rm", "-rf", "x"]]
