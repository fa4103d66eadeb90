"""Python tests as text: which definitions cite an acceptance criterion in their docstring.

Sources are parsed, never imported. A citation is ``[spec: <criterion id>]`` in the docstring
of a module, class or function, wherever in a module the definition stands.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import warnings

from hpp.core.criterion import is_criterion_id
from hpp.core.document import read_state
from hpp.core.errors import RefusedError
from hpp.core.sourcedepth import is_too_deep
from hpp.core.strictjson import SMALL_LIMIT
from hpp.core.text import printable, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    Scope = ast.Module | Definition
    Place = tuple[Scope, Definition]  # a definition and the scope that its name is bound in

__all__ = ["Citation", "Source", "find_sources", "read_source"]

_MARKER = re.compile(r"\[spec:([^\]]*)\]")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_BODIES = ("body", "handlers", "orelse", "finalbody", "cases")


class Citation:
    """A definition that cites criteria.

    Attributes:
        source: The file it stands in.
        names: Names of the definitions around it and its own; empty for a module.
        criteria: What it cites, in order, each once; ``malformed:<text>`` for what is no id.
        is_function: It is a function, not a class or the module.
        is_nested: A function stands around it, so that no test runner finds it.
        is_shadowed: A later binding of its name, or of one around it, replaces it.

    """

    __slots__ = ("criteria", "is_function", "is_nested", "is_shadowed", "names", "source")

    def __init__(self, source: Source, criteria: list[str], places: Sequence[Place] = ()) -> None:
        self.source = source
        self.criteria = criteria
        self.names = tuple(node.name for _, node in places)
        kinds = [isinstance(node, _FUNCTIONS) for _, node in places]
        self.is_function = kinds[-1:] == [True]
        self.is_nested = True in kinds[:-1]
        self.is_shadowed = False

    @property
    def key(self) -> str:
        """Return ``path::Class::name``."""
        return "::".join((self.source.name, *self.names))


class Source:
    """A file of tests.

    Attributes:
        path: Where it is.
        name: How results name it: the path as given, with ``/``.
        mtime_ns: When it was modified last.
        citations: Every one in it.

    """

    __slots__ = ("citations", "mtime_ns", "name", "path")

    def __init__(self, path: str, name: str, mtime_ns: int) -> None:
        self.path = path
        self.name = name
        self.mtime_ns = mtime_ns
        self.citations: list[Citation] = []

    @property
    def module(self) -> str:
        """Return the dotted path of the module."""
        parts = self.name.removesuffix(".py").split("/")
        return ".".join(part for part in parts if part not in ("", ".."))


def find_sources(given: Sequence[str]) -> list[str]:
    """Return the paths of all sources among files and below folders, sorted, each once.

    Folders named ``__pycache__`` or with a dot in front are not entered unless given.

    Raises:
        RefusedError: A path is absent or no source, or there is no source at all.

    """
    found: dict[str, str] = {}
    for path in given:
        for source in _below(path):
            found.setdefault(os.path.normcase(os.path.abspath(source)), source)
    if not found:
        raise RefusedError(f"{printable(given[0])}: there is no Python source below it")
    return sorted(found.values(), key=_name)


def read_source(path: str) -> Source:
    """Return a source with its citations.

    Raises:
        RefusedError: It cannot be read or is not valid Python.

    """
    data = read_state(path, limit=SMALL_LIMIT)
    if data is None:
        raise RefusedError(f"{printable(path)}: there is no such file")
    if sys.version_info < (3, 11) and is_too_deep(data):
        raise RefusedError(f"{printable(path)}: nested too deep to be read")
    source = Source(path, _name(path), os.stat(path).st_mtime_ns)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a test may hold an invalid escape; so be it
            tree = ast.parse(data)
    except SyntaxError as error:
        at = f"line {error.lineno}: " if error.lineno else ""
        raise RefusedError(f"{printable(path)}: {at}not valid Python: {error.msg}") from None
    except ValueError:
        raise RefusedError(f"{printable(path)}: not valid Python: it holds a null byte") from None
    except (RecursionError, MemoryError):
        raise RefusedError(f"{printable(path)}: nested too deep to be read") from None
    source.citations = list(_citations(source, tree))
    return source


def _below(path: str) -> Iterator[str]:
    if os.path.isdir(path):
        for folder, folders, files in os.walk(path, onerror=_refuse_folder):
            folders[:] = [n for n in folders if n != "__pycache__" and not n.startswith(".")]
            paths = (os.path.join(folder, name) for name in files if name.endswith(".py"))
            yield from (found for found in paths if os.path.isfile(found))
    elif not os.path.exists(path):
        raise RefusedError(f"{printable(path)}: there is no such file or folder")
    elif not path.endswith(".py"):
        raise RefusedError(f"{printable(path)}: not a .py file")
    else:
        yield path


def _refuse_folder(error: OSError) -> None:
    raise RefusedError(f"{printable(str(error.filename))}: cannot be read: {error.strerror}")


def _name(path: str) -> str:
    """Return a path with ``/`` and without empty and ``.`` components."""
    plain = path.replace(os.sep, "/")
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    name = ("/" if plain.startswith("/") else "") + "/".join(parts)
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:  # bytes that are no UTF-8 cannot stand in JSON
        return printable(name)
    return name


def _citations(source: Source, tree: ast.Module) -> Iterator[Citation]:
    criteria = _cited(tree)
    if criteria:
        yield Citation(source, criteria)
    bound: dict[int, dict[str, tuple[int, int]]] = {}
    left: list[tuple[Scope, tuple[Place, ...]]] = [(tree, ())]
    while left:
        scope, around = left.pop()
        for node in _definitions(scope):
            places = (*around, (scope, node))
            left.append((node, places))
            criteria = _cited(node)
            if criteria:
                citation = Citation(source, criteria, places)
                citation.is_shadowed = any(_is_replaced(place, bound) for place in places)
                yield citation


def _is_replaced(place: Place, bound: dict[int, dict[str, tuple[int, int]]]) -> bool:
    scope, node = place
    if id(scope) not in bound:
        bound[id(scope)] = _last_bindings(scope)
    return bound[id(scope)][node.name] > (node.lineno, node.col_offset)


def _definitions(scope: Scope) -> Iterator[Definition]:
    """Return the definitions that stand in a scope itself, also inside compound statements."""
    left: list[ast.AST] = [scope]
    while left:
        node = left.pop()
        members = [member for field in _BODIES for member in _list(node, field)]
        for member in members:
            if isinstance(member, _DEFINITIONS):
                yield member
        left += [member for member in members if not isinstance(member, _DEFINITIONS)]


def _list(node: ast.AST, field: str) -> list[ast.AST]:
    value = getattr(node, field, None)
    return value if isinstance(value, list) else []


def _cited(node: Scope) -> list[str]:
    text = ast.get_docstring(node, clean=False)
    if not text or "[spec:" not in text:
        return []
    cited: dict[str, None] = {}
    for found in _MARKER.findall(text):
        marked = found.strip()
        if marked and "<" not in marked and ">" not in marked:
            cited[marked if is_criterion_id(marked) else f"malformed:{shorten(marked)}"] = None
    return list(cited)


def _last_bindings(scope: Scope) -> dict[str, tuple[int, int]]:
    """Return line and column where each name of a scope is bound last in the text."""
    last: dict[str, tuple[int, int]] = {}
    left: list[ast.AST] = list(scope.body)
    while left:
        node = left.pop()
        for name in _bound(node):
            at = (node.lineno, node.col_offset)  # type: ignore[attr-defined]  # all that bind
            last[name] = max(at, last.get(name, at))
        left += _same_scope(node)
    return last


def _bound(node: ast.AST) -> list[str]:
    if isinstance(node, _DEFINITIONS):
        return [node.name]
    if isinstance(node, ast.Name):
        return [node.id] if isinstance(node.ctx, ast.Store) else []
    if isinstance(node, ast.alias):
        return [node.asname or node.name.partition(".")[0]]
    if isinstance(node, ast.MatchMapping):
        return [node.rest] if node.rest else []
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        return [node.name] if node.name else []
    return []


def _same_scope(node: ast.AST) -> list[ast.AST]:
    """Return the children of a node that bind in the scope the node stands in."""
    if isinstance(node, (*_DEFINITIONS, ast.Lambda)):
        return []
    if isinstance(node, ast.comprehension):
        return [node.iter, *node.ifs]  # its target is its own
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return []  # a type alone binds nothing
    return list(ast.iter_child_nodes(node))
