from __future__ import annotations

import errno
import hashlib
import json
import os
import pathlib
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.git import git
from hpp.core.schema import faults, find_schema
from hpp.evidence import snapshot, treeread
from hpp.evidence.attestation import create_attestation, self_hash
from hpp.evidence.attestverify import verify_attestation

if TYPE_CHECKING:
    from collections.abc import Callable

Call = Any
posix = pytest.mark.skipif(os.name == "nt", reason="links, modes and special files of POSIX")
linux = pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes there")
WHO = ["-c", "user.name=t", "-c", "user.email=t@e.x", "-c", "commit.gpgSign=false"]


def _git(folder: pathlib.Path, *words: str) -> None:
    told = git([*WHO, *words], cwd=str(folder))
    assert told.ok, told.stderr


def _commit(folder: pathlib.Path) -> None:
    _git(folder, "init", "-q")
    _git(folder, "add", ".")
    _git(folder, "commit", "-q", "-m", "one")


@pytest.fixture
def tree(workspace: pathlib.Path) -> pathlib.Path:
    for name in ("SPEC.md", "a.txt", "b.txt"):
        (workspace / name).write_bytes(name.encode())
    _commit(workspace)
    (workspace / "new.txt").write_bytes(b"new")
    return workspace


@pytest.fixture
def create(evidence: Call) -> Call:
    def call(*options: str) -> tuple[int, Any, str]:
        words = ["--spec", "SPEC.md", "--maker", "m", "--checker", "c", "--session", "s"]
        words += ["--verdict", "approved", "--output", ".hpp/a.json", *options]
        answer: tuple[int, Any, str] = evidence("attest", "create", *words)
        return answer

    return call


def _refused(answer: tuple[int, Any, str], folder: pathlib.Path, *named: str) -> None:
    code, document, message = answer
    assert (code, document) == (2, None)
    assert message.count("\n") == 1
    for word in named:
        assert word in message
    assert not (folder / ".hpp").exists()


# ------------------------------------------------------------------ where there is no tree


def test_a_folder_outside_every_repository_is_refused(
    workspace: pathlib.Path, create: Call
) -> None:
    (workspace / "SPEC.md").write_bytes(b"# spec\n")

    _refused(create(), workspace, "not a git repository")


def test_a_repository_without_a_commit_is_refused(workspace: pathlib.Path, create: Call) -> None:
    (workspace / "SPEC.md").write_bytes(b"# spec\n")
    _git(workspace, "init", "-q")

    _refused(create(), workspace, "no commit")


@pytest.mark.parametrize("kind", ["--bare", "--depth=1"])
def test_a_bare_and_a_shallow_clone_are_refused(
    tree: pathlib.Path, create: Call, kind: str
) -> None:
    (tree / "a.txt").write_bytes(b"2")
    _git(tree, "commit", "-q", "-a", "-m", "two")
    made = tree.parent / f"{tree.name}-clone"
    _git(tree, "clone", "-q", kind, tree.as_uri(), str(made))

    _refused(create("--repo", str(made)), tree, "bare" if kind == "--bare" else "shallow")


def test_the_git_folder_itself_is_no_work_tree(tree: pathlib.Path, create: Call) -> None:
    _refused(create("--repo", ".git"), tree, ".git")


def test_without_git_the_refusal_says_so(
    tree: pathlib.Path, create: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tree.parent / f"{tree.name}-empty"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))

    _refused(create(), tree, "git is not installed")


@pytest.mark.parametrize("lost", ["emptied", "moved away by a setting"])
def test_a_submodule_that_lost_its_repository_is_named(
    tree: pathlib.Path, create: Call, lost: str
) -> None:
    """Git would answer for the tree around it, whose listing does not go into it."""
    inner = tree / "inner"
    _git(tree, "init", "-q", "inner")
    (inner / "f").write_bytes(b"x")
    _git(inner, "add", "f")
    _git(inner, "commit", "-q", "-m", "inner")
    _git(tree, "add", "inner")
    _git(tree, "commit", "-q", "-m", "inner")
    assert create()[0] == 0
    shutil.rmtree(tree / ".hpp")
    if lost != "emptied":
        with (inner / ".git" / "config").open("a", newline="\n") as stream:
            stream.write(f"[core]\n\tworktree = {(tree / 'elsewhere').as_posix()}\n")
        (tree / "elsewhere").mkdir()
    else:
        (inner / ".git").rename(tree.parent / f"{tree.name}-lost")
        (inner / ".git").mkdir()

    _refused(create(), tree, "inner: its .git is no repository of this folder")


@pytest.mark.parametrize(
    "url", ["https://u:p@h/x", "https://u@h/x", "https://u:p@1@2@h/x", "https://u:@h/x"]
)
def test_no_part_of_a_remote_s_credentials_is_hashed(
    tree: pathlib.Path, create: Call, url: str
) -> None:
    _git(tree, "remote", "add", "origin", url)

    assert create()[1]["repo"]["id"] == hashlib.sha256(b"https://h/x").hexdigest()


# ------------------------------------------------------------------ a tree that moves


@pytest.fixture
def meddle(monkeypatch: pytest.MonkeyPatch) -> Call:
    """Return a function that does something once every file was read."""

    def call(action: Callable[[], object]) -> None:
        check = treeread.check_still

        def meddled(*words: Any) -> None:  # noqa: ANN401 -- passed on as they come
            action()
            check(*words)

        monkeypatch.setattr(snapshot, "check_still", meddled)

    return call


def test_a_file_that_changes_after_it_was_read_is_named(
    tree: pathlib.Path, create: Call, meddle: Call
) -> None:
    meddle(lambda: (tree / "a.txt").write_bytes(b"other"))

    _refused(create(), tree, "a.txt: it changed while")


def test_a_change_that_puts_size_and_time_back_is_named(
    tree: pathlib.Path, create: Call, meddle: Call
) -> None:
    def put_back() -> None:
        before = (tree / "a.txt").stat()
        (tree / "a.txt").write_bytes(b"A.TXT")
        os.utime(tree / "a.txt", ns=(before.st_atime_ns, before.st_mtime_ns))

    if os.name == "nt":
        pytest.skip("there the time of the last change of a stamp cannot be told")
    meddle(put_back)

    _refused(create(), tree, "a.txt: it changed while")


@pytest.mark.parametrize("name", ["a.txt", "new.txt"])
def test_a_file_that_vanishes_is_named(
    tree: pathlib.Path, create: Call, meddle: Call, name: str
) -> None:
    meddle((tree / name).unlink)

    _refused(create(), tree, name)


def test_a_file_that_appears_is_named(tree: pathlib.Path, create: Call, meddle: Call) -> None:
    meddle(lambda: (tree / "later.txt").write_bytes(b"x"))

    _refused(create(), tree, "later.txt: it came or went")


def test_a_tracked_file_that_comes_back_is_named(
    tree: pathlib.Path, create: Call, meddle: Call
) -> None:
    (tree / "a.txt").unlink()
    meddle(lambda: (tree / "a.txt").write_bytes(b"x"))

    _refused(create(), tree, "a.txt")


def test_a_head_that_moves_is_refused(tree: pathlib.Path, create: Call, meddle: Call) -> None:
    meddle(lambda: _git(tree, "commit", "-q", "--allow-empty", "-m", "two"))

    _refused(create(), tree, "HEAD moved")


def test_a_file_that_never_holds_still_is_refused(
    tree: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[str] = []

    def moved(full: str, *_: object) -> None:
        tries.append(full)

    monkeypatch.setattr(treeread, "_digest", moved)

    with pytest.raises(RefusedError, match=r"a\.txt: it keeps changing"):
        treeread.read_all(str(tree), ["a.txt"])
    assert len(tries) == 3


def test_a_file_that_grows_while_it_is_read_is_read_again(
    tree: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import hashlib

    read, grown = os.read, [b"1", b"2"]

    def growing(handle: int, size: int) -> bytes:
        data = read(handle, size)
        if grown:
            with (tree / "a.txt").open("ab") as stream:
                stream.write(grown.pop())
        return data

    monkeypatch.setattr("hpp.evidence.treeread.os.read", growing)
    (reading,) = treeread.read_all(str(tree), ["a.txt"])
    monkeypatch.undo()

    assert reading is not None
    assert reading[1] == hashlib.sha256((tree / "a.txt").read_bytes()).hexdigest()


@posix
def test_a_link_put_in_a_file_s_place_is_never_followed(
    tree: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open

    def swapped(path: str, *words: int) -> int:
        if path.endswith("a.txt"):
            (tree / "a.txt").unlink()
            (tree / "a.txt").symlink_to("b.txt")
        return opened(path, *words)

    monkeypatch.setattr("hpp.evidence.treeread.os.open", swapped)
    (reading,) = treeread.read_all(str(tree), ["a.txt"])

    assert reading is not None
    assert reading[0] == "symlink"


# ------------------------------------------------------------------ what is no plain file


def _device(path: pathlib.Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except OSError:
        pytest.skip("making a device needs a privilege")


def _socket(path: pathlib.Path) -> None:
    place = os.path.relpath(path)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(place)


@posix
@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_a_special_file_is_recorded_and_never_opened(
    tree: pathlib.Path, create: Call, evidence: Call, kind: str
) -> None:
    (tree / "a.txt").unlink()
    make = {"pipe": os.mkfifo, "socket": _socket, "device": _device}[kind]
    make(tree / "a.txt")

    assert create()[0] == 0

    entries = json.loads((tree / ".hpp/a.json").read_bytes())["snapshot"]["entries"]
    (entry,) = [entry for entry in entries if entry["path"] == "a.txt"]
    assert (entry["kind"], entry["sha256"]) == ("special", treeread.NOTHING)
    assert evidence("attest", "verify", ".hpp/a.json")[0] == 0


@posix
@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_a_special_file_is_no_artifact_and_holds_nobody_up(
    workspace: pathlib.Path, criterion: Call, kind: str
) -> None:
    (workspace / "out").mkdir()
    make = {"pipe": os.mkfifo, "socket": _socket, "device": _device}[kind]
    make(workspace / "out" / "x")

    code, record, _ = criterion("pass", "--artifact", "out/*", "--timeout", "20")

    assert (code, record["verdict"], record["missing"]) == (1, "missing-artifacts", ["out/*"])


@posix
@pytest.mark.parametrize("place", ["SPEC.md", ".hpp/a.json"])
def test_a_special_file_is_no_spec_and_no_output(
    tree: pathlib.Path, create: Call, place: str
) -> None:
    (tree / ".hpp").mkdir()
    (tree / place).unlink(missing_ok=True)
    os.mkfifo(tree / place)

    code, answer, message = create()

    assert (code, answer) == (2, None)
    assert message.count("\n") == 1


def test_a_file_that_cannot_be_read_is_named(
    tree: pathlib.Path, create: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open

    def closed(path: str, *words: Any, **more: Any) -> int:  # noqa: ANN401 -- passed on
        if str(path).endswith("b.txt"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return opened(path, *words, **more)

    monkeypatch.setattr("hpp.evidence.treeread.os.open", closed)

    _refused(create(), tree, "b.txt: cannot be read")


@linux
def test_names_with_any_byte_are_in_the_snapshot_under_their_own_name(
    tree: pathlib.Path, create: Call, evidence: Call
) -> None:
    names = [b"new\nline", b'quo"te', b"ta\tb", b"a -> b", b"\xff\xfe", b"back\\slash\xe9", b" "]
    for name in names:
        pathlib.Path(os.fsdecode(name)).write_bytes(b"1")
    assert create()[0] == 0

    for name in names:
        path = pathlib.Path(os.fsdecode(name))
        path.write_bytes(b"2")
        code, report, _ = evidence("attest", "verify", ".hpp/a.json")
        assert (code, len(report["changed"])) == (2, 1)
        path.write_bytes(b"1")
    assert evidence("attest", "verify", ".hpp/a.json")[0] == 0
    assert (tree / "a.txt").is_file()


# ------------------------------------------------------------------ many files


def _many(folder: pathlib.Path, count: int = 600) -> list[str]:
    names = [f"f{number:04d}" for number in range(count)]
    for name in names:
        (folder / name).write_bytes(name.encode())
    return names


def test_every_way_of_reading_many_files_says_the_same(
    workspace: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [*_many(workspace), "absent", "folder"]
    (workspace / "folder").mkdir()
    top = str(workspace)
    alone = [treeread._read(top + os.sep, name) for name in names]

    monkeypatch.setattr(treeread, "_processors", lambda: 3)
    assert treeread.read_all(top, names) == alone
    monkeypatch.setattr(treeread, "_can_fork", lambda: False)
    assert treeread.read_all(top, names) == alone
    monkeypatch.setattr(treeread, "_processors", lambda: 1)
    assert treeread.read_all(top, names) == alone
    assert alone[-2:] == [None, None]


@linux
def test_what_a_killed_reader_took_along_is_read_again(
    workspace: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, top = _many(workspace), str(workspace)
    ours = os.getpid()
    found = treeread._Shared._found

    def dies(shared: treeread._Shared, tokens: int) -> bytes:
        data = found(shared, tokens)
        assert os.getpid() != ours
        return data[: len(data) // 2]

    monkeypatch.setattr(treeread._Shared, "_found", dies)

    readings = treeread._Shared(top + os.sep, names, 2).readings()

    assert readings == [treeread._read(top + os.sep, name) for name in names]


@linux
def test_a_fault_in_another_process_is_told_by_this_one(
    workspace: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, top = _many(workspace), str(workspace)

    def closed(full: str, *_: object) -> str:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), full)

    monkeypatch.setattr(treeread, "_digest", closed)

    with pytest.raises(RefusedError, match="cannot be read"):
        treeread._Shared(top + os.sep, names, 2).readings()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_process_with_threads_is_never_forked() -> None:
    gate = threading.Event()
    thread = threading.Thread(target=gate.wait)
    thread.start()
    try:
        assert not treeread._can_fork()
    finally:
        gate.set()
        thread.join()
    assert not treeread._can_fork("darwin")
    assert not treeread._can_fork("win32")


# ------------------------------------------------------------------ edits


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:  # noqa: ANN401 -- JSON
    if isinstance(value, dict):
        return [leaf for key in value for leaf in _leaves(value[key], (*path, key))]
    if isinstance(value, list):
        return [leaf for n, item in enumerate(value) for leaf in _leaves(item, (*path, n))]
    return [path]


def _edited(record: Any, path: tuple[Any, ...]) -> Any:  # noqa: ANN401 -- JSON
    copy = json.loads(json.dumps(record))
    holder = copy
    for step in path[:-1]:
        holder = holder[step]
    old = holder[path[-1]]
    if isinstance(old, str):
        holder[path[-1]] = old[:-1] + ("0" if old[-1:] != "0" else "1")
    else:
        holder[path[-1]] = None if isinstance(old, bool) else 7 if old != 7 else 8
    return copy


def test_an_attestation_edited_in_any_field_is_blocked(tree: pathlib.Path, create: Call) -> None:
    create("--paths", "a.txt")
    path = tree / ".hpp/a.json"
    record = json.loads(path.read_bytes())
    leaves = [leaf for leaf in _leaves(record) if leaf != ("schema",)]
    assert len(leaves) > 20

    for leaf in leaves:
        path.write_text(json.dumps(_edited(record, leaf)), encoding="utf-8")
        report = verify_attestation(str(path), repo=str(tree))
        assert "record_sha256" in report["mismatches"], leaf


BOUND = [
    (("session",), "session"),
    (("repo", "id"), "repo"),
    (("base_commit",), "base_commit"),
    (("spec", "path"), "spec_sha256"),
    (("spec", "sha256"), "spec_sha256"),
    (("snapshot", "digest"), "snapshot_digest"),
    (("snapshot", "entries", 0, "kind"), "snapshot_digest"),
    (("snapshot", "entries", 0, "path"), "snapshot_digest"),
    (("snapshot", "entries", 0, "sha256"), "snapshot_digest"),
    (("snapshot", "excluded", 0), "snapshot_excluded"),
    (("verdict",), "verdict"),
]


@pytest.mark.parametrize(("leaf", "named"), BOUND, ids=range(len(BOUND)))
def test_an_edit_that_was_hashed_anew_is_blocked_by_what_it_says(
    tree: pathlib.Path, create: Call, evidence: Call, leaf: tuple[Any, ...], named: str
) -> None:
    create()
    path = tree / ".hpp/a.json"
    record = json.loads(path.read_bytes())
    edited = _edited(record, leaf)
    if leaf == ("session",):
        edited["session"] = "a b"
    edited["record_sha256"] = self_hash(edited)
    path.write_text(json.dumps(edited), encoding="utf-8")

    code, report, _ = evidence("attest", "verify", ".hpp/a.json")

    assert (code, report["mismatches"]) == (2, [named])


SESSION: dict[str, Any] = {
    "record_sha256": "0" * 64, "status": "recommended", "value": "approved", "judge_family": "b",
}  # fmt: skip


@pytest.mark.parametrize(
    ("session", "sound"),
    [
        (SESSION, True),
        ({**SESSION, "value": None}, True),
        (None, False),
        ([], False),
        ({}, False),
        ({**SESSION, "record_sha256": "0"}, False),
        ({**SESSION, "status": None}, False),
        ({**SESSION, "value": 1}, False),
        ({**SESSION, "more": 1}, False),
    ],
)
def test_a_session_that_is_malformed_blocks_and_breaks_the_schema(
    tree: pathlib.Path, create: Call, session: object, sound: bool
) -> None:
    create()
    path = tree / ".hpp/a.json"
    record = {**json.loads(path.read_bytes()), "deliberation": session}
    record["record_sha256"] = self_hash(record)
    path.write_text(json.dumps(record), encoding="utf-8")

    report = verify_attestation(str(path), repo=str(tree))

    assert report["mismatches"] == ([] if sound else ["deliberation"])
    assert (faults(find_schema("evidence-attestation").document(), record) == []) is sound


def test_an_artifact_swapped_for_one_of_the_same_size_is_changed(
    criterion: Call, evidence: Call, workspace: pathlib.Path
) -> None:
    record = criterion("open('a', 'w').write('12345')", "--artifact", "a")[1]
    before = (workspace / "a").stat()
    (workspace / "b").write_bytes(b"54321")
    (workspace / "b").replace(workspace / "a")
    os.utime(workspace / "a", ns=(before.st_atime_ns, before.st_mtime_ns))

    code, report, _ = evidence("verify", record["record_path"])

    assert (code, report["status"], report["changed"]) == (2, "blocked", ["a"])


def test_a_clock_that_goes_back_changes_no_verdict(
    criterion: Call, evidence: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = criterion("open('a', 'w').write('1')", "--artifact", "a")[1]
    real = time.gmtime
    monkeypatch.setattr("hpp.evidence.criterion.time.gmtime", lambda: real(0))
    back = "import os; open('a', 'w').write('22'); os.utime('a', (1, 1))"

    code, second, _ = criterion(back, "--artifact", "a")

    assert (code, second["verdict"]) == (0, "passed")
    assert second["started_at"] == "1970-01-01T00:00:00Z"
    assert second["duration_s"] >= 0
    assert second["record_path"] != first["record_path"]
    assert evidence("verify", second["record_path"])[0] == 0


def test_without_git_a_run_knows_no_commit(
    criterion: Call, workspace: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "empty").mkdir()
    monkeypatch.setenv("PATH", str(workspace / "empty"))

    code, record, _ = criterion("pass")

    assert (code, record["base_commit"], record["dirty"]) == (0, None, None)


# ------------------------------------------------------------------ the law


NAMES = st.text("ab.\u00e9 -'", min_size=1, max_size=5).filter(
    lambda name: name.strip(". ") == name and name != ".git"
)
TREES = st.dictionaries(
    st.lists(NAMES, min_size=1, max_size=3).map("/".join),
    st.binary(min_size=1, max_size=40),
    min_size=1,
    max_size=8,
)


@settings(max_examples=15, deadline=None)
@given(files=TREES, tracked=st.integers(0, 8), pick=st.integers(0, 7), at=st.integers(0, 39),
       bit=st.integers(0, 7))  # fmt: skip
def test_one_changed_byte_anywhere_in_any_tree_is_found(
    files: dict[str, bytes], tracked: int, pick: int, at: int, bit: int
) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        (folder / "SPEC.md").write_bytes(b"# spec\n")
        written = [name for name, data in files.items() if _put(folder / name, data)]
        _git(folder, "init", "-q")
        _git(folder, "add", "SPEC.md", *(f"./{name}" for name in written[:tracked]))
        _git(folder, "commit", "-q", "-m", "one")
        record = str(folder / ".hpp" / "a.json")
        create_attestation(
            repo=made, spec=str(folder / "SPEC.md"), maker="m", checker="c", session="s",
            verdict="approved", output=record,
        )  # fmt: skip
        assert verify_attestation(record, repo=made)["status"] == "valid"
        name = written[pick % len(written)]
        data = bytearray((folder / name).read_bytes())
        data[at % len(data)] ^= 1 << bit
        (folder / name).write_bytes(data)

        report = verify_attestation(record, repo=made)

        assert (report["status"], report["mismatches"]) == ("blocked", ["snapshot_digest"])
        assert report["changed"] == [name]


def _put(path: pathlib.Path, data: bytes) -> bool:
    """Write a file, unless another one stands where it needs a folder."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as stream:
            stream.write(data)
    except OSError:
        return False
    return True


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_program_never_shows_a_traceback(tree: pathlib.Path) -> None:
    main = "import sys; from hpp.evidence.command import main; sys.exit(main())"
    words = ["attest", "verify", "SPEC.md"]
    done = subprocess.run(
        [sys.executable, "-c", main, *words], cwd=tree, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
