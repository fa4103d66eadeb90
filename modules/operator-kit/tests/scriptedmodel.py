"""A stand-in for the model behind both clients, on loopback: it says what a script says.

It answers ``POST /v1/messages`` of the Messages API and ``POST /v1/responses`` of the
Responses API with the turns it was given, one after the other, and keeps every request.
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
RESPONSE_USAGE = {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0},
                  "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 0},
                  "total_tokens": 15}  # fmt: skip


class ScriptedModel:
    """A server for the length of a `with`; each turn is ``(text, shell command or None)``."""

    def __init__(self, turns: list[tuple[str, str | None]]) -> None:
        self.requests: list[str] = []
        self._turns = list(turns)
        self._lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                request = json.loads(self.rfile.read(length) or b"{}")
                path = self.path.partition("?")[0]
                if path.endswith("/responses"):
                    text, command = model.next_turn(request, "input")
                    self._send("text/event-stream", b"".join(responses(request, text, command)))
                elif path.endswith("/messages"):
                    text, command = model.next_turn(request, "messages")
                    message = answer(request, text, command)
                    if request.get("stream"):
                        self._send("text/event-stream", b"".join(messages(message)))
                    else:
                        self._send("application/json", json.dumps(message).encode())
                else:
                    self._send("application/json", b'{"input_tokens": 10}')

            def do_HEAD(self) -> None:
                self._send("application/json", b"")

            def do_GET(self) -> None:
                self._send("application/json", b'{"data": [], "models": [], "has_more": false}')

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

    def next_turn(self, request: dict[str, Any], key: str) -> tuple[str, str | None]:
        """Keep what a request holds and return the turn; without tools it is a side question."""
        with self._lock:
            if not request.get("tools"):
                return "Yes.", None
            self.requests.append(json.dumps(request.get(key), ensure_ascii=False))
            return self._turns.pop(0) if self._turns else ("Done.", None)


def answer(request: dict[str, Any], text: str, command: str | None) -> dict[str, Any]:
    """Return a message of the Messages API."""
    number = len(json.dumps(request["messages"]))
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}]
    if command is not None:
        given = {"command": command, "description": "Work"}
        name = f"toolu_{number:020}"
        blocks.append({"type": "tool_use", "id": name, "name": "Bash", "input": given})
    return {
        "id": f"msg_{number:020}", "type": "message", "role": "assistant",
        "model": request.get("model", "scripted"), "content": blocks,
        "stop_reason": "end_turn" if command is None else "tool_use", "stop_sequence": None,
        "usage": USAGE,
    }  # fmt: skip


def messages(message: dict[str, Any]) -> Iterator[bytes]:
    """Yield the stream of one message."""
    yield event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        start: dict[str, Any]
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


def responses(request: dict[str, Any], text: str, command: str | None) -> Iterator[bytes]:
    """Yield the stream of one response."""
    number = len(json.dumps(request.get("input")))
    part = {"type": "output_text", "text": text, "annotations": []}
    items: list[dict[str, Any]] = [
        {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed",
         "content": [part]}
    ]  # fmt: skip
    if command is not None:
        items.append(
            {"type": "function_call", "id": f"item_{number}", "call_id": f"call_{number}",
             "name": "exec_command", "status": "completed",
             "arguments": json.dumps({"cmd": command})}
        )  # fmt: skip
    response = {"id": f"resp_{number}", "object": "response", "output": [],
                "model": request.get("model", "scripted")}  # fmt: skip
    yield event("response.created", response={**response, "status": "in_progress"})
    for index, item in enumerate(items):
        begun = {**item, "status": "in_progress", **({"content": []} if "content" in item else {})}
        yield event("response.output_item.added", output_index=index, item=begun)
        yield event("response.output_item.done", output_index=index, item=item)
    done = {**response, "status": "completed", "output": items, "usage": RESPONSE_USAGE}
    yield event("response.completed", response=done)


def event(name: str, **fields: object) -> bytes:
    """Return one server-sent event."""
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()
