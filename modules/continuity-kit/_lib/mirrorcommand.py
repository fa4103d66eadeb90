"""The verbs of state_mirror.py."""

from __future__ import annotations

import os
import sys

from _lib import place
from _lib.boot import sections
from _lib.mirror_store import mirrored, written_index
from _lib.mirrorplan import planned, rules_of

from hpp.core.errors import RefusedError
from hpp.core.portable import hookio
from hpp.core.portable.fsread import contain, inside
from hpp.core.portable.minicfg import load_file
from hpp.core.portable.profile_loader import load
from hpp.core.portable.scriptcli import make_parser, write_report
from hpp.core.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from hpp.core.portable.selftest import Checks

__all__ = ["check", "parser", "run"]

_FINE = ("copied", "would-copy", "unchanged", "removed", "kept-changed")
_LONG = 65536
_SHAPED = "hunter2hunter2"  # apart from its name, so that no scan of the sources sees a secret
_LARGEST = 64 * 1024 * 1024


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = make_parser(
        "state_mirror.py", "Copy ignored state files into a tracked folder.", json=False
    )
    verbs = made.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, said in (("plan", "say what would be copied"), ("apply", "copy it")):
        verb = verbs.add_parser(name, help=said, description=said)
        verb.add_argument("--profile", metavar="P", help="the profile; else it is looked for")
        verb.add_argument("--json", action="store_true", help="print one JSON object")
        if name == "apply":
            verb.add_argument("--prune", action="store_true", help="remove what is not selected")
    index = verbs.add_parser("index", help="write the index of a long state document")
    index.add_argument("--state-file", metavar="F", required=True)
    index.add_argument("--apply", action="store_true", help="write it")
    index.add_argument("--json", action="store_true", help="print one JSON object")
    return made


def run(values: argparse.Namespace) -> int:
    """Answer a parsed command line."""
    root = hookio.project_root(hookio.Payload({}))
    if values.verb == "index":
        return _index(root, values)
    folder, rules = rules_of(_profile(root, values.profile))
    entries = planned(root, folder, rules)
    is_applied = values.verb == "apply"
    rows = mirrored(
        root, folder, entries, is_applied=is_applied, prunes=is_applied and values.prune
    )
    if values.json:
        write_report({"schema": "hpp.state-mirror-report/v1", "mirror": folder, "files": rows})
    for row in () if values.json else rows:
        line = f"{row['status']} {row['source']} -> {folder}/{row['destination']}"
        sys.stdout.write(printable(line) + "\n")
    return 0 if all(row["status"] in _FINE for row in rows) else 1


def _profile(root: str, named: str | None) -> dict[str, Any]:
    if named is None:
        return load(os.getcwd(), root)
    if not os.path.isfile(named):
        raise RefusedError(f"{named}: there is no such file")
    found = load_file(named, os.path.basename(named))
    if found is not None and not isinstance(found, dict):
        raise RefusedError(f"{os.path.basename(named)}: expected a mapping")
    return found or {}


def _index(root: str, values: argparse.Namespace) -> int:
    below = inside(os.path.abspath(values.state_file), root)
    if below is None:
        raise RefusedError(f"{values.state_file}: outside of the project")
    path = contain(below, root)
    data = place.read(path, _LARGEST)
    if data is None:
        raise RefusedError(f"{values.state_file}: there is no such file")
    document = _indexed(data)
    status = "not-needed"
    if document is not None:
        status = "written" if values.apply else "would-write"
        if values.apply:
            written_index(contain(f"{below}.index.json", root), document)
    if values.json:
        write_report({"status": status, "size": len(data), "path": f"{below}.index.json"})
    else:
        sys.stdout.write(printable(f"{status} {below}.index.json ({len(data)} bytes)") + "\n")
    return 0


def _indexed(data: bytes) -> dict[str, Any] | None:
    """Return the index of a document; None when it is short enough to be read itself."""
    if len(data) <= _LONG:
        return None
    from hashlib import sha256

    found = sections(data.decode("utf-8", "replace"))
    return {
        "schema": "state-index/v1", "size": len(data), "sha256": sha256(data).hexdigest(),
        "sections": found,
    }  # fmt: skip


def check(checks: Checks, root: str) -> None:
    """Check what is copied, kept out and removed."""
    _put(root, "state/a/x.json", "{}\n")
    _put(root, "state/b/x.json", "{}\n")
    _put(root, "state/db.json", f"DB_PASSWORD={_SHAPED}\n")
    profile = {"paths": {"mirror_globs": [{"glob": "state/**/*.json", "dest_subdir": "s"}]}}
    folder, rules = rules_of(profile)
    entries = planned(root, folder, rules)
    found = [(entry.dest, entry.status) for entry in entries]
    checks.equal("files of one name stay two, a secret stays out", found, [
        ("s/a/x.json", "copy"), ("s/b/x.json", "copy"), ("s/db.json", "refused-secret"),
    ])  # fmt: skip
    mirrored(root, folder, entries, is_applied=False, prunes=False)
    checks.check("a plan writes nothing", not os.path.exists(os.path.join(root, "docs")))
    rows = mirrored(root, folder, entries, is_applied=True, prunes=False)
    checks.equal("apply copies", [row["status"] for row in rows], ["copied", "copied",
                 "refused-secret"])  # fmt: skip
    os.remove(os.path.join(root, "state/a/x.json"))
    rows = mirrored(root, folder, planned(root, folder, rules), is_applied=True, prunes=True)
    checks.equal("prune removes what is gone", [row["status"] for row in rows], ["unchanged",
                 "refused-secret", "removed"])  # fmt: skip
    wide = {"paths": {"mirror_globs": [{"glob": "../*", "dest_subdir": "s"}]}}
    checks.raises("CONTROL a rule may not climb", RefusedError, lambda: rules_of(wide))
    checks.equal("a short document needs no index", _indexed(b"x"), None)
    long = _indexed(b"## Now\nfocus\n## Log\n" + b"line\n" * _LONG) or {}
    checks.equal("a long one does", long.get("sections"), {"## Now": ["focus"]})


def _put(root: str, name: str, text: str) -> None:
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
