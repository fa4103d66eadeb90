"""Run what documents show, and compare it with what they say it prints.

A block ``console`` is a session: a line that begins with ``$`` is typed (a backslash at its
end continues it), what follows is its output, both streams together. A line of three dots
stands for any lines, three dots in a line for any text. A block ``sh`` is typed line by line,
and each line must succeed, or end as ``exit N`` in its comment says. A block with ``file=NAME``
in its info line is saved under that name first.

The blocks of one document are one shell in one folder, in order. The folder is a git
repository with this one's `examples` and `modules` and one commit. What differs between
runs is brought into one form on both sides: digests, commits, instants, durations and the
folder itself. Bash types; nothing here needs another.

    python tools/console.py README.md docs/concepts.md     say what differs, exit 1
    python tools/console.py --write docs/concepts.md       write the real output instead
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = "/home/me"
FOLDER = f"{HOME}/hpp"
ELLIPSIS = "..."
MARK = "\x01"
LIMIT_S = 300
DROPPED = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "CI", "WT_SESSION", "PYTHONIOENCODING")
VARIABLES = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "PYTHONDONTWRITEBYTECODE": "1",
    "COLUMNS": "120",
}
# What differs between two runs, and the one form that it is compared in.
VOLATILE = [
    (re.compile(r"\b[0-9a-f]{64}\b"), "SHA256"),
    (re.compile(r"\b[0-9a-f]{40}\b"), "COMMIT"),
    (re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{12}\b"), "SHORT"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "INSTANT"),
    (re.compile(r"\b\d{8}T\d{6}Z(?:-\d+)?"), "INSTANT"),
    (re.compile(r'"duration_s": [0-9.]+'), '"duration_s": SECONDS'),
    (re.compile(r"SHA256:[A-Za-z0-9+/]{43}"), "FINGERPRINT"),
]
# Lines of `sh` blocks that are not typed here, each with what does type it.
ELSEWHERE = {
    "bootstrap.py": "CI runs it on three systems",
    ".venv/bin/": "CI runs nox and pytest themselves",
    "git clone REPOSITORY": "the repository has no public place yet",
    "forge/simple": "the session `forge` installs from its own index",
    "HPP_FORGE=": "the session `forge` writes these constraints",
    "hpp forge --all": "the session `forge` emits everything, compares it and checks it",
    "hpp kit": "the session `assets` installs a module from what `forge` wrote, and removes it",
    "pip download": "it needs a network",
    "--no-index": "it needs a tree that is built",
    "sha256sum": "the session `assets` holds a tree to its sums",
    "uv sync": "bootstrap.py does it",
    "claude ": "a host that is not here",
    "codex ": "a host that is not here",
}


@dataclass
class Step:
    """One thing to type: its text, what a page says it prints, and where that stands."""

    text: str
    wanted: list[str] = field(default_factory=list)
    first: int = 0
    after: int = 0
    shows_output: bool = True
    status: int = 0


def fences(lines: list[str]) -> list[tuple[str, int, int]]:
    """Return the info line, the first and the line after the last of every fenced block."""
    found = []
    at = 0
    while at < len(lines):
        opening = re.fullmatch(r" *(`{3,})(.*)", lines[at])
        if opening is None:
            at += 1
            continue
        end = at + 1
        while end < len(lines) and lines[end].strip() != opening[1]:
            end += 1
        found.append((opening[2].strip(), at + 1, end))
        at = end + 1
    return found


def steps(text: str) -> list[Step]:
    """Return what a document types, in order."""
    lines = text.split("\n")
    found: list[Step] = []
    for info, first, after in fences(lines):
        saved = re.search(r"\bfile=(\S+)", info)
        if saved:
            body = "\n".join(lines[first:after])
            command = f"mkdir -p \"$(dirname '{saved[1]}')\"\ncat > '{saved[1]}' <<'HPP-END'\n"
            found.append(Step(f"{command}{body}\nHPP-END", shows_output=False))
        elif info == "console":
            found += session(lines, first, after)
        elif info == "sh":
            found += script(lines[first:after])
    return found


def session(lines: list[str], first: int, after: int) -> list[Step]:
    """Return the steps of a block ``console``."""
    found: list[Step] = []
    at = first
    while at < after:
        if lines[at].startswith("$ "):
            text = lines[at][2:]
            while text.endswith("\\"):
                at += 1
                text += "\n" + lines[at]
            found.append(Step(text, first=at + 1, after=at + 1))
        elif found:
            found[-1].wanted.append(lines[at])
            found[-1].after = at + 1
        at += 1
    return found


def script(lines: list[str]) -> list[Step]:
    """Return the steps of a block ``sh``, without what is run elsewhere."""
    joined = re.sub(r"\\\n", " ", "\n".join(lines)).split("\n")
    kept = [line for line in joined if line.strip() and not line.lstrip().startswith("#")]
    kept = [line for line in kept if not any(word in line for word in ELSEWHERE)]
    return [Step(line, shows_output=False, status=stated(line)) for line in kept]


def stated(line: str) -> int:
    """Return the status that the comment of a line says it ends with."""
    found = re.search(r"#.*\bexit ([0-3])\b", line)
    return int(found[1]) if found else 0


def environment(home: Path) -> dict[str, str]:
    """Return an environment that knows no user, with the interpreter's programs first."""
    kept = {k: v for k, v in os.environ.items() if k not in DROPPED and not k.startswith("GIT_")}
    programs = os.pathsep.join([os.path.dirname(sys.executable), kept.get("PATH", "")])
    here = {"HOME": str(home), "USERPROFILE": str(home), "PATH": programs}
    return {**kept, **VARIABLES, **here, "GIT_CEILING_DIRECTORIES": str(home)}


def prepare(folder: Path, env: dict[str, str]) -> None:
    """Make the repository that a document is read in."""
    skipped = shutil.ignore_patterns("__pycache__", "node_modules", ".pytest_cache")
    for name in ("examples", "modules"):
        shutil.copytree(ROOT / name, folder / name, ignore=skipped)
    (folder / ".gitignore").write_text(".hpp/\n__pycache__/\n", encoding="utf-8")
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "begin"]):
        subprocess.run(["git", *words], cwd=folder, env=env, check=True)


def run(found: list[Step], setup: str = "") -> list[tuple[int, list[str]]]:
    """Return status and output lines of each step."""
    with tempfile.TemporaryDirectory(prefix="hpp-doc-") as name:
        home = Path(name).resolve()
        folder = home / "hpp"
        folder.mkdir()
        env = environment(home)
        prepare(folder, env)
        mark = f"hpp_status=$?; printf '{MARK}%d{MARK}' $hpp_status; (exit $hpp_status)\n"
        typed = f"exec 2>&1\n{setup}\nprintf '{MARK}0{MARK}'\n"
        typed += "".join(f"{step.text}\n{mark}" for step in found)
        path = home / "typed.sh"
        path.write_text(typed, encoding="utf-8", newline="\n")
        bash = shutil.which("bash") or "bash"
        done = subprocess.run(
            [bash, str(path)],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=LIMIT_S,
            check=False,
        )
        text = done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
        text = text.replace(str(folder), FOLDER).replace(str(home), HOME)
    parts = text.split(MARK)[2:]
    outputs = [part.removesuffix("\n").split("\n") if part else [] for part in parts[::2]]
    statuses = [int(part) for part in parts[1::2]]
    if len(statuses) != len(found):
        raise SystemExit(f"only {len(statuses)} of {len(found)} steps ran: {text[-2000:]}")
    return list(zip(statuses, outputs, strict=False))  # the last output follows the last mark


def comparable(line: str) -> str:
    """Return a line without what differs between two runs."""
    for pattern, form in VOLATILE:
        line = pattern.sub(form, line)
    return line.rstrip()


def agrees(wanted: list[str], printed: list[str]) -> bool:
    """Say whether lines are the printed ones, where three dots stand for any lines."""
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line.strip() == ELLIPSIS else within(comparable(line)) + "\n"
        for line in wanted
    )
    return re.fullmatch(pattern, "".join(comparable(line) + "\n" for line in printed)) is not None


def within(line: str) -> str:
    """Return the expression of one line; three dots in it stand for any text."""
    return r"[^\n]*".join(re.escape(part) for part in line.split(ELLIPSIS))


def trimmed(lines: list[str]) -> list[str]:
    """Return lines without the empty ones at the end."""
    kept = list(lines)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept


def check(path: Path) -> list[str]:
    """Return what of a document is not so, as texts for a person."""
    found = steps(path.read_text(encoding="utf-8"))
    faults = []
    for step, (status, printed) in zip(found, run(found, setup_of(path)), strict=True):
        if not step.shows_output and status != step.status:
            faults.append(f"{path.name}: exit {status}: {step.text}\n" + "\n".join(printed))
        if step.shows_output and not agrees(trimmed(step.wanted), trimmed(printed)):
            both = ["--- the page", *step.wanted, "--- printed", *printed]
            faults.append(f"{path.name}:{step.first}: {step.text}\n" + "\n".join(both))
    return faults


def write(path: Path) -> None:
    """Put the real output where a document says something else."""
    text = path.read_text(encoding="utf-8")
    found = steps(text)
    lines = text.split("\n")
    results = run(found, setup_of(path))
    for step, (_, printed) in reversed(list(zip(found, results, strict=True))):
        if step.shows_output and not agrees(trimmed(step.wanted), trimmed(printed)):
            lines[step.first : step.after] = printed
    path.write_text("\n".join(lines), encoding="utf-8", newline="\n")


def setup_of(path: Path) -> str:
    """Return what is typed before a document, for what it takes as given."""
    name = "-".join(path.resolve().relative_to(ROOT).parts) if is_ours(path) else path.name
    given = ROOT / "tools" / "given" / f"{name}.sh"
    return given.read_text(encoding="utf-8") if given.is_file() else ""


def is_ours(path: Path) -> bool:
    """Say whether a document lies in this repository."""
    return ROOT in path.resolve().parents


def main(words: list[str]) -> int:
    """Check the documents that are named, or rewrite them with ``--write``."""
    paths = [Path(word) for word in words if word != "--write"]
    if "--write" in words:
        for path in paths:
            write(path)
        return 0
    faults = [fault for path in paths for fault in check(path)]
    print("\n\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
