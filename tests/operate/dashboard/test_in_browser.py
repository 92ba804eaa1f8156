"""The page opened from a file in a real Chromium."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from skillforge.operate.dashboard import page as written
from tests.browser import FONT_SETS, Launch, too_wide
from tests.operate.dashboard import sample

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAPERS: dict[Literal["light", "dark"], str] = {
    "light": "rgb(250, 248, 244)",
    "dark": "rgb(23, 22, 20)",
}


def many_skills() -> sample.Data:
    data = sample.living_library(118)
    few = [sample.version("1.0.0", [["2025-06-18", 1, 1]])]
    thin = [sample.skill(f"new-skill-{at}", few) for at in range(2)]
    return {**data, "skills": [*data["skills"], *thin]}


KINDS: dict[str, Callable[[], sample.Data]] = {
    "empty": sample.empty_library,
    "one": lambda: {**sample.living_library(1), "canaries": []},
    "living": sample.living_library,
    "hostile": sample.hostile_library,
    "many": many_skills,
}


@dataclass
class Opened:
    """A page in the browser, and the errors and requests it caused."""

    page: "Page"
    wrong: list[str] = field(default_factory=list)

    def listen(self, own: str) -> None:
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on(
            "request",
            lambda request: (
                self.wrong.append(request.url)
                if request.url != own and not request.url.startswith("data:")
                else None
            ),
        )

    def paper(self) -> str:
        found = "getComputedStyle(document.body).backgroundColor"
        return str(self.page.evaluate(found))

    def texts(self, selector: str) -> list[str]:
        return list(self.page.locator(selector).all_inner_texts())

    def names(self) -> list[str]:
        return self.texts("#rows th [data-at='0']")


Open = Callable[..., Opened]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    paths = {}
    for name, data in KINDS.items():
        paths[name] = folder / f"{name}.html"
        paths[name].write_text(written(data()), encoding="utf-8")
    return paths


def opened_from(file: Path, browser: "Browser", **options: Any) -> Opened:
    opened = Opened(browser.new_context(**options).new_page())
    opened.listen(file.as_uri())
    opened.page.goto(file.as_uri())
    return opened


@pytest.fixture
def show(browser: "Browser", files: dict[str, Path]) -> Iterator[Open]:
    """Open a page by its kind or file, with options of a browser's context."""
    shown = []

    def call(kind: str | Path, **options: Any) -> Opened:
        file = kind if isinstance(kind, Path) else files[kind]
        shown.append(opened_from(file, browser, **options))
        return shown[-1]

    yield call
    for opened in shown:
        opened.page.context.close()


@pytest.fixture(scope="module", params=KINDS)
def sample_page(
    request: pytest.FixtureRequest, browser: "Browser", files: dict[str, Path]
) -> Iterator[Opened]:
    """A page of each kind, opened once for tests that only read it."""
    opened = opened_from(files[request.param], browser)
    yield opened
    opened.page.context.close()


# The contrast of each text with what lies behind it, by the formula of WCAG 2.
CONTRASTS = """() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = channels(colour).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (channels(colour)[3] !== 0) return colour;
    }
  };
  const low = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const ink = light(element.ownerSVGElement ? style.fill : style.color);
    const paper = light(behind(element));
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (contrast < 4.5) low.push(`${contrast.toFixed(2)} ${walk.currentNode.data}`);
  }
  return low;
}"""


def test_the_page_opens_from_a_file_and_asks_for_nothing(sample_page: Opened) -> None:
    assert sample_page.page.locator("h1").is_visible()
    for scheme, paper in PAPERS.items():
        sample_page.page.emulate_media(color_scheme=scheme)
        assert sample_page.paper() == paper
        assert sample_page.page.evaluate(CONTRASTS) == []
    assert sample_page.wrong == []


def test_nothing_is_wider_than_the_screen(sample_page: Opened) -> None:
    assert too_wide(sample_page.page, (1280, 960, 768, 360, 320)) == {}


@pytest.mark.parametrize("fonts", FONT_SETS.values(), ids=FONT_SETS)
def test_nothing_is_wider_than_the_screen_with_other_fonts(
    launch: Launch, files: dict[str, Path], fonts: str
) -> None:
    with launch(fonts).new_page() as page:
        page.goto(files["living"].as_uri())
        assert too_wide(page, (960, 320)) == {}


def test_hostile_texts_are_shown_and_never_run(show: Open) -> None:
    opened = show("hostile")

    for at in (0, 1, 2, 5):
        plot = opened.page.locator("svg.plot[tabindex]").nth(at)
        plot.press("ArrowRight")
        assert opened.texts("#tip") != [""]
    opened.page.locator("#find").fill("script")
    assert opened.page.locator("h1").inner_text() == sample.HOSTILE[0]
    assert sample.HOSTILE[0] in opened.names()
    assert opened.page.evaluate("window.hurt") is None
    assert opened.page.locator("img, iframe, object").count() == 0


def test_a_script_that_got_into_the_file_does_not_run(
    show: Open, files: dict[str, Path], tmp_path: Path
) -> None:
    bad = "<script>window.hurt=1</script><img src='data:,' onerror='window.hurt=1'>"
    file = tmp_path / "changed.html"
    text = files["living"].read_text(encoding="utf-8")
    file.write_text(text.replace("</main>", f"{bad}</main>"), encoding="utf-8")

    opened = show(file)

    assert opened.page.evaluate("window.hurt") is None
    assert any("Content Security Policy" in message for message in opened.wrong)


def test_skills_are_sorted_by_keyboard(show: Open) -> None:
    opened = show("many")
    uses = opened.page.get_by_role("button", name="Uses")

    uses.focus()
    opened.page.keyboard.press("Enter")

    rising = [int(text.replace(",", "")) for text in opened.texts("[data-at='2']")]
    assert rising == sorted(rising)
    head = opened.page.locator("#skills thead th", has=uses)
    assert head.get_attribute("aria-sort") == "ascending"

    opened.page.get_by_role("button", name="Skill").focus()
    opened.page.keyboard.press("Space")
    assert opened.names() == sorted(opened.names())


@pytest.mark.slow
def test_skills_without_a_number_come_last_both_ways(show: Open) -> None:
    opened = show("many")
    success = opened.page.get_by_role("button", name="Success")

    for _ in range(2):
        success.press("Enter")
        assert "not enough data" not in opened.texts("[data-at='3']")
    opened.page.locator("#next").click()
    opened.page.locator("#next").click()
    assert opened.texts("[data-at='3']")[-1] == "not enough data"


def test_skills_are_found_by_keyboard(show: Open) -> None:
    opened = show("many")

    opened.page.locator("#find").focus()
    opened.page.keyboard.type("PDF 1")

    found = opened.names()
    assert found
    assert all("pdf" in name and "1" in name for name in found)
    assert opened.texts("#shown") == [f"{len(found)} found among 120 skills"]
    opened.page.keyboard.type("nothing has this name")
    assert opened.names() == []
    assert opened.texts("#shown") == ["No matches among 120 skills"]


@pytest.mark.slow
def test_skills_are_chosen_by_origin_and_by_what_is_worth_a_look(show: Open) -> None:
    opened = show("many")
    data = KINDS["many"]()

    opened.page.locator("#origin").select_option("import")
    assert set(opened.texts("#rows [data-at='1']")) == {"import"}
    opened.page.locator("#origin").select_option("")
    opened.page.locator("#mark").select_option("failing")
    failing = [run["skill"] for run in data["health"] if run["status"] == "failed"]
    assert sorted(opened.names()) == sorted(failing)


@pytest.mark.slow
def test_pages_of_the_table_hold_every_skill_once(show: Open) -> None:
    opened = show("many")

    names = opened.names()
    while opened.page.locator("#next").is_enabled():
        opened.page.locator("#next").press("Enter")
        names += opened.names()
    assert len(names) == len(set(names)) == 120
    assert opened.texts("#page") == ["3 of 3"]


def test_without_scripts_the_page_has_the_same_text(show: Open) -> None:
    plain = show("many", java_script_enabled=False)
    lively = show("many")

    markup = 'e => e.outerHTML.replace(/ (x1|x2|cx)="[^"]*"/g, \'\')'
    rows = [opened.page.locator("#rows") for opened in (plain, lively)]
    assert rows[0].inner_text() == rows[1].inner_text()
    assert rows[1].evaluate(markup).count("<tr") == 50
    assert not plain.page.locator("#tools").is_visible()
    assert plain.page.locator("svg.plot").first.is_visible()


@pytest.mark.slow
def test_every_plot_has_a_label_and_a_data_table(show: Open) -> None:
    opened = show("living")

    plots = opened.page.eval_on_selector_all(
        "svg.plot",
        """all => all.map((plot) => {
          const frame = plot.closest("figure");
          return {
            role: plot.getAttribute("role"),
            label: plot.getAttribute("aria-label"),
            caption: frame.querySelector("figcaption").textContent,
            rows: frame.querySelectorAll("tbody tr").length,
          };
        })""",
    )
    assert len(plots) > 15
    for plot in plots:
        assert plot["role"] == "img"
        assert plot["label"]
        # The evidence of a canary is one number: its caption says it.
        assert plot["rows"] or plot["label"] in plot["caption"]


@pytest.mark.slow
def test_a_plot_is_walked_by_arrow_keys(show: Open) -> None:
    opened = show("living")
    plot = opened.page.locator("#success svg.plot").first

    plot.focus()
    opened.page.keyboard.press("ArrowRight")
    first = opened.texts("#tip")[0]
    opened.page.keyboard.press("ArrowRight")
    second = opened.texts("#tip")[0]

    assert "week of" in first
    assert first != second
    opened.page.keyboard.press("Escape")
    assert not opened.page.locator("#tip").is_visible()


@pytest.mark.slow
def test_pointing_at_a_plot_shows_the_numbers(show: Open) -> None:
    opened = show("living")
    mark = opened.page.locator("#success svg.plot .mark").first

    mark.scroll_into_view_if_needed()
    mark.hover(force=True)

    assert opened.texts("#tip") == [mark.get_attribute("data-tip")]


@pytest.mark.slow
def test_the_theme_is_chosen_by_keyboard_and_kept(show: Open) -> None:
    opened = show("living", color_scheme="light")
    button = opened.page.locator("#theme")

    button.press("Enter")
    assert opened.paper() == PAPERS["dark"]
    opened.page.reload()

    assert button.get_attribute("aria-label") == "Use light colours"
    assert opened.paper() == PAPERS["dark"]


def test_headings_and_landmarks_lead_through_the_page(show: Open) -> None:
    opened = show("living")

    levels = opened.page.eval_on_selector_all(
        "h1, h2, h3", "all => all.map((one) => Number(one.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(now - was <= 1 for was, now in pairwise(levels))
    for role in ("banner", "main", "contentinfo"):
        assert opened.page.get_by_role(role).count() == 1
    ids = opened.page.eval_on_selector_all("[id]", "all => all.map((one) => one.id)")
    assert len(ids) == len(set(ids))
    links = opened.page.eval_on_selector_all(
        "a[href]", "all => all.map((one) => one.hash.slice(1))"
    )
    assert set(links) <= set(ids)


@pytest.mark.slow
def test_paper_has_no_buttons_and_no_dark_ground(show: Open) -> None:
    opened = show("living", color_scheme="dark")

    opened.page.emulate_media(media="print")

    assert not opened.page.locator("#tools").is_visible()
    assert not opened.page.locator("#theme").is_visible()
    assert opened.paper() == "rgb(255, 255, 255)"
    opened.page.set_viewport_size({"width": 720, "height": 1000})
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 720
