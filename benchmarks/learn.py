"""Quality and speed of the learn stage: `python -m benchmarks.learn`.

Everything goes through the command line, in temporary libraries. Labelled intents
(WebArena's) and runs with rewards (tau-bench's) are not ours to publish: `--intents`
and `--runs` name them, and without them only what makes its own data is measured.
"""

import argparse
import io
import json
import random
import re
import string
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from math import comb
from pathlib import Path
from typing import Any

import skillforge
from benchmarks.loop import identify
from benchmarks.measure import Row, git, ratio
from skillforge.cli import run
from skillforge.learn.inputs import found_inputs
from skillforge.model import Example

Json = dict[str, Any]
Values = dict[int, str]
NOTES: list[str] = []
EACH = 120  # values of each kind that are planted
SHOWN = 5  # of those that were missed
PEAK = (
    "import resource, sys; from skillforge.cli import run; code = run(sys.argv[1:]);"
    "who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN);"
    "print(sum(resource.getrusage(w).ru_maxrss for w in who) // 1024, file=sys.stderr);"
    "sys.exit(code)"
)
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
POLICY = "redact:\n  names: [Orvantis Retail, Zelmira, Quillon Barrow]\n" + (
    r"  ids: ['CUST-\d+', 'TKT[A-Z]{2}\d+', 'inv/\d+/\d+']" + "\n"
)
ALPHABETS = {
    "a": string.ascii_letters + string.digits, "A": string.ascii_uppercase + "234567",
    "c": string.ascii_letters, "l": "abcdefghiklmnoprstuvwz", "L": "ABCDEFGHKLMNPRST",
    "d": string.digits, "n": "23456789", "f": "12345", "h": "0123456789abcdef",
    "g": "123456789abcdef", "u": string.ascii_letters + string.digits + "-_",
    "b": string.ascii_letters + string.digits + "+/",
    "s": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}  # fmt: skip
PLACES = (
    "Please use {} for this.", "It said {}, so I went on.", "{}", "({})", "Is it {}?",
    "2026-03-01T10:11:12Z INFO worker: ready for {} in 12 ms", "- **value**: {}",
    '{{"items": [{{"value": "{}"}}]}}', "row = lookup('{}', limit=10)", "x: `{}`",
    "$ echo {}\nok", "Error: {} was not found", "id,{},ok\n2,b,ok", "<td>{}</td>",
    "old -> {}\nnew -> b", '{{\\"value\\": \\"{}\\"}}', "value={}", "value: {}",
)  # fmt: skip
VOCABULARY = """
add ask append attach block boot build call cast check click clean clear
collect comment compact compress connect construct convert count debunk deploy detect
direct document download draw drift dump embed enter explain export extend extract fail
fetch filter flag flush fold follow format gather group guard hand help hint inspect
index inform insert install interact join jump kick land launch learn limit link list load
lock look mark match mention mount need obtain offer open order output pack park patch
pick play point poll post predict present press print process prompt prevent push reach
record reflect refresh reject relay reload render repeat report request respond rest
return review roll sample search seed select shift show sign sort spell start stay stream
suggest support talk target test thread track transform trust turn unlock visit
"""
STEMS = VOCABULARY.split()
WORDS = [stem + end for stem in STEMS for end in ("", "s", "ed", "ing")]
LINES = (
    "{0} the {1} before you {2} it: {3} and {4} come later, as docs/{1}.md says.",
    "def {0}_{1}({2}: str, {3}: int = {n}) -> dict[str, {4}]:",
    "        self.{0}{1} = {2}Error.from_{3}(f'{{{4}}}', timeout={n}.5)",
    "2026-0{d}-1{d} 12:0{d}:4{d},{n} WARNING {0}.{1}: {2} took {n} ms, {3} of {4}",
    "tests/{0}/test_{1}.py::test_{2}_{3}[{4}-{n}] PASSED            [ {d}{d}%]",
    "======== {n} passed, {d} failed, {d} skipped in {d}.{d}{n}s ========",
    "{h} {0} the {1} of {2} (#{n})\nindex {h}..{h} 100644\n@@ -{n},7 +{n},{d} @@ {3}",
    "Requirement already satisfied: {0}-{1}>={d}.{d}{n}.{d} in /usr/lib/python3/{2}",
    "See https://docs.example.com/{0}/v{d}/{1}.html#{2}-{3} or RFC {n}{d} for {4}.",
    "const {0}{1} = await {2}({{{3}: '{4}', retries: {d}}}); // {0} {n} x {n}",
    "drwxr-xr-x {d} root root {n}{n} Mar {d} 10:{d}4 {0}-{d}.{d}.{d}.tar.gz",
    "The user {0}s a token or a password; {1} the key of the {2} and {3} the host.",
    "SELECT {0}, count(*) FROM {1}_{2} WHERE {3} > {n} GROUP BY {0} LIMIT {n};",
)
FORMS = (
    "Please {} in {} before {}", "{} in {}, to be done by {}", "I need you to {} for {}"
    " on {}", "Could you {} in the {} service, {} at the latest?",
)  # fmt: skip


def shelf(work: Path, name: str, policy: str = "{}\n") -> Path:
    """A new library, as a user would make it."""
    root = work / name
    git(work, "init", "-q", "-b", "main", name)
    ask(root, "init")
    (root / "skillforge.yaml").write_text(policy, encoding="utf-8")
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", "Start")
    return root


def ask(root: Path, *arguments: object, may_fail: bool = False) -> Any:
    with redirect_stdout(io.StringIO()) as said:
        run([*map(str, arguments), "--json", "--library", str(root)])
    answer = json.loads(said.getvalue())
    if not answer["ok"] and not may_fail:
        raise SystemExit(f"{arguments}: {answer['error'] or answer['data']}")
    return answer["data"]


def capture(root: Path, examples: Iterable[Json]) -> None:
    """Give plain examples as reviewed."""
    done = ask(root, "capture", write(root, examples), "--reviewed-by", "Bench")
    assert not done["problems"], done["problems"][:3]


def write(root: Path, episodes: Iterable[Json]) -> Path:
    file = root.with_suffix(".jsonl")
    file.write_text("".join(json.dumps(it) + "\n" for it in episodes), encoding="utf-8")
    return file


def records(file: Path) -> list[Json]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def plain(session: object, task: str, **more: Any) -> Json:
    return {"task": task, "session": f"s-{session}", "outcome": "success", **more}


def share(what: str, part: float, whole: float, least: float) -> Row:
    value = part / (whole or 1)
    return Row(what, f"{value:.3f}", f"at least {least:g}", value >= least)


def none(what: str, count: int) -> Row:
    return Row(what, str(count), "0", count == 0)


def rand_index(gold: Sequence[object], found: Sequence[object]) -> float:
    """The adjusted Rand index of two ways to group the same things."""

    def pairs(groups: Iterable[object]) -> int:
        return sum(comb(count, 2) for count in Counter(groups).values())

    one, other, both = pairs(gold), pairs(found), pairs(zip(gold, found, strict=True))
    chance = one * other / comb(len(gold), 2)
    return (both - chance) / ((one + other) / 2 - chance)


def grouped(root: Path, examples: Sequence[Json]) -> list[str]:
    """The pattern of each example by its session; one that waits is its own."""
    capture(root, examples)
    kept = {it["session"]: it["id"] for it in ask(root, "examples", "list")["examples"]}
    found = ask(root, "patterns")["patterns"]
    pattern = {example: it["id"] for it in found for example in it["examples"]}
    ids = [kept[it["session"]] for it in examples]
    return [pattern.get(it, it) for it in ids]


def intents(work: Path, rows: list[Json]) -> list[Row]:
    """Intents of known templates: which belong together, and what their inputs are."""
    root = shelf(work, "intents")
    found = grouped(root, [plain(n, it["intent"]) for n, it in enumerate(rows)])
    gold = [it["template_id"] for it in rows]
    often, size = Counter(gold), Counter(found)
    once = [at for at, it in enumerate(gold) if often[it] == 1]
    alone = sum(size[found[at]] == 1 for at in once)
    return [
        share(
            f"clusters of {len(gold)} intents, ARI", rand_index(gold, found), 1, 0.87
        ),
        share(f"{len(once)} one-offs that wait", alone, len(once), 0.9),
        *inputs(root, rows, found),
    ]


def inputs(root: Path, rows: list[Json], found: list[str]) -> Iterator[Row]:
    """Of each template with three intents or more: alone, as a pattern, as a draft."""
    counts = {how: Counter[str]() for how in ("gold group", "pattern", "draft")}
    often = Counter(it["template_id"] for it in rows)
    for template in (it for it, count in often.items() if count > 2):
        members = [at for at, it in enumerate(rows) if it["template_id"] == template]
        slots = gold_slots([rows[at]["slots"] for at in members])
        given = found_inputs([Example(rows[at]["intent"]) for at in members])[0]
        texts = [{at: words(it) for at, it in one.values.items()} for one in given]
        counts["gold group"] += score(slots, texts, same_places)
        pattern, count = Counter(found[at] for at in members).most_common(1)[0]
        varies, drafted = [], []
        if count > 2:
            varies = ask(root, "patterns", "show", pattern)["varies"]
            drafted = ask(root, "draft", pattern, "--dry-run")["inputs"]
        counts["pattern"] += score(slots, listed(varies), same_values)
        counts["draft"] += score(slots, listed(drafted), same_values)
    for how, n in counts.items():
        yield share(
            f"inputs by {how}, that vary", n["found varying"], n["varying"], 0.8
        )
        yield share(f"inputs by {how}, all", n["found"], n["slots"], 0.8)
        yield share(f"inputs by {how}, precision", n["right"], n["inputs"], 0.8)


def words(value: object) -> str:
    return " ".join(re.findall(r"\w+", str(value).lower()))


def listed(varies: list[Json]) -> list[Values]:
    return [dict(enumerate(map(words, it["examples"]))) for it in varies]


def gold_slots(given: list[Json]) -> list[Values]:
    names = dict.fromkeys(name for it in given for name in it)
    every = [{n: words(it[k]) for n, it in enumerate(given) if k in it} for k in names]
    return [slot for slot in every if any(slot.values())]


def score(
    slots: list[Values], given: list[Values], same: Callable[[Values, Values], bool]
) -> Counter[str]:
    found: Counter[str] = Counter(slots=len(slots), inputs=len(given))
    for slot in slots:
        is_found, varies = (
            any(same(slot, it) for it in given),
            len({*slot.values()}) > 1,
        )
        found.update({"found": is_found, "varying": varies})
        found["found varying"] += is_found and varies
    found["right"] = sum(any(same(slot, it) for slot in slots) for it in given)
    return found


def is_in(one: str, other: str) -> bool:
    is_part = f" {one} " in f" {other} " or f" {other} " in f" {one} "
    return bool(one and other) and is_part


def same_places(slot: Values, one: Values) -> bool:
    both = slot.keys() & one.keys()
    return sum(is_in(slot[at], one[at]) for at in both) * 2 > len(both)


def same_values(slot: Values, one: Values) -> bool:
    hits = sum(any(is_in(it, gold) for gold in slot.values()) for it in one.values())
    return hits * 2 > len(one)


def calls(episode: Json) -> Iterator[tuple[str, Any]]:
    for message in episode["messages"]:
        for call in message.get("tool_calls") or ():
            yield call["function"]["name"], json.loads(call["function"]["arguments"])


def tools(work: Path, runs: list[Json]) -> Row:
    """The same runs with what they did, and by their words alone."""
    asked = [next(m for m in it["messages"] if m["role"] == "user") for it in runs]
    short = [plain(n, it["content"]) for n, it in enumerate(asked)]
    steps = [[{"tool": t, "arguments": a} for t, a in calls(it)] for it in runs]
    full = [it | {"steps": its} for it, its in zip(short, steps, strict=True)]
    gold = [it["task_id"] for it in runs]
    own = rand_index(gold, grouped(shelf(work, "with-tools"), full))
    less = rand_index(gold, grouped(shelf(work, "without-tools"), short))
    figures = f"{own:.3f}, {less:.3f}"
    return Row("clusters of runs with and without tools", figures, "higher", own > less)


OWN_KEY = re.compile(r"(?:_ids?|reservations|orders|first_name|last_name|dob|date)$")
OWN = re.compile(r"\d{4}-\d\d-\d\d|\b\d{3,}\b|\b(?=\w*\d)(?=\w*[A-Za-z])\w{5,}\b")


def own_values(value: Any, key: str = "") -> Iterator[str]:
    """Ids, names, dates and amounts in the arguments and answers of a run."""
    if isinstance(value, dict | list):
        inner = (
            value.items() if isinstance(value, dict) else ((key, it) for it in value)
        )
        for name, item in inner:
            yield from own_values(item, name)
    elif value is not None and not isinstance(value, bool):
        yield from OWN.findall(str(value))
        if OWN_KEY.search(key) and 2 < len(str(value)) < 40:
            yield str(value)


def of_run(episode: Json) -> set[str]:
    answers = [m["content"] or "" for m in episode["messages"] if m["role"] == "tool"]
    known = [json.loads(it) if it[:1] in ("{", "[") else it for it in answers]
    return set(own_values([*(arguments for _, arguments in calls(episode)), *known]))


def drafts(work: Path, file: Path) -> list[Row]:
    root = shelf(work, "drafts")
    ask(root, "capture", file)
    ask(root, "examples", "approve", "--all-verified")
    runs = Counter(value for it in records(file) for value in of_run(it))
    found = [it for it in ask(root, "patterns")["patterns"] if it["successes"] >= 3]
    made = [ask(root, "draft", it["id"], "--dry-run") for it in found]
    rare = sum(it["support"] * 2 < it["of"] for one in made for it in one["steps"])
    said = [set(re.findall(r"[\w-]+", it["text"])) & runs.keys() for it in made]
    NOTES.extend(f"a draft holds {', '.join(sorted(it))}" for it in said if it)
    once = sum(runs[value] == 1 for it in said for value in it)
    return [
        none(f"rare steps in {len(made)} drafts", rare),
        none("values of one run in them", once),
        none("values of any run in them", sum(map(len, said))),
    ]


def grown(rng: random.Random, template: str) -> str:
    return re.sub(
        r"<(\w)(\d+)>",
        lambda match: "".join(rng.choices(ALPHABETS[match[1]], k=int(match[2]))),
        template,
    )


def card(rng: random.Random, digits: str) -> str:
    """With its check digit (Luhn), in one of the ways to write it."""
    twice = [int(d) * (2 - at % 2) for at, d in enumerate(reversed(digits))]
    whole = digits + str(-sum(sum(divmod(it, 10)) for it in twice) % 10)
    parts = (
        r"(\d{4})(\d{4})(\d{4})(\d{4})" if len(whole) > 15 else r"(.{4})(.{6})(.{5})"
    )
    return rng.choice(("", " ", "-")).join(re.findall(parts, whole)[0])


def iban(rng: random.Random, text: str) -> str:
    number = "".join(str(int(it, 36)) for it in f"{text[2:]}{text[:2]}00")
    whole = f"{text[:2]}{98 - int(number) % 97:02}{text[2:]}"
    return " ".join(re.findall(".{1,4}", whole)) if rng.random() < 0.5 else whole


def planted(rng: random.Random) -> list[tuple[str, str]]:
    """Kinds, and texts with private values of them in «»."""
    kinds: dict[str, str] = {}
    for line in KINDS.strip().splitlines():
        kind, _, forms = line.partition(" ")
        kinds[kind] = kinds.get(kind, "") + forms
    finish = {"card": card, "iban": iban}
    found = []
    for kind, every in kinds.items():
        for number in range(EACH):
            text = grown(rng, every.split("|")[number % (every.count("|") + 1)])
            text = finish[kind](rng, text) if kind in finish else text
            text = text if "«" in text else f"«{text}»"
            found.append((kind, rng.choice(PLACES).format(text)))
    return rng.sample(found, len(found))


def texts(value: Any) -> str:
    """All texts of a JSON value, as they were before they became JSON."""
    if isinstance(value, dict | list):
        return "\n".join(
            map(texts, value.values() if isinstance(value, dict) else value)
        )
    return str(value)


def stored(root: Path) -> dict[str, str]:
    """What is kept of each session."""
    ids = [it["id"] for it in ask(root, "examples", "list")["examples"]]
    shown = (ask(root, "examples", "show", it)["example"] for it in ids)
    return {it["session"]: texts([it["task"], it["steps"]]) for it in shown}


def recall(work: Path) -> Iterator[Row]:
    """Private values in what is asked, done and answered: which are not found?"""
    every = planted(random.Random(5))
    fours = {f"s-{n}": every[n * 4 : n * 4 + 4] for n in range(len(every) // 4)}
    episodes = []
    for number, four in enumerate(fours.values()):
        one, two, three, last = (re.sub("[«»]", "", text) for _, text in four)
        call = {"arguments": {"command": one, "more": [{"x": two}]}, "output": three}
        steps = [{"tool": "shell", **call}]
        episodes.append(plain(number, f"Look at this: {last}", steps=steps))
    root = shelf(work, "planted", POLICY)
    capture(root, episodes)
    missed: dict[str, list[str]] = {kind: [] for kind, _ in sorted(every)}
    for session, said in stored(root).items():
        for kind, text in fours[session]:
            is_there = any(value in said for value in re.findall("«(.*?)»", text))
            missed[kind] += [text] if is_there else []
    for kind, some in missed.items():
        NOTES.extend(f"missed {kind}: {text!r}" for text in some[:SHOWN])
        yield share(f"redaction of {kind}", EACH - len(some), EACH, 0.99)
    found = len(every) - sum(map(len, missed.values()))
    yield share(f"redaction of {len(every)} values", found, len(every), 0.99)


def line(rng: random.Random) -> str:
    h, n, d = grown(rng, "<h7>"), rng.randrange(10, 999), rng.randrange(1, 9)
    return rng.choice(LINES).format(*rng.sample(WORDS, 5), h=h, n=n, d=d)


def touched(work: Path, name: str, lines: Sequence[str]) -> Row:
    """How many words of an ordinary text are taken for private ones."""
    pieces = ["\n".join(lines[at : at + 25]) for at in range(0, len(lines), 25)]
    parts = [pieces[at : at + 20] for at in range(0, len(pieces), 20)]
    steps = [[{"tool": "read", "output": it} for it in part] for part in parts]
    root = shelf(work, name)
    capture(root, [plain(n, "Read it", steps=its) for n, its in enumerate(steps)])
    before = Counter(word for one in lines for word in one.split())
    lost = before - Counter(" ".join(stored(root).values()).split())
    some = ", ".join(f"{word} ({n})" for word, n in lost.most_common(12))
    NOTES.append(f"touched in {name}: {some or 'nothing'}")
    value = 100 * lost.total() / before.total()
    what = f"words of {name} touched ({before.total():,})"
    return Row(what, f"{value:.2f} %", "under 1 %", value < 1)


def own_lines() -> list[str]:
    root = Path(skillforge.__file__).parents[1]
    files = sorted([*root.glob("docs/*.md"), *root.glob("skillforge/**/*.py")])
    return [it for file in files for it in file.read_text("utf-8").splitlines()]


def transcripts(count: int, secret: str = "") -> Iterator[Json]:
    """Conversations of 40 messages, 25 intents; each holds the secret, if any."""
    rng = random.Random(6)
    for number in range(count):
        intent = random.Random(number % 25)
        deed = "{} the {} {}".format(*intent.sample(STEMS, 3))
        tools_ = [f"{a}_{b}" for a, b in [intent.sample(STEMS, 2) for _ in "abcdef"]]
        used = sorted(rng.choices(range(intent.randrange(3, 7)), k=19))
        place = f"{rng.choice(STEMS)}-{rng.randrange(99)}"
        asked = rng.choice(FORMS).format(
            deed, place, f"2026-03-{rng.randrange(10, 28)}"
        )
        own = f" password={secret}{number}" if secret else ""
        messages: list[Json] = [{"role": "user", "content": asked + own}]
        for step, tool in enumerate(tools_[it] for it in used):
            given = json.dumps({"target": place, "note": line(rng), "run": f"x{own}"})
            call = {"id": f"c{step}", "function": {"name": tool, "arguments": given}}
            messages.append(
                {"role": "assistant", "content": None, "tool_calls": [call]}
            )
            said = "\n".join(line(rng) for _ in range(rng.randrange(2, 9)))
            said = f"Error: {said}" if rng.random() < 0.05 else said + own
            answer = {"role": "tool", "tool_call_id": f"c{step}", "content": said}
            messages.append(answer)
        ended = f"Done. {line(rng)} Written to {secret}{number}@mail.example.com"
        messages.append({"role": "assistant", "content": ended})
        reward = float(rng.random() < 0.8)
        yield {"session_id": f"run-{number}", "reward": reward, "messages": messages}


def canary(work: Path) -> list[Row]:
    """A secret of every transcript, looked for wherever the whole loop wrote."""
    root, secret = shelf(work, "canary"), grown(random.Random(7), "<L1><l9><d2>")
    ask(root, "capture", write(root, transcripts(150, secret)))
    ask(root, "examples", "approve", "--all-verified")
    merged = 0
    for pattern in ask(root, "patterns")["patterns"][:12]:
        opened = ask(root, "draft", pattern["id"], "--propose", may_fail=True)
        if number := (opened or {}).get("proposal"):
            ask(root, "gate", number, may_fail=True)
            yes = ("--approve", "--as", "Ann <ann@example.invalid>")
            ask(root, "review", number, *yes, may_fail=True)
            merged += bool(ask(root, "promote", number, may_fail=True))
    ask(root, "export", work / "export")
    files = [it for it in (*root.rglob("*"), *work.glob("export/*")) if it.is_file()]
    seen = "".join(
        it.read_bytes().decode("latin-1") for it in files if "state.db" not in it.name
    )
    seen += git(root, "log", "-p", "--all") + objects(root)
    assert secret in (root / ".git/skillforge/state.db").read_bytes().decode("latin-1")
    return [none(f"canary outside the store, {merged} merged", seen.count(secret))]


def objects(root: Path) -> str:
    every = ["git", "cat-file", "--batch-all-objects", "--batch"]
    done = subprocess.run(every, cwd=root, capture_output=True, check=True)
    return done.stdout.decode("latin-1")


def timed(root: Path, *arguments: object) -> tuple[float, int, Any]:
    """Seconds, peak memory in MB, and the answer of a command."""
    line_ = [sys.executable, "-c", PEAK, *map(str, arguments), "--json", "--library"]
    start = time.perf_counter()
    done = subprocess.run([*line_, str(root)], capture_output=True, text=True)
    taken = time.perf_counter() - start
    assert done.returncode == 0, done.stdout[-2000:]
    return taken, int(done.stderr.split()[-1]), json.loads(done.stdout)["data"]


def speed(work: Path, count: int) -> tuple[float, list[Row]]:
    root = shelf(work, f"speed-{count}")
    file = write(root, transcripts(count))
    steps = [timed(root, "capture", file)]
    steps.append(timed(root, "examples", "approve", "--all-verified"))
    steps.append(timed(root, "patterns"))
    ready = [it for it in steps[-1][2]["patterns"] if it["successes"] >= 3]
    steps += [timed(root, "draft", it["id"], "--dry-run") for it in ready]
    taken = [it[0] for it in steps]
    parts = "capture {:.1f}, approve {:.1f}, patterns {:.1f}, drafts".format(*taken[:3])
    NOTES.append(f"{count:,}: {parts} {sum(taken[3:]):.1f} s for {len(ready)}")
    total, peak = sum(taken), max(it[1] for it in steps)
    return total, [
        Row(f"{count:,} transcripts", f"{total:.1f} s", "under 60 s", total < 60),
        Row("memory for them", f"{peak} MB", "under 500 MB", peak < 500),
    ]


def measured(work: Path, options: argparse.Namespace) -> Iterator[Row]:
    if options.intents:
        yield from intents(work, records(options.intents))
    if options.runs:
        yield tools(work, records(options.runs))
        yield from drafts(work, options.runs)
    yield from recall(work)
    rng = random.Random(8)
    yield touched(work, "ordinary", [line(rng) for _ in range(6000)])
    yield touched(work, "own", own_lines())
    yield from canary(work)
    few, rows = speed(work, options.transcripts)
    yield from rows
    if options.large:
        many, rows = speed(work, options.transcripts * 10)
        yield rows[1]
        yield ratio("time for ten times the transcripts", many / few, 15)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--intents", type=Path, help="intents with templates and slots")
    parser.add_argument("--runs", type=Path, help="runs with task_id and reward")
    parser.add_argument("--transcripts", type=int, default=1000, help="for the speed")
    parser.add_argument("--large", action="store_true", help="also ten times as many")
    options = parser.parse_args()
    identify()
    with tempfile.TemporaryDirectory() as folder:
        for row in measured(Path(folder), options):
            met = {True: "yes", False: "no", None: "-"}[row.met]
            print(f"| {row.what:<42} | {row.value:<12} | {row.target:<13} | {met:<3} |")
    print("", *NOTES, sep="\n")


if __name__ == "__main__":
    main()
