"""A retriever to measure: ranks eight notes by the words that they share with a query.

Reads questions as lines of JSON, ``{"query": ..., "k": ...}``, and answers each with one
line. So it serves both ways of asking: one question and the end of the input, or a process
that stays.
"""

from __future__ import annotations

import json
import sys

NOTES = {
    "compost-smell": "a compost heap that smells is too wet: mix in dry leaves",
    "compost-turn": "turn the compost heap with a fork every two weeks",
    "frost-cover": "cover young plants with fleece when frost is expected",
    "pear-prune": "prune a pear tree in winter while it sleeps",
    "seed-depth": "sow a seed about twice as deep as it is wide",
    "slug-trap": "sink a cup of beer in the soil to trap slugs",
    "tomato-split": "tomato skins split when heavy rain follows a drought",
    "tomato-water": "water tomato plants at the root in the morning",
}


def rank(query: str, k: int) -> list[dict[str, object]]:
    """Return the k best notes that share a word with the query, best first."""
    words = set(query.lower().split())
    scores = {note: len(words & set(text.split())) for note, text in NOTES.items()}
    found = [note for note, score in scores.items() if score]
    found.sort(key=lambda note: (-scores[note], note))
    return [{"id": note, "score": scores[note]} for note in found[:k]]


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        question = json.loads(line)
        answer = {"results": rank(question["query"], question["k"])}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
