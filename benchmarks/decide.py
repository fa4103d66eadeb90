"""A decider that stays alive against one process a case, and a long replay against its reading."""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from pathlib import Path

from measure import PROGRAM, compile_first, ratio, row

CASES = 10_000
ASKED = 60
BARE = "import json, sys; json.load(open(sys.argv[1], encoding='utf-8'))"
QUESTION = {"id": "q", "kind": "choice", "options": ["low", "medium", "high"], "ladder": True}
BASELINE = (
    Path(__file__).resolve().parent.parent / "examples" / "typed-decisions" / "baseline_decider.py"
)


def recorded(count: int) -> dict[str, object]:
    """Return a suite with a recorded answer to every case."""
    cases = []
    for number in range(count):
        state = f"state {number}"
        record = {
            "schema": "hpp.decision/v1",
            "question": QUESTION,
            "state_sha256": hashlib.sha256(state.encode()).hexdigest(),
            "method": "replay",
            "authority": "advisory",
            "direction": "informational",
            "outcome": {
                "status": "recommendation",
                "value": "low",
                "confidence": number % 100 / 100,
                "probabilities": {"low": 0.5, "medium": 0.25, "high": 0.25},
            },
        }
        cases.append({"id": str(number), "state": state, "expected": "low", "record": record})
    return {"schema": "hpp.decision-suite/v1", "question": QUESTION, "cases": cases}


def main() -> None:
    """Print one row a comparison."""
    compile_first()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        long, short = folder / "long.json", folder / "short.json"
        long.write_text(json.dumps(recorded(CASES)), encoding="utf-8")
        short.write_text(json.dumps(recorded(ASKED)), encoding="utf-8")
        value, base_ms = ratio(
            [PROGRAM, "decide", "eval", str(long)],
            [sys.executable, "-c", BARE, str(long)],
            folder,
            5,
        )
        row(f"decide eval of {CASES} records against json.load", value, 20, f"({base_ms:.0f} ms)")
        words = [PROGRAM, "decide", "eval", str(short), "--decider-command"]
        words.append(json.dumps([sys.executable, str(BASELINE)]))
        value, _ = ratio([*words, "--protocol", "jsonl"], words, folder, 3)
        row(f"decide eval of {ASKED} cases: jsonl against one process each", value, 1 / 4)


if __name__ == "__main__":
    main()
