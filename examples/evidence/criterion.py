"""An example of a criterion: measure, write what was measured, then say whether it is enough.

Writes ``out/measured.json`` and ``out/summary.txt`` below the working folder. With
``--break`` it measures a failure: both are written all the same, and it exits with 1.

    hpp evidence run --id unit --artifact out/measured.json --artifact 'out/*.txt' -- \
        python examples/evidence/criterion.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

WANTED = [1, 1, 2, 3, 5, 8]


def fibonacci(count: int) -> list[int]:
    """Return the first numbers of the sequence: the work that this criterion judges."""
    numbers = [1, 1]
    while len(numbers) < count:
        numbers.append(numbers[-1] + numbers[-2])
    return numbers[:count]


def main(words: list[str]) -> int:
    """Measure, write both artifacts, and return the exit status."""
    found = fibonacci(len(WANTED))
    if "--break" in words:
        found[-1] += 1
    passed = found == WANTED
    out = Path("out")
    out.mkdir(exist_ok=True)
    measured = {"found": found, "passed": passed, "wanted": WANTED}
    text = json.dumps(measured, sort_keys=True) + "\n"
    (out / "measured.json").write_bytes(text.encode())
    (out / "summary.txt").write_bytes(b"passed\n" if passed else b"failed\n")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
