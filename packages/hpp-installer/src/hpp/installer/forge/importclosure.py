"""What a Python source imports, transitively, among the sources that may be vendored.

Read from the syntax tree: imports inside functions count, those that only a type checker
reads do not. Nothing is imported to find out.
"""

from __future__ import annotations

import ast
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hpp.installer.forge.sourceset import Reader

__all__ = ["Closure", "imported_names"]

# Packages that live on the standard library and on each other alone.
ADMITTED = ("hpp.core", "hpp.installer")
# The verdict is the same on every Python that runs the forge. Parts of the standard library
# that 3.10 to 3.13 do not all have: accelerators, which a source imports behind a fallback,
# and modules that came or went, which no source may need.
_ACCELERATORS = frozenset(("_sha2", "_sha256", "_sha512"))
_NOT_EVERYWHERE = frozenset(
    (
        "aifc", "asynchat", "asyncore", "audioop", "binhex", "cgi", "cgitb", "chunk", "crypt",
        "distutils", "imghdr", "imp", "lib2to3", "mailcap", "msilib", "nis", "nntplib",
        "ossaudiodev", "pipes", "smtpd", "sndhdr", "spwd", "sunau", "telnetlib", "tomllib", "uu",
        "xdrlib",
    )
)  # fmt: skip


class Closure:
    """The shared sources of a repository, and what some of them need.

    Attributes:
        files: Bytes by package path (``hpp/core/text.py``) of all that was asked for.
        faults: Pairs of a source and what it imports without being allowed to.

    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        packages = os.path.join(reader.root, "packages")
        names = sorted(os.listdir(packages)) if os.path.isdir(packages) else []
        self._tops = [os.path.join(packages, name, "src") for name in names]
        self.files: dict[str, bytes] = {}
        self.faults: list[tuple[str, str]] = []

    def find(self, source: str) -> list[str]:
        """Return the sources that a path names: itself, or the modules of a package's folder."""
        place = self._place(source)
        if place is None:
            return []
        if os.path.isfile(place):
            return [source]
        found: list[str] = []
        for folder, names, files in os.walk(place):
            names[:] = sorted(name for name in names if name != "__pycache__")
            below = os.path.relpath(folder, place).replace(os.sep, "/")
            prefix = source if below == "." else f"{source}/{below}"
            found += [f"{prefix}/{name}" for name in sorted(files) if name.endswith(".py")]
        return found

    def read(self, source: str) -> bytes:
        """Return the bytes of a source that is there."""
        place = self._place(source)
        assert place is not None  # noqa: S101 -- `find` returned it
        return self._reader.read(place)

    def add(self, source: str) -> None:
        """Add a source and all that it imports."""
        if source in self.files:
            return
        self.files[source] = self.read(source)
        # Without the file of each package above it, a package of the same name elsewhere
        # on the path would be taken in its place.
        self._add_packages(source)
        if source.endswith(".py"):
            self.add_imports(source, self.files[source])

    def add_imports(self, source: str, data: bytes) -> None:
        """Add what the text of a source imports; `source` is its package path."""
        try:
            names = list(imported_names(data, source))
        except (SyntaxError, ValueError) as error:
            self.faults.append((source, f"is no Python: {error}"))
            return
        for name, is_attribute in names:
            self._import(source, name, is_attribute=is_attribute)

    def _import(self, source: str, name: str, *, is_attribute: bool) -> None:
        top = name.split(".", 1)[0]
        if _is_standard(top):
            return
        if not any(name == root or name.startswith(f"{root}.") for root in ADMITTED):
            if name != "hpp":
                self.faults.append((source, f"imports {name}"))
            return
        path = self.module(name)
        if path is None and (is_attribute or self.is_folder(name)):
            return  # a name inside the package, which is added by itself
        if path is None:
            self.faults.append((source, f"imports {name}, and there is no such source"))
            return
        self.add(path)

    def _add_packages(self, source: str) -> None:
        parts = source.split("/")[:-1]
        for count in range(1, len(parts) + 1):
            initial = "/".join([*parts[:count], "__init__.py"])
            if self._place(initial) is not None:
                self.add(initial)

    def is_folder(self, name: str) -> bool:
        """Say whether a dotted name is that of a folder of sources."""
        place = self._place(name.replace(".", "/"))
        return place is not None and os.path.isdir(place)

    def module(self, name: str) -> str | None:
        """Return the source of a dotted name, or None."""
        base = name.replace(".", "/")
        for path in (f"{base}.py", f"{base}/__init__.py"):
            place = self._place(path)
            if place is not None and os.path.isfile(place):
                return path
        return None

    def _place(self, source: str) -> str | None:
        for top in self._tops:
            place = os.path.join(top, *source.split("/"))
            if os.path.exists(place):
                return place
        return None


def _is_standard(name: str) -> bool:
    if name in _NOT_EVERYWHERE:
        return False
    return name in _ACCELERATORS or name in sys.stdlib_module_names


def imported_names(data: bytes, source: str) -> Iterator[tuple[str, bool]]:
    """Yield what a source imports, and whether it may be a name inside a module.

    Raises:
        SyntaxError, ValueError: It is no Python.

    """
    package = source.removesuffix(".py").removesuffix("/__init__").split("/")
    if not source.endswith("/__init__.py"):
        package = package[:-1]
    for node in _statements(ast.parse(data)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, False) for alias in node.names)
        else:
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            name = ".".join(filter(None, (base, node.module or "")))
            yield name, False
            yield from ((f"{name}.{alias.name}", True) for alias in node.names)


def _statements(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield every import but those that only a type checker reads."""
    if isinstance(tree, (ast.Import, ast.ImportFrom)):
        yield tree
        return
    children = ast.iter_child_nodes(tree)
    if isinstance(tree, ast.If) and _is_type_checking(tree.test):
        children = iter(tree.orelse)
    for child in children:
        yield from _statements(child)


def _is_type_checking(test: ast.expr) -> bool:
    name = test.id if isinstance(test, ast.Name) else getattr(test, "attr", "")
    return name == "TYPE_CHECKING"
