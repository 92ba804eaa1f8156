"""Secrets in disguise: coloured, wrapped, encoded, or told in a sentence."""

import html
import random
import string
import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.redact import KnownPrivate, Redaction, leaks, locate, remains, tokens
from skillforge.redact.decoded_views import plain, views

NOTHING = KnownPrivate()
R = random.Random(3)
LETTERS = string.ascii_letters + string.digits
AWS = "AKIA" + "".join(R.choice(string.ascii_uppercase + "234567") for _ in range(16))
GITHUB = "ghp_" + "".join(R.choice(LETTERS) for _ in range(36))
RED, END = "\x1b[01;31m\x1b[K", "\x1b[m\x1b[K"


def cleaned(value: object) -> object:
    return Redaction()(value)


def wide(text: str) -> str:
    return "".join(chr(ord(letter) + 0xFEE0) for letter in text)


# What hides a key: from the key, the text that somebody sees.
DISGUISES: dict[str, Callable[[str], str]] = {
    "grep": lambda key: f"{RED}{key}{END}",
    "grep-part": lambda key: f"{RED}{key[:4]}{END}{key[4:]}",
    "sgr": lambda key: f"\x1b[38;5;196m{key[:9]}\x1b[0;1m{key[9:]}\x1b[0m",
    "c1": lambda key: f"\x9b31m{key[:5]}\x9b0m{key[5:]}",
    "spelled": lambda key: f"\\u001b[31m{key[:5]}\\u001b[0m{key[5:]}",
    "octal-escape": lambda key: f"\\033[31m{key[:5]}\\033[0m{key[5:]}",
    "caret": lambda key: f"^[[31m{key[:5]}^[[0m{key[5:]}",
    "escape-lost": lambda key: f"[01;31m[K{key[:5]}[m[K{key[5:]}",
    "hyperlink": lambda key: f"\x1b]8;;https://x.example\x1b\\{key[:6]}\x1b]8;;\x07{key[6:]}",
    "charset": lambda key: f"\x1b(B{key[:6]}\x1b(B{key[6:]}",
    "overstrike": lambda key: "".join(f"{letter}\x08{letter}" for letter in key),
    "zero-width": "\u200b".join,
    "soft-hyphen": lambda key: f"{key[:5]}\u00ad{key[5:]}",
    "joiner": lambda key: f"{key[:5]}\u2060{key[5:]}",
    "bom": lambda key: f"{key[:5]}\ufeff{key[5:]}",
    "soft-break": lambda key: f"{key[:7]}=\n{key[7:]}",
    "mail": lambda key: "=41=\nB " + "".join(f"={ord(letter):02X}" for letter in key),
    "continuation": lambda key: f"{key[:7]}\\\n{key[7:]}",
    "wrapped": lambda key: f"{key[:11]}\n{key[11:]}",
    "wrapped-twice": lambda key: f"{key[:7]}\n{key[7:14]}\n{key[14:]}",
    "wrapped-prefix": lambda key: f"{key[:2]}\n{key[2:]}",
    "indented": lambda key: f"{key[:11]}\r\n        {key[11:]}",
    "mail-quote": lambda key: f"> {key[:11]}\n> {key[11:]}",
    "json-break": lambda key: f"{key[:11]}\\n{key[11:]}",
    "coloured-and-wrapped": lambda key: f"{RED}{key[:11]}{END}\n{RED}{key[11:]}{END}",
    "percent": lambda key: "".join(f"%{ord(letter):02x}" for letter in key),
    "percent-twice": lambda key: f"%25{ord(key[0]):02X}{key[1:]}",
    "hex": lambda key: "".join(f"\\x{ord(letter):02x}" for letter in key),
    "unicode": lambda key: "".join(f"\\u{ord(letter):04x}" for letter in key),
    "json-in-json": lambda key: f"\\\\u{ord(key[0]):04x}{key[1:]}",
    "braces": lambda key: f"\\u{{{ord(key[0]):x}}}{key[1:]}",
    "octal": lambda key: f"\\{ord(key[0]):03o}{key[1:]}",
    "entities": lambda key: "".join(f"&#{ord(letter)};" for letter in key),
    "hex-entities": lambda key: f"&#x{ord(key[0]):x};{key[1:]}",
    "entity-twice": lambda key: f"&amp;#{ord(key[0])};{key[1:]}",
    "percent-u": lambda key: "".join(f"%u{ord(letter):04x}" for letter in key),
    "control": lambda key: f"{key[:7]}\x01{key[7:]}",
    "delete": lambda key: f"{key[:7]}\x7f{key[7:]}",
    "accent": lambda key: f"{key[:7]}\u0301{key[7:]}",
    "annotation": lambda key: f"{key[:7]}\ufff9{key[7:]}",
    "wide": wide,
    "bold-letters": lambda key: "".join(
        chr(0x1D400 + ord(sign) - 65) if sign.isupper() else sign for sign in key
    ),
}  # fmt: skip
AROUND = ("{}", "see {} here", "config.py:\x1b[32m12\x1b[m:key={}\n", "a\n{}\nthe end")


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("key", [AWS, GITHUB], ids=["aws", "github"])
def test_no_disguise_saves_a_key(disguise: str, key: str) -> None:
    hidden = DISGUISES[disguise](key)
    for around in AROUND:
        text = around.format(hidden)
        left = str(cleaned({"output": text})["output"])  # type: ignore[index]

        shown = plain(left).replace("\n", "").replace("> ", "").replace(" ", "")
        rest = [key[at : at + 8] for at in range(len(key) - 7)]
        assert not [part for part in rest if part in shown], left
        assert remains(left, NOTHING) == {}
        assert [span.kind for span in locate(text, NOTHING, ["SECRET"])]
        assert [span.value for span in tokens.find(text)] == [key]
        assert key[:10] not in plain(leaks.masked(text))


# What programs and people put in the middle of a key when they show it.
MARKED: dict[str, Callable[[str], str]] = {
    "diff-removed": lambda key: f"-{key[:12]}\n-{key[12:]}",
    "cat-n": lambda key: f"    12\t{key[:12]}\n    13\t{key[12:]}",
    "reader": lambda key: f"    12→{key[:12]}\n    13→{key[12:]}",
    "numbered": lambda key: f"12: {key[:12]}\n13: {key[12:]}",
    "grep-n": lambda key: f"src/a.py:12:{key[:12]}\nsrc/a.py:13:{key[12:]}",
    "box": lambda key: f"│ {key[:12]} │\n│ {key[12:]} │",
    "carriage-return": lambda key: f"{key[:12]}\r{key[12:]}",
    "line-separator": lambda key: f"{key[:12]}\u2028{key[12:]}",
    "no-break-space": lambda key: f"{key[:12]}\u00a0{key[12:]}",
    "added": lambda key: f'key = "{key[:10]}" + "{key[10:]}"',
    "adjacent": lambda key: f'key = ("{key[:10]}"\n       "{key[10:]}")',
    "joined-in-js": lambda key: f"const key = '{key[:10]}' +\n  '{key[10:]}';",
    "markup": lambda key: f"<b>{key[:12]}</b>{key[12:]}",
    "may-break": lambda key: f"{key[:12]}<wbr>{key[12:]}",
}  # fmt: skip


@pytest.mark.parametrize("mark", MARKED)
@pytest.mark.parametrize("key", [AWS, GITHUB], ids=["aws", "github"])
def test_no_part_of_a_key_is_left_around_a_mark(mark: str, key: str) -> None:
    text = MARKED[mark](key)
    left = str(cleaned(text))

    assert key[:10] not in left
    assert key[-8:] not in left
    assert remains(left, NOTHING) == {}
    assert [span.value for span in tokens.find(text)] == [key]


def test_the_rest_of_a_coloured_line_stays_as_it_is() -> None:
    text = (
        f"\x1b[35ma.py\x1b[m:{RED}KEY{END}={AWS[:4]}{RED}{AWS[4:]}{END} &amp; %20 \\x41"
    )
    assert cleaned(text) == (
        f"\x1b[35ma.py\x1b[m:{RED}KEY{END}=<SECRET_1>{END} &amp; %20 \\x41"
    )


def test_a_value_has_one_placeholder_in_every_disguise() -> None:
    text = f"{AWS} and {RED}{AWS}{END} and {wide(AWS)}"
    assert cleaned(text) == f"<SECRET_1> and {RED}<SECRET_1>{END} and <SECRET_1>"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("bo\u200b@corp.example", "<EMAIL_1>"),
        ("bo&#64;corp.example", "<EMAIL_1>"),
        (f"mail {RED}bo@corp{END}.example", f"mail {RED}<EMAIL_1>"),
        ("&lt;zip&gt;94110&lt;/zip&gt;", "&lt;zip&gt;<POSTCODE_1>&lt;/zip&gt;"),
        ("first\u00ad_name=Ada", "first\u00ad_name=<NAME_1>"),
        (f"p{RED}assword{END}: hunter2x", f"p{RED}assword{END}: <SECRET_1>"),
        ("https:\\/\\/ada:hunter2@x.example", "https:\\/\\/<CREDENTIALS_1>@x.example"),
    ],
)
def test_other_private_values_are_found_as_well(text: str, left: str) -> None:
    assert cleaned(text) == left


def test_the_name_of_a_field_is_read_plainly() -> None:
    assert cleaned({"pass\u200bword": "swordfish"}) == {"pass\u200bword": "<SECRET_1>"}


@pytest.mark.parametrize(
    "text",
    [
        "password hunter2",
        "Password is hunter2",
        "the password: hunter2",
        "The password is: hunter2.",
        "my password was reset to hunter2",
        "set the password to hunter2",
        "password -> hunter2",
        "PASSWORD\thunter2",
        "Passwort: hunter2",
        "user admin pass hunter2",
        "user: admin, pass: hunter2",
        "username: admin password: hunter2",
        "login admin / hunter2",
        "credentials: ada/hunter2",
        "use hunter2 as the password",
        "tool --password hunter2",
        "tool --password=hunter2",
        "docker login -u ada -p hunter2 x.example",
        "docker login -u ada -p 'hunter2 x'",
        "tool -u ada -p hunter2",
        "PGPASSWORD=hunter2 psql",
        "PGPASSWORD='hunter2' psql",
        "MYSQL_PWD=hunter2 mysql",
        "curl -u ada:hunter2 https://x.example",
        "curl -uada:hunter2 https://x.example",
        "curl --user ada:hunter2 https://x.example",
        "https://ada:hunter2@x.example/y",
        "sshpass -phunter2 ssh x",
        "USER ada\r\n331 Password required\r\nPASS hunter2\r\n230 Welcome",
        "> USER ada\n< 331 Go on\n> PASS hunter2",
        "db.example:5432:shop:app:hunter2",
        "*:*:*:app:hunter2",
        "redis-cli -h x -a hunter2",
        "Das Passwort lautet hunter2",
        "Kennwort: hunter2",
        "mot de passe : hunter2",
        "Le mot de passe est hunter2",
        "mdp: hunter2",
        "contraseña: hunter2",
        "contrasen\u0303a: hunter2",
        "senha: hunter2",
        "wachtwoord: hunter2",
        "hasło: hunter2",
        "пароль: hunter2",
        "密码：hunter2",
        "パスワード: hunter2",
        "Zugangsdaten: ada / hunter2",
        "curl -su ada:hunter2 https://x.example",
        "curl --proxy-user ada:hunter2 https://x.example",
        "http -a ada:hunter2 https://x.example",
        "gpg --batch --passphrase hunter2 -d x",
        "openssl rsa -passin pass:hunter2 -in x",
        "unzip -P hunter2 a.zip",
        "htpasswd -b .htpasswd ada hunter2",
        "echo hunter2 | sudo -S true",
        "echo 'hunter2' | docker login -u ada --password-stdin",
        "echo 'ada:hunter2' | chpasswd",
        "machine x.example login ada password hunter2",
        "CREATE USER ada WITH PASSWORD 'hunter2';",
        "CREATE USER 'ada'@'%' IDENTIFIED BY 'hunter2';",
        "requests.get(url, auth=('ada', 'hunter2'))",
        "ConvertTo-SecureString 'hunter2' -AsPlainText -Force",
        "sqlplus ada/hunter2@db",
        "jdbc:oracle:thin:ada/hunter2@//x.example:1521/x",
        "Authorization: Bearer hunter2",
        "https://x.example/?key=hunter2hunter2",
        "curl -b 'session=hunter2' https://x.example",
        "DB_PW=hunter2",
    ],
)
def test_a_password_in_a_sentence_or_command_is_redacted(text: str) -> None:
    for form in (text, {"task": text}, text.replace("hunter2", f"{RED}hunter2{END}")):
        left = str(cleaned(form))
        assert "hunter2" not in left
        assert remains(left, NOTHING) == {}


@pytest.mark.parametrize(
    "text",
    [
        "password reset flow",
        "the password field is required",
        "user guide",
        "pass the test",
        "tool --password-file path",
        "pass the --password option to it",
        "password <password>",
        "password $PASSWORD",
        "password ********",
        "password your-password",
        "password=your-password",
        "--password <password> or --password $DB_PASS",
        "PGPASSWORD=$PGPASSWORD",
        "curl -u $USER:$PASS https://x.example",
        "curl -u user:password https://x.example",
        "https://user:password@x.example/",
        "https://<user>:<pass>@x.example",
        "Password is required, or password is incorrect",
        "the user can pass parameters, and users pass v2 tokens",
        "the user will pass 3 arguments",
        "mkdir -p dir2 && ssh -p 2222 x",
        "docker run -u root -p 8080:80 img",
        "password policy v2, password length 12, password hash sha256",
        "password OAuth2, password utf8 and password varchar2(50)",
        "the password is stored in base64",
        "user interface pass rate 95%",
        "token bucket4j, secret santa 2024",
        "pass 2 of 3",
        "100%25 of \\x41\\x42 &amp; \x1b[1mbold\x1b[0m",
        "first line of words\nand a second line\nwith nothing in it",
        "ghp_\nis how a token of GitHub begins\nAKIA\nof AWS",
        "tests: USER flow\nPASS test_login",
        "localhost:5432:mydb:user:password",
        "db:5432:shop:app:$PGPASSWORD",
        "perm s3:*:bucket:read:write:all",
    ],
)
def test_words_about_passwords_stay(text: str) -> None:
    assert cleaned(text) == text
    assert remains(text, NOTHING) == {}


_NOISE = st.sampled_from(
    [
        *(make(AWS) for make in DISGUISES.values()),
        *(" password ", "user ", " pass ", "-p ", "hunter2", "zip=", "94110", "://a:"),
        *(
            "\x1b[31m",
            "\x1b[",
            "\x1b]",
            "\x9b",
            "m",
            "K",
            "%",
            "41",
            "\\x",
            "\\u00",
            "&#",
        ),
        *(
            ";",
            "&amp;",
            "=\n",
            "\\\n",
            "\n",
            "\u200b",
            "\u00ad",
            "\x08",
            "Ａ",
            "<",
            ">",
        ),
        *("bo@corp.example", "SECRET_1", "/home/", "ada", AWS[:9], AWS[9:], '"', "'"),
    ]
)
_TEXT = st.lists(st.one_of(_NOISE, st.text(max_size=4)), max_size=14).map("".join)


@given(_TEXT)
def test_what_redaction_leaves_redaction_finds_nothing_in(text: str) -> None:
    left = cleaned(text)
    assert remains(left, NOTHING) == {}
    assert cleaned(left) == left


@given(_TEXT)
def test_a_copy_knows_where_its_letters_come_from(text: str) -> None:
    for view in views(text):
        whole = view.span(0, len(view.text)) if view.text else (0, 0)
        assert 0 <= whole[0] <= whole[1] <= len(text)
        places = [view.span(at, at + 1) for at in range(len(view.text))]
        assert all(a <= b for (_, a), (b, _) in pairwise(places))


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "\x1b[31m",
            "\x1b[",
            "\x1b]8;;",
            "%41",
            "&#x41;",
            "&#",
            "\\",
            "\\x41",
            "a\u200b",
        ),
        *("Ａ", "=\n", "\\\n", "ghp_abc\n", "password: ", "password of ", "-u a -p "),
        *(
            "-----BEGIN RSA PRIVATE KEY-----\n",
            "zip=\x1b[31m94\x1b[m110 ",
            "name=",
            "<a>",
        ),
        *('name="ab" ', '("zip", ', "INSERT INTO t (zip) VALUES (", "| zip | a |\n"),
        *("user a ", "use a as ", f"{AWS[:9]}\n{AWS[9:]}\n", "login a/", "--zip "),
    ],
)
def test_time_is_linear_in_the_length(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        cleaned(text)
        return time.process_time() - start

    assert seconds(160_000) < 10 * max(seconds(40_000), 0.05)


def test_entities_are_those_of_the_standard() -> None:
    assert plain("&quot;&apos;&amp;&lt;&gt;&commat;") == html.unescape(
        "&quot;&apos;&amp;&lt;&gt;&commat;"
    )
