"""Made-up data for `benchmarks.learn`: private and ordinary words, transcripts."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pydoc_data.topics import topics
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import Any

Json = dict[str, Any]
EACH = 120  # values of each kind that are planted
# What is planted: <a9> are nine letters or digits at random (see ALPHABETS), and what
# stands in «» is private, else all of it. Alternatives are separated by a bar.
KINDS = r"""
secret AKIA<A16>|ghp_<a36>|github_pat_<a22>_<a59>|glpat-<a20>|sk-ant-api03-<u93>AA|
secret sk-proj-<u64>|xoxb-<d12>-<d12>-<a24>|AIza<u35>|sk_live_<a24>|npm_<a36>|hf_<c34>|
secret pypi-AgEIcHlwaS5vcmc<u70>|SG.<u22>.<u43>|eyJhbGciOiJIUzI1NiJ9.eyJ<a40>.<u43>|
secret shpat_<h32>|dop_v1_<h64>|dapi<h32>|hvs.<a24>|lin_api_<a40>|dckr_pat_<u27>|
secret sq0atp-<u22>|<d10>:AA<u33>|SK<h32>|<h32>-us<d1>|AWS_SECRET_KEY=«<b40>»
password password=«<c5><d3>!»|DB_PASSWORD="«<l4> <l5> <l6>»"|"api_key": "«<a20>»"|
password secret: '«<l6>-<l5>»'|mysql --password «<l7><d2>»|curl -u ops:«<a9>» x|
password Authorization: Bearer «<a30>»|the password is «<L1><l6><d2>»|token=«<a16>»|
password client_secret: «<a24>»|PGPASSWORD=«<l5>_<d4>» psql|"passwd":"«<l8>»"
email <l6>.<l8>@<l7>.com|<l5><d2>@mail.<l6>.co.uk|<l7>+<l4>@<l8>.org|<L1><l5>@<l6>.io
phone +1 <n3>-<n3>-<d4>|(<n3>) <n3>-<d4>|<n3>-<n3>-<d4>|+49 30 <d8>|+44 20 <d4> <d4>|
phone +33 6 <d2> <d2> <d2> <d2>|06 <d2> <d2> <d2> <d2>|030/<d7>|0171 <d7>|07<d3> <d6>|
phone +91 <d5> <d5>|+81-90-<d4>-<d4>|+34 6<d2> <d3> <d3>|<n3>.<n3>.<d4>|+1<n3><d7>|
phone +41 44 <d3> <d2> <d2>|+55 11 9<d4>-<d4>|020 <d4> <d4>|+61 4<d2> <d3> <d3>
card 4<d14>|5<f1><d13>|37<d12>|6011<d11>|2221<d11>|3530<d11>
iban DE<d18>|GBNWBK<d14>|FR<d23>|NLABNA<d10>|ES<d20>|ITX<d22>|CH<d17>|BE<d12>|AT<d16>
ip 10.<f2>.<f2>.<f1>|192.168.<f1>.<f2>|«5<f1>.<f2>.1<f2>.<f2>»:8080|2001:db8::<h4>:<g3>|
ip fe80::<g3>:<h4>:<g3>:<h4>|2a01:<g3>:<g3>:<g3>:<g3>:<g3>:<g3>:<g3>|[«2a02::<g4>»]:443
home /home/«<l7>»/src/a.py|/Users/«<l6>»/Library|C:\Users\«<L1><l6>»\a.txt|
home file:///home/«<l5>.<l5>»/x|C:/Users/«<l7>»/x|cd /home/«<l8>»|D:\\Users\\«<l6>»\\b
login ssh «<l6>»@«<l5><d2>»|«<l5>»@«<l6>-<d1>»:~$ ls|scp a.txt «<l6>»@«<l5>.lan»:/tmp|
login [«<l6>»@«<l6>» src]$ make
host <l5><d1>.corp.internal|db-<d1>.<l5>.lan|<l6>.local|<l4>.<l5>.intranet|<l6>.corp
url https://<l6>:«<a12>»@git.example.com/x.git|postgres://<l5>:«<l5>%21<d3>»@db:5432/x|
url redis://:«<a16>»@cache:6379|https://«<a40>»@github.com/o/r|amqp://<l4>:«<l9>»@mq:5672
named Orvantis Retail|ORVANTIS RETAIL|zelmira|Zelmira's|Quillon Barrow|quillon barrow
ids CUST-<d5>|TKT<L2><d4>|inv/<d4>/<d3>
random <h8>-<h4>-4<h3>-a<h3>-<h12>|<h40>|<h32>|<h24>|cus_<a14>|req_<a24>|<s34>|<s44>|
random 01<A24>|<d18>|chatcmpl-<a29>|toolu_01<a22>|<h16>|i-0<h16>|sha256:<h64>|<u22>
"""
POLICY = r"""redact:
  names: [Orvantis Retail, Zelmira, Quillon Barrow]
  ids: ['CUST-\d+', 'TKT[A-Z]{2}\d+', 'inv/\d+/\d+']
"""
ALPHABETS = {
    "a": ascii_letters + digits, "A": ascii_uppercase + "234567", "c": ascii_letters,
    "k": ascii_lowercase + digits,
    "l": "abcdefghiklmnoprstuvwz", "L": "ABCDEFGHKLMNPRST", "d": digits, "f": "12345",
    "n": "23456789", "h": "0123456789abcdef", "g": "123456789abcdef",
    "u": ascii_letters + digits + "-_", "b": ascii_letters + digits + "+/",
    "s": re.sub("[0OIl]", "", digits + ascii_letters),
}  # fmt: skip
PLACES = (
    "Please use {} for this.", "It said {}, so I went on.", "{}", "({})", "Is it {}?",
    "2026-03-01T10:11:12Z INFO worker: ready for {} in 12 ms", "- **value**: {}",
    '{{"items": [{{"value": "{}"}}]}}', "row = lookup('{}', limit=10)", "x: `{}`",
    "$ echo {}\nok", "Error: {} was not found", "id,{},ok\n2,b,ok", "<td>{}</td>",
    "old -> {}\nnew -> b", '{{\\"value\\": \\"{}\\"}}', "value={}", "value: {}",
)  # fmt: skip
ENGLISH = "\n".join(topics.values())  # the reference of Python: prose and code
USUAL = Counter(re.findall(r"\b[a-z]{4,10}\b", ENGLISH)).most_common(600)
WORDS = [word for word, _ in USUAL]
ORDINARY = """{0} the {1} before you {2} it: {3} and {4} come later: see docs/{1}.md.
def {0}_{1}({2}: str, {3}: int = {n}) -> dict[str, {4}]:
        self.{0}{1} = {2}Error.from_{3}(f'{{{4}}}', timeout={n}.5)
2026-0{d}-1{d} 12:0{d}:4{d},{n} WARNING {0}.{1}: {2} took {n} ms, {3} of {4}
tests/{0}/test_{1}.py::test_{2}_{3}[{4}-{n}] PASSED            [ {d}{d}%]
======== {n} passed, {d} failed, {d} skipped in {d}.{d}{n}s ========
{h} {0} the {1} of {2} (#{n}): index {h}..{h} 100644 @@ -{n},7 +{n},{d} @@ {3}
Requirement already satisfied: {0}-{1}>={d}.{d}.{n} in /usr/lib/python3/{2}
See https://docs.example.com/{0}/v{d}/{1}.html#{2}-{3} or RFC {n}{d} for {4}.
const {0}{1} = await {2}({{{3}: '{4}', retries: {d}}}); // {0} {n} x {n}
drwxr-xr-x {d} root root {n}{n} Mar {d} 10:{d}4 {0}-{d}.{d}.{d}.tar.gz
The user {0}s a token or a password; {1} the key of the {2} and {3} the host.
SELECT {0}, count(*) FROM {1}_{2} WHERE {3} > {n} GROUP BY {0} LIMIT {n};"""
LINES = ORDINARY.split("\n")
FORMS = ("Please {} in {} before {}", "{} in {}, to be done by {}", "{} for {} on {}")


def grown(rng: random.Random, template: str) -> str:
    def some(match: re.Match[str]) -> str:
        return "".join(rng.choices(ALPHABETS[match[1]], k=int(match[2])))

    return re.sub(r"<(\w)(\d+)>", some, template)


def card(rng: random.Random, text: str) -> str:
    """With its check digit (Luhn), in one of the ways to write it."""
    twice = [int(d) * (2 - at % 2) for at, d in enumerate(reversed(text))]
    whole = text + str(-sum(sum(divmod(digit, 10)) for digit in twice) % 10)
    parts = re.findall(r".{4}" if len(whole) > 15 else r"^.{4}|.{6}|.{5}$", whole)
    return rng.choice(("", " ", "-")).join(parts)


def iban(rng: random.Random, text: str) -> str:
    number = "".join(str(int(letter, 36)) for letter in f"{text[2:]}{text[:2]}00")
    whole = f"{text[:2]}{98 - int(number) % 97:02}{text[2:]}"
    return " ".join(re.findall(".{1,4}", whole)) if rng.random() < 0.5 else whole


def planted(rng: random.Random) -> list[tuple[str, str]]:
    """Kinds, and texts with private values of them in «»."""
    kinds: dict[str, str] = {}
    for kind, _, forms in (line_.partition(" ") for line_ in KINDS.strip().split("\n")):
        kinds[kind] = kinds.get(kind, "") + forms
    finish = {"card": card, "iban": iban}
    found = []
    for kind, forms in sorted(kinds.items()) * EACH:
        text = grown(rng, rng.choice(forms.split("|")))
        text = finish[kind](rng, text) if kind in finish else text
        text = text if "«" in text else f"«{text}»"
        found.append((kind, rng.choice(PLACES).format(text)))
    return rng.sample(found, len(found))


def line(rng: random.Random) -> str:
    h, n, d = grown(rng, "<h7>"), rng.randrange(10, 999), rng.randrange(1, 9)
    return rng.choice(LINES).format(*rng.sample(WORDS, 5), h=h, n=n, d=d)


def transcripts(count: int, secret: str = "") -> Iterator[Json]:
    """Conversations of 40 messages, of 25 intents; each holds the secret, if any."""
    for number in range(count):
        rng, kind = random.Random(f"run {number}"), random.Random(number % 25)
        deed = "{} the {} {}".format(*kind.sample(WORDS, 3))
        known = ["_".join(kind.sample(WORDS, 2)) for _ in range(kind.randrange(3, 7))]
        place, day = f"{rng.choice(WORDS)}-{rng.randrange(99)}", rng.randrange(10, 28)
        own = f" password={secret}{number}" if secret else ""
        asked = rng.choice(FORMS).format(deed, place, f"2026-03-{day}") + own
        messages: list[Json] = [{"role": "user", "content": asked}]
        for at in sorted(rng.choices(range(len(known)), k=19)):
            arguments = json.dumps(
                {"target": place, "note": line(rng), "run": f"x{own}"}
            )
            call = {"id": "c", "function": {"name": known[at], "arguments": arguments}}
            output = "\n".join(line(rng) for _ in range(rng.randrange(2, 9))) + own
            output = f"Error: {output}" if rng.random() < 0.05 else output
            messages.append({"role": "assistant", "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": "c", "content": output})
        text = f"{line(rng)} I wrote to {secret}{number}@mail.example.com"
        messages.append({"role": "assistant", "content": text})
        reward = float(rng.random() < 0.8)
        yield {"session_id": f"run-{number}", "reward": reward, "messages": messages}
