from __future__ import annotations

import hashlib

import pytest

from hpp.core.portable.digest import text_digest
from hpp.core.portable.pathglob import covers, matches
from hpp.core.portable.tokenpattern import first_match
from hpp.core.portable.tokenpattern import matches as begins


@pytest.mark.parametrize("text", ["", "a", "\u8868", "x" * 1000])
def test_the_digest_is_sha256(text: str) -> None:
    assert text_digest(text) == hashlib.sha256(text.encode()).hexdigest()


def test_a_lone_surrogate_has_a_digest() -> None:
    assert text_digest("\udc80") != text_digest("\udc81")


@pytest.mark.parametrize(
    ("pattern", "command", "expected"),
    [
        ("terraform destroy", "terraform destroy", True),
        ("terraform destroy", "terraform destroy -auto-approve", True),
        ("terraform destroy \u2026", "terraform destroy x y", True),
        ("terraform destroy ...", "terraform destroy", True),
        ("terraform * destroy", "terraform -chdir=a destroy", True),
        ("terraform * destroy", "terraform destroy", False),
        ("terraform destroy", "terraform plan destroy", False),
        ("terraform destroy", "terraform", False),
        ("", "terraform", False),
        ("...", "terraform", False),
        ("(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa!", False),
    ],
)
def test_a_pattern_is_held_against_the_first_words(
    pattern: str, command: str, expected: bool
) -> None:
    assert begins(pattern, command.split()) is expected
    assert first_match(["nothing", pattern], command.split()) == (pattern if expected else None)


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("src/**", "src/a/b.py", True),
        ("src/**", "src", True),
        ("./src/**", "src/a", True),
        ("src/**", "srcs/a", False),
        ("src/**", "lib/src/a", False),
        ("**/.env*", ".env", True),
        ("**/.env*", "a/b/.env.local", True),
        ("a/*/c", "a/b/c", True),
        ("a/*/c", "a/b/b/c", False),
        ("a/**/c", "a/c", True),
        ("**", "anything", True),
        ("*.py", "a/b.py", False),
    ],
)
def test_a_glob_names_paths(glob: str, path: str, expected: bool) -> None:
    assert matches(glob, path) is expected


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("app/web/**", "app", True),
        ("app/web/**", ".", True),
        ("app/web/**", "app/webs", False),
        ("app/web/**", "lib", False),
        ("**/.env*", "lib", False),
        ("app/web", "app/web/deep", False),
    ],
)
def test_removing_a_folder_takes_what_is_named_below_it(
    glob: str, path: str, expected: bool
) -> None:
    assert covers(glob, path) is expected


def test_a_hostile_glob_ends() -> None:
    assert not matches("**/" * 200 + "x", "/".join("a" * 400))
