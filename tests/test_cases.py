"""Black-box cases: what a correct program answers, as data in ``tests/data``.

A case has files, perhaps a repository, and steps; a step calls the program and says what
its answer holds. Times that a case names are benchmarks' business and not read here.
"""

from __future__ import annotations

import base64
import fnmatch
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parent / "data"
CASES = [
    json.loads(line)
    for name in (
        "attest.jsonl",
        "core.jsonl",
        "decide.jsonl",
        "evidence.jsonl",
        "installer.jsonl",
        "retrieval.jsonl",
        "signing.jsonl",
        "work.jsonl",
    )
    for line in (DATA / name).read_text(encoding="utf-8").splitlines()
]
PROGRAM = [sys.executable, "-I", "-m", "hpp"]
posix = pytest.mark.skipif(os.name == "nt", reason="the cases use sh, links and signals of POSIX")


@posix
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any], workspace: Path, environment: dict[str, str]) -> None:
    absent = [tool for tool in case.get("needs", []) if shutil.which(tool) is None]
    if absent:
        pytest.skip(f"{absent[0]} is not installed")
    stage = Stage(workspace, environment)
    stage.prepare(case)
    for step in case.get("steps") or [case]:
        stage.take(step)


def test_control_an_answer_that_differs_is_seen() -> None:
    with pytest.raises(AssertionError):
        agree({"a": 1}, {"a": 2})
    with pytest.raises(AssertionError):
        agree({"a": {"$re": "^x"}}, {"a": "y"})
    with pytest.raises(AssertionError):
        agree({"a": {"$type": "int"}}, {"a": "1"})
    agree({"a": {"$len": 2}}, {"a": [1, 2], "b": 3})


# ------------------------------------------------------------------ comparing


def agree(want: Any, got: Any, at: str = "$") -> None:  # noqa: ANN401 -- any JSON value
    """Compare: objects by subset, lists item by item, scalars by type and value."""
    if isinstance(want, dict) and want and OPERATORS.issuperset(want):
        operators(want, got, at)
    elif isinstance(want, dict):
        assert isinstance(got, dict), f"{at}: {got!r}"
        for key, value in want.items():
            if value == {"$absent": True}:
                assert key not in got, f"{at}.{key}"
            else:
                assert key in got, f"{at}.{key} is absent"
                agree(value, got[key], f"{at}.{key}")
    elif isinstance(want, list):
        assert isinstance(got, list), at
        assert len(want) == len(got), f"{at}: {got!r}"
        for number, value in enumerate(want):
            agree(value, got[number], f"{at}[{number}]")
    else:
        assert want == got, f"{at}: want {want!r}, got {got!r}"
        assert isinstance(got, bool) == isinstance(want, bool), at


OPERATORS = {
    "$approx", "$has", "$in", "$keys", "$lacks", "$len", "$re", "$sorted_by", "$type", "tol",
}  # fmt: skip


def operators(want: dict[str, Any], got: Any, at: str) -> None:  # noqa: ANN401 -- any JSON value
    if "$re" in want:
        assert re.search(want["$re"], got), f"{at}: {got!r}"
    if "$len" in want:
        assert len(got) == want["$len"], f"{at}: {got!r}"
    if "$approx" in want:
        assert got == pytest.approx(want["$approx"], abs=want["tol"]), at
    for item in want.get("$has", []):
        assert any(holds(item, element) for element in got), f"{at}: {got!r} lacks {item!r}"
    for item in want.get("$lacks", []):
        assert not any(holds(item, element) for element in got), f"{at}: {got!r} has {item!r}"
    if "$in" in want:
        assert any(holds(item, got) for item in want["$in"]), f"{at}: {got!r}"
    if "$keys" in want:
        assert sorted(got) == sorted(want["$keys"]), at
    if "$sorted_by" in want:
        values = [item[want["$sorted_by"]] for item in got]
        assert values == sorted(values), at
    if "$type" in want:
        assert type(got).__name__ == want["$type"], at
    unknown = set(want) - OPERATORS
    assert not unknown, unknown


def holds(want: Any, got: Any) -> bool:  # noqa: ANN401 -- any JSON value
    try:
        agree(want, got)
    except AssertionError:
        return False
    return True


# ------------------------------------------------------------------ files


def generated(spec: dict[str, Any]) -> Any:  # noqa: ANN401 -- any content of a file
    """Return a large input that a case describes in place of storing it."""
    if "repeat" in spec:
        return spec.get("head", "") + spec["repeat"] * spec["times"] + spec.get("tail", "")
    kinds = {
        "events": event_log,
        "junit": junit,
        "lanes-disjoint": lanes,
        "tests": citing_tests,
        "work-chain": work_chain,
    }
    return kinds[spec["gen"]](spec)


def lanes(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "id": f"lane-{i:05d}",
            "territory": [f"src/mod{i}/{part}" for part in range(5)],
            "heartbeat_at": 1000,
        }
        for i in range(spec["n"])
    ]


def citing_tests(spec: dict[str, Any]) -> str:
    return "\n".join(f'def test_{i}():\n    """[spec: p/m]"""\n' for i in range(spec["n"]))


def junit(spec: dict[str, Any]) -> str:
    cases = [f'<testcase classname="t.test_x" name="test_{i}"/>' for i in range(spec["n"])]
    return f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"


def work_chain(spec: dict[str, Any]) -> dict[str, Any]:
    ids = [f"u{i:06d}" for i in range(spec["n"])]
    pairs = zip(ids, [[following] for following in ids[1:]] + [[]], strict=True)
    rest = {"acceptance": ["done"], "tier": "economy"}
    return {"work": [{"id": unit, "depends_on": wanted, **rest} for unit, wanted in pairs]}


def event_log(spec: dict[str, Any]) -> str:
    lines: list[str] = []
    previous = hashlib.sha256(b"").hexdigest()
    for seq in range(1, spec["n"] + 1):
        kind = spec["types"][min(seq, len(spec["types"])) - 1]
        event = {"seq": seq, "id": f"event:{seq}", "type": kind, "data": spec.get("data", {})}
        lines.append(compact({**event, "prev_sha256": previous}))
        previous = hashlib.sha256(lines[-1].encode()).hexdigest()
    for edit in [spec["edit"]] if "edit" in spec else spec.get("edits", []):
        event = json.loads(lines[edit["line"] - 1])
        event.update(edit.get("set", {}))
        for key in edit.get("drop", []):
            event.pop(key, None)
        lines[edit["line"] - 1] = compact(event)
    end = spec.get("eol", "\n")
    return str(end.join(lines) + spec.get("end", end))


def picked(document: Any, dotted: str) -> Any:  # noqa: ANN401 -- any JSON value
    for part in dotted.split("."):
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document


def compact(event: dict[str, Any]) -> str:
    return json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def put(path: Path, value: Any) -> None:  # noqa: ANN401 -- any way of saying what a file holds
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(value, dict) and "b64" in value:
        path.write_bytes(base64.b64decode(value["b64"]))
    elif isinstance(value, dict) and "dir" in value:
        path.mkdir(parents=True, exist_ok=True)
    elif isinstance(value, dict) and "link" in value:
        path.symlink_to(value["link"])
    else:
        if isinstance(value, dict) and set(value) == {"json"}:
            value = value["json"]
        elif isinstance(value, dict) and ("gen" in value or "repeat" in value):
            value = generated(value)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        path.write_bytes(text.encode())


# ------------------------------------------------------------------ steps


class Stage:
    """The folder of one case, and what its steps remember."""

    def __init__(self, workspace: Path, environment: dict[str, str]) -> None:
        self.workspace = workspace
        self.environment = environment
        self.saved: dict[str, Any] = {}
        self.remembered: dict[str, bytes | None] = {}

    def prepare(self, case: dict[str, Any]) -> None:
        for name, value in case.get("files", {}).items():
            put(self.workspace / name, value)
        if case.get("git"):
            self.shell("git init -q . && git config user.name t && git config user.email t@e.x")
        for edit in case.get("setup", []):
            self.edit(edit)
        for name, seconds in case.get("age", {}).items():
            stamp = time.time() - seconds
            os.utime(self.workspace / name, (stamp, stamp))
        if case.get("git") == "commit":
            self.shell("git add -A && git commit -q -m one")
        for edit in case.get("setup_after", []):
            self.edit(edit)

    def take(self, step: dict[str, Any]) -> None:
        for edit in step.get("edits", []):
            self.edit(edit)
        for name, value in step.get("write", {}).items():
            put(self.workspace / name, value)
        for name in step.get("remember", []):  # as it is before the call
            self.remembered[name] = self.content(name)
        if "together" in step:
            self.together(step["together"])
        elif "argv" in step:
            self.call(step)
        time.sleep(step.get("wait_s", 0))
        self.look(step)

    def shell(self, script: str) -> None:
        someone = {
            f"GIT_{role}_{key}": value
            for role in ("AUTHOR", "COMMITTER")
            for key, value in (("NAME", "t"), ("EMAIL", "t@e.x"))
        }
        subprocess.run(
            ["bash", "-c", script],
            cwd=self.workspace,
            env={**self.environment, **someone},
            check=True,
            timeout=60,
        )

    def fill(self, text: str) -> str:
        text = text.replace("{py}", sys.executable).replace("{ws}", str(self.workspace))
        return re.sub(r"\{save:(\w+)\}", lambda found: str(self.saved[found[1]]), text)

    def edit(self, edit: dict[str, Any]) -> None:
        if "sh" in edit:
            self.shell(self.fill(edit["sh"]))
        elif "write" in edit:
            put(self.workspace / edit["write"], edit.get("text", edit.get("value")))
        elif "delete" in edit:
            (self.workspace / edit["delete"]).unlink()
        elif "replace" in edit:
            path = self.workspace / edit["replace"]
            before = path.read_bytes()
            assert edit["old"].encode() in before, edit
            path.write_bytes(before.replace(edit["old"].encode(), edit["new"].encode(), 1))
        else:
            self.json_set(edit)

    def json_set(self, edit: dict[str, Any]) -> None:
        source = self.workspace / self.fill(edit["json_set"])
        document = json.loads(source.read_text(encoding="utf-8"))
        for dotted, value in edit["set"].items():
            *steps, last = dotted.split(".")
            holder = document
            for step in steps:
                holder = holder[int(step)] if isinstance(holder, list) else holder[step]
            if value == {"$drop": True}:
                del holder[last]
            elif isinstance(holder, list):
                holder[int(last)] = value
            else:
                holder[last] = value
        if edit.get("rehash") == "evidence":
            hashed = {k: v for k, v in document.items() if k not in NOT_HASHED}
            document["record_sha256"] = hashlib.sha256(compact(hashed).encode()).hexdigest()
        target = self.workspace / self.fill(edit.get("to", edit["json_set"]))
        target.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")

    def call(self, step: dict[str, Any]) -> None:
        words = [
            base64.b64decode(word["b64"]) if isinstance(word, dict) else self.fill(word)
            for word in step["argv"]
        ]
        code, out, err = self.run(words, step)
        text, problem = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
        wanted = step.get("exit", 0)
        assert "Traceback" not in text + problem
        assert code in (wanted if isinstance(wanted, list) else [wanted]), problem
        if code in (2, 3) and "json" not in step and not step.get("answers"):
            assert text == ""
            assert problem.strip()
        assert b"\r" not in out
        if step.get("ascii"):
            assert out.isascii()
        if "json" in step:
            document = json.loads(text)
            agree(step["json"], document)
            if step.get("pretty"):
                pretty = json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
                assert text == pretty
            for name, key in step.get("save", {}).items():
                self.saved[name] = picked(document, key)
        self.say(step, text, problem)

    def say(self, step: dict[str, Any], text: str, problem: str) -> None:
        if "text" in step:
            assert text == step["text"]
        wanted = (("stdout_has", text), ("stderr_has", problem))
        unwanted = (
            ("stdout_lacks", text),
            ("stderr_lacks", problem),
            ("lacks", text + problem),
        )
        for key, stream in wanted:
            for needle in step.get(key, []):
                assert needle in stream, key
        for key, stream in unwanted:
            for needle in step.get(key, []):
                assert needle not in stream, key

    def run(self, words: list[str | bytes], step: dict[str, Any]) -> tuple[int, bytes, bytes]:
        def limit() -> None:
            import resource

            size = step["file_limit"]
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        added = {name: self.fill(text) for name, text in step.get("env", {}).items()}
        child = subprocess.Popen(
            [*PROGRAM, *words],
            cwd=self.workspace / step.get("cwd", "."),
            env={**self.environment, **added},
            stdin=subprocess.PIPE if "stdin" in step else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=limit if "file_limit" in step else None,  # noqa: PLW1509 -- one thread here
        )
        if "signal" in step:
            time.sleep(step["signal"]["after_s"])
            child.send_signal(getattr(signal, step["signal"]["name"]))
        given = step["stdin"].encode() if "stdin" in step else None
        out, err = child.communicate(given, timeout=90)
        return child.returncode, out, err

    def together(self, spec: dict[str, Any]) -> None:
        def work(_: int) -> list[int]:
            return [self.run(spec["argv"], {})[0] for _ in range(spec.get("repeat", 1))]

        with ThreadPoolExecutor(spec["n"]) as pool:
            codes = [code for codes in pool.map(work, range(spec["n"])) for code in codes]
        assert {str(code): codes.count(code) for code in set(codes)} == spec["codes"]

    def look(self, step: dict[str, Any]) -> None:
        folder = self.workspace
        for name in step.get("absent", []):
            assert not os.path.lexists(folder / name), name
        for name in step.get("exists", []):
            assert (folder / name).exists(), name
        for name, want in step.get("file_json", {}).items():
            agree(want, json.loads((folder / name).read_text(encoding="utf-8")), name)
        for name, count in step.get("lines", {}).items():
            assert (folder / name).read_bytes().count(b"\n") == count
        for name, text in step.get("file_text", {}).items():
            assert (folder / name).read_bytes() == text.encode()
        for name in step.get("unchanged", []):
            assert self.content(name) == self.remembered[name], name
        for pattern, count in step.get("glob_count", {}).items():
            names = [str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()]
            assert len(fnmatch.filter(names, pattern)) == count
        for name in step.get("pids_gone", []):
            for pid in (folder / name).read_text(encoding="ascii").split():
                assert not is_alive(int(pid)), name

    def content(self, name: str) -> bytes | None:
        path = self.workspace / name
        return path.read_bytes() if path.exists() else None


NOT_HASHED = ("record_sha256", "event", "event_error", "signature")


def is_alive(pid: int) -> bool:
    ps = shutil.which("ps")
    if ps is None:
        return Path(f"/proc/{pid}").exists()
    done = subprocess.run([ps, "-o", "stat=", "-p", str(pid)], capture_output=True, check=False)
    return done.stdout.strip()[:1] not in (b"", b"Z")
