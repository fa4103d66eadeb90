"""The scripts that kit-forge carries: their self-tests, command lines and reports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from hpp.installer import forge_command
from hpp.installer.forge import catalogcommand, codexcommand, publishcommand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Main = Callable[[Sequence[str]], int]

Tree = Any
Capture = pytest.CaptureFixture[str]

MAINS = [forge_command.main, catalogcommand.main, codexcommand.main, publishcommand.main]
SECRET = "ghp_" + "Qz7" * 12


@pytest.mark.parametrize("main", MAINS, ids=["forge", "catalog", "codex", "publish"])
def test_a_self_test_checks_something_and_holds(
    main: Main, capfd: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    status = main(["--self-test"])

    lines = capfd.readouterr().out.splitlines()
    assert status == 0, lines
    assert len(lines) > 3
    assert lines[-1].endswith("checks, 0 failed")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("main", MAINS, ids=["forge", "catalog", "codex", "publish"])
@pytest.mark.parametrize("words", [["--unheard"], ["--self-test", "--all"]], ids=["word", "more"])
def test_a_command_line_that_cannot_be_understood_ends_in_3(main: Main, words: list[str]) -> None:
    assert main(words) == 3


def test_both_faces_of_the_forge_give_the_same_bytes_and_status(
    source_tree: Tree, emitted: Tree, capfd: Capture
) -> None:
    from hpp.installer.command import main

    words = ["--all", "--root", str(source_tree.root), "--out", str(emitted.root), "--check"]
    emitted.put("marketplace.json", "{}")

    statuses = main(["forge", *words]), capfd.readouterr().out
    others = forge_command.main(words), capfd.readouterr().out

    assert statuses == others
    assert statuses[0] == 2


def lint(folder: Path, *words: str, capfd: Capture) -> tuple[int, dict[str, Any]]:
    """Return status and report of the linter."""
    status = publishcommand.main([str(folder), *words])
    out = capfd.readouterr().out
    return status, json.loads(out) if out else {}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (f"x = '{SECRET}'", None),
        ("-----BEGIN RSA PRIVATE " + "KEY-----\nMIIabc\n", None),
        ("see /ho" + "me/jdoe/x", "machine-path"),
        ("see /Us" + "ers/jdoe/x", "machine-path"),
        ("see /ro" + "ot/secret/x", "machine-path"),
        ("see C:\\Us" + "ers\\jdoe\\x", "machine-path"),
        ("see D:\\\\work" + "\\\\client", "machine-path"),
        ("see \\\\fileserver1" + "\\share", "machine-path"),
        ("jane.doe" + "@corporation.com", "email-address"),
        ("Ported " + "from https://a.invalid/b", "missing-attribution"),
    ],
    ids=list("abcdefghij"),
)
def test_what_no_release_holds_is_refused(
    tmp_path: Path, capfd: Capture, text: str, rule: str | None
) -> None:
    (tmp_path / "a.md").write_text(f"first\n{text}\n", newline="\n")

    status, report = lint(tmp_path, capfd=capfd)

    assert status == 2
    (finding,) = report["findings"]
    assert finding["line"] == 2
    assert finding["rule"] == rule or (rule is None and finding["category"] == "secret")


@pytest.mark.parametrize(
    "text",
    [
        "HPP_FORGE is /home/me/forge, or /C:/Users/me/forge",
        "write to someone@example.com or git@host.invalid",
        "a regex such as r'\\\\w+\\\\d' and 'path:\\nnext' and https://a.invalid/home/x",
        "adapted from experience",
        "C:\\Windows\\cmd.exe, \\\\AppData\\\\Local and \\\\server\\share",
    ],
    ids=list("abcde"),
)
def test_what_only_looks_like_it_is_no_finding(tmp_path: Path, capfd: Capture, text: str) -> None:
    (tmp_path / "a.md").write_text(text)

    assert lint(tmp_path, capfd=capfd)[0] == 0


def test_in_a_program_a_value_counts_and_an_expression_does_not(
    tmp_path: Path, capfd: Capture
) -> None:
    place = tmp_path / "a.py"
    place.write_text("secret = found[1].rstrip()\ntoken = 'ghp_'\nP = 'PuTTY-User-Key-File-'\n")
    assert lint(tmp_path, capfd=capfd)[0] == 0

    place.write_text("password = '" + "hunter2" + "hunter2'\n")
    assert lint(tmp_path, capfd=capfd)[0] == 2


def test_private_terms_match_whole_words_in_texts_and_names(tmp_path: Path, capfd: Capture) -> None:
    rules = tmp_path / "rules.json"
    rule = {"id": "client", "category": "private-term", "severity": "block", "mode": "word"}
    document = {
        "schema": "hpp.publish-rules/v1",
        "allowed_emails": ["@corporation.com"],
        "rules": [{**rule, "find": "Initech"}],
        "allow": [],
    }
    rules.write_text(json.dumps(document))
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.md").write_text("initechs and initech and jane" + "@corporation.com\n")
    (tree / "initech.png").write_bytes(b"\x89PNG\0initech")

    status, report = lint(tree, "--local-rules", str(rules), capfd=capfd)

    assert status == 2
    assert [(f["path"], f["line"]) for f in report["findings"]] == [("a.md", 1), ("initech.png", 0)]
    assert report["unscanned"] == ["initech.png"]


def test_a_former_report_is_a_baseline_even_when_lines_move(tmp_path: Path, capfd: Capture) -> None:
    tree, kept = tmp_path / "tree", tmp_path / "report.json"
    tree.mkdir()
    (tree / "a.md").write_text(f"{SECRET}\n")
    assert lint(tree, "--json", str(kept), capfd=capfd)[0] == 2
    (tree / "a.md").write_text(f"new line\n{SECRET}\n")

    assert lint(tree, "--baseline", str(kept), capfd=capfd)[0] == 0
    assert SECRET[4:12] not in kept.read_text()

    (tree / "a.md").write_text(f"{SECRET}x\n")
    assert lint(tree, "--baseline", str(kept), capfd=capfd)[0] == 2


@pytest.mark.parametrize(
    "rules",
    [
        None,
        "{",
        "[]",
        '{"schema": "hpp.publish-rules/v2", "allowed_emails": [], "rules": [], "allow": []}',
        '{"schema": "hpp.publish-rules/v1", "allowed_emails": [], "rules": [{}], "allow": []}',
    ],
    ids=list("abcde"),
)
def test_rules_that_cannot_be_read_are_refused(
    tmp_path: Path, capfd: Capture, rules: str | None
) -> None:
    place = tmp_path / "rules.json"
    if rules is not None:
        place.write_text(rules)

    assert lint(tmp_path / "none", "--rules", str(place), capfd=capfd)[0] == 2


def test_a_warning_refuses_when_it_is_asked_to(tmp_path: Path, capfd: Capture) -> None:
    (tmp_path / "a.orig").write_text("x\n")

    assert lint(tmp_path, capfd=capfd)[0] == 1
    assert lint(tmp_path, "--strict", capfd=capfd)[0] == 2


def test_the_channel_of_a_fresh_tree_is_as_rendered_and_mended_when_not(
    emitted: Tree, capfd: Capture
) -> None:
    words = ["--root", str(emitted.root)]
    place = "multi-session/lane-kit-0.1.0/codex/skills/lanes/SKILL.md"
    assert codexcommand.main(["--check", *words]) == 0
    before = emitted.snapshot()
    emitted.put(place, "other\n")

    assert codexcommand.main(["--check", *words]) == 1
    assert codexcommand.main(["--write", *words]) == 0
    assert emitted.snapshot() != before
    assert codexcommand.main(["--write", "--apply", *words]) == 0
    assert emitted.snapshot() == before
    assert place in capfd.readouterr().out


def test_the_catalogue_document_is_checked_and_written(emitted: Tree, capfd: Capture) -> None:
    words = ["--root", str(emitted.root)]
    assert catalogcommand.main(["--check", *words]) == 0
    before = emitted.snapshot()
    emitted.put("docs/CATALOG.md", "old\n")

    assert catalogcommand.main(["--check", *words]) == 1
    assert catalogcommand.main(words) == 0
    assert b"# Catalogue" in capfd.readouterr().out.encode()
    assert catalogcommand.main(["--write", "--apply", *words]) == 0
    assert emitted.snapshot() == before
