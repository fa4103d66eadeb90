from __future__ import annotations

import pytest

from hpp.core.errors import RefusedError
from hpp.core.loop import Loop, Replay, Work, check_work_name

Events = list[tuple[str, dict[str, object]]]


def replayed(loop: Loop, events: Events) -> Replay:
    replay = Replay(loop)
    for seq, (kind, data) in enumerate(events, 1):
        replay.step(seq, kind, data)
    return replay


def test_the_five_gates_lead_to_verified(loop: Loop) -> None:
    kinds = ["work_started", "evidence_recorded", "check_passed", "human_approved", "verified"]

    replay = replayed(loop, [(kind, {}) for kind in kinds])

    work = replay.current()
    assert (work.state, work.history, work.evidence_count) == ("verified", kinds, 1)
    assert replay.open_works() == []


@pytest.mark.parametrize(
    "kind", ["verified", "check_passed", "human_approved", "evidence_recorded", "nonsense", ""]
)
def test_no_other_event_begins_work(loop: Loop, kind: str) -> None:
    with pytest.raises(RefusedError, match=r"event:1: .* allowed: work_started"):
        Replay(loop).step(1, kind, {})


def test_verified_needs_evidence_whatever_the_loop_says() -> None:
    short = Loop("planned", [("planned", "work_started", "active"), ("active", "verified", "done")])
    replay = replayed(short, [("work_started", {})])

    with pytest.raises(RefusedError, match="no evidence_recorded"):
        replay.step(2, "verified", {})


def test_work_that_is_sent_back_is_active_again(loop: Loop) -> None:
    for sent_back in ["check_failed"], ["check_passed", "changes_requested"]:
        events: Events = [("work_started", {}), ("evidence_recorded", {})]
        events += [(kind, {}) for kind in sent_back]

        replay = replayed(loop, events)

        assert replay.current().state == "active"
        with pytest.raises(RefusedError):
            replay.step(9, "check_passed", {})


def test_an_unnamed_piece_takes_the_first_name_it_meets(loop: Loop) -> None:
    replay = replayed(loop, [("work_started", {}), ("evidence_recorded", {"work": "A"})])

    (work,) = replay.works
    assert (work.name, work.state, len(work.history)) == ("A", "evidenced", 2)


def test_an_opening_event_with_a_new_name_begins_a_piece_beside_an_unnamed_one(loop: Loop) -> None:
    replay = replayed(loop, [("work_started", {}), ("work_started", {"work": "A"})])

    assert [work.name for work in replay.works] == [None, "A"]


def test_a_name_is_not_given_to_a_closed_unnamed_piece(loop: Loop) -> None:
    kinds = ["work_started", "evidence_recorded", "check_passed", "human_approved", "verified"]
    replay = replayed(loop, [(kind, {}) for kind in kinds])

    with pytest.raises(RefusedError):
        replay.step(6, "evidence_recorded", {"work": "A"})


def test_without_a_name_the_one_open_piece_is_meant(loop: Loop) -> None:
    replay = replayed(loop, [("work_started", {"work": "A"}), ("evidence_recorded", {})])

    assert replay.current().name == "A"
    assert replay.current().state == "evidenced"


def test_without_a_name_an_opening_event_begins_an_unnamed_piece(loop: Loop) -> None:
    replay = replayed(loop, [("work_started", {"work": "A"}), ("work_started", {})])

    assert [work.name for work in replay.works] == ["A", None]


def test_without_a_name_several_open_pieces_are_an_open_question(loop: Loop) -> None:
    replay = replayed(loop, [("work_started", {"work": "A"}), ("work_started", {"work": "B"})])

    with pytest.raises(RefusedError, match=r"A, B.*data\.work"):
        replay.step(3, "evidence_recorded", {})


def test_without_a_name_and_nothing_open_the_last_piece_judges(loop: Loop) -> None:
    kinds = ["work_started", "evidence_recorded", "check_passed", "human_approved", "verified"]
    replay = replayed(loop, [(kind, {"work": "A"}) for kind in kinds])

    with pytest.raises(RefusedError, match="state verified of A; allowed: nothing"):
        replay.step(6, "evidence_recorded", {})


def test_finished_work_cannot_begin_again(loop: Loop) -> None:
    kinds = ["work_started", "evidence_recorded", "check_passed", "human_approved", "verified"]
    for data in [{}, {"work": "A"}]:
        replay = replayed(loop, [(kind, dict(data)) for kind in kinds])
        with pytest.raises(RefusedError):
            replay.step(6, "work_started", dict(data))


def test_the_current_piece_is_the_open_one_touched_last(loop: Loop) -> None:
    replay = replayed(
        loop,
        [
            ("work_started", {"work": "A"}),
            ("work_started", {"work": "B"}),
            ("evidence_recorded", {"work": "A"}),
        ],
    )

    assert replay.current().name == "A"
    assert [work.name for work in replay.open_works()] == ["A", "B"]


def test_an_empty_log_has_a_piece_that_is_planned(loop: Loop) -> None:
    work = Replay(loop).current()

    assert (work.name, work.state, work.history) == (None, "planned", [])


def test_actors_are_listed_once_in_order(loop: Loop) -> None:
    replay = replayed(
        loop,
        [
            ("work_started", {"actor": "b"}),
            ("evidence_recorded", {"actor": "a"}),
            ("evidence_recorded", {"actor": "b"}),
            ("evidence_recorded", {"actor": 7}),
        ],
    )

    assert replay.current().actors == ["b", "a"]


@pytest.mark.parametrize(
    "name",
    ["A", "x" * 200, "é", "a b", "a/b", "\U0001f600"],
    ids=["A", "200", "é", "blank", "/", "emoji"],
)
def test_a_work_name_may_be(name: str) -> None:
    assert check_work_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", " ", " A", "A ", "x" * 201, "a\nb", "a\tb", "\x7f", "a\x85b", 7, None, True, ["A"], {}],
)
def test_a_work_name_may_not_be(loop: Loop, name: object) -> None:
    with pytest.raises(RefusedError, match=r"data\.work"):
        Replay(loop).step(1, "work_started", {"work": name})


@pytest.mark.parametrize(
    ("state", "step"),
    [
        ("planned", "start work"),
        ("active", "record fresh evidence"),
        ("evidenced", "run read-only checker"),
        ("checked", "request human gate"),
        ("approved", "verify closure"),
        ("verified", "no-op"),
        ("elsewhere", "no-op"),
    ],
)
def test_the_next_step_of_a_state(loop: Loop, state: str, step: str) -> None:
    assert loop.next_step(state) == step


def test_the_next_step_of_a_state_of_ones_own() -> None:
    own = Loop("new", [("new", "b", "old"), ("new", "a", "old"), ("old", "c", "old")])

    assert own.next_step("new") == "append one of: a, b"
    assert own.next_step("old") == "append one of: c"


def test_control_a_replay_that_judged_nothing_would_be_seen(loop: Loop) -> None:
    lenient = Work(None, "planned")

    lenient.history.append("verified")

    with pytest.raises(RefusedError):
        replayed(loop, [(kind, {}) for kind in lenient.history])
