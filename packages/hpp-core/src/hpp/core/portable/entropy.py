"""Words that are random by their looks: keys that stand in a text without a name.

Digests, UUIDs, lock files, images and other data in base64, and names made of words are
no such words, although they come near.
"""

from __future__ import annotations

import re
from math import log2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["bits_per_char", "random_words"]

_RUN = re.compile(r"[A-Za-z0-9+/=_-]{32,}")
_PIECE = re.compile(r"[A-Za-z0-9+=_-]{32,}")
_KEY_LENGTH = 40  # a secret access key of AWS
_LONGEST = 200  # longer ones are data
_KEY_BITS, _PIECE_BITS = 4.2, 4.0
_SHORTEST = 24
_DIGEST = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,}|[0-9A-F]{16,}"
)
# Of a name made of words these are most of its letters; of a random word they are few.
_WORDS = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}(?![a-z])")
_WORDY = 0.6
_DATA = (
    "sha1-", "sha256-", "sha384-", "sha512-", "iVBORw0KGgo", "R0lGOD", "/9j/", "UklGR", "PHN2Zy",
    "JVBERi", "UEsDB", "H4sI", "d09G", "AAAAB3NzaC1", "AAAAC3NzaC1", "AAAAE2VjZHNh",
)  # fmt: skip
_BEFORE_DATA = (
    ";base64,", "h1:", "md5:", "sha1:", "sha256:", "sha384:", "sha512:", "SHA256:", "sha256=",
    "sha512=", "sha1=", "sha384=",
)  # fmt: skip
_LONGEST_BEFORE = 12
_WRAPPED = (60, 80)  # the lengths of the lines that base64 is broken into


def random_words(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each random word begins and ends."""
    previous = (-2, 0, False)
    runs = [found.span() for found in _RUN.finditer(text)]
    for number, (start, end) in enumerate(runs):
        following = runs[number + 1] if number + 1 < len(runs) else (-2, -2)
        is_block = _is_wrapped(text, start, end, previous, following)
        previous = (end, end - start, is_block)
        run = text[start:end]
        if is_block or end - start > _LONGEST or run.startswith(_DATA):
            continue
        if text[max(0, start - _LONGEST_BEFORE) : start].endswith(_BEFORE_DATA):
            continue
        yield from _of_run(run, start)


def bits_per_char(text: str) -> float:
    """Return the Shannon entropy of a text's characters, in bits."""
    size = len(text)
    shares = [text.count(char) / size for char in set(text)]
    return -sum(share * log2(share) for share in shares)


def _of_run(run: str, start: int) -> Iterator[tuple[int, int]]:
    key = run.strip("=") if len(run) > _KEY_LENGTH else run
    is_key = len(run) == _KEY_LENGTH and "_" not in run and "-" not in run
    if is_key and _is_random(key, _KEY_BITS):
        yield start, start + len(run)
        return
    for piece in _PIECE.finditer(run):
        # `NAME=value` is one run; the value alone is looked at.
        value = piece[0].rpartition("=")[2] if "=" in piece[0].rstrip("=") else piece[0]
        if len(value) >= _SHORTEST and _is_random(piece[0], _PIECE_BITS) and _is_random(value, 0):
            begin = start + piece.end() - len(value)
            yield _widened(run, start, begin, start + piece.end())


def _is_random(word: str, bits: float) -> bool:
    rest = _DIGEST.sub("", word)
    if len(rest) < _SHORTEST or rest.islower() or rest.isupper():
        return False
    if not any(char.isdigit() for char in rest) or not any(char.isalpha() for char in rest):
        return False
    if not any(char.isupper() for char in rest) or not any(char.islower() for char in rest):
        return False
    letters = sum(len(found) for found in _WORDS.findall(rest))
    return letters < _WORDY * len(rest) and bits_per_char(word) >= bits


def _widened(run: str, start: int, begin: int, end: int) -> tuple[int, int]:
    """Take in the neighbours of a piece that belong to one base64 word."""
    while end < start + len(run) and run[end - start] == "/":
        piece = run[end - start + 1 :].partition("/")[0]
        if piece.isalpha() and piece.islower():
            break
        end += 1 + len(piece)
    while begin > start and run[begin - start - 1] == "/":
        piece = run[: begin - start - 1].rpartition("/")[2]
        if not piece or (piece.isalpha() and piece.islower()):
            break
        begin -= 1 + len(piece)
    return begin, end


def _is_wrapped(
    text: str, start: int, end: int, previous: tuple[int, int, bool], following: tuple[int, int]
) -> bool:
    """Say whether a run is a line of data that goes on in its neighbours."""
    size = end - start
    if _WRAPPED[0] <= size <= _WRAPPED[1] and following[1] - following[0] <= size:
        between = text[end : following[0]] if 0 <= following[0] - end <= _WRAPPED[1] else ""
        if "\n" in between and not between.strip():
            return True
    ended, length, was_block = previous
    if not was_block or size > length or start - ended > _WRAPPED[1]:
        return False
    between = text[ended:start]
    return "\n" in between and not between.strip()
