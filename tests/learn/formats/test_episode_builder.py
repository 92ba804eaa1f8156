from skillforge.learn.formats import untrusted_values
from skillforge.learn.formats.episode_builder import EpisodeBuilder, RecentIds
from skillforge.model import Example


def test_of_very_many_names_only_the_latest_are_remembered() -> None:
    recent = RecentIds(most=3)
    for name in "abcd":
        assert recent.is_new(name)
    assert [recent.is_new(name) for name in "dcb"] == [False] * 3
    assert recent.is_new("a")


def test_a_name_that_is_used_is_not_forgotten() -> None:
    recent = RecentIds(most=2)
    for name in "abac":
        recent.remember(name, name.upper())
    assert [recent.name(name) for name in "abc"] == ["A", "", "C"]


def test_parts_of_a_name_are_not_run_together() -> None:
    recent = RecentIds()
    assert recent.is_new("ab", "c")
    assert recent.is_new("a", "bc")


def test_what_was_said_first_of_the_surroundings_stands() -> None:
    episode = EpisodeBuilder("plain", 1, task="Sort")
    episode.add_context("yesterday", model="one", cwd=["odd"], version=3)
    episode.add_context("2026-03-01", model="two", self="me", branch="x" * 900)
    (example,) = episode.finish()
    assert isinstance(example, Example)
    assert example.started == "2026-03-01"
    known = dict(example.environment)
    assert len(known.pop("branch")) == 200
    assert known == {"model": "one", "version": "3", "self": "me"}


def test_text_is_what_was_said_and_not_what_was_thought() -> None:
    blocks = [
        {"type": "reasoning", "text": "Hm."},
        {"type": "thinking", "content": "Hm."},
        {"type": "text", "text": "One."},
        {"type": "tool_result", "content": [{"text": "Two."}, "Three.", 4, None, True]},
        {"type": "image", "source": {"data": "AAAA"}},
    ]
    assert untrusted_values.text(blocks) == "One.\nTwo.\nThree.\n4\ntrue"
