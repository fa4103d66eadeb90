from __future__ import annotations

import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from hpp.cli import main
from hpp.cli.completion import SHELLS
from hpp.cli.completionscript import script
from hpp.cli.completiontree import tree
from hpp.cli.registry import installed_commands
from hpp.core.command import Command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hpp.cli.completiontree import Node
    from hpp.core.arguments import Arguments

    Ask = Callable[[list[Node], list[list[str]]], list[set[str]]]

NODES = tree(installed_commands())
HOSTILE = "it's \\ ${x} $(touch trace) `touch trace` \" %s ’ : ] done"


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-2000:]
    return done.stdout


def quoted(words: list[str]) -> str:
    return " ".join("'" + word + "'" for word in words)


BASH_CALL = """
COMP_WORDS=({words})
COMP_CWORD={last}
_hpp
printf '%s\\n' "${{COMPREPLY[@]}}" '=='
"""
# What the completion system of zsh does with the words; the script itself is the real one.
ZSH_STUBS = """
compdef() { : }
_files() { : }
_describe() { local each; for each in "${(@P)@[-1]}"; do print -r -- "${each%%:*}"; done }
compadd() { shift; print -rl -- "$@" }
"""
ZSH_CALL = """
words=({words})
CURRENT={last}
_hpp
print -- '=='
"""


def ask_bash(text: str, lines: list[list[str]], folder: Path) -> list[set[str]]:
    calls = [BASH_CALL.format(words=quoted(line), last=len(line) - 1) for line in lines]
    (folder / "typed").write_text(text + "".join(calls), encoding="utf-8", newline="\n")
    return parts(run(["bash", "--norc", "typed"], folder))


def ask_zsh(text: str, lines: list[list[str]], folder: Path) -> list[set[str]]:
    calls = [ZSH_CALL.format(words=quoted(line), last=len(line)) for line in lines]
    body = ZSH_STUBS + text + "".join(calls)
    (folder / "typed").write_text(body, encoding="utf-8", newline="\n")
    found = parts(run(["zsh", "-f", "typed"], folder))
    return [
        {w for w in words if w.startswith(line[-1])}
        for words, line in zip(found, lines, strict=True)
    ]


def ask_fish(text: str, lines: list[list[str]], folder: Path) -> list[set[str]]:
    calls = "".join(f'complete -C "{" ".join(line)}"\necho ==\n' for line in lines)
    (folder / "typed").write_text(text + calls, encoding="utf-8", newline="\n")
    found = parts(run(["fish", "--no-config", "typed"], folder))
    names = [{word.split("\t")[0] for word in words} for words in found]
    return [{name for name in each if "/" not in name} - {"typed"} for each in names]


# The script's block, called as PowerShell calls it: with the word, the syntax tree, the cursor.
POWERSHELL_STUB = """
function Register-ArgumentCompleter {
    param([switch]$Native, $CommandName, $ScriptBlock)
    $script:block = $ScriptBlock
}
"""
POWERSHELL_CALL = """
$line = {line}
$tree = [System.Management.Automation.Language.Parser]::ParseInput($line, [ref]$null, [ref]$null)
$command = $tree.EndBlock.Statements[0].PipelineElements[0]
& $script:block {word} $command $line.Length | ForEach-Object CompletionText
'=='
"""


def ask_powershell(text: str, lines: list[list[str]], folder: Path) -> list[set[str]]:
    calls = [
        POWERSHELL_CALL.format(line=f"'{' '.join(line)}'", word=f"'{line[-1]}'") for line in lines
    ]
    body = POWERSHELL_STUB + text + "".join(calls)
    (folder / "typed.ps1").write_text(body, encoding="utf-8-sig", newline="\n")
    return parts(run(["pwsh", "-NoProfile", "-File", "typed.ps1"], folder))


def parts(text: str) -> list[set[str]]:
    return [
        set(part.split("\n")) - {""}
        for part in re.split(r"^==\r?\n", text, flags=re.MULTILINE)[:-1]
    ]


ASKERS = {"bash": ask_bash, "zsh": ask_zsh, "fish": ask_fish, "powershell": ask_powershell}
PROGRAM = {"powershell": "pwsh"}


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if sys.platform == "win32" and name == "bash":
        pytest.skip("what answers to bash on Windows may be a system of its own")
    if shutil.which(PROGRAM.get(name, name)) is None:
        pytest.skip(f"{PROGRAM.get(name, name)} is not installed")
    return name


@pytest.fixture
def asked(shell: str, tmp_path: Path) -> Ask:
    def ask(nodes: list[Node], lines: list[list[str]]) -> list[set[str]]:
        return ASKERS[shell](script(shell, nodes), lines, tmp_path)

    return ask


def test_every_command_is_offered_what_its_parser_declares(asked: Ask) -> None:
    groups = [node for node in NODES if node.subcommands]
    lines = [["hpp", *node.path.split(), ""] for node in groups]
    lines += [["hpp", *node.path.split(), "--"] for node in NODES]

    found = asked(NODES, lines)

    assert found[: len(groups)] == [{name for name, _ in node.subcommands} for node in groups]
    assert found[len(groups) :] == [
        {name for name, _ in node.options if name.startswith("--")} for node in NODES
    ]


def test_a_value_is_one_of_the_choices_and_words_are_cut_to_what_was_typed(asked: Ask) -> None:
    lines = [
        ["hpp", "graph", "--view", ""],
        ["hpp", "graph", "--format", "s"],
        ["hpp", "graph", "--manifest", "--v"],
        ["hpp", "gra"],
        ["hpp", "work", "plan", "x.json", "--fo"],
        ["hpp", "graph", "--", "--"],
    ]

    found = asked(NODES, lines)

    assert found[0] == {"capability", "operational", "agent", "evidence", "code"}
    # After an option that takes any value fish offers what begins as the word does.
    assert found[2] <= {"--view"}
    assert [found[1], *found[3:]] == [{"svg"}, {"graph"}, {"--format"}, set()]


def test_no_text_of_a_command_is_ever_run(asked: Ask, tmp_path: Path) -> None:
    def declare(declared: Arguments) -> None:
        declared.flag("--bad", help=HOSTILE)
        declared.flag("--$(touch trace)", help="no name that a shell could read otherwise")

    nodes = tree(
        [
            Command("good", HOSTILE, arguments=declare, run=lambda _: 0),
            Command("b'ad", "a name like that is not offered", run=lambda _: 0),
        ]
    )

    found = asked(nodes, [["hpp", ""], ["hpp", "good", "--"]])

    assert found == [{"good"}, {"--bad", "--help", "--traceback"}]
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("name", SHELLS)
def test_each_script_holds_every_command_with_its_options(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", name]) == 0
    text = capfd.readouterr().out

    for node in NODES:
        assert f"'{node.path}'" in text or f"\\'{node.path}\\'" in text
        for option, _ in node.options:
            assert option.lstrip("-") in text


def test_the_powershell_script_closes_what_it_opens() -> None:
    bare = re.sub(r"'(?:[^']|'')*'|^ *#.*$", "", script("powershell", NODES), flags=re.MULTILINE)
    opened: list[str] = []
    for each in bare:
        if each in "({[":
            opened.append({"(": ")", "{": "}", "[": "]"}[each])
        elif each in ")}]":
            assert opened.pop() == each

    assert opened == []
    assert "'" not in bare


def test_another_shell_is_a_usage_error(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zhs"]) == 3
    assert "unknown shell zhs (did you mean zsh?)" in capfd.readouterr().err


def test_control_a_tree_without_a_command_does_not_offer_it(asked: Ask) -> None:
    fewer = [node for node in NODES if not node.path.startswith("graph")]

    (found,) = asked(fewer, [["hpp", "graph", "--"]])

    assert "--view" not in found
