"""What was rolled back comes back through a proposal, and in no other way."""

import pytest

from tests.propose.conftest import Loop

NOW = ("rollback", "xlsx-tables", "--why", "Bad", "--now")


@pytest.fixture
def two_versions(loop: Loop) -> Loop:
    loop.policy("checks: [validate]\n")
    loop.land("xlsx-tables", "one")
    loop.land("xlsx-tables", "two")
    return loop


def revert(loop: Loop) -> None:
    """Revert the last commit of main, as anybody would."""
    is_merge = " " in loop.folder.git("log", "-1", "--format=%P").strip()
    loop.folder.git("revert", "--no-edit", *(("-m", "1") if is_merge else ()), "HEAD")


def test_a_revert_of_a_rollback_is_an_exception(two_versions: Loop) -> None:
    loop = two_versions
    loop.ok(*NOW)
    assert loop.audit_kinds() == []

    revert(loop)

    assert loop.audit_kinds() == ["returned-version"]
    revert(loop)  # the bad version goes again: nothing more to say
    assert loop.audit_kinds() == ["returned-version"]
    revert(loop)
    assert loop.audit_kinds() == ["returned-version"] * 2


def test_a_plain_revert_is_fine_and_its_revert_is_not(two_versions: Loop) -> None:
    loop = two_versions

    revert(loop)
    assert loop.audit_kinds() == []

    revert(loop)
    assert loop.audit_kinds() == ["returned-version"]
    revert(loop)
    assert loop.audit_kinds() == ["returned-version"]


def test_a_version_between_does_not_return_either(two_versions: Loop) -> None:
    """A rollback over two versions takes both of them back."""
    loop = two_versions
    first = loop.tree("xlsx-tables", "main^1")
    middle = loop.main()
    third = loop.land("xlsx-tables", "three")["merge"]
    loop.ok(*NOW, "--to", first)

    loop.folder.git("checkout", middle, "--", "skills/xlsx-tables")
    loop.folder.commit(f"Revert\n\nThis reverts commit {third}.")

    assert loop.audit_kinds() == ["returned-version"]


def test_it_returns_through_a_proposal(two_versions: Loop) -> None:
    loop = two_versions
    bad = loop.tree("xlsx-tables")
    loop.ok(*NOW)

    loop.ok(*NOW, "--to", bad)
    assert loop.tree("xlsx-tables") == bad
    assert loop.audit_kinds() == []

    loop.land("xlsx-tables", "three")
    revert(loop)  # to what a proposal has brought back
    assert loop.tree("xlsx-tables") == bad
    assert loop.audit_kinds() == []


def test_a_new_skill_that_was_taken_back_does_not_return(loop: Loop) -> None:
    loop.land("xlsx-tables", "one")
    loop.ok(*NOW)

    revert(loop)

    assert loop.audit_kinds() == ["returned-version"]


def test_a_range_is_audited_against_the_whole_history(two_versions: Loop) -> None:
    loop = two_versions
    loop.ok(*NOW)
    start = loop.main()
    revert(loop)

    ran = loop("audit", f"{start}..main", "--json")

    assert [found["kind"] for found in ran.data["exceptions"]] == ["returned-version"]
