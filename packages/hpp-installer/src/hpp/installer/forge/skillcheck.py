"""Whether the skills of an emitted module keep their contract."""

from __future__ import annotations

import datetime as dt
import os
import tempfile

from hpp.core.errors import RefusedError
from hpp.core.portable.skillrule import lint
from hpp.core.portable.skilltext import read_skill
from hpp.installer.forge.codexplugin import skill_names
from hpp.installer.formats.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["skill_problems"]

# How old an example is changes without the sources; a build's verdict must not.
_AGE = "L3-old"
_NEXT = "mend the skill; docs of claude-dev-kit hold the contract"


def skill_problems(files: Mapping[str, bytes], today: str) -> Iterator[Problem]:
    """Yield what is wrong with each skill of a module.

    Rules look at the files that a skill names, so the module is laid out in a folder of its
    own for the time being; nothing of it is run.

    Args:
        files: The module's files by path.
        today: ``YYYY-MM-DD``, which no example may be later than.

    """
    names = skill_names(files)
    if not names:
        return
    with tempfile.TemporaryDirectory(prefix="hpp-forge-") as place:
        root = os.path.realpath(place)
        for path, data in files.items():
            target = os.path.join(root, *path.split("/"))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as stream:
                stream.write(data)
        for name in names:
            yield from _problems(root, name, files, dt.date.fromisoformat(today))


def _problems(
    root: str, name: str, files: Mapping[str, bytes], today: dt.date
) -> Iterator[Problem]:
    path = f"skills/{name}/SKILL.md"
    try:
        skill = read_skill(files[path].decode("utf-8"))
    except RefusedError as error:
        yield _problem("L1-frontmatter", "block", path, str(error))
        return
    folder = os.path.join(root, "skills", name)
    for found in lint(skill, folder, root, today):
        if found.rule == _AGE:
            continue
        yield _problem(found.rule, found.severity, f"{path}:{found.line}", found.message)


def _problem(rule: str, severity: str, path: str, told: str) -> Problem:
    return Problem(rule, severity, path, told, "what SKILL-CONTRACT.md asks for", _NEXT)
