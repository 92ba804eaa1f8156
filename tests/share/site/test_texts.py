"""What is remembered of a text is what would be made of it anew."""

from dataclasses import replace

from skillforge.model import DraftFile
from skillforge.share.hub import PublishedSkill
from skillforge.share.site.texts import Texts
from tests.share.site import hubs


def some_skill() -> PublishedSkill:
    return hubs.workshop().skills[0]


def test_a_text_is_made_once() -> None:
    skill, first = some_skill(), Texts("1")
    rendered = first.html(skill)

    second = Texts("1", first.fresh)

    assert second.html(skill) == rendered
    assert not second.fresh
    assert second.keys([skill]) == list(first.fresh)


def test_what_is_known_is_shown_as_it_is() -> None:
    skill = some_skill()

    assert Texts("", {Texts().key(skill): "<p>known</p>"}).html(skill) == "<p>known</p>"


def test_another_edition_makes_it_anew() -> None:
    skill = some_skill()
    known = dict.fromkeys(Texts("1").keys([skill]), "<p>old</p>")

    assert Texts("2", known).html(skill) == Texts().html(skill)


def test_a_text_that_links_to_other_files_is_another() -> None:
    skill = some_skill()
    files = {**skill.files, "more.md": DraftFile(b"# More\n")}

    assert Texts().key(replace(skill, files=files)) != Texts().key(skill)
