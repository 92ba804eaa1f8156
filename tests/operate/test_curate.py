"""The curator reports what is recorded, changes only agents' skills, loses no file."""

import time
from pathlib import Path

import pytest

from skillforge.document.edit import set_field
from skillforge.history.lineage import successors
from skillforge.model import Use
from skillforge.store import Uses
from tests.conftest import LibraryFolder, Run
from tests.propose.conftest import Loop

DAY = 86_400
AGENT = "metadata:\n  origin: agent-background\n"
LONG_AGO = f"{int(time.time()) - 200 * DAY} +0000"
CHECKS = "checks: [validate, scan, overlap, test]\nrules: {sections-required: off}\n"


@pytest.fixture
def loop(library: LibraryFolder, run: Run) -> Loop:
    """A library of people's skills, and of an agent's, all of them old."""
    loop = Loop(library, run)
    loop.folder.write("skillforge.yaml", CHECKS)
    loop.write("by-hand", "by", "hand")
    for name in ("old-one", "old-two"):
        loop.write(name, name, "for", "agents", extra=AGENT)
    long_ago(loop)
    return loop


def long_ago(loop: Loop, days: int = 200) -> None:
    """Commit the checkout with an earlier date."""
    when = f"{int(time.time()) - days * DAY} +0000"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", when)
        loop.folder.commit("Long ago")


def used(
    loop: Loop, skill: str, days: int, *, count: int = 1, is_loaded: bool = True
) -> None:
    at = int(time.time()) - days * DAY
    uses = [
        Use(
            f"{skill}-{days}-{n}-{is_loaded}",
            skill,
            "v1",
            "me",
            at,
            is_loaded=is_loaded,
        )
        for n in range(count)
    ]
    Uses.of(loop.folder.root / ".git").add(uses)


def remarks(loop: Loop, *options: object) -> dict[tuple[str, str], dict[str, object]]:
    found = loop.ok("curate", *options)["remarks"]
    return {(remark["skill"], remark["kind"]): remark for remark in found}


def land(loop: Loop, number: int) -> None:
    loop.approve(number)
    loop.promote(number)


def judged(loop: Loop) -> bool:
    """Whether the audit only reports what these tests push by hand."""
    return set(loop.audit_kinds()) <= {"direct-push"}


def archived_tree(loop: Loop, name: str) -> str:
    return loop.folder.git("rev-parse", f"main:archive/{name}").strip()


# --- uses ---


def test_without_records_nothing_is_stale(loop: Loop) -> None:
    ran = loop("curate")

    assert ran.code == 0
    assert "no uses recorded here" in ran.out
    assert remarks(loop) == {}


def test_skills_unused_while_others_are_used_are_archived_in_time(loop: Loop) -> None:
    used(loop, "old-one", 150)
    used(loop, "old-two", 45)
    used(loop, "csv-tables", 1)
    before = loop.main()

    found = remarks(loop)

    assert found["old-one", "archive"]["action"] == "archive"
    assert found["old-two", "stale"]["action"] is None
    assert found["by-hand", "archive"]["left_alone"] == "made by a person"
    assert ("csv-tables", "stale") not in found
    assert loop.main() == before
    assert loop.ok("proposals")["proposals"] == []


def test_nothing_is_stale_in_an_unused_library(loop: Loop) -> None:
    used(loop, "old-one", 150)
    used(loop, "csv-tables", 40)

    assert remarks(loop) == {}


def test_before_the_first_record_nobody_counted(loop: Loop) -> None:
    used(loop, "csv-tables", 20)
    used(loop, "csv-tables", 1)

    assert remarks(loop) == {}


def test_what_changed_meanwhile_had_less_time_to_be_used(loop: Loop) -> None:
    used(loop, "old-one", 150)
    used(loop, "csv-tables", 1)
    loop.write("old-one", "another", extra=AGENT)
    long_ago(loop, 50)

    assert ("old-one", "stale") in remarks(loop)


def test_a_skill_that_is_never_loaded_is_reported(loop: Loop) -> None:
    used(loop, "old-one", 1, count=9, is_loaded=False)
    used(loop, "old-two", 1, count=10, is_loaded=False)

    found = remarks(loop)

    assert ("old-two", "never-loaded") in found
    assert ("old-one", "never-loaded") not in found


# --- archive ---


def test_an_archived_skill_comes_back_to_the_byte(loop: Loop) -> None:
    used(loop, "old-one", 150)
    used(loop, "csv-tables", 1)
    tree = loop.tree("old-one")

    [offer] = loop.ok("curate", "--propose")["proposals"][:1]
    assert loop.ok("curate", "--propose")["proposals"][0]["created"] is False
    land(loop, offer["proposal"])
    assert archived_tree(loop, "old-one") == tree
    assert judged(loop)

    dry = loop.ok("curate", "--restore", "old-one")
    assert (dry["version"], dry["proposal"]) == (tree, None)
    land(loop, loop.ok("curate", "--restore", "old-one", "--propose")["proposal"])
    assert loop.tree("old-one") == tree
    assert judged(loop)
    assert remarks(loop, "old-one") == {}
    loop.fsck()


def test_only_what_was_archived_is_restored(loop: Loop) -> None:
    ran = loop("curate", "--restore", "old-one", "--propose")

    assert ran.code == 2
    assert "the archive has no skill 'old-one'" in ran.err


def test_what_was_not_wanted_is_not_proposed_again_unless_named(loop: Loop) -> None:
    used(loop, "old-one", 150)
    used(loop, "old-two", 1)
    [offer] = loop.ok("curate", "--propose")["proposals"]
    loop.ok("review", offer["proposal"], "--reject", "--why", "It is seasonal")

    [again] = loop.ok("curate", "--propose")["proposals"]
    [named] = loop.ok("curate", "old-one", "--propose")["proposals"]

    assert (again["proposal"], again["refused"]) == (None, offer["proposal"])
    assert named["created"]


def test_a_superseded_skill_is_archived_and_its_name_resolves(loop: Loop) -> None:
    loop.write("old-one", "x", extra=f"{AGENT}  superseded-by: old-two\n")
    long_ago(loop)

    [offer] = loop.ok("curate", "--propose")["proposals"]
    land(loop, offer["proposal"])

    assert successors(loop.folder.library, loop.main()) == {"old-one": "old-two"}
    assert archived_tree(loop, "old-one")
    assert judged(loop)


# --- whom it leaves alone ---


@pytest.mark.parametrize(
    ("extra", "reason"),
    [
        pytest.param("", "made by a person", id="human"),
        pytest.param("metadata:\n  origin: human\n", "made by a person", id="says-so"),
        pytest.param("metadata:\n  origin: import\n", "made by a person", id="import"),
        pytest.param(f"{AGENT}  pinned: 'true'\n", "pinned", id="pinned"),
        pytest.param(f"{AGENT}  pinned: whatever\n", "pinned", id="odd-pin"),
    ],
)
def test_some_are_left_alone(loop: Loop, extra: str, reason: str) -> None:
    loop.write("old-one", "x", extra=extra)
    long_ago(loop)
    used(loop, "old-one", 150)
    used(loop, "old-two", 1)

    data = loop.ok("curate", "--propose")

    assert {"skill": "old-one", "kind": "archive", "reason": reason} in data[
        "left_alone"
    ]
    assert data["proposals"] == []


def test_a_young_skill_is_left_alone(loop: Loop) -> None:
    loop.write("old-one", "x", extra=f"{AGENT}  superseded-by: old-two\n")
    loop.folder.commit("Today")

    [alone] = loop.ok("curate")["left_alone"]

    assert alone["reason"] == "changed 0 days ago"
    loop.policy(f"{CHECKS}curate:\n  young: 0\n")
    assert loop.ok("curate")["left_alone"] == []


def test_the_origin_of_the_proposal_overrides_the_metadata(
    loop: Loop,
) -> None:
    draft = loop.draft(loop.folder.root.parent, "new-one", "x", extra=AGENT)
    loop.policy(f"{CHECKS}curate:\n  young: 0\n")
    land(loop, loop.ok("propose", draft, "--origin", "human")["proposal"])
    text = set_field(loop.text("new-one"), ("metadata", "superseded-by"), "old-two")
    loop.folder.write("skills/new-one/SKILL.md", text)
    loop.folder.commit("By hand")

    [alone] = loop.ok("curate")["left_alone"]

    assert (alone["skill"], alone["reason"]) == ("new-one", "made by a person")


# --- consolidate ---


BODY = (
    "Read [the guide](references/guide.md) and run `scripts/run.py` on every table.\n"
    "See [the run](scripts/run.py#top), too.\n"
)


def add_double(
    loop: Loop, name: str, run: str = "print(1)\n", guide: str = "G"
) -> None:
    steps = "".join(f"{n}. Do the thing number {n} with care.\n" for n in range(30))
    text = (
        f"---\nname: {name}\ndescription: Reads {name} tables. Use when data is one.\n"
        f"{AGENT}---\n# Tables\n\n{BODY}\n{steps}"
    )
    loop.folder.write(f"skills/{name}/SKILL.md", text)
    loop.folder.write(f"skills/{name}/scripts/run.py", run)
    loop.folder.write(f"skills/{name}/references/guide.md", guide)
    case = (
        "run: [python3, scripts/run.py]\nenv: {X: '{{ x }}'}\n"
        "expect: {stdout: '1'}\nvariants: [{x: a}, {x: b}]\n"
    )
    loop.folder.write(f"skills/{name}/tests/run.yaml", case)


@pytest.mark.needs_sandbox
def test_of_two_that_say_the_same_one_keeps_all_files(loop: Loop) -> None:
    add_double(loop, "tab-one")
    add_double(loop, "tab-two", run="print( 1 )\n", guide="Another guide")
    long_ago(loop)
    used(loop, "tab-one", 3)
    used(loop, "tab-two", 2, count=5)
    used(loop, "old-one", 2)
    used(loop, "old-two", 2)

    data = loop.ok("curate", "tab-one", "--propose")

    [remark] = [remark for remark in data["remarks"] if remark["kind"] == "overlap"]
    assert (remark["skill"], remark["other"]) == ("tab-one", "tab-two")
    [offer] = data["proposals"]
    loop.approve(offer["proposal"], "Sam <sam@example.invalid>")  # it brings scripts
    land(loop, offer["proposal"])
    show = loop.folder.git
    base = "main:skills/tab-two"
    assert show("show", f"{base}/references/tab-one/scripts/run.py") == "print(1)\n"
    assert show("show", f"{base}/references/tab-one/references/guide.md") == "G"
    page = show("show", f"{base}/references/tab-one.md")
    assert "[the guide](tab-one/references/guide.md)" in page
    assert "run `references/tab-one/scripts/run.py` on" in page
    assert "[the run](tab-one/scripts/run.py#top)" in page
    assert "references/tab-one.md" in loop.text("tab-two")
    listed = show("ls-tree", "-r", "--name-only", f"{base}/references").split()
    assert "tab-one/tests/run.yaml" not in listed  # the umbrella has the very same
    assert successors(loop.folder.library, loop.main()) == {"tab-one": "tab-two"}
    assert judged(loop)


@pytest.mark.needs_sandbox
def test_a_consolidation_is_rolled_back_as_a_whole(loop: Loop) -> None:
    add_double(loop, "tab-one")
    add_double(loop, "tab-two")
    long_ago(loop)
    before = [loop.tree(name) for name in ("tab-one", "tab-two")]
    [offer] = loop.ok("curate", "--propose")["proposals"]
    land(loop, offer["proposal"])

    loop.ok("rollback", "tab-one", "--now", "--why", "They differ after all")

    assert [loop.tree(name) for name in ("tab-one", "tab-two")] == before
    found = remarks(loop)
    assert not any(kind == "superseded" for _, kind in found)


def test_a_duplicate_of_a_persons_skill_is_only_reported(loop: Loop) -> None:
    add_double(loop, "tab-one")
    add_double(loop, "tab-two")
    page = loop.folder.root / "skills/tab-two/SKILL.md"
    page.write_text(page.read_text().replace(AGENT, ""))
    long_ago(loop)

    data = loop.ok("curate", "--propose")

    assert [remark["kind"] for remark in data["remarks"]] == ["overlap"]
    assert data["proposals"] == []


# --- repair ---


def linked(loop: Loop, target: str, extra: str = AGENT) -> None:
    loop.write("old-one", "x", extra=extra)
    page = loop.folder.root / "skills/old-one/SKILL.md"
    page.write_text(f"{page.read_text()}\nSee [the guide]({target}) first.\n")


def test_a_file_that_moved_is_found_by_its_name(loop: Loop) -> None:
    linked(loop, "docs/Guide.md#start")
    loop.folder.write("skills/old-one/references/guide.md", "G")
    long_ago(loop)

    [offer] = loop.ok("curate", "--propose")["proposals"]
    land(loop, offer["proposal"])

    assert "[the guide](references/guide.md#start) first" in loop.text("old-one")


def test_a_link_to_what_was_taken_out_becomes_words(loop: Loop) -> None:
    linked(loop, "references/guide.md")
    guide = loop.folder.write("skills/old-one/references/guide.md", "G")
    long_ago(loop)
    guide.unlink()
    long_ago(loop)

    [offer] = loop.ok("curate", "--propose")["proposals"]
    land(loop, offer["proposal"])

    assert "See the guide first." in loop.text("old-one")


@pytest.mark.parametrize("files", [(), ("a/guide.md", "b/guide.md")])
def test_an_ambiguous_link_is_only_reported(loop: Loop, files: tuple[str, ...]) -> None:
    linked(loop, "guide.md")
    for path in files:
        loop.folder.write(f"skills/old-one/{path}", "G")
    long_ago(loop)

    data = loop.ok("curate", "--propose")

    [remark] = data["remarks"]
    assert remark["kind"] == "broken-reference"
    assert data["proposals"] == []


# --- the whole ---


def test_a_catalog_that_is_too_large_is_reported(loop: Loop) -> None:
    page = loop.folder.root / "skills/csv-tables/SKILL.md"
    text = page.read_text()
    page.write_text(text.replace("Reads tables", "Reads tables " + "and more " * 1500))
    long_ago(loop)

    data = loop.ok("curate")

    assert [remark["kind"] for remark in data["remarks"]] == ["catalog"]
    assert data["catalog"]["tokens"] > data["catalog"]["budget"] == 3000
    assert "csv-tables" in data["remarks"][0]["message"]


def test_one_draft_for_a_skill_at_a_time(loop: Loop) -> None:
    linked(loop, "docs/guide.md", f"{AGENT}  superseded-by: old-two\n")
    loop.folder.write("skills/old-one/references/guide.md", "G")
    long_ago(loop)

    data = loop.ok("curate", "--propose")

    kinds = [remark["kind"] for remark in data["remarks"]]
    assert kinds == ["superseded", "broken-reference"]
    assert len(data["proposals"]) == 1
    assert data["remarks"][1]["left_alone"] == "another proposal changes the same skill"


def test_an_open_proposal_of_another_author_comes_first(loop: Loop) -> None:
    loop.write("old-one", "x", extra=f"{AGENT}  superseded-by: old-two\n")
    long_ago(loop)
    number = loop.propose("old-one", "better")

    [offer] = loop.ok("curate", "--propose")["proposals"]

    assert (offer["proposal"], offer["created"]) == (number, False)


def test_findings_beyond_the_cap_are_reported_as_not_proposed(loop: Loop) -> None:
    for name in ("old-one", "old-two"):
        loop.write(name, name, extra=f"{AGENT}  superseded-by: csv-tables\n")
    loop.folder.write("skillforge.yaml", f"{CHECKS}proposals:\n  open: 1\n")
    long_ago(loop)

    ran = loop("curate", "--propose", "--json")

    assert ran.code == 1
    assert [bool(row["proposal"]) for row in ran.data["proposals"]] == [True, False]
    assert "1 proposals are open" in ran.data["proposals"][1]["why_not"]


def test_it_works_in_a_bare_repository_and_says_the_same(
    loop: Loop, tmp_path: Path, run: Run
) -> None:
    loop.write("old-one", "x", extra=f"{AGENT}  superseded-by: old-two\n")
    long_ago(loop)
    bare = tmp_path / "bare.git"
    loop.folder.git("clone", "--quiet", "--bare", str(loop.folder.root), str(bare))

    there = run("curate", "--library", str(bare), "--propose", "--json")

    assert there.code == 0, there.err
    assert there.data["remarks"] == loop.ok("curate")["remarks"]
    assert there.data["proposals"][0]["created"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("nothing-like-it",), "main has no skill"),
        (("old-one", "--restore", "old-two"), "--restore"),
    ],
)
def test_a_bad_request_is_named(
    loop: Loop, options: tuple[str, ...], words: str
) -> None:
    ran = loop("curate", *options)

    assert ran.code == 2
    assert words in ran.err
