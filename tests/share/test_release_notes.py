"""What a release brings, and the version that fits."""

from dataclasses import replace

import pytest

from skillforge.share.hub import PublishedVersion
from skillforge.share.release_notes import ChangeKind, changes, next_version, notes
from skillforge.share.semver import read

ONE = PublishedVersion(
    "1.0.0", "t1", "c1", "2026-01-01", "create", "human", "Ada", ("Rita",), 1, "Needed"
)
TWO = replace(ONE, version="1.0.1", tree="t2", commit="c2", action="edit", proposal=2)
BACK = replace(ONE, commit="c3", action="rollback", proposal=3, why="It <b>broke</b>")
GONE = replace(TWO, tree="", commit="c3", action="delete", version="")


@pytest.mark.parametrize(
    ("told", "before", "after", "kind", "next_one"),
    [
        pytest.param((ONE,), "", "t1", ChangeKind.ADDED, "1.3.0", id="new"),
        pytest.param((TWO, ONE), "t1", "t2", ChangeKind.CHANGED, "1.2.4", id="changed"),
        pytest.param(
            (BACK, TWO), "t2", "t1", ChangeKind.ROLLED_BACK, "1.2.4", id="back"
        ),
        pytest.param(
            (BACK, TWO), "t1", "t1", ChangeKind.ROLLED_BACK, "1.2.4", id="undone"
        ),
        pytest.param((GONE, TWO), "t2", "", ChangeKind.RETIRED, "2.0.0", id="gone"),
    ],
)
def test_what_happened_to_a_skill(
    told: tuple[PublishedVersion, ...],
    before: str,
    after: str,
    kind: ChangeKind,
    next_one: str,
) -> None:
    was = {"csv": before} if before else {}
    now = {"csv": after} if after else {}

    [change] = changes({"csv": told}, was, now, {it.commit for it in told})

    assert change.kind is kind
    assert str(next_version(read("1.2.3"), [change])) == next_one
    assert f"### {kind.capitalize()}" in notes([change])


def test_what_did_not_change_is_no_news() -> None:
    assert changes({"csv": (ONE,)}, {"csv": "t1"}, {"csv": "t1"}, []) == []
    assert str(next_version(None, [])) == "1.0.0"


def test_the_notes_say_who_and_why() -> None:
    found = changes({"csv": (TWO, ONE)}, {}, {"csv": "t2"}, {"c1", "c2"})

    text = notes(found)

    assert "- **csv** 1.0.1" in text
    assert "  - Needed (proposal 1, create by Ada, approved by Rita)" in text
    assert text.index("proposal 1") < text.index("proposal 2")


def test_a_reason_cannot_write_markup() -> None:
    hostile = replace(ONE, why="<script>x</script>\n## Heading @rita closes #1")

    text = notes(changes({"csv": (hostile,)}, {}, {"csv": "t1"}, {"c1"}))

    assert "<script" not in text
    assert "\n##" not in text.replace("### Added", "")
    assert "@rita" not in text
