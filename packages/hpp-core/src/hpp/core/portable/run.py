"""Run several hooks of one module, for one event and matcher, in one process.

Usage: ``run.py HOOK.py [HOOK.py ...]``, the event on standard input. Each hook file declares
``NAME``, ``EVENTS``, ``CLOSED`` and ``decide`` as `hookio` describes. The event is read once;
a hook that fails is answered for by its own declaration, and the others still count. A block
wins over a question, a question over a warning, a warning over silence.
"""

from __future__ import annotations

import gc
import os
import sys

if __name__ == "__main__":
    gc.disable()  # a process of milliseconds leaves nothing to be collected
if sys.pycache_prefix is None:
    sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
if os.path.isdir(os.path.join(os.path.dirname(HERE), "_vendor")):
    # Beside the hooks of an emitted module; in the package the imports resolve by themselves.
    sys.path[:0] = [os.path.join(os.path.dirname(HERE), "_vendor"), os.path.dirname(HERE)]

from hpp.core.portable import hookio  # noqa: E402 -- the path comes first
from hpp.core.portable.merge import merge  # noqa: E402 -- the path comes first

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from hpp.core.portable.answer import Answer
    from hpp.core.portable.hookio import Closed
    from hpp.core.portable.payload import Payload

__all__ = ["main"]

_UNRUN = 3  # a launcher for a closed guard makes a block of it, every other one lets through


def main(argv: Sequence[str]) -> int:
    """Answer one event for the hooks named, and return the exit status."""
    if not argv:
        sys.stderr.write("run.py: expected the files of hooks\n")
        return _UNRUN
    why = ""
    payload: Payload | None = None
    try:
        payload = hookio.read_payload()
    except hookio.Malformed as error:
        why = error.why
    except BaseException as error:  # noqa: BLE001 -- a crash would let the call through
        why = f"it cannot be read: {type(error).__name__}"
    answers = [_answer(path, payload, why) for path in argv]
    merged = merge([answer for answer in answers if answer.exit != _UNRUN])
    missing = [answer for answer in answers if answer.exit == _UNRUN]
    if missing and not merged.exit:
        merged = merge([merged, *(hookio.Answer(0, each.stdout) for each in missing)])
        merged.exit = _UNRUN
    return hookio.write(merged)


def _answer(path: str, payload: Payload | None, why: str) -> Answer:
    name = os.path.splitext(os.path.basename(path))[0].replace("_", "-")
    if not os.path.isfile(path):
        answer = hookio.message(name, "the hook's file is missing; not evaluated")
        answer.exit = _UNRUN
        return answer
    try:
        module = _load(path)
        decide = module.decide
    except BaseException as error:  # noqa: BLE001 -- the other hooks still count
        return hookio.failure(name, error, _declared_closed(path), payload)
    name = getattr(module, "NAME", name)
    closed: Closed = getattr(module, "CLOSED", False)
    if payload is None:
        return hookio.not_understood(name, why, closed, None)
    return hookio.evaluate(name, decide, payload, getattr(module, "EVENTS", None), closed=closed)


def _load(path: str) -> ModuleType:
    # What `importlib.machinery` hands on; importing that loads `warnings` and more.
    from _frozen_importlib import ModuleSpec
    from _frozen_importlib_external import SourceFileLoader

    place = os.path.abspath(path)
    name = f"_hook_{os.path.splitext(os.path.basename(place))[0]}"
    loader = SourceFileLoader(name, place)
    spec = ModuleSpec(name, loader, origin=place)
    spec.has_location = True
    module = loader.create_module(spec) or type(sys)(name)
    module.__spec__ = spec
    module.__file__ = place
    sys.modules[name] = module
    loader.exec_module(module)
    return module


def _declared_closed(path: str) -> bool:
    """Say whether a file that cannot be loaded declares itself closed, by its text."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return True
    values = [
        line.partition("=")[2].split("#")[0].strip()
        for line in lines
        if line.startswith("CLOSED") and line[len("CLOSED") :].lstrip()[:1] in ("=", ":")
    ]
    return any(value != "False" for value in values) or any(
        line.startswith("def CLOSED") for line in lines
    )


if __name__ == "__main__":
    hookio.leave(main(sys.argv[1:]))
