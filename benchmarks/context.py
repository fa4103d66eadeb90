"""The context compiler: against a bare script that reads the file and hashes every block.

Every block is also searched for secret-like text. One block in ten talks of tokens and
keys, as ordinary documentation does, and gets the closer look.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

from measure import PROGRAM, compile_first, ratio, row

RUNS = 15
BLOCKS, LENGTH = 10_000, 500
BARE = """
import hashlib, json
with open("blocks.json", encoding="utf-8") as stream:
    for block in json.load(stream):
        hashlib.sha256(block["content"].encode()).hexdigest()
"""
PROSE = (
    "the loop decides from measured state whether work may advance and each block of text is "
    "kept whole or left out so that nothing is cut in the middle of a sentence; sources are "
    "ordered by priority then by name: see docs/architecture.md for the reasons def compile(x): "
    "return [block for block in blocks if len(block.text) <= budget]"
)
WORDS = PROSE.split()
BLANKS = 0.93  # the rest of the words ends a line


def blocks(length: int) -> list[dict[str, object]]:
    """Return blocks of prose and code, the same each time."""
    chance = random.Random(3)
    made: list[dict[str, object]] = []
    for number in range(BLOCKS):
        text = "The token budget and the key of the map. " if number % 10 == 0 else ""
        while len(text) < length:
            text += chance.choice(WORDS) + (" " if chance.random() < BLANKS else "\n")
        source = f"docs/part-{number:05d}.md"
        priority = chance.randrange(-5, 50)
        made.append({"source": source, "priority": priority, "content": text[:length]})
    return made


def main() -> None:
    """Print one row a budget."""
    compile_first()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = json.dumps(blocks(LENGTH))
        (folder / "blocks.json").write_text(text, encoding="utf-8")
        bare = [sys.executable, "-c", BARE]
        for budget in ("200000", "10000000"):
            command = [PROGRAM, "context", "compile", "blocks.json", "--budget", budget]
            value, bare_ms = ratio(command, bare, folder, RUNS)
            note = f"{BLOCKS:,} blocks of {LENGTH} characters, bare {bare_ms:.0f} ms"
            row(f"hpp context compile --budget {budget}", value, 3, note)


if __name__ == "__main__":
    main()
