from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.hookscript import wired_scripts

ROOT = "${CLAUDE_PLUGIN_ROOT}"


@pytest.mark.parametrize(
    ("command", "scripts"),
    [
        (f'bash "{ROOT}/hooks/pyrun.sh" block "{ROOT}/hooks/a.py"', ["hooks/a.py"]),
        (f'bash "{ROOT}/hooks/pyrun.sh" observe "{ROOT}/hooks/a.py" --mode x', ["hooks/a.py"]),
        (f'bash "{ROOT}/hooks/pyrun.sh" observe "{ROOT}/hooks/run.py" hooks/a.py hooks/b.py',
         ["hooks/a.py", "hooks/b.py"]),
        (f"python3 {ROOT}/hooks/run.py hooks/a.py", ["hooks/a.py"]),
        ("python3 hooks/a.py", ["hooks/a.py"]),
        ("python3 ./hooks//a.py", ["hooks/a.py"]),
        ("./hooks/a.sh", ["hooks/a.sh"]),
        ("guard.py", ["guard.py"]),
        ("hooks/A.PY", ["hooks/A.PY"]),
        ("node a.js; deno run b.mjs && c.cjs || bun d.ts | pwsh -File e.ps1",
         ["a.js", "b.mjs", "c.cjs", "d.ts", "e.ps1"]),
        ("python a.py & python b.py\npython c.py", ["a.py", "b.py", "c.py"]),
        ("(cd x && python a.py)", ["a.py"]),
        ("exec python a.py >log 2>&1 </dev/null", ["a.py"]),
        (f'cd "{ROOT}" && python hooks/a.py', ["hooks/a.py"]),
        (f"{ROOT}/bin/tool --fast", ["bin/tool"]),
        (f'python a.py --config "{ROOT}/config.json"', ["a.py", "config.json"]),
        (f"python a.py --config={ROOT}/b.json", ["a.py", "b.json"]),
        ("run --script=hooks/a.py", ["hooks/a.py"]),
        ("python a.py  # not b.py", ["a.py"]),
        ("python a.py a.py", ["a.py"]),
        ("/usr/bin/env python3 -u hooks/a.py", ["hooks/a.py"]),
        ("python3 -E -s hooks/a.py -c cfg", ["hooks/a.py"]),
        ("node --trace-warnings hooks/a.js -e x", ["hooks/a.js"]),
    ],
)  # fmt: skip
def test_the_scripts_of_a_command(command: str, scripts: list[str]) -> None:
    assert wired_scripts(command) == scripts


@pytest.mark.parametrize(
    "word",
    [
        f"{ROOT}/hooks/a.py",
        f'"{ROOT}/hooks/a.py"',
        f'"{ROOT}"/hooks/a.py',
        f"'{ROOT}'/hooks/\"a.py\"",
        f"{ROOT}/hooks/'a'.py",
        "$CLAUDE_PLUGIN_ROOT/hooks/a.py",
        '"$CLAUDE_PLUGIN_ROOT"/hooks/a.py',
        "%CLAUDE_PLUGIN_ROOT%\\hooks\\a.py",
        f"{ROOT}\\hooks\\a.py",
        f'"{ROOT}\\hooks\\a.py"',
        f"{ROOT}//hooks/./a.py",
        "$env:CLAUDE_PLUGIN_ROOT\\hooks\\a.py",
        "${PLUGIN_ROOT}/hooks/a.py",
        "hooks\\a.py",
        ".\\hooks\\a.py",
        "hooks/\\\na.py",
    ],
)
def test_quotes_slashes_and_the_root_are_taken_off(word: str) -> None:
    assert wired_scripts(f"python {word} --flag") == ["hooks/a.py"]


@pytest.mark.parametrize(
    ("command", "script"),
    [
        ("python '/hooks/a.py'", "/hooks/a.py"),
        ("python C:\\hooks\\a.py", "C:/hooks/a.py"),
        (f"python {ROOT}/../x/hooks/a.py", "../x/hooks/a.py"),
        ("python ../hooks/a.py", "../hooks/a.py"),
        ("python ~/hooks/a.py", "~/hooks/a.py"),
        ("python $HOME/hooks/a.py", "$HOME/hooks/a.py"),
        ("python ${CLAUDE_PROJECT_DIR}/hooks/a.py", "${CLAUDE_PROJECT_DIR}/hooks/a.py"),
        (f"python {ROOT}_2/hooks/a.py", f"{ROOT}_2/hooks/a.py"),
        ("/x/hooks/pyrun.sh", "/x/hooks/pyrun.sh"),
        ("other/hooks/run.py", "other/hooks/run.py"),
    ],
)
def test_a_script_elsewhere_is_not_taken_for_one_of_the_module(command: str, script: str) -> None:
    assert wired_scripts(command) == [script]


@pytest.mark.parametrize(
    "command",
    [
        f'python "{ROOT}/my hooks/a.py"',
        f"python '{ROOT}/my hooks/a.py'",
        f"python {ROOT}/my\\ hooks/a.py",
    ],
)
def test_a_blank_may_stand_in_a_path(command: str) -> None:
    assert wired_scripts(command) == ["my hooks/a.py"]


@pytest.mark.parametrize(
    "command",
    [
        f"bash -c 'python {ROOT}/hooks/a.py'",
        f"sh -ec 'python {ROOT}/hooks/a.py; exit 0'",
        f'bash -lc "{ROOT}/hooks/a.py"',
        "cmd.exe /c hooks\\a.py",
        "cmd /d /c 'python hooks\\a.py'",
        'powershell -NoProfile -Command "python hooks/a.py"',
        'pwsh -Command "& hooks/a.py"',
        "eval 'python hooks/a.py'",
        "env -S 'python hooks/a.py'",
        'echo "$(python hooks/a.py)"',
        "echo `python hooks/a.py`",
        'out="$(python hooks/a.py)"; echo "$out"',
        "bash -c \"bash -c 'python hooks/a.py'\"",
    ],
)
def test_a_text_that_is_read_again_is_read_here_too(command: str) -> None:
    assert wired_scripts(command) == ["hooks/a.py"]


@pytest.mark.parametrize(
    "command",
    [
        "echo hi",
        "true",
        "curl https://x.example/a.sh | sh",
        "python -m package.module",
        "python3 -c 'print(1)'",
        "python3 -c 'print(1)' hooks/a.py",
        "python3 -Ic 'import a' hooks/a.py",
        f"python3 -c \"exec(open('{ROOT}/hooks/a.py').read())\"",
        "node -e 'x()' hooks/a.js",
        "node --eval 'x()' hooks/a.js",
        "perl -ne 'print' hooks/a.sh",
        "ruby -e 'x' hooks/a.sh",
        "deno eval 'x' hooks/a.ts",
        f'bash "{ROOT}/hooks/pyrun.sh" observe',
        f'bash "{ROOT}/hooks/pyrun.sh" observe "{ROOT}/hooks/run.py"',
        f"cd {ROOT}",
        f"ls {ROOT}/",
        "# python hooks/a.py",
        "",
        '"',
        "\\",
    ],
)
def test_an_inline_program_has_no_script(command: str) -> None:
    assert wired_scripts(command) == []


@given(st.text(alphabet="ab ./\\'\"$(){}`;|&<>#\n=-%:", max_size=60))
def test_any_text_is_read_to_its_end(command: str) -> None:
    assert all(wired_scripts(command))
    assert wired_scripts(f"python hooks/z.py\n{command}")[:1] in (["hooks/z.py"], [])


def test_a_text_in_a_text_in_a_text_ends() -> None:
    command = "python hooks/a.py"
    for _ in range(40):
        command = 'bash -c "' + command.replace("\\", "\\\\").replace('"', '\\"')[:4000] + '"'

    assert isinstance(wired_scripts(command), list)


def test_control_another_script_is_told_apart() -> None:
    assert wired_scripts("python hooks/a.py") != wired_scripts("python hooks/b.py")
