"""The sixth stage: the module's own proofs, run on a copy that nothing else can see."""

from __future__ import annotations

import os
import sys
import tempfile

from hpp.core.errors import RefusedError
from hpp.core.outcome import EXITED, TIMEOUT
from hpp.core.runner import run
from hpp.core.secret import redact
from hpp.core.text import printable
from hpp.installer.formats.archive import member_mode
from hpp.installer.formats.installmanifest import DEFAULT_TIMEOUT_S
from hpp.installer.formats.inventory import NAME as INVENTORY
from hpp.installer.formats.problem import Problem, block, exit_code, warn
from hpp.installer.kit import disk
from hpp.installer.kit.facts import find_bash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hpp.core.outcome import Outcome
    from hpp.installer.kit.facts import Facts
    from hpp.installer.kit.source import Source

__all__ = ["reduced_environment", "run_smokes"]

TOGETHER_S = 300
_TAIL = 2000
_KEPT = 64 * 1024
_PASSED_ON = ("PATH", "LANG", "LANGUAGE", "TZ")
_LOCALE = "LC_"
# A report tells nothing of where on the machine things lie.
_MACHINE = {
    os.path.realpath(tempfile.gettempdir()): "<tmp>",
    sys.prefix: "<python>",
    sys.base_prefix: "<python>",
    os.path.expanduser("~"): "<home>",
}
_WINDOWS = (
    "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS",
    "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
)  # fmt: skip


def run_smokes(
    source: Source, runtime: str, facts: Facts, timeout_s: int | None = None
) -> tuple[list[dict[str, Any]], list[Problem]]:
    """Run every smoke of a module whose bytes were verified.

    Args:
        source: The module.
        runtime: Its folder as it will be in the target.
        facts: The machine.
        timeout_s: In place of what the module declares for each.

    Returns:
        A record per smoke, and the problems.

    """
    manifest = source.manifest or {}
    smokes = manifest.get("smokes", [])
    records: list[dict[str, Any]] = []
    problems: list[Problem] = []
    left = float(TOGETHER_S)
    with tempfile.TemporaryDirectory(prefix="hpp-smoke-", ignore_cleanup_errors=True) as scratch:
        place = os.path.realpath(scratch)
        module = _lay_out(source, place, runtime)
        environment = reduced_environment(facts.environment, facts.system, place)
        for smoke in smokes:
            limit = min(float(timeout_s or smoke.get("timeout", DEFAULT_TIMEOUT_S)), max(left, 0.1))
            record, problem = _run(smoke, module, place, environment, limit_s=limit, facts=facts)
            left -= record["seconds"] or 0
            records.append(record)
            problems += [problem] if problem is not None else []
    has_run = any(record["seconds"] is not None for record in records)
    if smokes and not has_run and exit_code(problems) < 2:  # noqa: PLR2004 -- not told yet
        told = "none of the declared smokes ran"
        problems.append(
            block("smoke-none-ran", "", told, expected="at least one", next_step="install bash")
        )
    return records, problems


def _lay_out(source: Source, place: str, runtime: str) -> str:
    """Write a copy of the module as it will lie in a target; return its folder."""
    module = os.path.join(place, "target", *runtime.split("/"))
    for path in (*source.listed, INVENTORY):
        file = os.path.join(module, *path.split("/"))
        os.makedirs(os.path.dirname(file), exist_ok=True)
        disk.create_file(file, source.files[path], member_mode(path))
    for name in ("project", "home", "tmp"):
        os.mkdir(os.path.join(place, name))
    return module


def reduced_environment(given: Mapping[str, str], system: str, place: str) -> dict[str, str]:
    """Return what a smoke sees of the environment: paths, locale and the system's own words.

    The running interpreter's folder comes first on the path, so that a script that looks
    for Python finds this one.
    """
    names = {name.upper(): name for name in given}
    wanted = [*_PASSED_ON, *(name for name in names if name.startswith(_LOCALE))]
    wanted += _WINDOWS if system == "nt" else ()
    found = {name: given[names[name]] for name in wanted if name in names}
    own = os.path.dirname(sys.executable)
    found["PATH"] = os.pathsep.join(filter(None, (own, found.get("PATH", ""))))
    home, temporary = os.path.join(place, "home"), os.path.join(place, "tmp")
    for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME"):
        found[name] = home
    for name in ("TMPDIR", "TMP", "TEMP"):
        found[name] = temporary
    found["PYTHONDONTWRITEBYTECODE"] = "1"
    found["PYTHONUTF8"] = "1"
    return found


def _run(  # noqa: PLR0913 -- everything that a run depends on
    smoke: dict[str, Any],
    module: str,
    place: str,
    environment: dict[str, str],
    *,
    limit_s: float,
    facts: Facts,
) -> tuple[dict[str, Any], Problem | None]:
    record: dict[str, Any] = {
        "id": smoke["id"], "argv": smoke["argv"], "status": "not-run", "exit": None,
        "seconds": None, "output_bytes": None, "output_sha256": None, "tail": "",
    }  # fmt: skip
    program = sys.executable
    if smoke["argv"][0] == "{bash}":
        bash = find_bash(facts.system, facts.which, facts.is_file)
        if bash is None:
            record["status"] = "not-run: bash-missing"
            return record, warn(
                "command-missing", "bash", "bash is not on PATH", expected="bash",
                next_step="install it to have this proof",
            )  # fmt: skip
        program = bash
    script = os.path.join(module, *smoke["argv"][1].split("/"))
    cwd = os.path.join(place, "project")
    try:
        outcome = run(
            [program, script, *smoke["argv"][2:]],
            timeout_s=limit_s,
            cwd=cwd,
            environment=environment,
            keep_stdout=_KEPT,
        )
    except RefusedError as error:
        record["status"] = "could-not-start"
        return record, _problem("smoke-could-not-start", smoke["id"], str(error))
    _fill(record, outcome)
    return record, _judged(smoke["id"], outcome, limit_s)


def _fill(record: dict[str, Any], outcome: Outcome) -> None:
    statuses = {EXITED: "ok" if outcome.exit_code == 0 else "fail", TIMEOUT: "timeout"}
    record["status"] = statuses.get(outcome.ending, "could-not-start")
    record["exit"] = outcome.exit_code
    record["seconds"] = round(outcome.duration_s, 3)
    record["output_bytes"] = outcome.stdout.bytes + outcome.stderr.bytes
    record["output_sha256"] = outcome.stdout.sha256
    if record["status"] != "ok":
        kept = outcome.stdout.kept + outcome.stderr.kept
        lines = kept.decode("utf-8", "replace").splitlines()
        tail = redact("\n".join(map(printable, lines)))
        for path, shown in _MACHINE.items():
            tail = tail.replace(path, shown)
        record["tail"] = tail[-_TAIL:]


def _judged(identity: str, outcome: Outcome, limit_s: float) -> Problem | None:
    if outcome.ending == TIMEOUT:
        return _problem("smoke-timeout", identity, f"it ran longer than {limit_s:g} s")
    if outcome.ending != EXITED:
        return _problem("smoke-could-not-start", identity, outcome.reason)
    if outcome.exit_code != 0:
        return _problem("smoke-failed", identity, f"it exited with {outcome.exit_code}")
    return None


def _problem(code: str, identity: str, measured: str) -> Problem:
    step = "look at its output; a module whose proof fails is not installed"
    return block(code, identity, measured, expected="exit 0", next_step=step)
