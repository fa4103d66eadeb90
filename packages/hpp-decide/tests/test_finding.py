from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core.errors import RefusedError
from hpp.core.schema import faults, find_schema
from hpp.decide.finding import LENSES, Review, normal_path, read_review, system_folds_case
from hpp.decide.place import Place

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[..., tuple[int, Any, str]]
    Make = Callable[..., Any]
    Put = Callable[[str, object], str]

SUBJECT = hashlib.sha256(b"change\n").hexdigest()


def finding(**changes: object) -> dict[str, Any]:
    return {
        "code": "DEAD_CALL",
        "severity": "low",
        "file": "x.py",
        "line": 3,
        "claim": "c",
        "evidence": ["e"],
        **changes,
    }


def review(*findings: dict[str, Any], **changes: object) -> dict[str, Any]:
    return {
        "schema": "hpp.findings/v1",
        "lens": "deletion",
        "subject_sha256": SUBJECT,
        "inspected": ["src/"],
        "findings": list(findings),
        **changes,
    }


def read(document: object, **options: Any) -> Review:  # noqa: ANN401 -- options of the reader
    return read_review(Place(document, "f.json"), **options)


@pytest.mark.parametrize(
    ("severities", "verdict", "status"),
    [("", "pass", 0), ("low", "warn", 1), ("medium low", "warn", 1), ("low high", "fail", 1)],
)
def test_the_verdict_is_derived(
    program: Call, put: Put, severities: str, verdict: str, status: int
) -> None:
    found = [finding(severity=s, line=n + 1) for n, s in enumerate(severities.split())]
    made = review(*found)

    code, printed, _ = program("findings", "check", put("f.json", made))

    assert code == status
    (report,) = printed["reports"]
    counts = {s: severities.split().count(s) for s in ("high", "medium", "low")}
    assert report == {**made, "file": "f.json", "verdict": verdict, "counts": counts}
    assert faults(find_schema("findings-report").document(), printed) == []


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (review(schema="x"), "schema: expected"),
        (review(x=1), "x: unknown key"),
        (review(verdict="pass"), "verdict: unknown key"),
        (review(lens="Deletion"), "lens: expected a lower-case word"),
        (review(lens="deletion\n"), "lens: expected a lower-case word"),
        (review(lens="a" * 64), "lens: expected a lower-case word"),
        (review(lens=""), "lens: expected a lower-case word"),
        (review(lens=None), "lens: expected a lower-case word"),
        (review(subject_sha256="x"), "subject_sha256: expected 64"),
        (review(inspected=[]), "inspected: expected a list of 1 or more texts"),
        (review(inspected="src/"), "inspected: expected a list of 1 or more texts"),
        (review(inspected=["\u200b"]), r"inspected\[0\]: expected a text in which"),
        (review(findings={}), "findings: expected a list"),
        (review(7), r"findings\[0\]: expected an object"),  # type: ignore[arg-type]  # on purpose
        (review(finding(x=1)), r"findings\[0\].x: unknown key"),
        (review(finding(code="dead")), r"findings\[0\].code: expected an upper-case word"),
        (review(finding(code="A")), r"findings\[0\].code: expected an upper-case word"),
        (review(finding(code="AB\n")), r"findings\[0\].code: expected an upper-case word"),
        (review(finding(code="A" * 65)), r"findings\[0\].code: expected an upper-case word"),
        (review(finding(severity="critical")), r"findings\[0\].severity: expected one of high"),
        (review(finding(severity=["high"])), r"findings\[0\].severity: expected one of high"),
        (review(finding(file="")), r"findings\[0\].file: expected a text in which"),
        (review(finding(line=0)), r"findings\[0\].line: expected an integer of 1 or more"),
        (review(finding(line=True)), r"findings\[0\].line: expected an integer"),
        (review(finding(line=3.0)), r"findings\[0\].line: expected an integer"),
        (review(finding(claim=" ")), r"findings\[0\].claim: expected a text in which"),
        (review(finding(evidence=[])), r"findings\[0\].evidence: expected a list of 1 or more"),
        (review(finding(evidence=[""])), r"findings\[0\].evidence\[0\]: expected a text in which"),
        (review(finding(fix="")), r"findings\[0\].fix: expected a text in which"),
    ],
)
def test_a_broken_rule_refuses_the_whole_document(document: dict[str, Any], told: str) -> None:
    with pytest.raises(RefusedError, match=f"^f.json: {told}"):
        read(document)


@pytest.mark.parametrize("key", ["code", "severity", "file", "line", "claim", "evidence"])
def test_a_finding_has_all_but_the_fix(changed: Make, dropped: object, key: str) -> None:
    with pytest.raises(RefusedError, match=rf"findings\[0\].{key}: .*it is missing"):
        read(changed(review(finding()), {f"findings__0__{key}": dropped}))


@pytest.mark.parametrize(
    "file",
    ["x.py", "./x.py", "a/../x.py", "a\\..\\x.py", ".\\x.py", "a/./../x.py", ".//x.py"],
)
def test_the_same_place_is_named_once(file: str) -> None:
    with pytest.raises(RefusedError, match=r"findings\[1\]: finding 0 has the same code, file"):
        read(review(finding(), finding(file=file, severity="high", claim="other")))


@pytest.mark.parametrize(
    "change",
    [
        {"line": 4},
        {"line": None},
        {"code": "OTHER"},
        {"file": "../x.py"},
        {"file": "/x.py"},
        {"file": "X.py"},
    ],
)
def test_other_places_are_others(change: dict[str, Any]) -> None:
    assert read(review(finding(), finding(**change)), folds_case=False).verdict == "warn"


@pytest.mark.parametrize(
    ("system", "folds"), [("win32", True), ("darwin", True), ("linux", False), ("freebsd14", False)]
)
def test_windows_and_macos_fold_case(system: str, *, folds: bool) -> None:
    assert system_folds_case(system) is folds


def test_case_folds_where_the_system_folds_it() -> None:
    pair = review(finding(), finding(file="X.PY"))

    read(pair, folds_case=False)
    with pytest.raises(RefusedError, match="finding 0 has the same"):
        read(pair, folds_case=True)


@pytest.mark.parametrize(
    ("path", "plain"),
    [("a/../../b", "../b"), ("//a", "/a"), ("/../a", "/a"), ("C:\\a\\..\\b", "C:/b"), ("a/", "a")],
)
def test_a_path_has_one_spelling(path: str, plain: str) -> None:
    assert normal_path(path, folds_case=False) == plain


@given(st.lists(st.sampled_from(["a", "b", ".", "..", ""]), min_size=1, max_size=6))
def test_spelling_twice_changes_nothing_and_separators_do_not_matter(parts: list[str]) -> None:
    once = normal_path("/".join(parts), folds_case=False)

    assert normal_path(once, folds_case=False) == once
    assert normal_path("\\".join(parts), folds_case=False) == once


def test_a_review_is_about_its_subject(program: Call, put: Put, workspace: Path) -> None:
    made = put("f.json", review())
    (workspace / "c.txt").write_bytes(b"change\n")
    (workspace / "o.txt").write_bytes(b"other\n")

    assert program("findings", "check", made, "--subject", "c.txt")[0] == 0
    code, _, told = program("findings", "check", made, "--subject", "o.txt")
    assert (code, "f.json: subject_sha256: it is about another subject" in told) == (2, True)
    assert program("findings", "check", made, "--subject", "nope")[0] == 2


def test_one_review_that_is_refused_leaves_nothing_to_print(program: Call, put: Put) -> None:
    sound, bad = put("a.json", review()), put("b.json", review(x=1))

    code, printed, told = program("findings", "check", sound, bad)

    assert (code, printed) == (2, None)
    assert "b.json: x: unknown key" in told


def test_several_reviews_are_reported_in_their_order(program: Call, put: Put) -> None:
    files = [put(f"{n}.json", review(lens=lens)) for n, lens in enumerate(LENSES)]
    files.append(put("z.json", review(finding(), lens="own-lens")))

    code, printed, _ = program("findings", "check", *files)

    assert code == 1
    assert [report["file"] for report in printed["reports"]] == files
    assert [report["verdict"] for report in printed["reports"]] == ["pass"] * 4 + ["warn"]
