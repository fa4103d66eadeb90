"""A text to check: its blocks and code, its markers, its sentences and its lines."""

from __future__ import annotations

from bisect import bisect_right

from hpp.core.canonical import sha256_hex
from hpp.core.document import read_input, shown_name
from hpp.core.errors import RefusedError
from hpp.retrieval.block import read_blocks
from hpp.retrieval.claim import blank
from hpp.retrieval.codespan import code_spans
from hpp.retrieval.marker import Marker
from hpp.retrieval.sentence import Sentence, split_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpp.retrieval.marker import Region

__all__ = ["Text", "read_text"]


class Text:
    r"""A text to check, made ready once.

    Attributes:
        name: How messages name it.
        sha256: Of its UTF-8, without a byte-order mark.
        plain: Its characters, every line ended by ``\n``.

    """

    __slots__ = ("_blocks", "_code", "_line_ends", "name", "plain", "sha256")

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.sha256 = sha256_hex(text.encode())
        self.plain = text.replace("\r\n", "\n").replace("\r", "\n")
        self._blocks = read_blocks(self.plain)
        self._code = [code_spans(self.plain, block.start, block.end) for block in self._blocks]
        self._line_ends = [at for at, char in enumerate(self.plain) if char == "\n"]

    def line_and_column(self, place: int) -> tuple[int, int]:
        """Return line and column of a place, both from 1; a column is a character."""
        line = bisect_right(self._line_ends, place - 1)
        begin = self._line_ends[line - 1] + 1 if line else 0
        return line + 1, place - begin + 1

    def regions(self) -> list[Region]:
        """Return the text of each block and the code in it, counted from its start."""
        return [
            (
                self.plain[block.start : block.end],
                [(start - block.start, end - block.start) for start, end in code],
            )
            for block, code in zip(self._blocks, self._code, strict=True)
        ]

    def sentences(self, found: Sequence[Sequence[Marker]]) -> list[Sentence]:
        """Return the sentences, each with its markers.

        Args:
            found: The markers of each region.

        """
        sentences: list[Sentence] = []
        markers: list[Marker] = []
        for block, code, inside in zip(self._blocks, self._code, found, strict=True):
            moved = [
                Marker(each.start + block.start, each.end + block.start, each.id) for each in inside
            ]
            sentences += split_block(self.plain, block, moved, code)
            markers += moved
        starts = [sentence.start for sentence in sentences]
        for marker in markers if sentences else []:
            sentences[max(0, bisect_right(starts, marker.start) - 1)].markers.append(marker)
        return sentences

    def bare(self, sentence: Sentence) -> str:
        """Return a sentence with blanks in place of its markers and code."""
        spans = sorted([*((each.start, each.end) for each in sentence.markers), *sentence.code])
        start = sentence.start
        moved = [(first - start, last - start) for first, last in spans]
        return blank(self.plain[start : sentence.end], moved)

    def is_all_code(self, sentences: Sequence[Sentence]) -> bool:
        """Say whether nothing of the sentences stands outside code spans."""
        for sentence in sentences:
            start = sentence.start
            moved = [(first - start, last - start) for first, last in sentence.code]
            if blank(self.plain[start : sentence.end], moved).strip():
                return False
        return True


def read_text(path: str) -> Text:
    """Return the text of a file.

    Raises:
        RefusedError: It cannot be read, is no UTF-8, is blank, or holds secret-like text.

    """
    from hpp.core.secret import first_kind

    where = shown_name(path)
    data = read_input(path).removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        told = f"line {line}: not UTF-8 (byte 0x{data[error.start]:02x} at {error.start})"
        raise RefusedError(f"{where}: {told}") from None
    if not text.strip():
        raise RefusedError(f"{where}: it is blank")
    kind = first_kind(text)
    if kind is not None:
        raise RefusedError(f"{where}: it holds secret-like text ({kind})")
    return Text(text, path)
