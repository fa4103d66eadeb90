"""The shipped examples are what they say, and the programs among them run."""

from __future__ import annotations

import hashlib
import http.server
import json
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core.schema import faults, find_schema
from hpp.decide.example import example_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Call = Callable[..., tuple[int, Any, str]]
    Make = Callable[..., Any]

Service = Any  # a server with what it has seen and what it says
SUITE = example_path("typed-decisions", "gotcha-family-suite.json")
BASELINE = json.dumps([sys.executable, example_path("typed-decisions", "baseline_decider.py")])


@pytest.mark.parametrize(
    ("schema", "folder", "name"),
    [
        ("decision-suite", "typed-decisions", "gotcha-family-suite.json"),
        ("decision-suite", "typed-decisions", "recorded-suite.json"),
        ("decision", "typed-decisions", "record.json"),
        ("panel", "deliberation", "panel.json"),
        ("decision", "deliberation", "judge.json"),
        ("rationale", "deliberation", "rationale.json"),
        ("route-request", "routing", "request.json"),
        ("route-providers", "routing", "providers.json"),
        ("findings", "findings", "deletion.json"),
    ],
)
def test_every_example_keeps_its_schema(schema: str, folder: str, name: str) -> None:
    with open(example_path(folder, name), encoding="utf-8") as stream:
        document = json.load(stream)

    assert faults(find_schema(schema).document(), document) == []


@pytest.mark.parametrize("protocol", ["process", "jsonl"])
def test_the_baseline_passes_the_gate_in_both_protocols(program: Call, protocol: str) -> None:
    code, report, _ = program(
        "decide", "eval", SUITE, "--decider-command", BASELINE, "--protocol", protocol
    )

    assert code == 0
    metrics = report["metrics"]
    counts = [metrics[name] for name in ("total", "decided", "abstained", "failed")]
    assert counts == [20, 16, 4, 0]
    assert (metrics["selective_accuracy"], metrics["correct_abstentions"]) == (1.0, 3)
    assert metrics["answerable_coverage"] == 16 / 17


def test_recorded_answers_are_measured(program: Call) -> None:
    code, report, _ = program("eval", example_path("typed-decisions", "recorded-suite.json"))

    assert code == 1
    metrics = report["metrics"]
    assert metrics["selective_accuracy"] == 6 / 7
    assert metrics["risk_coverage"]["area"] == 1 / 49
    assert metrics["calibration"]["largest"] == 0.55


def test_the_deliberation_runs_from_the_panel_to_the_route(program: Call) -> None:
    def path(name: str) -> str:
        return example_path("deliberation", name)

    assert program("deliberate", "plan", path("panel.json"))[0] == 0
    session = ["--panel", path("panel.json"), "--turns", path("turns.json")]
    stop = program("deliberate", "stop", *session)[1]
    assert (stop["reason"], stop["round"], stop["escalate"]) == ("no-new-evidence", 3, True)
    words = ["--judge", path("judge.json"), "--rationale", path("rationale.json")]
    assert program("deliberate", "record", *session, *words, "--out", "r.json")[0] == 0
    assert program("deliberate", "verify", "r.json")[0] == 0
    files = ["--request", example_path("routing", "request.json")]
    files += ["--providers", example_path("routing", "providers.json")]
    assert program("route", *files)[1]["requested_tier"] == "balanced"
    raised = program("route", *files, "--deliberation", "r.json", "--maker-family", "red")[1]
    assert raised["requested_tier"] == "frontier"


def test_the_review_is_about_the_change_beside_it(program: Call) -> None:
    subject = example_path("findings", "change.diff")

    code, printed, _ = program(
        "findings", "check", example_path("findings", "deletion.json"), "--subject", subject
    )

    assert (code, printed["reports"][0]["verdict"]) == (1, "fail")


# ------------------------------------------------------------------ the adapter to a model


@pytest.fixture
def service() -> Iterator[Service]:
    """Return a made-up model on this machine; what it says is its attribute `says`."""
    seen: list[dict[str, Any]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            seen.append(
                {
                    "path": self.path,
                    "key": self.headers["Authorization"],
                    "body": json.loads(self.rfile.read(size)),
                }
            )
            status, body = server.says
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "/elsewhere")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server: Any = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.seen = seen
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def said(content: str, **more: object) -> bytes:
    answer = {"model": "m-1.2", "choices": [{"message": {"content": content}}], **more}
    return json.dumps(answer).encode()


@pytest.fixture
def advised(service: Service, program: Call, monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401
    """Return a caller of `decide eval` whose decider asks the made-up model."""
    monkeypatch.setenv("A_KEY", "sesame")
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    def call(status: int, body: bytes, path: str) -> tuple[int, Any, str]:
        service.says = (status, body)
        argv = [
            sys.executable,
            example_path("typed-decisions", "decide.py"),
            "--endpoint",
            f"http://127.0.0.1:{service.server_address[1]}/v1/",
            "--model",
            "m-1",
            "--key-env",
            "A_KEY",
        ]
        command = json.dumps(argv)
        return program("eval", path, "--decider-command", command, "--protocol", "jsonl")

    return call


@pytest.fixture
def one(put: Callable[[str, object], str], suite: Make, case: Make) -> str:
    """Return a suite of one case."""
    return put("one.json", suite(case("x", "low", None)))


def test_a_model_s_answer_becomes_a_record(advised: Call, service: Service, one: str) -> None:
    body = said('{"value": "low", "confidence": 0.8}', usage={"total_tokens": 9})

    code, report, _ = advised(200, body, one)

    assert code == 0
    (case,) = report["cases"]
    assert (case["value"], case["confidence"]) == ("low", 0.8)
    (request,) = service.seen
    assert (request["path"], request["key"]) == ("/v1/chat/completions", "Bearer sesame")
    assert request["body"]["model"] == "m-1"
    assert "sesame" not in json.dumps(report)


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (200, said("low"), "the record says: JSONDecodeError"),
        (200, said('{"value": "none"}'), "the record says: ValueError"),
        (200, said('"low"'), "the record says:"),
        (200, b"<html>", "the record says: JSONDecodeError"),
        (200, b"{}", "the record says: KeyError"),
        (500, b"boom", "the record says: HTTPError 500"),
        (302, b"", "the record says: HTTPError 302"),
        (200, said('{"value": "low"}', model="m-latest"), "it names whatever is current"),
        (200, said('{"value": "low", "confidence": 7}'), "outcome.confidence: expected"),
    ],
)
def test_whatever_else_a_model_says_is_a_failure(  # noqa: PLR0913, PLR0917 -- fixtures
    advised: Call,
    service: Service,
    one: str,
    status: int,
    body: bytes,
    told: str,
) -> None:
    code, report, _ = advised(status, body, one)

    (case,) = report["cases"]
    assert (code, case["status"]) == (1, "instrument-failure")
    assert told in case["error"]
    assert [request["path"] for request in service.seen] == ["/v1/chat/completions"]


def test_a_model_may_abstain(advised: Call, one: str) -> None:
    report = advised(200, said('{"value": "abstain", "confidence": 0.3}'), one)[1]

    assert report["cases"][0]["status"] == "abstention"


def test_control_the_subject_has_the_hash_that_the_review_names() -> None:
    with open(example_path("findings", "change.diff"), "rb") as stream:
        data = stream.read()
    with open(example_path("findings", "deletion.json"), encoding="utf-8") as stream:
        assert json.load(stream)["subject_sha256"] == hashlib.sha256(data).hexdigest()
