"""The whole loop in repositories that keep their skills elsewhere than `skills/*`."""

from pathlib import Path

import pytest

from tests.conftest import LibraryFolder, Run
from tests.propose.conftest import REVIEWER, Loop, page

# By layout: the folders of skills, and the globs that cover them.
LAYOUTS = {
    "plugins": (
        ["plugins/red/skills/csv", "plugins/sea/skills/csv", "plugins/sea/skills/md5"],
        ["plugins/*/skills/*"],
    ),
    "categories": (
        ["skills/tables/csv", "skills/tables/xlsx", "skills/text/csv"],
        ["skills/*/*"],
    ),
    "other top": (
        ["science-skills/csv", "science-skills/pdf"],
        ["science-skills/*"],
    ),
    "agents": (
        [".claude/skills/csv", ".claude/skills/pdf", ".agents/skills/spell"],
        [".claude/skills/*", ".agents/skills/*"],
    ),
    "hidden groups": (
        ["skills/.curated/csv", "skills/.curated/pdf", "skills/.system/spell"],
        ["skills/.curated/*", "skills/.system/*"],
    ),
    "nested": (
        ["skills/csv", "skills/pdf", "skills/pdf/forms"],
        ["skills/*", "skills/pdf/*"],
    ),
    "mixed": (
        ["skills/tables/csv", "skills/text/spell", "skills/lonely", "extra/one/pdf"],
        ["skills/*/*", "extra/one/*", "skills/lonely"],
    ),
}  # fmt: skip


def write(folder: LibraryFolder, path: str, *words: str) -> None:
    name = path.rpartition("/")[2]
    folder.write(f"{path}/SKILL.md", page(name, "", *(words or (*path.split("/"),))))


@pytest.fixture(params=LAYOUTS)
def adopted(request: pytest.FixtureRequest, tmp_path: Path, run: Run) -> Loop:
    """A repository with a history of its own, after `init`."""
    root = tmp_path / "library"
    root.mkdir()
    folder = LibraryFolder(root)
    folder.git("init", "--quiet", "--initial-branch=main")
    for path in LAYOUTS[request.param][0]:
        write(folder, path)
    folder.write("README.md", "# Ours\n")
    folder.commit("As it was")
    loop = Loop(folder, run)
    found = loop.run("init", str(root), "--json").data
    assert found["skills"] == sorted(LAYOUTS[request.param][0])
    assert found["globs"] == LAYOUTS[request.param][1]
    folder.commit("Adopt Skillforge")
    return loop


def skills(loop: Loop) -> dict[str, str]:
    """The names of a library's skills, and their folders."""
    rows = loop.ok("list")["skills"]
    return {row["name"]: row["path"] for row in rows}


def approved(loop: Loop, number: int) -> int:
    loop.approve(number)
    return number


def edit(loop: Loop, path: str, *words: str) -> int:
    write(loop.folder, path, *words)
    number: int = loop.ok("propose", path)["proposal"]
    return number


def test_the_loop(adopted: Loop, tmp_path: Path) -> None:
    loop, known = adopted, skills(adopted)
    name, path = sorted(known.items())[0]
    other = sorted(known)[-1]
    before = loop.folder.git("rev-parse", f"main:{path}").strip()

    assert loop.ok("validate")["skills"] == len(known)
    number = edit(loop, path, "other", "words")
    assert loop.ok("gate", number)["passed"]
    assert loop.ok("review", number)["skill"] == name
    loop.promote(approved(loop, number))
    loop.folder.git("checkout", "--quiet", ".")

    assert loop.ok("audit")["promotions"] == 1
    assert [v["proposal"] for v in loop.ok("log", path)["versions"]][:1] == [number]
    assert loop.ok("show", name)["path"] == path
    loop.ok(
        "record", name, "--key", "k", "--outcome", "success", "--verified-by", "test"
    )
    loop.ok("canary", "finish", name, "--as", REVIEWER)
    synced = loop.ok("sync", "--to", tmp_path / "agent", "--key", "k")
    assert len(list((tmp_path / "agent").glob("*/SKILL.md"))) == len(known), synced

    back = loop.ok("rollback", name, "--why", "Worse")["proposal"]
    loop.promote(approved(loop, back))
    assert loop.folder.git("rev-parse", f"main:{path}").strip() == before
    assert loop.audit_kinds() == []

    write(loop.folder, known[other], "sneaked", "in")
    loop.folder.commit("Sneak")
    [exception] = loop("audit", "--json").data["exceptions"]
    assert exception["kind"] == "direct-push"
    assert other in exception["message"]


def test_a_draft_stays_in_its_skill(adopted: Loop) -> None:
    loop, known = adopted, skills(adopted)
    (_, path), *_, (_, other) = sorted(known.items())
    loop.folder.git("checkout", "--quiet", "-b", "branch")
    write(loop.folder, path, "mine")
    write(loop.folder, other, "not mine")
    loop.folder.commit("Edit two")

    gate = loop("gate", "--base", "main", "--head", "branch", "--json")

    assert gate.code == 1
    assert "path" in {f["rule"] for f in gate.data["findings"]}


def test_new_and_removed_skills(adopted: Loop) -> None:
    loop, known = adopted, skills(adopted)
    name, path = sorted(known.items())[0]
    new = f"{name.rpartition('/')[0]}/fresh".lstrip("/")
    fresh = f"{path.rpartition('/')[0]}/fresh"
    loop.ok("new", new)
    loop.promote(approved(loop, edit(loop, fresh, "something", "new")))
    assert skills(loop)[new] == fresh

    gone = loop.ok("propose", path, "--delete", "--why", "Unused")["proposal"]
    loop.promote(approved(loop, gone))
    assert name not in skills(loop)
    assert loop.audit_kinds() == []


def test_an_archived_skill_comes_back(adopted: Loop) -> None:
    loop = adopted
    name, path = sorted(skills(loop).items())[-1]
    archive = f"archive/{name}"
    tree = loop.folder.git("rev-parse", f"main:{path}").strip()
    from skillforge.library import Library
    from skillforge.operate import archive as archiving
    from skillforge.propose.proposal_request import ProposalOptions
    from skillforge.workflows import workspaces
    from skillforge.workflows.submit import submit_drafts

    library = Library.open(loop.folder.root)
    draft = archiving.archived(library, name, "Unused")
    workspace = workspaces.open_workspace(loop.folder.root)
    [done] = submit_drafts(workspace, [draft], ProposalOptions()).submissions
    assert done.proposal
    loop.promote(approved(loop, done.proposal.number))
    assert name not in skills(loop)
    assert loop.folder.git("rev-parse", f"main:{archive}").strip() == tree

    back = loop.ok("curate", "--restore", name, "--propose")["proposals"][0]
    loop.promote(approved(loop, back["proposal"]))
    assert loop.folder.git("rev-parse", f"main:{path}").strip() == tree
    assert loop.audit_kinds() == []


@pytest.mark.needs_sandbox
def test_a_release_is_installed(adopted: Loop, tmp_path: Path) -> None:
    loop, known = adopted, skills(adopted)
    loop.ok("release", "v1.0.0")
    hub, agent = tmp_path / "hub", tmp_path / "agent"
    built = loop.ok("build", "v1.0.0", "--out", hub)
    assert built["skills"] == len(known)

    (tmp_path / "two").mkdir()
    loop.ok("install", hub, "--to", agent)
    loop.ok("install", loop.folder.root, "--to", tmp_path / "two/from-git")

    installed = {path.parent.name for path in agent.glob("*/SKILL.md")}
    assert len(installed) == len(known)
    assert installed == {
        path.parent.name for path in (tmp_path / "two/from-git").glob("*/SKILL.md")
    }


def test_equal_folders_are_told_apart(tmp_path: Path, run: Run) -> None:
    root = tmp_path / "library"
    root.mkdir()
    folder = LibraryFolder(root)
    folder.git("init", "--quiet", "--initial-branch=main")
    for path in LAYOUTS["plugins"][0]:
        write(folder, path)
    loop = Loop(folder, run)
    assert "csv is the folder of several skills" in run("init", str(root)).out
    folder.commit("Adopt Skillforge")

    assert loop.ok("show", "md5")["name"] == "sea/md5"
    assert loop.ok("show", "plugins/red/skills/csv")["name"] == "red/csv"
    ran = loop("show", "csv")
    assert ran.code == 2
    assert "red/csv, sea/csv" in ran.err


def test_category_folders_are_no_skills(tmp_path: Path, run: Run) -> None:
    root = tmp_path / "library"
    root.mkdir()
    folder = LibraryFolder(root)
    folder.git("init", "--quiet", "--initial-branch=main")
    for path in ("skills/tables/csv", "skills/text/spell", "skills/lonely"):
        write(folder, path)
    folder.write("skills/tables/DESCRIPTION.md", "Tables.\n")
    loop = Loop(folder, run)
    run("init", str(root))
    folder.commit("Adopt Skillforge")
    folder.write("skills/tables/DESCRIPTION.md", "All about tables.\n")
    folder.commit("Describe the category")

    assert sorted(skills(loop)) == ["skills/lonely", "tables/csv", "text/spell"]
    assert loop.audit_kinds() == []


def test_the_layout_comes_from_main_not_from_a_branch(adopted: Loop) -> None:
    loop = adopted
    name, path = sorted(skills(loop).items())[0]
    loop.folder.git("checkout", "--quiet", "-b", "branch")
    loop.folder.write("skillforge.yaml", "skills: [nowhere/*]\n")
    write(loop.folder, path, "hidden")
    loop.folder.commit(f"Hide it\n\nSkill: {name}\nAction: edit\nOrigin: human")

    gate = loop("gate", "--base", "main", "--head", "branch", "--json")

    assert gate.code == 1
    assert any(f["path"] == "skillforge.yaml" for f in gate.data["findings"])
