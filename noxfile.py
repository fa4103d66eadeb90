# /// script
# dependencies = ["nox[uv]>=2025.5.1"]
# ///
"""Everything that a developer or CI runs.

`nox` runs what a change needs to be green; ``nox -s "test-3.12(hpp-core)"`` is one cell of
the matrix; ``nox -s forge`` writes the distribution tree.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import nox

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "uv"
# A machine with one Python tests with that one; where all are promised, all are asked for.
nox.options.error_on_missing_interpreters = "HPP_ALL_PYTHONS" in os.environ
nox.options.sessions = ["lint", "types", "build", "checksum", "test", "whole", "modules", "forge"]

ROOT = Path(__file__).parent
DIST = ROOT / "dist"
FORGE = ROOT / "forge"
MANIFEST = ROOT / "hpp.manifest.json"
PRODUCT = json.loads(MANIFEST.read_bytes())
WORKSPACE = nox.project.load_toml("pyproject.toml")
PROJECTS = {
    path.parent.name: nox.project.load_toml(path)["project"]
    for path in sorted(ROOT.glob("packages/*/pyproject.toml"))
}
# Every name that is ours, built yet or not: an index without a page for one of them would
# let an installer ask a public index for it.
CLAIMED = sorted(
    {"hpp", "hpp-core", "hpp-cli", "hpp-evidence", "hpp-retrieval", "hpp-decide", "hpp-installer"}
    | set(PROJECTS)
)
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
TEST_GROUP = nox.project.dependency_groups(WORKSPACE, "test")
# Every member of every archive carries this instant; it is hatchling's own default.
EPOCH = os.environ.get("SOURCE_DATE_EPOCH", "1580601600")
# Timings and caches of a developer's machine must not reach a test.
QUIET = {"PYTHONDONTWRITEBYTECODE": "1"}


def archives(folder: Path) -> list[Path]:
    """Return the sdists and wheels of a folder, sorted by name."""
    return sorted(p for p in folder.iterdir() if p.name.endswith((".whl", ".tar.gz")))


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file in lower-case hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def checksums(folder: Path) -> str:
    """Return the text of SHA256SUMS, one line an archive."""
    return "".join(f"{sha256(path)}  {path.name}\n" for path in archives(folder))


def build_all(session: nox.Session, out: Path) -> None:
    """Build every sdist, and every wheel out of its sdist, into an empty folder."""
    shutil.rmtree(out, ignore_errors=True)
    session.run(
        "uv",
        "build",
        "--all-packages",
        "--out-dir",
        str(out),
        env={"SOURCE_DATE_EPOCH": EPOCH},
        external=True,
        silent=True,
    )


def wheel(name: str) -> Path:
    """Return the one built wheel of a distribution."""
    (found,) = DIST.glob(f"{name.replace('-', '_')}-[0-9]*.whl")
    return found


def wheels_for(name: str) -> list[str]:
    """Return the paths of a distribution's wheel and of those of ours that it needs.

    Paths cannot be answered by a stranger's project of the same name; a folder of links
    beside a public index could.
    """
    needed = [re.split(r"[^\w-]", line)[0] for line in PROJECTS[name]["dependencies"]]
    return [str(wheel(each)) for each in [name, *needed] if each in PROJECTS]


def inspect(session: nox.Session, path: Path) -> None:
    """Fail unless a wheel keeps to its own part of the namespace `hpp`."""
    name = path.name.split("-")[0].replace("_", "-")
    own = f"hpp/{name.removeprefix('hpp-')}/"
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.namelist() if ".dist-info/" not in member]
        allowed = {"hpp/__main__.py"} if name == "hpp-cli" else set()
        strays = [m for m in members if not m.startswith(own) and m not in allowed]
        if strays:
            session.error(f"{path.name}: outside {own}: {strays}")
        if members and f"{own}py.typed" not in members:
            session.error(f"{path.name}: no py.typed")
        if name == "hpp-core" and archive.read(own + MANIFEST.name) != MANIFEST.read_bytes():
            session.error(f"{path.name}: its manifest is not the one of the repository")


@nox.session(venv_backend="none")
def build(session: nox.Session) -> None:
    """Build dist/ and look into every wheel; with HPP_PREBUILT, check what is there."""
    if "HPP_PREBUILT" not in os.environ:
        build_all(session, DIST)
    elif (DIST / "SHA256SUMS").read_text(encoding="ascii") != checksums(DIST):
        session.error("dist/ is not what dist/SHA256SUMS says")
    for path in DIST.glob("*.whl"):
        inspect(session, path)


@nox.session(venv_backend="none", requires=["build"])
def checksum(session: nox.Session) -> None:
    """Build a second time, ask for the same bytes, and write dist/SHA256SUMS."""
    if "HPP_PREBUILT" in os.environ:
        session.skip("these archives were built and compared elsewhere")
    again = Path(session.create_tmp()).resolve() / "again"
    build_all(session, again)
    names = [path.name for path in archives(DIST)]
    if names != [path.name for path in archives(again)]:
        session.error("two builds give different archives")
    differing = [name for name in names if sha256(DIST / name) != sha256(again / name)]
    if differing:
        session.error(f"two builds differ in {differing}")
    (DIST / "SHA256SUMS").write_text(checksums(DIST), encoding="ascii", newline="\n")


def run_pytest(session: nox.Session, folder: Path, **variables: str) -> None:
    """Run the tests of a folder from elsewhere, so that nothing comes from the checkout.

    Elsewhere is outside the repository: what a test makes must not look like a part of it.
    """
    env = {**QUIET, **variables}
    config = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}", "-p", "no:cacheprovider"]
    with tempfile.TemporaryDirectory(prefix="hpp-test-") as place:
        base = f"--basetemp={Path(place) / 'pytest'}"
        with session.chdir(place):
            # Many tests wait for programs that they started.
            session.run(
                "pytest", "-q", "-n", "auto", *config, base, str(folder), *session.posargs, env=env
            )


@nox.session(python=PYTHONS, requires=["build"])
@nox.parametrize("distribution", list(PROJECTS), ids=list(PROJECTS))
def test(session: nox.Session, distribution: str) -> None:
    """Test one distribution's wheel where nothing else of ours is installed."""
    session.install(*wheels_for(distribution), *TEST_GROUP)
    run_pytest(session, ROOT / "packages" / distribution / "tests")


@nox.session(python=PYTHONS, requires=["build"])
def whole(session: nox.Session) -> None:
    """Test the whole program, every wheel installed."""
    session.install(*(str(wheel(name)) for name in ["hpp", *PROJECTS]), *TEST_GROUP)
    run_pytest(session, ROOT / "tests")


def emitted() -> dict[str, str]:
    """Return the modules whose sources are there: their place in a distribution by id."""
    return {
        module["id"]: f"{module['area']}/{module['id']}-{module['version']}"
        for module in PRODUCT["modules"]
        if (ROOT / module["path"] / "module.build.json").is_file()
    }


def wanted() -> list[str]:
    """Return what the forge is asked for: everything, as soon as every module has sources."""
    found = emitted()
    if len(found) == len(PRODUCT["modules"]):
        return ["--all"]
    return [word for identity in found for word in ("--module", identity)]


@nox.session(python=[PYTHONS[0], PYTHONS[-1]], requires=["build"])
def modules(session: nox.Session) -> None:
    """Test every module as it is emitted."""
    session.install(*(str(wheel(name)) for name in ["hpp", *PROJECTS]), *TEST_GROUP)
    # Outside of the repository, where nox's own temporary folders are: what asks git has to
    # find none.
    with tempfile.TemporaryDirectory(prefix="hpp-modules-") as folder:
        out = Path(folder).resolve()
        place = ["--root", str(ROOT), "--out", str(out)]
        session.run("hpp", "forge", *wanted(), *place, "--apply", silent=True)
        for identity, place_of in emitted().items():
            session.run("hpp", "kit", "verify", str(out / place_of), silent=True)
            tests = ROOT / "modules" / identity / "tests"
            if tests.is_dir():
                run_pytest(session, tests, HPP_MODULE_ROOT=str(out / place_of))


@nox.session(python=PYTHONS[0], default=False, requires=["build"])
@nox.parametrize("distribution", list(PROJECTS), ids=list(PROJECTS))
def minimums(session: nox.Session, distribution: str) -> None:
    """Test a distribution with the oldest third parties that its metadata admits."""
    session.install("--resolution=lowest-direct", *wheels_for(distribution), *TEST_GROUP)
    run_pytest(session, ROOT / "packages" / distribution / "tests")


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and formatting."""
    session.install(*nox.project.dependency_groups(WORKSPACE, "lint"))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Check types of each distribution and module alone, as files of two may have one name."""
    session.install(*nox.project.dependency_groups(WORKSPACE, "types"))
    for name in PROJECTS:
        session.run("mypy", f"packages/{name}/src", f"packages/{name}/tests")
    session.run("mypy", "tests", "tools")
    config = f"--config-file={ROOT / 'pyproject.toml'}"
    for place in sorted(path.parent for path in ROOT.glob("modules/*/module.build.json")):
        parts = [part for part in ("hooks", "scripts", "_lib") if any(place.glob(f"{part}/*.py"))]
        # Not beside the sources: the forge refuses what a tool left there.
        cache = f"--cache-dir={ROOT / '.mypy_cache' / place.name}"
        with session.chdir(place):
            session.run("mypy", config, cache, "--explicit-package-bases", *parts)


@nox.session(venv_backend="none", requires=["checksum"])
def forge(session: nox.Session) -> None:
    """Write forge/: archives, a static index, constraints, every module, digests of it all."""
    shutil.rmtree(FORGE, ignore_errors=True)
    files = FORGE / "files"
    files.mkdir(parents=True)
    for path in archives(DIST):
        shutil.copyfile(path, files / path.name)
    shutil.copyfile(DIST / "SHA256SUMS", files / "SHA256SUMS")
    shutil.copyfile(MANIFEST, FORGE / MANIFEST.name)
    write_index(FORGE / "simple")
    write_constraints(FORGE / "constraints.txt")
    # The proof of the index: from an empty folder, it and nothing else of ours.
    session.chdir(session.create_tmp())
    hpp = ["uvx", "--no-cache", "--index", (FORGE / "simple").as_uri(), "hpp"]
    session.run(*hpp, "doctor", external=True)
    place = ["--root", str(ROOT), "--out", str(FORGE)]
    session.run(*hpp, "forge", *wanted(), *place, "--apply", external=True, silent=True)
    if "--all" in wanted():
        check_emission(session, hpp)
    write_assets()


def check_emission(session: nox.Session, hpp: list[str]) -> None:
    """Hold the tree to its sources and to itself, by the programs that it carries."""
    kit = FORGE / emitted()["kit-forge"]
    python = [sys.executable, "-I", "-B"]
    place = ["--root", str(ROOT), "--out", str(FORGE)]
    assembler = [*python, str(kit / "scripts" / "kit_assembler.py"), "--all", *place]
    session.run(*assembler, "--check", external=True, silent=True)
    doctor = [*python, str(kit / "kit_doctor.py")]
    session.run(*doctor, "marketplace", str(FORGE), external=True, silent=True)
    manifest = str(FORGE / MANIFEST.name)
    session.run(*hpp, "doctor", "--manifest", manifest, external=True)


def write_assets() -> None:
    """Write the archive of the whole tree, and SHA256SUMS of what a release carries."""
    whole_tree = FORGE / f"hpp-distribution-{PRODUCT['product_version']}.zip"
    found = (path for path in FORGE.rglob("*") if path.is_file())
    # By the text of the path: paths themselves sort without case on Windows.
    paths = sorted(found, key=lambda path: path.relative_to(FORGE).as_posix())
    with zipfile.ZipFile(whole_tree, "w", zipfile.ZIP_STORED) as archive:
        for path in paths:
            # As the zips of modules: nothing of the disk but the bytes and the name.
            member = zipfile.ZipInfo(path.relative_to(FORGE).as_posix(), (1980, 1, 1, 0, 0, 0))
            member.create_system = 3
            is_program = path.suffix == ".sh" or path.read_bytes()[:2] == b"#!"
            member.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(member, path.read_bytes())
    assets = [*archives(FORGE / "files"), *FORGE.glob("*/*.zip"), whole_tree]
    assets += FORGE.glob("distribution.json")
    lines = [f"{sha256(path)}  {path.name}\n" for path in sorted(assets, key=lambda p: p.name)]
    (FORGE / "SHA256SUMS").write_text("".join(lines), encoding="ascii", newline="\n")


@nox.session(venv_backend="none", default=False)
def reproduced(session: nox.Session) -> None:
    """Ask for the same SHA256SUMS of every system, which CI puts below sums/."""
    found = {path.parent.name: path.read_bytes() for path in ROOT.glob("sums/*/SHA256SUMS")}
    if len(found) < 2:  # noqa: PLR2004 -- one alone differs from nothing
        session.error(f"sums/: nothing to compare: {sorted(found)}")
    if len(set(found.values())) != 1:
        session.error(f"these systems emit different bytes: {sorted(found)}")


@nox.session(python=PYTHONS[2], default=False)
def assets(session: nox.Session) -> None:
    """Install from forge/ alone what a release carries, and take a module in and out."""
    lines = (FORGE / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    places = {path.name: path for path in FORGE.rglob("*") if path.is_file()}
    wrong = [line for line in lines if sha256(places[line[66:]]) != line[:64]]
    if wrong or not lines:
        session.error(f"forge/SHA256SUMS does not hold: {wrong}")
    session.install("--index", (FORGE / "simple").as_uri(), "hpp")
    for words in (["--version"], ["doctor"], ["benchmark", "-k", "3"], ["init", "--help"]):
        session.run("hpp", *words, silent=True)
    with tempfile.TemporaryDirectory(prefix="hpp-assets-") as folder:
        for host in ("claude-code", "codex"):
            come_and_go(session, Path(folder).resolve(), host)


def come_and_go(session: nox.Session, target: Path, host: str) -> None:
    """Install a module's zip and uninstall it; nothing may be left."""
    archive = str(FORGE / f"{emitted()['kit-forge']}.zip")
    where = ["--target", str(target), "--host", host, "--apply"]
    anchor = ["--anchor", str(FORGE / "distribution.json")]
    session.run("hpp", "kit", "install", "--kit", archive, *anchor, *where, silent=True)
    session.run("hpp", "kit", "status", "--target", str(target), silent=True)
    session.run("hpp", "kit", "uninstall", "--module", "kit-forge", *where, silent=True)
    if any(target.iterdir()):
        session.error(f"left behind: {sorted(path.name for path in target.iterdir())}")


@nox.session(venv_backend="none", default=False)
def release(session: nox.Session) -> None:
    """Hold a tag to the version it names, and write notes.md from the changelog's section."""
    if len(session.posargs) != 1:
        session.error("give the tag: nox -s release -- hpp-v0.1.0")
    matched = re.fullmatch(r"(hpp(?:-[a-z]+)?)-v([0-9]+\.[0-9]+\.[0-9]+)", session.posargs[0])
    if matched is None:
        session.error(f"{session.posargs[0]}: expected NAME-vX.Y.Z")
    name, version = matched.groups()
    is_umbrella = name == "hpp"
    if not is_umbrella and name not in PROJECTS:
        session.error(f"there is no distribution {name}")
    declared = (WORKSPACE["project"] if is_umbrella else PROJECTS[name])["version"]
    stated = {declared, PRODUCT["product_version"]} if is_umbrella else {declared}
    if stated != {version}:
        session.error(f"the tag says {version}, the sources say {sorted(stated)}")
    folder = ROOT if is_umbrella else ROOT / "packages" / name
    notes = section(folder / "CHANGELOG.md", version)
    if not notes:
        session.error(f"{folder.name}/CHANGELOG.md: nothing under {version}")
    (ROOT / "notes.md").write_text(notes + "\n", encoding="utf-8", newline="\n")


def section(changelog: Path, version: str) -> str:
    """Return the text below a version's heading; a heading that says unreleased has none."""
    text = "\n" + changelog.read_text(encoding="utf-8")
    for part in text.split("\n## ")[1:]:
        heading, _, body = part.partition("\n")
        if heading.split()[:1] == [version] and "unreleased" not in heading:
            return body.strip()
    return ""


def write_index(folder: Path) -> None:
    """Write a static index (PEP 503) with a page for every name that is ours.

    A name with nothing to offer has an empty page: an installer that stops at the first
    index that knows a name then never asks another one.
    """
    pages: dict[str, list[str]] = {name: [] for name in CLAIMED}
    for path in archives(DIST):
        name = re.split(r"-\d", path.name)[0].replace("_", "-")
        href = f"../../files/{path.name}#sha256={sha256(path)}"
        requires = 'data-requires-python="&gt;=3.10"'
        pages[name].append(f'<a href="{href}" {requires}>{path.name}</a><br>')
    pages[""] = [f'<a href="{name}/">{name}</a><br>' for name in CLAIMED]
    for name, links in pages.items():
        head = '<!DOCTYPE html><meta name="pypi:repository-version" content="1.0">'
        html = "\n".join([head, f"<title>{name or 'hpp'}</title>", *links, ""])
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "index.html").write_text(html, encoding="utf-8", newline="\n")


def write_constraints(path: Path) -> None:
    """Write what makes pip and uv take exactly these wheels for these names."""
    lines = [
        f"{found.name.split('-')[0].replace('_', '-')} @ "
        f"file://${{HPP_FORGE}}/files/{found.name}#sha256={sha256(found)}\n"
        for found in sorted(DIST.glob("*.whl"))
    ]
    path.write_text("".join(lines), encoding="ascii", newline="\n")


if __name__ == "__main__":
    nox.main()
