from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.eventlog import Chain, CorruptLogError, read_log, scan_log
from hpp.core.strictjson import parse_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    MakeLog = Callable[..., list[bytes]]

THREE = [("a", {"work": "W"}), ("b", {"text": "c: d"}), ("c", {})]


def scanned(data: bytes) -> tuple[Chain, list[tuple[int, str, dict[str, Any]]]]:
    chain = Chain()
    seen: list[tuple[int, str, dict[str, Any]]] = []
    scan_log(chain, data, lambda *event: seen.append(event))
    return chain, seen


def joined(lines: list[bytes], end: bytes = b"\n") -> bytes:
    return b"".join(line + end for line in lines)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_an_intact_log_is_read_in_order(make_log: MakeLog, end: bytes) -> None:
    lines = make_log(THREE)

    chain, seen = scanned(joined(lines, end))

    assert [(kind, data) for _, kind, data in seen] == THREE
    assert (chain.status, chain.events, chain.chained, chain.legacy) == ("intact", 3, 3, 0)
    assert chain.head == hashlib.sha256(lines[-1]).hexdigest()


@pytest.mark.parametrize("data", [None, b"", b"\n\n", b" \r\n\t\n"])
def test_no_event_is_an_empty_chain(data: bytes | None) -> None:
    chain = Chain()
    scan_log(chain, data)

    assert (chain.status, chain.head, chain.events) == ("empty", None, 0)


def test_blank_lines_do_not_count(make_log: MakeLog) -> None:
    one, two, three = make_log(THREE)

    chain, _ = scanned(b"\n" + one + b"\n\n  \n" + two + b"\r\n" + three)

    assert (chain.events, chain.ends_open) == (3, True)


def test_lines_end_at_line_feeds_alone(make_log: MakeLog) -> None:
    odd = "a\u2028b\u2029c\x85d\u000be"
    lines = make_log([("x", {"text": odd.replace("\u000b", "")})])

    _, seen = scanned(joined(lines))

    assert seen[0][2]["text"] == odd.replace("\u000b", "")


def test_unlinked_lines_at_the_start_are_legacy(make_log: MakeLog) -> None:
    plain = []
    for line in make_log(THREE)[:2]:
        event = json.loads(line)
        del event["prev_sha256"]
        plain.append(json.dumps(event).encode())
    event = {"seq": 3, "id": "event:3", "type": "c", "data": {}}
    linked = json.dumps({**event, "prev_sha256": hashlib.sha256(plain[1]).hexdigest()}).encode()

    chain, _ = scanned(joined([*plain, linked]))

    assert (chain.status, chain.legacy, chain.chained) == ("legacy", 2, 1)


def test_a_line_without_a_link_after_a_linked_one_is_a_breach(make_log: MakeLog) -> None:
    lines = make_log(THREE)
    event = json.loads(lines[1])
    del event["prev_sha256"]

    with pytest.raises(CorruptLogError, match=r"line 2, event:2") as caught:
        scanned(joined([lines[0], json.dumps(event).encode()]))

    assert caught.value.event == "event:2"


def broken(line: bytes, **changes: object) -> bytes:
    event = json.loads(line)
    event.update(changes)
    for key in [key for key, value in changes.items() if value is ...]:
        del event[key]
    return json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "change",
    [
        {"seq": 1}, {"seq": 3}, {"seq": "2"}, {"seq": 2.0}, {"seq": True}, {"seq": ...},
        {"id": "event:3"}, {"id": 2}, {"id": ...}, {"id": "event:02"},
        {"type": ""}, {"type": "  "}, {"type": 7}, {"type": ...}, {"type": None},
        {"data": []}, {"data": None}, {"data": ...}, {"data": "x"},
    ],
)  # fmt: skip
def test_a_line_against_the_contract_stops_the_reading(
    make_log: MakeLog, change: dict[str, object]
) -> None:
    lines = make_log(THREE)
    lines[1] = broken(lines[1], **change)
    chain = Chain()

    with pytest.raises(CorruptLogError, match="line 2"):
        scan_log(chain, joined(lines))

    assert (chain.events, chain.head) == (1, hashlib.sha256(lines[0]).hexdigest())


@pytest.mark.parametrize("link", ["0" * 64, "", None, 7, "E3B0", hashlib.sha256(b"").hexdigest()])
def test_a_wrong_link_names_the_event(make_log: MakeLog, link: object) -> None:
    lines = make_log(THREE)
    lines[1] = broken(lines[1], prev_sha256=link)
    chain = Chain()

    with pytest.raises(CorruptLogError, match=r"line 2, event:2"):
        scan_log(chain, joined(lines))

    assert (chain.events, chain.chained) == (2, 1)


@pytest.mark.parametrize(
    "line",
    [
        b"<<<<<<< HEAD", b"\x00" * 4096, b"[]", b"7", b'{"seq":1', b"\xef\xbb\xbf{}", b"\xff\xfe{",
        b'{"data":{"a":1,"a":2},"id":"event:2","prev_sha256":"LINK","seq":2,"type":"b"}',
        b'{"data":{"a":{"b":1,"b":1}},"id":"event:2","prev_sha256":"LINK","seq":2,"type":"b"}',
        b'{"data":{"a" :1,"a":2},"id":"event:2","prev_sha256":"LINK","seq":2,"type":"b"}',
        b'{"data":{"a":NaN},"id":"event:2","prev_sha256":"LINK","seq":2,"type":"b"}',
        b'{"data":{"a":1e999},"id":"event:2","prev_sha256":"LINK","seq":2,"type":"b"}',
        b'{"data":{"a":"\\ud800"},"id":"event:2","prev_sha256":"LINK","seq":2,"type":"b"}',
        b'{"data":{"a":' + b"9" * 101
        + b'},"id":"event:2","prev_sha256":"LINK","seq":2,"type":"b"}',
        b'{"data":{"a":' + b"[" * 199 + b"]" * 199
        + b'},"id":"event:2","prev_sha256":"LINK","seq":2,"type":"b"}',
        b'{"data":{},"id":"event:2","prev_sha256":"LINK","seq":2,"type":"b"}x',
        b'{"data":{},"id":"event:2","prev_sha256":"LINK","seq":2,"type":"b"},"type":"c"}',
    ],
)  # fmt: skip
def test_a_line_that_is_no_strict_json_object_is_corrupt(make_log: MakeLog, line: bytes) -> None:
    first, _, third = make_log(THREE)
    line = line.replace(b"LINK", hashlib.sha256(first).hexdigest().encode())

    with pytest.raises(CorruptLogError, match="line 2: ") as caught:
        scanned(joined([first, line, third]))

    assert caught.value.torn_at is None


def test_nesting_of_two_hundred_is_read(make_log: MakeLog) -> None:
    deep: object = []
    for _ in range(197):
        deep = [deep]
    lines = make_log([("a", {"deep": deep})])

    chain, _ = scanned(joined(lines))

    assert chain.events == 1


def test_a_cut_last_line_is_told_with_its_offset(make_log: MakeLog) -> None:
    lines = make_log(THREE)
    whole = joined(lines[:2])
    for kept in range(1, len(lines[2])):
        with pytest.raises(CorruptLogError, match=f"byte {len(whole)}") as caught:
            scanned(whole + lines[2][:kept])
        assert caught.value.torn_at == len(whole)


def test_a_torn_line_with_a_terminator_is_plainly_corrupt(make_log: MakeLog) -> None:
    lines = make_log(THREE)

    with pytest.raises(CorruptLogError, match="line 3: ") as caught:
        scanned(joined([*lines[:2], lines[2][:20]]) + b"\n")

    assert caught.value.torn_at is None


def test_a_reader_looks_twice_at_a_line_that_a_writer_may_still_be_writing(
    make_log: MakeLog,
) -> None:
    lines = make_log(THREE)
    whole = joined(lines)
    states = [whole[:-9], whole]
    visits: list[list[int]] = []

    def fresh() -> Callable[[int, str, dict[str, Any]], object]:
        visits.append([])
        return lambda seq, _kind, _data: visits[-1].append(seq)

    chain = read_log(lambda: states.pop(0), fresh)

    assert chain.events == 3
    assert visits[-1] == [1, 2, 3]


def test_what_the_visitor_refuses_carries_the_line(make_log: MakeLog) -> None:
    def visit(seq: int, kind: str, data: dict[str, Any]) -> None:
        del kind, data
        if seq == 2:
            raise RefusedError("no")

    with pytest.raises(RefusedError, match="line 2: no"):
        scan_log(Chain(), joined(make_log(THREE)), visit)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


kinds = st.text(min_size=1).filter(str.strip)
datas = st.dictionaries(st.text(max_size=4), json_values, max_size=4)


@given(st.lists(st.tuples(kinds, datas), max_size=4))
def test_whatever_json_holds_is_read_as_it_was_written(
    events: list[tuple[str, dict[str, Any]]],
) -> None:
    lines: list[bytes] = []
    previous = hashlib.sha256(b"").hexdigest()
    for seq, (kind, data) in enumerate(events, 1):
        event = {"seq": seq, "id": f"event:{seq}", "type": kind, "data": data}
        text = json.dumps(
            {**event, "prev_sha256": previous},
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=False,
        )
        lines.append(text.encode())
        previous = hashlib.sha256(lines[-1]).hexdigest()

    _, seen = scanned(joined(lines))

    assert [(kind, data) for _, kind, data in seen] == events


@given(st.binary(max_size=30), st.integers(0, 200), st.booleans())
def test_the_quick_reader_and_the_strict_one_agree(noise: bytes, at: int, cut: bool) -> None:
    """A line of ours, damaged anywhere, is accepted only if the strict reader accepts it."""
    line = json.dumps(
        {"data": {"a": [1, {"b": "c:d"}], "e": "f"}, "id": "event:1",
         "prev_sha256": hashlib.sha256(b"").hexdigest(), "seq": 1, "type": "t"},
        sort_keys=True, separators=(",", ":"),
    ).encode()  # fmt: skip
    at = min(at, len(line))
    damaged = (line[:at] + noise + line[at + (len(noise) if cut else 0) :]).replace(b"\n", b"")
    try:
        _, seen = scanned(damaged + b"\n")
    except CorruptLogError:
        return
    for _, kind, data in seen:
        event = parse_bytes(damaged, "line")
        assert (event["type"], event["data"]) == (kind, data)


def test_control_an_edit_of_one_byte_is_seen(make_log: MakeLog) -> None:
    data = joined(make_log(THREE))
    position = data.index(b"c: d")

    with pytest.raises(CorruptLogError, match="event:3"):
        scanned(data[:position] + b"C" + data[position + 1 :])
