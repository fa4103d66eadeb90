"""What the real Claude Code says of the module; skipped where it is not installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def claude() -> str:
    """Return the program: `HPP_CLAUDE`, or `claude` in the folder `HPP_HOSTS` or on the path."""
    hosts = os.environ.get("HPP_HOSTS")
    folder = str(Path(hosts) / "node_modules" / ".bin") if hosts else None
    program = os.environ.get("HPP_CLAUDE") or shutil.which("claude", path=folder)
    if program is None:
        pytest.skip("Claude Code is not installed; HPP_CLAUDE or HPP_HOSTS names it")
    return program


def test_the_validator_has_nothing_against_it(
    claude: str, module_root: Path, tmp_path: Path
) -> None:
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "ANTHROPIC_API_KEY": "dummy"}

    done = subprocess.run(
        [claude, "plugin", "validate", "--strict", module_root], capture_output=True, text=True,
        env={**os.environ, **home}, timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr


MESSAGE: dict[str, Any] = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted",
    "content": [{"type": "text", "text": "Done."}], "stop_reason": "end_turn",
    "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
}  # fmt: skip
STREAM: list[dict[str, Any]] = [
    {"type": "message_start", "message": {**MESSAGE, "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Done."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
]


class Model(BaseHTTPRequestHandler):
    """In place of a model: whatever it is asked, it is done."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        if request.get("stream"):
            lines = [f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in STREAM]
            self._send("text/event-stream", "".join(lines).encode())
        else:
            self._send("application/json", json.dumps(MESSAGE).encode())

    def do_HEAD(self) -> None:
        self._send("application/json", b"")

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _send(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.mark.parametrize("is_wired", [True, False])
def test_the_start_of_a_session_probes_and_control_nothing_else_does(
    claude: str, module_root: Path, project: Path, environment: dict[str, str], is_wired: bool
) -> None:
    configuration = {"health": {"probes": [
        {"name": "own", "type": "file-mtime", "target": "operator-profile.json", "freshness": 3600},
        {"name": "job", "type": "cmd", "target": ["touch", "made"]},
    ]}}  # fmt: skip
    (project / "operator-profile.json").write_text(json.dumps(configuration))
    home = project.parent / "home"
    (home / "tmp").mkdir(parents=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    wired = ["--plugin-dir", str(module_root)] if is_wired else []
    url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        done = subprocess.run(
            [claude, "-p", "go on", *wired], cwd=project, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=120, check=False,
            env={
                "PATH": environment["PATH"], "HOME": str(home), "TMPDIR": str(home / "tmp"),
                "LANG": "C.UTF-8", "TERM": "dumb", "ANTHROPIC_API_KEY": "dummy-key",
                "ANTHROPIC_BASE_URL": url, "CLAUDE_CODE_TMPDIR": str(home / "tmp"),
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
                "DISABLE_ERROR_REPORTING": "1", "DISABLE_TELEMETRY": "1",
                "HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9",
                "NO_PROXY": "127.0.0.1",
            },
        )  # fmt: skip
    finally:
        server.shutdown()
        server.server_close()

    assert done.returncode == 0, done.stdout + done.stderr
    cache = project / ".claude/health/cache.json"
    assert cache.exists() == is_wired
    assert not (project / "made").exists()
    if is_wired:
        document = json.loads(cache.read_bytes())
        assert document["feeds"]["own"]["status"] == "fresh"
        assert document["services"]["job"]["reason"] == "unapproved"


def test_control_a_broken_wiring_would_be_said(
    claude: str, module_root: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "health-kit"
    shutil.copytree(module_root, copy)
    (copy / "hooks/hooks.json").write_text('{"hooks": 7}')
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "ANTHROPIC_API_KEY": "dummy"}

    done = subprocess.run(
        [claude, "plugin", "validate", "--strict", copy], capture_output=True, text=True,
        env={**os.environ, **home}, timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode != 0
