"""What the reader says would run, held against what bash really runs.

Each labelled line that is safe runs under bash in an empty folder, in an environment with
nothing in it but a PATH of stub programs that note how they were called. Programs that only
run another one or hand text on are the real ones, as are the shells.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.policy.classifier import Step, classify
from hpp.core.policy.command import judge_plain
from hpp.core.policy.rule import ORDER, RULES
from hpp.core.policy.verdict import judge
from hpp.core.shell.model import OPAQUE, PRINTED

if TYPE_CHECKING:
    from collections.abc import Sequence

DATA = pathlib.Path(__file__).parent / "data"
LINES = [
    json.loads(line)
    for name in ("policy.jsonl", "policy-field.jsonl")
    for line in (DATA / name).read_text(encoding="utf-8").split("\n")
    if line
]
BASH = shutil.which("bash")
REAL = [
    "bash", "sh", "dash", "zsh", "ksh", "env", "nice", "timeout", "nohup", "stdbuf", "setsid",
    "xargs", "find", "cat", "tee", "sleep", "basename",
]  # fmt: skip
STUBS = [
    "ack", "ag", "alembic", "aws", "awk", "bq", "busybox", "cargo", "chmod", "clickhouse-client",
    "cp", "curl", "curlie", "diff", "docker", "doas", "dropdb", "duckdb", "farm", "gh", "git",
    "grep", "gunzip", "gzip", "head", "hg", "hpp", "http", "httpie", "ionice", "jq", "kubectl",
    "less", "ls", "make", "man", "mkdir", "more", "mv", "mycurl", "mysql", "nc", "node", "npm",
    "parallel", "perl", "pip", "podman", "psql", "ping", "python", "python3", "rails", "rg", "rm",
    "rmdir", "rmx", "rsync", "ruby", "scp", "sed", "shellcheck", "sort", "sqlcmd", "sqlite3",
    "ssh", "su", "sudo", "tail", "tar", "terraform", "touch", "tr", "trash", "truncate", "uniq",
    "uv", "vim", "watch", "wc", "wget", "which",
]  # fmt: skip
STUB = """#!{bash}
printf '%s\\0' "${{0##*/}}" "$@" > "$HPP_LOG/$$.$RANDOM$RANDOM"
"""
# Lines that leave the folder, name programs by a path, or start a login shell, which has a
# PATH of its own, as a command without one has.
UNSAFE = re.compile(
    r"\benv -(?:i| )|command -p|-[a-z]*l[a-z]*c |\\\\|\0|\r|[<>]\s*/(?!dev/null)"
    r"|(?:^|[\s;|&('\"=])(?:/(?!dev/)|\./|\.\./|~)"
)
SAFE = [line for line in LINES if not UNSAFE.search(line["cmd"])]
# Programs that may run a command which then no stub sees.
HIDING = {"sudo", "doas", "ssh", "su", "docker", "kubectl", "podman", "busybox", "parallel",
          "watch", "ionice", "git"}  # fmt: skip
# Lines that bash itself, or the program they are for, does not take.
UNTAKEN = re.compile(r"powershell|find .* -ok |'find \{\}|^[^'\"]*['\"][^'\"]*$")
PLAIN_RULES = {"recursive-delete", "force-push", "main-push", "external-push", "external-send"}

pytestmark = pytest.mark.skipif(
    BASH is None or os.name == "nt", reason="bash is not installed, or its programs are no scripts"
)


@pytest.fixture(scope="session")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("stubs")
    for name in STUBS:
        path = folder / name
        path.write_text(STUB.format(bash=BASH), encoding="utf-8")
        path.chmod(0o755)
    with (folder / "ls").open("a", encoding="utf-8") as stream:
        stream.write("echo a\n")
    for name in REAL:
        found = shutil.which(name)
        if found is None and name in ("zsh", "ksh", "dash"):
            found = BASH
        if found is not None:
            (folder / name).symlink_to(found)
    return folder


def ran(text: str, stubs: pathlib.Path, folder: pathlib.Path) -> list[list[str]]:
    """Return what the stubs saw."""
    log, work = folder / "log", folder / "work"
    log.mkdir(parents=True)
    for name in ("app", "dist", "out", "r", "repo", "sub"):
        (work / name).mkdir(parents=True)
    (work / "list.txt").write_text("a\n", encoding="utf-8")
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


@pytest.fixture(scope="session")
def calls(
    stubs: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[list[str]]]:
    """Return what the stubs saw of every line."""
    folder = tmp_path_factory.mktemp("lines")

    def run(numbered: tuple[int, dict[str, Any]]) -> tuple[str, list[list[str]]]:
        number, line = numbered
        return line["cmd"], ran(line["cmd"], stubs, folder / str(number))

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return dict(pool.map(run, enumerate(SAFE)))


def expected(words: Sequence[str], *, grows: bool = False) -> re.Pattern[str]:
    """Return what a command of the reader may look like when it runs."""
    pattern = re.escape(words[0].rpartition("/")[2])
    for word in words[1:]:
        if word in (OPAQUE, PRINTED):
            pattern += "(?:\0.*)?"
            continue
        pattern += "\0" + re.escape(word)
        for part in (OPAQUE, PRINTED, re.escape("{}"), re.escape("*"), re.escape("%")):
            pattern = pattern.replace(part, ".*")
    return re.compile(pattern + "(?:\0.*)?" * grows, re.DOTALL)


def read(text: str) -> list[re.Pattern[str]]:
    """Return the commands of the reader; of a wrapper that is a stub, its name will do."""
    steps: list[Step] = []
    found = classify(text, steps, with_commands=True)
    patterns = [expected(words) for words in found.commands]
    for step in steps:
        patterns += [expected([name], grows=True) for name in step.through]
        if step.words:
            patterns.append(expected(step.words, grows="xargs" in step.through))
    return patterns


def strictest(calls: list[list[str]]) -> str | None:
    """Return the first rule, in their order, that a call falls under by its words alone."""
    rules = {judge_plain(call) for call in calls}
    return next((rule for rule in ORDER if rule in rules), None)


def test_what_bash_runs_was_read(calls: dict[str, list[list[str]]]) -> None:
    unread = [
        (text, call)
        for text, seen in calls.items()
        for call in seen
        if not any(pattern.fullmatch("\0".join(call)) for pattern in read(text))
    ]

    assert unread == []


def test_no_verdict_is_less_strict_than_what_ran(calls: dict[str, list[list[str]]]) -> None:
    rank = {"ALLOW": 0, "MANUAL": 1, "BLOCK": 2}
    lax = []
    for text, seen in calls.items():
        rule = strictest(seen)
        if rule is not None and rank[judge(text).action] < rank[RULES[rule][0]]:
            lax.append((text, rule, judge(text).rule))

    assert lax == []


def test_no_verdict_is_about_something_that_did_not_run(
    calls: dict[str, list[list[str]]],
) -> None:
    """The other way round: a rule for single commands has its command among those that ran."""
    strict = []
    for text, seen in calls.items():
        rule = judge(text).rule
        programs = {call[0] for call in seen}
        if rule in PLAIN_RULES and not programs & HIDING and not UNTAKEN.search(text):
            strict += [(text, rule, seen)] if strictest(seen) != rule else []

    assert strict == []


def test_enough_lines_are_safe_to_run() -> None:
    assert len(SAFE) > 450


def test_control_a_program_that_was_not_read_would_be_seen(
    stubs: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    seen = ran("r''m -rf x; echo rm | cat", stubs, tmp_path / "a")

    assert seen == [["rm", "-rf", "x"]]
    assert not any(pattern.fullmatch("rm\0-rf\0x") for pattern in read("rm -r x"))
    assert strictest(seen) == "recursive-delete"
