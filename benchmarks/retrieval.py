"""The retrieval ruler and the citation check: large inputs against a bare reading of them."""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import BARE, PROGRAM, compile_first, ratio, row, seconds

from hpp.retrieval.example import example_path

LOAD = "import json, sys; json.load(open(sys.argv[1], encoding='utf-8'))"
LEAST = 20
TEXTS = {
    "1 MB of prose": "Sales grew 12% in 2025 [ID:a], e.g. in May. Churn fell by 3.5 points.\n"
    * 14_000,
    "560 kB with 20,000 code spans": "Call `x.y(3)` and go on [ID:a]. " * 20_000,
    "160 kB of abbreviations": "e.g. i.e. " * 16_000,
    "1 MB of openings that close nowhere": "[ID:" * 250_000,
}


def main() -> None:
    """Print one row a comparison."""
    compile_first()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for label, scored in (("ids", False), ("objects with scores", True)):
            recorded(folder, label, scored=scored)
        many_cases(folder)
        living(folder)
        citations(folder)


def suite(queries: int, results: int, *, scored: bool) -> str:
    """Return a suite with recorded results."""
    source = random.Random(1)
    cases = []
    for number in range(queries):
        ids = [f"doc-{each}" for each in source.sample(range(10**6), results)]
        found = [{"id": each, "score": 1 / rank} for rank, each in enumerate(ids, 1)]
        cases.append(
            {
                "id": f"q{number}",
                "query": f"what is said of subject {number}",
                "relevant": source.sample(ids, 3),
                "results": found if scored else ids,
            }
        )
    head = {"schema": "hpp.retrieval-suite/v1", "version": "1", "k": 10}
    return json.dumps({**head, "cases": cases})


def recorded(folder: Path, label: str, *, scored: bool) -> None:
    """Measure 10,000 queries with 100 recorded results each, the report written."""
    path = folder / "suite.json"
    path.write_text(suite(10_000, 100, scored=scored), encoding="utf-8")
    evaluate = [PROGRAM, "retrieval", "eval", str(path)]
    value, load_ms = ratio(evaluate, [sys.executable, "-c", LOAD, str(path)], folder, 9)
    note = f"({load_ms:.0f} ms)"
    row(f"10,000 queries with 100 {label}, against json.load", value, 4, note)


def many_cases(folder: Path) -> None:
    """Measure 100,000 small cases against reading them."""
    path = folder / "many.json"
    path.write_text(suite(100_000, 5, scored=False), encoding="utf-8")
    taken = seconds([PROGRAM, "retrieval", "eval", str(path)], folder)
    print(f"     {taken:.1f} s for a replay of 100,000 cases")


def living(folder: Path) -> None:
    """Compare one process a query with one that stays, on the shipped retriever."""
    argv = [sys.executable, example_path("retrieval", "keyword_retriever.py")]
    shipped = example_path("retrieval", "suite.json")
    cases = json.loads(Path(shipped).read_text(encoding="utf-8"))["cases"]

    def per_query(count: int, *options: str) -> float:
        document = {"schema": "hpp.retrieval-suite/v1", "version": "1", "k": 3}
        document["cases"] = [{**cases[n % 7], "id": str(n)} for n in range(count)]
        path = folder / f"{count}.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        words = [PROGRAM, "retrieval", "eval", str(path), "--retriever-command", json.dumps(argv)]
        return float(seconds([*words, *options], folder) / count)

    pairs = [(per_query(100), per_query(2_000, "--protocol", "jsonl")) for _ in range(5)]
    faster = statistics.median(apart / staying for apart, staying in pairs)
    mark = "ok  " if faster >= LEAST else "LOW "
    print(f"{mark} {faster:6.1f}x (at least {LEAST}x)  queries a second when the retriever stays")
    alone = statistics.median(apart for apart, _ in pairs)
    bare = statistics.median(asked_once(argv) for _ in range(21))
    print(f"     {(alone - bare) * 1000:.1f} ms a query on top of the retriever's own run")


def asked_once(argv: list[str]) -> float:
    """Return the wall time of one question with nothing around it."""
    started = time.perf_counter()
    subprocess.run(argv, input=b'{"query": "compost", "k": 3}\n', capture_output=True, check=True)
    return time.perf_counter() - started


def citations(folder: Path) -> None:
    """Compare the check of long texts with reading them, and with texts of half the length."""
    context = folder / "context.json"
    context.write_text('["a"]', encoding="utf-8")
    for label, text in TEXTS.items():
        whole, half = folder / "whole.md", folder / "half.md"
        whole.write_text(text, encoding="utf-8")
        half.write_text(text[: len(text) // 2], encoding="utf-8")
        check = [PROGRAM, "cite", "check", "--context", str(context), "--text"]
        value, half_ms = ratio([*check, str(whole)], [*check, str(half)], folder, 5)
        row(f"{label}, against half of it", value, 2.5, f"({half_ms:.0f} ms)")
    start = statistics.median(seconds(BARE, folder) for _ in range(9)) * 1000
    print(f"     {start:.0f} ms for a bare interpreter, in the figures above")


if __name__ == "__main__":
    main()
