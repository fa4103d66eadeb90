from __future__ import annotations

import base64
import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpp.core import secret
from hpp.core.portable.redact import clean, cut, find_secrets, redact, shown

B64 = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzX3k9mQ2aB"
# Text, and the part that must be gone.
SECRETS = [
    ("DB_PASSWORD=hunter2hunter2", "hunter2hunter2"),
    ("OPENAI_API_KEY=abcdef0123456789", "abcdef0123456789"),
    (f"AWS_SECRET_ACCESS_KEY={B64}", B64),
    ("PGPASSWORD=abcd1234 psql", "abcd1234"),
    ("redis://:p4ss@h:6379/0", "p4ss"),
    ("https://tok3n@h/x", "tok3n"),
    ("postgres://u:p/w@h/db", "p/w"),
    ("postgresql+psycopg://app:pa@ss@db/x", "pa@ss"),
    ("postgres://app:Zx81kQpLm2@db.example/app", "Zx81kQpLm2"),
    ("Authorization: Token abcdef123456", "abcdef123456"),
    ("Authorization: Bearer loc-7Qm2x:Tail99Value", "Tail99Value"),
    ('curl -H "Authorization: Bearer abc.def.ghi" x', "abc.def.ghi"),
    ("Cookie: session=abcdef; csrftoken=zzz", "zzz"),
    ("Set-Cookie: sid=12345; HttpOnly", "12345"),
    ("curl -u bob:s3cret https://x", "s3cret"),
    ("curl -U :s3cret https://x", "s3cret"),
    ("curl --proxy-user bob:s3cret https://x", "s3cret"),
    ("mysql -pS3cretPw -h x", "S3cretPw"),
    ("sshpass -p hunter22 ssh h", "hunter22"),
    ("--password hunter2", "hunter2"),
    ("--api-key=x9y8z7w6", "x9y8z7w6"),
    ("--db-secret 'two words'", "words"),
    ('{"clientSecret": "abc123xyz"}', "abc123xyz"),
    ("password: correcthorse9", "correcthorse9"),
    ("token = 'abc'", "abc"),
    ("token='sk-live-1234567890abcdef'", "sk-live-1234567890abcdef"),
    ("AWS_SESSION_TOKEN: FwoGZXIvYXdzE", "FwoGZXIvYXdzE"),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\nZXk", "ZXk"),
    ('{"k":"-----BEGIN RSA PRIVATE KEY-----\\nMIIabc"}', "MIIabc"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQ\n-----END PGP PRIVATE KEY BLOCK-----", "lQ"),
    (f"see {B64} here", B64),
    ("bearer abc123def456ghi", "abc123def456ghi"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123", "abcDEF123"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0", "eyJzdWIiOiIxMjM0In0"),
    ("pass\u200bword=hunter2hunter2", "hunter2hunter2"),
    ("DB_PASSWORD=hun\x1b[31mter2hunter2", "ter2hunter2"),
]
PREFIXES = {
    "sk-ant-api03-": 20,
    "sk-": 24,
    "sk_live_": 24,
    "sk_test_": 24,
    "rk_live_": 24,
    "rk_test_": 24,
    "ghp_": 36,
    "gho_": 36,
    "ghu_": 36,
    "ghs_": 36,
    "ghr_": 36,
    "github_pat_": 40,
    "glpat-": 20,
    "xoxa-": 20,
    "xoxb-": 20,
    "xoxe-": 20,
    "xoxo-": 20,
    "xoxp-": 20,
    "xoxr-": 20,
    "xoxs-": 20,
    "xapp-": 20,
    "AIza": 35,
    "ya29.": 30,
    "sbp_": 40,
    "sb_secret_": 24,
    "npm_": 36,
    "pypi-": 40,
    "hf_": 34,
    "dop_v1_": 64,
    "SG.": 40,
    "hvs.": 24,
}
KEPT = [
    "token: expired",
    "password: required",
    "basic authentication failed",
    "bearer authentication required",
    "https://registry.npmjs.org/@scope/pkg",
    "git+ssh://git@github.com/a/b.git#v1",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "550e8400-e29b-41d4-a716-446655440000",
    "task-550e8400-e29b-41d4-a716-446655440000",
    "getUserAuthenticationTokenV2FromTheCacheOrElseLoadIt",
    "/usr/local/lib/python3.11/site-packages/foo/bar.py",
    "--token $GITHUB_TOKEN",
    "API_KEY=<your-key>",
    "python -u script.py",
    "git push -u origin main",
    "docker run -u 1000:1000 x",
    "max_tokens=4096",
    "ETIMEDOUT at api.example.com:443",
    'monkey = "banana-split-2024-edition"; public_key_id = "rsa-2026"',
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl3dIeudNqd0DPMRD6OIh65tjkQFNqDdaE2WzS6Lb2X me",
    'src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"',
]


def _alphanumeric(size: int, seed: int = 7) -> str:
    chars = random.Random(seed).choices(string.ascii_letters + string.digits, k=size - 3)
    return "".join(chars) + "aZ5"


@pytest.mark.parametrize(("text", "value"), SECRETS, ids=range(len(SECRETS)))
def test_a_secret_is_removed_whole(text: str, value: str) -> None:
    made = redact(text)

    assert value not in made
    assert "[REDACTED:" in made
    assert redact(made) == made
    assert find_secrets(made) == []
    assert value not in shown(text)


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("around", ["see {} now", "x='{}'", '{{"a":"{}"}}', "({})"])
def test_each_prefix_of_a_provider_is_known(prefix: str, around: str) -> None:
    body = _alphanumeric(PREFIXES[prefix])

    made = redact(around.format(prefix + body))

    assert body not in made
    assert "provider-token" in made


@pytest.mark.parametrize(
    "value",
    ["AKIA" + "ABCDEFGH23456789", "ASIA" + "ABCDEFGH23456789", "AGE-SECRET-KEY-1" + "Q" * 58],
)
def test_keys_in_capitals_are_known(value: str) -> None:
    assert value not in redact(f"id {value}.")


@pytest.mark.parametrize("text", KEPT)
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text) == text


def _benign() -> list[str]:
    chance = random.Random(11)
    raw = chance.randbytes
    lines = [raw(size).hex() for size in (16, 20, 28, 32, 48, 64) for _ in range(40)]
    for name in ("sha1", "sha256", "sha384", "sha512"):
        lines += [f'"integrity": "{name}-{base64.b64encode(raw(64)).decode()}"' for _ in range(40)]
    lines += [f"example.org/a v1.0.0 h1:{base64.b64encode(raw(32)).decode()}" for _ in range(40)]
    lines += [f"    --hash=sha256:{raw(32).hex()} \\" for _ in range(40)]
    for kind, head in (
        ("png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("gif", b"GIF89a"),
        ("webp", b"RIFF"),
    ):
        data = base64.b64encode(head + raw(400)).decode()
        lines.append(f"url(data:image/{kind};base64,{data})")
        lines.append("\n".join(data[at : at + 76] for at in range(0, len(data), 76)))
    return lines


def test_digests_lock_files_and_images_give_no_hit() -> None:
    assert [line for line in _benign() if find_secrets(line)] == []


def test_the_benign_texts_would_show_a_detector_that_sees_too_much() -> None:
    assert len([line for line in _benign() if len(line) > 31]) > 400


def test_a_certificate_is_no_private_key() -> None:
    assert find_secrets("-----BEGIN CERTIFICATE-----\n") == []


@pytest.mark.parametrize("text", ["[REDACTED:assignment:5]", "password=[REDACTED:assignment:5]"])
def test_a_mask_is_no_secret(text: str) -> None:
    assert redact(text) == text


def test_text_beside_a_mask_does_not_hide_behind_it() -> None:
    assert "hunter2" not in redact("password=[REDACTED:assignment:5]hunter2hunter2")


def test_a_cut_leaves_no_half_of_a_secret() -> None:
    text = "x " * 20 + "ghp_" + "a1B2" * 10

    assert cut(text, 60) == ("x " * 20).rstrip()
    assert cut("a b", 10) == "a b"
    assert cut("y" * 100, 60) == ""


def test_hidden_characters_and_sequences_go() -> None:
    assert clean("a\x1b[31mb\x00c\u202ed\u200be\tf\n\x1b]0;t\x07g") == "abcde\tf\ng"
    assert clean("x\ud800y") == "x\ufffdy"


def test_a_hook_says_only_how_long_it_was() -> None:
    assert shown("DB_PASSWORD=hunter2hunter2") == "DB_PASSWORD=[secret-like text, 14 characters]"


PIECES = (
    [text for text, _ in SECRETS]
    + KEPT
    + [
        "[REDACTED:jwt:9]",
        "[REDACTED:",
        "]",
        "=",
        ":",
        " ",
        "\n",
        "'",
        '"',
        "-----BEGIN ",
        "://",
        "@",
        "token",
        "password",
        "-p",
        "mysql ",
        "Bearer ",
        "\u200b",
        "\x1b[0m",
        "a1B2c3",
        "/",
    ]
)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=8).map("".join))
def test_twice_is_as_once(text: str) -> None:
    once = redact(text)

    assert redact(once) == once


@settings(max_examples=150)
@given(st.lists(st.sampled_from([text for text, _ in SECRETS] + KEPT), max_size=4).map(" ".join))
def test_what_is_refused_as_an_input_is_removed_from_a_text(text: str) -> None:
    if any(kind != "pem" for kind, _, _ in secret.find(clean(text))):
        assert find_secrets(text)


HOSTILE = [
    "a",
    " ",
    "token:",
    "x=y ",
    "-----BEGIN ",
    "eyJaaaaaaa.",
    "://",
    "postgres://",
    "--a-",
    "authorization: ",
    '"',
    "'",
    "a_",
    "lock ",
    "fetch",
    "grep: x: ",
    "env" + " " * 60,
    "(",
    "cookie: ",
    "-p",
    "A1b",
    "sk-",
    '--password "',
    "-u a:",
    "\x1b[",
    "\x1b]",
    "bearer ",
    "secret-",
    "mysql -p",
    "password=",
    "aB3/",
    "<!-- ",
    "next step 1:\n",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_work_on_a_hostile_text_grows_with_its_length(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    real = secret.is_stand_in
    seen = [0]

    def counting(value: str) -> bool:
        seen[0] += len(value) + 1
        return real(value)

    monkeypatch.setattr(secret, "is_stand_in", counting)
    for size in (4096, 16384):
        seen[0] = 0
        text = (piece * size)[:size]
        made = redact(text)
        counts.append(seen[0])
        assert redact(made) == made

    # Four times the text may take four times the looks and some, never sixteen times.
    assert counts[1] <= 8 * counts[0] + 20_000
