"""A catalog always fits its budget, and reports what it omits."""

from pathlib import Path

import pytest
import skills_ref
from hypothesis import given, settings
from hypothesis import strategies as st

from skillforge.render import data
from skillforge.share import catalog_formats
from skillforge.share.catalog import LEAST, Catalog, fit, tokens
from skillforge.store.index import IndexedSkill
from skillforge.workflows.catalog import FittedCatalog
from tests.conftest import LibraryFolder, Run

NAME = st.text("abc-é", min_size=1, max_size=12)
WORDS = st.sampled_from(["", "word ", "<&> ", "數據", "a`*_|", "-- ", "\n\t"])
SKILL = st.builds(
    lambda name, words, times, group: IndexedSkill(
        name, "t", words * times, group=group
    ),
    NAME,
    WORDS,
    st.integers(1, 80),
    WORDS,
)
SKILLS = st.lists(SKILL, max_size=40, unique_by=lambda skill: skill.name)


def skills(count: int, length: int) -> list[IndexedSkill]:
    return [IndexedSkill(f"s-{n}", "t", "word " * (length // 5)) for n in range(count)]


def fit_catalog(
    some: list[IndexedSkill], budget: int, form: str = "text"
) -> tuple[Catalog, str]:
    def rendered(catalog: Catalog) -> str:
        return catalog_formats.FORMS[form](catalog, lambda name: f"/x/{name}/SKILL.md")

    catalog = fit(some, {}, budget, rendered)
    return catalog, rendered(catalog)


@settings(max_examples=60)
@given(
    form=st.sampled_from(list(catalog_formats.FORMS)),
    some=SKILLS,
    budget=st.integers(LEAST, 2000),
    ranked=st.integers(0, 20),
)
def test_any_skills_fit(
    form: str, some: list[IndexedSkill], budget: int, ranked: int
) -> None:
    scores = {skill.name: 1.0 + n for n, skill in enumerate(some[:ranked])}

    def rendered(catalog: Catalog) -> str:
        return catalog_formats.FORMS[form](catalog, lambda name: f"/x/{name}")

    catalog = fit(some, scores, budget, rendered)

    assert tokens(rendered(catalog)) <= budget
    named = {item.name for item in catalog.items}
    listed = len(named) + sum(group.skills for group in catalog.groups)
    assert listed == len(some) or catalog.omissions.groups


@pytest.mark.parametrize(
    ("count", "length", "detail"),
    [
        pytest.param(10, 100, "full", id="full"),
        pytest.param(60, 600, "shortened", id="shortened"),
        pytest.param(900, 100, "names", id="names"),
        pytest.param(5000, 100, "groups", id="groups"),
    ],
)
@pytest.mark.parametrize("form", ["text", "markdown"])
def test_more_skills_give_fewer_details(
    count: int, length: int, detail: str, form: str
) -> None:
    catalog, text = fit_catalog(skills(count, length), 3000, form)

    assert catalog.detail == detail
    assert tokens(text) <= 3000
    assert ("for details" in text) == (detail != "full")


def test_the_budget_is_used_and_not_only_kept() -> None:
    _, text = fit_catalog(skills(60, 600), 3000)

    assert tokens(text) > 2000


def test_a_catalog_reports_its_omissions() -> None:
    broken = IndexedSkill("broken", "t", problem="no description")

    catalog, text = fit_catalog([*skills(5000, 50), broken], 300)

    assert catalog.omissions.unusable == 1
    assert "4,995 skills not listed" in text
    assert "1 skill unreadable" in text
    assert (
        data.skills.catalog(FittedCatalog(catalog, 300))["left_out"]["skills"] == 4995
    )


def committed(library: LibraryFolder) -> LibraryFolder:
    for name, description in {
        "html": "Use <foo> & <bar> tags, \"quotes\" and 'others'.",
        "folded": ">\n  Folded over\n  two lines.",
        "literal": "|\n  Line one\n  Line two",
        "quoted": '"Use when: a colon — and a dash"',
        "unicode": "Über 數據 🚀",
    }.items():
        head = f"---\nname: {name}\ndescription: {description}\n---\n"
        library.write(f"skills/{name}/SKILL.md", f"{head}# Title\n\nText.\n")
    library.commit()
    return library


def test_xml_is_what_skills_ref_writes(library: LibraryFolder, run: Run) -> None:
    root = committed(library).root
    folders = sorted(path for path in (root / "skills").iterdir())

    ran = run("catalog", "--format", "xml", "--library", str(root))

    assert ran.out == skills_ref.to_prompt(folders) + "\n"


def test_xml_of_no_skills_is_what_skills_ref_writes(
    library: LibraryFolder, run: Run
) -> None:
    library.git("rm", "-rq", "skills")
    library.commit()

    ran = run("catalog", "--format", "xml", "--library", str(library.root))

    assert ran.out == skills_ref.to_prompt([]) + "\n"


def test_a_task_brings_its_skills_to_the_front(
    library: LibraryFolder, run: Run
) -> None:
    root = str(committed(library).root)

    ran = run("catalog", "--for", "quotes and tags", "--library", root, "--json")

    first = ran.data["skills"][0]
    assert first["name"] == "html"
    assert first["score"] > 0
    assert len(ran.data["skills"]) == 7


@pytest.mark.parametrize("form", ["text", "xml", "json", "markdown"])
@pytest.mark.parametrize("budget", [150, 400])
def test_the_output_fits_the_budget(
    library: LibraryFolder, run: Run, form: str, budget: int
) -> None:
    for number in range(40):
        library.add_skill(f"skill-{number}")
    library.commit()
    options = ("--budget", str(budget), "--format", form, "--for", "tables")

    ran = run("catalog", *options, "--library", str(library.root))

    assert ran.code == 0
    assert tokens(ran.out.rstrip("\n")) <= budget


def test_hostile_descriptions_stay_words(
    library: LibraryFolder, run: Run, tmp_path: Path
) -> None:
    hostile = '"</skill><script>x</script> \\e[31m [a](http://x) <!-- --> \\u202e"'
    head = f"---\nname: hostile\ndescription: {hostile}\n---\n"
    library.write("skills/hostile/SKILL.md", f"{head}Text.\n")
    library.commit()
    place = ("--library", str(library.root))

    assert "<script>" not in run("catalog", "--format", "xml", *place).out
    assert "<script>" not in run("catalog", "--format", "markdown", *place).out
    for command in (("list",), ("catalog",), ("search", "script"), ("show", "hostile")):
        out = run(*command, *place).out
        assert "\x1b" not in out
        assert "\u202e" not in out


def test_a_budget_that_nothing_fits_is_refused(
    library: LibraryFolder, run: Run
) -> None:
    assert run("catalog", "--budget", "1", "--library", str(library.root)).code == 2


def test_the_least_budget_is_one_that_always_fits(
    library: LibraryFolder, run: Run
) -> None:
    where = ("--library", str(library.root), "--budget")

    assert run("catalog", *where, str(LEAST)).code == 0
    assert run("catalog", *where, str(LEAST - 1)).code == 2
