"""Folders of BEIR: ``queries.jsonl``, ``corpus.jsonl`` and ``qrels/<split>.tsv``.

Thakur and others, NeurIPS 2021 (datasets track). Judgements are a tab-separated table with
a header line, quoted as the `csv` module does by default.
"""

from __future__ import annotations

import json
import os

from hpp.core.document import read_input, shown_name
from hpp.core.errors import RefusedError
from hpp.core.strictjson import LARGE_LIMIT, parse_bytes
from hpp.core.text import shorten
from hpp.retrieval.outfile import OutFile, make_folder
from hpp.retrieval.trec import filled_lines, integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hpp.retrieval.suite import Case
    from hpp.retrieval.trec import Judgements

__all__ = ["check_split", "read_folder", "read_queries", "write_folder"]

_HEADER = ["query-id", "corpus-id", "score"]
_QUERIES, _CORPUS, _QRELS = "queries.jsonl", "corpus.jsonl", "qrels"


def read_folder(path: str, split: str) -> tuple[dict[str, str], Judgements]:
    """Return the text of each query, and the grades of its documents.

    Raises:
        RefusedError: A file is absent or not as BEIR has it; file and line are named.

    """
    check_split(split)
    if not os.path.isdir(path):
        raise RefusedError(f"--beir: {shorten(path)}: there is no such folder")
    queries = read_queries(os.path.join(path, _QUERIES))
    return queries, _read_qrels(os.path.join(path, _QRELS, f"{split}.tsv"))


def read_queries(path: str) -> dict[str, str]:
    """Return the text of each query of a file of JSON lines, by its ``_id``.

    Raises:
        RefusedError: The file cannot be read, or a line is no query.

    """
    found: dict[str, str] = {}
    for place, line in filled_lines(path):
        raw = parse_bytes(line, place, root=dict)
        for key in ("_id", "text"):
            if not isinstance(raw.get(key), str):
                raise RefusedError(f"{place}: {key}: expected a text")
        if raw["_id"] in found:
            raise RefusedError(f'{place}: _id: "{shorten(raw["_id"])}" is repeated')
        found[raw["_id"]] = raw["text"]
    return found


def write_folder(path: str, split: str, cases: Sequence[Case]) -> None:
    """Write a folder that the tools of BEIR load.

    A suite holds no documents, so the corpus lists the ids of the labels with empty texts.

    Raises:
        RefusedError: The folder cannot be made.
        MachineError: A file cannot be written.

    """
    check_split(split)
    make_folder(os.path.join(path, _QRELS), "--beir")
    documents = dict.fromkeys(each for case in cases for each in case.relevant)
    files = {
        _QUERIES: "".join(_line({"_id": case.id, "text": case.query}) for case in cases),
        _CORPUS: "".join(_line({"_id": each, "title": "", "text": ""}) for each in documents),
        os.path.join(_QRELS, f"{split}.tsv"): _table(cases),
    }
    for name, text in files.items():
        OutFile(os.path.join(path, name), "--beir").write(text.encode())


def check_split(split: str) -> None:
    """Refuse a split that is no plain name.

    Raises:
        RefusedError: It is empty or holds anything but letters, digits, ``_`` and ``-``.

    """
    if not split or not split.replace("-", "_").replace("_", "a").isalnum() or not split.isascii():
        raise RefusedError(f"--split: {shorten(split)!r}: expected letters, digits, _ and -")


def _read_qrels(path: str) -> Judgements:
    where = shown_name(path)
    judged: Judgements = {}
    for number, row in _rows(path):
        place = f"{where}: line {number}"
        if number == 1 and row == _HEADER:
            continue
        if len(row) != len(_HEADER):
            raise RefusedError(f"{place}: expected {len(_HEADER)} fields, got {len(row)}")
        query, document, grade = row
        grades = judged.setdefault(query, {})
        if document in grades:
            raise RefusedError(f"{place}: {shorten(document)} is judged twice")
        grades[document] = integer(grade, place, "score")
    return judged


def _rows(path: str) -> Iterator[tuple[int, list[str]]]:
    import csv
    import io

    where = shown_name(path)
    data = read_input(path, limit=LARGE_LIMIT).removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RefusedError(f"{where}: line {line}: not UTF-8") from None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t")
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise RefusedError(f"{where}: line {reader.line_num}: {error}") from None


def _table(cases: Sequence[Case]) -> str:
    import csv
    import io

    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(_HEADER)
    writer.writerows([case.id, each, 1] for case in cases for each in case.relevant)
    return text.getvalue()


def _line(value: dict[str, str]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
