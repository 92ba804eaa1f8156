"""Near copies are found, with and without a cache, as the library changes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillforge.checks.overlap import neighbours, pairs
from skillforge.text import nearest_lines, shingles, similarity
from tests.conftest import LibraryFolder, parse_text, skill_md

WORDS = [f"word{n}" for n in range(100)]


def text(*words: str) -> str:
    return skill_md("other", body=" ".join(words) + "\n")


def near(library: LibraryFolder, *words: str) -> list[str]:
    found = neighbours(library.library, "main", parse_text(text(*words)))
    return [neighbour.name for neighbour in found]


def test_a_near_copy_is_found_as_main_changes(library: LibraryFolder) -> None:
    assert near(library, *WORDS) == []
    library.write("skills/old/SKILL.md", text(*WORDS))
    library.commit()
    assert near(library, *WORDS[:95]) == ["old"]
    library.write("skills/old/SKILL.md", text(*reversed(WORDS)))
    library.commit()
    assert near(library, *WORDS) == []
    library.write("skills/older/SKILL.md", text(*WORDS[5:]))
    library.git("rm", "--quiet", "-r", "skills/old")
    library.commit()
    assert near(library, *WORDS) == ["older"]
    assert near(library, *reversed(WORDS)) == []


@pytest.mark.parametrize("damage", ["gone", "garbage", "folder"])
def test_a_cache_that_is_lost_costs_only_time(
    library: LibraryFolder, damage: str
) -> None:
    library.write("skills/old/SKILL.md", text(*WORDS))
    library.commit()
    near(library, *WORDS)
    cache = Path(library.root / ".git/skillforge/cache.db")
    cache.unlink()
    if damage == "garbage":
        cache.write_bytes(b"no database" * 1000)
    elif damage == "folder":
        cache.mkdir()

    assert near(library, *WORDS) == ["old"]
    assert near(library, *WORDS) == ["old"]


words = st.lists(st.sampled_from(WORDS), min_size=3, max_size=40).map(" ".join)


@given(words, words)
def test_similarity_is_between_none_and_all(text: str, other: str) -> None:
    first, second = shingles(text), shingles(other)

    assert 0 <= similarity(first, second) <= 1
    assert similarity(first, second) == similarity(second, first)
    assert similarity(first, first) == 1


@given(st.text(max_size=200), st.text(max_size=50))
def test_the_nearest_text_is_text_that_is_there(page: str, text: str) -> None:
    line, found = nearest_lines(page, text)

    assert found in page
    assert 1 <= line <= page.count("\n") + 1


def test_the_nearest_text_is_the_one_that_was_meant() -> None:
    page = "one\n\ntwo words here\nthree\n"

    assert nearest_lines(page, "two word here") == (3, "two words here")
    assert nearest_lines(page, "two words her\nthre") == (3, "two words here\nthree")


def test_pairs_of_a_library_are_found_two_by_two(library: LibraryFolder) -> None:
    steps = "".join(f"{n}. Do the thing number {n} with care.\n" for n in range(30))
    for name in ("aa-one", "bb-two", "cc-three"):
        library.add_skill(name, body=f"# Tables\n\n{steps}")
    library.add_skill("dd-four", body=steps.replace("thing", "other"))
    library.commit()

    found = pairs(library.library, "HEAD")

    same = [("aa-one", "bb-two"), ("aa-one", "cc-three"), ("bb-two", "cc-three")]
    assert [pair[:2] for pair in found] == same
    assert all(pair[2] == 1.0 for pair in found)


def test_pairs_are_found_from_what_is_kept(
    library: LibraryFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.write("skills/old/SKILL.md", text(*WORDS))
    library.write("skills/older/SKILL.md", text(*WORDS[5:]))
    library.commit()
    cold = pairs(library.library, "main")

    with monkeypatch.context() as patch:  # nothing is read or compared again
        patch.setattr("skillforge.checks.similarity_index._sketch", None)
        patch.setattr("skillforge.checks.similarity_index.document_shingles", None)
        patch.setattr("skillforge.checks.overlap.similarity", None)
        warm = pairs(library.library, "main")
    (library.root / ".git/skillforge/cache.db").unlink()

    assert [pair[:2] for pair in cold] == [("old", "older")]
    assert cold == warm == pairs(library.library, "main")
