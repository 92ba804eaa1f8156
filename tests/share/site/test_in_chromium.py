"""The site as people see and use it, in a real Chromium."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from skillforge.share.hub import Hub
from skillforge.share.site import pages
from skillforge.share.site.listing import home
from skillforge.share.site.search_index import search_index
from skillforge.share.site.site_page import assets, render_page
from skillforge.share.site.urls import HOME, SEARCH
from tests.browser import FONT_SETS, sync_api, too_wide
from tests.share.site import hubs
from tests.share.site.conftest import Visit, Visitor, write

if TYPE_CHECKING:
    from playwright.sync_api import Page

expect = sync_api().expect
SKILL = "skills/csv-profile/index.html"
Site = Callable[[Hub], str]


def test_typing_finds_a_skill_by_name_and_by_what_it_is_for(workshop: Visit) -> None:
    page = workshop.go("index.html")
    page.get_by_label("Find a skill").press_sequentially("regr")
    expect(page.locator("#count")).to_have_text("1 skill for “regr”")
    assert workshop.names == ["find-regression"]
    assert page.locator("#results mark").first.inner_text() == "regr"

    page.get_by_label("Find a skill").fill("plan index")
    expect(page.locator("#count")).to_have_text("2 skills for “plan index”")
    assert workshop.names[0] == "postgres-explain"


@pytest.mark.slow
def test_a_group_narrows_what_is_found_and_the_address_remembers_it(
    workshop: Visit,
) -> None:
    page = workshop.go("index.html")
    page.get_by_role("link", name="Writing 3").click()
    expect(page.locator("#count")).to_have_text("3 skills in Writing")
    page.get_by_label("Find a skill").fill("commit")
    expect(page.locator("#count")).to_have_text("1 skill in Writing for “commit”")
    assert workshop.names == ["changelog-entry"]

    page.reload()
    expect(page.locator("#count")).to_have_text("1 skill in Writing for “commit”")
    current = page.locator(".groups [aria-current]")
    expect(current).to_contain_text("Writing")
    page.get_by_role("link", name="All 11").click()
    expect(page.locator("#count")).to_have_text("3 skills for “commit”")

    workshop.go(SKILL).get_by_role("link", name="Data").click()
    expect(page.locator("#count")).to_have_text("3 skills in Data")


def test_a_search_without_results_suggests_alternatives(workshop: Visit) -> None:
    page = workshop.go("index.html")
    page.get_by_label("Find a skill").fill("invocie")
    page.get_by_role("button", name="invoice").click()
    expect(page.locator("#count")).to_have_text("1 skill for “invoice”")

    page.get_by_label("Find a skill").fill("zzzz")
    expect(page.locator("#count")).to_have_text("No skills for “zzzz”")
    page.get_by_role("button", name="Show all skills").click()
    expect(page.locator("#count")).to_have_text("11 skills")


def test_everything_can_be_reached_with_the_keyboard(workshop: Visit) -> None:
    page = workshop.go("index.html")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()

    page.keyboard.press("/")
    expect(page.get_by_label("Find a skill")).to_be_focused()
    page.keyboard.type("notes")
    expect(page.locator("#count")).to_have_text("2 skills for “notes”")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    focused = page.locator("#results a:focus")
    expect(focused).to_have_text("meeting-notes")
    outline = focused.evaluate("link => getComputedStyle(link).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("meeting-notes")
    page.wait_for_load_state()  # its script listens from then on

    page.keyboard.press("/")
    expect(page.get_by_label("Find a skill")).to_be_focused()
    page.keyboard.type("commit message")
    expect(page.locator("#count")).to_have_text("3 skills for “commit message”")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("commit-message")


def test_escape_starts_the_search_again(workshop: Visit) -> None:
    page = workshop.go("index.html#q=commit")
    expect(page.get_by_label("Find a skill")).to_be_focused()
    expect(page.locator("#count")).to_contain_text("for “commit”")
    page.keyboard.press("Escape")
    expect(page.locator("#count")).to_have_text("11 skills")


def test_a_copied_line_is_what_is_shown(workshop: Visit) -> None:
    workshop.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = workshop.go(SKILL)
    page.get_by_role("button", name="Copy the command for GitHub CLI").click()
    expect(page.locator(".announcement")).to_contain_text("Copied: gh skill")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "gh skill install workshop/skills csv-profile@v1.4.0"


@pytest.mark.slow
def test_a_line_that_cannot_be_copied_is_selected(site: Site, visitor: Visitor) -> None:
    visit = visitor(site(hubs.workshop()), permissions=[])
    visit.page.add_init_script(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
    )
    page = visit.go(SKILL)
    page.locator(".copy").first.click()
    expect(page.locator(".announcement")).to_contain_text("Selected; press")
    selected = page.evaluate("String(getSelection())")
    assert selected == "skillforge install https://skills.example.org/@csv-profile"


def test_a_page_says_all_that_is_known_of_a_skill(workshop: Visit) -> None:
    page = workshop.go(SKILL)
    glance = page.get_by_role("complementary", name="At a glance")
    for words in ("1.2.0", "safe", "Rita Reviewer", "94%", "91% to 96%", "412", "MIT"):
        expect(glance).to_contain_text(words)
    expect(page.locator("#why")).to_contain_text("took the first row of data")
    expect(page.locator("#why")).to_contain_text("7 reviewed examples")
    assert page.locator(".prose h3").inner_text() == "CSV profile"
    assert page.locator(".prose td.right").first.inner_text() == "0"
    versions = page.locator(".versions > li")
    expect(versions).to_have_count(3)
    expect(versions.nth(1)).to_contain_text("reverted by c0ffee1234")


def test_a_diff_opens_and_marks_the_words_that_changed(workshop: Visit) -> None:
    page = workshop.go(SKILL)
    diff = page.locator(".versions .diff").first
    expect(diff).not_to_be_visible()
    page.get_by_text("Changes +").first.click()
    expect(diff).to_be_visible()
    expect(diff.locator(".del b").first).to_contain_text("and empty cells")
    expect(page.locator(".added").first).to_have_text("+27")


@pytest.mark.slow
def test_a_link_to_a_file_opens_it(workshop: Visit) -> None:
    page = workshop.go(SKILL)
    text = page.locator(".files pre", has_text="# Dialects")
    expect(text).not_to_be_visible()
    page.get_by_role("link", name="the notes").click()
    expect(text).to_be_visible()


@pytest.mark.slow
def test_the_color_scheme_follows_the_system_until_one_is_chosen(
    site: Site, visitor: Visitor
) -> None:
    visit = visitor(site(hubs.workshop()), color_scheme="dark")
    page = visit.go("index.html")
    dark = background(page)
    page.get_by_role("button", name="Use light colours").click()
    light = background(page)
    assert sum(dark) < 150 < 600 < sum(light)
    visit.go(SKILL)
    assert background(page) == light
    page.get_by_role("button", name="Use dark colours").click()
    page.reload()
    assert background(page) == dark


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_the_contrast_that_wcag_asks_for(
    site: Site, visitor: Visitor, scheme: str
) -> None:
    visit = visitor(site(hubs.workshop()), color_scheme=scheme)
    for path in ("index.html#q=data", SKILL, "release/index.html"):
        page = visit.go(path)
        page.evaluate(
            "document.querySelectorAll('details').forEach(d => d.open = true)"
        )
        for words, ink, ground in page.evaluate(TEXTS):
            assert contrast(ink, ground) >= 4.5, (path, words, ink, ground)


@pytest.mark.slow
@pytest.mark.parametrize("fonts", ["", *FONT_SETS.values()], ids=["own", *FONT_SETS])
@pytest.mark.parametrize("make", [hubs.workshop, hubs.hostile])
def test_nothing_is_wider_than_a_small_phone(
    site: Site, visitor: Visitor, make: Callable[[], Hub], fonts: str
) -> None:
    visit = visitor(site(make()), fonts)
    own = [path for path in pages(make()) if "csv" in path or "evil" in path]
    for path in ["index.html", "browse/index.html", "release/index.html", *own]:
        assert too_wide(visit.go(path), (360, 320)) == {}, path


@pytest.mark.slow
def test_the_site_works_from_a_disk(visitor: Visitor, tmp_path: Path) -> None:
    folder = write(pages(hubs.workshop()), tmp_path)
    visit = visitor(f"{folder.as_uri()}/")
    page = visit.go("index.html")
    page.get_by_label("Find a skill").fill("csv")
    expect(page.locator("#count")).to_have_text("1 skill for “csv”")
    page.get_by_role("link", name="csv-profile").click()
    expect(page.locator("h1")).to_have_text("csv-profile")
    page.get_by_role("link", name="Skills").first.click()
    expect(page.locator("#count")).to_have_text("11 skills")


@pytest.mark.slow
def test_without_a_script_every_skill_can_be_reached(
    site: Site, visitor: Visitor
) -> None:
    visit = visitor(site(hubs.large(210)), java_script_enabled=False)
    page = visit.go("index.html")
    assert page.locator("#results li").count() == 40
    expect(page.get_by_role("search")).not_to_be_visible()
    # Each page is loaded before a link on it is clicked: a busy machine takes a while.
    page.get_by_role("link", name="All skills from A to Z").first.click()
    page.wait_for_url("**/browse/**")
    page.get_by_role("link", name="Next page").click()
    expect(page.get_by_role("link", name="Previous page")).to_be_visible()
    page.get_by_role("link", name="send-table-00007").click()
    expect(page.locator("h1")).to_have_text("send-table-00007")
    visit.go("index.html").get_by_role("link", name="Group 3 18").click()
    expect(page.locator(".rows > li")).to_have_count(18)


def test_ten_thousand_skills_are_searched_and_shown_in_slices(
    visitor: Visitor, tmp_path: Path
) -> None:
    hub = hubs.large()
    # Without the pages of the skills, which nobody opens here.
    site_files = assets()
    site_files |= {HOME: render_page(hub, home(hub)), SEARCH: search_index(hub)}
    visit = visitor(f"{write(site_files, tmp_path).as_uri()}/")
    page = visit.go("index.html")
    expect(page.locator("#count")).to_have_text("10,000 skills")
    expect(page.locator("#results li")).to_have_count(40)
    page.get_by_role("button", name="Show 40 more of 9,960").click()
    expect(page.locator("#results li")).to_have_count(80)
    expect(page.locator("#results li:nth-child(41) a")).to_be_focused()

    page.get_by_label("Find a skill").press_sequentially("case4711")
    expect(page.locator("#count")).to_have_text("1 skill for “case4711”")
    page.get_by_label("Find a skill").fill("explain invoice")
    expect(page.locator("#count")).to_have_text("2,349 skills for “explain invoice”")
    assert len(site_files[HOME]) < 60_000


def background(page: "Page") -> tuple[int, int, int]:
    shown = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return rgb(shown)


def rgb(color: str) -> tuple[int, int, int]:
    red, green, blue = color.removeprefix("rgb(").removesuffix(")").split(",")
    return int(red), int(green), int(blue)


def contrast(ink: str, ground: str) -> float:
    """How far two colours are apart, as WCAG 2 measures it."""
    low, high = sorted((luminance(rgb(ink)), luminance(rgb(ground))))
    return (high + 0.05) / (low + 0.05)


def luminance(color: tuple[int, int, int]) -> float:
    parts = [part / 255 for part in color]
    linear = [
        p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# Every element with words of its own that are to be seen, its colour, and the ground
# that it stands on.
TEXTS = """() => [...document.querySelectorAll('body *')].filter(one =>
    one.checkVisibility() && !one.closest('.unseen, svg') &&
    [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim())
  ).map(one => {
    let under = one;
    const ground = () => getComputedStyle(under).backgroundColor;
    while (/, 0\\)$/.test(ground())) under = under.parentElement;
    return [one.textContent.slice(0, 40), getComputedStyle(one).color, ground()];
  })"""


def hosts(asked: list[str]) -> set[str]:
    return {urlsplit(url).netloc for url in asked}


def test_a_hostile_skill_runs_loads_and_pretends_nothing(
    site: Site, visitor: Visitor
) -> None:
    visit = visitor(site(hubs.hostile()))
    titles = set()
    for path in [path for path in pages(hubs.hostile()) if path.endswith(".html")]:
        page = visit.go(path)
        page.evaluate(
            "document.querySelectorAll('details').forEach(d => d.open = true)"
        )
        titles.add(page.title())
        assert page.locator("script").count() <= 3
        assert page.locator("main").count() == 1
        assert page.locator("iframe, style, base, object, main form [src]").count() == 0
    visit.go("index.html").get_by_label("Find a skill").fill("evil")
    expect(page.locator("#results h3")).to_have_count(1)
    assert "owned" not in titles
    assert hosts(visit.asked) == {urlsplit(visit.base).netloc}
    assert page.evaluate("document.title") != "owned"
