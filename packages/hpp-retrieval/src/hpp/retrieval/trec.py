"""The files of TREC: relevance judgements and runs, as `trec_eval` reads them.

Fields stand between ASCII white space, one line an entry: ``topic iteration document
grade`` and ``topic Q0 document rank score tag``. A run is ordered by its scores and not by
its ranks; of equal scores `trec_eval` orders by name, and here the rank decides, so that
renaming a document changes nothing.
"""

from __future__ import annotations

from itertools import pairwise

from hpp.core.document import read_input, shown_name
from hpp.core.errors import RefusedError
from hpp.core.strictjson import LARGE_LIMIT
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Judgements = dict[str, dict[str, int]]

__all__ = [
    "Run",
    "filled_lines",
    "integer",
    "qrels_bytes",
    "read_qrels",
    "read_run",
    "read_topics",
    "run_bytes",
]

_TAG = "hpp"


class Run:
    """The rankings of a run.

    Attributes:
        rankings: Documents by topic, best first, topics in the order of the file.
        ties: How many documents have the score of the one before them.

    """

    __slots__ = ("rankings", "ties")

    def __init__(self) -> None:
        self.rankings: dict[str, list[str]] = {}
        self.ties = 0


def read_qrels(path: str) -> Judgements:
    """Return the grade of each judged document by topic, in the order of the file.

    Raises:
        RefusedError: The file cannot be read, a line is no judgement, or a document is
            judged twice; the line is named.

    """
    judged: Judgements = {}
    for place, (topic, _, document, grade) in _lines(path, "topic iteration document grade"):
        grades = judged.setdefault(topic, {})
        if document in grades:
            raise RefusedError(f"{place}: {shorten(document)} is judged twice")
        grades[document] = integer(grade, place, "grade")
    return judged


def read_run(path: str) -> Run:
    """Return the rankings of a run file.

    Raises:
        RefusedError: The file cannot be read, a line is no result, or a document stands
            twice in a topic; the line is named.

    """
    found: dict[str, dict[str, tuple[float, int]]] = {}
    for place, fields in _lines(path, "topic Q0 document rank score tag"):
        topic, _, document, rank, score, _ = fields
        results = found.setdefault(topic, {})
        if document in results:
            raise RefusedError(f"{place}: {shorten(document)} stands twice")
        results[document] = (-_finite(score, place), integer(rank, place, "rank"))
    run = Run()
    for topic, results in found.items():
        ordered = sorted(results, key=results.__getitem__)
        scores = [results[document][0] for document in ordered]
        run.rankings[topic] = ordered
        run.ties += sum(first == second for first, second in pairwise(scores))
    return run


def read_topics(path: str) -> dict[str, str]:
    """Return the text of each topic of a file with ``topic TAB text`` on each line.

    Raises:
        RefusedError: The file cannot be read, a line has no tab, or a topic stands twice.

    """
    found: dict[str, str] = {}
    for place, line in filled_lines(path):
        topic, tab, text = _text(line.rstrip(b"\r"), place).partition("\t")
        if not tab or not topic:
            raise RefusedError(f"{place}: expected a topic, a tab and its text")
        if topic in found:
            raise RefusedError(f"{place}: {shorten(topic)} stands twice")
        found[topic] = text
    return found


def qrels_bytes(judged: Iterable[tuple[str, Sequence[str]]]) -> bytes:
    """Return judgements of grade 1, given by topic.

    Raises:
        RefusedError: An id that the format cannot carry.

    """
    return "".join(
        f"{_field(topic)} 0 {_field(document)} 1\n"
        for topic, documents in judged
        for document in documents
    ).encode()


def run_bytes(rankings: Iterable[tuple[str, Sequence[str]]]) -> bytes:
    """Return a run, given by topic; scores only fall with the rank.

    Raises:
        RefusedError: An id that the format cannot carry.

    """
    return "".join(
        f"{_field(topic)} Q0 {_field(document)} {rank} {len(documents) - rank + 1} {_TAG}\n"
        for topic, documents in rankings
        for rank, document in enumerate(documents, 1)
    ).encode()


def filled_lines(path: str) -> Iterator[tuple[str, bytes]]:
    """Yield each line that is not blank, after its place for messages.

    Raises:
        RefusedError: The file cannot be read.

    """
    where = shown_name(path)
    data = read_input(path, limit=LARGE_LIMIT).removeprefix(b"\xef\xbb\xbf")
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            yield f"{where}: line {number}", line


def integer(text: str, place: str, what: str) -> int:
    """Return a whole number of at most 18 digits.

    Raises:
        RefusedError: It is none.

    """
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):  # noqa: PLR2004 -- as said
        raise RefusedError(f"{place}: {what}: expected an integer, got {shorten(text, 40)!r}")
    return int(text)


def _lines(path: str, form: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the fields of each line that is not blank, with its place for messages."""
    wanted = form.count(" ") + 1
    for place, line in filled_lines(path):
        # Bytes know ASCII white space alone; a no-break space is part of an id.
        fields = line.split()
        if len(fields) != wanted:
            raise RefusedError(f"{place}: expected {wanted} fields ({form}), got {len(fields)}")
        yield place, [_text(field, place) for field in fields]


def _text(data: bytes, place: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedError(f"{place}: not UTF-8") from None


def _finite(text: str, place: str) -> float:
    try:
        # `float` takes digits of every script, and `_` among them.
        value = float(text if text.isascii() and "_" not in text else "nan")
    except ValueError:
        value = float("nan")
    if value - value != 0:
        raise RefusedError(f"{place}: score: expected a number, got {shorten(text, 40)!r}")
    return value


def _field(text: str) -> str:
    if text.encode().split() != [text.encode()]:
        raise RefusedError(f'"{shorten(text)}": an id with white space cannot stand in a TREC file')
    return text
