"""The page as text: deterministic, well-formed, and true to its data."""

import base64
import hashlib
import json
import re
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillforge.operate.dashboard import page
from tests.operate.dashboard import sample

Data = dict[str, Any]


def parsed(html: str) -> Xml.Element:
    """The page as a tree; an error at the first tag that is not closed correctly."""
    text = html.removeprefix("<!doctype html>")
    return Xml.fromstring(re.sub(r"(?s)<(script|style)\b.*?</\1>", "", text))


def words_of(element: Xml.Element) -> str:
    return " ".join("".join(element.itertext()).replace("\xa0", " ").split())


def tables(html: str, caption: str) -> list[list[list[str]]]:
    """The bodies of the tables with this caption, as texts of their cells."""
    return [
        [[words_of(cell) for cell in row] for row in table.iterfind("tbody/tr")]
        for table in parsed(html).iter("table")
        for element in table.iterfind("caption")
        if words_of(element) == caption
    ]


def rows_for_script(html: str) -> list[Any]:
    block = re.search(r'(?s)id="all-rows">(.*?)</script>', html)
    assert block
    rows: list[Any] = json.loads(block[1])
    return rows


@pytest.fixture(scope="module")
def living() -> str:
    return page(sample.living_library())


def library_with(*skills: Data, **more: Any) -> Data:
    return {**sample.empty_library(), "skills": list(skills), **more}


def test_the_same_data_gives_the_same_page(living: str) -> None:
    assert page(sample.living_library()) == living


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(sample.living_library(), id="living"),
        pytest.param(sample.empty_library(), id="empty"),
        pytest.param(sample.hostile_library(), id="hostile"),
    ],
)
def test_the_page_is_well_formed_and_nothing_in_it_runs_but_its_script(
    data: Data,
) -> None:
    html = page(data)

    html.encode("utf-8")
    for element in parsed(html).iter():
        assert not [name for name in element.attrib if name.startswith("on")]
        assert "style" not in element.attrib
        assert element.get("href", "#").startswith(("#", "data:,"))
    assert len(re.findall(r"<script(?![^>]*json)", html)) == 1
    assert "\x00" not in html


def test_the_policy_names_exactly_the_style_and_script_of_the_page(living: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', living)
    style = re.search(r"(?s)<style>(.*?)</style>", living)
    script = re.search(r"(?s)<script>(.*?)</script>", living)
    assert policy
    assert style
    assert script

    for name, text in (("style", style[1]), ("script", script[1])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy[1]
    assert policy[1].startswith("default-src 'none'")
    assert "unsafe" not in policy[1]


def test_an_empty_library_is_reported() -> None:
    text = words_of(parsed(page(sample.empty_library())))

    assert "This library has no skills yet." in text
    assert "no proposals waiting for review" in text
    assert "no test cases run yet" in text
    assert "no promotions yet" in text


def test_too_few_uses_are_mentioned_and_not_drawn() -> None:
    few = sample.skill("csv-tables", [sample.version("1.0.0", [["2025-06-18", 2, 1]])])

    html = page(library_with(few))

    assert "3 verified uses: not enough data" in words_of(parsed(html))
    assert "67%" not in html
    assert 'class="plot"' not in html


def test_a_version_that_no_longer_exists_is_marked_as_removed() -> None:
    days = [["2025-06-18", 20, 1]]
    versions = [
        sample.version("2.0.0", days),
        sample.version("1.0.0", days, exists=False),
    ]

    html = page(library_with(sample.skill("csv-tables", versions)))

    names = [row[1] for row in tables(html, "Versions, newest first")[0]]
    assert sorted(names) == ["1.0.0 removed", "2.0.0"]


def test_the_table_of_a_plot_holds_the_numbers_of_the_data() -> None:
    days = [["2025-06-02", 4, 1], ["2025-06-08", 6, 0], ["2025-06-09", 9, 3]]
    skill = sample.skill("csv-tables", [sample.version("1.2.0", days)])

    html = page(library_with(skill))

    assert tables(html, "csv-tables: success by day") == [
        [
            ["2025-06-02", "1.2.0", "4", "5", "80%", "38–96%"],
            ["2025-06-08", "1.2.0", "6", "6", "100%", "61–100%"],
            ["2025-06-09", "1.2.0", "9", "12", "75%", "47–91%"],
        ]
    ]
    assert tables(html, "Versions, newest first") == [
        [["", "1.2.0", "83%", "63–93%", "19 of 23", "2025-06-02", "2025-06-09"]]
    ]


def test_the_list_of_skills_holds_the_numbers_of_the_data() -> None:
    data = sample.living_library(60)

    rows = rows_for_script(page(data))

    by_name = {skill["name"]: skill for skill in data["skills"]}
    assert len(rows) == 60
    for _, cells, keys, sure, _, marks in rows:
        skill = by_name[cells[0]]
        assert cells[2] == f"{skill['uses']:,}"
        assert keys[1] == skill["uses"]
        assert keys[6] == pytest.approx(skill["precision"], abs=1e-4)
        if "few" not in marks:
            assert keys[2] == pytest.approx(skill["success_rate"], abs=1e-4)
            assert sure[0] == pytest.approx(skill["interval"][0], abs=1e-3)
    assert [row[2][1] for row in rows] == sorted(
        (skill["uses"] for skill in data["skills"]), reverse=True
    )


def test_a_canary_shows_both_arms_and_the_evidence() -> None:
    data = sample.living_library()

    html = page(data)

    lost = data["canaries"][1]
    card = next(
        found for found in parsed(html).iter("article") if found.get("id") == "canary-0"
    )
    text = words_of(card)
    assert f"✕ roll-back {lost['why']}" in text
    assert "Evidence of a difference: 46 (decides at 20)" in text
    arm = lost["arms"]["canary"]
    assert f"{arm['successes']} of {arm['successes'] + arm['failures']}" in text
    last = tables(html, f"{lost['skill']}: canary and stable")[0][-1]
    assert last[1:4] == [
        "canary",
        str(arm["successes"]),
        str(arm["successes"] + arm["failures"]),
    ]


@pytest.mark.parametrize("wealth", [0.0, 1e-300, 20.0, 1e300, float("inf")])
def test_evidence_of_any_size_stays_on_its_scale(wealth: float) -> None:
    data = sample.living_library()
    data["canaries"][0]["wealth"] = wealth

    for mark in parsed(page(data)).iter("{*}rect"):
        if mark.get("class") == "wealth":
            assert 0 <= float(mark.get("width", "nan")) <= 416


def test_growth_proposals_and_health_stand_as_text(living: str) -> None:
    data = sample.living_library()

    grown = tables(living, "Library growth")[0]
    day, *counts = data["growth"][-1]
    assert grown[0] == [day, *(f"{count:,}" for count in counts)]
    waiting = tables(living, "Oldest first")[0]
    oldest = max(data["proposals"], key=lambda proposal: proposal["age_days"])
    assert waiting[0][0] == f"#{oldest['number']} {oldest['skill']}"
    assert len(waiting) == len(data["proposals"])
    runs = tables(living, "Last run of each skill's cases")[0]
    assert sorted(row[:2] for row in runs) == sorted(
        [run["skill"], run["status"]] for run in data["health"]
    )


def test_alerts_come_first(living: str) -> None:
    found = next(e for e in parsed(living).iter("section") if e.get("id") == "alerts")
    first = words_of(next(found.iter("li")))

    assert first.startswith("pdf-forms: its canary is worse")


def test_ten_thousand_skills_make_a_page_of_bearable_size() -> None:
    data = sample.living_library(40)
    for skill in data["skills"]:
        skill["versions"] = [sample.version("1.0.0", [["2025-06-18", 20, 1]])]
    copies = [
        {**skill, "name": f"{skill['name']}-{copy}"}
        for copy in range(250)
        for skill in data["skills"]
    ]

    html = page({**data, "skills": copies})

    assert len(copies) == 10_000
    assert len(html.encode()) < 4_000_000
    assert html.count('class="plot"') < 30
    assert "12 of 10,000 skills" in html


def test_more_versions_than_signs_are_counted_and_not_drawn() -> None:
    versions = [
        sample.version(f"1.{at}.0", [[f"2025-{at + 1:02}-05", 30, 3]])
        for at in range(12)
    ]

    html = page(library_with(sample.skill("csv-tables", versions)))

    text = words_of(parsed(html))
    assert "Only the 5 newest of 12 versions are drawn." in text
    assert "and 4 older" in text
    assert tables(html, "Versions, newest first")[0][0][1] == "1.11.0"


def test_uses_without_a_valid_day_are_mentioned() -> None:
    version = sample.version("1.0.0", [["2025-06-18", 20, 1], ["yesterday", 2, 0]])

    html = page(library_with(sample.skill("csv-tables", [version])))

    assert "2 verified uses without a valid date omitted." in html


TEXTS = st.text(st.characters(), max_size=12) | st.sampled_from(sample.HOSTILE)
COUNTS = st.integers(0, 10**6)
RATES = st.none() | st.floats(0, 1)
NUMBERS = st.none() | st.floats(0, 1e12)
INTERVALS = st.none() | st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted)
WHEN = st.dates().map(str) | st.just("") | TEXTS
DAYS = st.lists(st.tuples(WHEN, COUNTS, COUNTS).map(list), max_size=6)
VERSIONS = st.fixed_dictionaries(
    {
        "version": TEXTS,
        "tree": TEXTS,
        "exists": st.booleans(),
        "uses": COUNTS,
        "verified": COUNTS,
        "successes": COUNTS,
        "failures": COUNTS,
        "success_rate": RATES,
        "interval": INTERVALS,
        "first": WHEN,
        "last": WHEN,
        "days": DAYS,
    }
)
SKILLS = st.fixed_dictionaries(
    {
        "name": TEXTS,
        "origin": TEXTS,
        "uses": COUNTS,
        "offered": COUNTS,
        "precision": RATES,
        "success_rate": RATES,
        "moving": RATES,
        "interval": INTERVALS,
        "trend": st.sampled_from(["up", "down", "flat", ""]),
        "keys": COUNTS,
        "seconds": NUMBERS,
        "tokens": NUMBERS,
        "seconds_without": NUMBERS,
        "tokens_without": NUMBERS,
        "versions": st.lists(VERSIONS, max_size=3),
    }
)
ARMS = st.fixed_dictionaries(
    {
        "uses": COUNTS,
        "successes": COUNTS,
        "failures": COUNTS,
        "success_rate": RATES,
        "interval": INTERVALS,
    }
)
VERDICTS = ["continue", "promote", "roll-back", "inconclusive"]
CANARIES = st.fixed_dictionaries(
    {
        "skill": TEXTS,
        "state": TEXTS,
        "share": st.floats(0, 100),
        "verdict": st.sampled_from(
            ["continue", "promote", "roll-back", "inconclusive"]
        ),
        "why": TEXTS,
        "wealth": st.floats(0, allow_nan=False),
        "threshold": st.floats(1, 1e6),
        "started": WHEN,
        "arms": st.fixed_dictionaries({"stable": ARMS, "canary": ARMS}),
        "days": st.fixed_dictionaries({"stable": DAYS, "canary": DAYS}),
    }
)
PROPOSALS = st.fixed_dictionaries(
    {
        "number": COUNTS,
        "skill": TEXTS,
        "state": TEXTS,
        "action": TEXTS,
        "author": TEXTS,
        "age_days": st.floats(0, 1e5),
    }
)
RUNS = st.fixed_dictionaries(
    {
        "skill": TEXTS,
        "status": st.sampled_from(["passed", "failed", "not-run"]),
        "version": TEXTS,
        "at": WHEN,
    }
)
ODD = st.fixed_dictionaries(
    {
        "title": TEXTS,
        "generated": TEXTS,
        "main": TEXTS,
        "skills": st.lists(SKILLS, max_size=3),
        "canaries": st.lists(CANARIES, max_size=2),
        "growth": st.lists(
            st.tuples(WHEN, COUNTS, COUNTS, COUNTS).map(list), max_size=5
        ),
        "proposals": st.lists(PROPOSALS, max_size=3),
        "health": st.lists(RUNS, max_size=3),
    }
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(ODD)
def test_any_data_of_the_right_shape_gives_a_whole_page(data: Data) -> None:
    html = page(data)

    html.encode("utf-8")
    tree = parsed(html)
    for drawn in tree.iter("svg"):
        for part in drawn.iter():
            assert "nan" not in "".join(part.attrib.get("d", ""))
    if data["skills"]:
        assert len(rows_for_script(html)) == len(data["skills"])
