"""``.hpp/profile.json``: what a person chose, and the one file that ``hpp init`` writes.

It is created, never replaced: whatever is there already stays, byte for byte.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from hpp.core import durable
from hpp.core.document import read_state
from hpp.core.errors import HppError, MachineError, RefusedError
from hpp.core.fault import Faults
from hpp.core.folder import Folder, is_link
from hpp.core.output import pretty_json
from hpp.core.strictjson import SMALL_LIMIT, parse_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "ABSENT",
    "ADVISORS",
    "INVALID",
    "PATH",
    "POLICY_MODES",
    "SCHEMA",
    "UNSAFE",
    "VALID",
    "ProfileState",
    "create_profile",
    "differing_keys",
    "look_at_profile",
    "profile_faults",
]

SCHEMA = "hpp.init/v1"
FOLDER, NAME = ".hpp", "profile.json"
PATH = f"{FOLDER}/{NAME}"
POLICY_MODES = ("audit", "enforce")
ADVISORS = ("off", "typesafe", "openrouter", "compatible")
ABSENT, VALID, INVALID, UNSAFE = "absent", "valid", "invalid", "unsafe"


@dataclass(frozen=True)
class ProfileState:
    """What stands in the profile's place.

    Attributes:
        kind: ``absent``; ``valid``; ``invalid``, a file that is no profile; ``unsafe``, a link
            or something else than a file, which is neither followed nor written.
        document: Of a valid one, its content.
        reason: Of the last two, what is wrong.

    """

    kind: str
    document: dict[str, Any] | None = None
    reason: str = ""


def look_at_profile(root: str) -> ProfileState:
    """Return what stands in the profile's place below a folder; no link is followed."""
    folder = os.path.join(root, FOLDER)
    path = os.path.join(folder, NAME)
    for place, shown, wanted in ((folder, FOLDER, stat.S_ISDIR), (path, PATH, stat.S_ISREG)):
        try:
            found = os.lstat(place)
        except FileNotFoundError:
            return ProfileState(ABSENT)
        except OSError as error:
            return ProfileState(UNSAFE, reason=f"{shown}: cannot be read: {error.strerror}")
        if is_link(place):
            return ProfileState(UNSAFE, reason=f"{shown}: it is a link; HPP writes through none")
        if not wanted(found.st_mode):
            kind = "folder" if wanted is stat.S_ISDIR else "regular file"
            return ProfileState(UNSAFE, reason=f"{shown}: it is not a {kind}")
    return _read(path)


def _read(path: str) -> ProfileState:
    try:
        data = read_state(path, limit=SMALL_LIMIT, no_links=True)
        if data is None:  # it was there a moment ago
            return ProfileState(ABSENT)
        document = parse_bytes(data, PATH, root=dict)
    except RefusedError as error:
        return ProfileState(INVALID, reason=str(error))
    faults = profile_faults(document)
    if faults:
        return ProfileState(INVALID, document, f"{PATH}: {faults[0]}")
    return ProfileState(VALID, document)


def profile_faults(document: dict[str, Any]) -> list[str]:
    """Return every fault of a profile as ``path: what``; keys that are not known pass."""
    found = Faults(document)
    found.exactly(document, ("schema",), SCHEMA, f'the text "{SCHEMA}"')
    for key in ("protocol_version", "product_version", "host", "bundle"):
        found.text(document, (key,))
    found.texts(document, ("modules",))
    found.choice(document, ("policy_mode",), POLICY_MODES)
    if "decision_advisor" in document:
        found.choice(document, ("decision_advisor",), ADVISORS[1:])
    return found.in_order()


def differing_keys(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Return the keys that two profiles do not have with the same value, sorted."""
    absent = object()
    return sorted(key for key in {*one, *other} if one.get(key, absent) != other.get(key, absent))


def create_profile(root: str, document: dict[str, Any]) -> bool:
    """Write a new profile; return False, and write nothing, when its name is taken.

    Raises:
        HppError: It cannot be created; the reason is named and nothing is left.

    """
    had_folder = os.path.lexists(os.path.join(root, FOLDER))
    try:
        with Folder(root, (FOLDER,), create=True) as folder:
            durable.create(folder, NAME, pretty_json(document))
    except FileExistsError:
        return False
    except (OSError, HppError) as error:
        if not had_folder:
            _remove_empty(os.path.join(root, FOLDER))
        if isinstance(error, RefusedError):
            raise
        # Written beside its place under a passing name, which tells a person nothing.
        reason = error.strerror if isinstance(error, OSError) else str(error).rpartition(": ")[2]
        raise MachineError(f"{PATH}: cannot be written: {reason}") from None
    return True


def _remove_empty(folder: str) -> None:
    """Take away the folder that we made and could not fill; another writer's stays."""
    try:
        os.rmdir(folder)
    except OSError:
        return
