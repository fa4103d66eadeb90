"""Writing a tree: staged beside it, swapped in at the end, put back when anything fails."""

from __future__ import annotations

import os
import shutil
import tempfile

from hpp.core.errors import RefusedError
from hpp.core.folder import is_link
from hpp.installer.forge.emission import STAGING, leftovers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hpp.installer.forge.emission import Output

__all__ = ["swap_in"]


def swap_in(
    out: str, outputs: Sequence[Output], stale: Sequence[str], proceed: Callable[[], bool]
) -> None:
    """Put outputs into a tree and take stale places out of it, all of it or nothing.

    Staging folders that a killed run left behind go first.

    Args:
        out: The tree; it is made when it is not there.
        outputs: What differs from the tree.
        stale: Places that go.
        proceed: Asked when all is staged and nothing is swapped; False leaves the tree.

    Raises:
        RefusedError: A folder on the way is a link.
        OSError: The disk refuses; the tree is as it was.

    """
    os.makedirs(out, exist_ok=True)
    for path in [*(output.path for output in outputs), *stale]:
        _refuse_links(out, path)
    for name in leftovers(out):
        shutil.rmtree(os.path.join(out, name), ignore_errors=True)
    staging = tempfile.mkdtemp(prefix=STAGING, dir=out)
    try:
        for number, output in enumerate(outputs):
            _stage(os.path.join(staging, "new", str(number)), output)
        if proceed():
            _swap(out, staging, outputs, stale)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _refuse_links(out: str, path: str) -> None:
    place = out
    for part in path.split("/")[:-1]:
        place = os.path.join(place, part)
        if is_link(place):
            raise RefusedError(f"{path}: {part} is a link; the forge writes through none")


def _stage(place: str, output: Output) -> None:
    for name, data in output.files.items():
        path = os.path.join(place, *name.split("/")) if name else place
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(path, output.mode(name))


def _swap(out: str, staging: str, outputs: Sequence[Output], stale: Sequence[str]) -> None:
    """Rename everything into place; undo every rename when one of them fails."""
    done: list[tuple[str, str]] = []
    made: list[str] = []
    old = os.path.join(staging, "old")
    os.makedirs(old)
    try:
        for number, path in enumerate([*(output.path for output in outputs), *stale]):
            place = os.path.join(out, *path.split("/"))
            _make_parents(place, made)
            if os.path.lexists(place):
                _move(place, os.path.join(old, str(number)), done)
            if number < len(outputs):
                _move(os.path.join(staging, "new", str(number)), place, done)
    except BaseException:
        for source, target in reversed(done):
            os.rename(target, source)
        for folder in reversed(made):
            os.rmdir(folder)
        raise


def _make_parents(place: str, made: list[str]) -> None:
    missing: list[str] = []
    folder = os.path.dirname(place)
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for each in reversed(missing):
        os.mkdir(each)
        made.append(each)


def _move(source: str, target: str, done: list[tuple[str, str]]) -> None:
    os.rename(source, target)
    done.append((source, target))
