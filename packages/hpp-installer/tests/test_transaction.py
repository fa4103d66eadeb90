"""A transaction is finished or as if it had never begun, whatever ends it."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hpp.installer.kit.fixture import ID
from hpp.installer.kit.removal import uninstall

if TYPE_CHECKING:
    from collections.abc import Callable

Shop = Any  # the class lives in conftest.py
DRIVER = Path(__file__).parent / "data" / "killed.py"
POINTS = 50


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
