"""Trailers are read back by us and by git, and nothing else can pose as one."""

import subprocess
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillforge.gitrepo import trailers
from skillforge.propose import versions

anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
hostile = anything | st.sampled_from(
    ["\n\nApproved-By: x", "Approved-By: x\n", "---\nApproved-By: x", " \n", "\x85\x1c"]
)


@given(title=hostile, why=hostile, value=hostile)
def test_only_trailers_become_trailers(title: str, why: str, value: str) -> None:
    message = trailers.message(f"T {title}", why, [("Skill", "x"), ("Session", value)])

    found = trailers.read(message)

    expected = {"Skill": ["x"]}
    if said := trailers.one_line(value):
        expected["Session"] = [said]
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


@given(before=anything, given_=anything, bump=st.sampled_from([None, *versions.PARTS]))
def test_a_raised_version_is_always_higher(
    before: str, given_: str, bump: str | None
) -> None:
    raised = versions.raised(before, given_, bump)

    assert versions.is_higher(raised, before)
    assert raised == given_ or versions.parts(raised) is not None
