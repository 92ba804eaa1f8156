"""Learn: how good what it finds is, and how long it takes.

All goes through the command line. Labelled intents (WebArena's) and runs with rewards
(tau-bench's) are not ours to publish. With `SKILLFORGE_BENCH_DATA=FOLDER` they are read
from `webarena_intents.jsonl` and `tau_airline_dev.jsonl`; without, only made-up data is
measured.
"""

import io
import json
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from math import comb
from pathlib import Path
from typing import Any

import skillforge
from benchmarks.measure import Row, Work, git, identify, needs_data, ratio, share
from benchmarks.planted import (
    EACH,
    ENGLISH,
    POLICY,
    Json,
    grown,
    line,
    planted,
    transcripts,
)
from skillforge.cli import run
from skillforge.learn.inputs import find_inputs
from skillforge.model import Example

Values = dict[int, str]
NOTES: list[str] = []
PEAK = """import resource as r, sys; from skillforge.cli import run; run(sys.argv[1:])
peaks = (r.getrusage(who).ru_maxrss for who in (r.RUSAGE_SELF, r.RUSAGE_CHILDREN))
print(sum(peaks) // 1024, file=sys.stderr)"""
OWN_KEY = re.compile(r"(?:_ids?|reservations|orders|first_name|last_name|dob|date)$")
OWN = re.compile(r"\d{4}-\d\d-\d\d|\b\d{3,}\b|\b(?=\w*\d)(?=\w*[A-Za-z])\w{5,}\b")


def shelf(work: Path, name: str, policy: str = "{}\n") -> Path:
    root = work / name
    git(work, "init", "-q", "-b", "main", name)
    ask(root, "init")
    (root / "skillforge.yaml").write_text(policy, encoding="utf-8")
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", "Start")
    return root


def ask(root: Path, *arguments: object) -> Any:
    with redirect_stdout(io.StringIO()) as output:
        run([*map(str, arguments), "--json", "--library", str(root)])
    answer = json.loads(output.getvalue())
    assert answer["ok"], (arguments, answer["error"] or answer["data"])
    return answer["data"]


def capture(root: Path, examples: Iterable[Json]) -> None:
    done = ask(root, "capture", write(root, examples), "--reviewed-by", "Bench")
    assert not done["problems"], done["problems"][:3]


def write(root: Path, episodes: Iterable[Json]) -> Path:
    file = root.with_suffix(".jsonl")
    file.write_text(
        "".join(json.dumps(episode) + "\n" for episode in episodes), encoding="utf-8"
    )
    return file


def records(file: Path) -> list[Json]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def plain(session: object, task: str, **more: Any) -> Json:
    return {"task": task, "session": f"s-{session}", "outcome": "success", **more}


def none(what: str, count: int) -> Row:
    return Row(what, str(count), "0", count == 0)


def rand_index(gold: Sequence[object], found: Sequence[object]) -> float:
    """The adjusted Rand index of two ways to group the same things."""
    ways = (gold, found, list(zip(gold, found, strict=True)))
    gold_pairs, other, both = (
        sum(comb(n, 2) for n in Counter(groups).values()) for groups in ways
    )
    chance = gold_pairs * other / comb(len(gold), 2)
    return (both - chance) / ((gold_pairs + other) / 2 - chance)


def grouped(root: Path, examples: Sequence[Json]) -> list[str]:
    """The pattern of each example by its session; one that waits is its own."""
    capture(root, examples)
    ids = {
        row["session"]: row["id"] for row in ask(root, "examples", "list")["examples"]
    }
    found = ask(root, "patterns")["patterns"]
    pattern = {example: row["id"] for row in found for example in row["examples"]}
    return [
        pattern.get(example_id, example_id)
        for example_id in (ids[example["session"]] for example in examples)
    ]


def intents(work: Path, rows: list[Json]) -> Iterator[Row]:
    root, gold = shelf(work, "intents"), [row["template_id"] for row in rows]
    found = grouped(root, [plain(n, row["intent"]) for n, row in enumerate(rows)])
    often, size = Counter(gold), Counter(found)
    once = [at for at, label in enumerate(gold) if often[label] == 1]
    alone = sum(size[found[at]] == 1 for at in once)
    peers = "TF-IDF .838, DBSCAN .465"
    ari = rand_index(gold, found)
    yield share(f"clusters of {len(gold)} intents, ARI", ari, 1, 0.87, peers)
    yield share(f"{len(once)} one-offs that wait", alone, len(once), 0.9)
    counts = {how: Counter[str]() for how in ("template", "pattern", "draft")}
    for template in (label for label, count in often.items() if count > 2):
        members = [at for at, label in enumerate(gold) if label == template]
        slots = gold_slots([rows[at]["slots"] for at in members])
        given = find_inputs([Example(rows[at]["intent"]) for at in members])[0]
        texts = [
            {at: words(text) for at, text in slot.values.items()} for slot in given
        ]
        counts["template"] += score(slots, texts, same_places)
        pattern, count = Counter(found[at] for at in members).most_common(1)[0]
        shown = ask(root, "patterns", "show", pattern)["varies"] if count > 2 else []
        draft = ask(root, "draft", pattern, "--dry-run")["inputs"] if count > 2 else []
        for how, some in (("pattern", shown), ("draft", draft)):
            values = [dict(enumerate(map(words, slot["examples"]))) for slot in some]
            counts[how] += score(slots, values, same_values)
    for how, n in counts.items():
        yield share(
            f"inputs by {how}, that vary", n["found varying"], n["varying"], 0.8
        )
        yield share(f"inputs by {how}, all", n["found"], n["slots"], 0.8)
        yield share(f"inputs by {how}, precision", n["right"], n["inputs"], 0.8)


def words(value: object) -> str:
    return " ".join(re.findall(r"\w+", str(value).lower()))


def gold_slots(rows: list[Json]) -> list[Values]:
    names = dict.fromkeys(name for row in rows for name in row)
    slots = [
        {n: words(row[k]) for n, row in enumerate(rows) if k in row} for k in names
    ]
    return [slot for slot in slots if any(slot.values())]


def score(
    slots: list[Values], inputs: list[Values], same: Callable[[Values, Values], bool]
) -> Counter[str]:
    found = Counter(slots=len(slots), inputs=len(inputs))
    for slot in slots:
        is_found, varies = (
            any(same(slot, value) for value in inputs),
            len({*slot.values()}) > 1,
        )
        found.update({"found": is_found, "varying": varies})
        found["found varying"] += is_found and varies
    found["right"] = sum(any(same(slot, value) for slot in slots) for value in inputs)
    return found


def is_in(text: str, other: str) -> bool:
    is_part = f" {text} " in f" {other} " or f" {other} " in f" {text} "
    return bool(text and other) and is_part


def same_places(slot: Values, other: Values) -> bool:
    both = slot.keys() & other.keys()
    return sum(is_in(slot[at], other[at]) for at in both) * 2 > len(both)


def same_values(slot: Values, other: Values) -> bool:
    hits = sum(
        any(is_in(value, gold) for gold in slot.values()) for value in other.values()
    )
    return hits * 2 > len(other)


def calls(episode: Json) -> Iterator[Json]:
    for message in episode["messages"]:
        for call in (entry["function"] for entry in message.get("tool_calls") or ()):
            yield {"tool": call["name"], "arguments": json.loads(call["arguments"])}


def tools(work: Path, runs: list[Json]) -> Row:
    """The same runs with what they did, and by their words alone."""
    asked = [next(m for m in run["messages"] if m["role"] == "user") for run in runs]
    short = [plain(n, message["content"]) for n, message in enumerate(asked)]
    full = [
        episode | {"steps": [*calls(run)]}
        for episode, run in zip(short, runs, strict=True)
    ]
    gold = [run["task_id"] for run in runs]
    own = rand_index(gold, grouped(shelf(work, "with-tools"), full))
    less = rand_index(gold, grouped(shelf(work, "without-tools"), short))
    figures = f"{own:.3f}, {less:.3f}"
    return Row("clusters of runs with and without tools", figures, "higher", own > less)


def own_values(value: Any, key: str = "") -> Iterator[str]:
    """Ids, names, dates and amounts in the arguments and answers of a run."""
    if isinstance(value, dict | list):
        inner = (
            value.items()
            if isinstance(value, dict)
            else ((key, item) for item in value)
        )
        for name, item in inner:
            yield from own_values(item, name)
    elif value is not None and not isinstance(value, bool):
        yield from OWN.findall(str(value))
        if OWN_KEY.search(key) and 2 < len(str(value)) < 40:
            yield str(value)


def of_run(episode: Json) -> set[str]:
    answers = [m["content"] or "" for m in episode["messages"] if m["role"] == "tool"]
    known = [
        json.loads(answer) if answer[:1] in ("{", "[") else answer for answer in answers
    ]
    return set(own_values([*(call["arguments"] for call in calls(episode)), *known]))


def drafts(work: Path, file: Path) -> Iterator[Row]:
    root = shelf(work, "drafts")
    ask(root, "capture", file)
    ask(root, "examples", "approve", "--all-verified")
    runs = Counter(value for record in records(file) for value in of_run(record))
    found = [row for row in ask(root, "patterns")["patterns"] if row["successes"] >= 3]
    results = [ask(root, "draft", pattern["id"], "--dry-run") for pattern in found]
    rare = sum(
        step["support"] * 2 < step["of"] for draft in results for step in draft["steps"]
    )
    yield none(f"rare steps in {len(results)} drafts", rare)
    texts = [
        set(re.findall(r"[\w-]+", draft["text"])) & runs.keys() for draft in results
    ]
    NOTES.extend(
        f"a draft holds {', '.join(sorted(text_words))}"
        for text_words in texts
        if text_words
    )
    yield none(
        "values of one run",
        sum(runs[value] == 1 for text_words in texts for value in text_words),
    )
    yield none("values of any run", sum(map(len, texts)))


def flat(value: Any) -> str:
    """All texts of a JSON value."""
    if isinstance(value, dict | list):
        return "\n".join(
            map(flat, value.values() if isinstance(value, dict) else value)
        )
    return str(value)


def stored(root: Path) -> dict[str, str]:
    """What is kept of each session."""
    ids = [row["id"] for row in ask(root, "examples", "list")["examples"]]
    shown = [ask(root, "examples", "show", example_id)["example"] for example_id in ids]
    return {
        example["session"]: flat([example["task"], example["steps"]])
        for example in shown
    }


def recall(work: Path) -> Iterator[Row]:
    """Private values in what is asked, done and answered: which are not found?"""
    values, episodes = planted(random.Random(5)), []
    fours = {f"s-{n}": values[n * 4 : n * 4 + 4] for n in range(len(values) // 4)}
    for number, four in enumerate(fours.values()):
        first, second, third, last = (re.sub("[«»]", "", text) for _, text in four)
        call = {
            "arguments": {"command": first, "more": [{"x": second}]},
            "output": third,
        }
        episodes.append(plain(number, f"See: {last}", steps=[{"tool": "shell"} | call]))
    capture(root := shelf(work, "planted", POLICY), episodes)
    missed: dict[str, list[str]] = {kind: [] for kind, _ in sorted(values)}
    for session, content in stored(root).items():
        for kind, text in fours[session]:
            is_there = any(value in content for value in re.findall("«(.*?)»", text))
            missed[kind] += [text] if is_there else []
    for kind, some in missed.items():
        NOTES.extend(f"missed {kind}: {text!r}" for text in some[:6])
        yield share(f"redaction of {kind}", EACH - len(some), EACH, 0.99)
    found = len(values) - sum(map(len, missed.values()))
    yield share(f"redaction of {len(values)} values", found, len(values), 0.99)


def touched(work: Path, name: str, lines: Sequence[str]) -> Row:
    """How many words of an ordinary text are taken for private ones."""
    root = shelf(work, name)
    pieces = ["\n".join(lines[at : at + 25])[:4000] for at in range(0, len(lines), 25)]
    steps = [{"tool": "read", "output": piece} for piece in pieces]
    parts = [steps[at : at + 20] for at in range(0, len(steps), 20)]
    capture(root, [plain(n, "Read it", steps=its) for n, its in enumerate(parts)])
    before = Counter(" ".join(pieces).split())
    lost = before - Counter(" ".join(stored(root).values()).split())
    NOTES.append(
        f"touched in {name}: {', '.join(kind for kind, _ in lost.most_common(12))}"
    )
    value = 100 * lost.total() / before.total()
    what = f"of {before.total():,} words ({name}), touched"
    return Row(what, f"{value:.2f} %", "under 1 %", value < 1)


def canary(work: Path, count: int) -> Row:
    """A secret of every transcript, looked for wherever the whole loop wrote."""
    root, secret = shelf(work, "canary"), grown(random.Random(7), "<L1><l9><d2>")
    ask(root, "capture", write(root, transcripts(count, secret)))
    ask(root, "examples", "approve", "--all-verified")
    found = [row for row in ask(root, "patterns")["patterns"] if row["successes"] > 5]
    for pattern in found[:10]:
        number = ask(root, "draft", pattern["id"], "--propose")["proposal"]
        ask(root, "gate", number)
        ask(root, "review", number, "--approve", "--as", "Ann <ann@example.invalid>")
        ask(root, "promote", number)
    ask(root, "export", work / "export")
    git(root, "checkout", "-q", "-f", "main")
    paths = (*root.rglob("*"), *(work / "export").rglob("*"))
    files = [
        path
        for path in paths
        if path.is_file() and not path.name.startswith("state.db")
    ]
    contents = [file.read_bytes() for file in files] + [
        git(root, "log", "-p", "--all").encode()
    ]
    line_ = ["git", "cat-file", "--batch-all-objects", "--batch"]
    contents.append(
        subprocess.run(line_, cwd=root, capture_output=True, check=True).stdout
    )
    assert secret.encode() in (root / ".git/skillforge/state.db").read_bytes()
    count = sum(content.count(secret.encode()) for content in contents)
    return none(f"canary after {len(found[:10])} promotions", count)


def timed(root: Path, *arguments: object) -> tuple[float, int, Any]:
    """Seconds, peak memory in MB, and the answer of a command."""
    words_ = [*map(str, arguments), "--json", "--library", str(root)]
    start = time.perf_counter()
    code = [sys.executable, "-c", PEAK, *words_]
    done = subprocess.run(code, capture_output=True, text=True, check=True)
    taken = time.perf_counter() - start
    return taken, int(done.stderr.split()[-1]), json.loads(done.stdout)["data"]


def speed(work: Path, count: int) -> tuple[float, list[Row]]:
    root = shelf(work, f"speed-{count}")
    steps = [timed(root, "capture", write(root, transcripts(count)))]
    steps.append(timed(root, "examples", "approve", "--all-verified"))
    steps.append(timed(root, "patterns"))
    ready = [
        pattern for pattern in steps[-1][2]["patterns"] if pattern["successes"] >= 3
    ]
    steps += [timed(root, "draft", pattern["id"], "--dry-run") for pattern in ready]
    taken = [step[0] for step in steps]
    parts = "capture {:.1f}, approve {:.1f}, patterns {:.1f}, drafts".format(*taken[:3])
    NOTES.append(f"{count:,}: {parts} {sum(taken[3:]):.1f} s for {len(ready)}")
    total, peak = sum(taken), max(step[1] for step in steps)
    return total, [
        Row(f"{count:,} transcripts", f"{total:.1f} s", "under 60 s", total < 60),
        Row(f"memory for {count:,}", f"{peak} MB", "under 500 MB", peak < 500),
    ]


_OF_INTENTS = (
    ("clusters of intents, ARI", "at least 0.87"),
    ("one-offs that wait", "at least 0.9"),
    ("inputs by draft, all", "at least 0.8"),
    ("inputs by draft, precision", "at least 0.8"),
)
_OF_RUNS = (
    ("clusters of runs with and without tools", "higher"),
    ("rare steps in drafts", "0"),
    ("values of one run", "0"),
)


def rows(work: Work) -> Iterator[Row]:
    identify()
    NOTES.clear()
    yield from _labelled(work)
    yield from _made_up(work)
    yield from _speeds(work)
    print(*NOTES, sep="\n", file=sys.stderr)


def _labelled(work: Work) -> Iterator[Row]:
    if given := work.given("webarena_intents.jsonl"):
        yield from intents(work.folder, records(given)[: work.size(10_000, 60)])
    else:
        yield from needs_data("webarena_intents.jsonl", *_OF_INTENTS)
    if given := work.given("tau_airline_dev.jsonl"):
        yield tools(work.folder, records(given))
        yield from drafts(work.folder, given)
    else:
        yield from needs_data("tau_airline_dev.jsonl", *_OF_RUNS)


def _made_up(work: Work) -> Iterator[Row]:
    yield from recall(work.folder)
    rng, home = random.Random(8), Path(skillforge.__file__).parents[1]
    own = sorted([*home.glob("docs/*.md"), *home.glob("skillforge/**/*.py")])
    few = work.size(6000, 200)
    yield touched(work.folder, "made up", [line(rng) for _ in range(few)])
    yield touched(work.folder, "English", ENGLISH.splitlines()[: few * 2])
    lines = "\n".join(path.read_text("utf-8") for path in own).split("\n")
    yield touched(work.folder, "own", lines[: few * 10])
    yield canary(work.folder, work.size(300, 60))


def _speeds(work: Work) -> Iterator[Row]:
    count = work.size(1000, 30)
    few, found = speed(work.folder, count)
    yield from found
    many, found = speed(work.folder, count * 10)
    yield found[1]._replace(target="-", met=None)
    yield ratio("time for ten times as many", many / few, 15)
