from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hpp.core.portable as portable_package

PYRUN = Path(str(portable_package.__path__[0])) / "pyrun.sh"
SHELLS = [shell for shell in ("dash", "bash") if shutil.which(shell)]

pytestmark = pytest.mark.skipif(
    os.name == "nt" or not SHELLS, reason="needs a POSIX shell; on Windows hosts bring Git Bash"
)
SCRIPT = """import sys
print(sys.flags.ignore_environment, sys.flags.no_user_site, sys.argv[1:], sys.pycache_prefix)
print(sys.stdin.read(), end="")
sys.exit(int(sys.argv[1]))
"""
TOOLS = ("uname", "readlink", "mkdir", "sh")


class Place:
    """A project, a module, a home and a folder of programs, apart from each other."""

    def __init__(self, base: Path) -> None:
        self.project = base / "my project é"
        self.module = base / "module"
        self.home = base / "home"
        self.bin = base / "bin"
        for folder in (self.project, self.module / "hooks", self.home, self.bin):
            folder.mkdir(parents=True)
        self.script = self.module / "hooks" / "x.py"
        self.script.write_text(SCRIPT)
        for tool in TOOLS:
            (self.bin / tool).symlink_to(str(shutil.which(tool)))
        self.path = [self.bin]

    def python(self, folder: Path, name: str = "python3", says: str = "") -> Path:
        """Put an interpreter into a folder; it prints a word before it goes on."""
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / name
        program.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "{says}" >&2\nexec "{sys.executable}" "$@"\n'
        )
        program.chmod(0o755)
        return program

    def run(
        self, shell: str, *words: str, env: dict[str, str] | None = None, stdin: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        given = {
            "PATH": os.pathsep.join(map(str, self.path)),
            "HOME": str(self.home),
            "CLAUDE_PROJECT_DIR": str(self.project),
            **(env or {}),
        }
        return subprocess.run(
            [str(shutil.which(shell)), str(PYRUN), *words],
            env=given, capture_output=True, check=False, cwd=self.home, input=stdin,
        )  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.python(made.bin, says="outside")
    return made


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


CLAMPS = {
    "": [0, 0, 0, 0], "observe": [0, 0, 0, 0], "warn": [0, 1, 0, 0], "block": [0, 0, 2, 0],
    "closed": [0, 2, 2, 2], "--strict": [0, 1, 2, 7],
}  # fmt: skip


@pytest.mark.parametrize("clamp", CLAMPS)
def test_the_clamp_says_what_may_come_back(place: Place, shell: str, clamp: str) -> None:
    for code, wanted in zip((0, 1, 2, 7), CLAMPS[clamp], strict=True):
        words = [*([clamp] if clamp else []), str(place.script), str(code)]
        done = place.run(shell, *words)
        assert done.returncode == wanted
        assert (b"passed on as" in done.stderr) == (wanted != code)


def test_words_and_input_go_through(place: Place, shell: str) -> None:
    done = place.run(shell, str(place.script), "0", "a b", "*", "", stdin=b"line\n")

    first, second = done.stdout.decode().splitlines()
    assert first.startswith("1 1 ['0', 'a b', '*', '']")
    assert second == "line"


@pytest.mark.parametrize(
    ("clamp", "wanted"), [("", 0), ("block", 0), ("closed", 2), ("--strict", 3)]
)
def test_a_missing_script_or_interpreter_is_one_line(
    place: Place, shell: str, clamp: str, wanted: int
) -> None:
    words = [clamp] if clamp else []
    missing = place.run(shell, *words, str(place.module / "no such.py"))
    none_named = place.run(shell, *words)
    (place.bin / "python3").unlink()
    no_python = place.run(shell, *words, str(place.script), "0")

    for done in (missing, none_named, no_python):
        assert done.returncode == wanted
        assert done.stdout == b""
        assert done.stderr.count(b"\n") == 1
        assert (b"switch its plugin off" in done.stderr) == (clamp == "closed")


def test_an_interpreter_in_the_project_is_never_used(place: Place, shell: str) -> None:
    inside = place.project / ".venv" / "bin"
    place.python(inside, says="inside")
    link = place.home / "link"
    link.symlink_to(inside)
    single = place.home / "single"
    single.mkdir()
    (single / "python3").symlink_to(inside / "python3")
    place.path = [inside, link, single, Path("relative"), place.bin]

    done = place.run(shell, str(place.script), "0")
    assert done.stderr == b"outside\n"

    place.path = [inside, link, single]
    place.path.append(place.home / "tools")
    (place.home / "tools").mkdir()
    for tool in TOOLS:
        (place.home / "tools" / tool).symlink_to(str(shutil.which(tool)))
    assert place.run(shell, "closed", str(place.script), "0").returncode == 2


def test_without_a_named_project_it_is_the_working_folder(place: Place, shell: str) -> None:
    inside = place.home / "bin"
    place.python(inside, says="inside")
    place.path = [inside, place.bin]

    done = place.run(shell, str(place.script), "0", env={"CLAUDE_PROJECT_DIR": ""})

    assert done.stderr == b"outside\n"


def test_the_project_is_otherwise_what_the_host_names(place: Place, shell: str) -> None:
    inside = place.home / "bin"
    place.python(inside, says="inside")
    place.path = [inside, place.bin]

    assert place.run(shell, str(place.script), "0").stderr == b"inside\n"


def test_the_stub_of_the_windows_store_is_passed_over(place: Place, shell: str) -> None:
    stub = place.home / "DesktopAppInstaller_1"
    place.python(stub, says="stub")
    place.path = [stub, place.bin]

    assert place.run(shell, str(place.script), "0").stderr == b"outside\n"


@pytest.mark.parametrize(
    ("system", "wanted"), [("Linux", b"three"), ("MINGW64_NT-10", b"plain"), ("MSYS_NT", b"plain")]
)
def test_the_order_of_the_names_depends_on_the_system(
    place: Place, shell: str, system: str, wanted: bytes
) -> None:
    (place.bin / "uname").unlink()
    (place.bin / "uname").write_text(f"#!/bin/sh\necho {system}\n")
    (place.bin / "uname").chmod(0o755)
    place.python(place.bin, "python3", "three")
    place.python(place.bin, "python", "plain")

    assert place.run(shell, str(place.script), "0").stderr.strip() == wanted


def prefix(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stdout.decode().splitlines()[0].rpartition(" ")[2]


def test_compiled_code_has_a_folder_of_the_users_own(place: Place, shell: str) -> None:
    (place.bin / "uname").unlink()
    (place.bin / "uname").write_text("#!/bin/sh\necho Linux\n")
    (place.bin / "uname").chmod(0o755)

    at_home = prefix(place.run(shell, str(place.script), "0"))
    assert at_home == str(place.home / ".cache" / "hpp" / "pycache")
    assert Path(at_home).stat().st_mode & 0o077 == 0

    for inside in (place.project / "c", place.module / "c"):
        done = place.run(shell, str(place.script), "0", env={"XDG_CACHE_HOME": str(inside)})
        assert not prefix(done).startswith(str(inside))
        assert not inside.exists()


def test_compiled_code_that_came_with_the_module_never_runs(place: Place, shell: str) -> None:
    library = place.module / "hooks" / "lib.py"
    place.script.write_text("import lib\nprint(lib.WORD)\n")
    library.write_text("WORD = 'evil'\n")
    subprocess.run([sys.executable, "-m", "compileall", "-q", "--invalidation-mode",
                    "unchecked-hash", str(library)], check=True)  # fmt: skip
    library.write_text("WORD = 'good'\n")
    # The control: without the launcher the planted code is what runs.
    planted = subprocess.run([sys.executable, str(place.script)], capture_output=True, check=True)
    assert planted.stdout == b"evil\n"

    for env in ({}, {"HOME": str(place.project), "XDG_CACHE_HOME": str(place.project)}):
        assert place.run(shell, str(place.script), env=env).stdout == b"good\n"


def test_the_launcher_is_plain_ascii_with_line_feeds() -> None:
    data = PYRUN.read_bytes()

    assert data.isascii()
    assert b"\r" not in data
    assert data.startswith(b"#!/bin/sh\n")
    assert b"\nset -u\n" in data
