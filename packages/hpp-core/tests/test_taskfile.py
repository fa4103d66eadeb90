from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.taskfile import TaskList, parse_tasks, read_tasks
from hpp.core.workgraph import compile_spec
from hpp.core.workspec import parse_spec

if TYPE_CHECKING:
    from pathlib import Path

    Edges = dict[str, list[str]]


def edges(text: str) -> Edges:
    return {task.id: sorted(task.depends_on) for task in parse_tasks(text).tasks}


def unread(text: str) -> list[tuple[int, str]]:
    return [(entry["line"], entry["reason"]) for entry in parse_tasks(text).unread]


def waves(tasks: TaskList) -> list[list[str]]:
    graph = compile_spec(parse_spec(tasks.document("balanced"), "t"))
    return [[unit.id for unit in wave] for wave in graph.waves]


def test_a_list_without_marks_is_done_in_its_order() -> None:
    assert edges("- [ ] T001 a\n- [x] T002 b\n* [X] T003 c\n") == {
        "T001": [],
        "T002": ["T001"],
        "T003": ["T002"],
    }


def test_parallel_tasks_wait_for_the_last_one_that_is_not() -> None:
    text = "- [ ] T1 a\n- [ ] T2 [P] b\n- [ ] T3 [P] c\n- [ ] T4 d\n- [ ] T5 [P] e\n"

    assert edges(text) == {"T1": [], "T2": ["T1"], "T3": ["T1"], "T4": ["T2", "T3"], "T5": ["T4"]}
    assert waves(parse_tasks(text)) == [["T1"], ["T2", "T3"], ["T4"], ["T5"]]


def test_a_heading_waits_for_what_ends_the_one_before() -> None:
    before = "# A\n- [ ] T1 a\n- [ ] T2 [P] b\n- [ ] T3 [P] c\n## B\n\n"
    text = before + "## C\n- [ ] T4 [P] d\n- [ ] T5 [P] e\n"

    assert edges(text)["T4"] == edges(text)["T5"] == ["T2", "T3"]


def test_a_task_that_names_its_dependencies_waits_for_them_alone() -> None:
    text = "- [ ] T1 a\n- [ ] T2 b\n- [ ] T3 c (depends on T1)\n- [ ] T4 d\n"

    assert edges(text) == {"T1": [], "T2": ["T1"], "T3": ["T1"], "T4": ["T2", "T3"]}


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("(depends on T1)", ["T1"]),
        ("depends on T1, T2", ["T1", "T2"]),
        ("Depends on: T1 and T3", ["T1", "T3"]),
        ("depends upon **T1**, `T3`", ["T1", "T3"]),
        ("depend on T1-T3", ["T1", "T2", "T3"]),
        ("depends on T1 to T3.", ["T1", "T2", "T3"]),
        ("depends on T1\u2013T2 & T3; then rest", ["T1", "T2", "T3"]),
        ("(depends on none)", []),
        ("depends on nothing", []),
    ],
)
def test_phrases_name_tasks_in_many_ways(phrase: str, expected: list[str]) -> None:
    text = f"- [ ] T1 a\n- [ ] T2 b\n- [ ] T3 c\n- [ ] T9 x {phrase}\n"

    assert edges(text)["T9"] == expected
    assert unread(text) == []


def test_a_phrase_may_stand_below_its_task_or_beside_its_name() -> None:
    text = (
        "- [ ] T1 a\n- [ ] T2 b\n  - Depends on: T1\n- [ ] T3 c\n\n"
        "## Dependencies\n- T3 depends on T1, T2\n- **T2**: depends on none\n"
    )

    assert edges(text) == {"T1": [], "T2": ["T1"], "T3": ["T1", "T2"]}


def test_marks_are_kept_and_ids_may_have_other_forms() -> None:
    text = "- [ ] **T001** [P] [US1] [X-2] a [b]\n- [ ] 1.2 c\n1. [ ] TASK-7: d\n  - [ ] T8a. e\n"
    tasks = parse_tasks(text).tasks

    assert [task.id for task in tasks] == ["T001", "1.2", "TASK-7", "T8a"]
    assert (tasks[0].marks, tasks[0].is_parallel, tasks[0].text) == (["US1", "X-2"], True, "a [b]")
    assert tasks[0].unit("economy")["acceptance"] == [{"id": "done", "text": "a [b]"}]


def test_examples_in_comments_and_fences_are_not_tasks() -> None:
    text = (
        "<!-- - [ ] T900 x\n- [ ] T901 y -->\n```\n- [ ] T902 z\n~~~\n- [ ] T903\n```\n"
        "~~~~ md\n- [ ] T904\n~~~\n- [ ] T905\n~~~~\n- [ ] T1 a\n"
    )

    assert edges(text) == {"T1": []}
    assert parse_tasks(text).tasks[0].line == 13


def test_what_cannot_be_read_is_said() -> None:
    text = (
        "- [ ] Write the docs\n- [ ]\n- [ ] T1 a\n- [ ] T1 again\n- [ ] T2 b, depends on T9, T1\n"
        "- Polish depends on all stories\n- T7 depends on T1\n- [ ] T3 depends on luck\n"
    )

    assert unread(text) == [
        (1, "a checkbox without a task id"),
        (2, "a checkbox without a task id"),
        (4, "the id T1 is that of line 3"),
        (5, "T9 is no task here"),
        (6, "a dependency of something that is no task here"),
        (7, "a dependency of something that is no task here"),
        (8, "a dependency that names no task"),
    ] or sorted(unread(text)) == unread(text)
    assert edges(text)["T2"] == ["T1"]


def test_ordinary_prose_is_not_reported() -> None:
    assert (
        unread("# Tasks\n\nNo dependencies on others.\n\n- a bullet\n- [link](x)\n- [ ] T1 a\n")
        == []
    )


def test_a_file_is_read_in_any_line_ends_and_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "tasks.md"
    path.write_bytes("\ufeff# A\r\n- [ ] T1 “é”\r\n- [ ] T2 b\r\n".encode())

    tasks = read_tasks(str(path))

    assert tasks.tasks[0].text == "“é”"
    assert waves(tasks) == [["T1"], ["T2"]]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "no task"),
        (b"# only prose\n", "no task"),
        (b"- [ ] T1 \xff\n", "line 1: not UTF-8"),
        ("- [ ] T1 a".encode("utf-16"), "UTF-16"),
    ],
)
def test_what_is_no_task_list_is_refused(tmp_path: Path, data: bytes, what: str) -> None:
    path = tmp_path / "tasks.md"
    path.write_bytes(data)

    with pytest.raises(RefusedError, match=rf"tasks\.md: .*{what}"):
        read_tasks(str(path))


def test_an_order_that_would_need_millions_of_edges_is_refused() -> None:
    half = "".join(f"- [ ] T{i} [P] a\n" for i in range(1500))
    other = "".join(f"- [ ] U{i} [P] a\n" for i in range(1500))

    with pytest.raises(RefusedError, match="more than 1000000 dependencies"):
        parse_tasks(f"{half}# next\n{other}")


LINE = st.one_of(
    st.sampled_from(["# H", "```", "<!--", "-->", "", "prose", "  more"]),
    st.builds(
        "- [{}] {} {}{}".format,
        st.sampled_from(" xX"),
        st.sampled_from(["T1", "T2", "T3", "T4", "no id", ""]),
        st.sampled_from(["", "[P] ", "[US1] "]),
        st.sampled_from(["do", "do (depends on T1)", "depends on T2-T4", "depends on x"]),
    ),
    st.text(max_size=20),
)


@given(st.lists(LINE, max_size=12).map("\n".join))
def test_whatever_is_read_is_a_work_spec(text: str) -> None:
    tasks = parse_tasks(text)

    if tasks.tasks:
        spec = parse_spec(tasks.document("frontier"), "t")
        assert [unit.id for unit in spec.units] == [task.id for task in tasks.tasks]
        known = {unit.id for unit in spec.units}
        assert all(known.issuperset(unit.depends_on) for unit in spec.units)
    assert all(entry["reason"] for entry in tasks.unread)


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 2)), min_size=1, max_size=9).map(
        lambda kinds: list(enumerate(kinds))
    )
)
def test_a_task_without_the_mark_comes_after_everything_before_it(
    kinds: list[tuple[int, tuple[bool, int]]],
) -> None:
    """Also when tasks in between name their own dependencies."""
    lines = []
    for number, (parallel, explicit) in kinds:
        phrase = " (depends on none)" if explicit == 1 else ""
        lines.append(f"- [ ] T{number} {'[P] ' if parallel else ''}x{phrase}")
    tasks = parse_tasks("\n".join(lines)).tasks
    before: dict[str, set[str]] = {}
    for place, task in enumerate(tasks):
        reached = set(task.depends_on)
        for name in task.depends_on:
            reached |= before[name]
        before[task.id] = reached
        if not task.is_parallel and not task.says_so:
            assert reached == {other.id for other in tasks[:place]}


def test_control_the_order_of_a_list_is_not_lost() -> None:
    assert edges("- [ ] T1 a\n- [ ] T2 b\n") != {"T1": [], "T2": []}
