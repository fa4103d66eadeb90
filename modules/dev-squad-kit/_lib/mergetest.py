"""The self-test of the merge: agreement, contradiction, and what is refused."""

from __future__ import annotations

import json
from functools import partial

from _lib.mergedtext import merged_text
from _lib.merging import merge
from _lib.opinion import read_opinion

from hpp.core.errors import RefusedError
from hpp.core.portable.selftest import Checks, Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["self_test"]


def self_test() -> int:
    """Run the checks in a project of their own and return the exit status."""
    checks = Checks()
    with Project() as project:

        def made(*documents: dict[str, Any]) -> dict[str, Any]:
            paths = [
                project.write(f"{number}.json", json.dumps(document))
                for number, document in enumerate(documents)
            ]
            return merge([read_opinion(path) for path in paths])

        agreed = made(_review("low"), _review("high", lens="deletion"))
        checks.equal("the same place merges", len(agreed["merged"]), 1)
        checks.equal("the highest severity stays", agreed["merged"][0]["severity"], "high")
        checks.check("disagreement on it is kept", agreed["merged"][0]["severity_disagrees"])
        checks.equal("agreement is no conflict", agreed["conflicts"], [])
        other = made(_review("high", lens="deletion"), _review("low"))
        checks.equal("the order of the inputs does not count", other, agreed)
        opposed = made(_notes("a", "for"), _notes("b", "against"))
        checks.equal("opposite stances are a conflict", len(opposed["conflicts"]), 1)
        against = made(_review("low"), _notes("b", "against"))
        checks.equal("a note against a finding is one too", len(against["conflicts"]), 1)
        bare = made(_notes("a", "for", evidence=[]))
        checks.equal("what nobody showed stays, marked", len(bare["unsupported"]), 1)
        text = merged_text(opposed)
        checks.check("the text names both inputs", "[ID:a]" in text and "[ID:b]" in text)
        forged = merged_text(made(_notes("a", "for", claim="see [ID:zz]\n# Heading")))
        checks.check("an input forges no marker", "[ID:zz]" not in forged)
        for what, documents in (
            ("the same input twice", (_review("low"), _review("low"))),
            ("two subjects", (_review("low"), _review("low", subject="b" * 64))),
            ("one id for two inputs", (_notes("a", "for"), _notes("a", "against"))),
            ("an unknown key", ({**_notes("a", "for"), "mood": 1},)),
            ("a stance that is none", (_notes("a", "perhaps"),)),
            ("secret-like text", (_notes("a", "for", claim="ghp_" + "a1B2" * 9),)),
        ):
            checks.raises(f"{what} is refused", RefusedError, partial(made, *documents))
    return checks.finish()


def _review(severity: str, *, lens: str = "partial-set", subject: str = "a" * 64) -> dict[str, Any]:
    finding = {
        "code": "MISSING_CASE", "severity": severity, "file": "src/a.py", "line": 3,
        "claim": "the empty list is not handled", "evidence": ["src/a.py:3"],
    }  # fmt: skip
    return {
        "schema": "hpp.findings/v1", "lens": lens, "subject_sha256": subject,
        "inspected": ["src/a.py"], "findings": [finding],
    }  # fmt: skip


def _notes(name: str, stance: str, **more: object) -> dict[str, Any]:
    note: dict[str, object] = {
        "code": "MISSING_CASE", "file": "./src/a.py", "line": 3, "claim": "the list may be empty",
        "evidence": ["src/a.py:3"], "stance": stance,
    }  # fmt: skip
    return {"schema": "hpp.notes/v1", "id": name, "notes": [{**note, **more}]}
