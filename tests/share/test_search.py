"""Search ranks skills, shows the matching words, and accepts any query."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillforge.gitrepo import GitRepo
from skillforge.share.search import Hit, search
from tests.conftest import LibraryFolder, Run

SKILLS = {
    "csv-tables": ("Reads and joins CSV tables. Use when data comes as CSV.", "Rows."),
    "pdf-forms": ("Fills forms in PDF files.", "Open the file, then write the fields."),
    "git-bisect": ("Finds the commit that broke a test.", "Mark one as good."),
    "log-triage": ("Sorts errors in logs by cause.", "A commit may be the cause."),
    "chinese": ("將多個表格合併成一個數據表", "處理"),
    "umlaut": ("Prüft größere Änderungen an Übersetzungen.", "Vergleiche Sätze."),
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> LibraryFolder:
    root = tmp_path_factory.mktemp("shelf")
    GitRepo.init(root)
    library = LibraryFolder(root)
    for name, (description, body) in SKILLS.items():
        head = f"---\nname: {name}\ndescription: {description}\n---\n"
        library.write(f"skills/{name}/SKILL.md", f"{head}# Title\n\n{body}\n")
    queries = [
        {"query": "put two spreadsheets together", "should_trigger": True},
        {"query": "translate a haiku", "should_trigger": False},
    ]
    library.write("skills/csv-tables/evals/eval_queries.json", json.dumps(queries))
    library.git("config", "user.name", "Test")
    library.git("config", "user.email", "test@example.invalid")
    library.commit("Start")
    return library


def found(folder: LibraryFolder, query: str, limit: int = 10) -> list[Hit]:
    return search(folder.library, folder.library.tip, query, limit)


@pytest.mark.parametrize(
    ("query", "best", "place"),
    [
        pytest.param("join tables", "csv-tables", "description", id="description"),
        pytest.param("joining a table", "csv-tables", "description", id="stems"),
        pytest.param("pdf-forms", "pdf-forms", "name", id="name"),
        pytest.param("GIT BISECT", "git-bisect", "name", id="case"),
        pytest.param("spreadsheets", "csv-tables", "triggers", id="trigger"),
        pytest.param("write the fields", "pdf-forms", "body", id="body"),
        pytest.param(
            "which commit broke it", "git-bisect", "description", id="weights"
        ),
        pytest.param("spreadsh", "csv-tables", "triggers", id="beginning"),
        pytest.param("表格", "chinese", "description", id="chinese"),
        pytest.param("prufe ubersetzung", "umlaut", "description", id="diacritics"),
    ],
)
def test_the_best_skill_comes_first_and_the_reason_with_it(
    shelf: LibraryFolder, query: str, best: str, place: str
) -> None:
    first = found(shelf, query)[0]

    assert first.skill.name == best
    assert place in first.why


def test_a_request_that_should_not_trigger_does_not(shelf: LibraryFolder) -> None:
    assert found(shelf, "haiku") == []


def test_the_reason_names_the_words_as_they_stand_there(shelf: LibraryFolder) -> None:
    [first, *_] = found(shelf, "join spreadsheet table")

    assert first.why == {
        "name": ["tables"],
        "description": ["joins", "tables"],
        "triggers": ["spreadsheets"],
    }


def test_results_are_in_order_and_limited(shelf: LibraryFolder) -> None:
    hits = found(shelf, "commit cause test file data")

    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert found(shelf, "commit cause test file data", 1) == hits[:1]


@pytest.mark.parametrize(
    "query",
    [
        "", "   ", '"', "'", '"unbalanced', "a AND", "NOT", "OR OR", "NEAR(a b)",
        "name:csv", "{name}: x", "csv*", "*", "-csv", "csv-tables", "^csv", "(", ")",
        "a + b", "\\", "%", "_", "\x00", "\ud800", "ﬁ", "🚀", "a" * 20_000, "the of to",
        "'; DROP TABLE skills; --", "İ", "ß", "e\u0301",
    ],
)  # fmt: skip
def test_odd_queries_are_read_as_words(shelf: LibraryFolder, query: str) -> None:
    assert isinstance(found(shelf, query), list)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=40))
def test_no_text_is_an_error(shelf: LibraryFolder, query: str) -> None:
    for hit in found(shelf, query):
        assert hit.why


def test_the_command_prints_results_with_the_agreed_keys(
    shelf: LibraryFolder, run: Run
) -> None:
    ran = run("search", "join", "tables", "--library", str(shelf.root), "--json")

    [first, *_] = ran.data["results"]
    assert {"name", "description", "score", "why"} <= first.keys()
    assert first["name"] == "csv-tables"
    text = run("search", "join tables", "--library", str(shelf.root)).out
    assert "description: joins, tables" in text


def test_no_match_is_not_an_error(
    shelf: LibraryFolder, run: Run, tmp_path: Path
) -> None:
    ran = run("search", "zzzz", "--library", str(shelf.root))

    assert ran.code == 0
    assert "skillforge list" in ran.out
