"""What the module promises, asked as a host or a person asks it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = subprocess.CompletedProcess[bytes]


class Service(Protocol):
    """What the fixture of a service offers."""

    asked: list[tuple[str, dict[str, str]]]
    status: int
    headers: dict[str, str]
    port: int
    url: str

    def stop(self) -> None:
        """Stop answering."""


CACHE = ".claude/health/cache.json"
SOUND = (
    '{"schema": "health.cache/v1", "written_at": 1, "ttl_seconds": 9, "services": {}, "feeds": {}}'
)
SCRIPTS = ("scripts/health_probe.py", "scripts/board_check.py", "scripts/wire_settings.py",
           "statusline/statusline.py")  # fmt: skip


def http(server: Service, **more: object) -> dict[str, Any]:
    return {"name": "api", "type": "http", "target": server.url, **more}


def feed(**more: object) -> dict[str, Any]:
    return {
        "name": "orders", "type": "json-timestamp", "target": "orders.json", "field": "meta[0].at",
        "freshness": 3600, **more,
    }  # fmt: skip


def put_feed(project: Path, at: object) -> None:
    (project / "orders.json").write_text(json.dumps({"meta": [{"at": at}]}))


def marker(name: str = "made") -> list[str]:
    return [sys.executable, "-c", f"open({name!r}, 'w')"]


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_self_test_holds(run: Callable[..., Run], script: str, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))

    done = run(script, "--self-test")

    assert done.returncode == 0, done.stdout.decode()
    assert b", 0 failed" in done.stdout
    assert sorted(tmp_path.rglob("*")) == before


def test_a_service_that_answers_is_up_and_one_that_stopped_is_down(
    configure: Callable[..., None], health: Callable[..., Run], line: Callable[..., str],
    server: Service, cache: Callable[[], dict[str, Any]],
) -> None:  # fmt: skip
    configure(http(server, severity="block"))
    assert health("approve", "--apply").returncode == 0

    up = health("run")
    assert (up.returncode, up.stderr) == (0, b"")
    assert up.stdout.decode() == "services 1/1 up · data 0/0 fresh\n"
    assert line() == "api:OK | main"
    last_up = cache()["services"]["api"]["last_up"]
    server.stop()
    down = health("run")

    assert down.returncode == 2
    assert "services 0/1 up (down: api)" in down.stdout.decode()
    assert line() == "api:DOWN | main"
    entry = cache()["services"]["api"]
    assert (entry["reason"], entry["online"], entry["last_up"]) == ("refused", False, last_up)


def test_up_and_stale_are_both_said(
    configure: Callable[..., None], health: Callable[..., Run], line: Callable[..., str],
    server: Service, project: Path,
) -> None:  # fmt: skip
    configure(http(server), feed())
    put_feed(project, time.time() - 10000)
    health("approve", "--apply")

    done = health("run")

    assert done.returncode == 1
    assert done.stdout.decode() == "services 1/1 up · data 0/1 fresh (stale: orders 2h46m)\n"
    assert line() == "api:OK | orders:2h46m! | main"


@pytest.mark.parametrize("severity", ["warn", "block"])
def test_a_time_in_the_future_is_skew(
    configure: Callable[..., None], health: Callable[..., Run], line: Callable[..., str],
    project: Path, severity: str,
) -> None:  # fmt: skip
    configure(feed(severity=severity))
    put_feed(project, time.time() + 600)

    done = health("run")

    assert done.returncode == (2 if severity == "block" else 1)
    assert b"skew: orders" in done.stdout
    assert line() == "orders:clock | main"


def test_ten_services_that_never_answer_do_not_hold_up_a_session(
    configure: Callable[..., None], health: Callable[..., Run],
    cache: Callable[[], dict[str, Any]],
) -> None:  # fmt: skip
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(1)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        configure(
            *({"name": f"n{number}", "type": "http", "target": url} for number in range(10)),
            {"name": "last", "type": "http", "target": url, "severity": "block"},
        )
        health("approve", "--apply")
        done = health("run", "--hook", "--quiet", stdin=b"{}", timeout=20)

    assert (done.returncode, done.stderr) == (0, b"")
    assert set(json.loads(done.stdout)) == {"systemMessage"}
    reasons = {entry["reason"] for entry in cache()["services"].values()}
    assert reasons <= {"timeout", "deadline"}
    assert len(cache()["services"]) == 11


def test_what_nobody_approved_is_neither_run_nor_asked(
    configure: Callable[..., None], health: Callable[..., Run], server: Service, project: Path,
    cache: Callable[[], dict[str, Any]],
) -> None:  # fmt: skip
    configure({"name": "job", "type": "cmd", "target": marker()}, http(server))

    done = health("run")
    hook = health("run", "--hook", "--quiet")

    assert done.returncode == 1
    assert (hook.returncode, hook.stdout) == (0, b"")
    assert not (project / "made").exists()
    assert server.asked == []
    assert {each["reason"] for each in cache()["services"].values()} == {"unapproved"}
    assert {each["status"] for each in cache()["services"].values()} == {"unknown"}


def test_control_without_the_approval_it_would_have_run(  # noqa: PLR0913, PLR0917 -- fixtures
    configure: Callable[..., None], health: Callable[..., Run], project: Path,
    module_root: Path, tmp_path: Path, run: Callable[..., Run],
) -> None:  # fmt: skip
    """CONTROLE: in a copy whose approval always says yes, the file is made."""
    broken = tmp_path / "broken"
    shutil.copytree(module_root, broken)
    part = broken / "_lib" / "healthrun.py"
    text = part.read_text(encoding="utf-8")
    assert "allow_unanchored if answer is None else answer" in text
    part.write_text(text.replace("allow_unanchored if answer is None else answer", "True"))
    configure({"name": "job", "type": "cmd", "target": marker()})

    health("run")
    assert not (project / "made").exists()
    run(broken / "scripts/health_probe.py", "run")

    assert (project / "made").exists()


def test_an_edit_voids_the_approval(
    configure: Callable[..., None], health: Callable[..., Run], project: Path
) -> None:
    job = {"name": "job", "type": "cmd", "target": marker()}
    configure(job)
    assert health("approve", "--apply").returncode == 0
    assert health("run").returncode == 0
    (project / "made").unlink()
    configure({**job, "severity": "block", "cadence": 60})
    assert health("run").returncode == 0
    (project / "made").unlink()

    configure({**job, "target": marker("another")})

    assert health("run").returncode == 1
    assert not (project / "another").exists()


def test_approve_shows_everything_and_writes_nothing_without_apply(
    configure: Callable[..., None], health: Callable[..., Run], server: Service, project: Path
) -> None:
    secret = {"headers_env": {"X-Key": "MY_KEY"}}
    configure(http(server, **secret), {"name": "job", "type": "cmd", "target": ["make", "a b"]})

    plan = health("approve", MY_KEY="hidden")

    assert plan.returncode == 0
    shown = plan.stdout.decode()
    assert f"GET {server.url}, host 127.0.0.1 port {server.port}" in shown
    assert "header X-Key from $MY_KEY" in shown
    assert 'job: run ["make", "a b"]' in shown
    assert "hidden" not in shown
    assert not (project / ".git" / "hpp").exists()


def test_without_git_only_a_person_at_the_terminal_can_run_them(
    configure: Callable[..., None], health: Callable[..., Run], project: Path
) -> None:
    shutil.rmtree(project / ".git")
    configure({"name": "job", "type": "cmd", "target": marker()})

    assert health("approve", "--apply").returncode == 2
    assert health("run").returncode == 1
    assert health("run", "--hook", "--allow-unanchored").returncode == 0
    assert not (project / "made").exists()
    assert health("run", "--allow-unanchored").returncode == 0
    assert (project / "made").exists()


BAD = {
    "a command as a text": {"type": "cmd", "target": "sh -c x"},
    "a file as a URL": {"type": "http", "target": "file:///etc/hostname"},
    "a user in the URL": {"type": "http", "target": "http://" + "me@h/"},
    "no host": {"type": "http", "target": "http:///x"},
    "a line break": {"type": "http", "target": "http://h/\nx"},
    "no port": {"type": "tcp", "target": "host"},
    "port 0": {"type": "tcp", "target": "host:0"},
    "out of the project": {"type": "file-mtime", "target": "../x", "freshness": 1},
    "an absolute path": {"type": "file-mtime", "target": "/etc/hostname", "freshness": 1},
    "no freshness": {"type": "file-mtime", "target": "x"},
    "freshness of a service": {"type": "tcp", "target": "h:1", "freshness": 1},
    "no field": {"type": "json-timestamp", "target": "x", "freshness": 1},
    "a broken field": {"type": "json-timestamp", "target": "x", "freshness": 1, "field": "a..b"},
    "a header of a file":
        {"type": "json-timestamp", "target": "x", "freshness": 1, "field": "header:Date"},
    "an unknown key": {"type": "tcp", "target": "h:1", "retries": 3},
    "an unknown type": {"type": "ping", "target": "h"},
    "a long timeout": {"type": "tcp", "target": "h:1", "timeout": 16},
    "a timeout that is no number": {"type": "tcp", "target": "h:1", "timeout": True},
    "a bad name": {"type": "tcp", "target": "h:1", "name": "a b"},
    "an unknown severity": {"type": "tcp", "target": "h:1", "severity": "fatal"},
    "a status that is none": {"type": "http", "target": "http://h/", "expect_status": ["2xx"]},
    "an empty command": {"type": "cmd", "target": []},
    "a header that is none":
        {"type": "http", "target": "http://h/", "headers_env": {"a b": "KEY"}},
    "a value in place of a variable":
        {"type": "http", "target": "http://h/", "headers_env": {"X": "a-b"}},
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_configuration_that_breaks_a_rule_is_refused_with_its_place(
    configure: Callable[..., None], health: Callable[..., Run], name: str
) -> None:
    configure({"name": "x", **BAD[name]})

    done = health("validate")

    assert done.returncode == 2
    assert done.stderr.startswith(b"health_probe.py: operator-profile: health.probes[0].")
    assert done.stderr.count(b"\n") == 1


def test_a_refused_configuration_stops_every_verb_and_no_session(
    configure: Callable[..., None], health: Callable[..., Run], project: Path
) -> None:
    configure({"name": "x", "type": "cmd", "target": "sh -c x"})

    for verb in ("validate", "run", "check", "approve", "export-monitors"):
        assert health(verb).returncode == 2
    hook = health("run", "--hook")
    assert hook.returncode == 0
    said = json.loads(hook.stdout)["systemMessage"]
    assert "not probed: operator-profile: health.probes[0].target" in said
    assert not (project / ".claude").exists()


def test_control_a_sound_configuration_is_not_refused(
    configure: Callable[..., None], health: Callable[..., Run], module_root: Path, project: Path
) -> None:
    configure({"name": "x", "type": "tcp", "target": "[::1]:80"})
    assert health("validate").stdout == b"services 1, data 0, to be approved 1\n"
    (project / "operator-profile.json").unlink()
    shutil.copy(module_root / "profile.example.yaml", project / "operator-profile.yaml")
    assert health("validate").stdout == b"services 2, data 1, to be approved 2\n"


def test_an_old_cache_is_not_shown_as_a_current_one(  # noqa: PLR0913, PLR0917 -- fixtures
    configure: Callable[..., None], health: Callable[..., Run], line: Callable[..., str],
    server: Service, project: Path, cache: Callable[[], dict[str, Any]],
) -> None:  # fmt: skip
    configure(http(server))
    health("approve", "--apply")
    health("run")
    document = cache()
    document["written_at"] -= 7200
    (project / CACHE).write_text(json.dumps(document))

    assert line() == "health:OLD 2h | main"
    done = health("check")
    assert (done.returncode, done.stdout) == (1, b"cache expired\n")
    assert health("check", "--max-age", "8000").returncode == 0
    # CONTROLE: with a limit that does not end, the same cache would be shown as current.
    document["ttl_seconds"] = 86400
    (project / CACHE).write_text(json.dumps(document))
    assert line() == "api:OK | main"
    document["ttl_seconds"] = 10**12
    (project / CACHE).write_text(json.dumps(document))
    assert line() == "health:ERR | data:ERR | main"


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "7", '{"schema": "health.cache/v1"}', '{"schema": "other"}', "\x00",
     SOUND.replace('"written_at": 1', '"written_at": true'),
     SOUND.replace('"services": {}', '"services": {"a": 1}')],
)  # fmt: skip
def test_a_cache_that_cannot_be_read_is_an_error_and_no_answer(  # noqa: PLR0913, PLR0917 -- fixtures
    configure: Callable[..., None], health: Callable[..., Run], line: Callable[..., str],
    server: Service, project: Path, content: str,
) -> None:  # fmt: skip
    configure(http(server, severity="block"))
    path = project / CACHE
    path.parent.mkdir(parents=True)
    path.write_text(content)

    assert line() == "health:ERR | data:ERR | main"
    assert health("check").returncode == 2
    path.unlink()
    assert line() == "main"
    assert health("check").returncode == 2


def test_nothing_configured_is_said_and_fine(health: Callable[..., Run], project: Path) -> None:
    done = health("run")

    assert (done.returncode, done.stdout) == (0, b"no probe is configured\n")
    assert health("run", "--hook").stdout == b""
    assert not (project / ".claude").exists()
    assert health("nonsense").returncode == 3
    assert health("--help").returncode == 0


def test_only_some_are_asked_and_the_others_grow_no_younger(
    configure: Callable[..., None], health: Callable[..., Run], project: Path,
    cache: Callable[[], dict[str, Any]],
) -> None:  # fmt: skip
    configure(feed(), feed(name="stock"))
    put_feed(project, time.time())
    health("run")
    document = cache()
    document["feeds"]["stock"]["probed_at"] -= 600
    (project / CACHE).write_text(json.dumps(document))

    assert health("run", "--only", "orders").returncode == 0
    assert cache()["feeds"]["stock"]["probed_at"] == document["feeds"]["stock"]["probed_at"]
    document["feeds"]["stock"]["probed_at"] -= 600
    (project / CACHE).write_text(json.dumps(document))
    assert health("run", "--only", "orders").returncode == 1
    assert "stock" not in cache()["feeds"]
    assert health("run", "--only", "nobody").returncode == 2


def test_the_cache_is_the_owners_alone_and_holds_no_secret(
    configure: Callable[..., None], health: Callable[..., Run], server: Service, project: Path
) -> None:
    configure(
        http(server, target=server.url + "?token=hunter2hunter2", headers_env={"X-Key": "MY_KEY"}),
        {"name": "job", "type": "cmd", "target": [sys.executable, "-c", "", "--key=s3cretValue9"]},
    )
    health("approve", "--apply")

    done = health("run", MY_KEY="hiddenvalue")

    assert done.returncode == 0, done.stdout
    assert server.asked[0][1]["X-Key"] == "hiddenvalue"
    text = (project / CACHE).read_text()
    for secret in ("hunter2hunter2", "hiddenvalue", "s3cretValue9"):
        assert secret not in text
    if os.name != "nt":
        assert (project / CACHE).stat().st_mode & 0o777 == 0o600
    assert (project / ".claude/health/.gitignore").read_text() == "*\n"
    assert json.loads(text)["correctness"] == "not-measured"


def test_monitors_are_what_the_map_reads(
    configure: Callable[..., None], health: Callable[..., Run], server: Service, project: Path
) -> None:
    configure(
        http(server, cadence=60, severity="block"), feed(), feed(name="never", target="no.json")
    )
    put_feed(project, time.time() - 100)
    health("approve", "--apply")
    health("run")

    assert health("export-monitors", "--out", "m.json").returncode == 0
    assert not (project / "m.json").exists()
    assert health("export-monitors", "--out", "m.json", "--apply").returncode == 0
    assert health("export-monitors", "--out", "m.json", "--apply").returncode == 2
    listed = {each["id"]: each for each in json.loads((project / "m.json").read_bytes())}
    assert (listed["api"]["type"], listed["api"]["freshness"]) == ("command", 120)
    assert (listed["orders"]["type"], listed["orders"]["freshness"]) == ("timestamp", 3600)
    assert "last_signal" not in listed["never"]
    done = subprocess.run(
        [sys.executable, "-m", "hpp", "map", "monitor", "m.json", "--now", str(int(time.time()))],
        cwd=project, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    states = {each["id"]: each["status"] for each in json.loads(done.stdout)["monitors"]}
    assert states == {"api": "healthy", "orders": "healthy", "never": "unknown"}


NOW = datetime.now(timezone.utc)
TIMES: list[tuple[object, str, str | None]] = [
    (int(NOW.timestamp()), "fresh", None),
    (NOW.timestamp() * 1000, "fresh", None),
    (NOW.isoformat(), "fresh", None),
    (NOW.strftime("%Y-%m-%dT%H:%M:%SZ"), "fresh", None),
    (str(int(NOW.timestamp())), "fresh", None),
    (NOW.astimezone(timezone(timedelta(hours=5, minutes=30))).isoformat(), "fresh", None),
    (NOW.strftime("%Y-%m-%dT%H:%M:%S"), "unknown", "no-zone"),
    (NOW.strftime("%Y-%m-%d"), "unknown", "unparsable"),
    ("yesterday", "unknown", "unparsable"),
    ("2026-13-45T00:00:00Z", "unknown", "unparsable"),
    (True, "unknown", "unparsable"),
    ([], "unknown", "unparsable"),
    (-1, "unknown", "unparsable"),
    (1e300, "unknown", "unparsable"),
    (None, "unknown", "missing"),
    (0, "stale", None),
]


@pytest.mark.parametrize(("at", "status", "reason"), TIMES, ids=range(len(TIMES)))
def test_a_time_is_read_only_where_it_says_when(  # noqa: PLR0913, PLR0917 -- fixtures
    configure: Callable[..., None], health: Callable[..., Run], project: Path,
    cache: Callable[[], dict[str, Any]], at: object, status: str, reason: str | None,
) -> None:  # fmt: skip
    configure(feed(skew_tolerance=60))
    put_feed(project, at)

    done = health("run")

    entry = cache()["feeds"]["orders"]
    assert (entry["status"], entry["reason"]) == (status, reason)
    assert done.returncode == (0 if status == "fresh" else 1)


@pytest.mark.skipif(os.name == "nt", reason="links need a right on Windows")
def test_files_are_looked_at_inside_the_project_alone(
    configure: Callable[..., None], health: Callable[..., Run], project: Path, tmp_path: Path,
    cache: Callable[[], dict[str, Any]],
) -> None:  # fmt: skip
    (tmp_path / "outside").write_text("x")
    (project / "link").symlink_to(tmp_path / "outside")
    (project / "folder").mkdir()
    (project / "file").write_text("x")
    (project / "broken.json").write_text("{")
    names = ("link", "folder", "file", "none")
    configure(
        *({"name": name, "type": "file-mtime", "target": name, "freshness": 60} for name in names),
        feed(name="broken", target="broken.json"),
    )

    health("run")

    seen = {name: (each["status"], each["reason"]) for name, each in cache()["feeds"].items()}
    assert seen == {
        "link": ("unknown", "config"), "folder": ("unknown", "missing"), "file": ("fresh", None),
        "none": ("unknown", "missing"), "broken": ("unknown", "unparsable"),
    }  # fmt: skip


def test_each_kind_of_answer_has_its_reason(
    configure: Callable[..., None], health: Callable[..., Run], server: Service,
    cache: Callable[[], dict[str, Any]],
) -> None:  # fmt: skip
    server.status = 302
    server.headers = {
        "Location": "http://127.0.0.1:1/",
        "Last-Modified": "Tue, 15 Nov 1994 12:45:26 GMT",
    }
    sleep = [sys.executable, "-c", "import time; time.sleep(30)"]
    configure(
        http(server, expect_status=[200]), http(server, name="moved"),
        {"name": "tcp", "type": "tcp", "target": f"127.0.0.1:{server.port}"},
        {"name": "local", "type": "http", "target": "http://169.254.169.254/"},
        {"name": "secure", "type": "http", "target": server.url.replace("http:", "https:")},
        {"name": "exits", "type": "cmd", "target": [sys.executable, "-c", "raise SystemExit(7)"]},
        {"name": "slow", "type": "cmd", "target": sleep, "timeout": 0.5},
        {"name": "nobody", "type": "cmd", "target": ["no-such-program-here"]},
        {"name": "said", "type": "cmd-timestamp", "freshness": 60,
         "target": [sys.executable, "-c", "import time; print('x'); print(time.time()); print()"]},
        {"name": "header", "type": "http-timestamp", "target": server.url, "freshness": 60,
         "field": "header:Last-Modified"},
    )  # fmt: skip
    health("approve", "--apply")

    assert health("run").returncode == 1

    seen = {name: (each["status"], each["reason"])
            for name, each in {**cache()["services"], **cache()["feeds"]}.items()}  # fmt: skip
    assert seen == {
        "api": ("down", "http-302"), "moved": ("up", None), "tcp": ("up", None),
        "local": ("unknown", "config"), "secure": ("down", "tls"), "exits": ("down", "exit-7"),
        "slow": ("down", "timeout"), "nobody": ("unknown", "missing"), "said": ("fresh", None),
        "header": ("unknown", "http-302"),
    }  # fmt: skip
    assert {path for path, _ in server.asked} == {"/"}
    server.status = 200
    health("run", "--only", "header")
    assert cache()["feeds"]["header"]["status"] == "stale"


def test_a_slow_drip_ends_at_the_time_limit(
    configure: Callable[..., None], health: Callable[..., Run], cache: Callable[[], dict[str, Any]]
) -> None:
    drip = (
        "import socket, sys, time\n"
        "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(1)\n"
        "print(s.getsockname()[1], flush=True)\n"
        "c, _ = s.accept(); c.sendall(b'HTTP/1.0 200 OK\\r\\nX: ')\n"
        "try:\n"
        "    for _ in range(100): c.sendall(b'a'); time.sleep(0.1)\n"
        "except OSError: pass\n"
    )
    with subprocess.Popen([sys.executable, "-c", drip], stdout=subprocess.PIPE) as service:
        assert service.stdout is not None
        port = int(service.stdout.readline())
        target = f"http://127.0.0.1:{port}/"
        configure({"name": "drip", "type": "http", "target": target, "timeout": 0.5})
        health("approve", "--apply")
        health("run")
        service.kill()

    assert cache()["services"]["drip"]["reason"] == "timeout"
