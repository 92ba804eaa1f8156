"""Redaction: private values go, the rest stays, and what belongs together is seen."""

import base64
import json
import random
import string
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.redact import PLACEHOLDER, KnownPrivate, Redaction, remains, storable
from skillforge.redact.decoded_views import plain

NOTHING = KnownPrivate()
LETTERS = string.ascii_letters + string.digits
R = random.Random(7)


def cleaned(value: object, known: KnownPrivate = NOTHING) -> object:
    return Redaction(known)(value)


def some(letters: str, count: int) -> str:
    return "".join(R.choice(letters) for _ in range(count))


def card() -> str:
    digits = [4, *(R.randrange(10) for _ in range(14))]
    doubled = [d * 2 if at % 2 == 0 else d for at, d in enumerate(digits)]
    total = sum(d - 9 if d > 9 else d for d in doubled)
    number = "".join(map(str, [*digits, -total % 10]))
    return " ".join(number[at : at + 4] for at in range(0, 16, 4))


def iban() -> str:
    account = "".join(str(R.randrange(10)) for _ in range(18))
    check = 98 - int(f"{account}131400") % 97
    return f"DE{check:02}{account}"


def encoded(word: str) -> str:
    data = json.dumps({"alg": word}).encode()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


PRIVATE = {
    "secret": [
        "AKIA" + some(string.ascii_uppercase + string.digits, 16),
        "ghp_" + some(LETTERS, 36),
        "glpat-" + some(LETTERS, 20),
        "xoxb-" + some(string.digits, 12) + "-" + some(LETTERS, 24),
        "sk_" + "live_" + some(LETTERS, 24),
        "AIza" + some(LETTERS, 35),
        "npm_" + some(LETTERS, 36),
        "sk-ant-api03-" + some(LETTERS, 90),
        ".".join(map(encoded, ("HS256", "x", "y"))),
    ],
    "email": ["bo.li@corp.example", "a+b@x.org", "UPPER@Case.NET"],
    "phone": ["+49 170 1234567", "(555) 123-4567", "+1-202-555-0143", "020 7946 0958"],
    "card": [card() for _ in range(5)],
    "iban": [iban() for _ in range(5)],
    "ip": ["10.2.33.4", "8.8.4.4", "2001:db8::ff00:42:8329", "aa:bb:cc:dd:ee:ff"],
    "id": [
        str(uuid.UUID(int=R.getrandbits(128))),
        some("0123456789abcdef", 40),
        "req_" + some("0123456789abcdef", 24),
        "123-45-6789",
        some(string.digits, 14),
    ],
    "credentials": ["postgres://app:s3cret-pw@db.example.com/x"],
    "host": ["build7.corp.internal", "nas.local"],
}  # fmt: skip
AROUND = (
    "The value is {} and that is it.",
    '{{"field": "{}", "other": [1, 2]}}',
    "value={}\nnext=1",
    "[{}]",
    "({}), as told",
    "`{}`",
    "{}",
)


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("kind", PRIVATE)
def test_private_values_are_taken_out(kind: str, around: str) -> None:
    for value in PRIVATE[kind]:
        text = cleaned(around.format(value))
        assert value not in str(text), (kind, around)


@pytest.mark.parametrize(
    "text",
    [
        "password: hunter2-long",
        'password = "swordfish"',
        "export API_KEY=abc123def456",
        '{"client_secret": "a plain sentence"}',
        "Authorization: Bearer abc.def-12345678",
        "mysql --password=hunter2x",
        "curl -u ada:hunter2x https://example.com",
        "the token is qwe123rty456",
        "password: swordfish",
        "DB_PASS=correct-horse",
        'password = "$ecret123!"',
        "sshpass -p hunter2 ssh x",
        'password = "hunter2<X_1>abc"',
        "Cookie: sessionid=abcdefghijkl; theme=dark",
        "mysql -h db -u root -phunter2x shop",
        "mysqldump -p'hunter2x' shop",
        "The admin password for the old server is xK9#mPq2.",
    ],
)
def test_a_value_in_the_place_of_a_secret_is_a_secret(text: str) -> None:
    assert "<SECRET_1>" in str(cleaned(text))


@pytest.mark.parametrize(
    "text",
    [
        "the password is required",
        "token: required",
        "api_key = os.environ['KEY']",
        "password=$PASSWORD",
        "tokens: 1024",
        "secret: <SECRET_1>",
        "git clone git@github.com:org/repo.git",
        "python 3.11.7, version 1.2.3.4-rc1 at 12:30:45 on 2024-05-20",
        "test_user_can_login_with_2fa get_reservation_details HTTPSConnectionPool",
        "listening on 127.0.0.1:8000 and 0.0.0.0",
        "sha256 utf8mb4 x86_64 i18n h264 20240520T123456Z",
        "ls /home/user/src and ~/notes, /usr/local/bin",
        "see https://example.com/docs/page?id=7#top",
        "costs $1,234.50 or 1700000000 bytes",
        "std::vector<int> a::b::c",
        "5 of 12 tests passed in 3.25 s",
        "npm i react@next typescript@beta",
        "Fix login: redirect of old links",
        "version 1.2.3.4 and v10.20.30.40",
        "fetch(url, {credentials: 'include'})",
        '{"max_tokens": 2024, "prompt_tokens": 17}',
        "pip install package-called>=5.5.553; callback 1.2.3.4567",
        "use Host.LOCAL or getUserByIdNow()",
        "mysql -u root -p shop",
        "mysql -u root -p$DB_PASS shop",
        "the password for the portal is case-sensitive",
        "isKnownToBeAPowerOfTwo WebGL2RenderingContext",
        "XMLHttpRequestEventTarget testSQLAlchemyORMMapper2Session",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert cleaned(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "inet6 addr:fe80::1ff:fe23:4567:890a scope link",
        "src:2001:db8::8a2e:370:7334",
        "mac:00:1A:2B:3C:4D:5E",
    ],
)
def test_an_address_may_follow_its_name(text: str) -> None:
    assert "<IP_1>" in str(cleaned(text))


def test_long_ids_that_a_machine_made_up_are_found() -> None:
    made_up = [some(LETTERS, count) for count in (20, 22, 24, 32) for _ in range(250)]

    missed = [
        value for value in made_up if cleaned(f"use {value} here") != "use <ID_1> here"
    ]

    assert len(missed) <= len(made_up) / 100, missed


def test_a_value_has_the_same_placeholder_everywhere() -> None:
    value = {
        "task": "Write to bo@corp.example",
        "steps": [{"to": "Bo@Corp.example"}, "cc bo@corp.example, eve@corp.example"],
    }
    assert cleaned(value) == {
        "task": "Write to <EMAIL_1>",
        "steps": [{"to": "<EMAIL_1>"}, "cc <EMAIL_1>, <EMAIL_2>"],
    }


def test_whose_home_it_is_goes_everywhere() -> None:
    text = (
        "cd /home/alice/src; C:\\Users\\bob\\x; /Users/carol; alice pushed, alices not"
    )
    assert cleaned(text) == (
        "cd /home/<USER_1>/src; C:\\Users\\<USER_2>\\x; /Users/<USER_3>; "
        "<USER_1> pushed, alices not"
    )


def test_users_and_hosts_of_prompts_and_fields_go() -> None:
    text = (
        'alice@build7:~$ ssh carol@nas2 {"user_id": "mia_li_3668", "last_name": "Li"}'
    )
    left = str(cleaned(text))
    for name in ("alice", "build7", "carol", "nas2", "mia_li_3668", '"Li"'):
        assert name not in left


def test_the_policy_knows_more() -> None:
    known = KnownPrivate.of({"NAME": ["Acme Corp"]}, [r"CUST-\d+"])
    text = "ACME corp asked for CUST-0042, and CUST-0043"
    assert cleaned(text, known) == "<NAME_1> asked for <ID_1>, and <ID_2>"
    assert remains(text, known) == {"id": 2, "name": 1}


def test_numbers_are_looked_at_too() -> None:
    assert cleaned({"card": 4111111111111111, "n": 7, "ok": True}) == {
        "card": "<CARD_1>",
        "n": 7,
        "ok": True,
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"first_name": "Zebulon"}, {"first_name": "<NAME_1>"}, id="name"),
        pytest.param({"username": "zquarter"}, {"username": "<USER_1>"}, id="user"),
        pytest.param({"user": "zquarter"}, {"user": "<USER_1>"}, id="user alone"),
        pytest.param({"hostname": "bldquartz"}, {"hostname": "<HOST_1>"}, id="host"),
        pytest.param({"phone": 5551234567}, {"phone": "<PHONE_1>"}, id="phone"),
        pytest.param({"password": 123456}, {"password": "<SECRET_1>"}, id="number"),
        pytest.param({"pass": "$ecret!"}, {"pass": "<SECRET_1>"}, id="dollar"),
        pytest.param(
            {"password": {"value": ["hunter2x"]}},
            {"password": {"value": ["<SECRET_1>"]}},
            id="deep",
        ),
        pytest.param({"max_tokens": 2024}, {"max_tokens": 2024}, id="count"),
        pytest.param({"user": "Write a poem"}, {"user": "Write a poem"}, id="prose"),
    ],
)
def test_fields_say_what_they_hold(given: object, expected: object) -> None:
    assert cleaned(given) == expected


@pytest.mark.parametrize(
    "value",
    [
        "2001:db8:85a3::8a2e:370:7334.",
        "10.20.30.40-10.20.30.50",
        '{"log":"a\\n10.20.30.40 up"}',
        "bob\\u0040example.com",
        "bob%40example.com",
        "bob@example.com_old",
        "NO93 8601 1117 947",
        "/home/user-bob/x",
        "c:\\users\\bsmith",
        "-Users-bsmith-code",
        "06 12 34 56 78",
        "+33 6 12 34 56 78",
        "Card 2221 0000 0000 0009",
        "build7.corp.example.com",
        "cus_GwMRkyJKBzBKZu",
        "pw: hunter2x",
        "0049 171 1234567",
        "+1-555-123-4567x89",
        "4111.1111.1111.1111",
        "USER=zebq",
        "Zeb@bldquartz:~$",
        "Author: Zeb Quartermain <zeb@example.com>",
        '"-----BEGIN RSA PRIVATE KEY-----\\nMIIE\\n-----END RSA PRIVATE KEY-----"',
        "https://hunter2tok@db.example.com/x",
        "ssh bld07.prod.example.com",
    ],
)
def test_odd_spellings_do_not_help(value: str) -> None:
    left = str(cleaned(value))
    assert left != value
    for part in ("370:7334", "10.20", "bob", "8601", "bsmith", "12 34", "1234567"):
        assert part not in left
    for part in (
        "4567",
        "1111",
        "zeb",
        "Zeb",
        "quartz",
        "MIIE",
        "hunter2",
        "bld07",
        "build7",
    ):
        assert part not in left
    for part in ("2221", "KBzBKZu"):
        assert part not in left


def test_a_placeholder_that_is_there_is_nobody_elses() -> None:
    text = "<EMAIL_1> is not bo@corp.example"
    assert cleaned(text) == "<EMAIL_1> is not <EMAIL_2>"


def test_a_placeholder_further_on_keeps_its_number_too() -> None:
    value = ["bo@corp.example", "and <EMAIL_1>"]
    assert cleaned(value) == ["<EMAIL_2>", "and <EMAIL_1>"]


def test_counts_tell_how_many_and_taken_what() -> None:
    redaction = Redaction()
    redaction("bo@corp.example, bo@corp.example, 10.0.0.8")
    assert redaction.counts == {"email": 2, "ip": 1}
    assert redaction.taken == {"<EMAIL_1>": "bo@corp.example", "<IP_1>": "10.0.0.8"}


_PIECES = st.sampled_from(
    [value for values in PRIVATE.values() for value in values]
    + [
        "password:",
        "token =",
        "user_id",
        '"',
        "/home/",
        "@",
        " ",
        "\n",
        ":",
        "x",
        "<",
        "ID",
    ]
)
_TEXT = st.lists(st.one_of(_PIECES, st.text(max_size=6)), max_size=12).map("".join)


_VALUE = st.recursive(
    _TEXT,
    lambda values: (
        st.lists(values, max_size=3) | st.dictionaries(_TEXT, values, max_size=2)
    ),
    max_leaves=4,
)


@given(_VALUE)
def test_redacted_once_is_redacted(value: object) -> None:
    """The gate asks again, and must not refuse what capture left."""
    once = cleaned(value)
    assert remains(once, NOTHING) == {}


@given(_TEXT)
def test_what_was_taken_can_be_put_back(text: str) -> None:
    redaction = Redaction()
    left = str(redaction(text))
    if not PLACEHOLDER.search(text) and storable(text) == plain(text) == text:
        while PLACEHOLDER.search(left):  # one may have stood in another
            left = PLACEHOLDER.sub(lambda match: redaction.taken[match[0]], left)
        assert left.casefold() == text.casefold()


@pytest.mark.parametrize(
    "unit", ["a", ".", "@", "/", '"', "\\", " ", "a@", "1.", ":", "=", "://a:", "//x/"]
)
def test_hostile_texts_are_read_to_the_end(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    assert cleaned([text, "bo@corp.example"]) == [text, "<EMAIL_1>"]
