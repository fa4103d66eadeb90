"""Fixtures of the tests of health-kit.

They run against `HPP_MODULE_ROOT`, an emitted module, when that is set; else against the
sources, laid out as the build lays them out, with the library of the installed hpp-core.
No test reaches beyond loopback.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import hpp.core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Self

    Run = subprocess.CompletedProcess[bytes]

SOURCE = Path(__file__).resolve().parents[1]
LIBRARY = Path(hpp.core.__file__).parents[2]
CACHE = ".claude/health/cache.json"


@pytest.fixture(scope="session")
def module_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the root of the module that is tested."""
    given = os.environ.get("HPP_MODULE_ROOT")
    if given:
        return Path(given).resolve()
    root = tmp_path_factory.mktemp("module") / SOURCE.name
    ignore = shutil.ignore_patterns("tests", "__pycache__", ".mypy_cache")
    shutil.copytree(SOURCE, root, ignore=ignore)
    build = json.loads((SOURCE / "module.build.json").read_bytes())
    for entry in build["vendor"]:
        if entry["to"] != "_vendor":
            shutil.copy(LIBRARY / entry["from"], root / entry["to"])
    return root


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """Return an environment whose `python3` is the one of these tests, without our variables."""
    hidden = ("CLAUDE_", "HPP_", "GIT_", "LANE_", "OPERATOR_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    first = os.path.dirname(sys.executable)
    return {**kept, "PATH": first + os.pathsep + kept.get("PATH", ""), "PYTHONUTF8": "1"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with a git folder, whose path needs quoting."""
    folder = tmp_path / "a prøject"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


@pytest.fixture
def run(module_root: Path, environment: dict[str, str], project: Path) -> Callable[..., Run]:
    """Return a runner of the module's programs in the project."""

    def start(
        *words: object, cwd: Path = project, stdin: bytes = b"", timeout: float = 120, **more: str
    ) -> Run:
        first, *rest = map(str, words)
        return subprocess.run(
            [sys.executable, module_root / first, *rest], cwd=cwd, input=stdin,
            env={**environment, "CLAUDE_PROJECT_DIR": str(project), **more}, capture_output=True,
            timeout=timeout, check=False,
        )  # fmt: skip

    return start


@pytest.fixture
def health(run: Callable[..., Run]) -> Callable[..., Run]:
    """Return a caller of `health_probe.py`."""
    return lambda *words, **more: run("scripts/health_probe.py", *words, **more)


@pytest.fixture
def line(run: Callable[..., Run], project: Path) -> Callable[..., str]:
    """Return the status line of the project."""

    def show(*words: str) -> str:
        host = json.dumps({"workspace": {"project_dir": str(project)}}).encode()
        done = run("statusline/statusline.py", *words, stdin=host)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode().rstrip("\n")

    return show


@pytest.fixture
def configure(project: Path) -> Callable[..., None]:
    """Return a writer of the project's probes."""

    def write(*probes: dict[str, Any], **more: object) -> None:
        document = {"health": {"probes": list(probes)}, **more}
        (project / "operator-profile.json").write_text(json.dumps(document))

    return write


@pytest.fixture
def cache(project: Path) -> Callable[[], dict[str, Any]]:
    """Return a reader of the cache."""
    return lambda: dict(json.loads((project / CACHE).read_bytes()))


class Server:
    """A service on loopback that counts what it is asked, and answers what it was told."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.status = 200
        self.headers: dict[str, str] = {}
        self.body = b"{}"
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append((self.path, dict(self.headers)))
                self.send_response(server.status)
                for name, value in server.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(server.body)))
                self.end_headers()
                self.wfile.write(server.body)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port: int = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self._runs = True

    def stop(self) -> None:
        """Stop answering; a second time is nothing."""
        if self._runs:
            self._runs = False
            self._server.shutdown()
            self._server.server_close()
            self._thread.join(timeout=10)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


@pytest.fixture
def server() -> Iterator[Server]:
    """Return a service that is up."""
    with Server() as running:
        yield running


@pytest.fixture
def ask(run: Callable[..., Run], tmp_path: Path, module_root: Path) -> Callable[..., Any]:
    """Return the value of a piece of program text, run in the module; `given` is its input."""

    def call(text: str, given: object = None) -> Any:  # noqa: ANN401 -- any JSON value
        script = tmp_path / "piece.py"
        script.write_text(
            "import json, os, sys\n"
            f"root = {str(module_root)!r}\n"
            "sys.path[:0] = [os.path.join(root, '_vendor'), root]\n"
            "given = json.load(sys.stdin)\n" + text,
            encoding="utf-8",
        )
        done = run(script, stdin=json.dumps(given).encode())
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    return call
