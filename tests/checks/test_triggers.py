"""The gate's check `overlap`, by what skills are for: requests stay whose they are."""

import json

import pytest

from skillforge.checks.triggers import Trigger, Triggers
from skillforge.text import terms
from tests.conftest import LibraryFolder, Run

PAGE = "---\nname: {name}\ndescription: {about}\n---\n# {name}\n\n{body}\n"
WEATHER = "Tells the weather forecast of a city. Use when asked for rain, sun or wind."


class Gate:
    """Propose skills, and ask what the check says."""

    def __init__(self, folder: LibraryFolder, run: Run) -> None:
        self.folder = folder
        self.run = run

    def write(self, name: str, about: str, body: str = "") -> None:
        text = PAGE.format(name=name, about=about, body=body or f"Do {name}.")
        self.folder.write(f"skills/{name}/SKILL.md", text)

    def __call__(self, name: str) -> list[tuple[str, str]]:
        where = ("--library", str(self.folder.root), "--json")
        number = self.run("propose", *where, name).data["proposal"]
        data = self.run("gate", *where, str(number)).data
        found = [
            finding for finding in data["findings"] if finding["rule"] == "overlap"
        ]
        return [(finding["severity"], finding["message"]) for finding in found]


@pytest.fixture
def gate(library: LibraryFolder, run: Run) -> Gate:
    gate = Gate(library, run)
    gate.write("weather", WEATHER)
    queries = [
        {"query": "will it rain in Oslo tomorrow", "should_trigger": True},
        {"query": "rain dance steps", "should_trigger": False},
    ]
    library.write("skills/weather/evals/eval_queries.json", json.dumps(queries))
    library.commit()
    return gate


def test_the_same_purpose_in_other_words_of_the_body_is_a_double(gate: Gate) -> None:
    gate.write("sky-report", WEATHER, "Look up, and write down what you see.")

    (severity, message), *_ = gate("sky-report")

    assert severity == "error"
    assert message.startswith("the purpose is 9")
    assert message.endswith("similar to the skill weather")


def test_a_purpose_nearby_is_a_warning(gate: Gate) -> None:
    about = "Tells the weather forecast of a city. Use when asked for rain or snow."
    gate.write("snow-report", about, "Look up, and write down what you see.")

    severities = [
        severity
        for severity, message in gate("snow-report")
        if "the purpose is" in message
    ]

    assert severities == ["warning"]


def test_a_skill_with_another_purpose_is_ignored(gate: Gate) -> None:
    gate.write("bread", "Bakes bread from flour. Use when somebody is hungry.")
    assert gate("bread") == []


def test_requests_of_another_skill_stay_its_own(gate: Gate) -> None:
    about = "Tells whether it will rain tomorrow in Oslo. Use for umbrellas."
    gate.write("umbrella", about)

    found = gate("umbrella")

    assert (
        "error",
        "ranks before the skill weather for one of its requests: "
        "'will it rain in Oslo tomorrow'",
    ) in found


def test_an_edit_of_the_description_is_looked_at_too(gate: Gate) -> None:
    gate.write("bread", "Bakes bread from flour. Use when somebody is hungry.")
    gate.folder.commit()
    gate.write("bread", "Tells whether it will rain tomorrow in Oslo, or bakes bread.")

    assert [severity for severity, _ in gate("bread")] == ["error"]


def test_tasks_of_its_examples_are_requests_of_a_skill(gate: Gate) -> None:
    task = {"task": "will there be wind on the lake of Zurich"}
    gate.folder.write("evidence/weather/a.json", json.dumps(task))
    gate.folder.commit()
    gate.write("sailing", "Tells of wind on the lake of Zurich. Use for sailing there.")

    assert any("ranks before the skill" in message for _, message in gate("sailing"))


@pytest.mark.parametrize(
    "text", ["[", "{}", "[1, null]", '[{"query": 7}]', '{"queries": [{"query": "x"}]}']
)
def test_queries_that_cannot_be_read_are_none(gate: Gate, text: str) -> None:
    gate.folder.write("skills/weather/evals/eval_queries.json", text)
    gate.folder.commit()
    gate.write("bread", "Bakes bread from flour. Use when somebody is hungry.")

    assert gate("bread") == []


def test_the_best_match_comes_first() -> None:
    triggers = Triggers.of(
        [
            Trigger.of_texts("weather", WEATHER),
            Trigger.of_texts("bread", "Bakes bread from flour."),
        ]
    )
    assert triggers.first("which city has sun") == "weather"
    assert triggers.first("baking with flour") == "bread"
    assert triggers.first("zzz") == ""


def test_only_the_nearest_skills_are_read_in_full() -> None:
    triggers = [
        Trigger.of_texts(f"s{n}", f"Bakes bread in oven {n}.") for n in range(50)
    ]
    known = {skill.name: skill for skill in triggers}
    asked = []

    def read(name: str) -> Trigger:
        asked.append(name)
        return known[name]

    nearest = Triggers({name: skill.profile for name, skill in known.items()}, read)

    assert len(nearest.ranked("bread of oven 7")) == 50
    assert nearest.first("bread of oven 7") == "s7"
    assert asked == []


def test_terms_that_occur_again_count_again() -> None:
    triggers = [
        Trigger.of_texts("once", "Wind, sun."),
        Trigger.of_texts("more", "Wind, wind."),
    ]

    assert Triggers.of(triggers).first("wind") == "more"


def test_the_first_of_a_ranking_are_those_of_the_whole_one() -> None:
    words = ("bake", "bread", "oven", "rain", "wind", "city", "tax", "file", "table")
    skills = [
        Trigger.of_texts(
            f"skill-{n}", " ".join(words[n % 5 : 2 + n * 7 % 11] * (1 + n % 3))
        )
        for n in range(400)
    ]
    triggers = Triggers.of(skills).without({"skill-7"})
    for request in ("bread oven", "rain table 12", "bake bread city tax file", "none"):
        whole = triggers.ranked(request)
        alike = [match for match in whole if match[1] >= 0.5]

        assert triggers.like(terms(request), 10) == whole[:10]
        assert triggers.like(terms(request), 3, 0.5) == whole[: max(3, len(alike))]
        assert whole == sorted(whole, key=lambda match: (-match[1], match[0]))
