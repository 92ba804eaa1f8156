"""`patterns`: what repeats, found the same way each time; one-offs wait."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.learn.clustering import clusters
from skillforge.learn.inputs import find_inputs
from skillforge.learn.task_template import template
from skillforge.model import Example
from skillforge.text import rarity, unit_vector
from tests.learn.conftest import Learner, export_run, export_runs, plain

CITIES = ("Boston", "Lima", "Oslo", "Cairo", "Quito", "Tokyo")
BY = ("--reviewed-by", "Ada")


def asked() -> list[dict[str, object]]:
    """Two intents of six wordings, and two things that were asked once."""
    weather = [
        f"What is the weather in {city} on day {n}" for n, city in enumerate(CITIES)
    ]
    trips = [f"Book a train from {city} to Rome" for city in CITIES]
    once = ["Sing me a lullaby about owls", "Why does bread rise slower in winter?"]
    tasks = [*weather, *trips, *once]
    random.Random(3).shuffle(tasks)
    return [plain(task, f"s{n}") for n, task in enumerate(tasks)]


def test_what_is_asked_alike_is_one_pattern_and_one_offs_stay_out(
    learner: Learner,
) -> None:
    learner.capture(*asked(), options=BY)

    found = learner.ok("patterns")

    assert [len(pattern["examples"]) for pattern in found["patterns"]] == [6, 6]
    labels = {pattern["label"] for pattern in found["patterns"]}
    assert labels == {
        "What is the weather in … on day …",
        "Book a train from … to Rome",
    }
    assert [pattern["sessions"] for pattern in found["patterns"]] == [6, 6]
    assert [pattern["successes"] for pattern in found["patterns"]] == [6, 6]
    assert len(found["unclustered"]) == 2


def test_a_pattern_is_explained(learner: Learner) -> None:
    pattern = learner.learn(*export_runs(5, 2))[0]

    shown = learner.ok("patterns", "show", pattern["id"][:6])

    assert (shown["successes"], shown["failures"], shown["sessions"]) == (5, 2, 7)
    assert shown["tools"]["query"] == 7
    assert [item["name"] for item in shown["varies"]] == ["table"]
    assert len(shown["members"]) == 7
    words = learner("patterns", "show", pattern["id"]).out
    assert "5 successes, 2 failures" in words
    assert learner("patterns", "show", "nope").code == 2


def test_only_approved_examples_make_a_pattern(learner: Learner) -> None:
    learner.capture(*export_runs(4, 0))
    assert learner.ok("patterns") == {"patterns": [], "unclustered": []}

    for row in learner.examples()[:3]:
        learner.ok("examples", "approve", row["id"])
    (pattern,) = learner.ok("patterns")["patterns"]
    assert len(pattern["examples"]) == 3


def test_a_pattern_keeps_its_id_when_others_join(learner: Learner) -> None:
    rows = [plain(f"What is the weather in {city}", city) for city in CITIES]
    learner.capture(*rows[:3], plain("Sing a song"), options=BY)
    before = learner.ok("patterns")["patterns"][0]

    learner.capture(*rows, plain("Sing a song of owls"), options=BY)
    found = learner.ok("patterns")

    weather = next(
        pattern for pattern in found["patterns"] if pattern["id"] == before["id"]
    )
    assert len(weather["examples"]) == 6
    assert len(found["patterns"]) == 2  # a second song ended the wait of the first
    assert learner.ok("patterns") == found


def test_rejected_examples_leave(learner: Learner) -> None:
    rows = [plain(f"What is the weather in {city}", city) for city in CITIES[:2]]
    learner.capture(*rows, options=BY)
    (pattern,) = learner.ok("patterns")["patterns"]
    learner.capture(plain("What is the weather in Ulm"), options=BY)
    joined = learner.ok("patterns")["patterns"][0]
    assert joined["id"] == pattern["id"]
    assert len(joined["examples"]) == 3


def test_finding_all_anew_does_not_depend_on_the_past(learner: Learner) -> None:
    rows = asked()
    learner.capture(*rows[:5], options=BY)
    learner.ok("patterns")
    learner.capture(*rows, options=BY)
    learner.ok("patterns")

    found = learner.ok("patterns", "--rebuild")

    assert [len(pattern["examples"]) for pattern in found["patterns"]] == [6, 6]


def test_the_nearest_skill_is_named(learner: Learner) -> None:
    text = "---\nname: weather\ndescription: Tells the weather. Use when asked.\n"
    learner.folder.write("skills/weather/SKILL.md", f"{text}---\n# Weather\n\nLook.\n")
    learner.folder.commit()
    learner.capture(*asked(), options=BY)

    near = {
        pattern["label"]: pattern["nearest_skill"]
        for pattern in learner.ok("patterns")["patterns"]
    }

    assert near["What is the weather in … on day …"] == "weather"


def test_an_empty_store_has_no_patterns(learner: Learner) -> None:
    ran = learner("patterns")
    assert (ran.code, "no patterns" in ran.out) == (0, True)


@given(st.lists(st.text(alphabet="abc ", max_size=12), max_size=8), st.randoms())
def test_clusters_hold_everything_once_and_do_not_depend_on_order(
    texts: list[str], shuffle: random.Random
) -> None:
    def groups(order: list[str]) -> list[list[str]]:
        words = [text.split() for text in order]
        weights = rarity(words)
        found = clusters(
            [unit_vector(task_words, weights) for task_words in words], 0.3
        )
        assert sorted(at for group in found for at in group) == list(range(len(order)))
        return [sorted(order[at] for at in group) for group in found]

    distinct = sorted(set(texts))
    other = list(distinct)
    shuffle.shuffle(other)
    sizes = sorted(map(len, groups(distinct)))
    assert sum(sizes) == sum(map(len, groups(other)))


@pytest.mark.parametrize(
    ("tasks", "inputs"),
    [
        pytest.param(
            ["Show the 3 newest orders", "Show the 10 newest orders"],
            {"newest": ["3", "10"]},
            id="numbers",
        ),
        pytest.param(
            ['Post "hello" in news', 'Post "good day" in news'],
            {"post": ["hello", "good day"]},
            id="quotes",
        ),
        pytest.param(
            ["Hi! Cancel order A1234B, please.", "Hello, cancel order C9876D. Thanks!"],
            {"order": ["A1234B", "C9876D"]},
            id="courtesies",
        ),
        pytest.param(["Do it"] * 3, {}, id="nothing varies"),
    ],
)
def test_inputs_are_what_varies(tasks: list[str], inputs: dict[str, list[str]]) -> None:
    found, _ = find_inputs([Example(task) for task in tasks])
    assert {item.name: item.examples for item in found} == inputs


@given(st.lists(st.text(max_size=40), min_size=1, max_size=6))
def test_any_tasks_have_a_template(tasks: list[str]) -> None:
    found = template(tasks)
    assert len(found.shared) == len(found.spelled)
    for slot in found.slots:
        assert all(0 <= number < len(tasks) for number in slot.values)


def test_declared_inputs_are_inputs_with_their_types() -> None:
    examples = [
        Example("Sum up", inputs={"hours": n, "sources": ["a"], "deep": True})
        for n in (1, 2, 2)
    ]
    found, _ = find_inputs(examples)
    assert {item.name: (item.type, item.default) for item in found} == {
        "hours": ("integer", "2"),
        "sources": ("list", '["a"]'),
        "deep": ("boolean", "true"),
    }


def test_one_of_something_is_not_several(learner: Learner) -> None:
    rows = [export_run("orders", 1.0), export_run("customers", 0.0)]
    for row in rows:
        row["session"] = "one"
    learner.learn(*rows)

    output = learner("patterns").out

    assert "1 session, 1 success  " in output
