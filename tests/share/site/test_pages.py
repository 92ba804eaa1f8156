"""All pages of a hub as files: whole, linked, bounded, and the same each time."""

import json
import posixpath
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

import pytest

from skillforge.model import DraftFile
from skillforge.share.hub import Hub
from skillforge.share.site import files, pages, versions
from skillforge.share.site.urls import FEED, folder_of, slugs
from tests.share.site import hubs
from tests.share.site.reading import Reader


def many() -> Hub:
    """More than a list has on a page."""
    return hubs.large(210)


@cache
def pages_of(make: Callable[[], Hub]) -> Mapping[str, bytes]:
    return pages(make())


@cache
def read(make: Callable[[], Hub]) -> dict[str, Reader]:
    found = pages_of(make).items()
    return {path: Reader(data.decode()) for path, data in found if ".html" in path}


MADE = [
    pytest.param(hubs.workshop, id="workshop"),
    pytest.param(hubs.hostile, id="hostile"),
    pytest.param(many, id="large"),
    pytest.param(hubs.hub, id="empty"),
]


@pytest.mark.parametrize("make", MADE)
def test_every_page_is_well_formed_and_every_link_leads_somewhere(
    make: Callable[[], Hub],
) -> None:
    site = {*pages_of(make), FEED}  # The feed is made with the formats of a hub.
    for path, page in read(make).items():
        for link in [*page.values("href"), *page.values("src")]:
            if not link.startswith(("http:", "https:", "mailto:")):
                found, fragment = target(path, link)
                assert found in site, (path, link)
                if fragment and not fragment.startswith("group="):
                    assert fragment in read(make)[found].values("id"), (path, link)


def target(path: str, link: str) -> tuple[str, str]:
    """The page and the place on it that a link leads to, seen from a page."""
    parts = urlsplit(link)
    whole = posixpath.join(posixpath.dirname(path), unquote(parts.path))
    return (posixpath.normpath(whole) if parts.path else path), parts.fragment


@pytest.mark.parametrize("make", MADE)
def test_no_page_leaves_the_site(make: Callable[[], Hub]) -> None:
    for path in pages_of(make):
        parts = PurePosixPath(path).parts
        assert not path.startswith("/")
        assert not {"..", "."} & set(parts)
        assert all(part.isprintable() and "\\" not in part for part in parts)


@pytest.mark.parametrize("make", MADE)
def test_every_page_has_a_policy_and_one_of_each_landmark(
    make: Callable[[], Hub],
) -> None:
    for page in read(make).values():
        tags = [tag for tag, _ in page.elements]
        assert tags.count("main") == tags.count("h1") == tags.count("footer") == 1
        policy = next(v for v in page.values("content") if "default-src" in v)
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert not page.values("style")
        assert not [n for _, a in page.elements for n in a if n.startswith("on")]


def test_the_same_hub_gives_the_same_bytes() -> None:
    assert dict(pages(hubs.workshop())) == dict(pages(hubs.workshop()))


def test_a_page_of_ten_skills_or_of_many_is_of_about_the_same_size() -> None:
    site = pages_of(many)
    assert len(site["index.html"]) < 60_000
    assert max(len(data) for path, data in site.items() if ".html" in path) < 200_000


def test_the_search_knows_words_that_a_list_has_no_room_for() -> None:
    script = pages(hubs.large(3))["assets/search.js"].decode()
    assert script.startswith("skillIndex(")
    index = json.loads(script.removeprefix("skillIndex(").removesuffix(");\n"))
    name, about, *_, further = index["skills"][0]
    assert name == "check-table-00001"
    assert "case1" not in about
    assert "case1" in further
    assert "table" not in further.split()


def test_files_that_are_long_or_no_text_are_named_and_not_shown() -> None:
    long = {f"f{at}.txt": DraftFile(b"long-text " * 9000) for at in range(6)}
    skill = hubs.skill("x", files={**long, "huge.txt": DraftFile(b"y" * 200_000)})
    page = pages(hubs.hub(skill))["skills/x/index.html"]
    assert len(page) < files.MAX_TOTAL + 20_000
    text = Reader(page.decode()).text
    assert "f5.txt" in text
    assert text.count("too large to show here") == 3


def test_diffs_that_are_too_many_are_left_out_from_the_oldest_on() -> None:
    diff = hubs.diff("", f"{'words on a line' * 50}\n" * 50)
    history = tuple(hubs.version(f"1.{at}", diff=diff) for at in range(20))
    page = pages(hubs.hub(hubs.skill("x", versions=history)))["skills/x/index.html"]
    text = Reader(page.decode()).text
    shown = versions.MAX_DIFFS // len(diff)
    assert text.count("Changes +") == shown
    assert text.count("The diff is too long") == 20 - shown
    assert "1.19" in text


def test_what_is_not_known_of_a_skill_is_not_made_up() -> None:
    page = pages(hubs.hub(hubs.skill("x")))["skills/x/index.html"].decode()
    text = Reader(page).text
    assert "not recorded" in text
    assert "Testsnone" in text
    assert "No history is recorded" in text
    assert "Success" not in text
    assert "Security scan" not in text


def test_a_skill_without_instructions_and_a_hub_without_skills_say_so() -> None:
    site = pages(hubs.hub(hubs.skill("x", body="")))
    assert b"This skill has no instructions" in site["skills/x/index.html"]
    empty = pages(hubs.hub())
    assert b"No skills have been published yet" in empty["index.html"]
    assert b"This release has no notes" in empty["release/index.html"]


def test_release_notes_are_rendered() -> None:
    page = Reader(pages_of(hubs.workshop)["release/index.html"].decode())
    assert ("h2", {"id": "md-changed"}) in page.elements
    assert "../skills/csv-profile/index.html" in page.values("href")


def test_names_of_any_script_keep_their_name_as_folder() -> None:
    assert folder_of("csv-profile") == "csv-profile"
    assert folder_of("навык-技能") == "навык-技能"
    others = [
        "",
        ".",
        "..",
        "a/b",
        "A",
        "a.html",
        "-a",
        "a\n",
        "con\0",
        "x" * 65,
        "\ud800",
    ]
    folders = {folder_of(name) for name in others}
    assert len(folders) == len(others)
    assert all(name.startswith("_") and name.isalnum() is False for name in folders)


def test_groups_that_look_alike_have_folders_of_their_own() -> None:
    assert list(slugs(["A b", "a-b", "!", "?"]).values()) == [
        "a-b",
        "a-b-1",
        "group",
        "group-1",
    ]


def test_a_name_of_another_script_can_be_opened() -> None:
    site = pages(hubs.hub(hubs.skill("навык")))
    assert "skills/навык/index.html" in site
    home = Reader(site["index.html"].decode())
    assert "skills/%D0%BD%D0%B0%D0%B2%D1%8B%D0%BA/index.html" in home.values("href")


def test_dates_are_written_the_same_in_every_country() -> None:
    text = read(hubs.workshop)["index.html"].text
    assert "3 October 2026" in text
    odd = pages(replace(hubs.hub(), date="yesterday"))["index.html"]
    assert b"yesterday" in odd


def test_a_reason_flows_as_wide_as_the_page_and_its_lists_stay() -> None:
    why = "Wrapped at\nsome width.\n\nBecause:\n- one\n- two\n"
    versions = (hubs.version("1.0", why=why, origin="", action="direct", author="Ada"),)
    page = pages(hubs.hub(hubs.skill("x", versions=versions)))["skills/x/index.html"]
    text = Reader(page.decode()).text
    assert "Wrapped at some width." in text
    assert "Because:\n- one\n- two" in text
    assert "Pushed directly" in text
    assert "Created by Ada" in text


def test_a_skill_without_a_group_has_none_made_up_for_it() -> None:
    site = pages(hubs.hub(hubs.skill("x")))
    assert "Other" not in Reader(site["index.html"].decode()).text
    assert "Other" not in Reader(site["skills/x/index.html"].decode()).text
