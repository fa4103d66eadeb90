"""What may be vendored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hpp.installer.forge.importclosure import Closure
from hpp.installer.forge.sourceset import Reader

if TYPE_CHECKING:
    from pathlib import Path


def test_what_one_supported_python_alone_has_is_of_the_standard_library(tmp_path: Path) -> None:
    place = tmp_path / "packages/hpp-core/src/hpp/core/digest.py"
    place.parent.mkdir(parents=True)
    place.write_text(
        "try:\n    from _sha2 import sha256\nexcept ImportError:\n    from _sha256 import sha256\n"
        "import _sha9\n",
        encoding="utf-8",
    )
    closure = Closure(Reader(str(tmp_path)))

    closure.add("hpp/core/digest.py")

    assert closure.faults == [("hpp/core/digest.py", "imports _sha9")]
