from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpp.core import secret
from hpp.core.secret import MASK, find, find_in_argv, first_kind, redact
from hpp.core.secretmark import may_hold_secret
from hpp.core.secretname import is_secret_name

HITS = [
    ("api_key=secret-value", "assignment", "secret-value"),
    ("api_key: S9kQ2vLx7TzB4nWm8RpY3cHd", "assignment", "S9kQ2vLx7TzB4nWm8RpY3cHd"),
    ("SECRET=abcdefghijklmnop", "assignment", "abcdefghijklmnop"),
    ("access_token=abcd1234efgh5678", "assignment", "abcd1234efgh5678"),
    ("password: hunter2", "assignment", "hunter2"),
    ('{"api_key": "abcd1234efgh"}', "assignment", "abcd1234efgh"),
    ('{\\"api_key\\": \\"abcd1234efgh\\"}', "assignment", "abcd1234efgh"),
    ('{"clientSecret": "abc123xyz"}', "assignment", "abc123xyz"),
    ("token='sk-live-1234567890abcdef'", "provider-token", "sk-live-1234567890abcdef"),
    ("PGPASSWORD=x psql", "assignment", "x"),
    ("secret => 'abc'", "assignment", "abc"),
    ("password := 'a b c'", "assignment", "a b c"),
    ("export GITHUB_TOKEN=abc123def", "assignment", "abc123def"),
    ("DB-Password=hunter2:tail", "assignment", "hunter2:tail"),
    ("-----BEGIN PRIVATE KEY-----", "pem", "PRIVATE"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc", "pem", "abc"),
    ('{"k":"-----BEGIN RSA PRIVATE KEY-----\\nMIIabc"}', "pem", "MIIabc"),
    ("-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----", "pem", "AAAA"),
    ("PuTTY-User-Key-File-2: ssh-rsa", "pem", "PuTTY"),
    ("postgres://app:Zx81kQpLm2@db/app", "url-credential", "Zx81kQpLm2"),
    ("redis://:pw@h", "url-credential", "pw"),
    ("https://u:p%40ss@h/x", "url-credential", "p%40ss"),
    ("Authorization: Bearer abcdefghijklmnop", "auth-header", "abcdefghijklmnop"),
    ("Authorization: Bearer loc-7Qm2x:Tail99Value", "auth-header", "Tail99Value"),
    ("curl -H 'authorization: token abcdefgh1'", "auth-header", "abcdefgh1"),
    ("Proxy-Authorization=Basic dXNlcjpw", "auth-header", "dXNlcjpw"),
    ("Bearer abcdefghijk1", "auth-header", "abcdefghijk1"),
    ("sk-abcdefghijkl", "provider-token", "sk-abcdefghijkl"),
    ("ghp_" + "a1B2" * 9, "provider-token", "ghp_"),
    ("glpat-abcdefghijklmnopqrst", "provider-token", "glpat"),
    ("xoxb-1234567890ab", "provider-token", "xoxb"),
    ("AKIAABCDEFGHIJKLMNOP", "provider-token", "AKIA"),
    ("eyJhbGciOiJI.eyJzdWIiOiIx.dozjgNryP4J3", "jwt", "eyJ"),
    ("GET /dl?token=q8w7e6r5t4y3u2i1o0", "query-parameter", "q8w7e6r5t4y3u2i1o0"),
    ("--token=abc", "flag-value", "abc"),
    ("--password hunter2", "flag-value", "hunter2"),
    ("--auth-token abc123def", "flag-value", "abc123def"),
    ("-token abc123", "flag-value", "abc123"),
    ("curl -u bob:hunter2 x", "basic-credential", "hunter2"),
    ("--user=bob:hunter2", "basic-credential", "hunter2"),
    ("--spring.datasource.password=hunter2", "flag-value", "hunter2"),
    ("--auth.token abc1", "flag-value", "abc1"),
    ("java -Ddb.password=hunter2 -jar x", "flag-value", "hunter2"),
    ("mvn -Dpassword=hunter2", "flag-value", "hunter2"),
    ("docker run -ePGPASSWORD=abc x", "flag-value", "abc"),
    ("password: hunter[2]", "assignment", "hunter[2"),
]
MISSES = [
    "write it behind --password. The other way is a file",
    "-Dpassword.file=/run/x",
    "-Dmonkey=banana1",
    "--xpassword=abc1",
    "def log_in(password: Optional[str] = None)",
    "api_key: Union[str, None]",
    'secret: List["Name"]',
    "private_key: Mapping<string,string>;",
    'client_secret: "REDACTED"',
    "api_key=<your-key>",
    "password=${PASSWORD}",
    "the bearer of bad news arrived",
    "our secret sauce; no password involved",
    "if (mode == StoreMode.LOCAL_ONLY_CACHE && entry.isExpired())",
    "tokenizationId: '0d4b7c1e9a2f4836b5d1c0e7f3a98264'",
    "USE_TOKEN=false",
    "MY_TOKEN=",
    "--tb=short",
    "-p no:cacheprovider",
    "task-abcdefgh",
    "risk-assessment",
    "git push -u origin main",
    "password: required",
    "token: expired",
    "max_tokens=4096",
    "total_tokens: 123456",
    'monkey = "banana-split-2024-edition"; public_key_id = "rsa-2026"',
    "SECRET_KEY_FILE=/run/k",
    "GITHUB_TOKEN_PATH=tok.txt",
    "TOKENIZERS_PARALLELISM=false",
    "--password-file x",
    "--api-docs y",
    "--secret-name z",
    "--token",
    "use --token to pass it on",
    "PWD=/srv/app",
    "docker run -u 1000:1000 x",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "token == expected",
    "550e8400-e29b-41d4-a716-446655440000",
    "password: ********",
    'api_key: "{{ key }}"',
    "DB_PASSWORD=%PASSWORD%",
    "a senha: obrigatória",
    "hpp: event append: --token is required",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
    "secret = os.environ['X']",
    "MY_TOKEN= next",
    "https://example.com:8080/a@b",
    "Basic understanding",
]


@pytest.mark.parametrize(("text", "kind", "value"), HITS, ids=range(len(HITS)))
def test_a_secret_is_found_and_taken_out_whole(text: str, kind: str, value: str) -> None:
    assert kind in [found for found, _, _ in find(text)]
    redacted = redact(f"before {text} after")
    assert value not in redacted
    assert MASK in redacted
    assert redacted.startswith("before ")
    assert find(redacted) == []
    assert may_hold_secret(text)


@pytest.mark.parametrize("text", MISSES, ids=range(len(MISSES)))
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert find(text) == []
    assert redact(text) == text


@pytest.mark.parametrize(
    ("argv", "place"),
    [
        (["x", "--password", "hunter2"], 2),
        (["sh", "-c", "export GITHUB_TOKEN=abc123def"], 2),
        (["curl", "-u", "bob:hunter2"], 2),
        (["x", "TOKEN=abc123"], 1),
        (["x", "Authorization:", "Bearer", "abcdefghijklmnop"], 3),
        (["x", "--auth-token", "abc123def"], 2),
        (["x", "--token", "to"], 2),
    ],
)
def test_a_command_line_is_refused_at_the_argument(argv: list[str], place: int) -> None:
    found = find_in_argv(argv)

    assert found is not None
    assert found[0] == place


@pytest.mark.parametrize(
    "argv",
    [
        ["true", "-p", "no:cacheprovider", "--tb=short", "--api-docs", "--token"],
        ["x", "MY_TOKEN=", "task-abcdefgh"],
        ["x", "--token", "--verbose"],
        ["x", "--token", "$TOKEN"],
    ],
)
def test_an_ordinary_command_line_passes(argv: list[str]) -> None:
    assert find_in_argv(argv) is None


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "db_password",
        "clientSecret",
        "api-key",
        "APIKey",
        "X.secret_key",
        "PGPASSWORD",
        "tokens",
    ],
)
def test_a_secret_name(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name", ["monkey", "keyboard", "tokenizer", "SECRET_KEY_FILE", "public_key", "key", "PWD", ""]
)
def test_a_name_that_is_none(name: str) -> None:
    assert not is_secret_name(name)


@given(st.text(max_size=200))
def test_every_text_has_an_answer_and_redaction_ends(text: str) -> None:
    redacted = redact(text)

    assert find(redacted) == []
    assert redact(redacted) == redacted
    for _, start, length in find(text):
        assert 0 <= start < start + length <= len(text)


@given(st.text("abcdefghij =:'\"-&?\n", max_size=60), st.sampled_from(HITS))
def test_no_surrounding_text_saves_a_secret(around: str, hit: tuple[str, str, str]) -> None:
    text = f"{around}\n{hit[0]}\n"

    assert hit[2] not in redact(text)


@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=9), max_size=12))
def test_plain_words_are_never_refused(words: list[str]) -> None:
    assert first_kind(" ".join(words)) is None


UNITS = [
    "-",
    "a",
    "eyJ",
    "=",
    "key=",
    '"',
    "-----BEGIN A-----",
    "token:",
    "://a:",
    'token="',
    "-u a",
    "--token ",
    "Authorization: ",
    "eyJ-",
    "sk-",
    '\\"',
    "Bearer ",
    "?token=",
    "token.",
    "-a.",
    "-token.a",
    "password: a[a,",
]


@pytest.mark.parametrize("unit", UNITS)
def test_hostile_repetition_is_read_in_one_pass(unit: str) -> None:
    """A reader that goes back over such a text would not come to an end here."""
    find(unit * (200_000 // len(unit)))


NAME_PIECE = st.one_of(
    st.sampled_from(
        ["password", "PASSWORD", "Key", "api", "apiKey", "secret", "token", "s", "_", "-", "."]
    ),
    st.sampled_from(["=", ":", ":=", "=>", " ", "\t", '"', "'", "\\", "--", "?", "&", "\n"]),
    st.sampled_from(["hunter2-x", "Zx81kQpLm2", "é", "\u0130", "\u212a", "1", "a", "K", "x" * 9]),
)


@given(st.lists(NAME_PIECE, max_size=9).map("".join))
def test_no_reason_to_skip_a_detector_loses_a_hit(text: str) -> None:
    for marks, _, detector in secret._DETECTORS:
        expected = list(detector(text)) if any(mark in text.lower() for mark in marks) else []
        found = [hit for hit in secret._all(text) if hit in expected]
        assert set(found) == set(expected)


def test_only_two_letters_become_ascii_in_lower_case() -> None:
    odd = [chr(c) for c in range(0x80, 0x110000) if any(x.isascii() for x in chr(c).lower())]

    assert odd == ["\u0130", "\u212a"]


def test_control_a_detector_that_saw_nothing_would_be_seen() -> None:
    assert find("password=hunter2") != []
