"""What a scaffold still lacks: places to fill, agents without defence, a spec that is none."""

from __future__ import annotations

import os

from _lib.defence import agent_faults
from _lib.rendering import PLANS, fill_places
from _lib.scaffold import read_receipt, refused

from hpp.core.canonical import sha256_hex
from hpp.core.document import read_document
from hpp.core.errors import RefusedError
from hpp.core.portable.report import BLOCK, WARN, problem, report
from hpp.core.workgraph import compile_spec
from hpp.core.workspec import parse_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["check", "spec_fault"]

AGENTS = (".claude/agents/", "docs/agents/")


def check(out: str, schema: str) -> dict[str, Any]:
    """Return the report of a scaffold: 1 with places to fill, 2 with a broken part.

    Raises:
        ToolRefusedError: The folder holds no scaffold.

    """
    receipt = read_receipt(out)
    if receipt is None:
        raise refused("receipt-missing", out, "no scaffold is in it", "a folder of the wizard")
    present, problems, edited = {}, [], []
    for path in sorted(receipt["files"]):
        data = _read(out, path)
        if data is None:
            problems.append(_problem("file-missing", path, "it is gone", WARN))
            continue
        present[path] = data
        if sha256_hex(data) != receipt["files"][path]:
            edited.append(path)
    problems += [_problem("fill-remaining", f"{each['path']}:{each['line']}", each["what"], WARN)
                 for each in fill_places(present)]  # fmt: skip
    problems += _broken(out, present)
    return report(schema, problems, mode="check", out=out, files=sorted(present), edited=edited,
                  fill_places=fill_places(present))  # fmt: skip


def spec_fault(path: str) -> str:
    """Return why a work spec does not compile, or an empty text."""
    try:
        compile_spec(parse_spec(read_document(path, root=dict), os.path.basename(path)))
    except RefusedError as error:
        return str(error)
    return ""


def _broken(out: str, present: dict[str, bytes]) -> Iterator[dict[str, str]]:
    for path in present:
        if path.startswith(AGENTS):
            for code, what in agent_faults(os.path.join(out, *path.split("/"))):
                yield _problem(code, path, what, BLOCK)
    spec = f"{PLANS}/spec.json"
    fault = spec_fault(os.path.join(out, *spec.split("/"))) if spec in present else ""
    if fault:
        yield _problem("spec-invalid", spec, fault, BLOCK)


def _problem(code: str, path: str, measured: str, severity: str) -> dict[str, str]:
    return problem(
        code, severity=severity, path=path, measured=measured,
        expected="a scaffold whose places are filled and whose parts are sound",
        following="fill or mend it, then check again",
    )  # fmt: skip


def _read(out: str, path: str) -> bytes | None:
    try:
        with open(os.path.join(out, *path.split("/")), "rb") as stream:
            return stream.read()
    except OSError:
        return None
