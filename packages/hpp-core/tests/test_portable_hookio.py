from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.portable import answer as answers
from hpp.core.portable import hookio, run
from hpp.core.portable.answer import Answer, shape_fault
from hpp.core.portable.merge import merge
from hpp.core.portable.patchtext import read_patch
from hpp.core.portable.payload import LARGEST, Malformed, Payload, parse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CLAUDE = {"CLAUDE_PROJECT_DIR": "/p"}
EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
          "Stop", "PreCompact", "SessionEnd"]  # fmt: skip
PATCH = """*** Begin Patch
*** Add File: a/new.txt
+one
+*** Add File: not/this
*** Update File: b.txt
*** Move to: c.txt
@@ x
 *** Delete File: context
-old
+new
*** Delete File: d.txt
*** End Patch
"""


def event(
    kind: str = "PreToolUse", *, env: dict[str, str] | None = None, **fields: object
) -> Payload:
    return Payload({"hook_event_name": kind, **fields}, CLAUDE if env is None else env)


def bash(command: object, env: dict[str, str] | None = None, **fields: object) -> Payload:
    return event("PreToolUse", env=env, tool_name="Bash", tool_input={"command": command}, **fields)


def said(answer: Answer) -> dict[str, Any]:
    parts: dict[str, Any] = json.loads(answer.stdout)
    return parts


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"x" * (LARGEST + 1), "larger"),
        (b'{"a": "\xff"}', "UTF-8"),
        (b"not json", "JSON"),
        (b"[]", "object"),
        (b'{"a": 1, "a": 2}', "a"),
        (b'{"a": NaN}', "NaN"),
    ],
    ids=range(8),
)
def test_malformed_input_is_told_apart(data: bytes, why: str) -> None:
    with pytest.raises(Malformed, match=why):
        parse(data)


def test_input_with_a_byte_order_mark_is_read() -> None:
    assert parse(b'\xef\xbb\xbf{"hook_event_name": "Stop"}').event == "Stop"


@pytest.mark.parametrize(
    ("field", "value", "read"),
    [
        ("hook_event_name", 1, lambda p: p.event),
        ("session_id", [], lambda p: p.session_id),
        ("cwd", "a\0b", lambda p: p.cwd),
        ("tool_name", {}, lambda p: p.tool),
        ("tool_input", "x", lambda p: p.tool_input),
        ("stop_hook_active", "yes", lambda p: p.flag("stop_hook_active")),
    ],
    ids=range(6),
)
def test_a_field_of_the_wrong_type_matters_only_to_who_uses_it(
    field: str, value: object, read: Callable[[Payload], object]
) -> None:
    payload = Payload({"hook_event_name": "Stop", field: value}, {})

    assert payload.text("model") == ""
    with pytest.raises(Malformed, match=field):
        read(payload)


def test_an_event_without_a_name_is_malformed() -> None:
    with pytest.raises(Malformed, match="hook_event_name"):
        _ = Payload({}, {}).event


def test_only_what_is_certainly_claude_code_is_taken_for_it() -> None:
    assert event().host == "claude-code"
    assert event(turn_id="t").host == "other"
    assert event(env={}).host == "other"


def test_the_subjects_of_every_kind_of_edit() -> None:
    def of(tool: str, **given: object) -> list[tuple[str, str]]:
        return event(tool_name=tool, tool_input=given).subjects()

    assert of("Write", file_path="a", content="x") == [("a", "x")]
    assert of("Edit", file_path="a", old_string="o", new_string="n") == [("a", "n")]
    edits = [{"new_string": "p"}, {"new_string": "q"}]
    assert of("MultiEdit", file_path="a", edits=edits) == [("a", "p\nq")]
    assert of("NotebookEdit", notebook_path="a", new_source="s") == [("a", "s")]
    assert of("apply_patch", command=PATCH)[0] == ("a/new.txt", "one\n*** Add File: not/this")
    assert of("Read", file_path="a") == []
    wrong: list[tuple[str, dict[str, object]]] = [
        ("Write", {"content": "x"}),
        ("Edit", {"file_path": "a"}),
        ("MultiEdit", {"file_path": "a", "edits": [1]}),
        ("apply_patch", {"command": "rm -rf /"}),
    ]
    for tool, given in wrong:
        with pytest.raises(Malformed):
            of(tool, **given)


def test_a_patch_gives_paths_and_added_lines() -> None:
    assert read_patch(PATCH)[1:] == [("b.txt", ""), ("c.txt", "new"), ("d.txt", "")]
    wrapped = f"apply_patch <<'EOF'\n{PATCH}EOF\n".replace("\n", "\r\n")
    assert [path for path, _ in read_patch(wrapped)] == ["a/new.txt", "b.txt", "c.txt", "d.txt"]
    assert read_patch("*** Add File: a\n+x") == []


def test_a_patch_is_never_a_shell_command() -> None:
    assert event(tool_name="apply_patch", tool_input={"command": PATCH}).command() is None
    assert bash("ls").command() == "ls"
    with pytest.raises(Malformed):
        bash(7).command()


@pytest.mark.parametrize("kind", EVENTS)
def test_every_answer_has_a_shape_that_its_event_allows(kind: str) -> None:
    payload = event(kind, tool_name="Bash", tool_input={"command": "ls"})
    made = [
        hookio.message("h", "t"),
        hookio.context(kind, "h", "t"),
        hookio.warn(kind, "h", "t"),
        hookio.warn(kind, "h", "t", "model"),
        hookio.block("h", "r"),
        hookio.ask("h", "r", payload),
        Answer(),
        *([hookio.block_stop("h", "r")] if kind == "Stop" else []),
    ]

    for answer in made:
        assert shape_fault(kind, answer) is None
        assert answer.stdout.isascii()
        assert merge([answer, answer]).exit == answer.exit
        assert shape_fault(kind, merge([answer, hookio.message("g", "x")])) is None


def test_a_wrong_shape_is_seen() -> None:
    bad = [
        ("Stop", {"systemMessage": "x", "decision": "block", "reason": "r"}),
        ("PreToolUse", {"decision": "block", "reason": "r"}),
        ("PreToolUse", {"hookSpecificOutput": {"hookEventName": "Stop"}}),
        ("PreToolUse", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {}}}),
        ("PreToolUse", {"hookSpecificOutput": {"hookEventName": "PreToolUse",
                                               "permissionDecision": "allow"}}),
        ("PreCompact", {"hookSpecificOutput": {"hookEventName": "PreCompact"}}),
    ]  # fmt: skip
    assert all(shape_fault(kind, Answer(0, json.dumps(parts))) for kind, parts in bad)
    assert shape_fault("PreToolUse", Answer(2)) is not None
    assert shape_fault("PreToolUse", Answer(2, "{}", "x")) is not None


def test_a_question_is_a_block_where_no_host_asks() -> None:
    asked = said(hookio.ask("guard", "why", bash("ls")))["hookSpecificOutput"]
    assert asked == {"hookEventName": "PreToolUse", "permissionDecision": "ask",
                     "permissionDecisionReason": "guard: why"}  # fmt: skip

    blocked = hookio.ask("guard", "why", bash("make ship", env={}))
    assert (blocked.exit, blocked.stdout) == (2, "")
    assert "person has to decide: why" in blocked.stderr
    assert "make ship" in blocked.stderr


def test_a_text_names_its_hook_and_is_bounded_and_safe() -> None:
    secret = "ghp_" + "a1B2" * 9
    answer = hookio.warn("PreToolUse", "h", f"see {secret}", "é" * 5000)
    parts = said(answer)
    texts = [parts["systemMessage"], parts["hookSpecificOutput"]["additionalContext"]]

    assert texts[0] == "h: see [secret-like text, 40 characters]"
    assert sum(len(text.encode()) for text in texts) <= answers.LONGEST
    assert texts[1].startswith("h: é")
    assert len(hookio.block("h", "x " * 9000).stderr.encode()) <= answers.LONGEST + 1
    assert "\\u001b" not in hookio.message("h", "a\x1b[31mb\x00c").stdout
    assert said(hookio.message("h", "a\x1b[31mb\ud800"))["systemMessage"] == "h: ab\ufffd"


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    class Stream:
        buffer = io.BytesIO(data)

    monkeypatch.setattr(sys, "stdin", Stream())


def crash(_: Payload) -> Answer:
    raise RuntimeError


def quit_early(_: Payload) -> Answer:
    raise SystemExit(0)


@pytest.mark.parametrize("closed", [True, lambda _: bool(1 / 0)])
def test_a_closed_hook_blocks_what_it_cannot_judge(
    closed: bool | Callable[[object], bool],
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    for data, decide in ((b"x", crash), (b'{"hook_event_name": "PreToolUse"}', quit_early)):
        feed(monkeypatch, data)
        assert hookio.run_hook("g", decide, closed=closed, argv=[]) == 2
        out, err = capfdbinary.readouterr()
        assert out == b""
        assert b"g: " in err


def test_an_open_hook_says_what_it_could_not_judge(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    feed(monkeypatch, b"")
    assert hookio.run_hook("g", crash, argv=[]) == 0
    text = json.loads(capfdbinary.readouterr().out)["systemMessage"]
    assert text == "g: input not understood (empty); not evaluated"

    feed(monkeypatch, b'{"hook_event_name": "PreToolUse"}')
    assert hookio.run_hook("g", crash, argv=[]) == 0
    assert "RuntimeError" in json.loads(capfdbinary.readouterr().out)["systemMessage"]


def test_another_event_gets_no_answer(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    feed(monkeypatch, b'{"hook_event_name": "Nothing"}')

    assert hookio.run_hook("g", crash, events=("Stop",), closed=True, argv=[]) == 0
    assert capfdbinary.readouterr() == (b"", b"")


def test_the_self_test_comes_before_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    feed(monkeypatch, b"x")

    assert hookio.run_hook("g", crash, argv=["--self-test"], self_test=lambda: 7) == 7


def test_a_closed_hook_holds_a_stop_once() -> None:
    first = hookio.evaluate("g", crash, event("Stop"), closed=True)
    again = hookio.evaluate("g", crash, event("Stop", stop_hook_active=True), closed=True)

    assert said(first)["decision"] == "block"
    assert list(said(again)) == ["systemMessage"]


def test_the_project_is_named_or_found_by_its_git_entry(tmp_path: Path) -> None:
    deep = tmp_path / "with blank é" / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "with blank é" / ".git").write_text("gitdir: x")
    named = event(env={"CLAUDE_PROJECT_DIR": str(tmp_path)}, cwd=str(deep))

    assert hookio.project_root(named) == str(tmp_path)
    assert hookio.project_root(event(env={}, cwd=str(deep))) == str(tmp_path / "with blank é")
    assert hookio.project_root(event(env={"CLAUDE_PROJECT_DIR": "/no/such"}, cwd=str(deep))) == str(
        tmp_path / "with blank é"
    )


HOOK = """
from hpp.core.portable import hookio
NAME, EVENTS = {name!r}, ("PreToolUse",)
CLOSED = {closed}
def decide(payload):
    {body}
"""


def run_hooks(folder: Path, payload: bytes, **bodies: tuple[str, bool]) -> tuple[int, bytes, bytes]:
    paths = []
    for name, (body, closed) in bodies.items():
        path = folder / f"{name}.py"
        path.write_text(HOOK.format(name=name, closed=closed, body=body))
        paths.append(str(path))
    done = subprocess.run(
        [sys.executable, str(run.__file__), *paths],
        input=payload,
        capture_output=True,
        check=False,
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(folder)},
    )
    return done.returncode, done.stdout, done.stderr


WARNS = ("return hookio.warn(payload.event, NAME, 'careful', 'model')", False)
ASKS = ("return hookio.ask(NAME, 'really', payload)", False)
BLOCKS = ("return hookio.block(NAME, 'never')", False)
NOTHING = ("return None", False)
CRASHES = ("raise ValueError", False)
GUARD_CRASHES = ("raise ValueError", True)
CALL = b'{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "x"}}'


def test_hooks_in_one_process_are_merged_by_what_weighs_most(tmp_path: Path) -> None:
    assert run_hooks(tmp_path, CALL, a=NOTHING)[:2] == (0, b"")
    status, out, _ = run_hooks(tmp_path, CALL, a=WARNS, b=WARNS)
    assert status == 0
    assert json.loads(out)["systemMessage"] == "a: careful\nb: careful"
    status, out, _ = run_hooks(tmp_path, CALL, a=WARNS, b=ASKS)
    inner = json.loads(out)["hookSpecificOutput"]
    assert inner["permissionDecision"] == "ask"
    assert inner["permissionDecisionReason"].startswith("b: really\na: careful")
    status, out, err = run_hooks(tmp_path, CALL, a=WARNS, b=BLOCKS, c=ASKS)
    assert (status, out) == (2, b"")
    assert err.decode().splitlines()[0] == "b: never"


def test_a_hook_that_crashes_leaves_the_others_their_answers(tmp_path: Path) -> None:
    status, out, _ = run_hooks(tmp_path, CALL, a=CRASHES, b=WARNS)
    assert status == 0
    assert "a: internal error (ValueError)" in json.loads(out)["systemMessage"]
    assert "b: careful" in json.loads(out)["systemMessage"]

    status, _, err = run_hooks(tmp_path, CALL, a=GUARD_CRASHES, b=WARNS)
    assert status == 2
    assert b"a: internal error" in err


def test_a_hook_that_cannot_be_loaded_is_answered_for_by_its_text(tmp_path: Path) -> None:
    assert run_hooks(tmp_path, CALL, a=("pass\nimport no_such_module", True))[0] == 2
    status, out, _ = run_hooks(tmp_path, CALL, a=("pass\nimport no_such_module", False))
    assert status == 0
    assert "ModuleNotFoundError" in json.loads(out)["systemMessage"]


def test_malformed_input_follows_each_declaration(tmp_path: Path) -> None:
    assert run_hooks(tmp_path, b"x", a=NOTHING)[0] == 0
    assert run_hooks(tmp_path, b"x", a=NOTHING, b=GUARD_CRASHES)[0] == 2


def test_a_missing_hook_is_told_and_left_to_the_launcher(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(run.__file__), str(tmp_path / "gone.py")],
        input=CALL, capture_output=True, check=False,
    )  # fmt: skip

    assert done.returncode == 3
    assert "gone: the hook's file is missing" in json.loads(done.stdout)["systemMessage"]


def test_a_quiet_hook_loads_no_slow_module() -> None:
    code = (
        "import sys\nfrom hpp.core.portable import hookio\n"
        'p = hookio.parse(b\'{"hook_event_name": "PreToolUse", "tool_name": "Bash", '
        '"tool_input": {"command": "ls -la"}}\')\n'
        "a = hookio.evaluate('h', lambda p: hookio.warn(p.event, 'h', 'short'), p)\n"
        "slow = {'re', 'json', 'argparse', 'subprocess', 'hashlib', 'pathlib', 'typing', "
        "'dataclasses'}\nprint(sorted(slow & set(sys.modules)))"
    )
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True, check=True, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip

    assert done.stdout.strip() == b"[]"


def test_leaving_writes_everything_and_keeps_the_status() -> None:
    code = (
        "import sys\n"
        "from hpp.core.portable.hookio import leave\n"
        "sys.stdout.write('said')\n"
        "try:\n    leave(2)\nfinally:\n    sys.stdout.write(' and taken down')\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)

    assert (done.returncode, done.stdout) == (2, b"said")
