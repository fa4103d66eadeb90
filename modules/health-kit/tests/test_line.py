"""The status line: what it shows, what it never shows, and what it never does."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = subprocess.CompletedProcess[bytes]

CACHE = ".claude/health/cache.json"


def put(project: Path, services: dict[str, Any], feeds: dict[str, Any], age_s: float = 0) -> None:
    document = {
        "schema": "health.cache/v1", "written_at": int(time.time() - age_s), "ttl_seconds": 900,
        "services": services, "feeds": feeds,
    }  # fmt: skip
    path = project / CACHE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))


def service(status: str) -> dict[str, Any]:
    return {"status": status, "severity": "warn", "online": status == "up"}


def feed(status: str, age_s: float = 0, freshness: float = 3600) -> dict[str, Any]:
    signal = None if status == "unknown" else time.time() - age_s
    return {"status": status, "last_signal": signal, "freshness": freshness, "severity": "warn"}


def test_services_and_feeds_stand_apart(project: Path, line: Callable[..., str]) -> None:
    put(
        project,
        {"api": service("up"), "db": service("down"), "job": service("unknown")},
        {
            "a": feed("fresh"),
            "b": feed("stale", 7200),
            "c": feed("skew", -60),
            "d": feed("unknown"),
        },
    )

    assert line() == "api:OK db:DOWN job:? | a:ok b:2h! c:clock d:? | main"
    assert line("--panel").splitlines() == [
        "api:OK db:DOWN job:?",
        "a:ok b:2h! c:clock d:?",
        "main",
    ]


def test_what_has_become_too_old_since_is_not_fresh(
    project: Path, line: Callable[..., str]
) -> None:
    put(project, {}, {"a": feed("fresh", 120, freshness=60)}, age_s=100)

    assert line() == "a:2m! | main"


def test_many_are_counted(project: Path, line: Callable[..., str]) -> None:
    put(
        project,
        {f"s{number}": service("up" if number < 5 else "down") for number in range(7)},
        {
            f"f{number}": feed("fresh" if number < 2 else "stale", number * 3600)
            for number in range(5)
        },
    )

    assert line() == "svc 5/7 | data 1/5 | main"


def test_a_cache_from_the_future_says_clock(project: Path, line: Callable[..., str]) -> None:
    put(project, {"api": service("up")}, {}, age_s=-60)

    assert line() == "health:CLOCK | main"


def test_names_hide_nothing_and_are_cut(project: Path, line: Callable[..., str]) -> None:
    put(project, {"a\x1b[31m\n" + "b" * 40: service("up")}, {})

    shown = line().partition(" | ")[0]

    assert shown.isprintable()
    assert len(shown) <= 20 + len(":OK")


def test_the_other_segments(
    project: Path, line: Callable[..., str], configure: Callable[..., None]
) -> None:
    state = project / "docs/plans/execution/00-STATE.md"
    state.parent.mkdir(parents=True)
    state.write_text(
        "- [x] no\n<!-- CHECKLIST -->\n- [x] a\n- [X] b\n- [ ] c\n- [ ] d\n"
        "<!-- /CHECKLIST -->\n- [ ] e\n"
    )
    (project / "docs/GATES.md").write_text(
        "| id | gate | state |\n|---|---|---|\n| 1 | a | open |\n| 2 | open | closed |\n"
        "| 3 | c | Open |\n"
    )
    (project / "done.json").write_text('{"done": false}')
    names = ["gates", "progress", "what", "autonomy", "donegate", "branch"]
    configure(
        project="demo",
        statusline={"segments": names, "autonomy_level": 2, "donegate_file": "done.json"},
    )

    assert line() == "gates:2 | demo 50% ████░░░░ | L2 | dod:open | main"
    (project / "done.json").write_text("done: yes")
    (project / ".git" / "HEAD").write_text("a" * 40 + "\n")
    assert line().endswith("| dod:? | aaaaaaaa")


def test_one_bad_segment_stops_no_other(
    project: Path, line: Callable[..., str], configure: Callable[..., None]
) -> None:
    (project / "docs").mkdir()
    (project / "docs/GATES.md").mkdir()
    configure(statusline={"segments": ["gates", "autonomy", "branch"], "autonomy_level": 9})

    assert line() == "gates:ERR | autonomy:ERR | main"
    (project / "operator-profile.json").write_text("{")
    assert line() == "profile:ERR | main"


@pytest.mark.parametrize(
    "stdin", [b"", b"{", b"[]", b"\xff", b'{"workspace": 7, "cwd": []}', b"a" * 2_000_000]
)
def test_what_the_host_says_may_be_anything(run: Callable[..., Run], stdin: bytes) -> None:
    done = run("statusline/statusline.py", "--statusline", stdin=stdin)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"main\n", b"")


def test_a_host_that_never_closes_its_end_is_not_waited_for(
    module_root: Path, project: Path, environment: dict[str, str]
) -> None:
    with subprocess.Popen(
        [sys.executable, module_root / "statusline/statusline.py"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, cwd=project, env=environment,
    ) as started:  # fmt: skip
        assert started.wait(timeout=20) == 0
        assert started.stdout is not None
        assert started.stdout.read() == b"main\n"


def test_no_glyph_that_the_terminal_cannot_show(
    project: Path, run: Callable[..., Run], configure: Callable[..., None]
) -> None:
    state = project / "docs/plans/execution/00-STATE.md"
    state.parent.mkdir(parents=True)
    state.write_text("- [x] a\n- [ ] b\n")
    configure(project="demo")

    done = run("statusline/statusline.py", PYTHONUTF8="0", PYTHONIOENCODING="ascii")

    assert done.stdout == b"demo 50% ####---- | main\n"


def test_it_opens_no_socket_and_starts_no_process(
    project: Path, ask: Callable[..., Any], module_root: Path
) -> None:
    put(project, {"api": service("up")}, {"a": feed("fresh")})
    guarded = (
        "import runpy, socket, subprocess\n"
        "def refuse(*_, **__):\n"
        "    raise AssertionError('it reached out')\n"
        "socket.socket = subprocess.Popen = os.system = refuse\n"
        "import io\n"
        "made = runpy.run_path(os.path.join(root, 'statusline', 'statusline.py'))\n"
        "said = made['parts']({'cwd': given})\n"
        "try:\n"
        "    socket.socket()\n"
        "except AssertionError:\n"
        "    said.append('guarded')\n"
        "print(json.dumps(said))\n"
    )

    assert ask(guarded, str(project)) == ["api:OK", "a:ok", "main", "guarded"]
    del module_root


def test_control_a_missing_cache_is_not_ok(project: Path, line: Callable[..., str]) -> None:
    assert not (project / CACHE).exists()
    assert "OK" not in line()
