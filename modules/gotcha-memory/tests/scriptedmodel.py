"""A stand-in for the model behind Claude Code, on loopback: it says what a script says.

It answers `POST /v1/messages` of the Messages API, streamed or not, with the turns it was
given, one after the other, and keeps every request.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

__all__ = ["ScriptedModel"]

USAGE = {"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0,
         "cache_read_input_tokens": 0}  # fmt: skip


class ScriptedModel:
    """A server for the length of a `with`; each turn is a shell command, or a last text."""

    def __init__(self, commands: list[dict[str, str]]) -> None:
        self.requests: list[dict[str, Any]] = []
        self._commands = list(commands)
        self._lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                request = json.loads(self.rfile.read(length) or b"{}")
                if not self.path.startswith("/v1/messages") or "count_tokens" in self.path:
                    self._send("application/json", b'{"input_tokens": 10}')
                    return
                message = model.next_message(request)
                if request.get("stream"):
                    self._send("text/event-stream", b"".join(events(message)))
                else:
                    self._send("application/json", json.dumps(message).encode())

            def do_HEAD(self) -> None:
                self._send("application/json", b"")

            def do_GET(self) -> None:
                self._send("application/json", b'{"data": [], "has_more": false}')

            def log_message(self, *_: object) -> None:
                """Say nothing."""

            def _send(self, kind: str, data: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)

    def next_message(self, request: dict[str, Any]) -> dict[str, Any]:
        """Keep a request and return the answer to it; what has no tools is a side question."""
        with self._lock:
            has_tools = bool(request.get("tools"))
            if has_tools:
                self.requests.append(request)
            calls = [self._commands.pop(0)] if has_tools and self._commands else []
            number = len(self.requests)
        blocks: list[dict[str, Any]] = [{"type": "text", "text": "On it." if calls else "Done."}]
        blocks += [
            {"type": "tool_use", "id": f"toolu_{number:020}", "name": "Bash", "input": call}
            for call in calls
        ]
        return {
            "id": f"msg_{number:020}", "type": "message", "role": "assistant",
            "model": request.get("model", "scripted"), "content": blocks,
            "stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None,
            "usage": USAGE,
        }  # fmt: skip


def events(message: dict[str, Any]) -> Iterator[bytes]:
    """Yield the stream of one message."""
    yield event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield event("content_block_start", index=index, content_block=start)
        yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=end, usage=message["usage"])
    yield event("message_stop")


def event(name: str, **fields: object) -> bytes:
    """Return one server-sent event."""
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()
