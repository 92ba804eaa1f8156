"""Fields about people: whatever their spelling and wherever they stand, they go."""

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.redact import KnownPrivate, Redaction, remains

# The words of a field's name, with a value that it may have.
PRIVATE = {
    ("first", "name"): "Mia",
    ("last", "name"): "Quartermain",
    ("customer", "first", "name"): "Zebulon",
    ("emergency", "contact", "name"): "Ola Nordmann",
    ("manager", "name"): "Petra van Dyke",
    ("street", "address"): "975 Sunset Drive",
    ("address",): "12 Elm Street",
    ("address", "1"): "443 Maple Drive",
    ("address", "line", "2"): "Suite 217",
    ("billing", "address"): "7 Rue Cler",
    ("zip",): "78750",
    ("billing", "zip"): "19122",
    ("shipping", "zip", "code"): "98178",
    ("postal", "code"): "K1A 0B1",
    ("dob",): "1990-04-05",
    ("date", "of", "birth"): "05/04/1990",
    ("passenger", "birth", "date"): "1982-10-19",
    ("last", "four"): "7447",
    ("card", "last", "4"): "8213",
    ("card", "number"): "5555000011",
    ("ssn", "last", "4"): "6789",
    ("ssn",): "987654320",
    ("passport", "number"): "X1234567",
    ("drivers", "license", "number"): "D6101-40706",
    ("phone", "number"): "5551234567",
    ("mobile", "phone"): "555 0199 22",
    ("contact", "number"): "5551234567",
    ("name", "on", "card"): "Ola Nordmann",
    ("cardholder", "name"): "Ola Nordmann",
    ("emergency", "contact"): "Ola Nordmann",
    ("patient",): "Ola Nordmann",
    ("cvv", "2"): "737",
    ("card", "expiry"): "11/28",
    ("member", "id"): "M7712345",
    ("frequent", "flyer", "number"): "FF881234",
}
ORDINARY = {
    ("file", "name"): "report.csv",
    ("tool", "name"): "lookup",
    ("skill", "name"): "Tables",
    ("product", "name"): "Bookshelf",
    ("function", "name"): "Parse",
    ("column", "name"): "Total",
    ("zip", "file"): "backup7",
    ("zip", "path"): "build12",
    ("unzip",): "12345",
    ("ip", "address"): "loopback",
    ("memory", "address"): "0x1000",
    ("mac", "address"): "none yet",
    ("base", "address"): "4096",
    ("state",): "Running",
    ("city",): "Oslo",
    ("country",): "Norway",
    ("name",): "Bookshelf",
    ("last", "modified"): "Tuesday",
    ("first", "line"): "Header",
    ("order", "number"): "W23781",
    ("card", "type"): "Visa",
    ("hotel",): "12345",
    ("last", "run"): "7447",
    ("state", "machine"): "Idle",
    ("street", "view"): "Enabled",
    ("post",): "12345",
    ("zip",): "backup7",
    ("patient",): "waiting",
    ("guest",): "Windows",
    ("customer", "id"): "none yet",
    ("full", "name"): "typing.Any",
    ("i", "pv", "4", "address"): "Loopback",
    ("display", "name"): "Bookshelf",
    ("street", "address"): "streetAddress",
    ("last", "name"): "lastName",
}
SPELLINGS: dict[str, Callable[[tuple[str, ...]], str]] = {
    "snake": "_".join,
    "kebab": "-".join,
    "SCREAMING": lambda words: "_".join(words).upper(),
    "camel": lambda words: words[0] + "".join(map(str.title, words[1:])),
    "Pascal": lambda words: "".join(map(str.title, words)),
    "Train": lambda words: "-".join(map(str.title, words)),
    "dotted": lambda words: ".".join(("user", "_".join(words))),
}
CONTAINERS: dict[str, Callable[[str, str], object]] = {
    "object": lambda key, value: {"order": 7, key: value},
    "nested": lambda key, value: {"data": [{"x": {key: value}}]},
    "list": lambda key, value: {key: [value]},
    "json": lambda key, value: json.dumps({"order": 7, key: value, "z": 1}),
    "json-in-json": lambda key, value: json.dumps({"a": json.dumps({key: value})}),
    "compact": lambda key, value: json.dumps({key: value}, separators=(",", ":")),
    "pretty": lambda key, value: json.dumps({"a": {key: value}}, indent=2),
    "cut-off": lambda key, value: json.dumps({key: value, "b": 1})[:-4],
    "python": lambda key, value: repr({"a": 1, key: value}),
    "call": lambda key, value: f'lookup({key}="{value}", limit=3)',
    "assignment": lambda key, value: f"export {key}='{value}'",
    "yaml": lambda key, value: f"order: 7\n{key}: {value}\ntotal: 12",
    "label": lambda key, value: f"Thank you.\n- **{key}:** {value}\n- Total: 12",
    "attribute": lambda key, value: f'<user {key}="{value}"/>',
    "element": lambda key, value: f"<user><{key}>{value}</{key}></user>",
    "table": lambda key, value: f"| n | {key} |\n| --- | --- |\n| 1 | {value} |\n",
    "csv": lambda key, value: f"id,{key},total\n1,{value},3\n2,{value},4\n",
    "csv-quoted": lambda key, value: f'"id","{key}"\n"1, or 2","{value}"\n',
    "psql": lambda key, value: f" id | {key} \n----+----\n  1 | {value}\n(1 row)\n",
    "mysql": lambda key, value: f"+--+--+\n| id | {key} |\n+--+--+\n| 1 | {value} |\n",
    "rows": lambda key, value: (
        f"| n | x |\n|---|---|\n| 1 | 2 |\n\n| {key} | {value} |"
    ),
    "sql": lambda key, value: (
        f"INSERT INTO t (id, {key}) VALUES (1, '{value}'), (2, '')"
    ),
    "html-rows": lambda key, value: f"<tr><th>{key}</th><td>{value}</td></tr>",
    "html-columns": lambda key, value: (
        f"<tr><th>n</th><th>{key}</th><th>x</th></tr>\n"
        f"<tr><td>1</td><td>{value}</td><td>y</td></tr>"
    ),
    "definition": lambda key, value: f"<dt>{key}</dt>\n<dd>{value}</dd>",
    "cdata": lambda key, value: f"<{key}><![CDATA[{value}]]></{key}>",
    "form": lambda key, value: f'<input name="{key}" type="text" value="{value}">',
    "form-back": lambda key, value: f'<input value="{value}" id="{key}">',
    "multipart": lambda key, value: f'form-data; name="{key}"\r\n\r\n{value}\r\n--x',
    "pairs": lambda key, value: {"fields": [{"name": key, "value": value}]},
    "pairs-json": lambda key, value: json.dumps([{"name": key, "value": value}]),
    "option": lambda key, value: f"tool --{key} '{value}' --limit 3",
    "option=": lambda key, value: f'tool --{key}="{value}" --limit 3',
    "form-option": lambda key, value: f"curl -F '{key}={value}' https://x.example",
    "php": lambda key, value: f"['{key}' => '{value}', 'n' => 1]",
    "ruby": lambda key, value: f'{{:{key}=>"{value}", :n=>1}}',
    "index": lambda key, value: f'row["{key}"] = "{value}"',
    "log": lambda key, value: f'INFO: user: {key}="{value}" total=3',
    "snapshot": lambda key, value: f'- textbox "{key}" [ref=e12]: {value}\n',
    "inline": lambda key, value: f"Order: 7, {key}: {value}, total: 12",
}


def cleaned(value: object) -> object:
    return Redaction()(value)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_field_about_a_person_is_taken_out(spelling: str, container: str) -> None:
    for words, value in PRIVATE.items():
        key = SPELLINGS[spelling](words)
        left = cleaned(CONTAINERS[container](key, value))

        assert value not in str(left), (key, left)
        assert remains(left, KnownPrivate()) == {}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_field_about_anything_else_stays(spelling: str, container: str) -> None:
    for words, value in ORDINARY.items():
        given = CONTAINERS[container](SPELLINGS[spelling](words), value)

        assert cleaned(given) == given


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_query_is_one_as_well(spelling: str) -> None:
    for words, value in PRIVATE.items():
        for encoded in (value.replace(" ", "+"), value.replace(" ", "%20")):
            text = f"/find?n=3&{SPELLINGS[spelling](words)}={encoded}&m=4"
            assert encoded not in str(cleaned(text)), text


_WORD = st.sampled_from(["customer", "primary", "billing", "old", "guest", "x2"])
_KEYS = st.tuples(
    st.lists(_WORD, max_size=2),
    st.sampled_from(sorted(PRIVATE)),
    st.sampled_from(list(SPELLINGS)),
).map(lambda drawn: (SPELLINGS[drawn[2]]((*drawn[0], *drawn[1])), PRIVATE[drawn[1]]))


@given(st.lists(_KEYS, min_size=1, max_size=4), st.sampled_from(list(CONTAINERS)))
def test_any_name_of_such_a_field_will_do(
    keys: list[tuple[str, str]], container: str
) -> None:
    given = [CONTAINERS[container](key, value) for key, value in keys]
    whole = "\n\n".join(map(str, given)) if isinstance(given[0], str) else given
    left = cleaned(whole)

    assert [value for _key, value in keys if value in str(left)] == []
    assert remains(left, KnownPrivate()) == {}


def test_numbers_and_nested_objects_are_fields_too() -> None:
    profile = {
        "name": {"first_name": "Mia", "last_name": "Li"},
        "address": {"line1": "5 Elm St", "city": "Austin", "state": "TX", "zip": 78750},
        "dob": "1990-04-05",
        "payment": {"source": "credit_card", "last_four": "2076"},
    }
    for value in (profile, json.dumps(profile), {"text": json.dumps(profile)}):
        left = str(cleaned(value))
        for part in ("Mia", "Li", "5 Elm", "Austin", "TX", "78750", "1990", "2076"):
            assert not re.search(rf"\b{part}\b", left), left
        assert "credit_card" in left


def test_a_name_of_two_parts_is_one_of_a_person_too() -> None:
    for value in (
        {"name": {"first": "Mia", "last": "Li"}},
        {"name": "Mia Li", "dob": "1990-04-05"},
    ):
        for form in (value, json.dumps(value), repr(value)):
            assert "Mia" not in str(cleaned(form))


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"city": "Oslo", "unit": "celsius"}, id="weather"),
        pytest.param({"state": "Running", "pid": 7}, id="process"),
        pytest.param(
            {"name": "get_user", "arguments": {"first_name": "<NAME_1>"}}, id="call"
        ),
        pytest.param(
            {"function": {"name": "find_user", "arguments": '{"zip": "<POSTCODE_1>"}'}},
            id="openai",
        ),
        pytest.param(
            {
                "name": "find_user",
                "parameters": {
                    "properties": {
                        "first_name": {
                            "type": "string",
                            "description": "Her first name",
                        },
                        "zip": {
                            "type": "string",
                            "description": "The zip code, as 12345",
                        },
                    },
                    "required": ["first_name", "zip"],
                },
            },
            id="schema",
        ),
        pytest.param("def greet(first_name: str, zip=None): ...", id="signature"),
        pytest.param("first_name = user.first_name or row['first_name']", id="code"),
        pytest.param("SELECT first_name, zip FROM users WHERE zip = ?", id="sql"),
        pytest.param(
            "Ask for the first name, the last name and the zip code.", id="prose"
        ),
        pytest.param("Address: the address of the user, as they gave it", id="label"),
        pytest.param("zip: archive the folder; address: 0.0.0.0:8080", id="yaml"),
        pytest.param('{"first_name": "string", "dob": "YYYY-MM-DD"}', id="template"),
        pytest.param("Name: PyGithub\nVersion: 2.1\nAuthor-email: <EMAIL_1>", id="pip"),
        pytest.param('if node.fullname == "Optional" or name == "Any":', id="compare"),
        pytest.param("types[fname] = Ellipsis", id="index"),
        pytest.param("fullname: Full name of the type\n", id="docstring"),
        pytest.param("def f(parent_name: Key | None, zip: Zip | None)", id="union"),
        pytest.param(
            "from ipaddress import IPv4Address, IPv6Address\n"
            "from typing import Annotated, ClassVar\n",
            id="imports",
        ),
        pytest.param("['first_name', 'Total', 'zip',\n 'a1', 'b2', 'c3',\n", id="list"),
        pytest.param(
            "<tr><th>First name</th><th>Plan</th></tr><tr><td></td><td>Gold</td></tr>",
            id="headings",
        ),
        pytest.param("| First name | Plan |\n| --- | --- |\n", id="heading"),
        pytest.param('fields = ("first_name", "City", "Plan")', id="tuple"),
        pytest.param("apt - The Debian package tool", id="dash"),
        pytest.param(
            "tool --zip out.zip --address 0.0.0.0 --name Tables", id="options"
        ),
    ],
)
def test_what_only_looks_like_a_person_stays(value: object) -> None:
    for form in (value, json.dumps(value)):
        assert cleaned(form) == form


def test_a_field_value_is_redacted_in_sentences_too() -> None:
    given = {
        "task": "Hi, I'm Yusuf Rossi from 19122.",
        "steps": [{"first_name": "Yusuf", "last_name": "Rossi", "zip": "19122"}],
        "output": "Thank you, Yusuf!",
    }
    assert cleaned(given) == {
        "task": "Hi, I'm <NAME_1> <NAME_2> from <POSTCODE_1>.",
        "steps": [
            {"first_name": "<NAME_1>", "last_name": "<NAME_2>", "zip": "<POSTCODE_1>"}
        ],
        "output": "Thank you, <NAME_1>!",
    }


def test_a_value_that_is_a_word_is_redacted_in_its_field_only() -> None:
    given = {
        "first_name": "Mark",
        "state": "OR",
        "zip": "97201",
        "text": "Mark it, OR not",
    }

    assert cleaned(given) == {
        "first_name": "<NAME_1>",
        "state": "<ADDRESS_1>",
        "zip": "<POSTCODE_1>",
        "text": "Mark it, OR not",
    }


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("My zip code is 98178, sorry", "My zip code is <POSTCODE_1>, sorry"),
        ("guest[0].dateOfBirth=1991-12-30", "guest[0].dateOfBirth=<BIRTHDATE_1>"),
        ("user[first_name]=Ada&n=1", "user[first_name]=<NAME_1>&n=1"),
        ("Her first name is Mia.", "Her first name is <NAME_1>."),
        ("use the Visa card ending in 7334", "use the Visa card ending in <CARD_1>"),
        ("Let's use the Visa ending in 2076", "Let's use the Visa ending in <CARD_1>"),
        ("the last four digits are 2076.", "the last four digits are <CARD_1>."),
        ("I live at 12 Elm Street, Austin.", "I live at <ADDRESS_1>."),
        (
            "my address is 4 Oak Road, House #3, Rye, NY, 10580, ok",
            "my address is <ADDRESS_1>, ok",
        ),
        (
            "First name: Ada, last name: Byron",
            "First name: <NAME_1>, last name: <NAME_2>",
        ),
        (
            "page.getByLabel('Last name').fill('Byron')",
            "page.getByLabel('Last name').fill('<NAME_1>')",
        ),
        (
            "GET https://x.example/u?first_name=Ada",
            "GET https://x.example/u?first_name=<NAME_1>",
        ),
        ('id,name_on_card\n1,"Byron, Ada"\n', 'id,name_on_card\n1,"<NAME_3>"\n'),
    ],
)
def test_a_description_of_a_field_counts(text: str, left: str) -> None:
    assert cleaned(text) == left


def test_thousands_of_values_are_replaced_in_linear_time() -> None:
    import time

    def seconds(count: int) -> float:
        text = " ".join(f"mail{n}@corp.example" for n in range(count))
        start = time.process_time()
        assert "mail7@" not in str(cleaned(text))
        return time.process_time() - start

    assert seconds(8000) < 8 * max(seconds(2000), 0.05)


# A password that is a plain word: only its field tells that it is one.
WORD = "swordfish"
PASSWORDS: dict[str, object] = {
    "xml": "<server><password>swordfish</password></server>",
    "attribute": '<add key="Password" value="swordfish"/>',
    "input": '<input type="password" value="swordfish">',
    "input-reversed": '<input value="swordfish" name="password">',
    "csv": "user,password\nada,swordfish",
    "markdown": "| user | password |\n| --- | --- |\n| ada | swordfish |",
    "form": 'form-data; name="password"\r\n\r\nswordfish\r\n',
    "fill": "page.fill('#password', 'swordfish')",
    "label": 'page.getByLabel("Password").fill("swordfish")',
    "keys": 'find_element(By.ID, "password").send_keys("swordfish")',
    "snapshot": '- textbox "Password" [ref=e12]: swordfish',
    "spoken": 'type "swordfish" into the password field',
    "json-in-json": '{\\\\\\"password\\\\\\": \\\\\\"swordfish\\\\\\"}',
    "named": '{"name":"password","value":"swordfish"}',
    "element": {"element": "Password field", "ref": "e3", "text": "swordfish"},
    "selector": {"selector": "input[name=password]", "text": "swordfish"},
    "yaml-block": "password: |\n  swordfish\nx: 1",
    "connection": "host=x user=ada password=swordfish dbname=app",
    "setx": "setx DB_PASSWORD swordfish",
    "german": "Kennwort: swordfish",
    "apostrophe": 'password="it\'s-swordfish"',
}


@pytest.mark.parametrize("given", PASSWORDS.values(), ids=PASSWORDS)
def test_a_password_in_its_field_is_redacted(given: object) -> None:
    left = Redaction()(given)

    assert WORD not in str(left)
    assert remains(left, KnownPrivate()) == {}


def test_a_short_password_is_redacted_in_its_field_only() -> None:
    assert Redaction()({"password": "abc", "steps": "abc is a word"}) == {
        "password": "<SECRET_1>",
        "steps": "abc is a word",
    }
    assert Redaction()("UID=sa;PWD=pass1;x=1") == "UID=sa;PWD=<SECRET_1>;x=1"


@pytest.mark.parametrize(
    "text",
    [
        'for name in ("secret", "spare", "other"):',
        "assert isinstance(password, str), password\nassert isinstance(jwt, str), jwt",
        "It took long, and was a secret\nthat we kept, and nobody knew",
        "| Field | Description |\n| --- | --- |\n| password | the user's password |",
        '<input type="password" name="password" placeholder="Enter your password">',
        '<label for="password">Password</label><b>required</b>',
        '{"password": {"type": "string", "minLength": 8}}',
        "Authorization: Bearer TOKEN",
        'secret: "${{ secrets.GITHUB_TOKEN }}"',
        "docker run -u 1000:1000 --user root:root x",
        "La contraseña es obligatoria. Das Passwort ist falsch.",
        "const password = await getPassword();",
    ],
)
def test_text_about_passwords_is_left_alone(text: str) -> None:
    assert Redaction()(text) == text


@pytest.mark.parametrize(
    ("given", "private"),
    [
        ("Vorname: Mia\nStraße: Ring 5\nGeburtsdatum: 01.02.1990", "Mia Ring 1990"),
        ({"vorname": "Mia", "nachname": "Kurz", "plz": "10115"}, "Mia Kurz 10115"),
        ({"prénom": "Mia", "nom": "Petit", "code_postal": "75001"}, "Mia Petit 75001"),
        ({"nombre": "Mia", "apellido": "Lopez"}, "Mia Lopez"),
        ({"dirección": "Calle Mayor 5", "móvil": "612345678"}, "Mayor 612345678"),
        ("first_name\tAda\nzip\t94110", "Ada 94110"),
        ("first_name | Ada\nzip        | 94110", "Ada 94110"),
        ("first_name: |\n  Ada\nzip: >\n  94110", "Ada 94110"),
        ("first_name=ada&zip=94110", "ada 94110"),
        ("DOB 01/02/1990, born on 1990-01-02", "01/02/1990 1990-01-02"),
        ("my PIN is 4821", "4821"),
    ],
)
def test_more_names_and_places_of_fields(given: object, private: str) -> None:
    left = str(Redaction()(given))

    assert not [word for word in private.split() if word in left], left
