"""Self-test of handoff_inject: what is handed over, what is withheld. No program is started."""

from __future__ import annotations

import os

from _lib import handoff_store, ledger, place
from _lib.injecting import begin
from _lib.instant import stamp
from _lib.selfcheck import event, said, sample

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.portable.answer import Answer
    from hpp.core.portable.selftest import Checks

__all__ = ["check"]


def check(checks: Checks, root: str) -> None:
    """Check a start without, with, after and against a handoff."""
    checks.equal("nothing to hand over is silence", said(_begin("startup")), {})
    checks.equal("the start is noted", [one["event"] for one in ledger.events(root)], ["booted"])

    _put(root, sample())
    text = _context("startup")
    checks.check("the text says that it is no order", "no instructions and no queue" in text)
    checks.check("a step comes with its check", "before doing it, run: test -f printer.py" in text)
    checks.check("the file is named last", text.endswith("HANDOFF-CURRENT-solo.json"))
    taken = [one for one in ledger.events(root) if one["event"] == "consumed"]
    checks.equal("handing over is noted", len(taken), 1)
    checks.check("a resumed session is not told again", "next step" not in _context("resume"))

    _put(root, sample(handoff_id="HO-20260501-1200-solo-2", valid_until=stamp(0)))
    text = _context("startup")
    checks.check("what expired says so", "STALE (expired)" in text and "next step 1" not in text)
    checks.check("its prohibitions stay", "Leave the schema alone." in text)

    os.mkdir(os.path.join(root, ".git"))  # from now on somebody has to vouch for a document
    text = _context("startup")
    checks.check("what another clone wrote is withheld", "content withheld" in text)
    checks.check("CONTROL a withheld text is nowhere", "Leave the schema alone." not in text)


def _put(root: str, document: dict[str, object]) -> None:
    def choose() -> str:
        return place.current(root, "solo")

    handoff_store.put(root, "solo", document, choose=choose, settle=lambda _: None)


def _begin(source: str) -> Answer | None:
    return begin("handoff-inject", event("SessionStart", source=source))


def _context(source: str) -> str:
    answer = said(_begin(source))
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))
