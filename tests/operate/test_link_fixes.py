"""Fixed links lead to files, in the skill itself or in the one that absorbed it."""

import posixpath

from hypothesis import given
from hypothesis import strategies as st

from skillforge.document import parse
from skillforge.operate.consolidation import rehomed
from skillforge.operate.link_fixes import unique_links
from tests.conftest import parse_text, skill_md

NAMES = ["references/guide.md", "scripts/run.py", "assets/a(b).png", "notes/x y.md"]
links = st.sampled_from(
    [
        "[a]({})", "[a](<{}>)", "see `{}`", "run {} now", "![p]({})", "[a]({}#b)",
        "- [a]({} 'title')", "`[a]({})`", "[a](./{})", "```\n{}\n```", "[b]({})[c]({})",
    ]
)  # fmt: skip
bodies = st.lists(st.tuples(links, st.sampled_from(NAMES)), min_size=1, max_size=6)


@given(bodies)
def test_no_link_of_an_absorbed_page_leads_nowhere(body: list[tuple[str, str]]) -> None:
    lines = (form.replace("{}", name) for form, name in body)
    document = parse_text(skill_md("x", body="\n\n".join(lines) + "\n"))
    homes = {name: f"references/x/{name}" for name in NAMES}

    page = rehomed("x", document, homes)

    moved = parse(skill_md("y", body=page).encode())
    here = set(homes.values())
    before = [
        link
        for link in unique_links(document)
        if posixpath.normpath(link.target) in homes
    ]
    after = unique_links(moved)
    led = [
        posixpath.normpath(posixpath.join("references", link.target))
        if link.is_markdown
        else link.target
        for link in after
    ]
    assert sum(path in here for path in led) >= len(before)
