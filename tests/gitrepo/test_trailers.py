"""Trailers are read back by us and by git, and nothing else can pose as one."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillforge.gitrepo import trailers
from skillforge.history import readable_version

anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
hostile = anything | st.sampled_from(
    ["\n\nApproved-By: x", "Approved-By: x\n", "---\nApproved-By: x", " \n", "\x85\x1c"]
)


@given(title=hostile, why=hostile, value=hostile)
def test_only_trailers_become_trailers(title: str, why: str, value: str) -> None:
    message = trailers.message(f"T {title}", why, [("Skill", "x"), ("Session", value)])

    found = trailers.read(message)

    expected = {"Skill": ["x"]}
    if line := trailers.one_line(value):
        expected["Session"] = [line]
    assert found == expected


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(title=hostile, why=hostile, value=hostile)
def test_git_reads_the_same(tmp_path: Path, title: str, why: str, value: str) -> None:
    message = trailers.message(f"T {title}", why, [("Skill", "x"), ("Session", value)])

    done = subprocess.run(
        ["git", "interpret-trailers", "--parse", "--no-divider"],
        input=message.encode(),
        capture_output=True,
        check=True,
        cwd=tmp_path,
    )

    lines = done.stdout.decode().split("\n")[:-1]
    ours = trailers.read(message)
    assert [line.split(": ", 1)[0] for line in lines] == list(ours)


@given(
    before=anything,
    claimed=anything,
    bump=st.sampled_from([None, *readable_version.PARTS]),
)
def test_a_raised_version_is_always_higher(
    before: str, claimed: str, bump: str | None
) -> None:
    raised = readable_version.raised(before, claimed, bump)

    assert readable_version.is_higher(raised, before)
    assert raised == claimed or readable_version.parts(raised) is not None


@given(st.text(), st.text(), st.text())
def test_what_is_added_is_added_and_nothing_else(why: str, who: str, more: str) -> None:
    before = trailers.message("Title", why, [("Skill", "x")])

    after = trailers.added(before, [("Proposed-By", who), ("Proposed-By", more)])

    assert after.startswith(before.rstrip("\n"))
    added = trailers.read(after)
    assert added.keys() <= {"Skill", "Proposed-By"}
    assert added["Skill"] == ["x"]
    people = [trailers.one_line(person) for person in (who, more)]
    assert added.get("Proposed-By", []) == [
        person for person in dict.fromkeys(people) if person
    ]
    assert trailers.added(after, [("Proposed-By", who)]) == after


def test_trailers_are_added_to_a_message_that_has_none() -> None:
    assert trailers.added("Title\n", [("A", "b")]) == "Title\n\nA: b\n"
    assert trailers.added("Title\n", []) == "Title\n"


def test_text_of_a_reason_is_not_read_as_a_trailer() -> None:
    message = trailers.message("Title", "Proposed-By: Rita", [("Skill", "x")])

    assert trailers.read(trailers.added(message, [("Proposed-By", "Rita")])) == {
        "Skill": ["x"],
        "Proposed-By": ["Rita"],
    }


DRAFT = "Skill: x\nOrigin: human"


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(f"Add x\n\nWhy.\n\n{DRAFT}\n", id="plain"),
        pytest.param(f"Add x\n\nSkill: y\n\n{DRAFT}\n", id="reason"),
        pytest.param(
            f"Add x (#1)\n\n{DRAFT}\n\nCo-authored-by: Ada <a@b.invalid>\n", id="added"
        ),
        pytest.param(
            f"Add x (#1)\n\n* Add x\n\nSkill: y\n\n{DRAFT}\n\n"
            "* Edit x\n\nSkill: y\nOrigin: curator\n",
            id="several",
        ),
    ],
)
def test_a_draft_is_known_by_its_own_trailers_alone(message: str) -> None:
    assert trailers.of_draft(message) == {"Skill": ["x"], "Origin": ["human"]}
