from __future__ import annotations

import pathlib
import shlex
from typing import Any

from hpp.core.git import git

README = pathlib.Path(__file__).parent.parent / "README.md"
Call = Any


def test_the_attestation_of_the_readme_runs_as_printed(
    workspace: pathlib.Path, evidence: Call
) -> None:
    (workspace / "SPEC.md").write_bytes(b"# spec\n")
    who = ["-c", "user.name=t", "-c", "user.email=t@e.x", "-c", "commit.gpgSign=false"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "one"]):
        assert git(words, cwd=str(workspace)).ok
    text = README.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.startswith("hpp-evidence attest ")]

    codes = [evidence(*shlex.split(line)[1:])[0] for line in lines]

    assert codes == [0, 0, 0]
