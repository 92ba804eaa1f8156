"""Secrets in published texts: real ones are found, examples and identifiers are not."""

import random
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillforge.redact import KnownPrivate, leaks
from skillforge.redact.made_up import is_made_up, is_random

LETTERS = string.ascii_letters + string.digits
SMALL = string.ascii_lowercase + string.digits
HEX = "0123456789abcdef"
R = random.Random(11)


def some(letters: str, count: int) -> str:
    return "".join(R.choice(letters) for _ in range(count))


KEY = some(LETTERS, 32)
HEXKEY = some(HEX, 40)
PASSWORD = "vR7$kQ2!zXw9#Lp"
GITHUB = f"ghp_{some(LETTERS, 36)}"


def found(text: str) -> list[str]:
    return [leak.value for leak in leaks.find(text)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param(f"export ACME_API_KEY={KEY}", KEY, id="shell"),
        pytest.param(f'acme_token: "{KEY}"', KEY, id="yaml"),
        pytest.param(f'{{"clientSecret": "{HEXKEY}"}}', HEXKEY, id="json"),
        pytest.param(f"client = Acme(api_key='{KEY}')", KEY, id="python"),
        pytest.param(f'token: str = "{KEY}"', KEY, id="typed"),
        pytest.param(f'setProperty("ACME_TOKEN", "{KEY}")', KEY, id="argument"),
        pytest.param(f"curl -H 'X-API-Key: {KEY}'", KEY, id="header"),
        pytest.param(f"Authorization: Bearer {KEY}", KEY, id="bearer"),
        pytest.param(f"acme login --token {KEY}", KEY, id="option"),
        pytest.param(f"| API key | {KEY} |", KEY, id="table"),
        pytest.param(f"- **API key**: `{KEY}`", KEY, id="bold"),
        pytest.param(f"The access token is {KEY}.", KEY, id="sentence"),
        pytest.param(f"<apiToken>\n  {KEY}\n</apiToken>", KEY, id="xml"),
        pytest.param(f"acmekey_token: {KEY}", KEY, id="key-and-token"),
        pytest.param(f"KEY=\nACME_SECRET_KEY={KEY}", KEY, id="after-an-empty-one"),
        pytest.param(f"DB_PASSWORD={PASSWORD}", PASSWORD, id="password"),
        pytest.param(f"password: '{PASSWORD}'", PASSWORD, id="quoted-password"),
        pytest.param(f"Use {GITHUB} for now.", GITHUB, id="format"),
        pytest.param(f"a/{GITHUB}/b", GITHUB, id="format-in-a-path"),
        pytest.param(f"postgres://app:{KEY[:14]}@db.acme.io/x", KEY[:14], id="login"),
    ],
)
def test_a_secret_is_found(text: str, value: str) -> None:
    assert found(text) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "dim_pass = acceptable",
        "max_tokens=128000",
        "max_completion_tokens: 16384",
        'api_key="your-api-key"',
        "api_key = os.environ['ACME_API_KEY']",
        "API_KEY=${ACME_API_KEY}",
        "API_KEY=$(cat ~/.acme/key)",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "password: {{ vault_db_password }}",
        "export TOKEN=<your token>",
        "token: string",
        "password: Optional[SecretStr] = None",
        "password=secret123",
        "password: P@ssw0rd123!",
        "token = abc123def456ghi789",
        "token = a1b2c3d4e5f6g7h8i9j0",
        "api_key: sk-1234567890abcdef1234567890abcdef",
        "api_key: 'sk-or-v1-project1-key'",
        "secret_key = 00000000000000000000000000000000",
        'auth = "eyJhbGciOiJSUzI1NiIs..."',
        "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "AIzaSyA1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q",
        "hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
        f"public_key = {KEY}",
        f"primaryKey: {KEY}",
        f"cache-key: {KEY}",
        f"next_page_token: {KEY}",
        f"token_count = {KEY}",
        f"sha256: {HEXKEY}",
        f"uses: actions/checkout@{HEXKEY}",
        f"commit {HEXKEY}",
        f"mint address {KEY}",
        'row_key: "9d2f1c3e-5b7a-4c1d-8e6f-2a4b6c8d0e1f"',
        "https://cdn.example.com/a.png?alt=media&token="
        "9d2f1c3e-5b7a-4c1d-8e6f-2a4b6c8d0e1f",
        "<InteractionKey>9d2f1c3e-5b7a-4c1d-8e6f-2a4b6c8d0e1f:9d2f</InteractionKey>",
        "token=<token>\nclient_id=9d2f1c3e-5b7a-4c1d-8e6f-2a4b6c8d0e1f",
        "model: gpt-4o-mini-2024-07-18",
        "auth_model: claude-3-5-sonnet-20241022",
        'secret: "projects/p1/secrets/db-password-v2"',
        "from crypto import Ed25519PrivateKey, X25519PublicKey",
        "postgres://user:password@localhost:5432/db",
        f"postgres://app:{KEY[:14]}@localhost/x",
        f"postgres://app:{KEY[:14]}@db.example.com/x",
        f"https://app:{KEY[:14]}@10.0.0.7/x",
        f"https://app:{KEY[:14]}@192.0.2.9/x",
        f"https://app:{KEY[:14]}@[2001:db8::1]/x",
        f"https://app:{KEY[:14]}@svc.test/x",
        "https://${USER}:${PASSWORD}@git.acme.io/x",
    ],
)
def test_an_example_or_identifier_is_none(text: str) -> None:
    assert found(text) == []
    assert found(f"# Setup\n\n```sh\n{text}\n```\n") == []


@pytest.mark.parametrize("label", ["", "RSA ", "OPENSSH ", "EC ", "ENCRYPTED "])
def test_a_private_key_is_found_and_its_outline_is_not(label: str) -> None:
    lines = "\n".join(some(LETTERS + "+/", 64) for _ in range(6))
    begin, end = (
        f"-----BEGIN {label}PRIVATE KEY-----",
        f"-----END {label}PRIVATE KEY-----",
    )
    whole = f"{begin}\n{lines}\n{end}"

    assert [leak.what for leak in leaks.find(whole)] == ["a private key"]
    assert len(leaks.find(whole.replace("\n", "\\n"))) == 1
    assert found(f"{begin}\n...\n{end}") == []
    assert found(f"{begin}\nyour key, without line breaks\n{end}") == []


def test_the_place_is_that_of_the_match_and_not_of_the_same_text_before() -> None:
    text = f"{KEY} is an id\n\nACME_TOKEN={KEY}\n"

    (leak,) = leaks.find(text)

    assert leak.start == text.rindex(KEY)
    assert text[leak.start : leak.end] == KEY


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("pay with 4539 5787 6362 1486", "a card number"),
        ("card: 4539578763621486", "a card number"),
        ("DE13 3705 0198 1937 4628 55", "a bank account number"),
        ("row 4539578763621486 of the table", ""),
        ("pay with 4539 5787 6362 1487", ""),
        ("pay with 4242 4242 4242 4242", ""),
        ("card: 6011111111111117", ""),
        ("DE89 3704 0044 0532 0130 00", ""),
        ("DE14 3705 0198 1937 4628 55", ""),
        ("As in project heron.", "a private name of the policy"),
        ("As in project her\u200bon.", "a private name of the policy"),
        ("As in projects.", ""),
    ],
)
def test_private_numbers_and_names(text: str, what: str) -> None:
    known = KnownPrivate.of({"NAME": ["Project Heron"]})

    assert [leak.what for leak in leaks.find_private(text, known)] == [what][
        : bool(what)
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Ask jane.doe@acme.io", 1),
        ("Call +49 30 12345678", 1),
        ("Ask jane@example.org, jo@svc.test or support@acme.io", 0),
    ],
)
def test_people_are_told_from_projects_and_examples(text: str, count: int) -> None:
    assert len(leaks.personal(text)) == count


WORDS = """access api author build cache check client config data file find get item key
list load max model name new node page path read run server set skill state table task
test text time token tool type user value version write"""
_WORDS = st.sampled_from(WORDS.split())
_IDENTIFIER = st.builds(
    lambda words, sign, number: sign.join(words) + number,
    st.lists(_WORDS, min_size=1, max_size=5),
    st.sampled_from("_-."),
    st.sampled_from(["", "1", "2", "-v2", "_2024", ".5"]),
)
_CAMEL = st.builds(
    lambda words, number: "".join(word.title() for word in words) + number,
    st.lists(_WORDS, min_size=1, max_size=5),
    st.sampled_from(["", "1", "2", "V2"]),
)


@given(st.one_of(_IDENTIFIER, _CAMEL), st.sampled_from(["token", "apiKey", "password"]))
def test_identifiers_and_numbers_are_never_secrets(value: str, name: str) -> None:
    for text in (f"{name} = {value}", f'{name}: "{value}"', f"{name}={value}()"):
        assert found(text) == []


@given(st.integers(), st.sampled_from([LETTERS, HEX, SMALL]))
def test_nearly_every_generated_key_is_random(seed: int, letters: str) -> None:
    rng = random.Random(seed)
    keys = ["".join(rng.choice(letters) for _ in range(32)) for _ in range(200)]

    assert sum(map(is_random, keys)) >= 190
    assert sum(map(is_made_up, keys)) <= 6


@given(st.text())
@example("CURSOR")
@example("the public")
def test_what_is_masked_is_found_no_more(text: str) -> None:
    hidden = leaks.masked(f"{text} ACME_TOKEN={KEY} {text}")

    assert KEY not in hidden
