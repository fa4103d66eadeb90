"""``kit_assembler.py --self-test``: each refusal beside a tree that is accepted."""

from __future__ import annotations

import os
import shutil

from hpp.installer.forge.fixture import change_json, put, run, write_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hpp.core.portable.selftest import Checks

__all__ = ["self_test"]

_KIT = "modules/small-kit"


def self_test(checks: Checks, folder: str) -> None:
    """Check the forge in a folder of its own."""
    write_sources(folder)
    checks.equal("a sound tree is emitted", run(folder)["exit_code"], 0)
    checks.equal("a second run has nothing to do", run(folder)["actions"], [])
    checks.equal("a fresh emission has no drift", run(folder, "check")["exit_code"], 0)
    _check_bytes(checks, folder)
    _check_damage(checks, folder)
    for what, code, harm in _HARMS:
        _check_harm(checks, folder, what, code, harm)
    _check_drift(checks, folder)


def _check_bytes(checks: Checks, folder: str) -> None:
    """Emit again with other times, another zone and another mask."""
    import time

    zone, mask = os.environ.get("TZ"), os.umask(0o077)
    try:
        os.environ["TZ"] = "Asia/Kathmandu"
        if hasattr(time, "tzset"):
            time.tzset()
        for place, _, names in os.walk(os.path.join(folder, "source")):
            for number, name in enumerate(names):
                os.utime(os.path.join(place, name), (number, 2**30 - number))
        run(folder, out="again")
    finally:
        os.umask(mask)
        os.environ.pop("TZ") if zone is None else os.environ.update(TZ=zone)
        if hasattr(time, "tzset"):
            time.tzset()
    same = _tree(os.path.join(folder, "out")) == _tree(os.path.join(folder, "again"))
    checks.check("another time, zone and mask give the same bytes", same)


def _tree(top: str) -> dict[str, tuple[bytes, int]]:
    found: dict[str, tuple[bytes, int]] = {}
    for place, _, names in os.walk(top):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as stream:
                found[os.path.relpath(path, top)] = (stream.read(), os.stat(path).st_mode)
    return found


def _check_damage(checks: Checks, folder: str) -> None:
    place = os.path.join(folder, "out", "frameworks", "small-kit-0.1.0.zip")
    with open(place, "ab") as stream:
        stream.write(b"x")
    checks.equal("a damaged zip is drift", _codes(run(folder, "check")), {"emission-drift"})
    run(folder)
    checks.equal("emitting again mends it", run(folder, "check")["exit_code"], 0)


def _check_harm(
    checks: Checks, folder: str, what: str, code: str, harm: Callable[[str], None]
) -> None:
    place = os.path.join(folder, "harmed")
    shutil.copytree(os.path.join(folder, "source"), os.path.join(place, "source"))
    try:
        harm(os.path.join(place, "source"))
        report = run(place)
        untouched = not os.path.exists(os.path.join(place, "out"))
        got = (report["exit_code"], _codes(report), untouched)
        checks.equal(f"{what} is refused", got, (2, {code}, True))
    finally:
        shutil.rmtree(place)


def _codes(report: dict[str, Any]) -> set[str]:
    return {problem["code"] for problem in report["problems"]}


def _changing(path: str, change: Callable[[Any], object]) -> Callable[[str], None]:
    return lambda source: change_json(os.path.join(source, *path.split("/")), change)


def _putting(path: str, content: object) -> Callable[[str], None]:
    return lambda source: put(source, path, content)


def _emptying(source: str) -> None:
    shutil.rmtree(os.path.join(source, *_KIT.split("/"), "skills"))


_REPLACE = {"files": ["*.md"], "find": "small", "replace": "x", "expect": 99}
_HARMS: tuple[tuple[str, str, Callable[[str], None]], ...] = (
    ("a secret", "publish-block", _putting(f"{_KIT}/a.md", "key: ghp_" + "Zx9" * 12 + "\n")),
    ("an undeclared component", "component-undeclared", _putting(f"{_KIT}/rules/a.md", "a\n")),
    ("a missing component", "component-missing", _emptying),
    ("a lone carriage return", "encoding", _putting(f"{_KIT}/a.md", b"a\rb\n")),
    (
        "a replacement with other hits",
        "replace-count",
        _changing(f"{_KIT}/module.build.json", lambda value: value["replace"].append(_REPLACE)),
    ),
    (
        "a hooks file with a root key of its own",
        "hooks-file-invalid",
        _changing(f"{_KIT}/hooks/hooks.json", lambda value: value.update({"$schema": "x"})),
    ),
    (
        "an unknown key of a build manifest",
        "build-manifest-invalid",
        _changing(f"{_KIT}/module.build.json", lambda value: value.update(extra=1)),
    ),
    (
        "a shared source with needs of its own",
        "vendor-drift",
        _putting("packages/shared/src/hpp/core/text.py", "import unheard_of\n"),
    ),
)


def _check_drift(checks: Checks, folder: str) -> None:
    """Change a source between reading and swapping, which stops the emission."""
    from hpp.installer.forge.sourceset import Reader

    place = os.path.join(folder, "source", *_KIT.split("/"), "README.md")
    reader = Reader(os.path.join(folder, "source"))
    reader.read(place)
    checks.equal("an unchanged source is no drift", list(reader.drift()), [])
    put(os.path.dirname(place), "README.md", "# changed\n")
    codes = [problem.code for problem in reader.drift()]
    checks.equal("a source that changes meanwhile is refused", codes, ["source-drift"])
    from hpp.installer.forge.sourceset import collision_problems

    twins = {"a/x": b"", "A/y": b""}
    codes = [problem.code for problem in collision_problems(twins)]
    checks.equal("names that differ in case alone are refused", codes, ["case-collision"])
