"""The search of the site, run in Node: it ranks as `skillforge search` does."""

import json
import shutil
import subprocess
from dataclasses import replace

import pytest

from skillforge import text
from skillforge.render.html import static
from skillforge.share.hub import Hub
from skillforge.share.site.search_index import search_index
from tests.conftest import LibraryFolder, Run, skill_md
from tests.share.site import hubs

SKILLS = {
    "pptx": "Use whenever a presentation is involved, as a deck, slides or a pitch.",
    "docx": "Writes letters and reports. Use to make a document with headings.",
    "pdf-forms": "Fills in forms. Use when the user has a PDF with fields.",
    "make-targets": "Runs make. Use when a Makefile is there.",
    "csv-tables": "Reads tables from files. Use when data comes as a table.",
    "playing-cards": "Explains games with a deck of cards.",
}
QUERIES = [
    "make a slide deck",
    "fill in the pdf form",
    "tables",
    "pdf-forms",
    "read a table of cards",
    "the",
]
DOM = """
const vm = require("node:vm");
const [page, index, queries] = JSON.parse(require("node:fs").readFileSync(0));
const nothing = { querySelector: () => null, querySelectorAll: () => [] };
const given = { document: nothing, location: { hash: "" }, addEventListener() {} };
const context = vm.createContext(given);
const run = (code) => vm.runInContext(code, context);
run(page);
run("skillIndex = (index) => { ranking = new Ranking(readSkills(index)); }");
run(index);
const names = (query) => run(`ranking.rank(${JSON.stringify(query)}, -1)`)
  .map((skill) => skill.name);
console.log(JSON.stringify(queries.map(names)));
"""


def site_ranks(queries: list[str]) -> list[list[str]]:
    """The names that the site finds for each query."""
    if shutil.which("node") is None:
        pytest.skip("no node")
    [one, *_] = hubs.large(1).skills
    skills = [replace(one, name=n, description=d) for n, d in sorted(SKILLS.items())]
    hub = Hub("Hub", "v1.0.0", "0" * 40, "2026-01-01T00:00:00+00:00", tuple(skills))
    given = json.dumps([static("site.js"), search_index(hub).decode(), queries])
    done = subprocess.run(
        ["node", "-e", DOM], input=given, capture_output=True, text=True, check=True
    )
    ranks: list[list[str]] = json.loads(done.stdout)
    return ranks


def test_any_word_of_a_request_finds_a_skill() -> None:
    [found, part, nothing] = site_ranks(["make a slide deck", "pres", "zebra"])

    assert found[0] == "pptx"
    assert part == ["pptx"]  # the word that is being typed
    assert nothing == []


def test_it_ranks_as_the_command_line_does(library: LibraryFolder, run: Run) -> None:
    shutil.rmtree(library.root / "skills")
    for name, description in SKILLS.items():
        page = skill_md(name, body="# Title\n")
        old = "Reads tables from files. Use when data comes as a table."
        library.write(f"skills/{name}/SKILL.md", page.replace(old, description))
    library.commit()

    for query, names in zip(QUERIES, site_ranks(QUERIES), strict=True):
        ran = run("search", query, "--library", str(library.root), "--json")
        found = [skill["name"] for skill in ran.data["results"]]
        assert names[: len(found)] == found, query


def test_it_knows_the_same_small_words() -> None:
    script = static("site.js")
    start = script.index("const SMALL")
    listed = script[start : script.index("// The stem")].split('"')[1::2]
    words = " ".join(listed).split()

    assert words
    for word in words:
        assert not text.terms(word), word
