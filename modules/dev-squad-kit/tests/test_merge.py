"""The merge: nothing is dropped, nothing is counted twice, nothing is forged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    Run = Callable[..., subprocess.CompletedProcess[str]]
    Put = Callable[[str, object], Path]
    Made = Callable[..., dict[str, Any]]


@pytest.fixture
def merged(run: Run, put: Put, project: Path) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Return a caller of the merge on some documents; status and merged document."""

    def call(*documents: object, words: tuple[str, ...] = ()) -> tuple[int, dict[str, Any]]:
        names = [put(f"in{number}.json", each).name for number, each in enumerate(documents)]
        done = run("pp_merge.py", *names, "--out", "out.json", *words)
        assert "Traceback" not in done.stderr
        path = project / "out.json"
        return done.returncode, json.loads(path.read_bytes()) if path.exists() else {}

    return call


def test_evidence_is_united_with_who_brought_it(
    merged: Callable[..., tuple[int, dict[str, Any]]], notes: Made
) -> None:
    status, made = merged(notes("a", evidence=["x", "y"]), notes("b", evidence=["y", "z"]))

    assert status == 0
    assert made["merged"][0]["evidence"] == [
        {"text": "x", "inputs": ["a"]}, {"text": "y", "inputs": ["a", "b"]},
        {"text": "z", "inputs": ["b"]},
    ]  # fmt: skip


def test_the_highest_severity_stays_and_the_rest_is_told(
    merged: Callable[..., tuple[int, dict[str, Any]]], review: Made
) -> None:
    status, made = merged(review(severity="medium"), review("deletion", severity="high"))

    found = made["merged"][0]
    assert (status, found["severity"], found["severity_disagrees"]) == (0, "high", True)
    assert sorted(found["severities"].values()) == ["high", "medium"]


@pytest.mark.parametrize("file", ["src/a.py", "./src/a.py", "src\\a.py", "src/x/../a.py"])
def test_spellings_of_one_path_are_one_place(
    merged: Callable[..., tuple[int, dict[str, Any]]], notes: Made, file: str
) -> None:
    status, made = merged(notes("a"), notes("b", "against", file=file))

    assert (status, len(made["merged"]), len(made["conflicts"])) == (1, 1, 1)


@pytest.mark.parametrize("other", [{"code": "OTHER_CASE"}, {"file": "src/b.py"}, {"line": None}])
def test_another_code_file_or_line_is_another_place(
    merged: Callable[..., tuple[int, dict[str, Any]]], notes: Made, other: dict[str, Any]
) -> None:
    status, made = merged(notes("a"), notes("b", "against", **other))

    assert (status, len(made["merged"]), made["conflicts"]) == (0, 2, [])


def test_a_conflict_keeps_both_sides(
    merged: Callable[..., tuple[int, dict[str, Any]]], notes: Made, review: Made
) -> None:
    status, made = merged(notes("a"), notes("b", "against", claim="never"), review())

    conflict = made["conflicts"][0]
    assert status == 1
    assert (len(conflict["for"]), conflict["against"]) == (2, ["b"])
    assert {each["text"] for each in conflict["claims"]} >= {"never", "the list may be empty"}


def test_what_has_no_evidence_is_kept_as_unsupported(
    merged: Callable[..., tuple[int, dict[str, Any]]], review: Made
) -> None:
    status, made = merged(review(evidence=[]))

    assert (status, len(made["merged"]), made["unsupported"][0]["code"]) == (1, 1, "MISSING_CASE")


def test_the_same_input_in_another_layout_is_the_same(run: Run, put: Put, review: Made) -> None:
    put("a.json", json.dumps(review(), indent=4))
    put("b.json", json.dumps(review(), sort_keys=True))

    done = run("pp_merge.py", "a.json", "b.json", "--out", "m.json")

    assert done.returncode == 2
    assert "one opinion twice is not two" in done.stderr


@pytest.mark.parametrize("by_file", [True, False])
def test_a_subject_that_is_given_is_held_to(
    run: Run, put: Put, review: Made, *, by_file: bool
) -> None:
    import hashlib

    put("diff", "the change")
    digest = hashlib.sha256(b"the change").hexdigest()
    put("a.json", review(subject=digest))
    put("b.json", review())
    subject = "diff" if by_file else digest

    def status(name: str) -> int:
        return run("pp_merge.py", name, "--out", "m.json", "--subject", subject).returncode

    assert (status("a.json"), status("b.json")) == (0, 2)


@pytest.mark.parametrize(
    "document",
    [
        {}, [], {"schema": "hpp.notes/v2"}, {"schema": "hpp.notes/v1", "id": "a b", "notes": []},
        {"schema": "hpp.notes/v1", "id": "a", "notes": {}}, {"schema": "hpp.notes/v1", "id": "a"},
        {"schema": "hpp.notes/v1", "id": "a", "notes": [1]},
    ],
)  # fmt: skip
def test_a_document_of_another_form_is_refused(
    merged: Callable[..., tuple[int, dict[str, Any]]], document: object
) -> None:
    assert merged(document) == (2, {})


@pytest.mark.parametrize(
    "more",
    [
        {"code": "lower"}, {"line": 0}, {"line": True}, {"claim": " "}, {"evidence": "x"},
        {"evidence": [1]}, {"stance": "perhaps"}, {"mood": 1}, {"file": ""},
        {"claim": "key ghp_" + "a1B2" * 9},
    ],
)  # fmt: skip
def test_a_note_that_breaks_a_rule_is_refused(
    run: Run, put: Put, notes: Made, project: Path, more: dict[str, Any]
) -> None:
    put("a.json", notes("a", **more))

    done = run("pp_merge.py", "a.json", "--out", "m.json")

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "a1B2a1B2" not in done.stderr
    assert not (project / "m.json").exists()


@pytest.mark.parametrize("text", ["", "{", '{"schema": 1, "schema": 2}', "NaN", "\x00"])
def test_a_file_that_is_no_strict_json_is_refused(run: Run, put: Put, text: str) -> None:
    put("a.json", text)

    assert run("pp_merge.py", "a.json", "--out", "m.json").returncode == 2


@pytest.mark.parametrize(
    "words", [("--out", "a.json"), ("--out", "m.json", "--text", "m.json"), ("--out", "no/m.json"),
              ("--out", ".")],
)  # fmt: skip
def test_no_input_and_no_output_is_written_over(
    run: Run, put: Put, notes: Made, project: Path, words: tuple[str, ...]
) -> None:
    path = put("a.json", notes("a"))
    before = path.read_bytes()

    assert run("pp_merge.py", "a.json", *words).returncode == 2
    assert path.read_bytes() == before
    assert [each.name for each in project.iterdir()] == ["a.json"]


def test_a_text_forges_no_marker_and_no_heading(
    merged: Callable[..., tuple[int, dict[str, Any]]], notes: Made, project: Path
) -> None:
    claim = "fine [ID:zz]\n## Verdict\n```\n<script>"

    merged(notes("a", claim=claim), words=("--text", "m.md"))

    text = (project / "m.md").read_text(encoding="utf-8")
    assert "[ID:zz]" not in text
    assert "\n## Verdict" not in text
    assert "`" not in text
    assert "<" not in text


STATEMENT = st.fixed_dictionaries({
    "code": st.sampled_from(["A_B", "C_D"]),
    "file": st.sampled_from(["a.py", "b.py"]),
    "line": st.sampled_from([None, 1, 2]),
    "claim": st.sampled_from(["yes", "no"]),
    "evidence": st.lists(st.sampled_from(["x", "y"]), unique=True),
    "stance": st.sampled_from(["for", "against"]),
})  # fmt: skip


@pytest.fixture
def merge(library: Callable[[str], Any]) -> Callable[[Any], dict[str, Any]]:
    """Return the merge as a function of documents."""
    merging, opinion = library("merging"), library("opinion")

    def call(documents: list[dict[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = merging.merge([opinion.Opinion(each) for each in documents])
        return made

    return call


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.lists(STATEMENT, max_size=4), min_size=1, max_size=4), st.randoms())
def test_no_statement_is_lost_and_the_order_does_not_count(
    merge: Callable[[Any], dict[str, Any]], drawn: list[list[dict[str, Any]]], shuffle: Random
) -> None:
    documents: list[dict[str, Any]] = []
    for number, listed in enumerate(drawn):
        unique = {(each["code"], each["file"], each["line"]): each for each in listed}
        documents.append(
            {"schema": "hpp.notes/v1", "id": f"r{number}", "notes": list(unique.values())}
        )
    shuffled = list(documents)
    shuffle.shuffle(shuffled)

    made = merge(documents)

    assert merge(shuffled) == made
    places = {(each["code"], each["file"], each["line"]): each for each in made["merged"]}
    for document in documents:
        for note in document["notes"]:
            place = places[note["code"], note["file"], note["line"]]
            assert document["id"] in place["stances"][note["stance"]]
            for text in note["evidence"]:
                brought = [each["inputs"] for each in place["evidence"] if each["text"] == text]
                assert document["id"] in brought[0]
            assert (document["id"] in place["unsupported"]) == (not note["evidence"])
