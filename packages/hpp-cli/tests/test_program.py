from __future__ import annotations

import json
import subprocess
import sys

import pytest

from hpp.cli import main, registry
from hpp.core.schema import faults, find_schema
from hpp.core.service import install_line

Capture = pytest.CaptureFixture[str]


def test_without_a_command_the_first_lines_say_what_to_type(capfd: Capture) -> None:
    assert main([]) == 3

    captured = capfd.readouterr()
    first, second, *_ = captured.err.splitlines()
    assert (first.split("  ")[0], second.split("  ")[0]) == ("hpp tour", "hpp doctor")
    assert captured.out == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bogus"], "unknown command bogus"),
        (["doctr"], "did you mean doctor?"),
        (["--versio"], "did you mean --version?"),
        (["--version", "x"], "--version takes no argument"),
        (["a\nb"], "a\\nb"),
    ],
)
def test_what_is_unknown_is_a_usage_error(capfd: Capture, words: list[str], message: str) -> None:
    assert main(words) == 3

    assert message in capfd.readouterr().err


def test_the_version_stands_alone(capfd: Capture) -> None:
    assert main(["--version"]) == 0

    assert capfd.readouterr().out.count(".") == 2


def test_help_names_every_command(capfd: Capture) -> None:
    assert main(["--help"]) == 0

    out = capfd.readouterr().out
    for name in registry.COMMANDS:
        assert f"\n  {name} " in out


@pytest.mark.parametrize("name", sorted(registry.KNOWN_FAMILIES))
def test_a_family_that_is_not_installed_has_its_install_line(
    capfd: Capture, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(registry, "_quick_entries", lambda: iter(()))
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())

    assert main([name]) == 3

    err = capfd.readouterr().err
    line = install_line(registry.KNOWN_FAMILIES[name])
    assert line in err
    assert "--index" in line  # never a line that asks the public index for a name of ours


HOT = {
    "__future__", "_json", "gc", "hpp", "hpp.cli", "hpp.cli.policy", "hpp.cli.registry", "hpp.core",
    "hpp.core.arguments", "hpp.core.command", "hpp.core.errors",
    "hpp.core.output", "hpp.core.policy", "hpp.core.policy.advisor", "hpp.core.policy.classifier",
    "hpp.core.policy.command", "hpp.core.policy.finding", "hpp.core.policy.flow",
    "hpp.core.policy.mention", "hpp.core.policy.piece", "hpp.core.policy.project",
    "hpp.core.policy.push", "hpp.core.policy.removal", "hpp.core.policy.rule",
    "hpp.core.policy.sql", "hpp.core.policy.verdict", "hpp.core.policy.walk",
    "hpp.core.secretmark", "hpp.core.shell", "hpp.core.shell.brace", "hpp.core.shell.call",
    "hpp.core.shell.container", "hpp.core.shell.frame", "hpp.core.shell.gitcall",
    "hpp.core.shell.interpreter", "hpp.core.shell.lexer", "hpp.core.shell.linelexer",
    "hpp.core.shell.listlexer", "hpp.core.shell.model", "hpp.core.shell.option",
    "hpp.core.shell.remote", "hpp.core.shell.word", "hpp.core.shell.wordlexer",
    "hpp.core.shell.wrapper", "hpp.core.text",
}  # fmt: skip
LOADED = (
    "import sys; before = set(sys.modules); from hpp.cli import main; "
    "main(sys.argv[1:]); sys.stderr.write(' '.join(sorted(set(sys.modules) - before)))"
)


def loaded(*words: str) -> set[str]:
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-c",
            f"import sys; sys.path[:0] = {sys.path!r}\n{LOADED}",
            *words,
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("text", ["python -m pytest -q", "git push origin feature", "rm -rf x"])
def test_the_hot_command_loads_what_it_uses_and_no_more(text: str) -> None:
    assert loaded("policy", "check", "--mode", "audit", "--command", text) <= HOT


def test_the_log_s_commands_load_nothing_heavy() -> None:
    heavy = {"argparse", "dataclasses", "jsonschema", "subprocess", "importlib.metadata", "pathlib"}

    assert not loaded("status") & heavy


def test_control_a_heavy_import_would_be_seen() -> None:
    assert "importlib.metadata" in loaded("--version")


@pytest.mark.parametrize(
    ("mode", "text", "code", "rule"),
    [
        ("enforce", "rm -rf src", 2, "recursive-delete"),
        ("enforce", "git push origin feature", 1, "external-push"),
        ("enforce", "python -m pytest -q", 0, "allow"),
        ("enforce", " ", 0, "empty"),
        ("audit", "rm -rf src", 0, "recursive-delete"),
        ("audit", "echo \udce9\x00", 0, "allow"),
    ],
)
def test_a_verdict_has_its_status(
    capfd: Capture, mode: str, text: str, code: int, rule: str
) -> None:
    assert main(["policy", "check", "--mode", mode, "--command", text]) == code

    answer = json.loads(capfd.readouterr().out)
    assert (answer["rule"], answer["mode"]) == (rule, mode)
    assert faults(find_schema("policy-verdict").document(), answer) == []


def test_a_secret_in_the_deciding_piece_is_masked(capfd: Capture) -> None:
    main(["policy", "check", "--mode", "audit", "--command", "curl https://u:hunter22@h/"])

    assert "hunter22" not in capfd.readouterr().out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--mode", "audit"], 3),
        (["--mode", "maybe", "--command", "x"], 3),
        (["--mode", "audit", "--command", "x" * (1024 * 1024 + 1)], 2),
        (["--mode", "audit", "--command", "é" * (512 * 1024 + 1)], 2),
    ],
)
def test_what_is_no_question_has_no_verdict(capfd: Capture, words: list[str], code: int) -> None:
    assert main(["policy", "check", *words]) == code

    assert capfd.readouterr().out == ""
