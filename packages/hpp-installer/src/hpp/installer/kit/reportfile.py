"""A report as a file: the place is looked at before anything happens, and written in one step."""

from __future__ import annotations

import os

from hpp.core.errors import MachineError, RefusedError
from hpp.core.output import pretty_json
from hpp.core.text import printable
from hpp.installer.kit import disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["check_place", "write_report"]


def check_place(path: str) -> None:
    """Refuse a place that takes no report.

    Raises:
        RefusedError: It is a folder, or lies in none.

    """
    folder = os.path.dirname(os.path.abspath(path))
    if not path or os.path.isdir(path):
        raise RefusedError(f"--json: {printable(path)}: expected the name of a file")
    if not os.path.isdir(folder):
        raise RefusedError(f"--json: {printable(path)}: there is no such folder")


def write_report(path: str, report: dict[str, Any]) -> None:
    """Write the report.

    Raises:
        MachineError: The system refused; what the command did is done all the same.

    """
    place = os.path.abspath(path)
    aside = f"{place}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    try:
        disk.create_file(aside, pretty_json(report))
        disk.move(aside, place)
    except OSError as error:
        disk.remove_file(aside)
        told = f"status {report['status']}; the report cannot be written: {error.strerror}"
        raise MachineError(f"{printable(path)}: {told}") from None
