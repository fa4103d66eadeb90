"""A transaction is finished or as if it had never begun, whatever ends it."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.errors import MachineError
from hpp.installer.kit.fixture import ID
from hpp.installer.kit.layout import LAYOUTS
from hpp.installer.kit.lock import Lock
from hpp.installer.kit.place import open_target
from hpp.installer.kit.recovery import recover
from hpp.installer.kit.removal import uninstall
from hpp.installer.kit.rollback import rollback

if TYPE_CHECKING:
    from collections.abc import Callable

Shop = Any  # the class lives in conftest.py
DRIVER = Path(__file__).parent / "data" / "killed.py"
POINTS = 20


def killed(shop: Shop, verb: str, arguments: list[str], before: Path) -> list[dict[str, Any]]:
    place = shop.place / f"kills-{verb}"
    place.mkdir()
    job = {
        "place": str(place),
        "before": str(before),
        "verb": verb,
        "arguments": arguments,
        "points": POINTS,
        "seed": 7,
    }
    done = subprocess.run(
        [sys.executable, str(DRIVER)],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def hashed(tree: dict[str, bytes | None]) -> dict[str, str]:
    return {
        path: "" if data is None else hashlib.sha256(data).hexdigest()
        for path, data in tree.items()
    }


def settled(tree: dict[str, str]) -> dict[str, str]:
    """Leave out what holds a moment of the clock: receipts, and the copies of them."""
    moments = re.compile(r"\.agents/hpp/(\.receipts/.+|\.backups/.+/(backup\.json|\d+))")
    return {path: "" if moments.fullmatch(path) else digest for path, digest in tree.items()}


@pytest.mark.parametrize("verb", ["install", "upgrade", "uninstall", "rollback"])
def test_killed_anywhere_it_is_finished_or_untouched(shop: Shop, verb: str) -> None:
    first, second = shop.distribution(), shop.distribution("0.2.0")
    (shop.target / "own.txt").write_bytes(b"mine\n")
    states = {"install": [], "upgrade": [first], "uninstall": [first], "rollback": [first, second]}
    for module in states[verb]:
        assert shop.install(module)["status"] == "applied"
    before = hashed(shop.tree())
    arguments = ["--target", "TARGET", "--host", "codex", "--apply"]
    if verb in ("install", "upgrade"):
        module = first if verb == "install" else second
        arguments += ["--kit", str(module), "--no-smoke"]
    else:
        arguments += ["--module", ID]

    outcomes = killed(shop, verb, arguments, shop.target)

    finished = hashed(shop.tree(shop.place / f"kills-{verb}" / "whole"))
    assert settled(finished) != settled(before)
    assert len(outcomes) == POINTS
    assert all(one["killed"] for one in outcomes)
    assert [one["recovered"] for one in outcomes] == [0] * len(outcomes)
    assert {one["again"] for one in outcomes} == {"nothing-pending"}
    untouched = [one for one in outcomes if one["tree"] == before]
    through = [one for one in outcomes if settled(one["tree"]) == settled(finished)]
    half = [one["point"] for one in outcomes if one not in untouched and one not in through]
    assert half == []
    assert untouched


def blocking(report: dict[str, Any]) -> dict[str, Any]:
    """Return the one problem that stops what was asked for."""
    (problem,) = [one for one in report["problems"] if one["severity"] == "block"]
    found: dict[str, Any] = problem
    return found


CALLS = ("write", "mkdir", "replace", "fsync", "chmod", "link")


def failing(monkeypatch: pytest.MonkeyPatch, number: int, code: int) -> list[str]:
    """Let the n-th call that changes the disk fail; return the list of the calls made."""
    seen: list[str] = []

    def wrapped(name: str, genuine: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: Any, **rules: Any) -> Any:  # noqa: ANN401 -- any function
            seen.append(name)
            if len(seen) == number:
                raise OSError(code, os.strerror(code), "a path")
            return genuine(*words, **rules)

        return call

    for name in CALLS:
        monkeypatch.setattr(os, name, wrapped(name, getattr(os, name)))
    return seen


@pytest.mark.parametrize("verb", ["install", "upgrade", "uninstall", "rollback"])
def test_a_disk_that_fills_up_at_any_write_leaves_the_target_as_it_was(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    first, second = shop.distribution(), shop.distribution("0.2.0")
    if verb != "install":
        shop.install(first)
    if verb == "rollback":
        shop.install(second)
    runs: dict[str, Callable[[], dict[str, Any]]] = {
        "install": lambda: shop.install(first),
        "upgrade": lambda: shop.install(second),
        "uninstall": lambda: uninstall(ID, str(shop.target), "codex", shop.facts, apply=True),
        "rollback": lambda: rollback(ID, str(shop.target), "codex", shop.facts, apply=True),
    }
    before = shop.tree()
    number = 0
    refused = 0
    while True:
        number += 1
        with monkeypatch.context() as patched:
            seen = failing(patched, number, errno.ENOSPC)
            try:
                report = runs[verb]()
            except MachineError:  # it was decided; only tidying up was left
                break
        if len(seen) < number or report["exit_code"] != 2:
            break
        problem = blocking(report)
        assert problem["code"] == "rolled-back"
        assert problem["path"]
        assert shop.tree() == before, number
        refused += 1

    assert refused > 5
    recover(str(shop.target), "codex", shop.facts, apply=True)
    later = replace(shop.facts, is_alive=lambda _: False)
    assert recover(str(shop.target), "codex", later, apply=True)["exit_code"] == 0
    assert shop.tree() != before
    assert shop.install(shop.distribution("0.3.0"))["status"] == "applied"


def test_a_read_only_file_system_is_told_with_its_path(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = shop.distribution()
    with monkeypatch.context() as patched:
        failing(patched, 1, errno.EROFS)
        report = shop.install(module)

    problem = blocking(report)
    assert (report["exit_code"], problem["code"]) == (2, "rolled-back")
    assert problem["path"] == ".agents/hpp"
    assert shop.tree() == {}


def test_of_two_installers_at_once_one_is_kept_out(shop: Shop) -> None:
    module = shop.distribution()
    plans = threading.Barrier(2)
    reports: list[dict[str, Any]] = []
    facts = replace(shop.facts, which=lambda name: name)

    def free_space(path: str) -> int:
        plans.wait(timeout=20)  # both have seen an empty target
        return int(shop.facts.free_space(path))

    facts = replace(facts, free_space=free_space)
    threads = [
        threading.Thread(target=lambda: reports.append(shop.install(module, facts=facts)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert sorted(report["exit_code"] for report in reports) == [1, 2]
    (refused,) = [report for report in reports if report["exit_code"] == 2]
    assert blocking(refused)["code"] in ("lock-held", "changed-during-write")
    assert shop.install(module)["status"] == "already-current"


def test_a_lock_of_a_living_process_keeps_everyone_out(shop: Shop) -> None:
    lock = Lock(open_target(str(shop.target), shop.facts), LAYOUTS["codex"], shop.facts)
    lock.take([])

    for apply in (False, True):
        report = shop.install(shop.distribution(), apply=apply)
        assert report["exit_code"] == 2
        assert blocking(report)["code"] == "lock-held"
    assert recover(str(shop.target), "codex", shop.facts, apply=True)["exit_code"] == 2
    lock.release([".agents", ".agents/hpp"])
    assert shop.tree() == {}


@pytest.mark.parametrize("gone", ["dead", "old"])
def test_a_lock_without_its_process_is_recovered_and_nothing_else_clears_it(
    shop: Shop, gone: str
) -> None:
    lock = Lock(open_target(str(shop.target), shop.facts), LAYOUTS["codex"], shop.facts)
    lock.take([".agents", ".agents/hpp"])
    now = shop.facts.now() + (901 if gone == "old" else 0)
    facts = replace(shop.facts, is_alive=lambda _: gone == "old", now=lambda: now)

    report = shop.install(shop.distribution(), facts=facts)

    assert blocking(report)["code"] == "journal-pending"
    assert lock.is_mine()
    assert recover(str(shop.target), "codex", facts, apply=False)["status"] == "pending"
    assert recover(str(shop.target), "codex", facts, apply=True)["status"] == "recovered"
    assert shop.tree() == {}


def test_a_file_that_changes_between_plan_and_write_stops_the_transaction(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.install(shop.distribution())
    place = shop.target / ".agents/hpp/demo-kit/scripts/version.txt"
    genuine = Lock.take

    def take(self: Lock, own: list[str]) -> None:
        genuine(self, own)
        place.write_bytes(b"mine\n")

    monkeypatch.setattr(Lock, "take", take)
    report = shop.install(shop.distribution("0.2.0"))

    assert blocking(report)["code"] == "changed-during-write"
    assert blocking(report)["path"].endswith("scripts/version.txt")
    assert place.read_bytes() == b"mine\n"
    assert (shop.target / ".agents/hpp/demo-kit/README.md").is_file()


def kill_once(shop: Shop, arguments: list[str], point: int) -> None:
    """Install into the target in a process that ends at a change of the disk."""
    job = {"place": str(shop.place), "before": str(shop.target), "verb": "install", "seed": 1}
    code = f"import json, sys; sys.argv = ['x', 'one', {str(shop.target)!r}, '{point}']"
    code += f"; import runpy; runpy.run_path({str(DRIVER)!r}, run_name='__main__')"
    subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps({**job, "arguments": arguments, "points": 1}),
        text=True,
        timeout=60,
        check=False,
        stdout=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("point", [60, 71])
def test_a_recovery_that_is_killed_is_recovered(shop: Shop, point: int) -> None:
    shop.install(shop.distribution())
    before = hashed(shop.tree())
    arguments = ["--kit", str(shop.distribution("0.2.0")), "--no-smoke", "--apply"]
    arguments += ["--target", "TARGET", "--host", "codex"]
    kill_once(shop, arguments, point)
    assert hashed(shop.tree()) != before

    where = ["--target", "TARGET", "--host", "codex", "--apply"]
    outcomes = killed(shop, "recover", where, shop.target)

    finished = hashed(shop.tree(shop.place / "kills-recover" / "whole"))
    assert outcomes
    assert all(one["killed"] for one in outcomes)
    assert {one["again"] for one in outcomes} == {"nothing-pending"}
    assert [one["point"] for one in outcomes if one["tree"] != finished] == []
    if point < 70:
        assert finished == before


def test_what_a_person_changed_after_a_kill_is_not_undone(shop: Shop) -> None:
    arguments = ["--kit", str(shop.distribution()), "--no-smoke", "--apply"]
    arguments += ["--target", "TARGET", "--host", "codex"]
    kill_once(shop, arguments, 95)
    installed = sorted(shop.target.rglob("demo-kit/**/*.md"))
    assert installed
    installed[0].write_bytes(b"mine\n")
    later = replace(shop.facts, is_alive=lambda _: False)

    report = recover(str(shop.target), "codex", later, apply=True)

    assert report["exit_code"] == 2
    assert blocking(report)["code"] == "modified-since"
    assert installed[0].read_bytes() == b"mine\n"
